"""tp, ts and tpts against their definitions, on logs with equal stamps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.schema import AttributeType
from cep_core.language.temporal.formulas import Predicate
from cep_core.language.temporal.terms import Constant, Term, Variable
from cep_core.monitoring.first_order.arrays.clock import clock
from tests.monitoring.first_order.valuations import satisfactions, setting_of

ARGUMENTS: list[Term] = [Variable("x"), Variable("y"), Constant(2), Constant(3)]


@given(
    st.lists(st.integers(0, 5), max_size=7).map(sorted),
    st.sampled_from(["tp", "ts", "tpts"]),
    st.tuples(st.sampled_from(ARGUMENTS), st.sampled_from(ARGUMENTS)),
    st.sampled_from([0, 2]),
)
def test_clocks(stamps: list[int], name: str, arguments: tuple[Term, Term], first: int) -> None:
    setting = setting_of({}, stamps)
    predicate = Predicate(name, arguments[: 2 if name == "tpts" else 1])
    expected = set()
    for point, stamp in enumerate(stamps):
        told = {"tp": (point + first,), "ts": (stamp,), "tpts": (point + first, stamp)}[name]
        values: dict[str, int] = {}
        fits = all(
            values.setdefault(term.name, value) == value if isinstance(term, Variable) else term == Constant(value)
            for term, value in zip(predicate.arguments, told, strict=True)
        )
        if fits:
            expected.add((point, tuple(values.values())))
    relation = clock(predicate, setting, first)
    assert satisfactions(relation, setting, dict.fromkeys("xy", AttributeType.INT)) == expected


def test_the_points_of_a_stamp_are_one_run() -> None:
    assert clock(Predicate("ts", (Variable("x"),)), setting_of({}, [4] * 50)).rows == 1


@pytest.mark.parametrize("name", ["tp", "ts"])
def test_a_log_without_points(name: str) -> None:
    assert clock(Predicate(name, (Variable("x"),)), setting_of({}, [])).rows == 0
