"""A brute-force engine for the law of slicing: conjunctive queries over time, with negation and counting.

A result is (valuation, moment, count): some event at `moment` matches the first positive atom, every other positive
atom is matched by an event of [moment - width, moment], `count` is the number of such choices of events, and no negated
atom is matched by an event of that time. It is certain at `moment` and reaches back `width`. A count depends on every
single event, so an event that a slice lacks or has twice changes a result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom, Ownership
from cep_core.slicing import Plan, ownership, split

Result = tuple[tuple[tuple[str, Any], ...], int]


@dataclass(frozen=True)
class Query:
    """Positive and negated atoms; the variables of the negated ones occur in positive ones."""

    positive: tuple[Atom, ...]
    negated: tuple[Atom, ...]
    width: int

    @property
    def atoms(self) -> tuple[Atom, ...]:
        return (*self.positive, *self.negated)


def evaluate(
    query: Query, events: pa.Table, plan: Plan | None = None, owned: Ownership | None = None
) -> Counter[Result]:
    """All results, each with its count; only the owned ones if `owned` is given."""
    rows = events.to_pylist()
    counts: Counter[Result] = Counter()
    for last in rows:
        near = [event for event in rows if last["ts"] - query.width <= event["ts"] <= last["ts"]]
        for valuation in _bindings(query.positive, [[last]] + [near] * (len(query.positive) - 1), {}):
            if all(_extends(atom, event, valuation) is None for atom in query.negated for event in near):
                counts[tuple(sorted(valuation.items())), last["ts"]] += 1
    if plan is None or owned is None:
        return counts
    return Counter({result: count for result, count in counts.items() if _is_owned(plan, owned, *result)})


def evaluate_sliced(query: Query, events: pa.Table, plan: Plan) -> Counter[Result]:
    """The joined results of all slices. Every result must come from one slice alone."""
    rows, numbers = split(plan, events)
    joined: Counter[Result] = Counter()
    for number in range(plan.slices):
        part = evaluate(query, events.take(pa.array(rows[numbers == number])), plan, ownership(plan, number))
        assert not joined.keys() & part.keys()
        joined.update(part)
    return joined


def evaluate_slices_unfiltered(query: Query, events: pa.Table, plan: Plan) -> set[Result]:
    """The plain union of what the slices find."""
    rows, numbers = split(plan, events)
    parts = (evaluate(query, events.take(pa.array(rows[numbers == number]))) for number in range(plan.slices))
    return {result for part in parts for result in part}


def _bindings(
    atoms: Sequence[Atom], choices: list[list[dict[str, Any]]], valuation: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    if not atoms:
        yield valuation
        return
    for event in choices[0]:
        extended = _extends(atoms[0], event, valuation)
        if extended is not None:
            yield from _bindings(atoms[1:], choices[1:], extended)


def _extends(atom: Atom, event: dict[str, Any], valuation: dict[str, Any]) -> dict[str, Any] | None:
    """The valuation with what the event binds, or None if they disagree."""
    if event["event_type"] != atom.event_type or any(event[name] != value for name, value in atom.constants):
        return None
    extended = dict(valuation)
    for attribute, variable in atom.variables:
        if event[attribute] is None or extended.setdefault(variable, event[attribute]) != event[attribute]:
            return None
    return extended


def _is_owned(plan: Plan, owned: Ownership, valuation: tuple[tuple[str, Any], ...], moment: int) -> bool:
    if owned.days is not None and not owned.days[0] <= moment < owned.days[-1]:
        return False
    if owned.owns is None:
        return True
    types: dict[str, AttributeType] = dict(zip(plan.variables, plan.types, strict=True))
    columns = {name: pa.array([value], ARROW_TYPES[types[name]]) for name, value in valuation if name in types}
    return bool(np.all(owned.owns(pa.table(columns))))
