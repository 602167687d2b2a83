"""A run that lost its lease commits nothing any more, wherever it was paused; the next run's tables stay.

Without Spark: a program that the operating system stops, and every order of events, with a log that does what Delta
does with the numbers.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from delta.exceptions import ConcurrentTransactionException
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.exits import RunError
from jobs.lake import arrow_write
from jobs.lake.leasing import fence as fence_module
from jobs.lake.leasing.fence import APPLICATION, VERSIONS, Fence, fence_table, newest
from jobs.lake.leasing.keeping import kept
from jobs.lake.leasing.lease import fenced, give_back, lease_file, take
from jobs.lake.tables.creating import make
from jobs.lake.tables.result_tables import result_table
from tests.lake.leasing.fenced_writes import COLUMNS, LONG_AGO, held, numbers, overwrite


def test_a_stopped_program_is_refused_when_it_goes_on(tmp_path: Path) -> None:
    """As the operating system does it: SIGSTOP within the write, an hour passes, SIGCONT.

    The rows are in Arrow. What Delta in Spark does after a pause is shown in `test_fence_on_spark.py`.
    """
    lake = tmp_path / "lake"
    make(result_table("answers", "Which?", COLUMNS, unit="s"), lake / "fenced" / "answers")
    root, begun, go_on = Path(__file__).parents[3], tmp_path / "begun", tmp_path / "go_on"
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.lake.leasing.paused_writer", str(lake), str(begun), str(go_on)],
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
