"""What only Spark knows: it is told by `check --deep`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jobs.analysis.folder import check_folder
from jobs.analysis.on_spark import problems_of_gate, problems_on_spark
from jobs.workload.declaration import Workload
from tests.workload.machines_folder import FILES, write_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]


def changed(folder: Path, file: str, old: str, new: str) -> Workload:
    """The small workload with another text; nothing is wrong as far as can be told without Spark."""
    write_folder(folder)
    assert old in FILES[file]
    (folder / file).write_text(FILES[file].replace(old, new))
    return check_folder(folder).workload


@pytest.mark.spark
@pytest.mark.parametrize(
    ("file", "old", "new", "problem_text"),
    [
        ("events.sql", "moment AS ts", "unix_secnds(moment) AS ts", "events.sql: "),
        ("events.sql", "moment AS ts", "max(moment) AS ts", "events.sql: "),
        ("events.sql", "machine, load", "machine, array(load) AS load", "events.sql: "),
        ("expectations.yaml", "load >= 0", "size(load) > 1", "expectations.yaml: row rule 'load_known': "),
        ("expectations.yaml", "load >= 0", "max(load) > 1", "expectations.yaml: row rule 'load_known': "),
        ("expectations.yaml", "GROUP BY d.day", "GROUP BY d.day HAVING nosuch(1)", "expectations.yaml: gate rule "),
    ],
)
def test_what_only_spark_knows_is_told(
    spark: SparkSession, tmp_path: Path, file: str, old: str, new: str, problem_text: str
) -> None:
    """Functions, aggregates and types; one problem each, on one line."""
    workload = changed(tmp_path / "machines", file, old, new)
    [problem] = problems_on_spark(spark, workload)
    assert problem.startswith(problem_text)
    assert "\n" not in problem


@pytest.mark.spark
def test_the_sample_and_the_small_workload_are_right_for_spark_too(spark: SparkSession, tmp_path: Path) -> None:
    """What is right without Spark is right with it."""
    for folder in (ROOT / "workloads" / "nyc_flights", write_folder(tmp_path / "machines")):
        assert list(problems_on_spark(spark, check_folder(folder).workload)) == []


def test_the_gates_library_tells_what_its_schemas_do_not(tmp_path: Path) -> None:
    """A condition in a language that it does not know."""
    old, new = (
        "{column: load, max_value: 1000}",
        "{column: load, max_value: 1, row_condition: a, condition_parser: nosuch}",
    )
    workload = changed(tmp_path / "machines", "expectations.yaml", old, new)
    [problem] = problems_of_gate(workload)
    assert "gate rule 'load_plausible' cannot be judged" in problem
