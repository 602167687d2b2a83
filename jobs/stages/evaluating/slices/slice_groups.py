"""Small slices of a plan are evaluated together: most of what a query costs on a small slice, every call costs.

Slices are sets of valuations (paper 01, section 4), so the union of some is a slice as well: it has their events, each
once, and owns what they own (`joint_ownership`). Some cells of one time range are such a union, and so are all cells of
adjacent time ranges. No engine knows of it.

Cost: a sort of the events' positions. Memory: the events of a group, at most `SMALL`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cep_core.candidates.slice_reader import read_together
from cep_core.slicing import Plan
from jobs.bundles import bundles
from jobs.stages.evaluating.large_slices import Rows, in_one_chunk, stamps_of
from jobs.stages.evaluating.reading import Stamps

TOGETHER = 1 << 20
"""The events of a slice up to which what one query reads of them is kept for the others: some twenty bytes for each."""


class SliceEvents(NamedTuple):
    """A slice and its events."""

    number: int
    events: Rows

    @property
    def rows(self) -> int:
        return self.events.num_rows


@dataclass(frozen=True)
class SliceGroup:
    """Slices of a plan that are evaluated together. `numbers`: all whose results they own; `slices`: those of them that
    are asked for."""

    plan_id: str
    numbers: Collection[int]
    slices: Sequence[SliceEvents]
    _parts: dict[tuple[int, int], pa.Table] = field(default_factory=dict)

    @classmethod
    def alone(cls, plan_id: str, of_slice: SliceEvents) -> SliceGroup:
        """One slice by itself."""
        return cls(plan_id, (of_slice.number,), (of_slice,))

    @cached_property
    def apart(self) -> list[SliceGroup]:
        """Each slice by itself."""
        if len(self.slices) == 1:
            return [self]
        return [SliceGroup.alone(self.plan_id, of_slice) for of_slice in self.slices]

    @cached_property
    def events(self) -> Rows:
        """The events of all slices, each once, in the log's order."""
        if len(self.slices) == 1:
            return self.slices[0].events
        return joined([_held(of_slice) for of_slice in self.slices])

    @cached_property
    def stamps(self) -> Stamps:
        """[events] Their stamps, ascending."""
        return stamps_of(self.events)

    @cached_property
    def stamps_of_slices(self) -> list[Stamps]:
        """By slice: the stamps of its events."""
        if len(self.slices) == 1:
            return [self.stamps]
        return [stamps_of(of_slice.events) for of_slice in self.slices]

    def part(self, span: slice) -> pa.Table:
        """Some of the events. Of few events, parts are kept: what one query reads of them serves others.

        Of more, nobody keeps them, so they are gone before those of the next part are read.
        """
        events, length = self.events, span.stop - span.start
        if not isinstance(events, pa.Table) or events.num_rows > TOGETHER:
            return events.slice(span.start, length)
        place = span.start, span.stop
        if place not in self._parts:
            self._parts[place] = read_together(events.slice(span.start, length))
        return self._parts[place]


def groups(plan: Plan, rows: Mapping[int, int], most: int) -> Iterator[tuple[Collection[int], list[int]]]:
    """What to evaluate together: all slices whose results a group owns, and those of them that are asked for.

    `rows`: how many events each slice has that is asked for. A group has at most `most` events; slices with more
    stand alone.

    >>> from cep_core.slicing import Cube, TimeRange
    >>> halves = (TimeRange(0, 6, 0), TimeRange(6, 12, 0))
    >>> plan = Plan(("q",), (), ("x",), (), (Cube(frozenset(), (3,), (None,)),), ranges=halves)
    >>> list(groups(plan, {0: 5, 1: 1, 3: 2, 5: 2}, most=100))
    [(range(0, 6), [0, 1, 3, 5])]
    >>> list(groups(plan, {0: 5, 1: 1, 3: 2, 5: 2}, most=5))
    [([0], [0]), ([1], [1]), (range(3, 6), [3, 5])]
    """
    whole: list[tuple[int, list[int]]] = []
    for number, in_range in groupby(sorted(rows), lambda of_slice: of_slice // plan.cells):
        own = list(bundles(in_range, lambda of_slice: _size(rows[of_slice]), most))
        if len(own) == 1 and sum(_size(rows[of_slice]) for of_slice in own[0]) <= most:
            whole.append((number, own[0]))
        else:
            yield from ((bundle, bundle) for bundle in own)
    for _, adjacent in groupby(enumerate(whole), lambda placed: placed[1][0] - placed[0]):
        of_ranges = [of_range for _, of_range in adjacent]
        for bundle in bundles(of_ranges, lambda of_range: sum(_size(rows[number]) for number in of_range[1]), most):
            asked = [number for _, own in bundle for number in own]
            owned = range(bundle[0][0] * plan.cells, (bundle[-1][0] + 1) * plan.cells)
            yield (owned if len(asked) > 1 else asked), asked


def _size(rows: int) -> int:
    """A slice without events counts, too: with no room, each slice stands alone."""
    return max(1, rows)


def _held(of_slice: SliceEvents) -> pa.Table:
    assert isinstance(of_slice.events, pa.Table), "a slice with more events than the row limit stands alone"
    return of_slice.events


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """The events of some slices, each once, by `pos`.

    >>> joined([pa.table({"pos": [1, 4]}), pa.table({"pos": [0, 4]})])["pos"].to_pylist()
    [0, 1, 4]
    """
    held = [table for table in tables if table.num_rows]
    if len(held) <= 1:
        return (held or tables)[0]
    events = in_one_chunk(pa.concat_tables(held))
    position = events["pos"].to_numpy()
    if (position[1:] > position[:-1]).all():
        return events
    return events.take(pa.array(np.unique(position, return_index=True)[1]))


def shared_out(whole: int, weights: Iterable[int]) -> list[int]:
    """A number in parts as large as the weights say; together they are the number.

    >>> shared_out(10, [1, 1, 1]), shared_out(3, [0, 0])
    ([3, 3, 4], [1, 2])
    """
    known = list(weights)
    if not sum(known):
        known = [1 for _ in known]
    bounds = [0, *(whole * int(weight) // sum(known) for weight in np.cumsum(known))]
    return [after - before for before, after in pairwise(bounds)]
