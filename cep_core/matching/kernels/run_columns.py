"""Writes the matches of a chain (`MatchPlan.is_chain`) from the forest of runs into the columns of the result.

A match of a chain walks through the states one after another, so its events come in the order in which columns hold
them. Each column is written once: memory that is reserved beyond its values is never touched. Cost: the length of the
matches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Ints
from cep_core.matching.kernels.runs import Forest, Nodes, row_of


class RunColumns(NamedTuple):
    """n matches: state s of match k binds values[s][offsets[s, k]:offsets[s, k + 1]], by seq."""

    first_ts: Ints
    last_ts: Ints
    offsets: npt.NDArray[np.int32]
    values: tuple[Ints, ...]

    @property
    def last(self) -> Ints:
        """The last event of each match, by seq."""
        values, ends = self.values[-1], self.offsets[-1, 1:]
        return values if len(values) == len(ends) else values[ends - 1]


@njit(cache=True)
def _write(
    forest: Forest, first: Nodes, lengths: Nodes, ts: Ints, seq: Ints, columns: Ints, offsets: npt.NDArray[np.int32]
) -> None:
    """Fills `offsets`, and the rows of `columns`: first_ts, last_ts, then the events of each state."""
    successor, states = forest.successor, offsets.shape[0]
    share = 1.0 / states
    used = np.zeros(states, np.int64)
    for k in range(first.shape[0]):
        node, left = first[k], lengths[k]
        row = row_of(node, share)
        last = row
        columns[0, k] = ts[row]
        for state in range(states):
            place = used[state]
            while left and node - row * states == state:
                columns[2 + state, place] = seq[row]
                place += 1
                left -= 1
                last, node = row, successor[node]
                row = row_of(node, share)
            used[state] = place
            offsets[state, k + 1] = place
        columns[1, k] = ts[last]


def run_columns(forest: Forest, states: int, first: Nodes, lengths: Nodes, ts: Ints, seq: Ints) -> RunColumns:
    """The matches from the nodes `first`, of known lengths."""
    n = len(first)
    most = int(lengths.sum()) - (states - 1) * n  # each state binds an event of every match
    columns, offsets = np.empty((2 + states, most), np.int64), np.empty((states, n + 1), np.int32)
    offsets[:, 0] = 0
    _write(forest, first, lengths, ts, seq, columns, offsets)
    values = tuple(columns[2 + state, : offsets[state, n]] for state in range(states))
    return RunColumns(columns[0, :n], columns[1, :n], offsets, values)
