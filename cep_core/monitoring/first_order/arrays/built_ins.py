"""The atoms that speak of points instead of events: `tp(i)`, `ts(t)`, `tpts(i, t)`. O(points)."""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.language.temporal.formulas import Predicate
from cep_core.language.temporal.terms import Constant, Variable
from cep_core.monitoring.first_order.arrays.relation import Relation


def built_in(atom: Predicate, stamps: Ints, before: int = 0) -> Relation:
    """The points' numbers or stamps, a row for each point. `before`: how many points came before the first stamp.

    >>> relation = built_in(Predicate("ts", (Variable("t"),)), np.array([3, 3, 4]))
    >>> relation.columns[0].tolist(), relation.begin.tolist(), relation.end.tolist()
    ([3, 3, 4], [0, 1, 2], [1, 2, 3])
    """
    points = np.arange(len(stamps))
    numbers = points + before
    values = {"tp": (numbers,), "ts": (stamps,), "tpts": (numbers, stamps)}[atom.event_type]
    columns: dict[str, Ints] = {}
    kept: Flags = np.ones(len(stamps), np.bool_)
    for term, column in zip(atom.arguments, values, strict=True):
        if isinstance(term, Constant):
            kept &= column == term.value
        elif isinstance(term, Variable) and term.name in columns:
            kept &= column == columns[term.name]
        elif isinstance(term, Variable):
            columns[term.name] = column
        else:
            raise TypeError(f"the argument {term} of {atom.event_type} is neither a variable nor a constant")
    return Relation(tuple(columns), tuple(columns.values()), points, points + 1).of_rows(kept)
