"""A workload's grids of experiments, weekly in quiet hours or by hand: experiment >> publish.

**When.** Weekly. A grid that was edited, or that a new version of the engine must measure again, is measured within the
week. Trigger it by hand to have it now. Nothing is measured twice: in most weeks the run only checks.

**Reads** the grids in the workload's folder `experiments/`, the stand-ins for a paper's data where they lie
(TRENDMILL_STAND_INS), and the workload's own days that grids name; days that are not loaded are loaded first. A grid
without its data is skipped, and its name is printed. **Writes** the table `experiments`, some cells of a grid at a
time, and the page `experiments/index.html` of the workload's reports.

**Triage.** A killed run continues after the cells that it has committed: clear the task. Exit code 2: a grid's file is
wrong, `trendmill check` says where. A nightly run of the same workload that holds the lease makes it fail and retry.
"""

from __future__ import annotations

import pendulum
from airflow.sdk import DAG, CronDataIntervalTimetable

from trendmill.guarded import build_all
from trendmill.operators import Command, SparkTask
from trendmill.places import workloads
from trendmill.run_tasks import DEFAULTS, run_arguments
from trendmill.workload_folders import WorkloadFolder


def evaluation(folder: WorkloadFolder) -> DAG | None:
    """The DAG `evaluation_<workload>`; None: the workload has no grids."""
    if not any((workloads() / folder.name / "experiments").glob("*.yaml")):
        return None
    day = "{{ data_interval_start.in_timezone('UTC').to_date_string() }}"
    start = folder.start
    with DAG(
        dag_id=f"evaluation_{folder.name}",
        description=f"{folder.title}: experiments",
        doc_md=__doc__,
        schedule=CronDataIntervalTimetable("0 14 * * 0", timezone="UTC"),
        start_date=pendulum.datetime(start.year, start.month, start.day, tz="UTC"),
        catchup=False,
        auto_register=False,
        max_active_runs=1,
        default_args={**DEFAULTS, "owner": folder.owner},
        tags=["trendmill", "evaluation", folder.name],
    ) as dag:
        measured = SparkTask(
            task_id="experiment",
            name=f"{folder.name} experiments",
            doc_md="Reads the workload's grids; measures their cells that the table `experiments` lacks, and writes "
            "them there.\n\n**Triage.** Safe to clear: it continues after the last cells that it committed.",
            task="experiment",
            arguments=run_arguments(folder, day, day),
        )
        published = Command(
            task_id="publish",
            doc_md="Reads the table `experiments`; writes the page of experiments.\n\n**Triage.** Safe to clear; the "
            "former page stays until the new one is whole.",
            module="jobs.cli",
            arguments=["experiment", folder.name, "--publish-only"],
        )
        measured >> published
    return dag


built = build_all(evaluation)
globals().update(built.dags)
