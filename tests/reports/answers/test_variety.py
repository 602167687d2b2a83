"""Twenty nearly equal rows never fill a page: of many rows those are shown that differ, for every kind of question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.patterns.bind.binding import bind
from jobs.reports.answers import episodes, violations
from jobs.reports.answers.aggregations import aggregation
from jobs.reports.answers.aggregations.ranking import Ranking, rank
from jobs.reports.answers.aggregations.windows_apart import apart
from jobs.reports.answers.concentration import concentration
from jobs.reports.answers.listing import SHOWN
from jobs.reports.answers.variety.differing import differing
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import Magnitude

HOUR, INTERVAL = 3600, (0, 86_400)
THINGS = st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=5, unique=True), min_size=1, max_size=40)
WHO = LogSchema({"A": {"who": Attribute("who", AttributeType.STRING, title="airline")}})
GROUPED = bind("RETURN who, COUNT(*) PATTERN A+ GROUP-BY who WITHIN 12 hours SLIDE 1 hour", WHO)
UNGROUPED = bind("RETURN COUNT(*) PATTERN A+ WITHIN 12 hours SLIDE 1 hour", WHO)


def greedy(things: Sequence[Sequence[int]], leading: Sequence[int], at_most: int) -> list[int]:
    """The definition: after those leading always the first of those with the most that none before has."""
    chosen = list(leading[:at_most])
    while len(chosen) < at_most:
        seen = {part for number in chosen for part in things[number]}
        new = [len(set(parts) - seen) for parts in things]
        if not max(new):
            break
        chosen.append(new.index(max(new)))
    return chosen


@given(THINGS, st.integers(1, 25), st.data())
def test_things_that_differ(things: list[list[int]], at_most: int, data: st.DataObject) -> None:
    leading = data.draw(st.lists(st.integers(0, len(things) - 1), unique=True, max_size=3))
    held = np.array([part for thing in things for part in thing])
    lengths = np.array([len(thing) for thing in things])
    assert differing(held, lengths, leading, at_most) == greedy(things, leading, at_most)


def violated(moments: Sequence[int], machines: Sequence[str]) -> pa.Table:
    table = {"ts": moments, "offset": [0] * len(moments), "machine": machines, "hall": ["h"] * len(moments)}
    return pa.table(table)


def test_violations_of_a_page_are_of_all_whom_they_concern() -> None:
    """29 of one machine within an hour, then 3 of another, then one: each has a row, then each other hour."""
    rows = violated([*range(29), 5 * HOUR, 5 * HOUR + 1, 9 * HOUR, 10 * HOUR], [*"a" * 29, *"bbb", "c"])
    named = {"machine": "milling machine"}
    whose = concentration(rows, ["machine", "hall"], named)
    table = violations.listing(rows, Clock(), named, INTERVAL, whose)
    assert [cells[:2] for cells in table.cells] == [
        ["1 Jan 00:00", "a"],
        ["1 Jan 05:00", "b"],
        ["1 Jan 10:00", "c"],
        ["1 Jan 09:00", "b"],
    ]
    assert table.order == (
        "the first of each milling machine, then those with the most values and hours that none above has; "
        "the others have these values in these hours"
    )
    assert (table.total, [row[0] for row in table.rows]) == (33, rows["ts"].to_pylist())


def test_violations_without_values_are_the_first_of_each_hour() -> None:
    rows = violated([*range(0, 4 * HOUR, 600)], [""] * 24).select(["ts", "offset"])
    table = violations.listing(rows, Clock(), {}, INTERVAL)
    assert [cells[0] for cells in table.cells] == [f"1 Jan {hour:02}:00" for hour in range(4)]
    assert table.order == "the first of each hour; the others are in these hours"


def test_a_page_of_violations_is_full_where_there_is_enough_that_differs() -> None:
    """Everyone's first fills the page, and no more is said."""
    rows = violated([*range(60)], [f"m{number % 30:02}" for number in range(60)])
    table = violations.listing(rows, Clock(), {}, INTERVAL, concentration(rows, ["machine"], {}))
    assert (len(table.cells), table.order) == (SHOWN, "the first of each machine, for those with the most violations")
    few = violations.listing(rows.slice(0, SHOWN), Clock(), {}, INTERVAL, concentration(rows, ["machine"], {}))
    assert (len(few.cells), few.order) == (SHOWN, "first ones first")


