"""Binds a parsed policy to a log's schema: intervals, names, types, then safety, in MonPoly's order of faults.

All faults of a class are reported together. The result has the formula as written, names resolved, and the core formula
that is evaluated. Almost linear in the unfolded formula.
"""

from __future__ import annotations

from typing import Any

from cep_core.events.schema import LogSchema
from cep_core.language.errors import Position, QueryError
from cep_core.language.first_order.bind.declarations import BUILT_IN, type_of_attribute
from cep_core.language.first_order.bind.fresh_names import FreshNames
from cep_core.language.first_order.bind.inference import ATTRIBUTE_TYPES, OF_ATTRIBUTES, TermType, Types
from cep_core.language.first_order.bind.intentions import condition_of, violation_of
from cep_core.language.first_order.bind.positions import by_position
from cep_core.language.first_order.bind.resolution import Resolver, free_names
from cep_core.language.first_order.bind.unfolding import Unfolding
from cep_core.language.first_order.bind.workload_rules import check_workload, place_of_variable
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.rewriting.core import core_of
from cep_core.language.first_order.safety.bounded import check_bounded
from cep_core.language.first_order.safety.checking import check_safe
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.temporal.bind.intervals import with_resolved_intervals
from cep_core.language.temporal.bind.reporting import Faults
from cep_core.language.temporal.bind.sub_logs import check_for_each
from cep_core.language.temporal.formulas import Aggregation, Formula, Let, Predicate
from cep_core.language.temporal.text.written import WrittenPolicy
from cep_core.language.temporal.walk import free_variables, terms_of, variables_of, walk


def bind_written(
    written: WrittenPolicy,
    schema: LogSchema,
    text: str = "",
    path: str = "<query>",
    *,
    whole_log: bool = True,
    aggregates: Any = None,
    rewrite: bool = True,
) -> Policy:
    """The bound policy of a parsed text; `text` and `path` are used in errors.

    With `whole_log` False, what depends on where the log starts, or cannot be a column of a table, is refused.
    `rewrite` False judges safety on the formula as written (MonPoly's `-no_rw`). `aggregates` belongs to the interface
    of languages; policies have none of the caller's own. Raises QueryError, QueryErrors for several faults, and
    UnsafeFormula.

    >>> from cep_core.events.schema import Attribute, AttributeType
    >>> from cep_core.language.temporal.formulas import Predicate
    >>> from cep_core.language.temporal.terms import Variable
    >>> schema = LogSchema({"P": {"a": Attribute("a", AttributeType.STRING)}})
    >>> policy = bind_written(WrittenPolicy(Predicate("P", (Variable("x"),)), Position(1, 1)), schema)
    >>> policy.core, {name: kind.value for name, kind in policy.variables.items()}
    (Predicate(event_type='P', arguments=(Variable(name='x'),), names=('a',)), {'x': 'string'})
    """
    try:
        return _bound(written, schema, Faults(text, path), whole_log=whole_log, rewrite=rewrite)
    except RecursionError:
        raise QueryError("nested too deeply", Position(1, 1), text=text, path=path) from None


def _bound(written: WrittenPolicy, schema: LogSchema, faults: Faults, *, whole_log: bool, rewrite: bool) -> Policy:
    def shown(part: Formula) -> str:
        return formula_text(by_position(part, schema))

    formula = violation_of(written.formula, written.head) if written.must_hold else written.formula
    formula = with_resolved_intervals(formula, schema.unit, faults.report)
    faults.check()
    names = FreshNames(free_names(formula))
    formula = Resolver(schema, names, faults.report).resolved(formula)
    types = Types(
        lambda event_type, name: OF_ATTRIBUTES[type_of_attribute(schema, event_type, name)],
        faults.report,
        names.written,
    )
    types.look(formula)
    check_for_each(written.for_each, _event_atoms(formula), schema, faults.text, faults.report)
    if not whole_log:
        check_workload(formula, written.for_each, faults.report)
    faults.check()
    unfolding = Unfolding(names, faults.report)
    unfolded = unfolding.unfolded(formula)
    faults.check()
    check_bounded(formula, faults.text, faults.path, shown)
    plain = core_of(unfolded, rewrite=False)
    core = core_of(unfolded) if rewrite else plain
    check_safe(core, faults.text, faults.path, shown)
    for copy, origin in unfolding.origins.items():
        types.share(copy, origin)
    types.look(core)
    condition = condition_of(unfolded) if written.must_hold else None
    of_condition = variables_in(condition) if condition is not None else ()
    _check_storable(core, types, faults)
    return Policy(
        faults.text,
        faults.path,
        schema,
        written.head,
        formula,
        unfolded,
        plain,
        core,
        {name: ATTRIBUTE_TYPES[types.of(name)] for name in free_variables(formula)},
        {name: ATTRIBUTE_TYPES[types.of(name)] for name in dict.fromkeys((*variables_in(core), *of_condition))},
        written.for_each,
        condition,
        written.must_hold,
    )


def _event_atoms(formula: Formula) -> list[tuple[str, Predicate]]:
    """The event atoms of a resolved formula, with their types."""
    definitions = {part.name for part in walk(formula) if isinstance(part, Let)}
    atoms = [part for part in walk(formula) if isinstance(part, Predicate) and part.event_type not in BUILT_IN]
    return [(atom.event_type, atom) for atom in atoms if atom.event_type not in definitions]


def _check_storable(core: Formula, types: Types, faults: Faults) -> None:
    """Refuse variables whose values would be regular expressions: no column holds them."""
    for name in variables_in(core):
        if types.of(name) is TermType.REGEXP:
            at = place_of_variable(name, core)
            faults.report(f"'{name}' would be a regular expression", at, 'write it where it is used: x MATCHES r"..."')
    faults.check()


def variables_in(formula: Formula) -> tuple[str, ...]:
    """All variables of a formula, free and bound, in order of first occurrence."""
    names: dict[str, None] = {}
    for part in walk(formula):
        if isinstance(part, Aggregation):
            names |= dict.fromkeys(variable.name for variable in (part.result, *part.groups, part.item))
        for term in terms_of(part):
            names |= dict.fromkeys(variables_of(term))
    return tuple(names)
