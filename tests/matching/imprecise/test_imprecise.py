"""Imprecise time is the definition: a match is as likely as the possible worlds that have it."""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.compile import compile_query
from cep_core.events.schema import Attribute, LogSchema, Ties
from cep_core.events.table import log_schema_of, order
from cep_core.language.errors import NotSupportedYet, QueryError
from cep_core.language.evaluator import TOTALS, Ownership
from cep_core.matching.imprecise.evaluator import ImpreciseEvaluator
from cep_core.matching.imprecise.reference import Interval, confidences
from tests.matching.test_match import rows_of
from tests.matching.worlds.drawing import worlds
from tests.matching.worlds.world import World

DAYS = (-4, 1, 3, 4, 8, 30)
THRESHOLDS = ("> 0", ">= 0", "> 0.5", ">= 0.5", ">= 0.9")


@dataclass
class Imprecise:
    """A query and a log whose events have intervals."""

    world: World
    intervals: list[Interval]
    threshold: str

    @property
    def text(self) -> str:
        return f"{self.world.text} WITH CONFIDENCE {self.threshold}"

    @property
    def table(self) -> pa.Table:
        low, high = zip(*self.intervals, strict=True) if self.intervals else ((), ())
        columns = {"ts_lo": pa.array(low, pa.int64()), "ts_hi": pa.array(high, pa.int64())}
        table = self.world.table
        return table.append_column("ts_lo", columns["ts_lo"]).append_column("ts_hi", columns["ts_hi"])

    def rows(self) -> dict[tuple[object, ...], Fraction]:
        """Every match that is likely enough, as a row in which lists stand in the order of (ts, seq)."""
        operator, number = self.threshold.split()
        least = Fraction(number)
        chances = confidences(self.intervals, self.matches_in)
        return {
            self.row(match): chance
            for match, chance in chances.items()
            if (chance >= least if operator == ">=" else chance > least)
        }

    def matches_in(self, moments: tuple[int, ...]) -> list[frozenset[tuple[int, str]]]:
        """The bindings of one world: (place of the event, variable) pairs."""
        moved = [replace(event, ts=ts) for event, ts in zip(self.world.events, moments, strict=True)]
        places = sorted(range(len(moved)), key=lambda place: (moved[place].ts, moved[place].seq))
        world = replace(self.world, events=[moved[place] for place in places])
        return [frozenset((places[event], variable) for event, variable in path) for _, path in world.matches()]

    def row(self, match: frozenset[tuple[int, str]]) -> tuple[object, ...]:
        return self.world.row(None, tuple(sorted(match)))


@st.composite
def imprecise(draw: st.DrawFn) -> Imprecise:
    world = draw(worlds())
    world.in_events, world.slide = False, None
    world.events = world.events[:6]
    intervals = []
    room = 200  # possible worlds
    for event in world.events:
        before, after = draw(st.sampled_from([(0, 0), (0, 1), (0, 2), (0, 2), (1, 0), (1, 2), (2, 2)]))
        if before + after + 1 > room:
            before = after = 0
        room //= before + after + 1
        intervals.append((event.ts - before, event.ts + after))
    return Imprecise(world, intervals, draw(st.sampled_from(THRESHOLDS)))


def ask(asked: Imprecise) -> pa.Table:
    try:
        return cep.match(asked.text, asked.table, ties="ordered" if asked.world.ordered else "concurrent")
    except NotSupportedYet:
        reject()


def with_confidence(table: pa.Table) -> dict[tuple[object, ...], float]:
    rows = rows_of(table.drop_columns(["confidence"]))
    assert len(set(rows)) == len(rows)
    return dict(zip(rows, table["confidence"].to_pylist(), strict=True))


def check_against_all_worlds(asked: Imprecise) -> None:
    """The same matches, each as likely, and their number."""
    table = ask(asked)
    expected = asked.rows()
    by_row = with_confidence(table)
    assert by_row.keys() == expected.keys()
    for row, chance in expected.items():
        assert math.isclose(by_row[row], chance, rel_tol=1e-9)
    assert table.schema.metadata[b"matches_total"] == str(len(expected)).encode()


