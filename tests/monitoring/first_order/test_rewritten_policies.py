"""What safety accepts, the engine evaluates, with the meaning of the policy as written: rewriting, safety, engine."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given

from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.signature import parse_signature
from cep_core.events.schema import AttributeType
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.rewriting.core import core_of
from cep_core.language.first_order.safety.fragment import is_safe
from cep_core.language.first_order.text.parsing import parse
from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.walk import free_variables, walk
from cep_core.monitoring.first_order.evaluation import satisfied
from cep_core.monitoring.first_order.reference import satisfactions
from cep_core.testing.logs import log_of
from cep_core.testing.signatures import drawn_logs
from tests.language.first_order.rewriting.drawn_formulas import SCHEMA, any_formulas, guarded_formulas
from tests.language.first_order.safety.test_safe_fragment import SAFE
from tests.monitoring.first_order import valuations


@given(guarded_formulas | any_formulas, drawn_logs(SCHEMA, nulls=False, most=4))
def test_the_engine_on_the_core_formula_equals_the_written_formula(formula: Formula, log: PointLog) -> None:
    core = core_of(formula)
    assume(is_safe(core))
    types = {name: AttributeType.INT for part in walk(core) for name in free_variables(part)}
    relation, _ = satisfied(core, log, types)
    columns = [relation.variables.index(name) for name in free_variables(formula)]
    tuples = valuations.satisfactions(relation, valuations.setting_of({}), types)
    assert {(point, tuple(row[column] for column in columns)) for point, row in tuples} == satisfactions(formula, log)


LOGS = {
    "int": [(0, [("P/1", 1), ("R", 1, 2)]), (0, []), (3, [("Q/1", 5), ("P/1", 5), ("R", 5, 5)]), (4, [("P/0",)])],
    "string": [(0, [("P/1", "ab"), ("R", "ab", "a")]), (3, [("Q/1", "ab"), ("P/1", "b")])],
}


@pytest.mark.parametrize("text", SAFE)
def test_each_safe_form_is_evaluated(text: str) -> None:
    kind = "string" if "MATCHES" in text or "SUBSTRING" in text else "int"
    schema = parse_signature(f"P({kind}) Q({kind}) R({kind}, {kind}) S(int, int, string) P() Q()")
    policy = bind_written(parse(text, "p.mfotl"), schema, text)
    log = log_of(LOGS[kind], schema)
    relation, texts = satisfied(policy.core, log, policy.types)
    setting = replace(valuations.setting_of({}), texts=texts)
    assert valuations.satisfactions(relation, setting, policy.types) == satisfactions(policy.core, log)
