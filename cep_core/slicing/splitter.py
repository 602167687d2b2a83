"""The splitter: which slices every event goes to (paper 01, Algorithm 1), over whole Arrow columns.

For each atom, events are grouped by which of the atom's variables have a heavy value; a variable that the atom lacks
may be heavy or not. In every cube that its valuations may belong to, a group takes the coordinates of the variables
that it has, and all coordinates of those that it lacks. The slices of an event depend on the event alone, so a log may
be split in any chunks and in any order.

Cost: per event O(atoms * cubes * copies) array operations. Pairs are put in order by marking them among all pairs of
events and cells, or by a sort if these are many more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.arrays import distinct
from cep_core.language.evaluator import Atom
from cep_core.slicing.atom_rows import AtomRows, relevant_rows
from cep_core.slicing.hashing import Keys, keys_of
from cep_core.slicing.shares import subsets
from cep_core.slicing.slicing_plan import Cube, Plan

Numbers = npt.NDArray[np.int64]

MARKS = 1 << 27
"""The most pairs of events and cells that are marked at once: a byte each."""
MARKS_FOR_EACH = 64
"""The most marks for each pair: beyond, sorting the pairs is quicker."""


def split(plan: Plan, events: pa.Table) -> tuple[Numbers, npt.NDArray[np.int32]]:
    """(row, slice) pairs: row numbers into `events` and slice numbers of the plan, ascending by row, then slice.

    `events` needs `event_type`, the attributes of the plan's atoms and, if the plan has time ranges, `ts`. Events that
    no atom matches, or that no range reads, get no slice.
    """
    rows, cells = cells_of(plan, events)
    if plan.ranges:
        rows, cells = _into_ranges(plan, events["ts"].to_numpy(), rows, cells)
        codes = rows * plan.slices + cells
        if np.any(codes[1:] < codes[:-1]):
            order = np.argsort(codes, kind="stable")
            rows, cells = rows[order], cells[order]
    return rows, cells.astype(np.int32)


def cells_of(plan: Plan, events: pa.Table) -> tuple[Numbers, Numbers]:
    """(row, cell) pairs, ascending: the slices of each event in every time range that reads it."""
    if plan.cells == 1:
        rows = relevant_rows(plan.atoms, events)
        return rows, np.zeros(len(rows), np.int64)
    codes = ascending(list(_cell_pairs(plan, events)), events.num_rows * plan.cells)
    return apart(codes, plan.cells)


def slices_of(plan: Plan, events: pa.Table) -> list[tuple[int, ...]]:
    """The slices of each event, to show a few events; `split` is for whole logs.

    Paper 01, Example 8: the triangle on 64 slices, 0 is heavy in P's first attribute, and the hash functions are
    simplified to the modulus. The three events meet in slice 57.

    >>> from cep_core.events.schema import AttributeType
    >>> from cep_core.slicing import optimize_shares
    >>> atoms = (Atom("P", (("a", "x1"), ("b", "x2"))), Atom("Q", (("a", "x2"), ("b", "x3"))),
    ...          Atom("R", (("a", "x3"), ("b", "x1"))))
    >>> shares = optimize_shares(atoms, ("x1", "x2", "x3"), slices=64, heavy=["x1"])
    >>> cubes = tuple(Cube(heavy, vector, (None, None, None)) for heavy, vector in shares.items())
    >>> plan = Plan(("triangle",), atoms, ("x1", "x2", "x3"), (AttributeType.INT,) * 3, cubes, {"x1": pa.array([0])})
    >>> slices = slices_of(plan, pa.table({"event_type": ["P", "Q", "R"], "a": [0, 1, 7], "b": [1, 7, 0]}))
    >>> slices[0]
    (1, 9, 17, 25, 33, 41, 49, 57)
    >>> set(slices[0]) & set(slices[1]) & set(slices[2])
    {57}
    """
    targets: list[list[int]] = [[] for _ in range(events.num_rows)]
    for row, number in zip(*(array.tolist() for array in split(plan, events)), strict=True):
        targets[row].append(number)
    return [tuple(numbers) for numbers in targets]


def _cell_pairs(plan: Plan, events: pa.Table) -> Iterator[Numbers]:
    """Codes row * cells + cell of each atom, heavy group and cube; the same pair may come from several."""
    kinds = dict(zip(plan.variables, plan.types, strict=True))
    columns: dict[tuple[str, str], Keys] = {}
    matches = AtomRows(events)
    for atom in plan.atoms:
        rows = np.flatnonzero(matches.flags(atom))
        keys: dict[str, Keys] = {}
        for attribute, variable in atom.variables:
            if variable in kinds:
                if (attribute, kinds[variable]) not in columns:
                    columns[attribute, kinds[variable]] = keys_of(events[attribute], kinds[variable])[0]
                keys[variable] = columns[attribute, kinds[variable]][rows]
        for own, members in _by_heavy(plan, atom, keys, rows):
            for cube in _possible_cubes(plan, own, keys):
                cells = np.zeros(len(members), np.int64)
                for index, variable in enumerate(plan.variables):
                    if variable in keys and cube.shares[index] > 1:
                        cells += cube.along(index, keys[variable][members])
                free = _all_cells(cube, [index for index, name in enumerate(plan.variables) if name not in keys])
                yield (rows[members, None] * plan.cells + cells[:, None] + free).ravel()


def _by_heavy(plan: Plan, atom: Atom, keys: dict[str, Keys], rows: Numbers) -> Iterator[tuple[frozenset[str], Numbers]]:
    """Groups the atom's events by the set of variables with a heavy value; each group as positions in `rows`."""
    suspects = [variable for variable in keys if variable in plan.heavy_keys]
    if not suspects:
        yield frozenset(), np.arange(len(rows))
        return
    bits = np.zeros(len(rows), np.int64)
    for bit, variable in enumerate(suspects):
        bits |= np.isin(keys[variable], plan.heavy_keys[variable]).astype(np.int64) << bit
    for pattern in np.flatnonzero(np.bincount(bits)):
        heavy = frozenset(variable for bit, variable in enumerate(suspects) if pattern >> bit & 1)
        yield heavy, np.flatnonzero(bits == pattern)


