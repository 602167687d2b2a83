"""One task of a run, for spark-submit: `--workload W --task load|slice|evaluate --from D --to D --run-id R`.

A task that needs no Spark, because its input is small, may be started as `python -m jobs.spark_task` as well.

The scheduler gives the run's id, so all tasks and retries of a run share its lease. If another run holds the lease, the
task fails at once and names that run. `--task maintain` needs no days, `--task experiment` measures grids of
experiments; each of them is the whole run, so it gives the lease back.
Exit codes as in jobs/exits.py. A code after which no retry can help ends the run (jobs/tasks/ending.py).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from jobs import places
from jobs.lake.leasing.keeping import kept
from jobs.lake.leasing.lease import lease_file, take
from jobs.lake.session import LateSession
from jobs.lake.spark_settings import Scale
from jobs.quality.judges import Judges, judges_for
from jobs.runs.input_size import input_size
from jobs.runs.progress import to_person
from jobs.runs.run import Progress
from jobs.tasks.ending import done, end
from jobs.tasks.experiment_run import experiment_all
from jobs.tasks.maintenance import maintain
from jobs.tasks.nightly import TASKS, begin
from jobs.workload.declaration import load_workload, read_workload

WHOLE_RUNS = ("experiment", "maintain")
"""Tasks after which their run writes nothing more to the lake."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do one task; returns the exit code."""
    options = _parser().parse_args(arguments)
    return done(partial(_leased, options), places.lake(), options.workload, options.run_id)


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
    progress = to_person()
    if options.task == "maintain":
        workload, _ = read_workload(options.workload)  # upkeep goes on while a query is wrong
        maintain(workload.name, places.lake(), progress, workload.retention)
        return
    name = f"trendmill {options.task} {options.workload}"
    session = LateSession(name, "cluster") if options.cluster else LateSession(name, scale=_scale(options, progress))
    try:
        run = begin(
            options.workload,
            options.first,
            options.last,
            options.run_id,
            session=session,
            lake=places.lake(),
            progress=progress,
            judges=judges,
        )
        if options.task == "experiment":
            experiment_all(run)
        else:
            TASKS[options.task](run)
    finally:
        session.stop()


def _scale(options: argparse.Namespace, progress: Progress) -> Scale:
    """The scale of Spark's settings for what the task will read. spark-submit got the heap of the same scale."""
    if options.first is None:
        return "small"
    size = input_size(load_workload(options.workload), [options.task], options.first, options.last, places.lake())
    progress.note(str(size))
    return size.scale


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
