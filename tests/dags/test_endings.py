"""What becomes of a DAG run when its programs end well, refuse or fail: real Airflow, a spark-submit of our own."""

from __future__ import annotations

import doctest
import stat
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.airflow

GATE = "trendmill: quality gate failed on 1 day(s), which keep their former tables: 2013-03-08: rate of Departure"

DAY = "2013-03-08"


@pytest.fixture
def spark_submit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `spark-submit` first on PATH that notes its arguments; a task named in `codes` ends with that code.

    But the submission whose number `free_at` holds ends well.
    """
    program = tmp_path / "bin" / "spark-submit"
    program.parent.mkdir()
    program.write_text(
        f"""#!/bin/bash
task=$(sed -E 's/.*--task ([a-z]+).*/\\1/' <<< "$*")
days=$(sed -E 's/.*--from ([0-9-]+) --to ([0-9-]+).*/\\1..\\2/' <<< "$*")
echo "$task $days" >> {tmp_path}/submitted
cp "$(sed -E 's/.*--properties-file ([^ ]+).*/\\1/' <<< "$*")" {tmp_path}/$task.conf
echo "10:00:00 {{stage}} 1.0 s"
code=$(sed -n "s/^$task //p" {tmp_path}/codes 2>/dev/null)
[ -z "$code" ] || echo "{GATE}"
[ "$(wc -l < {tmp_path}/submitted)" != "$(cat {tmp_path}/free_at 2>/dev/null)" ] || code=
echo "Shutdown hook called"
exit ${{code:-0}}
"""
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    return tmp_path


def run(bag: Any, dag_id: str, **options: Any) -> dict[str, str]:
    """Run a DAG in this process, without retries and without publishing; returns the state of every task."""
    import pendulum

    dag = bag.dags[dag_id]
    moment = pendulum.datetime(2013, 3, 9, 8)
    with pytest.MonkeyPatch.context() as patch:
        for task in dag.tasks:
            if not task.is_mapped:
                patch.setattr(task, "retries", 0)
        done = dag.test(logical_date=moment, mark_success_pattern=r"(chunk\.)?publish", **options)
    return {f"{instance.task_id}[{instance.map_index}]": str(instance.state) for instance in done.get_task_instances()}


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark's settings are chosen, so that no task starts a program to choose them."""
    monkeypatch.setenv("TRENDMILL_SPARK_SETTINGS", "chosen")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python that notes the arguments of tasks that are started without spark-submit, and ends as `codes` says."""
    program = tmp_path / "python"
    program.write_text(
        f"""#!/bin/bash
[ "$2" = jobs.spark_task ] || exec {sys.executable} "$@"
echo "$*" >> {tmp_path}/started
code=$(sed -n "s/^$4 //p" {tmp_path}/codes 2>/dev/null)
[ -z "$code" ] || echo "{GATE}"
exit ${{code:-0}}
"""
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sys, "executable", str(program))
    return tmp_path


def test_a_night_submits_the_operating_day(bag: Any, spark_submit: Path, programs: Path) -> None:
    """Three tasks, each told the day in which the data interval begins. With so little input only `load` needs Spark,
    with the settings for that; the others are programs without a JVM.

    spark-submit fixes heap and compilers before any code of ours runs, so they are chosen before it.
    """
    states = run(bag, "nightly_small")
    assert set(states.values()) == {"success"}
    assert (spark_submit / "submitted").read_text().splitlines() == ["load 2013-03-08..2013-03-08"]
    small = (spark_submit / "load.conf").read_text()
    assert "wholeStage false" in small
    assert "TieredStopAtLevel=1" in small
    started = [
        line.partition(" --run-id nightly_small/")[0] for line in (programs / "started").read_text().splitlines()
    ]
    days = "--workload small --from 2013-03-08 --to 2013-03-08"
    assert started == [f"-m jobs.spark_task --task {task} {days}" for task in ("slice", "evaluate")]


@pytest.mark.usefixtures("spark_submit")
def test_a_task_without_spark_has_the_last_word(bag: Any, programs: Path) -> None:
    """Its exit codes mean what they mean under spark-submit."""
    (programs / "codes").write_text("slice 3\n")
    task = bag.dags["nightly_small"].get_task("slice").prepare_for_execution()
    task.application_args = [DAY if "{{ data_interval" in text else text for text in task.application_args]
    with pytest.raises(Exception, match=r"exit code 3: .*rate of Departure$") as caught:
        task.execute({})
    assert type(caught.value).__name__ == "AirflowFailException"


def test_a_file_of_settings_comes_before_what_is_chosen(
    bag: Any, spark_submit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TRENDMILL_SPARK_SETTINGS names a file: a cluster's, or somebody's own."""
    own = tmp_path / "own.conf"
    own.write_text("spark.master local[1]\n")
    monkeypatch.setenv("TRENDMILL_SPARK_SETTINGS", str(own))
    task = bag.dags["nightly_small"].get_task("load").prepare_for_execution()
    task.properties_file = str(own)
    task.application_args = [DAY if "{{ data_interval" in text else text for text in task.application_args]
    task.execute({})
    assert (spark_submit / "load.conf").read_text() == own.read_text()


