"""What partial matches were seen to do: observations <pattern, state, state after, time> (pSPICE, section III-C).

Every meeting of an event and a partial match is one observation. Under skip-till-any-match a partial match stays when a
new one comes from it. There the observation is the step forward, so that the chain tells how likely a partial match
completes at least once. After enough observations, their relative frequencies are the transition matrix, and their mean
times are the reward function.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cep_core.arrays import Floats, Ints


@dataclass(frozen=True)
class Observations:
    """The observations of one pattern with m states."""

    moves: Ints
    """[m, m] observations from each state to each other."""
    times: Ints
    """[m, m] their times, summed, in virtual nanoseconds."""
    births: Ints
    """[m, m] new partial matches: by the state of the old one and of the new one."""

    @property
    def count(self) -> int:
        """Observations in all."""
        return int(self.moves.sum())

    def transitions(self) -> Floats:
        """The transition matrix T, m x m. A state that was never observed, and the final one, are never left.

        >>> observed([(0, 0, 5), (0, 0, 5), (0, 1, 8)], states=2).transitions().tolist()
        [[0.6666666666666666, 0.3333333333333333], [0.0, 1.0]]
        """
        return _frequencies(self.moves)

    def rewards(self) -> Floats:
        """R(s, s'): the mean time of each transition; for one never seen, the mean time of its first state."""
        meetings, spent = self.moves.sum(axis=1, keepdims=True), self.times.sum(axis=1, keepdims=True)
        of_state = spent / np.maximum(meetings, 1)
        seen = self.moves > 0
        return np.where(seen, self.times / np.maximum(self.moves, 1), of_state)

    def offspring(self) -> Floats:
        """B(s, s'): how many partial matches of state s' one of state s adds by meeting one event, on average."""
        return self.births / np.maximum(self.moves.sum(axis=1, keepdims=True), 1)

    def since(self, earlier: Observations) -> Observations:
        """The observations made since an earlier state of the same counts."""
        return Observations(self.moves - earlier.moves, self.times - earlier.times, self.births - earlier.births)


def observed(observations: Iterable[tuple[int, int, int]], states: int) -> Observations:
    """From single observations (state, state after, time)."""
    moves, times = np.zeros((states, states), np.int64), np.zeros((states, states), np.int64)
    for state, after, time in observations:
        moves[state, after] += 1
        times[state, after] += time
    return Observations(moves, times, np.zeros_like(moves))


def observations_of(moves: Ints, births: Ints, cost: Ints) -> Observations:
    """From an operator's counts: [L, m] moves and births from each state but the final one, [L] cost of each."""
    states = len(cost) + 1
    whole = np.zeros((2, states, states), np.int64)
    whole[0, :-1], whole[1, :-1] = moves[:, :states], births[:, :states]
    return Observations(whole[0], whole[0] * np.append(cost, 0)[:, None], whole[1])


def _frequencies(moves: Ints) -> Floats:
    meetings = moves.sum(axis=1, keepdims=True)
    identity = np.eye(len(moves))
    matrix = np.where(meetings > 0, moves / np.maximum(meetings, 1), identity)
    matrix[-1] = identity[-1]
    return matrix
