"""A pattern as a Markov chain with rewards: how likely a partial match completes, and what it still costs.

pSPICE, section III-C. With j events left in the window, a partial match in state s completes with probability P(s, j) =
T^j(s, m). Its remaining processing time is tau(s, j) = sum over s' of T(s, s') * (R(s, s') + tau(s', j - 1)), with
tau(s, 0) = 0. This is value iteration on Bellman's equation; the final state costs nothing. Only the last column of T^j
and one value for each state are carried from j to j + 1, so no matrix is raised to a power. Every `size`-th row is
kept.

`trend_counts` computes the same recurrences for partial matches that branch: the expected matches of a partial match
and all its descendants, and what all of them cost.

Cost: O(events left * m^2). Sums run in one order, so that the same input gives the same bits anywhere.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Floats

MOST = 1e300
"""Expected counts are capped here, because they may grow exponentially with the window."""


@njit(cache=True)
def completion_and_time(transitions: Floats, rewards: Floats, left: int, size: int) -> tuple[Floats, Floats]:
    """P and tau, [left // size + 1, m]: row r is for r * size events left.

    >>> thirds = np.array([[2, 1, 0, 0], [0, 2, 1, 0], [0, 0, 2, 1], [0, 0, 0, 3]]) / 3
    >>> completion_and_time(thirds, np.ones((4, 4)), 3, 1)[0][3].round(4).tolist()
    [0.037, 0.2593, 0.7037, 1.0]
    """
    states = transitions.shape[0]
    rows = left // size + 1
    probability = np.zeros((rows, states))
    time = np.zeros((rows, states))
    completing, spent, reward = np.zeros(states), np.zeros(states), np.zeros(states)
    next_completing, next_spent = np.zeros(states), np.zeros(states)
    completing[states - 1] = 1.0
    probability[0, states - 1] = 1.0
    for s in range(states - 1):
        for target in range(states):
            reward[s] += transitions[s, target] * rewards[s, target]
    for j in range(1, (rows - 1) * size + 1):
        for s in range(states - 1):
            likelihood, cost = 0.0, 0.0
            for target in range(states):
                likelihood += transitions[s, target] * completing[target]
                cost += transitions[s, target] * spent[target]
            next_completing[s] = likelihood
            next_spent[s] = reward[s] + cost
        for s in range(states - 1):
            completing[s] = next_completing[s]
            spent[s] = next_spent[s]
        if j % size == 0:
            probability[j // size] = completing
            time[j // size] = spent
    return probability, time


def multiplications(states: int, left: int, size: int) -> int:
    """The number of products that `completion_and_time` adds up: the cost of building a model on any machine."""
    steps = left // size * size
    return (states - 1) * states * (2 * steps + 1)


@njit(cache=True)
def trend_counts(offspring: Floats, cost: Floats, left: int, size: int) -> tuple[Floats, Floats]:
    """Expected matches and expected cost of a partial match that stays and branches, [left // size + 1, m].

    `offspring`: B(s, s'). `cost`: of one meeting in each state. N(s, j) = N(s, j - 1) + sum of B(s, s') * N(s', j - 1),
    where the final state counts 1 and is over at once.
    """
    states = offspring.shape[0]
    rows = left // size + 1
    counts, costs = np.zeros((rows, states)), np.zeros((rows, states))
    expected, spent = np.zeros(states), np.zeros(states)
    next_expected, next_spent = np.zeros(states), np.zeros(states)
    expected[states - 1] = 1.0
    counts[0, states - 1] = 1.0
    for j in range(1, (rows - 1) * size + 1):
        for s in range(states - 1):
            count, total = expected[s], cost[s] + spent[s]
            for target in range(states):
                count += offspring[s, target] * expected[target]
                total += offspring[s, target] * spent[target]
            next_expected[s] = min(count, MOST)
            next_spent[s] = min(total, MOST)
        for s in range(states - 1):
            expected[s] = next_expected[s]
            spent[s] = next_spent[s]
        if j % size == 0:
            counts[j // size] = expected
            costs[j // size] = spent
    return counts, costs


@njit(cache=True)
def between_rows(rows: Floats, size: int, state: int, left: float) -> float:
    """A table at any number of events left: linear between the two kept rows around it, then the last row."""
    place = left / size
    row = int(place)
    if row >= rows.shape[0] - 1:
        return rows[rows.shape[0] - 1, state]
    return rows[row, state] + (rows[row + 1, state] - rows[row, state]) * (place - row)
