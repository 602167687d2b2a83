"""One Spark task of a run, for spark-submit: `--workload W --task load|slice|evaluate --from D --to D --run-id R`.

The run's id is the scheduler's, so that all tasks and retries of a run share its lease; meeting another run's lease
fails at once, naming the holder. `--task maintain` needs no days, `--task experiment` measures grids of experiments;
either is all that its run does to the lake, and gives the lease back.
Exit codes as in jobs/exits.py; one that no retry can help ends the run (jobs/runs/ending.py).
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from jobs import places
from jobs.exits import OK, exit_code, is_expected, message
from jobs.lake.keeping import kept
from jobs.lake.lease import lease_file, take
from jobs.lake.session import start_session
from jobs.quality.judges import Judges, judges_for
from jobs.runs.ending import end, end_after
from jobs.runs.experiments import experiment_all
from jobs.runs.maintenance import maintain
from jobs.runs.progress import to_person
from jobs.runs.tasks import TASKS, begin
from jobs.signals import terminable
from jobs.workload.declaration import folder_of

WHOLE_RUNS = ("experiment", "maintain")
"""Tasks after which their run has nothing more to write to the lake."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do one task; returns the exit code."""
    options = _parser().parse_args(arguments)
    name = ""
    try:
        name = folder_of(options.workload).name
        with terminable():
            _leased(options, name)
        return OK
    except (Exception, KeyboardInterrupt) as error:
        if not is_expected(error):
            logging.getLogger("trendmill").exception("this was not expected")
        print(message(error), file=sys.stderr, flush=True)
        if name:
            end_after(error, places.lake(), name, options.run_id)
        return exit_code(error)


def _leased(options: argparse.Namespace, name: str) -> None:
    path = lease_file(places.lake(), name)
    lease = take(path, options.run_id, f"run {options.run_id} (task {options.task})")
    with kept(path, lease):
        _work(options)
    if options.task in WHOLE_RUNS:
        end(places.lake(), name, options.run_id)


def _work(options: argparse.Namespace) -> None:
    loads = options.task == "load"
    with judges_for(loads, (options.last - options.first).days + 1 if loads else 0) as judges:
        _do_task(options, judges)


def _do_task(options: argparse.Namespace, judges: Judges | None) -> None:
    spark = start_session(f"trendmill {options.task} {options.workload}", "cluster" if options.cluster else "local")
    try:
        if options.task == "maintain":
            maintain(spark, options.workload, places.lake(), to_person())
            return
        run = begin(
            options.workload,
            options.first,
            options.last,
            options.run_id,
            spark=spark,
            lake=places.lake(),
            progress=to_person(),
            judges=judges,
        )
        if options.task == "experiment":
            experiment_all(run)
        else:
            TASKS[options.task](run)
    finally:
        spark.stop()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="spark_task")
    parser.add_argument("--workload", required=True)
    parser.add_argument("--task", required=True, choices=[*TASKS, *WHOLE_RUNS])
    parser.add_argument("--from", dest="first", type=date.fromisoformat)
    parser.add_argument("--to", dest="last", type=date.fromisoformat)
    parser.add_argument("--run-id", required=True)
    parser.add_argument("--cluster", action="store_true", help="leave master, memory and cores to spark-submit")
    return parser


if __name__ == "__main__":
    sys.exit(main())