@settings(deadline=None)
@given(imprecise())
def test_k22_matches_and_confidences_are_those_of_all_worlds(asked: Imprecise) -> None:
    """Every match that reaches the threshold, whatever the pattern, the conditions, the window and the ties."""
    check_against_all_worlds(asked)


@settings(deadline=None)
@given(worlds(), st.sampled_from(THRESHOLDS))
def test_width_0_is_precise_time(world: World, threshold: str) -> None:
    """Intervals of one moment: the same rows in the same order, all certain."""
    world.in_events, world.slide = False, None
    asked = Imprecise(world, [(event.ts, event.ts) for event in world.events], threshold)
    possible = ask(asked)
    precise = cep.match(world.text, world.table, ties="ordered" if world.ordered else "concurrent")
    assert possible.drop_columns(["confidence"]).equals(precise)
    assert set(possible["confidence"].to_pylist()) <= {1.0}
    assert possible.schema.metadata == precise.schema.metadata


@settings(deadline=None)
@given(imprecise(), st.sampled_from([None, 0, 1, 3]), st.booleans(), st.booleans(), st.integers(0, 1000))
def test_slices_merge_to_the_whole(
    asked: Imprecise, max_matches: int | None, collapsed: bool, supersets: bool, seed: int
) -> None:
    """Slices by key and by range of days, each reading back no more than the reach, in any order of arrival."""
    chance = random.Random(seed)
    evaluator, events = compiled(asked, max_matches, collapsed, supersets)
    variables = tuple(key.name for key in evaluator.query.key_classes)
    reach = evaluator.reach.time
    assert reach is not None
    partials = []
    for days in [DAYS[:3], DAYS[2:]] if chance.random() < 0.7 else [DAYS]:
        inside = [days[0] - reach <= ts < days[-1] for ts in events["ts"].to_pylist()]
        for part in range(2 if variables else 1):

            def owns(keys: pa.Table, part: int = part) -> np.ndarray:
                return np.array(
                    [hash(key) % 2 == part for key in zip(*keys.to_pydict().values(), strict=True)], np.bool_
                )

            owned = Ownership(variables, owns if variables else None, days)
            partials += list(evaluator.evaluate(events.filter(pa.array(inside, pa.bool_())), owned))
    chance.shuffle(partials)
    merged = evaluator.merge(partials, DAYS)
    expected = evaluator.merge(evaluator.evaluate(events, Ownership(days=DAYS)), DAYS)
    assert rows_of(merged) == rows_of(expected)
    assert merged.schema.equals(expected.schema, check_metadata=True)
    if not collapsed:
        by_day: dict[int, int] = dict.fromkeys(DAYS[:-1], 0)
        for row in asked.rows():
            by_day[max(day for day in DAYS if day <= row[1])] += 1  # type: ignore[operator]
        totals = json.loads(merged.schema.metadata[TOTALS])
        cut = max_matches if max_matches is not None else len(asked.rows())
        assert merged.num_rows == sum(min(count, cut) for count in by_day.values())
        for day, count in by_day.items():
            assert (totals[str(day)]["matches_total"] == str(count)) == (count <= cut)


@settings(deadline=None)
@given(imprecise())
def test_k20_supersets_hold_every_possible_match_without_a_listing(asked: Imprecise) -> None:
    """A row of unknown count for each event that may be the last of a match binds all that its matches do."""
    evaluator, events = compiled(asked, None, collapsed=True, supersets=True)
    table = evaluator.merge(evaluator.evaluate(events))
    assert table.schema.metadata[b"matches_at_least"] == b"0"
    rows: dict[int, list[dict[str, list[int] | None]]] = {}
    for row in table.to_pylist():
        assert (row["match_count"], row["match_count_exact"]) == (None, None)
        rows.setdefault(row["last_seq"], []).append(row)
    for match in confidences(asked.intervals, asked.matches_in):
        last = max((asked.world.events[place].ts, asked.world.events[place].seq) for place, _ in match)[1]
        bound = [(variable, asked.world.events[place].seq) for place, variable in match]
        assert any(all(seq in (row[variable] or ()) for variable, seq in bound) for row in rows[last])


