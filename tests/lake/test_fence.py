"""A run that lost its lease commits nothing any more, wherever it was paused; the next run's tables stay."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from delta.exceptions import ConcurrentTransactionException
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.exits import LeaseLost, RunError
from jobs.lake import arrow_write
from jobs.lake.conditions import equal
from jobs.lake.leasing import fence as fence_module
from jobs.lake.leasing.fence import APPLICATION, VERSIONS, Fence, fence_table, fencing, newest
from jobs.lake.leasing.keeping import kept
from jobs.lake.leasing.lease import fenced, give_back, lease_file, take
from jobs.lake.register import register
from jobs.lake.tables.creating import create, make
from jobs.lake.tables.result_tables import result_table
from jobs.lake.write import append, replace

LONG_AGO = datetime.now(UTC) - timedelta(hours=1)
DAY = date(2024, 1, 1)
COLUMNS = pa.schema([pa.field("n", pa.int64())])


def abandoned(path: Path, run_id: str) -> Fence:
    """The fence of a run that took the lease an hour ago and was paused since; its own clock has not noticed yet."""
    fence = Fence(path, take(path, run_id, run_id, now=LONG_AGO))
    fence.expires = datetime.now(UTC) + timedelta(hours=1)
    return fence


# With Spark: what Delta does with the numbers.


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


def overwrite(df: Any, table: str) -> None:
    replace(df, table, equal("day", DAY))


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


# Without Spark: a program that the operating system stops.


def held(n: int) -> pa.Table:
    return pa.table({"day": [DAY], "run_id": ["r"], "n": [n]})


def test_a_stopped_program_is_refused_when_it_goes_on(tmp_path: Path) -> None:
    """As the operating system does it: SIGSTOP within the write, an hour passes, SIGCONT.

    The rows are in Arrow. What Delta in Spark does after a pause is shown above.
    """
    lake = tmp_path / "lake"
    make(result_table("answers", "Which?", COLUMNS, unit="s"), lake / "fenced" / "answers")
    root, begun, go_on = Path(__file__).parents[2], tmp_path / "begun", tmp_path / "go_on"
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.lake.paused_writer", str(lake), str(begun), str(go_on)],
        env={**os.environ, "PYTHONPATH": str(root)},
        cwd=root,
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while not begun.exists():
            assert program.poll() is None, program.communicate()[1]
        os.killpg(program.pid, signal.SIGSTOP)
        path = lease_file(lake, "fenced")
        content = json.loads(path.read_text())
        content["lease"]["expires"] = LONG_AGO.isoformat()
        path.write_text(json.dumps(content))
        with kept(path, take(path, "second", "the second run")):
            overwrite(held(2), "fenced.answers")
            go_on.touch()
            os.killpg(program.pid, signal.SIGCONT)
            last_line = program.communicate()[1].splitlines()[-1]
    finally:
        if program.poll() is None:
            os.killpg(program.pid, signal.SIGKILL)
    assert program.returncode == 1
    assert last_line.startswith("trendmill: the lake's lease is lost: the second run took the lake over")
    assert DeltaTable(lake / "fenced" / "answers").to_pyarrow_table()["n"].to_pylist() == [2]


# Without Spark: every order of events, with a log that does what Delta does with the numbers.


def numbers(log: Path) -> list[int]:
    """The fencing numbers in a table's log, in the order of its versions."""
    actions = [json.loads(line) for file in sorted(log.glob("*.json")) for line in file.read_text().splitlines()]
    return [action["txn"]["version"] for action in actions if "txn" in action]


class Delta:
    """A table's log, written as Delta writes it: skipped if the number is not newer, refused if one came meanwhile."""

    def __init__(self, folder: Path) -> None:
        write_deltalake(folder, pa.table({"n": pa.array([], pa.int64())}))
        self.log = folder / "_delta_log"

    def write(self, options: Mapping[str, str], meanwhile: Callable[[], None]) -> None:
        known = max(numbers(self.log), default=-1)
        if known >= int(options["txnVersion"]):
            return
        meanwhile()
        if max(numbers(self.log), default=-1) != known:
            raise ConcurrentTransactionException("another commit of the same application id")
        assert options["txnAppId"] == APPLICATION
        info = {"commitInfo": {"operation": "WRITE", "userMetadata": options["userMetadata"]}}
        txn = {"txn": {"appId": APPLICATION, "version": int(options["txnVersion"])}}
        with (self.log / f"{newest(self.log) + 1:020}.json").open("x") as file:
            file.write(f"{json.dumps(info)}\n{json.dumps(txn)}\n")


