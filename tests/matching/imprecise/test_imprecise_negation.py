"""NOT over imprecise time is the definition: the worlds that have the match, with nothing forbidden inside it."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.compile import compile_query
from cep_core.events.schema import Attribute, LogSchema
from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import CERTAIN, Ownership
from cep_core.language.patterns.tree import Kleene, Not, Pattern, Sequence, Unit
from tests.matching.imprecise.test_imprecise import (
    DAYS,
    Imprecise,
    check_against_all_worlds,
    compiled,
    imprecise,
)
from tests.matching.imprecise.test_imprecise_numbers import chances
from tests.matching.test_match import rows_of
from tests.matching.worlds import conditions
from tests.matching.worlds.drawing import logs
from tests.matching.worlds.parts import AT


@st.composite
def between(draw: st.DrawFn) -> Pattern:
    """Two or three events or closures with negated events between them, also inside of a closure."""
    elements: list[Pattern | Not] = []
    for number in range(draw(st.integers(2, 3))):
        if number and draw(st.integers(0, 3)):
            elements.append(Not(Unit(draw(st.sampled_from("ABCD")), f"n{number}", AT), AT))
        unit: Pattern = Unit(draw(st.sampled_from("ABC")), f"v{number}", AT)
        if number and draw(st.integers(0, 3)) == 0:
            inside = Not(Unit(draw(st.sampled_from("ABCD")), f"m{number}", AT), AT)
            unit = Sequence((inside, unit), AT) if draw(st.booleans()) else unit
            unit = Kleene(unit, *draw(st.sampled_from([(1, None), (0, None), (0, 1)])), AT)
        elements.append(unit)
    return Sequence(tuple(elements), AT)


@st.composite
def negated(draw: st.DrawFn) -> Imprecise:
    asked = draw(imprecise())
    world = asked.world
    world.pattern, world.conditions, world.events = draw(between()), [], draw(logs(least=3, most=6))
    for element in negations(world.pattern):
        if draw(st.booleans()):
            world.tests += draw(st.lists(conditions.tests_of(element, world.pattern), min_size=1, max_size=1))
    world.keyed &= draw(st.booleans())
    world.size = draw(st.sampled_from([3, 5, 9]))
    room, asked.intervals = 200, []
    for event in world.events:
        early, late = draw(st.sampled_from([(0, 0), (0, 1), (0, 2), (1, 1), (2, 0)]))
        if early + late + 1 > room:
            early = late = 0
        room //= early + late + 1
        asked.intervals.append((event.ts - early, event.ts + late))
    return asked


def negations(pattern: Pattern | Not) -> list[Not]:
    match pattern:
        case Not():
            return [pattern]
        case Sequence():
            return [negation for element in pattern.elements for negation in negations(element)]
        case Kleene():
            return negations(pattern.body)
        case _:
            return []


@settings(deadline=None)
@given(negated())
def test_matches_and_confidences_are_those_of_all_worlds(asked: Imprecise) -> None:
    """Every match that reaches the threshold; a negated event may lie in this gap in one world, in that in another."""
    check_against_all_worlds(asked)


@settings(deadline=None)
@given(negated(), st.booleans())
def test_ranges_merge_to_the_whole(asked: Imprecise, collapsed: bool) -> None:
    """A match is certain once no event recorded later can have happened in it, so that each range sees what it must."""
    evaluator, events = compiled(asked, None, collapsed)
    reach = evaluator.reach.time or 0
    partials = []
    for days in (DAYS[:3], DAYS[2:]):
        inside = [days[0] - reach <= ts < days[-1] for ts in events["ts"].to_pylist()]
        partials += list(evaluator.evaluate(events.filter(pa.array(inside, pa.bool_())), Ownership(days=days)))
    merged = evaluator.merge(partials, DAYS)
    whole = evaluator.merge(evaluator.evaluate(events, Ownership(days=DAYS)), DAYS)
    assert rows_of(merged) == rows_of(whole)
    assert merged.schema.equals(whole.schema, check_metadata=True)


def test_worked_numbers() -> None:
    """b in [1,4] is between a1 and c4 at 2 or 3; two such events are both elsewhere in a quarter of the worlds.

    Where c may come at 3 or 4, b is between in 1/4 and in 2/4 of its moments. An n in [1,3] that either gap of a1, b in
    [2,3], c4 forbids is outside of both at 1, and at the moment of b.
    """
    query, window = "PATTERN SEQ(A a, NOT B b, C c)", "WITHIN 9 WITH CONFIDENCE > 0"
    assert chances(f"{query} {window}", ("A", 1, 1), ("B", 1, 4), ("C", 4, 4)) == [Fraction(1, 2)]
    assert chances(f"{query} {window}", ("A", 1, 1), *[("B", 1, 4)] * 2, ("C", 4, 4)) == [Fraction(1, 4)]
    assert chances(f"{query} {window}", ("A", 1, 1), ("B", 1, 4), ("C", 3, 4)) == [Fraction(5, 8)]
    two = f"PATTERN SEQ(A a, NOT N n, B b, NOT N m, C c) {window}"
    assert chances(two, ("A", 1, 1), ("N", 1, 3), ("B", 2, 3), ("C", 4, 4)) == [Fraction(1 * 2 + 1 * 2, 6)]
    assert chances(f"{query} WHERE b.x > a.x {window}", ("A", 1, 1), ("B", 2, 2), ("C", 3, 3), x=[1, 0, 0]) == [1]
    assert chances(f"{query} {window}", ("A", 1, 1), ("B", 2, 2), ("C", 3, 3)) == []


def test_a_match_is_certain_when_nothing_earlier_can_be_recorded_any_more() -> None:
    """A clock of b that is up to 3 too late and one of c that is up to 2 too early: 5 after c."""
    types: dict[str, dict[str, Attribute]] = {name: {} for name in "ABC"}
    schema = LogSchema(types, imprecision={"B": (3, 0), "C": (1, 2)})
    log = pa.table({"event_type": list("ACB"), "ts": [1, 4, 8], "seq": range(3), "pos": range(3)})
    evaluator = compile_query("PATTERN SEQ(A a, NOT B b, C c) WITHIN 9 WITH CONFIDENCE > 0", schema)
    merged = evaluator.merge(evaluator.evaluate(log))
    assert merged[CERTAIN].to_pylist() == [9]
    # c at 6 with b at 5, in 1/4 of c's worlds and 1/4 of b's
    assert merged["confidence"].to_pylist() == [pytest.approx(15 / 16)]
    assert evaluator.reach.time == 9 + 3 + 2 + 5


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("SEQ(NOT B b, A a)", "start or the end"),
        ("SEQ(A a, NOT B b)", "start or the end"),
        ("SEQ(A a, NOT SEQ(B b, B d), A c)", "anything but one event"),
        ("SEQ(A a, NOT B b, C c) AND A d", "NOT in an AND"),
    ],
)
def test_what_is_not_supported_yet(pattern: str, message: str) -> None:
    log = pa.table({"event_type": ["A"], "ts": [1]})
    with pytest.raises(NotSupportedYet, match=message) as refusal:
        cep.match(f"PATTERN {pattern} WITHIN 5 WITH CONFIDENCE > 0", log)
    assert refusal.value.hint
