"""Random logs, and random worlds: a query with its window and strategy over such a log."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from cep_core.testing.choice import chosen
from tests.ends import real, whole
from tests.matching.worlds.conditions import conditions, tests_of
from tests.matching.worlds.parts import negated_in
from tests.matching.worlds.patterns import patterns, waiting_patterns, with_negations
from tests.matching.worlds.world import Event, World

INTEGERS = whole(st.sampled_from([0, 1, 2, 2, None]))
FLOATS = real(st.sampled_from([0.0, 1.0, 1.5, 2.0, None]))


@cache  # making a strategy for each log takes longer than drawing from it
def rows_of(
    x: st.SearchStrategy[int | None], y: st.SearchStrategy[float | None], least: int, most: int, latest: int
) -> st.SearchStrategy[list[tuple[object, ...]]]:
    """Type, time stamp, x, k and y of each event."""
    row = st.tuples(st.sampled_from("AABBCD"), st.integers(0, latest), x, st.sampled_from([0, 0, 1, None]), y)
    return st.lists(row, min_size=least, max_size=most)


@st.composite
def logs(draw: st.DrawFn, least: int = 0, most: int = 8, latest: int = 6) -> list[Event]:
    """Events with bursts of equal time stamps, NULLs, and seqs that need not follow time."""
    rows = draw(rows_of(draw(INTEGERS), draw(FLOATS), least, most, latest))
    seqs = draw(st.permutations(range(len(rows)))) if draw(st.booleans()) else range(len(rows))
    events = [Event(kind, ts, seq, *values) for (kind, ts, *values), seq in zip(rows, seqs, strict=True)]
    return sorted(events, key=lambda event: (event.ts, event.seq))


@st.composite
def worlds(draw: st.DrawFn, strategies: tuple[str, ...] = ("skip_till_any_match",), negated: bool = False) -> World:
    pattern = draw(patterns(1 if negated else 2, alternative=not negated))
    if negated:
        pattern = draw(with_negations(pattern))
    world = World(pattern, draw(logs(6, 9, 10) if negated else logs()), strategy=chosen(draw, strategies))
    world.conditions = draw(st.lists(conditions(pattern), max_size=0 if negated else 2))
    for negation in negated_in(pattern):
        if draw(st.booleans()):
            world.tests += draw(st.lists(tests_of(negation, pattern), min_size=1, max_size=2))
    world.keyed = world.strategy == "partition_contiguity" or draw(st.integers(0, 3 if negated else 1)) == 0
    world.size = chosen(draw, [4, 6, 9] if negated else [1, 3, 5])
    kind = chosen(draw, ["time", "events", "slide", "slide", "slide of events"])
    world.in_events = "events" in kind
    world.slide = chosen(draw, [1, 2, 4]) if "slide" in kind else None
    world.ordered = draw(st.booleans())
    return world


@st.composite
def waiting(draw: st.DrawFn) -> World:
    """Queries of such patterns."""
    pattern = draw(waiting_patterns())
    world = World(pattern, draw(logs(3, 7, 12)))
    world.strategy = chosen(draw, ["skip_till_any_match"] * 2 + ["skip_till_next_match", "strict_contiguity"])
    world.conditions = draw(st.lists(conditions(pattern), max_size=1)) if draw(st.booleans()) else []
    world.keyed = draw(st.integers(0, 3)) == 0
    world.size = chosen(draw, [3, 6, 20])
    world.slide = chosen(draw, [None, None, None, 2])
    world.ordered = draw(st.booleans())
    return world
