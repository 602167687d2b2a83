"""Equalities that a formula implies, so that the slicer sees `P(x)` in `EXISTS y. P(y) AND y = x`.

Variables are rigid: what `y = x` says holds at every point. So where a quantified or aggregated formula implies it, `y`
may be read as `x` in all of that formula; and what the whole formula implies holds for every verdict. Linear in the
formula at each quantifier.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cep_core.language.temporal.formulas import (
    Aggregation,
    And,
    Comparison,
    Eventually,
    Exists,
    Formula,
    Next,
    Not,
    Once,
    Or,
    Prev,
    Since,
    Until,
)
from cep_core.language.temporal.terms import Constant, Variable

Simple = Variable | Constant
Equality = tuple[Simple, Simple]


def implied_equalities(formula: Formula) -> tuple[Equality, ...]:
    """Pairs of variables and constants that are equal wherever the formula holds, as far as its structure tells.

    >>> x, y = Variable("x"), Variable("y")
    >>> one, two = Comparison("=", x, y), Comparison("=", x, Constant(1))
    >>> implied_equalities(And(one, Or(two, And(two, one)))) == ((x, y), (x, Constant(1)))
    True
    """
    match formula:
        case Comparison(operator="=", left=Variable() | Constant() as left, right=Variable() | Constant() as right):
            return ((left, right),)
        case Not():
            return _implied_by_negation(formula.body)
        case And():
            return implied_equalities(formula.left) + implied_equalities(formula.right)
        case Or():
            return _common(implied_equalities(formula.left), implied_equalities(formula.right))
        case Exists():
            return _without(formula.variables, implied_equalities(formula.body))
        case Prev() | Next() | Once() | Eventually():
            return implied_equalities(formula.body)
        case Since() | Until():
            return implied_equalities(formula.right)
        case Aggregation() if formula.groups:
            groups = {group.name for group in formula.groups}
            pairs = implied_equalities(formula.body)
            return tuple(pair for pair in pairs if all(isinstance(t, Constant) or t.name in groups for t in pair))
        case _:
            return ()


def _implied_by_negation(formula: Formula) -> tuple[Equality, ...]:
    """Pairs that are equal wherever the formula does not hold, as in NOT (x = 1 IMPLIES P(x))."""
    match formula:
        case Not():
            return implied_equalities(formula.body)
        case Or():
            return _implied_by_negation(formula.left) + _implied_by_negation(formula.right)
        case And():
            return _common(_implied_by_negation(formula.left), _implied_by_negation(formula.right))
        case _:
            return ()


def _common(left: tuple[Equality, ...], right: tuple[Equality, ...]) -> tuple[Equality, ...]:
    return tuple(pair for pair in left if pair in right)


def _without(names: Iterable[str], pairs: tuple[Equality, ...]) -> tuple[Equality, ...]:
    hidden = set(names)
    return tuple(pair for pair in pairs if not any(isinstance(term, Variable) and term.name in hidden for term in pair))


def representatives(own: Iterable[str], pairs: Iterable[Equality]) -> Mapping[str, Simple]:
    """What to read for each of a scope's own names: an equal constant, else an outer variable, else the first own one.

    >>> x, y, z = Variable("x"), Variable("y"), Variable("z")
    >>> representatives(["y", "z"], [(y, z), (z, x)]) == {"y": x, "z": x}
    True
    """
    names = list(dict.fromkeys(own))
    classes: list[set[Simple]] = []
    for pair in pairs:
        touched = [members for members in classes if members & set(pair)]
        classes = [members for members in classes if members not in touched]
        classes.append(set(pair).union(*touched))
    chosen: dict[str, Simple] = {}
    for members in classes:
        best = min(members, key=lambda term: _rank(term, names))
        for name in names:
            if Variable(name) in members:
                chosen[name] = best
    return chosen


def _rank(term: Simple, own: list[str]) -> tuple[int, int, str]:
    if isinstance(term, Constant):
        return 0, 0, repr(term.value)
    if term.name in own:
        return 2, own.index(term.name), ""
    return 1, 0, term.name
