"""Conditions on the events of one type, which name the atoms of propositional policies."""

from __future__ import annotations

import pyarrow as pa
import pytest

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.errors import QueryError
from cep_core.language.patterns.bind.conditions import bind_condition
from cep_core.language.patterns.values.expressions import holds

KINDS = {"delay": AttributeType.INT, "origin": AttributeType.STRING, "open": AttributeType.BOOL}
SCHEMA = LogSchema({"D": {name: Attribute(name, kind) for name, kind in KINDS.items()}})
EVENTS = pa.table({"delay": [3, 5, None, 9], "origin": ["A", None, "B", "A"], "open": [True, False, None, None]})


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("delay >= 5", [1, 3]),
        ("NOT delay >= 5", [0]),
        ("delay BETWEEN 4 AND 9", [1, 3]),
        ("delay BETWEEN 4 AND 9 AND origin = 'A'", [3]),
        ("open", [0]),
        ("NOT open", [1]),
        ("delay IS NULL OR origin IS NULL", [1, 2]),
        ("D.delay IN (3, 9) AND D.origin LIKE 'A%'", [0, 3]),
    ],
)
def test_null_is_unknown_and_unknown_does_not_hold(text: str, rows: list[int]) -> None:
    condition = bind_condition(text, "D", SCHEMA)
    assert holds(condition.expression, EVENTS.select(list(condition.attributes))).nonzero()[0].tolist() == rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("delai > 3", "unknown attribute 'delai' of D"),
        ("delay = origin", "cannot be compared"),
        ("1 = 1", "looks at no attribute"),
        ("x.delay > 3", "unknown variable 'x'"),
        ("NEXT(D).delay > 3", "a condition on one event is needed"),
        ("delay >", "ends too early"),
    ],
)
def test_a_wrong_condition_is_refused(text: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        bind_condition(text, "D", SCHEMA)
