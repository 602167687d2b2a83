"""The event graph as the kernels see it: columns over candidate rows, an automaton as arrays, conditions on its edges.

Rows are candidate events grouped by partition, in (ts, seq) order inside one. A node is a (row, state) pair with
`fits[row, state]`; an edge leads from (i, s) to (j, t) if t may follow s, tick[i] < tick[j], and every comparison of
the edge s -> t holds between left[c, i] and right[c, j]. Matches are the paths from a starting to an accepting state.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Ordered
from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.candidates.keys import NULL_KEY, OPERATORS, Comparing, compares
from cep_core.language.patterns.automata.automaton import Automaton

LONG = 96
"""Windows of at most so many rows are scanned rather than kept in trees; partitions of so few need no places."""


class Network(NamedTuple):
    """m rows, S states, E edges, C comparisons.

    `begin[s]:begin[s+1]` are the edges that leave s, most preferred first; `condition[e]:condition[e+1]` the
    comparisons of edge e.
    """

    tick: Ints
    """[m] an event follows another if its tick is larger: `ts`, or the row itself where ties are ordered."""
    fits: Flags
    """[m, S] whether the event may be bound in the state."""
    starts: Flags
    """[m, S] whether a match may begin at the node."""
    accepts: Flags
    """[m, S] whether a match may end there."""
    begin: Ints
    target: Ints
    condition: Ints
    operator: Ints
    left: Ints
    """[C, m] keys of the rows as the earlier event."""
    right: Ints
    """[C, m] keys of the rows as the later event."""
    store: Ints
    """[C, m] 1..n: the later event's place among the keys of its partition, 0 if NULL."""
    query: Ints
    """[C, m] the comparison holds between i and j exactly if 0 < store[c, j] <= query[c, i]; -1: it is no comparison by
    order that is alone on its edge, the partition has no long window, or nobody asked for places (`with_places`)."""
    since: Ints
    """[m, S] a match may begin at the node only if it does not look back to this row; -1: however far. Without rows
    where nothing is forbidden before a match."""


class Ends(NamedTuple):
    """n questions: which matches end at rows[k] and begin at begins[k] or later, before befores[k]?"""

    rows: Ints
    states: Ints
    """The state in which they end; ANY_STATE: whichever accepts."""
    lows: Ints
    """The first row of the window: so far they look back."""
    begins: Ints
    """lows[k] or later."""
    befores: Ints

    def take(self, wanted: Ints | Flags) -> Ends:
        return Ends(*(column[wanted] for column in self))


ANY_STATE = -1


def ends_at(rows: Ints, lows: Ints) -> Ends:
    """The questions about all matches that end at rows[k] in any state and begin at lows[k] or later."""
    return Ends(rows, np.full(len(rows), ANY_STATE, np.int64), lows, lows, rows + 1)


def network_of(
    tick: Ints,
    fits: Flags,
    automaton: Automaton,
    comparisons: Mapping[tuple[int, int], Ordered[Comparing]],
) -> Network:
    """A network of m rows without places; `comparisons` are those of the edge between two states."""
    states = range(len(automaton.variables))
    on_edges = [comparisons.get(edge, ()) for edge in automaton.edges]
    flat = [comparison for on_edge in on_edges for comparison in on_edge]
    keys = np.empty((2, len(flat), len(tick)), np.int64)
    for c, (_, left, right) in enumerate(flat):
        keys[0, c], keys[1, c] = left, right
    operator = np.array([OPERATORS[name] for name, _, _ in flat], np.int64)
    return Network(
        tick=tick,
        fits=fits,
        starts=fits & np.array([state in automaton.starts for state in states], np.bool_),
        accepts=fits & np.array([state in automaton.accepts for state in states], np.bool_),
        begin=np.cumsum([0, *(len(after) for after in automaton.successors)]),
        target=np.array([target for _, target in automaton.edges], np.int64),
        condition=np.cumsum([0, *(len(on_edge) for on_edge in on_edges)]),
        operator=operator,
        left=keys[0],
        right=keys[1],
        store=np.zeros((len(flat), len(tick)), np.int64),
        query=np.full((len(flat), len(tick)), -1),
        since=np.empty((0, fits.shape[1]), np.int64),
    )


def with_places(network: Network, offsets: Ints, edges: Flags | None = None) -> Network:
    """The network with the places of its keys in long partitions, which only trees read: on these edges, or on all.

    Cost: a sort of the keys, or a count where they lie close.
    """
    counts = np.diff(network.condition)
    wanted = np.repeat((counts == 1) & (True if edges is None else edges), counts)
    if not wanted.any():
        return network
    places = network._replace(store=np.zeros_like(network.store), query=np.full_like(network.query, -1))
    _rank(offsets, network.operator, wanted, network.left, network.right, places.store, places.query)
    return places


