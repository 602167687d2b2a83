"""An Arrow table is written without Spark under the rules of Spark's writer, and under the fence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError, DeltaError

from jobs.exits import LeaseLost
from jobs.lake import arrow_write
from jobs.lake.conditions import EVERY_ROW, equal, one_of
from jobs.lake.definition import DAY, RUN, Column, Table
from jobs.lake.leasing.fence import VERSIONS, Fence, fencing, newest
from jobs.lake.leasing.keeping import kept
from jobs.lake.leasing.lease import give_back, lease_file, take
from jobs.lake.tables.creating import make
from jobs.lake.write import append, replace
from tests.lake.leasing.fenced_writes import abandoned, numbers
from tests.leases import leased

D1, D2 = date(2024, 1, 1), date(2024, 1, 2)
COLUMNS = (DAY, RUN, Column("text", "STRING", "Any text"), Column("n", "BIGINT", "A number", nullable=False))
ANSWERS = Table("answers", "Which?", COLUMNS, checks={"counts": "n >= 0"})
RUNS = Table("runs", "Which?", COLUMNS, partitioned_by=())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of a workload with two tables."""
    for table in (ANSWERS, RUNS):
        make(table, tmp_path / "w" / table.name)
    return tmp_path / "w"


@pytest.fixture
def lake(home: Path) -> Iterator[Path]:
    """The same, while the lease is held."""
    with leased(home.parent, "w"):
        yield home


def rows(*values: tuple[date, int], text: str | None = None) -> pa.Table:
    """Rows in another order of columns and in a narrower type than the table's."""
    return pa.table(
        {
            "n": pa.array([n for _, n in values], pa.int32()),
            "day": pa.array([day for day, _ in values], pa.date32()),
            "run_id": pa.array(["r"] * len(values), pa.string()),
            "text": pa.array([text] * len(values), pa.string()),
        }
    )


def present(home: Path, table: str = "answers") -> list[tuple[date, int]]:
    stored = DeltaTable(home / table).to_pyarrow_table().to_pylist()
    return sorted((row["day"], row["n"]) for row in stored)


def test_replacing_a_range_is_idempotent_and_leaves_the_rest(lake: Path) -> None:
    """Twice is once; no rows clear the range, a table without chunks too."""
    replace(rows((D1, 1), (D2, 2)), "w.answers", one_of("day", (D1, D2)))
    for _ in range(2):
        replace(rows((D1, 3), (D1, 4)), "`w`.`answers`", equal("day", D1))
        assert present(lake) == [(D1, 3), (D1, 4), (D2, 2)]
    replace(rows((D1, 5)), "w.answers", f"{equal('day', D1)} AND {equal('n', 3)} OR {equal('n', 5)}")
    assert present(lake) == [(D1, 4), (D1, 5), (D2, 2)]
    nothing = pa.Table.from_batches([], rows().schema)
    replace(nothing, "w.answers", equal("day", D1))
    assert present(lake) == [(D2, 2)]
    replace(rows((D1, 1)), "w.answers", EVERY_ROW)
    assert present(lake) == [(D1, 1)]
    for _ in range(2):
        append(rows((D1, 1)), "w.runs")
    assert present(lake, "runs") == [(D1, 1), (D1, 1)]
    with pytest.raises(ValueError, match="only `runs`"):
        append(rows((D1, 1)), "w.answers")


@pytest.mark.parametrize(
    ("wrong", "error", "reason"),
    [
        (rows((D2, 9)), DeltaError, "failed validation"),
        (rows((D1, -1)), DeltaError, "failed validation"),
        (rows((D1, 9)).drop_columns("n"), ValueError, r"answers: columns missing \['n'\], columns too many \[\]"),
        (rows((D1, 9)).append_column("m", pa.array([1])), ValueError, r"columns too many \['m'\]"),
        (rows((D1, 9)).set_column(0, "n", pa.array([None], pa.int64())), ValueError, "null"),
        (rows((D1, 9)).set_column(0, "n", pa.array([0.5])), pa.ArrowInvalid, "truncated"),
    ],
    ids=["outside the range", "CHECK", "missing", "too many", "NOT NULL", "type"],
)
def test_a_wrong_row_is_refused_and_nothing_changes(
    lake: Path, wrong: pa.Table, error: type[Exception], reason: str
) -> None:
    """The whole write is refused; the fence knows that nothing is at work any more."""
    replace(rows((D1, 1)), "w.answers", equal("day", D1))
    version = newest(lake / "answers" / "_delta_log")
    with pytest.raises(error, match=reason):
        replace(wrong, "w.answers", equal("day", D1))
    assert present(lake) == [(D1, 1)]
    assert newest(lake / "answers" / "_delta_log") == version


