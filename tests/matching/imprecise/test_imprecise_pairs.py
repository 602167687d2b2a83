"""`P AND Q` over imprecise time is the definition: a pair is as likely as the possible worlds that have it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.compile import compile_query
from cep_core.events.schema import LogSchema, Ties
from cep_core.events.table import log_schema_of, order
from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import TOTALS, Evaluator, Ownership
from cep_core.language.patterns.tree import Kleene, Pattern, Sequence, Unit
from cep_core.matching.imprecise.reference import confidences
from tests.matching.examples.letters import total
from tests.matching.imprecise.test_imprecise import Imprecise, imprecise
from tests.matching.test_match import rows_of
from tests.matching.test_pairs import pairs
from tests.matching.worlds.drawing import logs
from tests.matching.worlds.parts import AT, repeated, units_of, written
from tests.matching.worlds.patterns import patterns
from tests.matching.worlds.world import World

Pair = tuple[frozenset[tuple[int, str]], frozenset[tuple[int, str]]]


@dataclass
class PossiblePairsDrawn:
    """Two patterns over one log whose events have intervals."""

    asked: Imprecise
    left: World
    right: World

    @property
    def text(self) -> str:
        world = self.left
        patterns = f"{written(world.pattern)} AND {written(self.right.pattern)}"
        condition = "[k]" if world.keyed else "1 = 1"
        return f"PATTERN {patterns} WHERE {condition} WITHIN {world.size} WITH CONFIDENCE {self.asked.threshold}"

    def pairs_in(self, moments: tuple[int, ...]) -> list[Pair]:
        """The pairs of one world, by the places that events have in the log as it was recorded."""
        events = self.left.events
        moved = [replace(event, ts=ts) for event, ts in zip(events, moments, strict=True)]
        places = sorted(range(len(moved)), key=lambda place: (moved[place].ts, moved[place].seq))
        in_order = [moved[place] for place in places]
        left, right = replace(self.left, events=in_order), replace(self.right, events=in_order)
        places_of_pairs = []
        for _, left_path, right_path in pairs(left, right):
            sides = [frozenset((places[event], name) for event, name in side) for side in (left_path, right_path)]
            places_of_pairs.append((sides[0], sides[1]))
        return places_of_pairs

    def rows(self) -> dict[tuple[object, ...], Fraction]:
        """Every pair that is likely enough, as a row in which lists stand in the order of (ts, seq)."""
        operator, number = self.asked.threshold.split()
        least = Fraction(number)
        chances = confidences(self.asked.intervals, self.pairs_in)
        return {
            self.row(pair): chance
            for pair, chance in chances.items()
            if (chance >= least if operator == ">=" else chance > least)
        }

    def row(self, pair: Pair) -> tuple[object, ...]:
        events = self.left.events
        times = [events[event].ts for side in pair for event, _ in side]
        row: list[object] = [min(times), max(times)]
        for side, world in zip(pair, (self.left, self.right), strict=True):
            lists = repeated(world.pattern)
            for name in dict.fromkeys(unit.variable for unit in units_of(world.pattern)):
                seqs = tuple(events[event].seq for event, variable in sorted(side) if variable == name)
                row.append((seqs if name in lists else seqs[0]) if seqs else None)
        return tuple(row)


@st.composite
def sides(draw: st.DrawFn, name: str) -> Pattern:
    """Short patterns, so that many of them have matches; some with the variables that any side has."""
    if draw(st.integers(0, 4)) == 0:
        return draw(patterns(1))
    first, second = (Unit(draw(st.sampled_from("ABC")), f"{name}{number}", AT) for number in range(2))
    closure = Kleene(second, *draw(st.sampled_from([(1, None), (0, None), (0, 1)])), AT)
    longer = [Sequence((first, element), AT) for element in (second, closure)]
    return draw(st.sampled_from([first, Kleene(first, 1, None, AT), *longer]))


@st.composite
def possible_pairs(draw: st.DrawFn) -> PossiblePairsDrawn:
    asked = draw(imprecise())
    asked.world.conditions = []
    asked.world.keyed &= draw(st.booleans())
    events = draw(logs(most=5))
    widths = [draw(st.sampled_from([(0, 0), (0, 1), (0, 2), (1, 1)])) for _ in events]
    asked.world.events = events
    asked.intervals = [(event.ts - early, event.ts + late) for event, (early, late) in zip(events, widths, strict=True)]
    asked.world.size = draw(st.sampled_from([1, 3, 5]))
    left, right = (replace(asked.world, pattern=draw(sides(name))) for name in "vw")
    return PossiblePairsDrawn(asked, left, right)


def evaluator_of(drawn: PossiblePairsDrawn, *, collapsed: bool = False) -> tuple[Evaluator, pa.Table]:
    events = order(drawn.asked.table)
    ties = Ties.ORDERED if drawn.left.ordered else Ties.CONCURRENT
    schema = log_schema_of(events, ties=ties)
    spread = dict.fromkeys(schema.types, (2, 2))
    schema = LogSchema(schema.types, ties=ties, open_world=True, columns=schema.columns, imprecision=spread)
    try:
        return compile_query(drawn.text, schema, collapsed=collapsed), events
    except NotSupportedYet:
        reject()


@settings(deadline=None)
@given(possible_pairs())
def test_pairs_and_confidences_are_those_of_all_worlds(drawn: PossiblePairsDrawn) -> None:
    """Every pair that reaches the threshold, also where the sides share events and where the window decides."""
    evaluator, events = evaluator_of(drawn)
    table = evaluator.merge(evaluator.evaluate(events))
    expected = drawn.rows()
    by_row = rows_of(table.drop_columns(["confidence", "certain"]))
    assert set(by_row) == set(expected)
    assert len(by_row) == len(expected) == total(table)
    for row, chance in zip(by_row, table["confidence"].to_pylist(), strict=True):
        assert math.isclose(chance, expected[row], rel_tol=1e-9)


@settings(deadline=None)
@given(possible_pairs(), st.booleans(), st.sampled_from([0, 1, 3, 8]))
def test_slices_merge_to_the_whole(drawn: PossiblePairsDrawn, collapsed: bool, cut: int) -> None:
    """Ranges of days, each reading back no more than the reach; compact rows count the pairs that end there."""
    evaluator, events = evaluator_of(drawn, collapsed=collapsed)
    days = (-20, cut, 40)
    whole = evaluator.merge(evaluator.evaluate(events, Ownership(days=days)), days)
    partials = []
    for begin, end in ((-20, cut), (cut, 40)):
        inside = [begin - (evaluator.reach.time or 0) <= ts < end for ts in events["ts"].to_pylist()]
        partials += list(evaluator.evaluate(events.filter(pa.array(inside, pa.bool_())), Ownership(days=(begin, end))))
    merged = evaluator.merge(reversed(partials), days)
    assert rows_of(merged) == rows_of(whole)
    assert merged.schema.equals(whole.schema, check_metadata=True)
    counted = [int(day["matches_total"]) for day in json.loads(whole.schema.metadata[TOTALS]).values()]
    assert sum(counted) == len(drawn.rows())
    if collapsed:
        assert sum(map(int, whole["match_count_exact"].to_pylist())) == len(drawn.rows())


def test_width_0_is_precise_time() -> None:
    """Intervals of one moment: the pairs of precise time, all certain."""
    log = pa.table({"event_type": list("ACBDB"), "ts": range(5), "x": [1, 2, 3, 4, 5]})
    exact = log.append_column("ts_lo", log["ts"]).append_column("ts_hi", log["ts"])
    query = "RETURN b.x - d.x AS gap PATTERN SEQ(A a, B+ b[]) AND SEQ(C c, D d) WHERE b[i].x > c.x WITHIN 3"
    query = query.replace("b.x - d.x", "d.x - a.x")
    possible = cep.match(f"{query} WITH CONFIDENCE > 0", exact)
    assert possible["confidence"].to_pylist() == [1.0]
    assert possible.drop_columns(["confidence"]).equals(cep.match(query, log))


def test_one_event_on_both_sides() -> None:
    """The a of both happens once: 1/2 together, where independent copies of it would make it 3/4 of 3/4."""
    log = pa.table({"event_type": list("ABC"), "ts": [1, 2, 2], "ts_lo": [1, 2, 2], "ts_hi": [2, 3, 3]})
    query = "PATTERN SEQ(A a, B b) AND SEQ(A a, C c) WITHIN 9 WITH CONFIDENCE > 0"
    possible = cep.match(query, log)
    assert possible["confidence"].to_pylist() == [pytest.approx(1 / 2 + 1 / 2 * 1 / 4)]
    sides = [cep.match(f"PATTERN SEQ(A a, {x} b) WITHIN 9 WITH CONFIDENCE > 0", log) for x in "BC"]
    assert [side["confidence"].to_pylist() for side in sides] == [[0.75], [0.75]]


@pytest.mark.parametrize(
    ("query", "message", "hint"),
    [
        ("PATTERN SEQ(A, B) AND SEQ(B, A) WITHIN 5", "sides that may be the same match", "differently"),
        ("PATTERN A+ a[] AND B b WHERE a[last].x < b.x WITHIN 5", "depends on the order of a list", "single events"),
    ],
)
def test_refusals_name_what_works(query: str, message: str, hint: str) -> None:
    log = pa.table({"event_type": ["A"], "ts": [1], "x": [1]})
    with pytest.raises(NotSupportedYet, match=message) as refusal:
        cep.match(f"{query} WITH CONFIDENCE > 0", log)
    assert hint in (refusal.value.hint or "")
