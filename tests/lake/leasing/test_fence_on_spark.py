"""What Delta in Spark does with the numbers of a fence: a run that lost its lease commits nothing any more."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from jobs.exits import LeaseLost, RunError
from jobs.lake.leasing.fence import VERSIONS, Fence, fencing, newest
from jobs.lake.leasing.keeping import kept
from jobs.lake.leasing.lease import give_back, lease_file, take
from jobs.lake.register import register
from jobs.lake.tables.creating import create
from jobs.lake.tables.result_tables import result_table
from jobs.lake.write import append
from tests.lake.leasing.fenced_writes import COLUMNS, DAY, abandoned, numbers, overwrite


@pytest.fixture
def lake(spark: Any, tmp_path: Path) -> Iterator[Path]:
    """A lake with the tables `answers` and `runs`, whose lease is free."""
    spark.sql("DROP DATABASE IF EXISTS fenced CASCADE")
    path = lease_file(tmp_path, "fenced")
    with kept(path, take(path, "made", "made")):
        tables = [result_table(name, "Which?", COLUMNS, unit="s") for name in ("answers", "runs")]
        create("fenced", tables, tmp_path)
    register(spark, "fenced", tmp_path)
    give_back(path, "made")
    yield tmp_path
    spark.sql("DROP DATABASE IF EXISTS fenced CASCADE")


def frame(spark: Any, n: int) -> Any:
    return spark.createDataFrame([(DAY, "r", n)], "day DATE, run_id STRING, n BIGINT")


def slow(spark: Any, n: int, begun: Path, go_on: Path) -> Any:
    """A frame whose only task waits for a file, after the write's transaction has begun."""

    def wait(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import time

        begun.touch()
        while not go_on.exists():
            time.sleep(0.02)
        yield from batches

    return frame(spark, n).coalesce(1).mapInArrow(wait, "day DATE, run_id STRING, n BIGINT")


@pytest.mark.spark
@pytest.mark.parametrize(("table", "write"), [("fenced.answers", overwrite), ("fenced.runs", append)])
def test_a_write_that_was_paused_while_it_worked_is_refused(
    spark: Any, lake: Path, tmp_path: Path, table: str, write: Callable[[Any, str], None]
) -> None:
    """A is stopped in its Spark job, B takes the lake over and writes, A goes on: its commit fails, B's rows stay."""
    path, begun, go_on = lease_file(lake, "fenced"), tmp_path / "begun", tmp_path / "go_on"
    first, errors = abandoned(path, "first"), []

    def paused() -> None:
        try:
            with fencing(first):
                write(slow(spark, 1, begun, go_on), table)
        except RunError as error:
            errors.append(error)

    writer = threading.Thread(target=paused)
    writer.start()
    while not begun.exists():
        assert writer.is_alive(), errors
    messages: list[str] = []
    with kept(path, take(path, "second", "the second run"), tell=messages.append):
        overwrite(frame(spark, 2), "fenced.answers")
        append(frame(spark, 2), "fenced.runs")
        go_on.touch()
        writer.join()
        [error] = errors
        assert isinstance(error, LeaseLost)
        assert "the second run took the lake over" in str(error)
        assert type(error.__cause__).__name__ == "ConcurrentTransactionException"
    assert messages == ["an earlier run may not have ended its writes: 2 tables now refuse them"]
    assert [row.n for row in spark.table("fenced.answers").collect()] == [2]
    assert [row.n for row in spark.table("fenced.runs").collect()] == [2]


@pytest.mark.spark
def test_a_write_that_was_paused_before_it_began_is_refused(spark: Any, lake: Path) -> None:
    """Delta skips it in silence, as something done already; the look into the log notices. B may have ended by then,
    and a table of B's that A has never seen is no exception."""
    from pyspark.sql import functions as sf

    path = lease_file(lake, "fenced")
    first = abandoned(path, "first")
    before = newest(lake / "fenced" / "answers" / "_delta_log")

    def takeover(options: Mapping[str, str]) -> None:
        with kept(path, take(path, "second", "the second run")):
            pass
        give_back(path, "second")
        assert newest(lake / "fenced" / "answers" / "_delta_log") == before + 1
        frame(spark, 1).writeTo("fenced.answers").options(**options).overwrite(sf.col("day") == sf.lit(DAY))

    with pytest.raises(LeaseLost, match="another run, which has ended, took the lake over"):
        first.commit("fenced.answers", takeover)
    assert spark.table("fenced.answers").count() == 0
    assert newest(lake / "fenced" / "answers" / "_delta_log") == before + 1
    with fencing(first), pytest.raises(LeaseLost):
        create("fenced", [result_table("late", "Which?", COLUMNS, unit="s")], lake)
    assert not (lake / "fenced" / "late").exists()


@pytest.mark.spark
def test_every_commit_carries_a_number_and_a_quiet_handover_costs_none(spark: Any, lake: Path) -> None:
    """Numbers grow with each commit and each run; a run that said that its writes ended needs no fence; tasks of one
    run, which share the token, may write one table at once."""
    path, log = lease_file(lake, "fenced"), lake / "fenced" / "answers" / "_delta_log"
    tokens = []
    for run_id in ("first", "second"):
        lease = take(path, run_id, run_id)
        tokens.append(lease.token)
        with kept(path, lease):
            overwrite(frame(spark, 1), "fenced.answers")
            overwrite(frame(spark, 2), "fenced.answers")
        give_back(path, run_id)
    assert [divmod(number, VERSIONS) for number in numbers(log)] == [
        (tokens[0], 1),
        (tokens[0], 2),
        (tokens[1], 3),
        (tokens[1], 4),
    ]
    sibling = Fence(path, take(path, "third", "one task"))
    later_fence = Fence(path, take(path, "third", "another task"))
    assert sibling.lease.token == later_fence.lease.token
    assert not later_fence.lease.contested
    done = []

    def meet(options: Mapping[str, str]) -> None:
        if not done:
            done.append(True)
            later_fence.commit(
                "fenced.answers", lambda own: frame(spark, 8).writeTo("fenced.answers").options(**own).append()
            )
        frame(spark, 9).writeTo("fenced.answers").options(**options).append()

    sibling.commit("fenced.answers", meet)
    assert sorted(row.n for row in spark.table("fenced.answers").collect()) == [2, 8, 9]


@pytest.mark.spark
def test_without_a_lease_nothing_is_written(spark: Any, lake: Path) -> None:
    """Whoever forgets to take it is told, not trusted."""
    with pytest.raises(RunError, match="holds no lease"):
        overwrite(frame(spark, 1), "fenced.answers")
    assert not spark.table("fenced.answers").collect()
