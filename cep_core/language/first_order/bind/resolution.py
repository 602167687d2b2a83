"""Resolves the names of a policy: event types, attributes, variables, definitions.

Afterwards no name is bound twice, and none is both free and bound; free variables keep their names. Predicates name
their attributes and have variables and constants as arguments: arguments that nothing looks at (`_`) are left out, and
an argument that must be computed, or a `_x` that stands there twice, is a bound variable of its own. A predicate stands
for a definition if its name is that of a LET, which differs from every event type's. Linear in the formula, save for
the free variables below each aggregation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from cep_core.events.schema import LogSchema
from cep_core.language.first_order.bind.declarations import BUILT_IN, declared, known_names, positional_names
from cep_core.language.first_order.bind.fresh_names import FreshNames
from cep_core.language.first_order.regexps import regular_expression
from cep_core.language.hints import did_you_mean
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
)
from cep_core.language.temporal.terms import Arithmetic, Call, Constant, Minus, Regexp, Term, Variable
from cep_core.language.temporal.walk import free_variables, terms_of, variables_of, walk, with_operands


@dataclass(frozen=True)
class _Definition:
    """A definition as written, and with its names resolved."""

    written: Let
    resolved: Let

    def called(self, call: Predicate) -> Predicate | None:
        """The call with an argument for each parameter; None if it does not fit."""
        written = self.written.parameters
        if call.names is None:
            return call if len(call.arguments) == len(written) else None
        if not set(call.names) <= set(written):
            return None
        named = dict(zip(call.names, call.arguments, strict=True))
        return replace(call, arguments=tuple(named.get(name, Variable(ANY, call.at)) for name in written))


@dataclass(frozen=True)
class _Scope:
    """The meaning of names at a place: bound variables, and definitions, the innermost first."""

    variables: Mapping[str, str] = field(default_factory=dict)
    definitions: tuple[_Definition, ...] = ()

    def binding(self, variables: Mapping[str, str]) -> _Scope:
        return replace(self, variables={**self.variables, **variables})

    def defining(self, definition: _Definition) -> _Scope:
        return replace(self, definitions=(definition, *self.definitions))

    def call(self, written: Predicate) -> Predicate | None:
        """The predicate as a call of a definition, with its parameters as names; None if it is none."""
        for definition in self.definitions:
            if definition.written.name == written.event_type and (call := definition.called(written)) is not None:
                return replace(call, event_type=definition.resolved.name, names=definition.resolved.parameters)
        return None


ANY = "_"
"""An argument that is not looked at."""


def is_wildcard(term: Term) -> TypeGuard[Variable]:
    """Whether an atom's argument is bound at the atom: `_`, `_x`."""
    return isinstance(term, Variable) and term.name.startswith(ANY)


def free_names(formula: Formula) -> tuple[str, ...]:
    """The free variables of a written formula, in order of first occurrence, without those bound at their atoms.

    Outside atoms a name that begins with `_` is a variable like any other, as in MonPoly.
    """
    names = free_variables(formula)
    if not any(name.startswith(ANY) for name in names):
        return names
    compared = {
        name
        for part in walk(formula)
        if not isinstance(part, Predicate)
        for term in terms_of(part)
        for name in variables_of(term)
    }
    return tuple(name for name in names if not name.startswith(ANY) or (name in compared and name != ANY))