@njit(cache=True)
def any_state(flags: Flags) -> Flags:
    """[m] whether any of the flags [m, S] of a row is set."""
    found = np.zeros(flags.shape[0], np.bool_)
    for row in range(flags.shape[0]):
        for s in range(flags.shape[1]):
            found[row] |= flags[row, s]
    return found


@njit(cache=True)
def _rank(offsets: Ints, operator: Ints, wanted: Flags, left: Ints, right: Ints, store: Ints, query: Ints) -> None:
    """Fills `store` and `query` with places among the distinct keys of each partition, so that < and > read alike."""
    for c in range(operator.shape[0]):
        if operator[c] < 2 or not wanted[c]:
            continue
        for p in range(offsets.shape[0] - 1):
            low, high = offsets[p], offsets[p + 1]
            if high - low <= LONG:
                continue
            keys = (left[c, low:high], right[c, low:high])
            places = (query[c, low:high], store[c, low:high])
            distinct, counted, least = _distinct(keys[1])
            if counted.shape[0]:
                _place_close(operator[c], counted, least, *keys, *places)
            else:
                _place_apart(operator[c], distinct, *keys, *places)


@njit(cache=True)
def _place_close(operator: int, counted: Ints, least: int, left: Ints, right: Ints, query: Ints, store: Ints) -> None:
    """The places of a partition's rows where few keys are missing between the least and the largest."""
    n, most = counted[-1], least + counted.shape[0] - 2  # so written that nothing overflows
    falling, itself = operator < 4, operator in (2, 5)
    for row in range(left.shape[0]):
        key = right[row]
        if key != NULL_KEY:
            below = counted[key - least]
            store[row] = n - below if falling else below + 1
        key = left[row]
        if key == NULL_KEY:
            query[row] = 0
            continue
        if key < least:
            below = 0
        elif key > most:
            below = n
        else:
            below = counted[key - least + itself]
        query[row] = n - below if falling else below


@njit(cache=True)
def _place_apart(operator: int, distinct: Ints, left: Ints, right: Ints, query: Ints, store: Ints) -> None:
    """The same by searching the distinct keys."""
    n = distinct.shape[0]
    falling, itself = operator < 4, operator in (2, 5)
    for row in range(left.shape[0]):
        key = right[row]
        if key != NULL_KEY:
            below = np.searchsorted(distinct, key, side="left")
            store[row] = n - below if falling else below + 1
        key = left[row]
        if key == NULL_KEY:
            query[row] = 0
            continue
        # a side must be a literal
        found = np.searchsorted(distinct, key, side="right") if itself else np.searchsorted(distinct, key, side="left")
        query[row] = n - found if falling else found


@njit(cache=True)
def _distinct(keys: Ints) -> tuple[Ints, Ints, np.int64]:
    """The distinct keys in order; or, where they lie close, how many of them are below each key from the least one on.

    The first of both arrays is empty then, else the second.
    """
    least, most, known = np.int64(0), np.int64(0), False
    for key in keys:
        if key != NULL_KEY:
            least, most = (min(least, key), max(most, key)) if known else (key, key)
            known = True
    nothing: Ints = np.empty(0, np.int64)
    span = np.float64(most) - np.float64(least)
    if known and span > 4.0 * keys.shape[0]:
        distinct: Ints = np.unique(keys)
        return distinct[1:] if distinct[0] == NULL_KEY else distinct, nothing, least
    counted: Ints = np.zeros((most - least if known else 0) + 2, np.int64)
    for key in keys:
        if key != NULL_KEY:
            counted[key - least + 1] = 1
    for k in range(1, counted.shape[0]):
        counted[k] += counted[k - 1]
    return nothing, counted, least


@njit(cache=True)
def begins(starts: Flags, since: Ints, row: int, state: int, low: int) -> bool:
    """Whether a match that looks back to the row `low` may begin at a node. Arrays of a Network."""
    return starts[row, state] and (since.shape[0] == 0 or since[row, state] < low)


@njit(cache=True)
def holds(condition: Ints, operator: Ints, left: Ints, right: Ints, edge: int, earlier: int, later: int) -> bool:
    """Whether every comparison of an edge holds between two rows. Arrays of a Network, which kernels unpack once."""
    for c in range(condition[edge], condition[edge + 1]):
        if not compares(operator[c], left[c, earlier], right[c, later]):
            return False
    return True
