"""Evaluates expressions over whole matches: RETURN items, and conditions judged on listed matches.

References and aggregates of one match (`a.x`, `b[last].x`, `avg(b[..i-1].x)`) become columns with a row for each match.
If a condition runs through lists (`b[i].x`), the columns have a row for each choice of one event from each list. The
rest is column arithmetic. Cost: linear in the events of the matches; if a condition runs through two lists, linear in
the pairs of their events.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.aggregates.registry import NAMED
from cep_core.arrays import Flags, Ints
from cep_core.language.patterns.tree import Expression, IsNull, PrefixAggregate, Reference, Span, Which
from cep_core.language.patterns.user_aggregates import UserAggregate
from cep_core.language.patterns.values.expressions import column, evaluate
from cep_core.language.patterns.walk import rewrite, variables_of, walk
from cep_core.matching.arrays.paths import Bound
from cep_core.matching.judging.folds import folded


def running_variables(expression: Expression, lists: frozenset[str]) -> tuple[str, ...]:
    """The list variables that a condition runs through event by event: `b[i]`, `b[i-1]`, `max(b[..i-1].x)`."""
    names: dict[str, None] = {}
    for part in walk(expression):
        if isinstance(part, PrefixAggregate) and part.span is not Span.ALL:
            names[part.variable] = None
        if isinstance(part, Reference) and part.variable in lists and part.which in (Which.EACH, Which.PREVIOUS):
            names[part.variable] = None
    return tuple(names)


def looks_back(part: Expression) -> TypeGuard[PrefixAggregate | Reference]:
    """Whether a part of a condition refers to events before the current event of a list."""
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
        """Whether a condition holds for each match; a condition that mentions an absent variable counts as passed."""
        good = _View(self, running_variables(condition, self.lists)).holds(condition)
        tests_absence = any(isinstance(part, IsNull) and part.variable is not None for part in walk(condition))
        if not tests_absence:
            for name in variables_of(condition):
                good |= ~self.bound[name].present
        return good


class _View:
    """Columns with a row for each match, or for each choice of one event of each running variable."""

    def __init__(self, matches: Matches, running: tuple[str, ...]) -> None:
        self.matches = matches
        self.owner = np.arange(matches.count) if running else None
        self.places: dict[str, Ints] = {}
        """[running variable] for each row of the view, the place of its event in `Bound.rows`."""
        for name in running:
            assert self.owner is not None
            bound = matches.bound[name]
            lengths = bound.lengths[self.owner]
            begins = np.repeat(np.cumsum(lengths) - lengths - bound.offsets[self.owner], lengths)
            self.places = {variable: np.repeat(places, lengths) for variable, places in self.places.items()}
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
        """For each match, whether the condition is true; for every event if it runs through a list."""
        good: Flags = pc.fill_null(self.evaluate(condition).cast(pa.bool_()), False).to_numpy(zero_copy_only=False)
        good = good.copy()
        if self.owner is None:
            return good
        for name in {part.variable for part in walk(condition) if looks_back(part)}:
            good[self._is_first(name)] = True  # the first event has no previous one
        return np.bincount(self.owner[~good], minlength=self.matches.count) == 0

    def _is_first(self, name: str) -> Flags:
        assert self.owner is not None
        return self.places[name] == self.matches.bound[name].offsets[self.owner]

    def _as_column(self, part: Expression) -> Expression:
        """A reference to a new column in place of a part that refers to events; other parts unchanged."""
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
        """Repeats values of matches for the rows of the view."""
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
        aggregate = NAMED[part.function]
        running = aggregate.running(values, bound.offsets, before=part.span is Span.BEFORE)
        if part.span is not Span.ALL:
            return running.take(pa.array(self.places[part.variable]))
        ends = np.where(bound.present, bound.offsets[1:] - 1, -1)
        of_matches = running.take(pa.array(ends, mask=ends < 0))
        return self._per_row(of_matches if aggregate.of_none is None else of_matches.fill_null(aggregate.of_none))

    def _folded(self, part: PrefixAggregate, aggregate: UserAggregate, values: pa.Array) -> pa.Array:
        offsets = self.matches.bound[part.variable].offsets
        if part.span is Span.ALL:
            return self._per_row(folded(aggregate, part.function, values, offsets[:-1], offsets[1:]))
        assert self.owner is not None
        places, back = np.unique(self.places[part.variable], return_inverse=True)
        begins = offsets[np.searchsorted(offsets, places, side="right") - 1]
        results = folded(aggregate, part.function, values, begins, places + (part.span is Span.UP_TO))
        return results.take(pa.array(back))
