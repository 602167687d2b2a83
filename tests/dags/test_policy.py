"""The policy that every DAG of the house keeps; a new DAG is held to it by being in the folder."""

from __future__ import annotations

import ast
import subprocess
import sys
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.airflow

DAGS = Path(__file__).resolve().parents[2] / "dags"
HEAVY = ("pyspark", "delta", "great_expectations", "pandas", "numpy", "pyarrow", "numba", "jobs", "cep_core")
ORDER = ["load", "slice", "evaluate", "publish"]


def test_every_file_imports_and_says_how_long_it_took(bag: Any) -> None:
    """No import error but that of the broken folder. The time is printed, not asserted: it belongs to the machine."""
    assert set(bag.import_errors) == {"broken_workloads.py"}
    for stat in bag.dagbag_stats:
        print(f"parsed {stat.file} in {stat.duration.total_seconds():.2f} s")


def test_there_is_a_dag_for_every_workload(bag: Any) -> None:
    """Each workload folder gives a nightly and a backfill DAG; upkeep is one DAG for all."""
    assert {"nightly_small", "backfill_small", "maintenance"} <= set(bag.dags)
    assert not [name for name in bag.dags if name.endswith("_broken")]


def test_a_workload_with_grids_has_an_evaluation(bag: Any) -> None:
    """experiment >> publish, weekly; a folder without grids, or a broken one, has none."""
    assert {name for name in bag.dags if name.startswith("evaluation_")} == {
        "evaluation_small",
        "evaluation_nyc_flights",
    }
    dag = bag.dags["evaluation_small"]
    assert {task.task_id: task.downstream_task_ids for task in dag.tasks} == {
        "experiment": {"publish"},
        "publish": set(),
    }
    assert dag.get_task("publish").arguments == ["experiment", "small", "--publish-only"]
    assert dag.max_active_runs == 1
    assert not dag.catchup


def test_every_task_has_an_owner_a_pool_retries_a_timeout_and_notes(bag: Any) -> None:
    """Who is woken, how often it is tried, when it is given up, what it reads, writes and how to triage it."""
    for dag in bag.dags.values():
        assert {"trendmill"} < set(dag.tags), dag.dag_id
        assert "read" in dag.doc_md.lower(), dag.dag_id
        for task in dag.tasks:
            name = f"{dag.dag_id}.{task.task_id}"
            assert task.owner not in ("", "airflow"), name
            assert task.pool == "trendmill", name
            assert task.execution_timeout is not None, name
            assert task.retries >= 1, name
            assert "reads" in task.doc_md.lower(), name


@pytest.mark.parametrize("dag_id", ["nightly_small", "backfill_small"])
def test_a_run_is_four_tasks_in_a_row(bag: Any, dag_id: str) -> None:
    """load >> slice >> evaluate >> publish, at night and in each chunk of a backfill."""
    prefix = "chunk." if dag_id.startswith("backfill") else ""
    downstream = {task.task_id: task.downstream_task_ids for task in bag.dags[dag_id].tasks}
    for before, after in pairwise(ORDER):
        assert downstream[prefix + before] == {prefix + after}


def test_the_data_interval_is_the_operating_day(bag: Any) -> None:
    """From 08:00 UTC to 08:00 UTC, and the tasks are told the day on which it began."""
    from airflow.serialization.encoders import coerce_to_core_timetable

    timetable = coerce_to_core_timetable(bag.dags["nightly_small"].timetable)
    interval = timetable.infer_manual_data_interval(run_after=_utc(2013, 3, 9, 9))
    assert (interval.start, interval.end) == (_utc(2013, 3, 8, 8), _utc(2013, 3, 9, 8))
    [day] = _rendered(bag, "nightly_small", {"data_interval_start": interval.start})
    assert day == date(2013, 3, 8).isoformat()


def test_a_broken_folder_is_told_by_an_import_error(bag: Any) -> None:
    """The others live; the error names the folder, the reason, and the command that tells more."""
    error = bag.import_errors["broken_workloads.py"]
    assert "workload folder 'broken': workload.yaml is not YAML" in error
    assert "trendmill check" in error


def test_publish_emits_the_workloads_tables(bag: Any) -> None:
    """Other DAGs may be scheduled by a table: shared tables and one per query."""
    names = {asset.name for asset in bag.dags["nightly_small"].get_task("publish").outlets}
    assert {"small.events", "small.quarantine", "small.late"} <= names


@pytest.mark.parametrize("file", sorted(DAGS.rglob("*.py")), ids=lambda file: file.name)
def test_a_dag_file_imports_nothing_heavy(file: Path) -> None:
    """A scheduler parses these files over and over; Spark, the engine and the data libraries stay out of them."""
    imported = [name for node in ast.walk(ast.parse(file.read_text())) for name in _imports(node)]
    assert not [name for name in imported if name.split(".")[0] in HEAVY]


def test_reading_workload_folders_needs_only_a_yaml_reader() -> None:
    """The calendar's side of a workload loads neither the engine nor Airflow."""
    code = "import sys, trendmill.workload_folders; print(*[m for m in sys.modules if '.' not in m])"
    ended = subprocess.run([sys.executable, "-c", code], cwd=DAGS, capture_output=True, text=True, check=True)
    assert not set(ended.stdout.split()) & {*HEAVY, "airflow"}


def _imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [name.name for name in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module else []


def _utc(*parts: int) -> Any:
    import pendulum

    return pendulum.instance(datetime(*parts, tzinfo=UTC))


def _rendered(bag: Any, dag_id: str, context: dict[str, Any]) -> list[str]:
    """The distinct days that the tasks of a night are given, templates rendered."""
    from jinja2 import Template

    days = set()
    for task in bag.dags[dag_id].tasks:
        arguments = list(getattr(task, "application_args", None) or task.arguments)
        days |= {Template(arguments[arguments.index(word) + 1]).render(**context) for word in ("--from", "--to")}
    return sorted(days)
