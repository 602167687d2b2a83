"""The atoms of a policy for the slicer: event types with the attributes that bind free variables (paper 01, section 4).

Atoms are those of the policy's meaning, with LET unfolded and names apart: what is evaluated is equal to it on every
log, so on every slice. Implied equalities are read as in `equalities`. Free variables bind slicing variables of their
names, bound ones bind nothing, and constants are told. A bool attribute, `ts` and `seq` bind no slicing variable: their
events reach every value of it.

With `-- for each` every event type that has these attributes is one atom, which binds them: all its events make points
of the sub-logs, whatever the formula asks of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.first_order.facts.equalities import Simple, implied_equalities, representatives
from cep_core.language.first_order.policy import Policy
from cep_core.language.temporal.bind.sub_logs import split_types
from cep_core.language.temporal.formulas import Aggregation, Exists, Formula, Predicate
from cep_core.language.temporal.terms import Constant, Variable
from cep_core.language.temporal.walk import free_variables, operands

Readings = Mapping[str, Simple]
"""What to read instead of a variable."""


def atoms_of(policy: Policy) -> tuple[Atom, ...]:
    """The atoms of a policy, in the order of the formula; equal atoms appear once."""
    if policy.for_each:
        own = tuple((attribute, attribute) for attribute in policy.for_each)
        return tuple(Atom(event_type, own) for event_type in split_types(policy.for_each, policy.schema))
    readings = _narrowed(policy.plain, policy.variables, {})
    return tuple(dict.fromkeys(_atom(policy, predicate) for predicate in _predicates(policy.plain, readings)))


def _predicates(formula: Formula, readings: Readings) -> Iterator[Predicate]:
    """The predicates of event types, with the terms that stand for their variables."""
    match formula:
        case Predicate():
            if not is_built_in(formula):
                arguments = tuple(_read(term, readings) for term in formula.arguments)
                yield Predicate(formula.event_type, arguments, formula.names)
        case Exists():
            yield from _predicates(formula.body, _narrowed(formula.body, dict.fromkeys(formula.variables), readings))
        case Aggregation():
            groups = {group.name for group in formula.groups}
            own = dict.fromkeys(name for name in free_variables(formula.body) if name not in groups)
            yield from _predicates(formula.body, _narrowed(formula.body, own, readings))
        case _:
            for operand in operands(formula):
                yield from _predicates(operand, readings)


def _narrowed(formula: Formula, own: Mapping[str, object], readings: Readings) -> Readings:
    """The readings inside a scope that binds its own names."""
    pairs = [(_simple(left, readings), _simple(right, readings)) for left, right in implied_equalities(formula)]
    outer = {name: term for name, term in readings.items() if name not in own}
    return {**outer, **representatives(own, pairs)}


def _simple(term: Simple, readings: Readings) -> Simple:
    return readings.get(term.name, term) if isinstance(term, Variable) else term


def _read(term: object, readings: Readings) -> Simple:
    assert isinstance(term, Variable | Constant), "a bound atom has variables and constants as arguments"
    return _simple(term, readings)


def _atom(policy: Policy, predicate: Predicate) -> Atom:
    attributes = policy.schema.attributes_of(predicate.event_type)
    variables: dict[tuple[str, str], None] = {}
    constants: dict[tuple[str, int | float | str | bool], None] = {}
    for name, term in zip(predicate.names or (), predicate.arguments, strict=True):
        if name not in attributes:
            continue
        is_bool = attributes[name].type is AttributeType.BOOL
        if isinstance(term, Variable):
            if term.name in policy.variables and not is_bool:
                variables[name, term.name] = None
        elif isinstance(term, Constant):
            if not is_bool:
                constants[name, term.value] = None
            elif term.value in (0, 1):
                constants[name, bool(term.value)] = None
    return Atom(predicate.event_type, tuple(variables), tuple(constants))
