"""The last task of a run, for a scheduler, without a JVM: publish reports, report refused days, end the run.

`--workload W --from D --to D --run-id R`, as for jobs/spark_task.py. The run's id leads to the stored workload and to
the further days that the run evaluated. Exit codes as in jobs/exits.py. 3: the quality gate refused some of the run's
days. Their reports stay as they were; the other days are published.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from datetime import date

from jobs import places
from jobs.exits import OK, GateFailure, exit_code, is_expected, message
from jobs.lake.leasing.keeping import kept
from jobs.lake.leasing.lease import lease_file, take
from jobs.reports.publish import publish
from jobs.runs.ledger import refused_by
from jobs.signals import terminable
from jobs.tasks.ending import end, end_after
from jobs.tasks.stored_workload import workload_of_run
from jobs.workload.declaration import folder_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Publish a run; returns the exit code."""
    options = _parser().parse_args(arguments)
    name = ""
    try:
        name = folder_of(options.workload).name
        path = lease_file(places.lake(), name)
        with terminable():
            lease = take(path, options.run_id, f"run {options.run_id} (task publish)")
            with kept(path, lease):
                workload = workload_of_run(options.workload, options.run_id, places.lake())
                published = publish(workload, options.first, options.last, options.run_id)
        for page in published.pages.values():
            print(page)
        refused = refused_by(places.lake(), name, options.run_id)
        if own := {day: reason for day, reason in refused.items() if options.first <= day <= options.last}:
            raise GateFailure(own)
        end(places.lake(), name, options.run_id)
        return OK
    except (Exception, KeyboardInterrupt) as error:
        if not is_expected(error):
            logging.getLogger("trendmill").exception("this was not expected")
        print(message(error), file=sys.stderr, flush=True)
        if name:
            end_after(error, places.lake(), name, options.run_id)
        return exit_code(error)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="publish_task")
    parser.add_argument("--workload", required=True)
    parser.add_argument("--from", dest="first", type=date.fromisoformat, required=True)
    parser.add_argument("--to", dest="last", type=date.fromisoformat, required=True)
    parser.add_argument("--run-id", required=True)
    return parser


if __name__ == "__main__":
    sys.exit(main())
