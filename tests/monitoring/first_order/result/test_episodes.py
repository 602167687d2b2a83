"""Episodes against runs that are counted point by point: whole, and merged from any slices of valuations and time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.compile import bind_text
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.evaluator import CERTAIN, RESULT, TOTALS, Ownership, of_table
from cep_core.language.settings import Settings
from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
from cep_core.monitoring.shared.episodes import EPISODES, RUN_COLUMNS

Point = tuple[int, int]
Row = tuple[Any, ...]
_OWN = {"x": Attribute("x", AttributeType.INT), "y": Attribute("y", AttributeType.STRING)}
SCHEMA = LogSchema({"Bad": _OWN, "Good": _OWN, "Tick": {}})
DAYS = (0, 8, 16)


@dataclass(frozen=True)
class Case:
    """A policy that Bad events violate, with its variables."""

    variables: tuple[str, ...]
    text: str
    judges: tuple[str, ...] | None = None
    """The variables on which it depends whether a point judges: there is an event with their values. None: all do."""


PLAIN = Case(("x", "y"), "-- What is bad?\nBad(x, y)")
SEEN = "(Good(x, y) OR Bad(x, y))"
MUST = "-- policy: must hold\n"
CASES = (
    PLAIN,
    Case(("y",), "-- for each: x\n-- What is bad?\nBad(_, y)"),
    Case((), "-- What is bad?\nEXISTS x, y. Bad(x, y)"),
    Case(("x", "y"), f"{MUST}{SEEN} IMPLIES NOT Bad(x, y)", ("x", "y")),
    Case(("x", "y"), f"{MUST}(EXISTS y. {SEEN}) IMPLIES NOT Bad(x, y)", ("x",)),
    Case(("x", "y"), f"{MUST}(EXISTS x, y. {SEEN}) IMPLIES NOT Bad(x, y)", ()),
    Case(("y",), f"-- for each: x\n{MUST}(Good(_, y) OR Bad(_, y)) IMPLIES NOT Bad(_, y)", ("y",)),
)


@dataclass(frozen=True)
class World:
    """A log in which some valuations violate at some points; with each valuation's sub-log for `split`."""

    case: Case
    suffix: str
    events: pa.Table
    most: int | None

    @property
    def variables(self) -> tuple[str, ...]:
        return self.case.variables

    @property
    def evaluator(self) -> PolicyEvaluator:
        query = bind_text(self.case.text + self.suffix, SCHEMA, "p.mfotl", whole_log=False)
        evaluator = query.evaluator(Settings(max_violations=self.most))
        assert isinstance(evaluator, PolicyEvaluator)
        return evaluator

    @property
    def split(self) -> bool:
        return self.variables == ("y",)

    def points(self, begin: int, end: int) -> pa.Table:
        """The points of the stamps in [begin, end), and of those beside them."""
        rows = zip(*self.events.select(["ts", "offset"]).to_pydict().values(), strict=True)
        stamps: dict[int, int] = {}
        for ts, offset in rows:
            stamps[ts] = offset + 1
        inside = [n for n, ts in enumerate(stamps) if begin <= ts < end]
        first = sum(ts < begin for ts in stamps) - 1
        near = set(inside) | {first, first + len(inside) + 1}
        kept = [(ts, n) for place, (ts, n) in enumerate(stamps.items()) if place in near]
        return pa.table({"ts": pa.array([k[0] for k in kept], "i8"), "points": pa.array([k[1] for k in kept], "i8")})


def events_of(points: list[tuple[Point, list[Row]]]) -> pa.Table:
    rows = [
        {"event_type": kind, "ts": ts, "seq": 0, "offset": offset, "x": x, "y": y}
        for (ts, offset), events in points
        for kind, x, y in events
    ]
    kinds = {"event_type": pa.string(), "ts": pa.int64(), "seq": pa.int64(), "offset": pa.int64()}
    return pa.Table.from_pylist(rows, pa.schema([*kinds.items(), ("x", pa.int64()), ("y", pa.string())]))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    event = st.tuples(st.sampled_from(["Bad", "Bad", "Good"]), st.integers(0, 1), st.sampled_from("ab"))
    points: list[tuple[Point, list[Row]]] = []
    for ts in sorted(draw(st.sets(st.integers(0, 13), max_size=12))):
        for offset in range(draw(st.sampled_from([1, 1, 2]))):
            points.append(((ts, offset), [("Tick", None, None), *draw(st.lists(event, max_size=3))]))
    case = draw(st.sampled_from(CASES))
    later = " OR NOT EVENTUALLY[0,2] TRUE" if MUST in case.text else " AND EVENTUALLY[0,2] TRUE"
    suffix = draw(st.sampled_from(["", later]))
    return World(case, suffix, events_of(points), draw(st.sampled_from([None, 1, 2])))