def _possible_cubes(plan: Plan, own: frozenset[str], keys: dict[str, Keys]) -> list[Cube]:
    """The cubes, without repetition, of all valuations that an event heavy in `own` may belong to.

    Variables that the event lacks may be heavy, too."""
    missing = [variable for variable in plan.heavy_keys if variable not in keys]
    cubes = (plan.by_heavy[own.union(group)] for group in subsets(missing))
    return list({(cube.shares, cube.seeds): cube for cube in cubes}.values())


def _all_cells(cube: Cube, indices: list[int]) -> Numbers:
    """For all combinations of coordinates of the variables at `indices`: what each adds to a cell number."""
    cells = np.zeros(1, np.int64)
    for index in indices:
        steps = np.arange(cube.shares[index]) * cube.strides[index]
        cells = (cells[:, None] + steps).ravel()
    return cells


def _into_ranges(plan: Plan, ts: Numbers, rows: Numbers, cells: Numbers) -> tuple[Numbers, Numbers]:
    """Repeats each pair for every time range that reads the event, and turns cells into slice numbers."""
    times = ts[rows]
    first = np.searchsorted([span.end for span in plan.ranges], times, side="right")
    after = np.searchsorted([span.reads_from for span in plan.ranges], times, side="right")
    copies = np.maximum(after - first, 0)
    range_numbers = np.repeat(first - (np.cumsum(copies) - copies), copies) + np.arange(copies.sum())
    return np.repeat(rows, copies), range_numbers * plan.cells + np.repeat(cells, copies)


def ascending(parts: Sequence[Numbers], count: int) -> Numbers:
    """All codes of the parts, which are below `count`: ascending, without repetition.

    >>> ascending([np.array([7, 3]), np.array([3])], 9).tolist()
    [3, 7]
    """
    if count <= min(MARKS, MARKS_FOR_EACH * sum(map(len, parts))):
        marks = np.zeros(count, np.bool_)
        for part in parts:
            marks[part] = True
        return np.flatnonzero(marks)
    return distinct(np.concatenate([*parts, np.empty(0, np.int64)]))


def apart(codes: Numbers, numbers: int) -> tuple[Numbers, Numbers]:
    """(row, number) of codes row * numbers + number. NumPy divides by one number in half the time of its `divmod`.

    >>> rows, numbers = apart(np.array([3, 7]), 4)
    >>> rows.tolist(), numbers.tolist()
    ([0, 1], [3, 3])
    """
    rows = codes // numbers
    return rows, codes - rows * numbers
