"""tp, ts and tpts against their definitions, on logs with equal stamps."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.schema import AttributeType
from cep_core.language.temporal.formulas import Predicate
from cep_core.language.temporal.terms import Constant, Term, Variable
from cep_core.monitoring.first_order.arrays.built_ins import built_in
from cep_core.monitoring.first_order.operators.normal import merged
from tests.monitoring.first_order.valuations import satisfactions, setting_of

ARGUMENTS: list[Term] = [Variable("x"), Variable("y"), Constant(2), Constant(3)]


@given(
    st.lists(st.integers(0, 5), max_size=7).map(sorted),
    st.sampled_from(["tp", "ts", "tpts"]),
    st.tuples(st.sampled_from(ARGUMENTS), st.sampled_from(ARGUMENTS)),
)
def test_built_in_predicates(stamps: list[int], name: str, arguments: tuple[Term, Term]) -> None:
    predicate = Predicate(name, arguments[: 2 if name == "tpts" else 1])
    expected = set()
    for point, stamp in enumerate(stamps):
        columns = {"tp": (point,), "ts": (stamp,), "tpts": (point, stamp)}[name]
        values: dict[str, int] = {}
        fits = all(
            values.setdefault(term.name, value) == value if isinstance(term, Variable) else term == Constant(value)
            for term, value in zip(predicate.arguments, columns, strict=True)
        )
        if fits:
            expected.add((point, tuple(values.values())))
    relation = merged(built_in(predicate, np.array(stamps, np.int64)))
    assert satisfactions(relation, setting_of({}, stamps), dict.fromkeys("xy", AttributeType.INT)) == expected