@pytest.mark.parametrize("text", ["it's", "a\\b", "\\", 'say "x"', "`", "100 %", "", "é", "line\nbreak"])
def test_conditions_hold_for_any_text(lake: Path, text: str) -> None:
    """Quotes and backslashes are characters like any other."""
    replace(rows((D1, 1), text=text), "w.answers", EVERY_ROW)
    replace(rows((D2, 2), text="else"), "w.answers", equal("day", D2))
    replace(rows((D2, 3), text=text), "w.answers", one_of("text", [text, "absent"]))
    assert present(lake) == [(D2, 2), (D2, 3)]


def test_a_write_that_met_a_takeover_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A opens the table, B takes the lake over and writes, A goes on: its commit fails, B's rows stay."""
    path = lease_file(home.parent, "w")
    first = abandoned(path, "first")

    def takeover() -> None:
        with kept(path, take(path, "second", "the second run"), tell=lambda _: None):
            replace(rows((D1, 2)), "w.answers", equal("day", D1))

    between(monkeypatch, takeover)
    with fencing(first), pytest.raises(LeaseLost, match="the second run took the lake over") as refused:
        replace(rows((D1, 1)), "w.answers", equal("day", D1))
    assert isinstance(refused.value.__cause__, CommitFailedError)
    assert present(home) == [(D1, 2)]
    assert first.settled


def test_a_write_that_begins_after_a_takeover_is_refused(home: Path) -> None:
    """Its number is not above the table's: it is skipped, and the look into the log notices."""
    path = lease_file(home.parent, "w")
    first = abandoned(path, "first")

    def late(options: Mapping[str, str]) -> None:
        with kept(path, take(path, "second", "the second run"), tell=lambda _: None):
            pass
        give_back(path, "second")
        arrow_write.commit_rows(home / "answers", rows((D1, 1)), EVERY_ROW, options)

    with pytest.raises(LeaseLost, match="another run, which has ended, took the lake over"):
        first.commit("w.answers", late)
    assert present(home) == []


def test_tasks_of_one_run_may_write_one_table_at_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They share the token; the one that comes second tries again. Every commit has its number."""
    path = lease_file(home.parent, "w")
    first_fence, another = (Fence(path, take(path, "run", name)) for name in ("one task", "another task"))

    def meet() -> None:
        with fencing(another):
            append(rows((D1, 1)), "w.runs")

    between(monkeypatch, meet)
    with fencing(first_fence):
        append(rows((D1, 2)), "w.runs")
    assert present(home, "runs") == [(D1, 1), (D1, 2)]
    assert [divmod(number, VERSIONS) for number in numbers(home / "runs" / "_delta_log")] == [
        (first_fence.lease.token, 1),
        (first_fence.lease.token, 2),
    ]


def between(monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], None]) -> None:
    """Let something happen once, after the next write has opened its table and before it commits."""
    commit, todo = arrow_write.write_deltalake, [meanwhile]

    def interrupted(*arguments: Any, **options: Any) -> None:
        while todo:
            todo.pop()()
        commit(*arguments, **options)

    monkeypatch.setattr(arrow_write, "write_deltalake", interrupted)


def test_the_present_moment_has_a_number_that_fits() -> None:
    """Fencing numbers are 64 bits wide for delta-rs as for Spark."""
    token = int((datetime.now(UTC) + timedelta(days=365 * 50)).timestamp() * 1000)
    assert token * VERSIONS < 1 << 63
