"""Expressions over whole matches: RETURN items, and conditions judged on listed matches.

References and aggregates of one match (`a.x`, `b[last].x`, `avg(b[..i-1].x)`) become columns with a row for each match,
or for each event of the one list variable that a condition runs through (`b[i].x`); the rest is column arithmetic.
Linear in the events of the matches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit

from cep_core.language.errors import NotSupportedYet
from cep_core.language.patterns.columns import column, evaluate
from cep_core.language.patterns.query import Variable
from cep_core.language.patterns.tree import Expression, IsNull, PrefixAggregate, Reference, Span, Which
from cep_core.language.patterns.walk import rewrite, variables_of, walk
from cep_core.matching.keys import NULL_KEY, comparable
from cep_core.matching.network import Flags, Ints
from cep_core.matching.paths import Bound


def running_variables(expression: Expression, lists: frozenset[str]) -> tuple[str, ...]:
    """The list variables through whose events a condition runs: `b[i]`, `b[i-1]`, `max(b[..i-1].x)`."""
    found: dict[str, None] = {}
    for part in walk(expression):
        if isinstance(part, PrefixAggregate) and part.span is not Span.ALL:
            found[part.variable] = None
        if isinstance(part, Reference) and part.variable in lists and part.which in (Which.EACH, Which.PREVIOUS):
            found[part.variable] = None
    return tuple(found)


def check_judgeable(condition: Expression, variables: Sequence[Variable]) -> None:
    """Raises NotSupportedYet, with the place, unless `judge` can evaluate the condition."""
    lists = frozenset(variable.name for variable in variables if variable.kleene)
    if len(running_variables(condition, lists)) > 1:
        raise NotSupportedYet("a condition that runs through two lists is not supported yet", condition.at)
    for part in walk(condition):
        if isinstance(part, Reference) and part.which in (Which.NEXT_NEIGHBOUR, Which.PREVIOUS_NEIGHBOUR):
            raise NotSupportedYet("NEXT and PREV beside other events are not supported yet", part.at)


@dataclass(frozen=True)
class Matches:
    """n matches over an event table: `bound[v]` has the table rows of variable v's events."""

    events: pa.Table
    bound: Mapping[str, Bound]
    lists: frozenset[str]
    count: int

    def compute(self, expression: Expression) -> pa.Array:
        """The value of an expression for each match."""
        return _View(self, None).evaluate(expression)

    def judge(self, condition: Expression) -> Flags:
        """Whether a condition holds of each match: one that mentions an absent variable does not constrain it."""
        running = running_variables(condition, self.lists)
        good = _View(self, running[0] if running else None).holds(condition)
        tests_absence = any(isinstance(part, IsNull) and part.variable is not None for part in walk(condition))
        if not tests_absence:
            for name in variables_of(condition):
                good |= ~self.bound[name].present
        return good


class _View:
    """Columns with a row for each match, or for each event of one running variable."""

    def __init__(self, matches: Matches, running: str | None) -> None:
        self.matches = matches
        self.running = None if running is None else matches.bound[running]
        self.name = running
        lengths = None if self.running is None else self.running.lengths
        self.owner = None if lengths is None else np.repeat(np.arange(matches.count), lengths)
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
        if self.running is None or self.owner is None:
            return good.copy()
        if any(_looks_back(part) for part in walk(condition)):
            firsts = self.running.offsets[:-1][self.running.present]
            good = good.copy()
            good[firsts] = True  # nothing stands before the first
        return np.bincount(self.owner[~good], minlength=self.matches.count) == 0

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
        if part.variable == self.name and part.which in (Which.EACH, Which.PREVIOUS):
            rows = bound.rows
            if part.which is Which.PREVIOUS:
                rows = np.concatenate([[-1], rows[:-1]])[: len(rows)]
                rows[bound.offsets[:-1][bound.present]] = -1
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
        running = running_aggregate(part.function, values, bound.offsets, before=part.span is Span.BEFORE)
        if part.span is not Span.ALL:
            return running
        ends = np.where(bound.present, bound.offsets[1:] - 1, -1)
        return self._per_row(running.take(pa.array(ends, mask=ends < 0)))


def _looks_back(part: Expression) -> bool:
    if isinstance(part, PrefixAggregate):
        return part.span is Span.BEFORE
    return isinstance(part, Reference) and part.which is Which.PREVIOUS


def running_aggregate(function: str, values: pa.Array, offsets: Ints, *, before: bool) -> pa.Array:
    """An aggregate over each list up to each of its elements (`before`: without the element), NULLs left out.

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
    whole = pa.types.is_integer(values.type)
    numbers = values.fill_null(0).to_numpy(zero_copy_only=False)
    sums, wrapped = _running_sum(numbers, offsets, before)
    missing = (counts == 0) | wrapped
    if function == "sum":
        return pa.array(sums, pa.int64() if whole else pa.float64(), mask=missing)
    return pa.array(sums.astype(np.float64) / np.maximum(counts, 1), mask=missing)


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
def _running_sum(
    numbers: npt.NDArray[np.generic], offsets: Ints, before: bool
) -> tuple[npt.NDArray[np.generic], Flags]:
    """The sums of each list so far, and whether one left 64 bits."""
    sums = np.empty_like(numbers)
    wrapped = np.zeros(numbers.shape[0], np.bool_)
    for k in range(offsets.shape[0] - 1):
        total = numbers.dtype.type(0)
        over = False
        for p in range(offsets[k], offsets[k + 1]):
            if before:
                sums[p], wrapped[p] = total, over
            more = total + numbers[p]
            over |= (numbers[p] > 0 and more < total) or (numbers[p] < 0 and more > total)
            total = more
            if not before:
                sums[p], wrapped[p] = total, over
    return sums, wrapped
