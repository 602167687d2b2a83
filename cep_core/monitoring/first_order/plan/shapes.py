"""The shape of a formula: the formula with its variables numbered, so that equal meanings are found under other names.

An unfolded LET leaves the same formula several times, each with variable names of its own. Formulas of one shape have
the same satisfactions, up to the names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from cep_core.language.temporal.formulas import Aggregation, Comparison, Exists, Formula, Matches, Predicate
from cep_core.language.temporal.kept import kept
from cep_core.language.temporal.terms import Term, Variable
from cep_core.language.temporal.walk import (
    operands,
    terms_of,
    variables_of,
    walk,
    with_operands,
    with_terms,
    with_variables,
)


def shape_counts(formula: Formula) -> Counter[Formula]:
    """How often each shape stands in a formula. Rewriting repeats nodes: the shape of each is found once.

    >>> from cep_core.language.temporal.formulas import And
    >>> p = Predicate("P", (Variable("x"),))
    >>> shape_counts(And(p, p))[shape_of(p)[0]]
    2
    """
    counts: Counter[Formula] = Counter()
    times = Counter({id(formula): 1})
    for part in _parents_first(formula):
        counts[shape_of(part)[0]] += times[id(part)]
        for operand in operands(part):
            times[id(operand)] += times[id(part)]
    return counts


def _parents_first(formula: Formula) -> list[Formula]:
    """Each node once, behind all nodes in which it stands."""
    done: dict[int, Formula] = {}
    waiting = [(formula, False)]
    while waiting:
        part, has_operands = waiting.pop()
        if has_operands:
            done.setdefault(id(part), part)
        elif id(part) not in done:
            waiting.append((part, True))
            waiting.extend((operand, False) for operand in operands(part))
    return list(reversed(done.values()))


@kept
def shape_of(formula: Formula) -> tuple[Formula, dict[str, str]]:
    """A core formula with numbers for names, and the names by number.

    >>> p = Predicate("P", (Variable("x"), Variable("y")))
    >>> shape_of(Exists(("y",), p))[0] == shape_of(Exists(("x",), Predicate("P", (Variable("z"), Variable("x")))))[0]
    True
    """
    numbers: dict[str, str] = {}
    for name in _names(formula):
        numbers.setdefault(name, str(len(numbers)))
    return _renamed(formula, numbers), {number: name for name, number in numbers.items()}


def _names(formula: Formula) -> Iterator[str]:
    """All names, in an order that depends on their places only."""
    for part in walk(formula):
        match part:
            case Exists():
                yield from part.variables
            case Aggregation():
                yield part.result.name
                yield part.item.name
                yield from (group.name for group in part.groups)
            case _:
                for term in terms_of(part):
                    yield from variables_of(term)


def _renamed(formula: Formula, names: dict[str, str]) -> Formula:
    def term(part: Term) -> Term:
        return with_variables(part, lambda variable: replace(variable, name=names[variable.name]))

    def variable(part: Variable) -> Variable:
        return replace(part, name=names[part.name])

    def renamed(part: Formula) -> Formula:
        if id(part) not in done:
            done[id(part)] = own_names(with_operands(part, renamed))
        return done[id(part)]

    def own_names(part: Formula) -> Formula:
        match part:
            case Predicate() | Comparison() | Matches():
                return with_terms(part, term)
            case Exists():
                return replace(part, variables=tuple(names[name] for name in part.variables))
            case Aggregation():
                groups = tuple(map(variable, part.groups))
                return replace(part, result=variable(part.result), item=variable(part.item), groups=groups)
            case _:
                return part

    done: dict[int, Formula] = {}
    return renamed(formula)
