"""The joiner: exactly one slice owns each result (paper 01, Definition 4; docs/semantics.md 6).

A slice owns a result if the result's valuation falls into the slice's cell and the result becomes certain in the
slice's time range. Engines apply ownership before they aggregate, count or cut. `keep_owned` filters a table of
finished verdicts. The filter may be left out only where `union_suffices` allows it.

Several slices of a plan may be evaluated as one (`joint_ownership`): the paper's slices are of sets of valuations, so
the union of some is a slice, too.

Cost: one hash of each variable of each valuation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.language.evaluator import CERTAIN, Atom, Ownership
from cep_core.slicing.hashing import Keys, keys_of
from cep_core.slicing.shares import subsets
from cep_core.slicing.slicing_plan import Plan


def cell_of(plan: Plan, valuations: pa.Table) -> npt.NDArray[np.int64]:
    """The one cell that owns each valuation: the paper's f(v).

    `valuations` has a column for each of the plan's variables; a null is an ordinary light value here.
    """
    missing = [name for name in plan.variables if name not in valuations.column_names]
    if missing:
        raise KeyError(f"valuations lack the slicing variables {', '.join(missing)}; found {valuations.column_names}")
    count = valuations.num_rows
    columns = [keys_of(valuations[name], kind) for name, kind in zip(plan.variables, plan.types, strict=True)]
    cells = np.zeros(count, np.int64)
    for heavy, members in _by_heavy(plan, dict(zip(plan.variables, columns, strict=True)), count):
        cube = plan.by_heavy[heavy]
        for index, (keys, _) in enumerate(columns):
            cells[members] += cube.along(index, keys[members])
    return cells


def may_belong(plan: Plan, cells: Sequence[int], parts: pa.Table) -> npt.NDArray[np.bool_]:
    """Whether one of the cells owns some valuation that has these values. `parts`: a column for some of the plan's
    variables.

    Cost: one hash of each value for each set of the other variables that may be heavy, and one look at it for each of
    the places that the cells have along these variables.
    """
    kinds = {name: kind for name, kind in zip(plan.variables, plan.types, strict=True) if name in parts.column_names}
    columns = {name: keys_of(parts[name], kind) for name, kind in kinds.items()}
    fits = np.zeros(parts.num_rows, np.bool_)
    for heavy, members in _by_heavy(plan, columns, parts.num_rows):
        for group in subsets([name for name in plan.heavy_keys if name not in columns]):
            cube = plan.by_heavy[heavy.union(group)]
            indices = [plan.variables.index(name) for name in columns]
            steps = [
                cube.along(index, keys[members]) for index, (keys, _) in zip(indices, columns.values(), strict=True)
            ]
            for place in {cube.place(cell, indices) for cell in cells if cell < cube.cells}:
                inside = np.ones(len(members), np.bool_)
                for step, own in zip(steps, place, strict=True):
                    inside &= step == own
                fits[members] |= inside
    return fits


def _by_heavy(
    plan: Plan, columns: Mapping[str, tuple[Keys, npt.NDArray[np.bool_]]], count: int
) -> Iterator[tuple[frozenset[str], npt.NDArray[np.int64]]]:
    """The rows by the set of variables in which they are heavy. `columns`: keys, and which are not null."""
    bits = np.zeros(count, np.int64)
    suspects = [name for name in plan.heavy_keys if name in columns]
    for bit, name in enumerate(suspects):
        keys, valid = columns[name]
        bits |= (np.isin(keys, plan.heavy_keys[name]) & valid).astype(np.int64) << bit
    for pattern in np.unique(bits):
        heavy = frozenset(name for bit, name in enumerate(suspects) if pattern >> bit & 1)
        yield heavy, np.flatnonzero(bits == pattern)


@dataclass(frozen=True)
class CellOwner:
    """`Ownership.owns` of some cells, as a plain value that can be sent to worker processes.

    `names`: what the owner's query calls the plan's variables.
    """

    plan: Plan
    cells: tuple[int, ...]
    names: tuple[str, ...]

    def __call__(self, valuations: pa.Table) -> npt.NDArray[np.bool_]:
        if self.names != self.plan.variables:
            of_plan = dict(zip(self.names, self.plan.variables, strict=True))
            valuations = valuations.rename_columns([of_plan.get(name, f"({name})") for name in valuations.column_names])
        if not set(self.plan.variables) <= set(valuations.column_names):
            return may_belong(self.plan, self.cells, valuations)
        return np.isin(cell_of(self.plan, valuations), self.cells)


def ownership(plan: Plan, slice_number: int, days: Sequence[int] | None = None, query: str | None = None) -> Ownership:
    """Which of the results that become certain in [days[0], days[-1]) one slice owns.

    `query`: whose results these are; it may call the variables as it likes. None: the plan's names.
    `days`: the boundaries of the operating days that are evaluated; they are cut to the slice's time range.
    ValueError if the slice owns no moment of these days (`owning_slices` lists the slices that do).
    """
    return joint_ownership(plan, (slice_number,), days, query)


def joint_ownership(
    plan: Plan, slices: Collection[int], days: Sequence[int] | None = None, query: str | None = None
) -> Ownership:
    """What several slices own together, as `ownership` of one of them says it. Their events together are enough.

    The slices are those of some cells in each of some time ranges without a gap; ValueError if they are not.
    """
    if wrong := [number for number in slices if not 0 <= number < plan.slices]:
        raise ValueError(f"the plan has slices 0 to {plan.slices - 1}, asked for {wrong[0]}")
    ranges = sorted({number // plan.cells for number in slices})
    cells = tuple(sorted({number % plan.cells for number in slices}))
    if len(ranges) * len(cells) != len(set(slices)) or ranges[-1] - ranges[0] >= len(ranges):
        raise ValueError(f"slices {sorted(slices)} are not those of some cells in each of some adjacent time ranges")
    names = plan.variables if query is None else plan.names_of(query)
    owns = CellOwner(plan, cells, names) if len(cells) < plan.cells else None
    if not plan.ranges:
        return Ownership(names, owns, None if days is None else tuple(days))
    start, end = plan.ranges[ranges[0]].start, plan.ranges[ranges[-1]].end
    if days is not None:
        start, end = max(start, days[0]), min(end, days[-1])
    if start >= end:
        raise ValueError(f"slices {sorted(slices)} own no moment of the days asked for")
    boundaries = () if days is None else tuple(moment for moment in days if start < moment < end)
    return Ownership(names, owns, (start, *boundaries, end))


def owning_slices(plan: Plan, days: Sequence[int] | None = None) -> list[int]:
    """The slices that own results certain in [days[0], days[-1])."""
    if days is not None and not plan.covers(days):
        return []
    if not plan.ranges or days is None:
        return list(range(plan.slices))
    numbers = [index for index, span in enumerate(plan.ranges) if max(span.start, days[0]) < min(span.end, days[-1])]
    return [number * plan.cells + cell for number in numbers for cell in range(plan.cells)]


def keep_owned(plan: Plan, slice_number: int, verdicts: pa.Table) -> pa.Table:
    """The rows of one slice's finished verdicts that it owns.

    `verdicts` has a column for each variable and, if the plan has time ranges, the moment `certain`.
    """
    owned = ownership(plan, slice_number)
    keep = np.ones(verdicts.num_rows, np.bool_) if owned.owns is None else owned.owns(verdicts)
    if owned.days is not None:
        certain = verdicts[CERTAIN].to_numpy()
        keep &= (certain >= owned.days[0]) & (certain < owned.days[-1])
    return verdicts.filter(pa.array(keep))


def union_suffices(plan: Plan, atoms: Sequence[Atom], *, safe: bool, compares_with_constant: bool) -> bool:
    """Whether the plain union of slice verdicts equals the filtered one (paper 01, Lemma 3 and Theorem 3).

    It does if the formula is `safe`, compares no variable with a constant and names no event type twice, if every
    cell owns some valuation, and if no variable has heavy values. The caller must tell the first two.
    """
    types = [atom.event_type for atom in atoms]
    return (
        safe
        and not compares_with_constant
        and len(set(types)) == len(types)
        and not plan.heavy_keys
        and not plan.ranges
    )
