"""Upkeep of the lake, weekly, in quiet hours: one Spark task per workload.

**Reads** the lake's logs. **Writes** nothing that a query could see: removes staging and workload
copies that are older than two weeks, and (VACUUM) files that no table version of the last seven days needs
(docs/operations.md, Retention).

**Triage.** Safe to skip for weeks, safe to clear. If a run holds the lease, it fails and is retried. Only readers of
table versions older than the retention can notice it.
"""

from __future__ import annotations

import pendulum
from airflow.sdk import DAG, CronDataIntervalTimetable

from trendmill.guarded import build_all
from trendmill.operators import SparkTask
from trendmill.run_tasks import DEFAULTS
from trendmill.workload_folders import WorkloadFolder


def maintain(folder: WorkloadFolder) -> None:
    """Add a workload's task to the DAG that is being defined."""
    SparkTask(
        task_id=folder.name,
        name=f"{folder.name} maintenance",
        doc_md=f"Removes what no reader of `{folder.name}` needs any more; reads the tables' logs.",
        owner=folder.owner,
        task="maintain",
        arguments=["--workload", folder.name, "--run-id", "{{ dag.dag_id }}/{{ run_id }}"],
    )


with DAG(
    dag_id="maintenance",
    description="VACUUM, old staging",
    doc_md=__doc__,
    schedule=CronDataIntervalTimetable("0 12 * * 0", timezone="UTC"),
    start_date=pendulum.datetime(2013, 1, 6, tz="UTC"),
    catchup=False,
    auto_register=False,
    max_active_runs=1,
    default_args={**DEFAULTS, "owner": "trendmill"},
    tags=["trendmill", "maintenance"],
) as maintenance:
    built = build_all(maintain)
