"""One operating day of a workload, every day: load >> slice >> evaluate >> publish.

**When.** After the operating day has ended. A run's data interval is the operating day, and `data_interval_start`
names it; the logical date does not (it differs between the scheduler and `airflow dags test`).

**Reads** the workload's sources for the day, and for the days before it that the queries reach and the lake lacks.
**Writes** the workload's tables in the lake, whole days at a time, and its report. A second run of the same day, a
retry, a run out of order, Airflow's own backfill: all leave the same tables.

**Alerts.** If the workload declares any, `alert` follows `publish` and `alert_refused` follows a refused `load`
(docs/alerts.md). A message that cannot be sent fails these tasks and nothing else.

**Triage.** Each task's own notes say what its failures mean. In general: exit code 1 is retried (network, disk);
after 5 (another run holds the lake) the task looks again each minute; 2 (the workload folder must be corrected) and 3
(the quality gate refused the day) fail at once, with the reason in the log's last line. A failed night leaves a hole
and nothing else: later nights go on, their reports say which day is missing, and running the day again mends what
depended on it.
"""

from __future__ import annotations

import pendulum
from airflow.sdk import DAG, CronDataIntervalTimetable

from trendmill.alert_tasks import add_alerts
from trendmill.guarded import build_all
from trendmill.run_tasks import DEFAULTS, add_run
from trendmill.workload_folders import WorkloadFolder


def nightly(folder: WorkloadFolder) -> DAG:
    """The DAG `nightly_<workload>`."""
    start = folder.start
    day = "{{ data_interval_start.in_timezone('UTC').to_date_string() }}"
    with DAG(
        dag_id=f"nightly_{folder.name}",
        description=folder.title,
        doc_md=__doc__,
        schedule=CronDataIntervalTimetable(folder.cron, timezone="UTC"),
        start_date=pendulum.datetime(start.year, start.month, start.day, tz="UTC"),
        catchup=False,
        auto_register=False,
        max_active_runs=1,
        default_args={**DEFAULTS, "owner": folder.owner},
        tags=["trendmill", "nightly", folder.name],
    ) as dag:
        add_alerts(folder, day, *add_run(folder, day, day))
    return dag


built = build_all(nightly)
globals().update(built.dags)
