"""The future of every partial match in a run that drops nothing: its matches, and the work that they need.

A partial match is useful as long as it, or a descendant, will still become a match. What it costs later is useless
work. The `worth` and the `work` of a partial match include those of all its descendants.

Cost: O((partial matches + matches) log) once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Flags, Floats, Ints
from cep_core.shedding.operator_run import OperatorRun


@dataclass(frozen=True)
class Clairvoyance:
    """`recorded`: a run that dropped nothing and recorded its nodes. `kept`: [matches] which count; None: all."""

    recorded: OperatorRun
    kept: Flags | None = None

    def keeping(self, kept: Flags) -> Clairvoyance:
        """The same run, if only some matches count."""
        return Clairvoyance(self.recorded, kept)

    @property
    def nodes(self) -> int:
        return self.recorded.nodes

    @property
    def parent(self) -> Ints:
        """[nodes] the partial match that each came from; -1: none."""
        return self.recorded.account.parent[: self.nodes]

    @property
    def match_pattern(self) -> Ints:
        """[matches] the pattern of each match."""
        return self.recorded.match_columns()[0]

    @cached_property
    def worth(self) -> Ints:
        """[nodes] the matches that each and its descendants become."""
        worth = np.bincount(self.recorded.account.match_node[self._wanted], minlength=self.nodes)
        _add_up(self.parent, worth)
        return worth

    @cached_property
    def _wanted(self) -> Ints:
        """The numbers of the matches that count."""
        return np.arange(self.recorded.matches) if self.kept is None else np.flatnonzero(self.kept)

    @cached_property
    def useful(self) -> Ints:
        """[nodes] the cost of each alone, up to the last event that one of its matches needs."""
        account, matches = self.recorded.account, self._wanted
        useful = np.zeros(self.nodes, np.int64)
        np.maximum.at(useful, account.match_node[matches], account.match_spent[matches])
        born = np.flatnonzero((self.worth > 0) & (self.parent >= 0))
        np.maximum.at(useful, self.parent[born], account.born_at[born])
        return useful

    @cached_property
    def work(self) -> Ints:
        """[nodes] the same, including all descendants."""
        work = self.useful.copy()
        _add_up(self.parent, work)
        return work

    @cached_property
    def spent(self) -> Ints:
        """[nodes] what each and its descendants cost, useful or not."""
        spent = self.recorded.spent_by_node()
        _add_up(self.parent, spent)
        return spent

    def shares(self, before: Ints, after: Ints) -> Floats:
        """[matches] the share of each match in the useful work that was done from one moment to a later one.

        `before`, `after`: [nodes] what each partial match alone had cost by then. A meeting's cost is divided equally
        among the matches that need it.
        """
        shares = np.zeros(len(self.match_pattern))
        _divide(self.worth, before, after, self._carried, shares)
        return shares

    @cached_property
    def _carried(self) -> Carriers:
        """The carriers of the matches of each node."""
        account, matches = self.recorded.account, self._wanted
        born = np.flatnonzero((self.worth > 0) & (self.parent >= 0))
        node = np.concatenate([self.parent[born], account.match_node[matches]])
        source = np.concatenate([born, -1 - matches])
        needs = np.concatenate([account.born_at[born], account.match_spent[matches]])
        count = np.concatenate([self.worth[born], np.ones(len(matches), np.int64)])
        order = np.lexsort((needs, node))
        first = np.searchsorted(node[order], np.arange(self.nodes + 1))
        return Carriers(first.astype(np.int64), source[order], needs[order], count[order])


class Carriers(NamedTuple):
    """How the matches of each of n nodes go on, in order of time. A carrier is a child, or the match itself.

    The carriers of node i are at places first[i] to first[i + 1].
    """

    first: Ints
    """[n + 1] where the carriers of each node begin."""
    source: Ints
    """The number of the child; of match m it is -1 - m."""
    needs: Ints
    """What the node alone has cost by then."""
    matches: Ints
    """The number of matches that are carried on."""


@njit(cache=True)
def _add_up(parent: Ints, values: Ints) -> None:
    """Adds to each node the values of its descendants. Children have larger numbers than their parents."""
    for node in range(parent.shape[0] - 1, -1, -1):
        if parent[node] >= 0:
            values[parent[node]] += values[node]


@njit(cache=True)
def _divide(worth: Ints, before: Ints, after: Ints, carried: Carriers, shares: Floats) -> None:
    """The share of each match in the work from `before` to `after`. Every match of a node has the node's share."""
    first, source, needs, matches = carried
    of_node = np.zeros(worth.shape[0])
    for node in range(worth.shape[0]):
        matches_left = worth[node]
        covered = 0
        for item in range(first[node], first[node + 1]):
            piece = min(needs[item], after[node]) - max(covered, before[node])
            if piece > 0:
                of_node[node] += piece / matches_left
            covered = max(covered, needs[item])
            matches_left -= matches[item]
            if source[item] >= 0:
                of_node[source[item]] = of_node[node]
            else:
                shares[-1 - source[item]] = of_node[node]
