"""The last task of a run, for a scheduler, without a JVM: publish reports, give the lease back, tell what was refused.

`--workload W --from D --to D --run-id R`, as jobs/spark_task.py; the run's id finds the days that the run evaluated
beside its own. Exit codes as in jobs/exits.py: 3 when the quality gate refused some of the run's days, whose reports
stay as they were, while those of the other days are published.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from datetime import date

from jobs import places
from jobs.exits import OK, GateFailure, exit_code, is_expected, message
from jobs.lake.lease import give_back, lease_file, take
from jobs.reports.publish import publish
from jobs.runs.ledger import refused_by
from jobs.workload.declaration import load_workload


def main(arguments: Sequence[str] | None = None) -> int:
    """Publish a run; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        name = load_workload(options.workload).name
        path = lease_file(places.lake(), name)
        take(path, options.run_id, f"run {options.run_id} (task publish)")
        published = publish(name, options.first, options.last, options.run_id)
        for page in published.pages.values():
            print(page)
        give_back(path, options.run_id)
        refused = refused_by(places.lake(), name, options.run_id)
        if own := {day: reason for day, reason in refused.items() if options.first <= day <= options.last}:
            raise GateFailure(own)
        return OK
    except (Exception, KeyboardInterrupt) as error:
        if not is_expected(error):
            logging.getLogger("trendmill").exception("this was not expected")
        print(message(error), file=sys.stderr, flush=True)
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