def compiled(
    asked: Imprecise, max_matches: int | None, collapsed: bool, supersets: bool = False
) -> tuple[ImpreciseEvaluator, pa.Table]:
    """The evaluator for a schema that says how imprecise the log is, as a workload's does."""
    events = order(asked.table)
    ties = Ties.ORDERED if asked.world.ordered else Ties.CONCURRENT
    schema = log_schema_of(events, ties=ties)
    spread = dict.fromkeys(schema.types, (2, 2))
    schema = LogSchema(schema.types, ties=ties, open_world=True, columns=schema.columns, imprecision=spread)
    try:
        evaluator = compile_query(asked.text, schema, max_matches=max_matches, collapsed=collapsed, supersets=supersets)
    except NotSupportedYet:
        reject()
    assert isinstance(evaluator, ImpreciseEvaluator)
    return evaluator, events


def test_the_schema_says_how_imprecise_a_log_is() -> None:
    """A clock of whole minutes: which of two events of the same minute came first is as good as open."""
    types: dict[str, dict[str, Attribute]] = {"A": {}, "B": {}}
    minutes = LogSchema(types, imprecision={"A": (0, 59), "B": (0, 59)})
    log = pa.table({"event_type": ["A", "B", "B"], "ts": [60, 60, 120]})
    query = "PATTERN SEQ(A a, B b) WITHIN 100 {}"
    assert cep.match(query.format(""), log, schema=minutes).num_rows == 1
    possible = cep.match(query.format("WITH CONFIDENCE > 0"), log, schema=minutes)
    assert possible["confidence"].to_pylist() == pytest.approx([59 / 120, (3600 - 19 * 20 / 2) / 3600])
    assert compile_query(query.format("WITH CONFIDENCE > 0"), minutes).reach.time == 159


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("PATTERN SEQ(A a, B b) WHERE skip_till_next_match WITHIN 5", "needs skip_till_any_match, not skip_till_next"),
        ("PATTERN SEQ(A a, B b) WHERE strict_contiguity WITHIN 5", "needs skip_till_any_match, not strict_contiguity"),
        ("PATTERN SEQ(A a, B b) WHERE partition_contiguity { [x] } WITHIN 5", "not partition_contiguity"),
        ("PATTERN SEQ(A a, B b) WITHIN 5 EVENTS", "counts positions"),
        ("PATTERN SEQ(A a, B b) WITHIN 5 SLIDE 2", "SLIDE and WITH CONFIDENCE"),
        ("PATTERN SEQ(A a, B b) WHERE b.ts > a.ts + 2 WITHIN 5", "a condition on ts"),
        ("RETURN COUNT(*) PATTERN SEQ(A a, B b) WITHIN 5", "belongs to matching"),
        ("RETURN a.x AS confidence PATTERN SEQ(A a, B b) WITHIN 5", "two columns named 'confidence'"),
    ],
)
def test_refusals_name_what_does_not_go_together(query: str, message: str) -> None:
    log = pa.table({"event_type": ["A"], "ts": [1], "x": [1]})
    with pytest.raises(QueryError, match=message):
        (cep.aggregate if "COUNT" in query else cep.match)(f"{query} WITH CONFIDENCE >= 0.8", log)


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ("WITH CONFIDENCE <= 0.5", "a confidence is a lower bound"),
        ("WITH CONFIDENCE >= 80", "lies between 0 and 1"),
        ("WITH CONFIDENCE >= 0.5 WITH CONFIDENCE >= 0.5", "a second WITH CONFIDENCE"),
    ],
)
def test_wrong_clauses(clause: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        cep.match(f"PATTERN A a WITHIN 5 {clause}", pa.table({"event_type": ["A"], "ts": [1]}))


def test_an_interval_holds_its_time() -> None:
    log = pa.table({"event_type": ["A"], "ts": [1], "ts_lo": [2], "ts_hi": [3]})
    with pytest.raises(ValueError, match=r"ts 1 lies outside of \[2, 3\]"):
        cep.match("PATTERN A a WITHIN 5 WITH CONFIDENCE > 0", log)
