"""Expressions over whole matches: RETURN items, and conditions judged on listed matches.

References and aggregates of one match (`a.x`, `b[last].x`, `avg(b[..i-1].x)`) become columns with a row for each match,
or for each choice of one event of every list that a condition runs through (`b[i].x`); the rest is column arithmetic.
Linear in the events of the matches, in the pairs of events where a condition runs through two lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.candidates.keys import NULL_KEY, comparable
from cep_core.language.patterns.tree import Expression, IsNull, PrefixAggregate, Reference, Span, Which
from cep_core.language.patterns.user_aggregates import UserAggregate
from cep_core.language.patterns.values.exact_order import EXACT, LARGEST
from cep_core.language.patterns.values.expressions import column, evaluate
from cep_core.language.patterns.walk import rewrite, variables_of, walk
from cep_core.matching.arrays.paths import Bound
from cep_core.matching.judging.folds import folded

HALF = 1 << 31
LOW_HALF = (1 << 32) - 1


def running_variables(expression: Expression, lists: frozenset[str]) -> tuple[str, ...]:
    """The list variables through whose events a condition runs: `b[i]`, `b[i-1]`, `max(b[..i-1].x)`."""
    found: dict[str, None] = {}
    for part in walk(expression):
        if isinstance(part, PrefixAggregate) and part.span is not Span.ALL:
            found[part.variable] = None
        if isinstance(part, Reference) and part.variable in lists and part.which in (Which.EACH, Which.PREVIOUS):
            found[part.variable] = None
    return tuple(found)


def looks_back(part: Expression) -> TypeGuard[PrefixAggregate | Reference]:
    """Whether a part of a condition is about events before the one that it runs through."""
    if isinstance(part, PrefixAggregate):
        return part.span is Span.BEFORE
    return isinstance(part, Reference) and part.which is Which.PREVIOUS


@dataclass(frozen=True)
class Matches:
    """n matches over an event table: `bound[v]` has the table rows of variable v's events."""

    events: pa.Table
    bound: Mapping[str, Bound]
    lists: frozenset[str]
    count: int

    def compute(self, expression: Expression) -> pa.Array:
        """The value of an expression for each match."""
        return _View(self, ()).evaluate(expression)

    def judge(self, condition: Expression) -> Flags:
        """Whether a condition holds of each match: one that mentions an absent variable does not constrain it."""
        good = _View(self, running_variables(condition, self.lists)).holds(condition)
        tests_absence = any(isinstance(part, IsNull) and part.variable is not None for part in walk(condition))
        if not tests_absence:
            for name in variables_of(condition):
                good |= ~self.bound[name].present
        return good


