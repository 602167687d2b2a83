"""The tasks that tell people what a night found, that a day was refused, or that results are late.

They run the command `trendmill alerts`, which notes what it sent, so that a task that is tried again sends nothing
twice. They wait for no slot of Spark's pool: a check for late results must run while the late night holds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from airflow.sdk import BaseOperator, Connection, TriggerRule
from airflow.sdk.exceptions import AirflowSkipException

from trendmill.operators import Command
from trendmill.workload_folders import WorkloadFolder

POOL = "default_pool"
"""Airflow's own, which always exists."""
PATIENCE = timedelta(minutes=10)

ALERT = """Reads the tables of the day and the workload's alerts; sends what is due and was not sent
(docs/alerts.md). Notes it below the lake, in `_work/alerts`.

**Triage.** The log names each alert, why it is due or not, and each place that could not be told. The tables are right
whatever happens here. Safe to clear: what was sent is not sent again; what waits is tried again each time, for two
days."""

REFUSED = """Reads the gate's verdict on the day after `load` failed; tells that the day was refused
(docs/alerts.md). Skipped on all other nights.

**Triage.** As for `alert`."""


class AlertTask(Command):
    """`trendmill alerts` with the connections of Airflow that the workload's places need; a backfill sends nothing."""

    def __init__(self, *, connections: Sequence[str] = (), **options: Any) -> None:
        super().__init__(module="jobs.cli", **options)
        self.connections = tuple(connections)

    def execute(self, context: Any) -> None:
        run = context.get("dag_run")
        if run is not None and str(getattr(run.run_type, "value", run.run_type)) == "backfill":
            raise AirflowSkipException("a backfill sends nothing")
        super().execute(context)

    def further_environment(self) -> Mapping[str, str]:
        """Each connection that Airflow knows, from wherever, as the variable from which programs read it."""
        variables = {}
        for name in self.connections:
            try:
                variables[f"AIRFLOW_CONN_{name.upper()}"] = Connection.get(name).as_json()
            except Exception as error:  # noqa: BLE001 the program tells for which place it lacks the connection
                self.log.warning("connection %s: %s", name, error)
        return variables


def add_alerts(folder: WorkloadFolder, day: str, load: BaseOperator, publish: BaseOperator) -> None:
    """Add the tasks that a workload's alerts need to its nightly DAG."""
    if not folder.alerts.some:
        return
    publish >> alert_task(folder, "alert", ALERT, ["--day", day, "--send"])
    if folder.alerts.gate:
        options = ["--day", day, "--send"]
        load >> alert_task(folder, "alert_refused", REFUSED, options, trigger_rule=TriggerRule.ONE_FAILED)


def alert_task(folder: WorkloadFolder, name: str, notes: str, options: Sequence[str], **settings: Any) -> AlertTask:
    """A task that runs `trendmill alerts` with these options."""
    return AlertTask(
        task_id=name,
        doc_md=notes,
        arguments=["alerts", folder.name, *options],
        connections=folder.alerts.connections,
        pool=POOL,
        execution_timeout=PATIENCE,
        **settings,
    )
