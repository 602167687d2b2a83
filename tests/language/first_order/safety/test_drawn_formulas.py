"""Safety agrees with the strategies that others test with (`cep_core.testing`): safe and unsafe by construction."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.schema import LogSchema
from cep_core.language.first_order.rewriting.core import core_of
from cep_core.language.first_order.safety.fragment import is_safe
from cep_core.language.first_order.safety.restricted import lacking
from cep_core.language.temporal.formulas import Formula, Let
from cep_core.language.temporal.walk import walk
from cep_core.testing.formulas import safe_formulas, unsafe_formulas
from cep_core.testing.signatures import schema_of, signatures


@given(signatures(), st.data())
def test_safe_formulas_are_safe_as_they_are(schema: LogSchema, data: st.DataObject) -> None:
    formula = data.draw(safe_formulas(schema, ends=True))
    core = core_of(formula, rewrite=False)
    assert is_safe(core)
    assert not lacking(core)
    assert core_of(formula) == core


@given(signatures(), st.data())
def test_formulas_that_are_safe_up_to_sugar_become_safe(schema: LogSchema, data: st.DataObject) -> None:
    formula = data.draw(safe_formulas(schema, sugar=True))
    if not any(isinstance(part, Let) for part in walk(formula)):
        assert is_safe(core_of(formula))


@given(unsafe_formulas(schema_of(P="is", Q="f", R="")))
def test_unsafe_formulas_stay_unsafe(formula: Formula) -> None:
    assert not is_safe(core_of(formula, rewrite=False))
    assert not is_safe(core_of(formula))
