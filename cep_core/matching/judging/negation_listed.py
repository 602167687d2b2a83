"""Judges negations on listed matches, where no edge of the event graph can show whether a negation is violated.

Each gap in which a match excludes a negated element is a zone: the rows strictly between two neighbours, or between an
event and the edge of the window. The events in the zone that could belong to the element are paired with the match.
The element's tests are evaluated on these pairs. The pairs that pass are given to the element's automaton in time
order. A test of `b[i]` must hold for every i, and a test that mentions an absent event is ignored.

Cost: the candidates of the element inside the zones of all matches listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.language.patterns.automata.automaton import Automaton
from cep_core.matching.arrays.negation_edges import advance
from cep_core.matching.arrays.network import Network, any_state
from cep_core.matching.arrays.paths import Bound, Paths
from cep_core.matching.judging.quantities import Matches
from cep_core.matching.plan.negation import NegatedElement

PAIRS = 1 << 20
"""The largest number of pairs in one batch; a single zone may have more."""


@dataclass(frozen=True)
class Zones:
    """z zones: zone k is rows begin[k]:end[k] of match number owner[k]."""

    owner: Ints
    begin: Ints
    end: Ints

    def take(self, wanted: Ints | slice) -> Zones:
        return Zones(self.owner[wanted], self.begin[wanted], self.end[wanted])


def violated(
    negation: NegatedElement,
    network: Network,
    automaton: Automaton,
    paths: Paths,
    matches: Matches,
    window: tuple[Ints, Ints],
    ties: tuple[Ints, Ints],
) -> Flags:
    """For each listed match, whether the negated element occurs in one of its zones.

    `network`: of the element (`negation_edges.negated_network`). `automaton`: of the pattern. `window`: for each match,
    the first row of its window and the first row after it. `ties`: for each row, the first row at the same time and
    the first later row.
    """
    bad = np.zeros(len(paths), np.bool_)
    candidate = np.concatenate([[0], np.cumsum(any_state(network.fits))])
    rows = np.flatnonzero(any_state(network.fits))
    zones = _zones(negation, automaton, paths, window, ties)
    # convert rows to places among the candidates
    zones = Zones(zones.owner, candidate[zones.begin], candidate[np.maximum(zones.end, zones.begin)])
    zones = zones.take(np.flatnonzero(zones.end > zones.begin))
    for chunk in _chunks(zones):
        lengths = chunk.end - chunk.begin
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        place = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - chunk.begin, lengths)
        fits = tested(negation, network, rows[place], np.repeat(chunk.owner, lengths), matches)
        bad[chunk.owner[_happens(network, rows[place], fits, offsets)]] = True
    return bad


def _zones(
    negation: NegatedElement, automaton: Automaton, paths: Paths, window: tuple[Ints, Ints], ties: tuple[Ints, Ints]
) -> Zones:
    lows, highs = window
    as_early, later = ties
    states = len(automaton.variables)
    between = np.zeros((states, states), np.bool_)
    before, after = np.zeros(states, np.bool_), np.zeros(states, np.bool_)
    for place in negation.places:
        if place.source is None:
            before[place.target] = True
        elif place.target is None:
            after[place.source] = True
        else:
            between[place.source, place.target] = True
    owner = np.repeat(np.arange(len(paths)), np.diff(paths.offsets))
    inside = np.flatnonzero(owner[1:] == owner[:-1])
    inside = inside[between[paths.states[inside], paths.states[inside + 1]]]
    begins, ends = paths.offsets[:-1], paths.offsets[1:] - 1
    leading, trailing = np.flatnonzero(before[paths.states[begins]]), np.flatnonzero(after[paths.states[ends]])
    return Zones(
        np.concatenate([owner[inside], leading, trailing]),
        np.concatenate([later[paths.rows[inside]], lows[leading], later[paths.rows[ends[trailing]]]]),
        np.concatenate([as_early[paths.rows[inside + 1]], as_early[paths.rows[begins[leading]]], highs[trailing]]),
    )


def _chunks(zones: Zones) -> Iterator[Zones]:
    total = np.cumsum(zones.end - zones.begin)
    begin = 0
    while begin < len(total):
        before = total[begin - 1] if begin else 0
        end = max(int(np.searchsorted(total, before + PAIRS, side="right")), begin + 1)
        yield zones.take(slice(begin, end))
        begin = end


def tested(negation: NegatedElement, network: Network, rows: Ints, owner: Ints, matches: Matches) -> Flags:
    """[pairs, S] the states of the element in which the row of each pair passes the element's tests with its match."""
    fits = network.fits[rows]
    for test in negation.tests:
        bound = {name: _of_pairs(matches.bound[name], owner) for name in test.others}
        bound[test.variable] = Bound(np.arange(len(rows) + 1), rows)
        pairs = Matches(matches.events, bound, matches.lists, len(rows))
        good = pairs.judge(test.expression)
        states = [name == test.variable for name in negation.automaton.variables]
        fits &= good[:, None] | ~np.array(states)[None, :]
    return fits


def _of_pairs(bound: Bound, owner: Ints) -> Bound:
    """For each pair, the variable's events in the match of the pair."""
    lengths = bound.lengths[owner]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    places = np.repeat(bound.offsets[owner] - offsets[:-1], lengths) + np.arange(offsets[-1])
    return Bound(offsets, bound.rows[places])


@njit(cache=True)
def _happens(network: Network, rows: Ints, fits: Flags, offsets: Ints) -> Flags:
    """For each zone k, whether the element occurs in its pairs offsets[k]:offsets[k + 1]."""
    states = fits.shape[1]
    happens = np.zeros(offsets.shape[0] - 1, np.bool_)
    longest = 0
    for k in range(happens.shape[0]):
        longest = max(longest, offsets[k + 1] - offsets[k])
    members, sizes = np.empty((states, longest), np.int64), np.zeros(states, np.int64)
    for k in range(happens.shape[0]):
        sizes[:] = 0
        for pair in range(offsets[k], offsets[k + 1]):
            if advance(network, rows[pair], fits[pair], members, sizes):
                happens[k] = True
                break
    return happens


def tied_rows(offsets: Ints, tick: Ints) -> tuple[Ints, Ints]:
    """For each row, the first row of its partition with the same tick, and the first row after that tick.

    >>> [rows.tolist() for rows in tied_rows(np.array([0, 2, 4]), np.array([1, 1, 1, 2]))]
    [[0, 0, 2, 3], [2, 2, 3, 4]]
    """
    new = np.ones(len(tick) + 1, np.bool_)
    new[1:-1] = tick[1:] != tick[:-1]
    new[offsets] = True
    borders = np.flatnonzero(new)
    lengths = np.diff(borders)
    return np.repeat(borders[:-1], lengths), np.repeat(borders[1:], lengths)
