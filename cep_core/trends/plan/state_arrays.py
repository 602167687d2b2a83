"""The states of a template as arrays: numbers 0..S-1, and the edges between them (GRETA, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from cep_core.arrays import Flags, Ints

MOST_STATES = 64
"""The states of a template are bits of one machine word."""


class StateArrays(NamedTuple):
    """A template (GRETA, Algorithm 1) over states 0..S-1; edges with comparisons stand in `Comparisons`.

    `predecessors[first_predecessor[s]:first_predecessor[s + 1]]` are the states from which an edge without a
    comparison leads to s. `successors` has the states to which such an edge leads from s.
    """

    start: Flags
    end: Flags
    first_predecessor: Ints
    predecessors: Ints
    first_successor: Ints
    successors: Ints


def automaton(states: int, start: Iterable[int], end: Iterable[int], edges: Iterable[tuple[int, int]]) -> StateArrays:
    """The template with these start states, end states, and edges without a comparison.

    >>> automaton(2, [0], [1], [(0, 0), (0, 1), (1, 0)]).predecessors  # (SEQ(A+, B))+: A after A and B, B after A
    array([0, 1, 0])
    """
    before = sorted((target, source) for source, target in edges)
    after = sorted((source, target) for target, source in before)
    return StateArrays(
        start=_flags(states, start),
        end=_flags(states, end),
        first_predecessor=_firsts(states, [target for target, _ in before]),
        predecessors=np.array([source for _, source in before], dtype=np.int64),
        first_successor=_firsts(states, [source for source, _ in after]),
        successors=np.array([target for _, target in after], dtype=np.int64),
    )


def bits(states: Iterable[int]) -> int:
    """The states as bits of a word.

    >>> bits([0, 2])
    5
    """
    word = 0
    for state in states:
        word |= 1 << state
    return word


def _flags(size: int, places: Iterable[int]) -> Flags:
    flags = np.zeros(size, dtype=np.bool_)
    flags[list(places)] = True
    return flags


def _firsts(size: int, owners: list[int]) -> Ints:
    counts = np.bincount(np.array(owners, dtype=np.int64), minlength=size)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