def expected(world: World, after: int) -> tuple[list[Row], list[int]]:
    """All episodes by day, in order, and their numbers; from the violations, point by point."""
    rows = world.events.to_pylist()
    logs = sorted({row["x"] for row in rows if row["x"] is not None}) if world.split else [None]
    by_day: list[list[Row]] = [[] for _ in pairwise(DAYS)]
    for log in logs:
        own = [row for row in rows if log is None or row["x"] == log]
        names = sorted({(row["ts"], row["offset"]) for row in own})
        offset = {p: sum(q[0] == p[0] for q in names[:n]) for n, p in enumerate(names)}  # anew in each sub-log
        seen = [row for row in own if row["event_type"] != "Tick"]
        at = [((row["ts"], row["offset"]), tuple(row[v] for v in world.variables), row["event_type"]) for row in seen]
        bad = {(point, values) for point, values, kind in at if kind == "Bad"}
        judges = (
            range(len(world.variables)) if world.case.judges is None else map(world.variables.index, world.case.judges)
        )
        own_judges = list(judges)
        judged = {(point, tuple(values[n] for n in own_judges)) for point, values, _ in at}
        for day, (begin, end) in enumerate(pairwise(DAYS)):
            points_of_day = [p for p in names if begin <= p[0] + after < end]
            for values in {values for _, values in bad}:
                key = tuple(values[n] for n in own_judges)
                of_day = [p for p in points_of_day if world.case.judges is None or (p, key) in judged]
                run: list[Point] = []
                for point in [*of_day, None]:
                    if point is not None and (point, values) in bad:
                        run.append(point)
                    elif run:
                        touches = (run[0] == of_day[0], run[-1] == of_day[-1])
                        ends = (run[0][0], offset[run[0]], run[-1][0], offset[run[-1]])
                        by_day[day].append((*ends, len(run), *touches, *([] if log is None else [log]), *values))
                        run = []
    for episodes in by_day:
        episodes.sort(key=lambda row: (*row[:2], *row[7:]))
    return [row for episodes in by_day for row in episodes[: world.most]], [len(episodes) for episodes in by_day]


def owned_by(valuations: pa.Table, variable: str, value: Any) -> np.typing.NDArray[np.bool_]:
    if variable not in valuations.column_names:
        return np.ones(valuations.num_rows, np.bool_)
    return np.array([own == value for own in valuations[variable].to_pylist()], np.bool_)


def rows_of(table: pa.Table) -> list[Row]:
    columns = [column.to_pylist() for column in table.drop_columns([CERTAIN]).columns]
    return list(zip(*columns, strict=True))


def numbers_of(table: pa.Table) -> list[int]:
    totals = json.loads(table.schema.metadata[TOTALS])
    return [int(totals[str(day)]["matches_total"]) for day in DAYS[:-1]]


