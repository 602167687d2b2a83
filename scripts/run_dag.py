"""Run a DAG once for one operating day, in this process and without a scheduler, exactly as `airflow dags test` would.

The metadata database is a copy of the template that set-up made. A failed task is not retried: nobody wants to wait at
a terminal for a retry. One line is printed for each task, and at the end the path of the report. Exit code 1: a task
failed.
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from jobs.lake.greeting import WithoutGreetings

ROOT = Path(__file__).resolve().parents[1]

QUIET = {
    # The tasks' own lines stay as they are. Airflow's lines stay only if a person must see them.
    "AIRFLOW__LOGGING__LOG_FORMAT": "%(message)s",
    "AIRFLOW__LOGGING__LOGGING_LEVEL": "WARNING",
    "AIRFLOW__LOGGING__NAMESPACE_LEVELS": "airflow.task.hooks=INFO airflow.task.operators=INFO task=CRITICAL "
    "airflow.sdk.definitions.dag=ERROR py.warnings=ERROR",
}


def prepare_home() -> None:
    """Make Airflow's home folder with a migrated database; it must exist before the first import of Airflow."""
    os.environ.update(QUIET)
    home = Path(os.environ["AIRFLOW_HOME"])
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    home.chmod(0o700)  # it contains connections and their passwords
    database = home / "airflow.db"
    if not database.exists():
        shutil.copyfile(ROOT / ".cache" / "airflow.db", database)
    database.chmod(0o600)


def load_dag(dag_id: str) -> Any:
    """The DAG of this name from the DAGs folder. Exits with one sentence if there is none."""
    from airflow.dag_processing.dagbag import BundleDagBag

    folder = ROOT / "dags"
    bag = BundleDagBag(dag_folder=folder, bundle_path=folder, bundle_name="dags-folder")
    if dag_id not in bag.dags:
        wrong = [f"{text.strip().splitlines()[-1]} ({file})" for file, text in sorted(bag.import_errors.items())]
        sys.exit("\n".join([f"there is no DAG {dag_id}; there are {', '.join(sorted(bag.dags))}", *wrong]))
    return bag.dags[dag_id]


def end_of(dag: Any, day: date) -> Any:
    """The end of the operating day: the logical date whose data interval is that day."""
    import pendulum
    from airflow.serialization.encoders import coerce_to_core_timetable

    following = day + timedelta(days=1)
    late = pendulum.datetime(following.year, following.month, following.day, 23, 59, tz="UTC")
    return coerce_to_core_timetable(dag.timetable).infer_manual_data_interval(run_after=late).end


def report_of(dag_id: str, day: date) -> Path | None:
    """The page that a DAG's run for a day has written, or None for DAGs that write no page."""
    reports = Path(os.environ.get("TRENDMILL_REPORTS", ROOT / "reports"))
    kind, _, workload = dag_id.partition("_")
    folder = {"nightly": day.isoformat(), "evaluation": "experiments"}.get(kind)
    return reports / workload / folder / "index.html" if folder else None


@contextmanager
def starting_now() -> Iterator[None]:
    """Let `DAG.test` begin its run now.

    Otherwise the run begins at the logical date, and a run for 2013 would last years.
    """
    from airflow.models import dagrun

    make = dagrun.get_or_create_dagrun

    def make_starting_now(**options: Any) -> Any:
        return make(**{**options, "start_date": datetime.now(UTC)})

    with patch.object(dagrun, "get_or_create_dagrun", make_starting_now):
        yield


class TellTasks:
    """Prints a line when a task ends, and the lines that its program prints about its stages."""

    def __init__(self) -> None:
        self.begun = time.monotonic()

    def watch(self, task: Any) -> None:
        task.retries = 0
        task.on_execute_callback = [self.begin]
        task.on_success_callback = [self.succeed]
        task.on_failure_callback = [self.fail]

    def begin(self, context: Any) -> None:
        self.begun = time.monotonic()
        print(f"{context['task'].task_id:<10} ...", flush=True)

    def succeed(self, context: Any) -> None:
        print(f"{context['task'].task_id:<10} done in {time.monotonic() - self.begun:.1f} s", flush=True)

    def fail(self, context: Any) -> None:
        print(f"{context['task'].task_id:<10} FAILED: {context.get('exception')}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dag_id")
    parser.add_argument("--day", type=date.fromisoformat, required=True, help="operating day")
    options = parser.parse_args()
    sys.stdout = WithoutGreetings(sys.stdout)
    prepare_home()
    dag = load_dag(options.dag_id)
    logging.getLogger("airflow.sdk.definitions.dag").setLevel(logging.ERROR)  # it repeats what TellTasks prints
    tell = TellTasks()
    for task in dag.tasks:
        tell.watch(task)
    with starting_now():
        run = dag.test(logical_date=end_of(dag, options.day))
    if run.state != "success":
        sys.exit(f"{options.dag_id} of {options.day} failed")
    if page := report_of(options.dag_id, options.day):
        print(f"report     {page}")


if __name__ == "__main__":
    main()
