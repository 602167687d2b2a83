"""Relations drawn point by point, and expanded again: what the tests of single operators compare."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from cep_core.events.schema import AttributeType
from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.arrays.setting import TermSetting
from cep_core.monitoring.first_order.arrays.texts import Texts

Value = int | float | str
Valuation = tuple[Value, ...]
Satisfactions = set[tuple[int, Valuation]]


def setting_of(types: Mapping[str, AttributeType], stamps: Iterable[int] = range(100)) -> TermSetting:
    return TermSetting(Texts(), np.array(list(stamps), np.int64), dict(types))


def relation_of(satisfied: Iterable[tuple[int, Valuation]], setting: TermSetting) -> Relation:
    """The relation in normal form, over all variables of the setting."""
    points: dict[Valuation, set[int]] = defaultdict(set)
    for point, valuation in satisfied:
        points[valuation].add(point)
    runs: list[tuple[int, int, Valuation]] = []
    for valuation, held in points.items():
        for begin in sorted(point for point in held if point - 1 not in held):
            end = begin
            while end in held:
                end += 1
            runs.append((begin, end, valuation))
    runs.sort(key=lambda run: run[0])
    columns = tuple(
        np.array([setting.texts.code(v) if isinstance(v := run[2][place], str) else v for run in runs], np.float64)
        if kind is AttributeType.FLOAT
        else np.array([setting.texts.code(v) if isinstance(v := run[2][place], str) else v for run in runs], np.int64)
        for place, kind in enumerate(setting.types.values())
    )
    begin, end = (np.array([run[side] for run in runs], np.int64) for side in (0, 1))
    return Relation(tuple(setting.types), columns, begin, end)


def satisfactions(relation: Relation, setting: TermSetting, types: Mapping[str, AttributeType]) -> Satisfactions:
    """The relation point by point. Fails if it is not in normal form."""
    result: Satisfactions = set()
    last: dict[Valuation, int] = {}
    assert (np.diff(relation.begin) >= 0).all()
    for row in range(relation.rows):
        begin, end = int(relation.begin[row]), int(relation.end[row])
        valuation = tuple(
            setting.texts.text(int(column[row])) if types[name] is AttributeType.STRING else column[row].item()
            for name, column in zip(relation.variables, relation.columns, strict=True)
        )
        assert begin < end, "an empty run"
        assert last.get(valuation, -1) < begin, "runs of one valuation touch or overlap"
        last[valuation] = end
        result |= {(point, valuation) for point in range(begin, end)}
    return result
