"""What safety accepts, the engine evaluates, with the meaning of the policy as written: rewriting, safety, engine."""

from __future__ import annotations

from hypothesis import assume, given

from cep_core.events.logs.point_log import PointLog
from cep_core.events.schema import AttributeType
from cep_core.language.first_order.rewriting.core import core_of
from cep_core.language.first_order.safety.fragment import is_safe
from cep_core.language.temporal.formulas import Aggregation, Formula
from cep_core.language.temporal.walk import free_variables, walk
from cep_core.monitoring.first_order.evaluation import satisfied
from cep_core.monitoring.first_order.reference import satisfactions
from cep_core.testing.signatures import drawn_logs
from tests.language.first_order.rewriting.drawn_formulas import SCHEMA, any_formulas, guarded_formulas
from tests.monitoring.first_order import valuations


@given(guarded_formulas | any_formulas, drawn_logs(SCHEMA, nulls=False, most=4))
def test_the_engine_on_the_core_formula_equals_the_written_formula(formula: Formula, log: PointLog) -> None:
    core = core_of(formula)
    assume(is_safe(core))
    assume(not any(isinstance(part, Aggregation) for part in walk(core)))
    types = {name: AttributeType.INT for part in walk(core) for name in free_variables(part)}
    relation, _ = satisfied(core, log, types)
    columns = [relation.variables.index(name) for name in free_variables(formula)]
    found = valuations.satisfactions(relation, valuations.setting_of({}), types)
    assert {(point, tuple(row[column] for column in columns)) for point, row in found} == satisfactions(formula, log)
