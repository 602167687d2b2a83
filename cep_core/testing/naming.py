"""Bound names of a formula made distinct, as they are after binding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count

from cep_core.language.temporal.formulas import (
    Aggregation,
    Comparison,
    Exists,
    Forall,
    Formula,
    Let,
    Matches,
    Predicate,
)
from cep_core.language.temporal.terms import Term, Variable
from cep_core.language.temporal.walk import free_variables, with_operands, with_terms, with_variables


def names_apart(formula: Formula) -> Formula:
    """The formula with a number behind each bound name, a different one for each place where it is bound.

    >>> p = Predicate("P", (Variable("x"),))
    >>> names_apart(Exists(("x",), p)) == Exists(("x1",), Predicate("P", (Variable("x1"),)))
    True
    """
    return renamed(formula, {}, count(1))


def renamed(formula: Formula, names: Mapping[str, str], numbers: Iterator[int] | None = None) -> Formula:
    """The formula with free variables renamed, and bound ones numbered, if there are `numbers`."""

    def fresh(bound: tuple[str, ...]) -> dict[str, str]:
        return {name: name if numbers is None else f"{name}{next(numbers)}" for name in bound}

    def term(written: Term) -> Term:
        return with_names(written, names)

    def variable(written: Variable, among: Mapping[str, str]) -> Variable:
        return replace(written, name=among.get(written.name, written.name))

    match formula:
        case Predicate() | Comparison() | Matches():
            return with_terms(formula, term)
        case Exists() | Forall():
            bound = fresh(formula.variables)
            body = renamed(formula.body, {**names, **bound}, numbers)
            return replace(formula, variables=tuple(bound.values()), body=body)
        case Aggregation():
            outside = {group.name for group in formula.groups}
            inner = {**names, **fresh(tuple(name for name in free_variables(formula.body) if name not in outside))}
            return replace(
                formula,
                result=variable(formula.result, names),
                item=variable(formula.item, inner),
                groups=tuple(variable(group, names) for group in formula.groups),
                body=renamed(formula.body, inner, numbers),
            )
        case Let():
            bound = fresh(formula.parameters)
            return replace(
                formula,
                parameters=tuple(bound.values()),
                definition=renamed(formula.definition, bound, numbers),
                body=renamed(formula.body, names, numbers),
            )
        case _:
            return with_operands(formula, lambda part: renamed(part, names, numbers))


def with_names(term: Term, names: Mapping[str, str]) -> Term:
    """The term with its variables renamed."""
    return with_variables(term, lambda variable: replace(variable, name=names.get(variable.name, variable.name)))
