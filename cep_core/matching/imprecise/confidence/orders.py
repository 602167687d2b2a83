"""The orders in which the events of one possible match may come, and the probability of each.

A condition such as `b[last].x > 3` holds in some orders of a match's events and not in others. So each order is
listed as one path of the automaton, with the probability that the events come in this order within the window.
Conditions on whole matches are judged on each order. The match's confidence is the sum over the orders that pass.

Cost: orders x events x moments; the number of orders depends on how many events overlap. A chain of m events with U
moments each takes O(m U), although it sums up U^m worlds (SASE++, section 5.3). If the window excludes some worlds, it
takes U times as long.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Floats, Ints
from cep_core.inner_kernels import inner
from cep_core.language.budget import UNLIMITED, Budget
from cep_core.matching.arrays.network import Network, holds
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.imprecise.kernels.useful import may_follow
from cep_core.matching.imprecise.kernels.worlds import LOOSE, STRICT, Times, admits


def chain_probability(times: Times, rows: Ints, width: int, steps: Ints | None = None) -> float:
    """The probability that the rows happen one after another, the last at most `width` after the first.

    `steps`: the kind of each step; by default all steps are LOOSE if `times.ordered`, else STRICT.

    >>> from cep_core.matching.imprecise.kernels.worlds import times_of
    >>> three = times_of(np.array([1, 2, 3]), np.array([3, 4, 5]), np.arange(3), ordered=False)
    >>> [round(27 * chain_probability(three, np.arange(3), width)) for width in (2, 3, 9)]
    [3, 7, 10]
    """
    if steps is None:
        steps = np.full(len(rows) - 1, LOOSE if times.ordered else STRICT)
    return float(_within(times, rows, steps, width))


@njit(cache=True)
def _within(times: Times, rows: Ints, steps: Ints, width: int) -> float:
    least, most = times.low[rows].min(), times.high[rows].max()
    if most - least <= width:
        return chain(times, rows, steps, times.low[rows[0]], times.high[rows[0]], most)
    total = 0.0
    for first in range(times.low[rows[0]], times.high[rows[0]] + 1):
        total += chain(times, rows, steps, first, first, min(most, first + width))
    return total


@inner
def chain(times: Times, rows: Ints, steps: Ints, first: int, until_first: int, latest: int) -> float:
    """The probability of the chain with its first row in first..until_first and no row later than `latest`."""
    span = latest - first + 1
    if span <= 0:
        return 0.0
    # before[t]: the probability that the rows so far came in order, the last of them by first + t
    before = np.zeros(span)
    total = 0.0
    for t in range(span):
        if first + t <= until_first:
            total += times.share[rows[0]]
        before[t] = total
    for k in range(1, rows.shape[0]):
        row = rows[k]
        by_seq = times.seq[rows[k - 1]] < times.seq[row]
        total = 0.0
        earlier = 0.0
        for t in range(span):
            now = before[t] - earlier if by_seq else 0.0
            allowed = 0.0
            if admits(steps[k - 1], False):
                allowed += earlier
            if admits(steps[k - 1], True):
                allowed += now
            earlier = before[t]
            if times.low[row] <= first + t <= times.high[row]:
                total += allowed * times.share[row]
            before[t] = total
    return float(before[span - 1])


@njit(cache=True)
def _walk_orders(
    network: Network,
    variable_of: Ints,
    times: Times,
    chosen: Ints,
    variables: Ints,
    rows: Ints,
    states: Ints,
    room: float,
) -> tuple[int, int]:
    """Writes the orders of a match's events, one after another.

    Returns the number of orders, written or not (-1: `room` is exceeded), and the number of prefixes tried.
    """
    n = chosen.shape[0]
    order, state = np.empty(n, np.int64), np.empty(n, np.int64)
    choice = np.zeros(n, np.int64)  # [depth] the next (event, state) to try, as one number
    used = np.zeros(n, np.bool_)
    count = 0
    tried = 0
    depth = 0
    total = n * variable_of.shape[0]
    while depth >= 0:
        if choice[depth] == total:
            choice[depth] = 0
            depth -= 1
            if depth >= 0:
                used[order[depth]] = False
            continue
        event, s = choice[depth] // variable_of.shape[0], choice[depth] % variable_of.shape[0]
        choice[depth] += 1
        row = chosen[event]
        if used[event] or variable_of[s] != variables[event] or not network.fits[row, s]:
            continue
        if depth == 0:
            possible = network.starts[row, s]
        else:
            last, t = chosen[order[depth - 1]], state[depth - 1]
            possible = False
            if may_follow(times, last, row):
                for edge in range(network.begin[t], network.begin[t + 1]):
                    possible |= network.target[edge] == s and holds(
                        network.condition, network.operator, network.left, network.right, edge, last, row
                    )
        if not possible:
            continue
        tried += 1
        if tried > room:
            return -1, tried
        order[depth], state[depth] = event, s
        if depth < n - 1:
            used[event] = True
            depth += 1
        elif network.accepts[row, s]:
            if (count + 1) * n <= rows.shape[0]:
                for d in range(n):
                    rows[count * n + d] = chosen[order[d]]
                    states[count * n + d] = state[d]
            count += 1
    return count, tried


class Orders(NamedTuple):
    """Every order of every match as a path; the job of the path is the match's number."""

    paths: Paths
    chances: Floats
    steps: Ints
    """[match] the steps spent on its orders."""


def orders_of(
    network: Network, variable_of: Ints, kinds: Ints, times: Times, paths: Paths, width: int, budget: Budget = UNLIMITED
) -> Orders:
    """The orders of matches. `kinds`: for each edge, whether it may lead to an event of the same moment.

    Raises WorkExhausted if there are more orders to try than the budget allows.
    """
    kind = between_states(network, kinds)
    pieces, chances = [], []
    took, spent = np.zeros(len(paths), np.int64), 0
    for k, (begin, end) in enumerate(zip(paths.offsets[:-1], paths.offsets[1:], strict=True)):
        chosen, length = paths.rows[begin:end], end - begin
        variables = variable_of[paths.states[begin:end]]
        none = np.empty(0, np.int64)
        room = budget.left(spent)
        count, tried = _walk_orders(network, variable_of, times, chosen, variables, none, none, room)
        if count < 0:
            raise budget.exhausted()
        took[k] = tried * length
        spent += tried * length
        rows, states = np.empty(count * length, np.int64), np.empty(count * length, np.int64)
        _walk_orders(network, variable_of, times, chosen, variables, rows, states, room)
        pieces.append(Paths(rows, states, np.arange(count + 1) * length, np.full(count, k, np.int64)))
        for n in range(count):
            own = slice(n * length, (n + 1) * length)
            steps = kind[states[own][:-1], states[own][1:]]
            chances.append(chain_probability(times, rows[own], width, steps))
    return Orders(Paths.join(pieces), np.array(chances, np.float64), took)


def between_states(network: Network, kinds: Ints) -> Ints:
    """[state, state] the kind of the edge between two states; STRICT if there is none."""
    states = len(network.begin) - 1
    kind = np.full((states, states), STRICT, np.int64)
    kind[np.repeat(np.arange(states), np.diff(network.begin)), network.target] = kinds
    return kind