class _View:
    """Columns with a row for each match, or for each choice of one event of every running variable in it."""

    def __init__(self, matches: Matches, running: tuple[str, ...]) -> None:
        self.matches = matches
        self.owner = np.arange(matches.count) if running else None
        self.places: dict[str, Ints] = {}
        """For each running variable the place among `Bound.rows` of the event that a row is about."""
        for name in running:
            assert self.owner is not None
            bound = matches.bound[name]
            lengths = bound.lengths[self.owner]
            begins = np.repeat(np.cumsum(lengths) - lengths - bound.offsets[self.owner], lengths)
            self.places = {known: np.repeat(places, lengths) for known, places in self.places.items()}
            self.places[name] = np.arange(lengths.sum()) - begins
            self.owner = np.repeat(self.owner, lengths)
        self.columns: list[pa.Array] = []

    def evaluate(self, expression: Expression) -> pa.Array:
        size = self.matches.count if self.owner is None else len(self.owner)
        plain = rewrite(expression, self._as_column)
        names = [f"c{k}" for k in range(len(self.columns))]
        table = pa.table([*self.columns, pa.nulls(size)], names=[*names, "none"])
        return evaluate(plain, table)

    def holds(self, condition: Expression) -> Flags:
        """For each match whether the condition is true, of every event if it runs through a list."""
        good: Flags = pc.fill_null(self.evaluate(condition).cast(pa.bool_()), False).to_numpy(zero_copy_only=False)
        good = good.copy()
        if self.owner is None:
            return good
        for name in {part.variable for part in walk(condition) if looks_back(part)}:
            good[self._is_first(name)] = True  # nothing stands before the first
        return np.bincount(self.owner[~good], minlength=self.matches.count) == 0

    def _is_first(self, name: str) -> Flags:
        assert self.owner is not None
        return self.places[name] == self.matches.bound[name].offsets[self.owner]

    def _as_column(self, part: Expression) -> Expression:
        """The part as a reference to a new column, if it is about events."""
        match part:
            case Reference():
                values = self._referenced(part)
            case PrefixAggregate():
                values = self._aggregated(part)
            case IsNull(operand=None, variable=str(name)):
                present = self.matches.bound[name].present
                values = self._per_row(pa.array(np.ones(len(present), np.int64), mask=~present))
                return IsNull(self._put(values, name, part), None, part.at)
            case _:
                return part
        return self._put(values, part.variable, part)

    def _put(self, values: pa.Array, variable: str, part: Expression) -> Reference:
        self.columns.append(values)
        return Reference(variable, f"c{len(self.columns) - 1}", Which.EACH, part.at)

    def _per_row(self, values: pa.Array) -> pa.Array:
        """Values of matches for the rows of the view."""
        return values if self.owner is None else values.take(pa.array(self.owner))

    def _take(self, attribute: str, rows: Ints) -> pa.Array:
        """Attribute values of event rows, null for -1."""
        return column(self.matches.events, attribute).take(pa.array(rows, mask=rows < 0))

    def _referenced(self, part: Reference) -> pa.Array:
        bound = self.matches.bound[part.variable]
        if part.variable in self.places and part.which in (Which.EACH, Which.PREVIOUS):
            places = self.places[part.variable]
            if part.which is Which.EACH:
                return self._take(part.attribute, bound.rows[places])
            rows = np.append(bound.rows, -1)[places - 1]
            rows[self._is_first(part.variable)] = -1
            return self._take(part.attribute, rows)
        if part.which is Which.LAST:
            places = bound.offsets[1:] - 1
        else:
            places = bound.offsets[:-1] + (part.index - 1 if part.which is Which.AT else 0)
        inside = (places >= bound.offsets[:-1]) & (places < bound.offsets[1:])
        rows = np.append(bound.rows, -1)[np.where(inside, places, -1)]
        return self._per_row(self._take(part.attribute, rows))

    def _aggregated(self, part: PrefixAggregate) -> pa.Array:
        bound = self.matches.bound[part.variable]
        attribute = part.attribute or "seq"
        values = self._take(attribute, bound.rows)
        if part.defined is not None:
            return self._folded(part, part.defined, values)
        running = running_aggregate(part.function, values, bound.offsets, before=part.span is Span.BEFORE)
        if part.span is not Span.ALL:
            return running.take(pa.array(self.places[part.variable]))
        ends = np.where(bound.present, bound.offsets[1:] - 1, -1)
        found = running.take(pa.array(ends, mask=ends < 0))
        return self._per_row(found.fill_null(0) if part.function == "count" else found)  # none is counted, too

    def _folded(self, part: PrefixAggregate, aggregate: UserAggregate, values: pa.Array) -> pa.Array:
        offsets = self.matches.bound[part.variable].offsets
        if part.span is Span.ALL:
            return self._per_row(folded(aggregate, part.function, values, offsets[:-1], offsets[1:]))
        assert self.owner is not None
        places, again = np.unique(self.places[part.variable], return_inverse=True)
        begins = offsets[np.searchsorted(offsets, places, side="right") - 1]
        found = folded(aggregate, part.function, values, begins, places + (part.span is Span.UP_TO))
        return found.take(pa.array(again))


def running_aggregate(function: str, values: pa.Array, offsets: Ints, *, before: bool) -> pa.Array:
    """An aggregate over each list up to each of its elements (`before`: without the element).

    NULLs are left out, but by first and last, which are the values of the first and the last element. A sum of integers
    beyond 64 bits is NULL; an average is exact, rounded once.

    >>> lists = np.array([0, 3, 4])
    >>> running_aggregate("avg", pa.array([1, None, 4, 7]), lists, before=False).to_pylist()
    [1.0, 1.0, 2.5, 7.0]
    >>> running_aggregate("max", pa.array(["b", "a", "c", "a"]), lists, before=True).to_pylist()
    [None, 'b', 'b', None]
    """
    if function in ("min", "max", "first", "last"):
        keys = np.arange(len(values)) if function in ("first", "last") else comparable(values, values)[0]
        places = _running_best(keys, offsets, function in ("max", "last"), before)
        return values.take(pa.array(places, mask=places < 0))
    known = values.is_valid().to_numpy(zero_copy_only=False)
    counts = _running_count(known, offsets, before)
    if function == "count":
        return pa.array(counts)
    numbers = values.fill_null(0).to_numpy(zero_copy_only=False)
    if pa.types.is_integer(values.type):
        return _whole(function, numbers, offsets, counts, before=before)
    sums = _running_sum(numbers, offsets, before)
    if function == "avg":
        sums /= np.maximum(counts, 1)
        for place in np.flatnonzero(~np.isfinite(sums) & (counts > 0)):
            begin = offsets[np.searchsorted(offsets, place, side="right") - 1]
            sums[place] = _average(numbers[begin : place + (not before)], int(counts[place]), float(sums[place]))
    return pa.array(sums, pa.float64(), mask=counts == 0)


