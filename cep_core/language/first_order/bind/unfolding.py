"""Unfolds LET: every call becomes the definition with the arguments for its parameters (checklist B2).

Calls with equal arguments become equal trees, so that an engine evaluates them once; other copies get bound names of
their own. An argument stands for its parameter directly, save where an aggregation names the parameter and the argument
is no variable or stands there twice: then a bound variable is equated with it. Linear in the
unfolded formula, whose size may be exponential in that of nested definitions: beyond `MOST_PARTS` it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cep_core.language.first_order.bind.fresh_names import FreshNames
from cep_core.language.temporal.bind.reporting import Report
from cep_core.language.temporal.formulas import (
    Aggregation,
    And,
    Comparison,
    Exists,
    Forall,
    Formula,
    Let,
    Matches,
    Predicate,
    Truth,
)
from cep_core.language.temporal.terms import Term, Variable
from cep_core.language.temporal.walk import free_variables, walk, with_operands, with_terms, with_variables

MOST_PARTS = 20_000
"""The most nodes of an unfolded formula."""


@dataclass
class Unfolding:
    """Unfolds one resolved formula, whose bound names are apart. `origins`: which name each new name is a copy of."""

    names: FreshNames
    report: Report
    origins: dict[str, str] = field(default_factory=dict)
    _definitions: dict[str, tuple[Let, Formula, int]] = field(default_factory=dict)
    _copies: dict[tuple[str, tuple[Term, ...]], Formula] = field(default_factory=dict)
    _parts: int = 0

    def unfolded(self, formula: Formula) -> Formula:
        """The formula without LET."""
        self._parts += 1
        match formula:
            case Let():
                before = self._parts
                definition = self.unfolded(formula.definition)
                self._definitions[formula.name] = formula, definition, self._parts - before
                return self.unfolded(formula.body)
            case Predicate() if formula.event_type in self._definitions:
                return self._call(formula)
            case _:
                return with_operands(formula, self.unfolded)

    def _call(self, call: Predicate) -> Formula:
        let, definition, parts = self._definitions[call.event_type]
        self._parts += parts
        if self._parts > MOST_PARTS:
            message = f"unfolding {let.name} makes the formula longer than {MOST_PARTS:,} parts"
            self.report(message, call.at, "use fewer definitions inside definitions")
            return Truth(True, call.at)
        key = (call.event_type, call.arguments)
        if key not in self._copies:
            first = all(name != call.event_type for name, _ in self._copies)
            self._copies[key] = self._copy(let, definition, call, first=first)
        return self._copies[key]

    def _copy(self, let: Let, definition: Formula, call: Predicate, *, first: bool) -> Formula:
        """The definition for the arguments of a call. The first copy keeps the definition's own names."""
        terms: dict[str, Term] = {}
        lifted: list[Comparison] = []
        for parameter, argument in zip(let.parameters, call.arguments, strict=True):
            named = isinstance(argument, Variable) and call.arguments.count(argument) == 1
            if named or not _is_named_by_an_aggregation(parameter, definition):
                terms[parameter] = argument
            else:
                own = Variable(parameter if first else self._fresh(parameter), argument.at)
                terms[parameter] = own
                lifted.append(Comparison("=", own, argument, argument.at))
        if not first:
            terms |= {name: Variable(self._fresh(name)) for name in _bound_names(definition)}
        copy = substituted(definition, terms)
        if not lifted:
            return copy
        for equation in lifted:
            copy = And(copy, equation, call.at)
        return Exists(tuple(_name(equation.left) for equation in lifted), copy, call.at)

    def _fresh(self, name: str) -> str:
        fresh = self.names.fresh(name)
        self.origins[fresh] = self.origins.get(name, name)
        return fresh


def substituted(formula: Formula, terms: Mapping[str, Term]) -> Formula:
    """The formula with terms for variables, free or bound; bound names and names in aggregations become variables.

    >>> p = Exists(("y",), Comparison("<", Variable("x"), Variable("y")))
    >>> substituted(p, {"x": Variable("a"), "y": Variable("b")})
    Exists(variables=('b',), body=Comparison(operator='<', left=Variable(name='a'), right=Variable(name='b')))
    """
    formula = with_operands(formula, lambda part: substituted(part, terms))

    def of(term: Term) -> Term:
        return substituted_term(term, terms)

    match formula:
        case Predicate() | Comparison() | Matches():
            return with_terms(formula, of)
        case Exists() | Forall():
            return replace(formula, variables=tuple(_name(of(Variable(name))) for name in formula.variables))
        case Aggregation():
            result, item = (Variable(_name(of(part)), part.at) for part in (formula.result, formula.item))
            groups_of = tuple(Variable(_name(of(group)), group.at) for group in formula.groups)
            return replace(formula, result=result, item=item, groups=groups_of)
        case _:
            return formula


def substituted_term(term: Term, terms: Mapping[str, Term]) -> Term:
    """The term with terms for variables."""
    return with_variables(term, lambda variable: terms.get(variable.name, variable))


def _name(term: Term) -> str:
    assert isinstance(term, Variable), "a bound name becomes a name"
    return term.name


def _is_named_by_an_aggregation(name: str, formula: Formula) -> bool:
    return any(
        name == variable.name
        for part in walk(formula)
        if isinstance(part, Aggregation)
        for variable in (part.result, *part.groups)
    )


def _bound_names(formula: Formula) -> tuple[str, ...]:
    """The names that are bound in a formula, those of aggregations' bodies included."""
    bound: dict[str, None] = {}
    for part in walk(formula):
        if isinstance(part, Exists | Forall):
            bound |= dict.fromkeys(part.variables)
        elif isinstance(part, Aggregation):
            groups = {group.name for group in part.groups}
            bound |= dict.fromkeys(name for name in free_variables(part.body) if name not in groups)
    return tuple(bound)
