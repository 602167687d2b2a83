"""The last task of a run, for a scheduler, without a JVM: publish reports, report refused days, end the run.

`--workload W --from D --to D --run-id R`, as for jobs/spark_task.py. The run's id leads to the stored workload and to
the further days that the run evaluated. Exit codes as in jobs/exits.py. 3: the quality gate refused some of the run's
days. Their reports stay as they were; the other days are published.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import date
from functools import partial

from jobs import places
from jobs.exits import GateFailure
from jobs.lake.leasing.keeping import kept
from jobs.lake.leasing.lease import lease_file, take
from jobs.reports.publish import publish
from jobs.runs.ledger import refused_by
from jobs.tasks.ending import done, end
from jobs.tasks.stored_workload import workload_of_run


def main(arguments: Sequence[str] | None = None) -> int:
    """Publish a run; returns the exit code."""
    options = _parser().parse_args(arguments)
    return done(partial(_publish, options), places.lake(), options.workload, options.run_id)


def _publish(options: argparse.Namespace, name: str) -> None:
    lake, run_id = places.lake(), options.run_id
    path = lease_file(lake, name)
    lease = take(path, run_id, f"run {run_id} (task publish)")
    with kept(path, lease):
        workload = workload_of_run(options.workload, run_id, lake)
        published = publish(workload, workload.operating_days.days(options.first, options.last), run_id)
    for page in published.pages.values():
        print(page)
    refused = refused_by(lake, name, run_id)
    if reasons := {day: reason for day, reason in refused.items() if options.first <= day <= options.last}:
        raise GateFailure(reasons)
    end(lake, name, run_id)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="publish_task")
    parser.add_argument("--workload", required=True)
    parser.add_argument("--from", dest="first", type=date.fromisoformat, required=True)
    parser.add_argument("--to", dest="last", type=date.fromisoformat, required=True)
    parser.add_argument("--run-id", required=True)
    return parser


if __name__ == "__main__":
    sys.exit(main())