def test_the_longest_episodes_are_not_all_of_one() -> None:
    """The longest of each machine, then of other hours."""
    lasting = [(600 * number, 3000 + number, "a") for number in range(22)] + [(7 * HOUR, 60, "b")]
    rows = [
        {"machine": machine, "first_ts": first, "first_offset": 0, "last_ts": first + length, "last_offset": 0}
        | {"points": 2, "touches_begin": False, "touches_end": False}
        for first, length, machine in lasting
    ]
    table = pa.Table.from_pylist(rows)
    whose = concentration(table, ["machine"], {})
    listing = episodes.listing(table, Clock(), {}, INTERVAL, whose)
    assert listing is not None
    assert [cells[:2] for cells in listing.cells] == [
        ["a", "1 Jan 03:30"],
        ["b", "1 Jan 07:00"],
        *(["a", f"1 Jan {time}"] for time in ("02:50", "01:50", "00:50")),
    ]
    assert len(listing.rows) == listing.total == 23
    assert listing.order.startswith("the longest of each machine, then those with the most values and hours that none")


RESULTS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 40), st.integers(1, 12)), max_size=60)


@given(RESULTS, st.integers(1, 8))
def test_windows_of_a_group_do_not_overlap_on_a_page(results: list[tuple[str, int, int]], at_most: int) -> None:
    """The first of each group leads; then come the first that overlap none of their group, as far as there are any."""
    table = pa.table({"window_start": [start for _, start, _ in results], "window_end": [s + n for _, s, n in results]})
    keys = [(group,) for group, _, _ in results]
    ranking = Ranking(table, [Magnitude.of(1)] * len(keys), keys, [""] * len(keys))
    chosen = apart(ranking, at_most)
    if len(keys) <= at_most:
        assert chosen == [*range(len(keys))]
        return
    firsts = [number for number, key in enumerate(keys) if key not in keys[:number]][:at_most]
    assert chosen[: len(firsts)] == firsts
    expected = list(firsts)
    for number in range(len(keys)):
        if len(expected) < at_most and not any(overlap(results[number], results[each]) for each in expected):
            expected.append(number)
    assert chosen == expected


def overlap(left: tuple[str, int, int], right: tuple[str, int, int]) -> bool:
    return left[0] == right[0] and left[1] < right[1] + right[2] and right[1] < left[1] + left[2]


def windows(results: Sequence[tuple[str, int, int]]) -> pa.Table:
    rows: list[dict[str, Any]] = [
        {"who": who, "window_start": HOUR * start, "window_end": HOUR * (start + 12), "count": count}
        for who, start, count in results
    ]
    return pa.Table.from_pylist(rows)


def test_results_of_a_page_are_of_every_group() -> None:
    """A group whose 30 sliding windows have the largest counts does not hide the others."""
    table = windows([("a", start, 100 - start) for start in range(30)] + [("b", 2, 7), ("c", 4, 3)])
    listing = aggregation.listing(GROUPED, rank(GROUPED, table), Clock())
    assert [cells[:2] for cells in listing.cells] == [["a", "100"], ["b", "7"], ["c", "3"], ["a", "88"], ["a", "76"]]
    assert listing.order == (
        "the largest COUNT(*) of each airline, then the largest in windows that overlap none above of the same; "
        "the windows of the others overlap these"
    )
    assert [row[-1] for row in listing.rows][:3] == [100, 99, 98]
    table = windows([("", start, 100 - start) for start in range(30)])
    listing = aggregation.listing(UNGROUPED, rank(UNGROUPED, table), Clock())
    assert [cells[0] for cells in listing.cells] == ["100", "88", "76"]
    assert listing.order.startswith("the largest COUNT(*), then the largest in windows that overlap none above; the")
    assert aggregation.listing(UNGROUPED, rank(UNGROUPED, table.slice(0, SHOWN)), Clock()).order == (
        "largest COUNT(*) first"
    )
