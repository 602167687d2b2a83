"""Binds a parsed propositional policy to a log's schema: intervals in the log's unit, atoms, sub-logs.

All faults of a class are reported together, intervals first. Linear in the formula.
"""

from __future__ import annotations

from typing import Any

from cep_core.events.schema import LogSchema
from cep_core.language.errors import Position, QueryError
from cep_core.language.hints import did_you_mean
from cep_core.language.patterns.bind.conditions import bind_condition
from cep_core.language.propositional.bind.workload_rules import check_workload
from cep_core.language.propositional.policy import EventAtom, PropositionalPolicy
from cep_core.language.temporal.bind.intervals import with_resolved_intervals
from cep_core.language.temporal.bind.reporting import Faults
from cep_core.language.temporal.bind.sub_logs import check_for_each
from cep_core.language.temporal.formulas import Always, Formula, Predicate
from cep_core.language.temporal.interval import ANY_TIME
from cep_core.language.temporal.sugar import without_sugar
from cep_core.language.temporal.text.written import WrittenPolicy
from cep_core.language.temporal.walk import walk


def bind_written(
    written: WrittenPolicy,
    schema: LogSchema,
    text: str = "",
    path: str = "<query>",
    *,
    whole_log: bool = True,
    aggregates: Any = None,
) -> PropositionalPolicy:
    """The bound policy of a parsed text; `text` and `path` are used in errors.

    An atom is a name of `schema.conditions`, else an event type. With `whole_log` False, what no run can decide is
    refused. `aggregates` belongs to the interface of languages. Raises QueryError, QueryErrors for several faults.

    >>> from cep_core.language.propositional.text.parsing import parse
    >>> schema = LogSchema({"Take": {}, "Return": {}})
    >>> policy = bind_written(parse("ALWAYS (Take IMPLIES EVENTUALLY[0,2m] Return)"), schema)
    >>> policy.formula.right.interval.high, list(policy.atoms)
    (120, ['Take', 'Return'])
    """
    try:
        return _bound(written, schema, Faults(text, path), whole_log=whole_log)
    except RecursionError:
        raise QueryError("nested too deeply", Position(1, 1), text=text, path=path) from None


def _bound(written: WrittenPolicy, schema: LogSchema, faults: Faults, *, whole_log: bool) -> PropositionalPolicy:
    formula = _every_point(with_resolved_intervals(written.formula, schema.unit, faults.report))
    faults.check()
    atoms: dict[str, EventAtom] = {}
    typed: list[tuple[str, Predicate]] = []
    for part in walk(formula):
        if isinstance(part, Predicate):
            atom = atoms.get(part.event_type) or _atom(part, schema, faults)
            if atom is not None:
                atoms[part.event_type] = atom
                typed.append((atom.event_type, part))
    check_for_each(written.for_each, typed, schema, faults.text, faults.report)
    if not whole_log:
        check_workload(formula, written.for_each, faults)
    faults.check()
    core = without_sugar(formula)
    return PropositionalPolicy(faults.text, faults.path, schema, written.head, formula, core, atoms, written.for_each)


def _every_point(formula: Formula) -> Formula:
    """The formula that every point has to meet: an outer ALWAYS without bounds says no more."""
    while isinstance(formula, Always) and formula.interval == ANY_TIME:
        formula = formula.body
    return formula


def _atom(atom: Predicate, schema: LogSchema, faults: Faults) -> EventAtom | None:
    """What an atom's name stands for; None if it was reported."""
    name = atom.event_type
    if name in schema.conditions:
        named = schema.conditions[name]
        try:
            condition = bind_condition(named.condition, named.event_type, schema)
        except QueryError as error:
            faults.report(f"the condition of '{name}', {named.condition!r}: {error.message}", atom.at, error.hint)
            return None
        return EventAtom(named.event_type, condition.expression, condition.attributes)
    if schema.has_type(name):
        return EventAtom(name)
    hint = did_you_mean(name, [*schema.conditions, *schema.types])
    faults.report(f"'{name}' is neither an event type nor a named condition", atom.at, hint)
    return None
