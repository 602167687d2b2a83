"""The view of episodes over days: merged from any days, slices and ranges, it has the episodes of the whole log."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from cep_core.arrays import Flags
from cep_core.compile import bind_text
from cep_core.events.logs.time_points import with_points
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.evaluator import CERTAIN, Evaluator, Ownership, of_table
from cep_core.language.settings import Settings
from cep_core.monitoring.shared.episodes import EPISODES
from cep_core.monitoring.shared.judged import JUDGED
from jobs.lake.tables.episodes_over_days import episodes_over_days

SCHEMA = LogSchema({name: {"x": Attribute("x", AttributeType.INT)} for name in ("Bad", "Good", "Tick")})
LENGTH, COUNT = 3, 7
DAYS = tuple(range(0, LENGTH * COUNT + 1, LENGTH))
BEGINNING = date(2013, 1, 1)
PLAIN = "Bad(x)"
PASSING = "-- policy: must hold\n(Good(x) OR Bad(x)) IMPLIES NOT Bad(x)"
FOR_ALL = "-- policy: must hold\n(EXISTS y. Good(y) OR Bad(y)) IMPLIES NOT Bad(x)"
SPLIT = "-- for each: x\nBad(_)"
OF_SUB_LOGS = "-- for each: x\nNOT Bad"
PASSING_IN_SUB_LOGS = "-- for each: x\n(Good OR Bad) IMPLIES NOT Bad"
PROPOSITIONAL = (OF_SUB_LOGS, PASSING_IN_SUB_LOGS)
"""The episodes of these have a share; the sub-log of a value has all points with an event of it."""
Event = tuple[int, str, int]
KINDS = st.sampled_from(["Bad", "Bad", "Good", "Tick"])


APART: list[Event] = [(1, "Bad", 0), (7, "Tick", 1), (13, "Bad", 0)]
"""Two violations with days between them, on which nothing judges their value."""
OVER_EMPTY_DAYS: list[Event] = [(1, "Bad", 0), (13, "Bad", 0)]
"""The same, with no point between them."""
PARTED: list[Event] = [(1, "Bad", 0), (7, "Good", 0), (13, "Bad", 0)]
"""The same, with a point between them that may judge it."""
SHARED: list[Event] = [*((ts, "Bad", 0) for ts in (1, 3)), *((ts, "Tick", 0) for ts in (2, 4, 5, 7)), (9, "Bad", 0)]
"""Three days with violations, whose sub-log has 2, 3 and 1 points, and one between them."""


def evaluator_of(text: str, most: int | None) -> Evaluator:
    suffix = "mtl" if text in PROPOSITIONAL else "mfotl"
    question = bind_text(f"-- What is bad?\n{text}", SCHEMA, f"p.{suffix}", whole_log=False)
    return question.evaluator(Settings(max_violations=most))


def is_judged(text: str, event: Event, value: int) -> bool:
    """Whether the point of an event judges a value of x."""
    _, kind, x = event
    judges = {PLAIN: True, FOR_ALL: kind != "Tick", SPLIT: x == value, OF_SUB_LOGS: x == value}
    return judges.get(text, kind != "Tick" and x == value)


def expected(events: list[Event], text: str, incomplete: set[int]) -> list[tuple[Any, ...]]:
    """By definition, point by point over the whole log: (first_day, last_day, first_ts, last_ts, points, share, x).

    Beside a point that judges and does not violate, a day between two violations ends an episode if what was judged on
    it is not known.
    """
    bad = {(ts, x) for ts, kind, x in events if kind == "Bad"}
    episodes = []
    for value in (0, 1):
        own = {ts for ts, _, x in events if x == value}
        judged = {event[0] for event in events if is_judged(text, event, value)}
        runs: list[list[int]] = [[]]
        for ts in sorted(judged):
            between = range(runs[-1][-1] // LENGTH + 1, ts // LENGTH) if runs[-1] else range(0)
            if (ts, value) not in bad:
                runs.append([])
            elif not incomplete.isdisjoint(between):
                runs.append([ts])
            else:
                runs[-1].append(ts)
        for run in filter(None, runs):
            days = (BEGINNING + timedelta(days=ts // LENGTH) for ts in (run[0], run[-1]))
            within = {ts // LENGTH for ts in run}
            share = len(run) / sum(ts // LENGTH in within for ts in own) if text in PROPOSITIONAL else None
            episodes.append((*days, run[0], run[-1], len(run), share, value))
    return sorted(episodes)


def with_day(table: pa.Table) -> pa.Table:
    days = [BEGINNING + timedelta(days=moment // LENGTH) for moment in table[CERTAIN].to_pylist()]
    return table.drop_columns([CERTAIN]).append_column("day", pa.array(days, pa.date32()))


@given(
    st.lists(st.tuples(st.integers(0, DAYS[-1] - 1), KINDS, st.integers(0, 1)), max_size=12),
    st.sampled_from([PLAIN, PASSING, PASSING, FOR_ALL, SPLIT, *PROPOSITIONAL]),
    st.sets(st.sampled_from(DAYS[1:-1])),
    st.sets(st.integers(1, DAYS[-1] - 1), max_size=3),
    st.sampled_from([(None,), (0, 1)]),
    st.sets(st.integers(0, COUNT - 1), max_size=1),
    st.sampled_from([None, None, 2, 1]),
)
@example(PARTED, PASSING, set(), set(), (None,), set(), None)
@example(PARTED, FOR_ALL, {9}, set(), (0, 1), set(), None)
@example(PARTED, SPLIT, set(), {8}, (None,), set(), None)
@example(APART, PASSING, set(), set(), (0, 1), set(), None)
@example(APART, PLAIN, set(), {8}, (0, 1), set(), None)
@example(OVER_EMPTY_DAYS, PLAIN, set(), {8}, (0, 1), set(), None)
@example(OVER_EMPTY_DAYS, PLAIN, {6}, set(), (None,), {2}, None)
@example(APART, PASSING, set(), set(), (None,), {2}, None)
@example(SHARED, PASSING_IN_SUB_LOGS, {9}, {7}, (0, 1), set(), None)
def test_the_view_has_the_episodes_of_the_whole_log(
    drawn: list[Event],
    text: str,
    runs: set[int],
    cuts: set[int],
    cells: tuple[int | None, ...],
    incomplete: set[int],
    most: int | None,
) -> None:
    """Where a day's listing is cut, an episode may lack pieces; no two are joined that something parts."""
    events = sorted(drawn)
    tables = tables_of(events, evaluator_of(text, most), runs, cuts, cells)
    tables["result_days"] = pa.Table.from_pylist(
        [
            {"query": query, "day": BEGINNING + timedelta(days=day), "complete": query == "q" or day not in incomplete}
            for query in ("p", "q")
            for day in range(COUNT)
        ]
    )
    keys = [name for name in tables["p_judged"].column_names if name == "x"]
    with duckdb.connect() as connection:
        connection.sql("CREATE SCHEMA w")
        for name, table in tables.items():
            connection.register("given", table)
            connection.sql(f"CREATE TABLE w.{name} AS SELECT * FROM given")
        has_share = "share" in tables["p_episodes"].column_names
        asked = episodes_over_days("w", "p", ["x"], keys, has_share=has_share).replace("`", '"')
        rows = connection.sql(asked).to_arrow_table().to_pylist()
    columns = ("first_day", "last_day", "first_ts", "last_ts", "points", "share", "x")
    episodes = sorted(tuple(row.get(name) for name in columns) for row in rows)
    whole = expected(events, text, incomplete)
    if most is None:
        assert episodes == whole
    for _, _, first, last, points, _, x in episodes:
        assert any((b <= first, last <= e, points <= n, x) == (True, True, True, y) for _, _, b, e, n, _, y in whole)


