"""Many operating days of a workload, by hand: the tasks of a night over chunks of days, each chunk in one go.

**When.** A query was added or edited, a source was corrected, or a period is wanted that no night has run.
Trigger it with `from` and `to` (operating days, both inclusive), `chunk` (days per Spark application: a month is a good
size, start-up is paid once a chunk) and a `reason`, which stays with the run.

**Reads** the sources of all days and of the days before them that the queries reach. **Writes** the same tables as that
many nights would write, and the reports of those days.

**Triage.** As for the nightly DAG. A chunk that fails stops only its own tasks. Clear it, or trigger the period
again: results that are up to date are not evaluated again. While it runs, a night of the same workload waits for the
lease and is retried.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from airflow.sdk import DAG, Param, task, task_group

from trendmill.guarded import build_all
from trendmill.run_tasks import DEFAULTS, POOL, add_run
from trendmill.workload_folders import WorkloadFolder


def cut(first: date, last: date, size: int) -> list[dict[str, str]]:
    """The days `first`..`last` in chunks of `size` days, the last one perhaps smaller.

    >>> cut(date(2013, 3, 5), date(2013, 3, 7), 2)
    [{'first': '2013-03-05', 'last': '2013-03-06'}, {'first': '2013-03-07', 'last': '2013-03-07'}]
    """
    starts = (first + timedelta(days=n) for n in range(0, (last - first).days + 1, size))
    return [
        {"first": start.isoformat(), "last": min(start + timedelta(days=size - 1), last).isoformat()}
        for start in starts
    ]


def backfill(folder: WorkloadFolder) -> DAG:
    """The DAG `backfill_<workload>`."""
    with DAG(
        dag_id=f"backfill_{folder.name}",
        description=f"{folder.title}: many days in one go",
        doc_md=__doc__,
        schedule=None,
        auto_register=False,
        max_active_runs=1,
        default_args={**DEFAULTS, "owner": folder.owner},
        tags=["trendmill", "backfill", folder.name],
        params={
            "from": Param(folder.start.isoformat(), type="string", format="date", description="first operating day"),
            "to": Param(
                folder.start.isoformat(), type="string", format="date", description="last operating day, inclusive"
            ),
            "chunk": Param(31, type="integer", minimum=1, description="days per Spark application"),
            "reason": Param("", type="string", minLength=0, description="why; kept with the run"),
        },
    ) as dag:

        @task(
            pool=POOL,
            execution_timeout=timedelta(minutes=5),
            doc_md="Cuts the period into chunks. Reads and writes nothing.",
        )
        def chunks(params: dict[str, Any]) -> list[dict[str, str]]:
            print(f"reason: {params['reason'] or 'none given'}")
            return cut(date.fromisoformat(params["from"]), date.fromisoformat(params["to"]), params["chunk"])

        @task_group
        def chunk(first: str, last: str) -> None:
            add_run(folder, first, last)

        chunk.expand_kwargs(chunks())
    return dag


built = build_all(backfill)
globals().update(built.dags)
