"""Fenwick trees whose cells are rows: one for each compared edge of a block, over the ranks of its sources.

A cell holds the sum of the rows that were entered at its ranks, so that a prefix of ranks is O(log n) cells. An edge
that asks for equal values reads one cell, and enters one.
"""

from __future__ import annotations

from typing import NamedTuple

from numba import njit

from cep_core.arrays import NOTHING, Flags, Ints
from cep_core.numbers.limb_rows import Part, Rows, add, everything, rows_of


class Trees(NamedTuple):
    """The tree of edge c: cells[c] cells, from row c * height + 1 on."""

    rows: Rows
    height: int
    cells: Ints
    equal: Flags


@njit(cache=True)
def trees_of(cells: Ints, equal: Flags, words: int, minima: int) -> Trees:
    """Empty trees."""
    height = 1
    for count in cells:
        height = max(height, int(count) + 1)
    return Trees(rows_of(cells.shape[0] * height, words, minima), height, cells, equal)


@njit(cache=True)
def enter(trees: Trees, edge: int, at: int, rows: Rows, row: int, part: Part) -> None:
    """Add a row to an edge's tree, at rank `at` (none: 0)."""
    cells = trees.cells[edge]
    while 0 < at <= cells:
        add(trees.rows, edge * trees.height + at, rows, row, part)
        at = cells + 1 if trees.equal[edge] else at + (at & -at)


@njit(cache=True)
def add_up(trees: Trees, edge: int, at: int, rows: Rows, row: int, part: Part) -> None:
    """Add to a row what an edge's tree holds at ranks 1..at, or at that one alone where equal ranks are asked for."""
    while at > 0:
        add(rows, row, trees.rows, edge * trees.height + at, part)
        at = 0 if trees.equal[edge] else at & (at - 1)


@njit(cache=True)
def clear(trees: Trees, edge: int, at: int) -> None:
    """Empty the cells that an entry at rank `at` has touched."""
    cells = trees.cells[edge]
    while 0 < at <= cells:
        trees.rows.words[edge * trees.height + at] = 0
        trees.rows.minima[edge * trees.height + at] = NOTHING
        at = cells + 1 if trees.equal[edge] else at + (at & -at)


@njit(cache=True)
def cut_off(trees: Trees, edge: int, ranks: Ints, kept: Rows, row: int, floor: int, since: int, committed: int) -> None:
    """Let a tree that holds the vertices floor..committed-1 forget those before `since`; rows `row`.. have kept them.

    It is cleared, and what stays is entered again. A negated match cuts off all that precedes its start, and reaches
    from there to its end; matches that cut one after another overlap in no more vertices than a match has events. So
    every vertex is entered again a bounded number of times: O(n log n) in all.
    """
    whole = everything(kept)
    for i in range(floor, committed):
        clear(trees, edge, ranks[i])
    for i in range(since, committed):
        enter(trees, edge, ranks[i], kept, row + i, whole)