def tables_of(
    events: list[Event], evaluator: Evaluator, runs: set[int], cuts: set[int], cells: tuple[int | None, ...]
) -> dict[str, pa.Table]:
    """The tables of episodes and of judged values that some runs write, from slices by value and by time."""
    table = pa.table(
        {
            "event_type": pa.array([kind for _, kind, _ in events], pa.string()),
            "ts": pa.array([ts for ts, _, _ in events], pa.int64()),
            "seq": pa.array(range(len(events)), pa.int64()),
            "x": pa.array([x for _, _, x in events], pa.int64()),
        }
    )
    table, points = with_points(table)
    days: dict[str, list[pa.Table]] = {}
    for begin, end in pairwise((DAYS[0], *sorted(runs), DAYS[-1])):
        own = tuple(day for day in DAYS if begin <= day <= end)
        partials: list[pa.RecordBatch] = []
        for first, last in pairwise(sorted({begin, end, *(cut for cut in cuts if begin < cut < end)})):
            moments = (first, *(day for day in own if first < day < last), last)
            cut = (first not in own, last not in own)
            read = table.filter(pa.array([first <= ts < last for ts in table["ts"].to_pylist()], pa.bool_()))
            for cell in cells:
                owns = None if cell is None else (lambda t, c=cell: owned_by(t, c))
                partials += evaluator.evaluate(read, Ownership(("x",), owns, moments, cut), points)
        for written in evaluator.tables:
            if written.suffix in (EPISODES, JUDGED):
                merged = written.merge(of_table(partials, written.suffix), own)
                days.setdefault(f"p{written.suffix}", []).append(with_day(merged))
    return {name: pa.concat_tables(parts) for name, parts in days.items()}


def owned_by(values: pa.Table, cell: int) -> Flags:
    """Which values a slice owns; one without x is owned by each slice."""
    if "x" not in values.column_names:
        return np.ones(values.num_rows, np.bool_)
    flags: Flags = values["x"].to_numpy() == cell
    return flags
