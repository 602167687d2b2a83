"""The shape of a formula: the formula with its variables numbered, so that equal meanings are found under other names.

An unfolded LET leaves the same formula several times, each with variable names of its own. Formulas of one shape have
the same satisfactions, up to the names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from cep_core.language.temporal.formulas import Aggregation, Comparison, Exists, Formula, Matches, Predicate
from cep_core.language.temporal.terms import Arithmetic, Call, Minus, Term, Variable
from cep_core.language.temporal.walk import terms_of, variables_of, walk, with_operands


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
        return _renamed_term(part, names)

    changed = with_operands(formula, lambda part: _renamed(part, names))
    match changed:
        case Predicate():
            return replace(changed, arguments=tuple(map(term, changed.arguments)))
        case Comparison():
            return replace(changed, left=term(changed.left), right=term(changed.right))
        case Matches():
            groups = tuple(None if group is None else term(group) for group in changed.groups)
            return replace(changed, text=term(changed.text), regexp=term(changed.regexp), groups=groups)
        case Exists():
            return replace(changed, variables=tuple(names[name] for name in changed.variables))
        case Aggregation():
            variable: Callable[[Variable], Variable] = lambda part: replace(part, name=names[part.name])  # noqa: E731
            result, item = variable(changed.result), variable(changed.item)
            return replace(changed, result=result, item=item, groups=tuple(map(variable, changed.groups)))
        case _:
            return changed


def _renamed_term(term: Term, names: dict[str, str]) -> Term:
    match term:
        case Variable():
            return replace(term, name=names[term.name])
        case Arithmetic():
            return replace(term, left=_renamed_term(term.left, names), right=_renamed_term(term.right, names))
        case Minus():
            return replace(term, term=_renamed_term(term.term, names))
        case Call():
            return replace(term, argument=_renamed_term(term.argument, names))
        case _:
            return term
