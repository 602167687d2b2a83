"""Turns negations into comparisons on the edges of the event graph, so that forbidden matches are never listed.

A negated element occurs strictly between two neighbours i and j if one of its matches begins after i and is complete
before j. If its tests are about i (or it has no tests), take the earliest moment at which a match that begins after i
is complete; the edge exists iff `earliest[i] >= tick[j]`. If its tests are about j, take the latest moment at which a
match that is complete before j begins; the edge exists iff `tick[i] >= latest[j]`. Both are ordinary comparisons
(GRETA, section 5.1, keeps the same two moments for its dependent graphs). Before the first event of a match and after
its last event, the window bounds the negation instead: `Borders`.

Cost for each row next to a negation: the element's candidates that follow it in the window until a match of the element
is complete. If the element's own events are compared with each other: the square of that number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.candidates.keys import NULL_KEY, OPERATORS, Comparing, comparable, compares
from cep_core.candidates.separating import Rows, Sides, limits
from cep_core.inner_kernels import inner
from cep_core.language.patterns.automata.automaton import Automaton
from cep_core.language.patterns.tree import MIRRORED
from cep_core.matching.arrays.network import Network, holds, network_of
from cep_core.matching.plan.conditions import evaluate_conditions
from cep_core.matching.plan.negation import NegatedElement, NeighbourTest, Place

NEVER = int(np.iinfo(np.int64).max)
ALWAYS = NULL_KEY + 1
"""Smaller than any tick."""


@dataclass(frozen=True)
class GraphRows:
    """The data of m candidate rows in partitions that negated elements need."""

    offsets: Ints
    tick: Ints
    clock: Ints
    width: int
    """The largest span of a match on `clock`."""
    columns: Rows
    variables: Mapping[str, Flags]


@dataclass(frozen=True)
class Borders:
    """The limits that negations before the first and after the last event put on the windows of matches."""

    since: Ints
    """[m, S] a match that begins at the node is invalid if its window extends back to this row; -1: no such row.
    Without rows if no negation is before a match."""
    until: Ints
    """[m, S] a match that ends at the node is invalid if its window extends ahead to this row; m: no such row. Without
    rows if no negation is after a match."""


def cuts(
    negations: Sequence[NegatedElement], automaton: Automaton, rows: GraphRows
) -> tuple[dict[tuple[int, int], list[Comparing]], Borders]:
    """The comparisons of each edge, and the borders, that express the countable negations."""
    m, states = len(rows.tick), len(automaton.variables)
    comparisons: dict[tuple[int, int], list[Comparing]] = {}
    before, after = m if automaton.before else 0, m if automaton.after else 0
    borders = Borders(np.full((before, states), -1, np.int64), np.full((after, states), m, np.int64))
    if not negations:
        return comparisons, borders
    neighbours = np.logical_or.reduce([rows.variables[name] for name in automaton.variables])
    for negation in negations:
        if negation.by_place is None:
            continue
        ahead = negated_network(negation, rows)
        back: Network | None = None
        rows_by_tests: dict[tuple[bool, tuple[NeighbourTest, ...]], Ints] = {}
        for place, tests in negation.by_place.items():
            forward = place.source is not None and not _of_target(tests, place, automaton)
            if (forward, tests) not in rows_by_tests:
                if forward:
                    rows_by_tests[forward, tests] = _completions(ahead, rows, neighbours, tests, negation.automaton)
                else:
                    back = back or _mirrored(negation, rows)
                    backward = _completions(back, _mirror(rows), neighbours[::-1], tests, negation.automaton)
                    rows_by_tests[forward, tests] = (m - 1 - backward)[::-1]
            row = rows_by_tests[forward, tests]
            if place.source is None:
                assert place.target is not None
                borders.since[:, place.target] = np.maximum(borders.since[:, place.target], row)
            elif place.target is None:
                borders.until[:, place.source] = np.minimum(borders.until[:, place.source], row)
            elif forward:
                earliest = np.append(rows.tick, NEVER)[row]
                comparisons.setdefault((place.source, place.target), []).append((">=", earliest, rows.tick))
            else:
                latest = np.append(rows.tick, ALWAYS)[row]
                comparisons.setdefault((place.source, place.target), []).append((">=", rows.tick, latest))
    return comparisons, borders


def _of_target(tests: Sequence[NeighbourTest], place: Place, automaton: Automaton) -> bool:
    if not tests or place.target is None:
        return False
    return tests[0].other == automaton.variables[place.target]


def negated_network(negation: NegatedElement, rows: GraphRows) -> Network:
    """The events of a negated element as a network of their own; inner negations become comparisons on its edges."""
    return network_of(rows.tick, _fits(negation, rows), negation.automaton, _comparisons(negation, rows))


def _fits(negation: NegatedElement, rows: GraphRows) -> Flags:
    columns = [rows.variables[name] for name in negation.automaton.variables]
    return np.stack(columns, axis=1) if len(rows.tick) else np.empty((0, len(columns)), np.bool_)


def _comparisons(negation: NegatedElement, rows: GraphRows) -> dict[tuple[int, int], list[Comparing]]:
    comparisons = evaluate_conditions(negation.conditions, negation.automaton, rows.columns).comparisons
    for edge, more in cuts(negation.inner, negation.automaton, rows)[0].items():
        comparisons.setdefault(edge, []).extend(more)
    return comparisons


def _mirror(rows: GraphRows) -> GraphRows:
    """The same rows in reversed time."""
    return GraphRows(
        offsets=(len(rows.tick) - rows.offsets)[::-1],
        tick=-rows.tick[::-1],
        clock=-rows.clock[::-1],
        width=rows.width,
        columns=lambda names: rows.columns(names).take(pa.array(np.arange(len(rows.tick))[::-1])),
        variables={name: flags[::-1] for name, flags in rows.variables.items()},
    )


def _mirrored(negation: NegatedElement, rows: GraphRows) -> Network:
    """The network of a negated element in reversed time."""
    forward = negation.automaton
    predecessors = tuple(tuple(s for s, t in forward.edges if t == state) for state in range(len(forward.variables)))
    starts, accepts = tuple(sorted(forward.accepts)), frozenset(forward.starts)
    automaton = Automaton(forward.variables, starts, predecessors, accepts)
    comparisons = {
        (t, s): [(MIRRORED[name], right[::-1], left[::-1]) for name, left, right in on_edge]
        for (s, t), on_edge in _comparisons(negation, rows).items()
    }
    mirror = _mirror(rows)
    return network_of(mirror.tick, _fits(negation, mirror), automaton, comparisons)


def _completions(
    network: Network, rows: GraphRows, neighbours: Flags, tests: Sequence[NeighbourTest], automaton: Automaton
) -> Ints:
    """For each neighbour, the row at which the first match of the element after it is complete, or m."""
    sides = Sides(rows.columns)
    tests = [test for test in tests if not (limits(test.comparison) and sides.always_fits(test.comparison))]
    keys = np.empty((2, len(tests), len(rows.tick)), np.int64)
    for place, test in enumerate(tests):
        keys[:, place] = comparable(sides.column(test.comparison.left), sides.column(test.comparison.right))
    operators = np.array([OPERATORS[test.comparison.operator] for test in tests], np.int64)
    tested = np.array([[name == test.variable for name in automaton.variables] for test in tests], np.bool_)
    tested = tested.reshape(len(tests), len(automaton.variables))
    offsets = np.ascontiguousarray(rows.offsets)
    return _complete(network, offsets, rows.clock, rows.width, neighbours.copy(), _Tests(operators, tested, *keys))


class _Tests(NamedTuple):
    """t tests that compare an event of the element with the neighbour."""

    operators: Ints
    tested: Flags
    """[t, S] whether the test is about the state of the element."""
    left: Ints
    """[t, m] the key of the row as the neighbour."""
    right: Ints
    """[t, m] the key of the row as the event of the element."""


@njit(cache=True)
def _complete(
    network: Network,
    offsets: Ints,
    clock: Ints,
    width: int,
    neighbours: Flags,
    tests: _Tests,
) -> Ints:
    tick, fits = network.tick, network.fits
    operators, tested, left, right = tests
    m, states = fits.shape
    completions = np.full(m, m, np.int64)
    longest = 0
    for p in range(offsets.shape[0] - 1):
        longest = max(longest, offsets[p + 1] - offsets[p])
    members, sizes = np.empty((states, longest), np.int64), np.zeros(states, np.int64)
    fitting = np.empty(states, np.bool_)
    following = np.full(m + 1, m, np.int64)  # the first row from this one on that fits the element
    for row in range(m - 1, -1, -1):
        following[row] = row if fits[row].any() else following[row + 1]
    for p in range(offsets.shape[0] - 1):
        high = offsets[p + 1]
        for neighbour in range(offsets[p], high):
            if not neighbours[neighbour]:
                continue
            sizes[:] = 0
            row = neighbour
            while following[row + 1] < high:
                row = following[row + 1]
                if clock[row] - clock[neighbour] > width:
                    break
                if tick[row] <= tick[neighbour]:
                    continue
                for s in range(states):
                    fitting[s] = fits[row, s]
                    for k in range(operators.shape[0]):
                        if fitting[s] and tested[k, s]:
                            fitting[s] = compares(operators[k], left[k, neighbour], right[k, row])
                if advance(network, row, fitting, members, sizes):
                    completions[neighbour] = row
                    break
    return completions


@inner
def advance(network: Network, row: int, fitting: Flags, members: Ints, sizes: Ints) -> bool:
    """Extends partial matches with the row in each of the `fitting` states. Returns whether a match is now complete.

    members[s, :sizes[s]]: the last rows of the partial matches in state s, in order; updated.
    """
    tick, starts, accepts, begin, target = (
        network.tick,
        network.starts,
        network.accepts,
        network.begin,
        network.target,
    )
    condition, operator, left, right = network.condition, network.operator, network.left, network.right
    states = starts.shape[1]
    complete = False
    for t in range(states):
        if not fitting[t]:
            continue
        reached = starts[row, t]
        for s in range(states):
            for edge in range(begin[s], begin[s + 1]):
                if reached or target[edge] != t:
                    continue
                for k in range(sizes[s]):
                    earlier = members[s, k]
                    if tick[earlier] >= tick[row]:
                        break
                    if holds(condition, operator, left, right, edge, earlier, row):
                        reached = True
                        break
        if reached:
            members[t, sizes[t]] = row
            sizes[t] += 1
            complete |= accepts[row, t]
    return complete
