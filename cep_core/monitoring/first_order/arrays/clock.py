"""The built-in predicates tp(x), ts(x) and tpts(x, y): a time-point's index, its stamp, or both, as a relation.

One row for each point, but one for all points of a stamp where the index is not asked for. O(points).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cep_core.arrays import Ints
from cep_core.events.schema import AttributeType
from cep_core.language.temporal.formulas import Comparison, Predicate
from cep_core.language.temporal.terms import Variable
from cep_core.monitoring.first_order.arrays.relation import Column, Relation
from cep_core.monitoring.first_order.arrays.setting import TermSetting
from cep_core.monitoring.first_order.arrays.tests import filtered

CLOCKS = {"tp": ("index",), "ts": ("stamp",), "tpts": ("index", "stamp")}
"""The built-in predicates and what their arguments are."""


def clock(predicate: Predicate, setting: TermSetting, first: int = 0) -> Relation:
    """The relation of tp, ts or tpts over the setting's points; `first` is the index of the first of them.

    Arguments are variables, which may be equal, and terms without variables.
    """
    begin, end = _runs(setting.stamps, whole=predicate.event_type != "ts")
    columns = {"index": begin + first, "stamp": setting.stamps[begin]}
    kinds = CLOCKS[predicate.event_type]
    # Each argument is a column of its own first, named by its place, which no variable is called.
    names = tuple(str(place) for place in range(len(kinds)))
    wide = Relation(names, tuple(columns[kind] for kind in kinds), begin, end)
    setting = replace(setting, types={**setting.types, **dict.fromkeys(names, AttributeType.INT)})
    of_variable: dict[str, str] = {}
    for name, argument in zip(names, predicate.arguments, strict=True):
        known = isinstance(argument, Variable) and of_variable.setdefault(argument.name, name)
        if known != name:
            asked = Variable(known) if known else argument
            wide = filtered(wide, Comparison("=", Variable(name), asked), setting)
    kept: tuple[Column, ...] = tuple(wide.columns[names.index(name)] for name in of_variable.values())
    return Relation(tuple(of_variable), kept, wide.begin, wide.end)


def _runs(stamps: Ints, whole: bool) -> tuple[Ints, Ints]:
    """The runs of single points, or of points with equal stamps."""
    first = np.ones(len(stamps), np.bool_)
    if not whole:
        first[1:] = np.diff(stamps) != 0
    begin = np.flatnonzero(first).astype(np.int64)
    return begin, np.append(begin[1:], len(stamps)).astype(np.int64)[: len(begin)]
