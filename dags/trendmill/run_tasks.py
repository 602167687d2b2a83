"""The four tasks of a run, for a night and for a chunk of a backfill: load >> slice >> evaluate >> publish.

The tasks are few and large: each Spark task is one application with several stages, because an application costs ten
CPU-seconds before its first row (docs/decisions/0002). With little input only `load` is one (docs/decisions/0021). Each
task may be run again at any time, since it replaces whole days.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Asset, BaseOperator, WeightRule

from trendmill.operators import Command, SparkTask
from trendmill.workload_folders import WorkloadFolder

POOL = "trendmill"
"""One slot: a Spark application takes every core of a small machine."""

SPARK_TASKS = {
    "load": """Reads the sources' files of the operating day (and of days before it that the queries reach and the
lake lacks); writes `events` and `quarantine` once the quality gate has passed.

**Triage.** *source missing*: the delivery is late, clear this task when it is there; nothing was written. *exit code
3*: the gate refused the day, whose former tables stand; the failing rules are in the message and on the report's data
quality page. *exit code 2*: the workload folder is wrong, `trendmill check` says where.""",
    "slice": """Reads `events`; writes `stream_statistics`, `heavy_hitters`, `slicing_plans` and the working table of
slices.

**Triage.** Slow after a query joined the workload: look at the replication on the report's slicing page. Safe to
clear.""",
    "evaluate": """Reads the slices; writes one table per query, `result_days` and `experiments`. Days whose inputs
changed since are evaluated again, so after a late delivery it takes longer than on a usual night.

**Triage.** One slice much slower than the others: a heavy value, see the slicing page. Safe to clear.""",
}

PUBLISH = """Reads the tables without a JVM; writes `reports/<workload>/<day>/` and emits the workload's tables as
assets.

**Triage.** *exit code 3*: the gate refused some of the run's days, the others are published. Else it fails only if the
disk is full; the tables are already right. Safe to clear."""

DEFAULTS: dict[str, Any] = {
    "pool": POOL,
    "retries": 2,
    "retry_delay": timedelta(minutes=5),
    "execution_timeout": timedelta(hours=3),
    "weight_rule": WeightRule.UPSTREAM,  # a chunk of a backfill ends before the next one begins
}


def assets(folder: WorkloadFolder) -> list[Asset]:
    """The workload's tables as assets, such as `nyc_flights.knock_on`, so that other DAGs can be scheduled by them."""
    return [Asset(name=f"{folder.name}.{table}", uri=f"trendmill://{folder.name}/{table}") for table in folder.tables]


def run_arguments(folder: WorkloadFolder, first: str, last: str) -> list[str]:
    """The command line of a run's tasks. The run's id is Airflow's, so all tasks and retries share one lease."""
    return ["--workload", folder.name, "--from", first, "--to", last, "--run-id", "{{ dag.dag_id }}/{{ run_id }}"]


def add_run(folder: WorkloadFolder, first: str, last: str) -> tuple[BaseOperator, BaseOperator]:
    """Add the four tasks for the days `first`..`last` (texts or templates) to the DAG or task group being defined.

    Returns the first and the last one.
    """
    arguments = run_arguments(folder, first, last)
    spark_tasks = [
        SparkTask(task_id=task, name=f"{folder.name} {task}", doc_md=doc, task=task, arguments=arguments)
        for task, doc in SPARK_TASKS.items()
    ]
    publish = Command(
        task_id="publish",
        doc_md=PUBLISH,
        module="jobs.publish_task",
        arguments=arguments,
        outlets=assets(folder),
        execution_timeout=timedelta(minutes=30),
    )
    for before, after in zip(spark_tasks, [*spark_tasks[1:], publish], strict=True):
        before >> after
    return spark_tasks[0], publish
