"""Fenwick trees whose cells are rows: one tree for each compared edge of a block, over the ranks of its sources.

A cell holds the sum of rows entered at its ranks, so a prefix of ranks takes O(log n) cells. An edge that asks for
equal values reads one cell, and enters one.
"""

from __future__ import annotations

from typing import NamedTuple

from cep_core.arrays import NOTHING, Flags, Ints
from cep_core.inner_kernels import inner
from cep_core.numbers.limb_rows import Part, Rows, add, everything, rows_of


class Trees(NamedTuple):
    """The trees. The tree of edge c has cells[c] cells, from row c * height + 1 on."""

    rows: Rows
    height: int
    cells: Ints
    equal: Flags


@inner
def trees_of(cells: Ints, equal: Flags, words: int, minima: int) -> Trees:
    """Empty trees."""
    height = 1
    for count in cells:
        height = max(height, int(count) + 1)
    return Trees(rows_of(cells.shape[0] * height, words, minima), height, cells, equal)


@inner
def enter(trees: Trees, edge: int, at: int, rows: Rows, row: int, part: Part) -> None:
    """Add a row to the tree of an edge at rank `at`. Rank 0 adds nothing."""
    cells = trees.cells[edge]
    while 0 < at <= cells:
        add(trees.rows, edge * trees.height + at, rows, row, part)
        at = cells + 1 if trees.equal[edge] else at + (at & -at)


@inner
def add_up(trees: Trees, edge: int, at: int, rows: Rows, row: int, part: Part) -> None:
    """Add to a row the sum of an edge's tree over ranks 1..at, or of rank `at` alone if it asks for equal ranks."""
    while at > 0:
        add(rows, row, trees.rows, edge * trees.height + at, part)
        at = 0 if trees.equal[edge] else at & (at - 1)


@inner
def clear(trees: Trees, edge: int, at: int) -> None:
    """Clear the cells that an entry at rank `at` changed."""
    cells = trees.cells[edge]
    while 0 < at <= cells:
        trees.rows.words[edge * trees.height + at] = 0
        trees.rows.minima[edge * trees.height + at] = NOTHING
        at = cells + 1 if trees.equal[edge] else at + (at & -at)


@inner
def cut_off(trees: Trees, edge: int, ranks: Ints, kept: Rows, row: int, floor: int, since: int, committed: int) -> None:
    """Remove the vertices before `since` from a tree that holds the vertices floor..committed-1.

    The tree is cleared, and the vertices that stay are entered again; their rows in `kept` begin at `row`. A negated
    match cuts off everything before its start. Consecutive cutting matches overlap in at most as many vertices as a
    match has events. So each vertex is entered again a bounded number of times: O(n log n) in all.
    """
    all_lanes = everything(kept)
    for i in range(floor, committed):
        clear(trees, edge, ranks[i])
    for i in range(since, committed):
        enter(trees, edge, ranks[i], kept, row + i, all_lanes)