class Resolver:
    """Resolves one policy's formula; reports what has no meaning in the schema."""

    def __init__(self, schema: LogSchema, names: FreshNames, report: Report) -> None:
        self._schema = schema
        self._names = names
        self._report = report
        self._definition_names = FreshNames([*schema.types, *BUILT_IN])
        self._closed: set[str] = {ANY}

    def resolved(self, formula: Formula) -> Formula:
        """The formula with its names resolved; only of use if nothing was reported."""
        arguments = (term for part in walk(formula) if isinstance(part, Predicate) for term in part.arguments)
        self._closed |= {term.name for term in arguments if is_wildcard(term)}
        return self._formula(formula, _Scope())

    def _formula(self, formula: Formula, scope: _Scope) -> Formula:
        match formula:
            case Predicate():
                return self._predicate(formula, scope)
            case Comparison():
                left, right = (self._term(term, scope) for term in (formula.left, formula.right))
                return replace(formula, left=left, right=right)
            case Matches():
                return self._matches(formula, scope)
            case Exists() | Forall():
                bound = {name: self._names.fresh(name) for name in dict.fromkeys(formula.variables)}
                body = self._formula(formula.body, scope.binding(bound))
                return replace(formula, variables=tuple(bound.values()), body=body)
            case Aggregation():
                return self._aggregation(formula, scope)
            case Let():
                return self._let(formula, scope)
            case _:
                return with_operands(formula, lambda part: self._formula(part, scope))

    # ------------------------------------------------------------ terms

    def _term(self, term: Term, scope: _Scope) -> Term:
        match term:
            case Variable():
                if term.name in self._closed:
                    message = f"'{term.name}' is bound at its atom and has no value here"
                    self._report(message, term.at, "give it a name without '_'")
                return replace(term, name=scope.variables.get(term.name, term.name))
            case Minus():
                inner = self._term(term.term, scope)
                if isinstance(inner, Constant) and not isinstance(inner.value, str):
                    return Constant(-inner.value, term.at)
                return replace(term, term=inner)
            case Arithmetic():
                return replace(term, left=self._term(term.left, scope), right=self._term(term.right, scope))
            case Call():
                return replace(term, argument=self._term(term.argument, scope))
            case Constant() | Regexp():
                return term

    def _matches(self, formula: Matches, scope: _Scope) -> Matches:
        groups = tuple(
            None if group is None or is_wildcard(group) else self._term(group, scope) for group in formula.groups
        )
        text, regexp = self._term(formula.text, scope), self._term(formula.regexp, scope)
        if isinstance(regexp, Regexp):
            self._check_expression(regexp, groups)
        return replace(formula, text=text, regexp=regexp, groups=groups)

    def _check_expression(self, regexp: Regexp, groups: tuple[Term | None, ...]) -> None:
        """Report a pattern that is no regular expression, or that has fewer groups than are asked for."""
        try:
            expression = regular_expression(regexp.pattern)
        except ValueError as error:
            self._report(f"not a regular expression: {error}", regexp.at, r"as in OCaml's Str: groups are \( \)")
            return
        for number, group in enumerate(groups, 1):
            if group is not None and number > expression.groups:
                has = f"the regular expression has {expression.groups or 'no'} group{'s' * (expression.groups != 1)}"
                self._report(f"{has}, and this is for group {number}", group.at, r"groups are written \( \)")

    # ------------------------------------------------------------ predicates

    def _predicate(self, written: Predicate, scope: _Scope) -> Formula:
        call = scope.call(written)
        if call is not None:
            return self._atom(call, scope, complete=True)
        event_type, names = self._event_type(written)
        if event_type is not None and names is not None:
            atom = replace(written, event_type=event_type, names=names)
            return self._atom(atom, scope, complete=event_type in BUILT_IN)
        for term in written.arguments:
            if not isinstance(term, Variable):
                self._term(term, scope)  # its own faults
        return written

    def _event_type(self, written: Predicate) -> tuple[str | None, tuple[str, ...] | None]:
        """The event type and the attributes of a written predicate; None for what was reported."""
        number = len(written.arguments) if written.names is None else None
        event_type = declared(self._schema, written.event_type, number, written.at, self._report)
        if event_type is None:
            return None, None
        if number is not None:
            return event_type, positional_names(self._schema, event_type, number, written.at, self._report)
        return event_type, known_names(self._schema, event_type, written.names or (), written.at, self._report)

    def _atom(self, atom: Predicate, scope: _Scope, *, complete: bool) -> Formula:
        """The atom with variables and constants as arguments. `complete`: no argument may be left out."""
        wildcards = [term.name for term in atom.arguments if is_wildcard(term)]
        bound: dict[str, str] = {}
        names: list[str] = []
        arguments: list[Term] = []
        equations: list[Comparison] = []
        for name, term in zip(atom.names or (), atom.arguments, strict=True):
            argument: Term
            if is_wildcard(term):
                repeated = term.name != ANY and wildcards.count(term.name) > 1
                if not repeated and not complete:
                    continue
                key = term.name if repeated else f"{ANY}{len(arguments)}"
                if key not in bound:
                    bound[key] = self._names.fresh(term.name if repeated else name)
                argument = Variable(bound[key], term.at)
            else:
                argument = self._term(term, scope)
                if not isinstance(argument, Variable | Constant):
                    bound[f"={len(arguments)}"] = variable = self._names.fresh(name)
                    equations.append(Comparison("=", Variable(variable, term.at), argument, term.at))
                    argument = Variable(variable, term.at)
            names.append(name)
            arguments.append(argument)
        resolved: Formula = replace(atom, names=tuple(names), arguments=tuple(arguments))
        for equation in equations:
            resolved = And(resolved, equation, atom.at)
        return Exists(tuple(bound.values()), resolved, atom.at) if bound else resolved

    # ------------------------------------------------------------ aggregations and definitions

    def _aggregation(self, written: Aggregation, scope: _Scope) -> Aggregation:
        free = free_names(written.body)
        for variable in (written.item, *written.groups):
            if variable.name not in free:
                message = f"'{variable.name}' is not free in the formula that is aggregated"
                self._report(message, variable.at, did_you_mean(variable.name, free))
        groups = {group.name for group in written.groups}
        if written.result.name in groups:
            self._report(f"'{written.result.name}' is the result and a group", written.result.at, "rename the result")
        inner = {name: self._names.fresh(name) for name in free if name not in groups}
        inside = scope.binding(inner)

        def renamed(variable: Variable, within: _Scope) -> Variable:
            return replace(variable, name=within.variables.get(variable.name, variable.name))

        return replace(
            written,
            result=renamed(written.result, scope),
            item=renamed(written.item, inside),
            groups=tuple(dict.fromkeys(renamed(group, scope) for group in written.groups)),
            body=self._formula(written.body, inside),
        )

    def _let(self, written: Let, scope: _Scope) -> Let:
        free = free_names(written.definition)
        for name in free:
            if name not in written.parameters:
                message = f"'{name}' is free in the definition of {written.name}"
                self._report(message, written.at, f"make it a parameter, or bind it: EXISTS {name}. ...")
        for name in dict.fromkeys(written.parameters):
            if name not in free:
                hint = did_you_mean(name, free)
                self._report(
                    f"the definition of {written.name} does not mention its parameter '{name}'", written.at, hint
                )
            if written.parameters.count(name) > 1:
                self._report(f"{written.name} has the parameter '{name}' twice", written.at, "")
        bound = {name: self._names.fresh(name) for name in dict.fromkeys(written.parameters)}
        resolved = replace(
            written,
            name=self._definition_names.fresh(written.name),
            parameters=tuple(bound[name] for name in written.parameters),
            definition=self._formula(written.definition, scope.binding(bound)),
        )
        return replace(resolved, body=self._formula(written.body, scope.defining(_Definition(written, resolved))))
