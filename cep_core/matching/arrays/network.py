"""The event graph for the kernels: columns over candidate rows, the automaton as arrays, comparisons on its edges.

Rows are candidate events, grouped by partition and in (ts, seq) order within each. A node is a (row, state) pair with
`fits[row, state]`. An edge leads from (i, s) to (j, t) if t may follow s, tick[i] < tick[j], and every comparison of
the edge s -> t holds between left[c, i] and right[c, j]. Matches are the paths from a starting to an accepting node.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Ordered
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.candidates.keys import NULL_KEY, OPERATORS, Comparing, compares
from cep_core.inner_kernels import inner
from cep_core.language.patterns.automata.automaton import Automaton

LONG = 96
"""Windows of at most this many rows are scanned instead of kept in trees; partitions of this size need no places."""


Places = npt.NDArray[np.int32]
"""Of 32 bits: a partition has fewer rows."""


class Network(NamedTuple):
    """m rows, S states, E edges, C comparisons.

    `begin[s]:begin[s+1]` are the edges that leave s, the preferred ones first. `condition[e]:condition[e+1]` are the
    comparisons of edge e.
    """

    tick: Ints
    """[m] an event follows another if its tick is larger. The tick is `ts`, or the row if ties are ordered."""
    fits: Flags
    """[m, S] whether the state may bind the event."""
    starts: Flags
    """[m, S] whether a match may begin at the node."""
    accepts: Flags
    """[m, S] whether a match may end at the node."""
    begin: Ints
    target: Ints
    condition: Ints
    operator: Ints
    left: Ints
    """[C, m] keys of the rows as the earlier event."""
    right: Ints
    """[C, m] keys of the rows as the later event."""
    store: Places
    """[C, m] the later event's place 1..n among the keys of its partition; 0 if NULL. Without columns before
    `with_places`, as `query`."""
    query: Places
    """[C, m] the comparison holds between i and j exactly if 0 < store[c, j] <= query[c, i]. -1: there are no places.
    Then the comparison is not by order, it is not alone on its edge, the partition is short, or `with_places` was not
    called for the edge."""
    since: Ints
    """[m, S] a match may begin at the node only if its window does not extend back to this row; -1: no such row.
    Without rows if nothing is forbidden before a match."""


class Ends(NamedTuple):
    """n questions: which matches end at rows[k] and begin in begins[k]:befores[k]?"""

    rows: Ints
    states: Ints
    """The state in which the matches end; ANY_STATE: any accepting state."""
    lows: Ints
    """The first row of the window, for negations before the match."""
    begins: Ints
    """The first row at which a match may begin: lows[k] or later."""
    befores: Ints
    """One past the last row at which a match may begin."""

    def take(self, wanted: Ints | Flags) -> Ends:
        lows = self.lows[wanted]
        begins = lows if self.begins is self.lows else self.begins[wanted]  # most matches may begin where windows do
        return Ends(self.rows[wanted], self.states[wanted], lows, begins, self.befores[wanted])


ANY_STATE = -1


def ends_at(rows: Ints, lows: Ints) -> Ends:
    """Questions for all matches that end at rows[k] in any state and begin at lows[k] or later."""
    return Ends(rows, np.full(len(rows), ANY_STATE, np.int64), lows, lows, rows + 1)


def network_of(
    tick: Ints,
    fits: Flags,
    automaton: Automaton,
    comparisons: Mapping[tuple[int, int], Ordered[Comparing]],
) -> Network:
    """A network of m rows without places; `comparisons`: for each pair of states, those of its edge."""
    on_edges = [comparisons.get(edge, ()) for edge in automaton.edges]
    flat = [comparison for on_edge in on_edges for comparison in on_edge]
    begin, target = automaton.edge_arrays
    operator = np.array([OPERATORS[name] for name, _, _ in flat], np.int64)
    return Network(
        tick=tick,
        fits=fits,
        starts=_only(fits, automaton.starts),
        accepts=_only(fits, automaton.accepts),
        begin=begin,
        target=target,
        condition=np.cumsum([0, *(len(on_edge) for on_edge in on_edges)]),
        operator=operator,
        left=_stacked([left for _, left, _ in flat], len(tick)),
        right=_stacked([right for _, _, right in flat], len(tick)),
        store=np.empty((len(flat), 0), np.int32),
        query=np.empty((len(flat), 0), np.int32),
        since=np.empty((0, fits.shape[1]), np.int64),
    )


def _stacked(columns: Ordered[Ints], rows: int) -> Ints:
    """[columns, rows] of whole numbers; one column that kernels can read as it is, is not copied."""
    if len(columns) == 1 and columns[0].flags.writeable and columns[0].flags.c_contiguous:
        return columns[0][np.newaxis]
    stacked = np.empty((len(columns), rows), np.int64)
    for place, column in enumerate(columns):
        stacked[place] = column
    return stacked


def _only(fits: Flags, states: Iterable[int]) -> Flags:
    """[m, S] the flags of some states."""
    flags = np.zeros_like(fits)
    for state in states:
        flags[:, state] = fits[:, state]
    return flags


def with_places(network: Network, offsets: Ints, edges: Flags | None = None) -> Network:
    """The network with the places of its keys in long partitions, on these edges or on all. Only trees read places.

    Cost: a sort of the keys, or a counting pass if the keys are close together.
    """
    counts = np.diff(network.condition)
    chosen = np.repeat((counts == 1) & (True if edges is None else edges), counts)
    if not chosen.any():
        return network
    store, query = np.zeros(network.left.shape, np.int32), np.full(network.left.shape, -1, np.int32)
    _rank(offsets, network.operator, chosen, network.left, network.right, store, query)
    return network._replace(store=store, query=query)


@njit(cache=True)
def any_state(flags: Flags) -> Flags:
    """[m] whether any of the flags [m, S] of a row is set."""
    any_set = np.zeros(flags.shape[0], np.bool_)
    for row in range(flags.shape[0]):
        for s in range(flags.shape[1]):
            any_set[row] |= flags[row, s]
    return any_set


@njit(cache=True)
def _rank(offsets: Ints, operator: Ints, wanted: Flags, left: Ints, right: Ints, store: Places, query: Places) -> None:
    """Fills `store` and `query` with places among the distinct keys of each partition; < and > then read alike."""
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


@inner
def _place_close(
    operator: int, counted: Ints, least: int, left: Ints, right: Ints, query: Places, store: Places
) -> None:
    """The places of a partition's rows, if few keys are missing between the least and the largest."""
    n, most = counted[-1], least + counted.shape[0] - 2  # written in this way to avoid overflow
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


