"""The joint data slicer with any splitting strategy f (paper 01, Definition 4 and Example 2; rows S5, S9, S10)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

import pytest

from cep_core.language.evaluator import Atom
from tests.slicing.paper import atom

Event = tuple[str, int, int]
Valuation = tuple[int, int]
Strategy = Callable[[Valuation], set[int]]
DOMAIN = range(9)
ATOMS = (atom("P", "x", "y"), atom("P", "y", "x"), atom("Q", "x", "y"))
PREFIX: list[tuple[int, set[Event]]] = [
    (11, {("P", 7, 5)}),
    (12, {("P", 5, 1), ("Q", 7, 5)}),
    (21, {("P", 5, 7), ("Q", 5, 7)}),
]


def image(atom: Atom, valuation: Valuation) -> Event:
    values = dict(zip("xy", valuation, strict=True))
    first, second = (values[variable] for _, variable in atom.variables)
    return atom.event_type, first, second


def targets(event: Event, strategy: Strategy) -> set[int]:
    """Definition 4: the union of f(v) over the valuations that the event matches."""
    valuations = product(DOMAIN, repeat=2)
    return {k for v in valuations if any(image(atom, v) == event for atom in ATOMS) for k in strategy(v)}


def part(strategy: Strategy, number: int) -> list[tuple[int, set[Event]]]:
    return [(stamp, {event for event in events if number in targets(event, strategy)}) for stamp, events in PREFIX]


def monitor(databases: Iterable[tuple[int, set[Event]]], width: int) -> set[tuple[Valuation, int]]:
    """P(x, y) AND NOT EVENTUALLY[0, width] (P(y, x) OR Q(x, y))."""
    points = list(databases)
    return {
        ((x, y), index)
        for index, (stamp, events) in enumerate(points)
        for x, y in product(DOMAIN, repeat=2)
        if ("P", x, y) in events
        and not any(
            stamp <= later <= stamp + width and {("P", y, x), ("Q", x, y)} & other_facts
            for later, other_facts in points[index:]
        )
    }


def example_2(valuation: Valuation) -> set[int]:
    return {1} if valuation == (5, 7) else {2}


def test_example_2_slices() -> None:
    """S9: the two slices as printed; events are shared where both valuations need them."""
    assert part(example_2, 1) == [(11, {("P", 7, 5)}), (12, set()), (21, {("P", 5, 7), ("Q", 5, 7)})]
    assert part(example_2, 2) == [(11, {("P", 7, 5)}), (12, {("P", 5, 1), ("Q", 7, 5)}), (21, {("P", 5, 7)})]


@pytest.mark.parametrize("width", range(1, 10))
def test_example_2_joiner_drops_what_a_slice_does_not_own(width: int) -> None:
    """S9: the only result is (5, 1) at 1; the slices also claim (7, 5) at 0 and (5, 7) at 2, and do not own them."""
    whole = monitor(PREFIX, width)
    claims = {number: monitor(part(example_2, number), width) for number in (1, 2)}
    joined = {(v, i) for number, claimed in claims.items() for v, i in claimed if number in example_2(v)}
    assert joined == whole == {((5, 1), 1)}
    assert ((7, 5), 0) in claims[1]
    assert ((5, 7), 2) in claims[2]


@pytest.mark.parametrize(
    "strategy",
    [
        lambda v: {v[0] % 3},
        lambda v: {v[0] % 2, (v[1] + 1) % 4},
        lambda v: {k for k, values in enumerate(({0, 1, 5, 7}, {5, 2, 3}, set(DOMAIN) - {0})) if v[1] in values},
    ],
    ids=["one variable", "several slices own a valuation", "overlapping slicing sets"],
)
def test_any_strategy_slices_correctly(strategy: Strategy) -> None:
    """S5, S10: for any f with non-empty values, single-variable slicers with overlapping sets included."""
    numbers = {k for v in product(DOMAIN, repeat=2) for k in strategy(v)}
    for width in (1, 5, 9, 10):
        parts = {number: monitor(part(strategy, number), width) for number in numbers}
        joined = {(v, i) for number, claimed in parts.items() for v, i in claimed if number in strategy(v)}
        assert joined == monitor(PREFIX, width)