@given(worlds(), st.data())
def test_any_slices_merge_to_the_runs_of_violating_points(world: World, data: st.DataObject) -> None:
    evaluator = world.evaluator
    of_episodes = evaluator.tables[1]
    after = evaluator.reach.time or 0
    by = "x" if world.split else data.draw(st.sampled_from(world.variables or ("",)))
    split = (by,) if world.case.judges is None else world.case.judges  # other slices see all events
    cells: dict[str, tuple[Any, ...]] = {"x": (0, 1), "y": ("a", "b"), "": (None,)}
    partials: list[pa.RecordBatch] = []
    for cell in data.draw(st.sampled_from([(None,), cells[by]])):
        own: list[pa.RecordBatch] = []
        cuts = sorted({DAYS[0], DAYS[-1], *data.draw(st.sets(st.integers(*DAYS[::2]), max_size=4))})
        for begin, end in pairwise(cuts):
            moments = (begin, *(day for day in DAYS if begin < day < end), end)
            mask = [
                begin - after <= row["ts"] < end
                and row["event_type"] != "Tick"
                and (cell in (None, row.get(by)) or by not in split)
                for row in world.events.to_pylist()
            ]
            read = world.events.filter(pa.array(mask, pa.bool_()))
            if read.num_rows:
                owns = None if cell is None else (lambda t, c=cell: owned_by(t, by, c))
                owned = Ownership((by,) if by else (), owns, moments)
                own += of_table(evaluator.evaluate(read, owned, world.points(begin - after, end)), EPISODES)
        if of_episodes.combine is not None and data.draw(st.booleans()):
            cut = data.draw(st.sampled_from([(True, True), (False, False)]))
            combined = list(of_episodes.combine(own, DAYS, cut))
            assert world.most is None or cut[0] or sum(batch.num_rows for batch in combined) <= 2 * world.most
            own = combined
        partials += own
    table = of_episodes.merge(data.draw(st.permutations(partials)), DAYS)
    assert table.schema.names == [*of_episodes.schema.names, CERTAIN]
    assert (rows_of(table), numbers_of(table)) == expected(world, after)


@given(worlds())
def test_episodes_expand_to_exactly_the_violations(world: World) -> None:
    evaluator = PolicyEvaluator(world.evaluator.policy)
    batches = list(evaluator.evaluate(world.events, Ownership(days=DAYS)))
    violations, episodes = (table.merge(of_table(batches, table.suffix), DAYS) for table in evaluator.tables[:2])
    rows, violating = world.events.to_pylist(), set(rows_of(violations))
    expanded = []
    for episode in episodes.to_pylist():
        values = {name: value for name, value in episode.items() if name not in (*RUN_COLUMNS, CERTAIN)}
        own = [row for row in rows if not world.split or row["x"] == values["x"]]
        names = sorted({(row["ts"], row["offset"]) for row in own})
        places = [(p[0], sum(q[0] == p[0] for q in names[:n])) for n, p in enumerate(names)]
        first, last = ((episode[f"{end}_ts"], episode[f"{end}_offset"]) for end in ("first", "last"))
        run = [place for place in places if first <= place <= last]
        if world.case.judges is not None:
            run = [place for place in run if (*place, *values.values()) in violating]
        assert len(run) == episode["points"]
        expanded += [(*place, *values.values()) for place in run]
    assert sorted(expanded) == rows_of(violations)


def test_an_irrelevant_point_between_two_slices_ends_an_episode() -> None:
    """No slice is evaluated where only the point is."""
    events = events_of([((ts, 0), [("Tick", None, None), *bad]) for ts, bad in [(1, BAD), (3, []), (5, BAD)]])
    assert len(merged_of_two(events)) == 2


def test_time_without_points_between_two_slices_does_not() -> None:
    events = events_of([((ts, 0), [("Tick", None, None), *BAD]) for ts in (1, 5)])
    assert merged_of_two(events) == [(1, 0, 5, 0, 2, True, True, 0, "a")]


BAD: list[Row] = [("Bad", 0, "a")]


def merged_of_two(events: pa.Table) -> list[Row]:
    world = World(PLAIN, "", events, None)
    partials = [
        batch
        for begin, end in [(0, 3), (4, 8)]
        for batch in world.evaluator.evaluate(
            events.filter(pa.array([begin <= ts < end for ts in events["ts"].to_pylist()])),
            Ownership(days=(begin, end)),
            world.points(begin, end),
        )
    ]
    return rows_of(world.evaluator.tables[1].merge(of_table(partials, EPISODES), DAYS[:2]))


@pytest.mark.parametrize("suffix", [RESULT, EPISODES])
def test_nothing_is_merged_to_an_empty_table(suffix: str) -> None:
    evaluator = World(PLAIN, "", events_of([]), None).evaluator
    [table] = [table for table in evaluator.tables if table.suffix == suffix]
    merged = table.merge([], DAYS)
    assert (merged.num_rows, numbers_of(merged)) == (0, [0, 0])