@inner
def _place_apart(operator: int, distinct: Ints, left: Ints, right: Ints, query: Places, store: Places) -> None:
    """The places of a partition's rows, by binary search in the distinct keys."""
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
        # Numba needs `side` as a literal
        position = (
            np.searchsorted(distinct, key, side="right") if itself else np.searchsorted(distinct, key, side="left")
        )
        query[row] = n - position if falling else position


@inner
def _distinct(keys: Ints) -> tuple[Ints, Ints, np.int64]:
    """The distinct keys in order, or, if they are close together, the number of them below each key from the least on.

    In the second case the first array is empty, otherwise the second array is empty. Also returns the least key.
    """
    least, most, seen = np.int64(0), np.int64(0), False
    for key in keys:
        if key != NULL_KEY:
            least, most = (min(least, key), max(most, key)) if seen else (key, key)
            seen = True
    nothing: Ints = np.empty(0, np.int64)
    span = np.float64(most) - np.float64(least)
    if seen and span > 4.0 * keys.shape[0]:
        distinct: Ints = np.unique(keys)
        return distinct[1:] if distinct[0] == NULL_KEY else distinct, nothing, least
    counted: Ints = np.zeros((most - least if seen else 0) + 2, np.int64)
    for key in keys:
        if key != NULL_KEY:
            counted[key - least + 1] = 1
    for k in range(1, counted.shape[0]):
        counted[k] += counted[k - 1]
    return nothing, counted, least


@njit(cache=True)
def begins(starts: Flags, since: Ints, row: int, state: int, low: int) -> bool:
    """Whether a match whose window starts at row `low` may begin at a node. Arguments: arrays of a Network."""
    return starts[row, state] and (since.shape[0] == 0 or since[row, state] < low)


@inner
def holds(condition: Ints, operator: Ints, left: Ints, right: Ints, edge: int, earlier: int, later: int) -> bool:
    """Whether every comparison of an edge holds between two rows. Arguments: arrays of a Network, unpacked once."""
    for c in range(condition[edge], condition[edge + 1]):
        if not compares(operator[c], left[c, earlier], right[c, later]):
            return False
    return True
