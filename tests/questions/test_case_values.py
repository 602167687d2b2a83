"""Properties of cases: what is written is read as the same, pairs are as many as can be, shrunk parts are smallest."""

from __future__ import annotations

from datetime import date
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from jobs.questions.cases.case_text import case_text, written
from jobs.questions.cases.expected import ExpectedRow, ExpectedValue
from jobs.questions.cases.row_pairs import nearest_pairs, paired
from jobs.questions.cases.shrinking import shrunk
from jobs.questions.cases.written_rows import read_rows
from jobs.questions.cases.written_values import CaseClock
from jobs.questions.result_columns import ColumnKind
from jobs.workload.files.problems import Problems
from jobs.workload.files.yaml_file import read_yaml
from jobs.workload.operating_days import UNITS

CLOCKS = st.builds(
    CaseClock,
    st.sampled_from(sorted(UNITS)),
    st.sampled_from(["UTC", "America/New_York", "Asia/Kolkata", "Pacific/Chatham"]),
    st.dates(date(1900, 1, 1), date(2200, 1, 1)),
)
TEXTS = (
    st.none() | st.text(max_size=8) | st.sampled_from(["10:00", "null", "~", "#", " a ", 'a"b', "1,2", "-", "{", "yes"])
)


@given(CLOCKS, st.integers(-(10**11), 10**11), st.integers(0, 10**9))
def test_a_moment_is_read_as_it_is_written(clock: CaseClock, seconds: int, rest: int) -> None:
    """In every unit and zone, also in hours that come twice."""
    moment = seconds * UNITS[clock.unit] + rest % UNITS[clock.unit]
    moment = max(min(moment, 2**61), -(2**61))
    assert clock.moment(clock.written(moment)) == moment


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=2), min_size=1, max_size=4), TEXTS)
def test_rows_are_read_as_they_are_written(tmp_path_factory, rows: list[list[str | None]], same: str | None) -> None:
    """Commas, quotes, blanks, lines, and texts that YAML takes for something else."""
    rows = [[None if text is not None and "\x00" in text else text for text in row] for row in rows]
    table = [dict(zip(("type", "x"), row, strict=True)) for row in rows]
    text = case_text("a case", CaseClock("s", "UTC", date(2013, 3, 8)), {"y": same or "z"}, table, {"rows": table})
    path = tmp_path_factory.getbasetemp() / "read_as_written.yaml"
    path.write_text(text, encoding="utf-8")
    problems = Problems()
    [case] = read_yaml(problems, path, as_written=True)
    for key in ("given", "expect"):
        read = read_rows(problems, f"{path.name}: [0].{key}", case[key])
        assert [{name: value.text for name, value in row.values.items()} for row in read] == table, text
    assert case["same"] == {"y": same or "z"}
    assert problems.noted == []


@given(st.lists(st.integers(0, 3), max_size=4), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), max_size=4))
def test_pairs_are_as_many_as_can_be(wanted: list[int], rows: list[tuple[int, int]]) -> None:
    """Against all ways to pair. An even number agrees with any row of its first column, an odd one with one value."""
    expected = [
        ExpectedRow(
            {"x": ExpectedValue(ColumnKind.WHOLE, each)} if each % 2 else {"y": ExpectedValue(ColumnKind.WHOLE, 0)}
        )
        for each in wanted
    ]
    rows_seen = [{"x": x, "y": y} for x, y in rows]
    pairs = paired(expected, rows_seen)
    assert len(set(pairs.values())) == len(pairs)
    assert all(expected[number].agrees(rows_seen[place]) for number, place in pairs.items())
    padded = [*range(len(rows_seen)), *[None] * len(expected)]
    best = max(
        sum(place is not None and wanted.agrees(rows_seen[place]) for wanted, place in zip(expected, way, strict=True))
        for way in permutations(padded, len(expected))
    )
    assert len(pairs) == best
    near = nearest_pairs(expected, rows_seen)
    assert sum(wanted is not None for wanted, _ in near) == len(expected)
    assert sum(row is not None for _, row in near) == len(rows_seen)


@given(st.sets(st.integers(0, 30), min_size=1, max_size=5), st.integers(31, 60))
def test_nothing_that_is_left_can_go(needed: set[int], many: int) -> None:
    """Whatever the needed items are."""
    assert shrunk(range(many), lambda some: needed <= set(some)) == sorted(needed)


def test_values_are_written_as_they_are_read() -> None:
    """An infinite or absent number has no text of its own."""
    assert [written(value) for value in (1, 2.5, "x", [3, 4], None)] == ["1", "2.5", "x", "3 4", None]