@pytest.mark.usefixtures("settled")
def test_a_refused_day_fails_for_good_and_stops_what_follows(bag: Any, spark_submit: Path) -> None:
    """Exit code 3: no retry, downstream `upstream_failed`."""
    (spark_submit / "codes").write_text("load 3\n")
    states = run(bag, "nightly_small")
    assert states["load[-1]"] == "failed"
    assert {states[f"{task}[-1]"] for task in ("slice", "evaluate", "publish")} == {"upstream_failed"}


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize(
    ("code", "kind"), [(1, "AirflowException"), (2, "AirflowFailException"), (3, "AirflowFailException")]
)
def test_the_program_has_the_last_word(bag: Any, spark_submit: Path, code: int, kind: str) -> None:
    """2 and 3 are final, 1 may be tried again; the message is what the program said, not Spark's farewell."""
    (spark_submit / "codes").write_text(f"load {code}\n")
    task = bag.dags["nightly_small"].get_task("load").prepare_for_execution()
    task.application_args = [DAY if "{{ data_interval" in text else text for text in task.application_args]
    with pytest.raises(Exception, match="quality gate failed on 1 day") as caught:
        task.execute({})
    assert type(caught.value).__name__ == kind
    assert str(caught.value).endswith("rate of Departure")


@pytest.mark.usefixtures("settled")
def test_a_task_waits_for_a_lake_in_use_without_using_up_a_retry(
    bag: Any, spark_submit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 5: the task looks again later, and goes on when the lake is free."""
    import trendmill.operators

    monkeypatch.setattr(trendmill.operators, "LOOK_AGAIN", timedelta(seconds=0))
    (spark_submit / "codes").write_text("load 5\n")
    (spark_submit / "free_at").write_text("3")
    assert set(run(bag, "nightly_small").values()) == {"success"}
    tasks = [line.split()[0] for line in (spark_submit / "submitted").read_text().splitlines()]
    assert tasks == ["load"] * 3 + ["slice", "evaluate"]


def test_a_backfill_runs_its_chunks(bag: Any, spark_submit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four days in chunks of three: each chunk passes through the same tasks, its days in one go.

    Here the input is said to be large, and each task starts with the settings for that.
    """
    monkeypatch.setenv("TRENDMILL_SCALE", "large")
    conf = {"from": "2013-03-05", "to": "2013-03-08", "chunk": 3, "reason": "a corrected file"}
    states = run(bag, "backfill_small", run_conf=conf)
    assert set(states.values()) == {"success"}
    chunks = ["2013-03-05..2013-03-07", "2013-03-08..2013-03-08"]
    submitted = (spark_submit / "submitted").read_text().splitlines()
    assert sorted(submitted) == sorted(f"{task} {days}" for task in _ORDER for days in chunks)
    large = [(spark_submit / f"{task}.conf").read_text() for task in _ORDER]
    assert all("wholeStage true" in text and "TieredStopAtLevel" not in text for text in large)


@pytest.mark.usefixtures("settled")
def test_an_evaluation_measures_then_publishes(bag: Any, spark_submit: Path) -> None:
    """One application; where it fails, nothing is published."""
    states = run(bag, "evaluation_small")
    assert set(states.values()) == {"success"}
    [submitted] = (spark_submit / "submitted").read_text().splitlines()
    assert submitted.startswith("experiment 2013-")
    (spark_submit / "codes").write_text("experiment 2\n")
    states = run(bag, "evaluation_small")
    assert states == {"experiment[-1]": "failed", "publish[-1]": "upstream_failed"}


def test_a_command_tells_why_it_failed(bag: Any) -> None:
    """A program of the project that refuses a workload fails its task for good with what it says."""
    from trendmill.operators import Command

    task = Command(task_id="check", module="jobs.cli", arguments=["check", "broken"])
    with pytest.raises(Exception, match="exit code 2") as caught:
        task.execute({})
    assert type(caught.value).__name__ == "AirflowFailException"


def test_the_examples_in_the_docstrings_hold(bag: Any) -> None:
    """DAG files are not collected as tests, so their doctests are run here."""
    import backfill
    import trendmill.operators

    for module in (backfill, trendmill.operators):
        assert doctest.testmod(module).failed == 0


_ORDER = ("load", "slice", "evaluate")
