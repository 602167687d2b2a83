"""The view of episodes over days: merged from any days, slices and ranges, it has the episodes of the whole log."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import duckdb
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cep_core.compile import bind_text
from cep_core.events.logs.time_points import with_points
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.evaluator import CERTAIN, Evaluator, Ownership, of_table
from cep_core.language.settings import Settings
from cep_core.monitoring.shared.episodes import EPISODES
from jobs.lake.tables.episodes_over_days import episodes_over_days

SCHEMA = LogSchema({name: {"x": Attribute("x", AttributeType.INT)} for name in ("Bad", "Good", "Tick")})
LENGTH, COUNT = 4, 5
DAYS = tuple(range(0, LENGTH * COUNT + 1, LENGTH))
BEGINNING = date(2013, 1, 1)
PLAIN = "Bad(x)"
PASSING = "-- policy: must hold\n(Good(x) OR Bad(x)) IMPLIES NOT Bad(x)"
Event = tuple[int, str, int]
KINDS = st.sampled_from(["Bad", "Bad", "Good", "Tick"])


def evaluator_of(text: str) -> Evaluator:
    return bind_text(f"-- What is bad?\n{text}", SCHEMA, "p.mfotl", whole_log=False).evaluator(Settings())


def expected(events: list[Event], text: str) -> list[tuple[Any, ...]]:
    """By definition, point by point: (first_day, last_day, first_ts, last_ts, points, x)."""
    bad = {(ts, x) for ts, kind, x in events if kind == "Bad"}
    found = []
    for value in (0, 1):
        judged = {ts for ts, kind, x in events if text == PLAIN or (kind != "Tick" and x == value)}
        runs: list[list[int]] = [[]]
        for ts in sorted(judged):
            if (ts, value) not in bad:
                runs.append([])
            elif runs[-1] and ts // LENGTH - runs[-1][-1] // LENGTH > 1:  # a whole day without a violation
                runs.append([ts])
            else:
                runs[-1].append(ts)
        for run in filter(None, runs):
            days = (BEGINNING + timedelta(days=ts // LENGTH) for ts in (run[0], run[-1]))
            found.append((*days, run[0], run[-1], len(run), value))
    return sorted(found)


def with_day(table: pa.Table) -> pa.Table:
    days = [BEGINNING + timedelta(days=moment // LENGTH) for moment in table[CERTAIN].to_pylist()]
    return table.drop_columns([CERTAIN]).append_column("day", pa.array(days, pa.date32()))


@given(
    st.lists(
        st.tuples(st.integers(0, DAYS[-1] - 1), st.sampled_from(["Bad", "Bad", "Good", "Tick"]), st.integers(0, 1))
    ),
    st.sampled_from([PLAIN, PASSING]),
    st.sets(st.sampled_from(DAYS[1:-1])),
    st.sets(st.integers(1, DAYS[-1] - 1), max_size=3),
    st.sampled_from([(None,), (0, 1)]),
)
def test_the_view_has_the_episodes_of_the_whole_log(
    drawn: list[Event], text: str, runs: set[int], cuts: set[int], cells: tuple[int | None, ...]
) -> None:
    events = sorted(drawn)
    table = pa.table(
        {
            "event_type": pa.array([kind for _, kind, _ in events], pa.string()),
            "ts": pa.array([ts for ts, _, _ in events], pa.int64()),
            "seq": pa.array(range(len(events)), pa.int64()),
            "x": pa.array([x for _, _, x in events], pa.int64()),
        }
    )
    table, points = with_points(table)
    evaluator = evaluator_of(text)
    of_episodes = evaluator.tables[1]
    days = []
    for begin, end in pairwise((DAYS[0], *sorted(runs), DAYS[-1])):
        own = tuple(day for day in DAYS if begin <= day <= end)
        partials: list[pa.RecordBatch] = []
        for first, last in pairwise(sorted({begin, end, *(cut for cut in cuts if begin < cut < end)})):
            moments = (first, *(day for day in own if first < day < last), last)
            cut = (first not in own, last not in own)
            read = table.filter(pa.array([first <= ts < last for ts in table["ts"].to_pylist()], pa.bool_()))
            for cell in cells:
                owns = None if cell is None else (lambda t, c=cell: t["x"].to_numpy() == c)
                owned = Ownership(("x",), owns, moments, cut)
                partials += of_table(evaluator.evaluate(read, owned, points), EPISODES)
        days.append(with_day(of_episodes.merge(partials, own)))
    p_episodes = pa.concat_tables(days)
    asked = episodes_over_days("p_episodes", ["x"]).replace("`", '"')
    with duckdb.connect() as connection:
        connection.register("p_episodes", p_episodes)
        rows = connection.sql(asked).to_arrow_table().to_pylist()
    columns = ("first_day", "last_day", "first_ts", "last_ts", "points", "x")
    assert sorted(tuple(row[name] for name in columns) for row in rows) == expected(events, text)
