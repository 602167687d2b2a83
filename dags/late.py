"""Whether a workload's results are there at the times that its alerts name (`late: 06:00`), and a message if not.

**When.** Daily at each of these times, in the log's zone. A DAG of its own, since a night that hangs or never began
cannot tell that it is late.

**Reads** the tables of the operating day that ended last, and whether its report is there; takes neither the lake's
lease nor a slot of Spark's pool. **Writes** what it sent, below the lake, in `_work/alerts`. Triggered by hand or for
an earlier time, it looks at the present.

**Triage.** Safe to clear and to skip. It fails only if a message cannot be sent; the log says to which place and why.
"""

from __future__ import annotations

import pendulum
from airflow.sdk import DAG, MultipleCronTriggerTimetable

from trendmill.alert_tasks import POOL, alert_task
from trendmill.guarded import build_all
from trendmill.run_tasks import DEFAULTS
from trendmill.workload_folders import WorkloadFolder

LATE = """Reads the day's tables and whether its report is there; sends a message if not, once a day and
place.

**Triage.** The log says what is missing, and which place could not be told. Safe to clear."""


def late(folder: WorkloadFolder) -> DAG | None:
    """The DAG `late_<workload>`; None: no alert of the workload names a time."""
    if not folder.alerts.late:
        return None
    start, times = folder.start, [text.split(":") for text in folder.alerts.late]
    crons = [f"{int(minute)} {int(hour)} * * *" for hour, minute in times]
    with DAG(
        dag_id=f"late_{folder.name}",
        description=f"{folder.title}: are the results there?",
        doc_md=__doc__,
        schedule=MultipleCronTriggerTimetable(*crons, timezone=folder.alerts.zone),
        start_date=pendulum.datetime(start.year, start.month, start.day, tz="UTC"),
        catchup=False,
        auto_register=False,
        max_active_runs=1,
        default_args={**DEFAULTS, "owner": folder.owner, "pool": POOL},
        tags=["trendmill", "late", folder.name],
    ) as dag:
        alert_task(folder, "late", LATE, ["--late", "--send"])
    return dag


built = build_all(late)
globals().update(built.dags)