class DeltaRs(Delta):
    """A table's log, written by delta-rs."""

    def write(self, options: Mapping[str, str], meanwhile: Callable[[], None]) -> None:
        commit = arrow_write.write_deltalake

        def interrupted(*arguments: Any, **keywords: Any) -> None:
            meanwhile()
            commit(*arguments, **keywords)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arrow_write, "write_deltalake", interrupted)
            arrow_write.commit_rows(self.log.parent, pa.table({"n": pa.array([], pa.int64())}), None, options)


steps = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["take", "commit", "pause before", "pause within", "end", "vanish"])),
    max_size=14,
)


@pytest.mark.parametrize("kind", [Delta, DeltaRs])
@settings(max_examples=60)
@given(steps=steps)
def test_no_order_of_events_lets_an_earlier_run_commit_after_a_later_one(
    tmp_path_factory: pytest.TempPathFactory, kind: type[Delta], steps: list[tuple[int, str]]
) -> None:
    """Three runs take, write, pause, end and vanish in any order, nested where one is paused in its write: tokens in
    the log never go back, and whoever is told that a write succeeded finds it there."""
    lake = tmp_path_factory.mktemp("lake")
    table, path = kind(lake / "w" / "t"), lease_file(lake, "w")
    fences: dict[int, Fence] = {}
    moment, todo, succeeded = [datetime.now(UTC)], iter(steps), []
    refused: list[Exception] = []

    def step(run: int, what: str) -> None:
        moment[0] += timedelta(milliseconds=1)
        if what == "take":
            moment[0] += timedelta(days=1)  # whoever had the lake is taken for dead
            lease = take(path, f"r{run}", f"run {run}", now=moment[0])
            fences[run] = Fence(path, lease)
            fences[run].expires = datetime.max.replace(tzinfo=UTC)
            if lease.contested:
                fence_table(table.log, lease.token)
                fenced(path, lease)
        elif what == "vanish":
            path.unlink(missing_ok=True)
        elif run in fences and what == "end":
            give_back(path, f"r{run}")
        elif run in fences:
            commit(run, what)

    def commit(run: int, what: str) -> None:
        def write(options: Mapping[str, str]) -> None:
            if what == "pause before":
                run_others()
            table.write(options, run_others if what == "pause within" else lambda: None)

        try:
            fences[run].commit("w.t", write)
            succeeded.append(fences[run].lease.token)
        except (RunError, ConcurrentTransactionException, CommitFailedError) as error:
            refused.append(error)

    def run_others() -> None:
        for run, what in todo:
            step(run, what)

    for run, what in todo:
        step(run, what)
    tokens = [number // VERSIONS for number in numbers(table.log)]
    assert tokens == sorted(tokens)
    assert all(token in tokens for token in succeeded)
    assert len(tokens) >= len(succeeded)


def test_a_commit_that_was_paused_before_its_rename_cannot_land(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between Delta's look whether a version is there and its rename: either the rename comes before the fence has
    looked, and the fence is made again after it, or the temporary file is gone."""
    table = Delta(tmp_path / "w" / "t")
    late, never = (table.log / f".{1:020}.json.{name}.tmp" for name in ("late", "never"))
    content = '{"commitInfo":{"operation":"WRITE","userMetadata":"the paused one"}}\n'
    late.write_text(content)
    never.write_text(content)
    stamp, renamed = fence_module._stamp, []

    def stamp_then_rename(log: Path, token: int) -> int | None:
        number = stamp(log, token)
        if not renamed:
            renamed.append(os.rename(late, log / f"{1:020}.json"))
        return number

    monkeypatch.setattr(fence_module, "_stamp", stamp_then_rename)
    fence_table(table.log, 7)
    assert "the paused one" in (table.log / f"{1:020}.json").read_text()
    assert numbers(table.log) == [7 * VERSIONS + 2]
    assert DeltaTable(tmp_path / "w" / "t").version() == 2
    with pytest.raises(FileNotFoundError):
        os.rename(never, table.log / f"{3:020}.json")


def test_a_table_whose_log_cannot_be_read_is_named(tmp_path: Path) -> None:
    """A takeover stops there: it could not make that table refuse anything."""
    table = Delta(tmp_path / "w" / "_work" / "t")
    commit = table.log / f"{0:020}.json"
    commit.write_text(commit.read_text()[:-30])
    with pytest.raises(RunError, match=r"the log of .*/w/_work/t cannot be read: .*`trendmill verify w`"):
        fence_table(table.log, 7)