def _whole(function: str, numbers: Ints, offsets: Ints, counts: Ints, *, before: bool) -> pa.Array:
    """Running sums of integers, NULL beyond 64 bits, or their averages, rounded once."""
    largest = max(int(numbers.max(initial=0)), -int(numbers.min(initial=0))) * int(np.diff(offsets).max(initial=0))
    if largest <= (EXACT if function == "avg" else LARGEST):
        sums = _running_sum(numbers, offsets, before)
        return pa.array(sums if function == "sum" else sums / np.maximum(counts, 1), mask=counts == 0)
    high, low = _running_whole_sum(numbers, offsets, before)
    fits = (high >= -HALF) & (high < HALF)
    words = (np.where(fits, high, 0) << 32) + np.where(fits, low, 0)
    if function == "sum":
        return pa.array(words, pa.int64(), mask=(counts == 0) | ~fits)
    averages = words / np.maximum(counts, 1)
    for place in np.flatnonzero(~fits | (words > EXACT) | (words < -EXACT)):
        averages[place] = ((int(high[place]) << 32) + int(low[place])) / max(int(counts[place]), 1)
    return pa.array(averages, mask=counts == 0)


def _average(numbers: npt.NDArray[np.float64], count: int, found: float) -> float:
    """The average of finite numbers whose sum is too large for a double; `found` where they are not finite."""
    return float(sum(map(Fraction, numbers.tolist())) / count) if np.isfinite(numbers).all() else found


@njit(cache=True)
def _running_best(keys: Ints, offsets: Ints, largest: bool, before: bool) -> Ints:
    """The place of the best key of each list so far, or -1."""
    best = np.empty_like(keys)
    for k in range(offsets.shape[0] - 1):
        place = -1
        for p in range(offsets[k], offsets[k + 1]):
            if before:
                best[p] = place
            if keys[p] != NULL_KEY and (place < 0 or (keys[p] > keys[place] if largest else keys[p] < keys[place])):
                place = p
            if not before:
                best[p] = place
    return best


@njit(cache=True)
def _running_count(known: Flags, offsets: Ints, before: bool) -> Ints:
    counts = np.empty(known.shape[0], np.int64)
    for k in range(offsets.shape[0] - 1):
        count = 0
        for p in range(offsets[k], offsets[k + 1]):
            counts[p] = count if before else count + known[p]
            count += known[p]
    return counts


@njit(cache=True)
def _running_whole_sum(numbers: Ints, offsets: Ints, before: bool) -> tuple[Ints, Ints]:
    """The sums of each list so far as high * 2**32 + low, 0 <= low < 2**32: exact for lists of up to 2**31 numbers."""
    high, low = np.empty_like(numbers), np.empty_like(numbers)
    for k in range(offsets.shape[0] - 1):
        upper, lower = np.int64(0), np.int64(0)
        for p in range(offsets[k], offsets[k + 1]):
            if before:
                high[p], low[p] = upper, lower
            lower += numbers[p] & LOW_HALF
            upper += (numbers[p] >> 32) + (lower >> 32)
            lower &= LOW_HALF
            if not before:
                high[p], low[p] = upper, lower
    return high, low


@njit(cache=True)
def _running_sum(numbers: npt.NDArray[Any], offsets: Ints, before: bool) -> npt.NDArray[Any]:
    """The sums of each list so far, none of which leaves the type."""
    sums = np.empty_like(numbers)
    for k in range(offsets.shape[0] - 1):
        total = numbers.dtype.type(0)
        for p in range(offsets[k], offsets[k + 1]):
            if before:
                sums[p] = total
            total += numbers[p]
            if not before:
                sums[p] = total
    return sums
