"""Walking formulas and terms: direct parts, all parts, free variables, a copy with other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from cep_core.language.temporal.formulas import (
    Aggregation,
    Always,
    And,
    Comparison,
    Equiv,
    Eventually,
    Exists,
    Forall,
    Formula,
    Historically,
    Implies,
    Let,
    Matches,
    Next,
    Not,
    Once,
    Or,
    Predicate,
    Prev,
    Release,
    Since,
    Trigger,
    Until,
)
from cep_core.language.temporal.kept import kept
from cep_core.language.temporal.terms import Arithmetic, Call, Minus, Term, Variable

_ONE_BODY = (Not, Exists, Forall, Prev, Next, Once, Historically, Eventually, Always, Aggregation)
_TWO_SIDES = (And, Or, Implies, Equiv, Since, Until, Trigger, Release)


def operands(formula: Formula) -> tuple[Formula, ...]:
    """The direct subformulas, left to right; of a LET the definition, then the body."""
    match formula:
        case Let():
            return (formula.definition, formula.body)
        case formula if isinstance(formula, _TWO_SIDES):
            return (formula.left, formula.right)
        case formula if isinstance(formula, _ONE_BODY):
            return (formula.body,)
        case _:
            return ()


def with_operands(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """The formula with each direct subformula changed; itself if none is.

    >>> from cep_core.language.temporal.formulas import Truth
    >>> with_operands(Not(Truth(True)), lambda part: Not(part))
    Not(body=Not(body=Truth(value=True)))
    """
    before = operands(formula)
    after = tuple(map(change, before))
    if all(old is new for old, new in zip(before, after, strict=True)):
        return formula
    match formula:
        case Let():
            return replace(formula, definition=after[0], body=after[1])
        case formula if isinstance(formula, _TWO_SIDES):
            return replace(formula, left=after[0], right=after[1])
        case formula if isinstance(formula, _ONE_BODY):
            return replace(formula, body=after[0])
        case _:
            return formula


def conjuncts(formula: Formula) -> Iterator[Formula]:
    """The operands of a chain of AND, however it is bracketed, left to right; of another formula, itself alone.

    >>> p, q, r = Predicate("p"), Predicate("q"), Predicate("r")
    >>> [part.event_type for part in conjuncts(And(p, And(q, r)))]
    ['p', 'q', 'r']
    """
    waiting = [formula]
    while waiting:
        part = waiting.pop()
        if isinstance(part, And):
            waiting += (part.right, part.left)
        else:
            yield part


def walk(formula: Formula) -> Iterator[Formula]:
    """The formula and all its parts, parents first. A node that stands at several places comes once.

    Sugar and rewriting repeat nodes, so a formula has far fewer nodes than its text has parts.

    >>> p = Predicate("p")
    >>> [type(part).__name__ for part in walk(And(p, Not(p)))]
    ['And', 'Predicate', 'Not']
    """
    seen: set[int] = set()
    waiting = [formula]
    while waiting:
        part = waiting.pop()
        if id(part) not in seen:
            seen.add(id(part))
            yield part
            waiting.extend(reversed(operands(part)))


def terms_of(formula: Formula) -> tuple[Term, ...]:
    """The terms that stand in an atom itself; none for other nodes."""
    match formula:
        case Predicate():
            return formula.arguments
        case Comparison():
            return (formula.left, formula.right)
        case Matches():
            return (formula.text, formula.regexp, *(group for group in formula.groups if group is not None))
        case _:
            return ()


def with_terms(formula: Formula, change: Callable[[Term], Term]) -> Formula:
    """The formula with each term that stands in an atom itself changed; other nodes are returned as they are.

    >>> less = Comparison("<", Variable("x"), Variable("y"))
    >>> with_terms(less, lambda term: Minus(term)) == Comparison("<", Minus(Variable("x")), Minus(Variable("y")))
    True
    """
    match formula:
        case Predicate():
            return replace(formula, arguments=tuple(map(change, formula.arguments)))
        case Comparison():
            return replace(formula, left=change(formula.left), right=change(formula.right))
        case Matches():
            groups = tuple(None if group is None else change(group) for group in formula.groups)
            return replace(formula, text=change(formula.text), regexp=change(formula.regexp), groups=groups)
        case _:
            return formula


def with_variables(term: Term, change: Callable[[Variable], Term]) -> Term:
    """The term with another term for each variable.

    >>> with_variables(Minus(Variable("x")), lambda variable: Variable(variable.name + "1"))
    Minus(term=Variable(name='x1'))
    """
    match term:
        case Variable():
            return change(term)
        case Arithmetic():
            return replace(term, left=with_variables(term.left, change), right=with_variables(term.right, change))
        case Minus():
            return replace(term, term=with_variables(term.term, change))
        case Call():
            return replace(term, argument=with_variables(term.argument, change))
        case _:
            return term


def variables_of(term: Term) -> Iterator[str]:
    """The variables of a term, left to right, repeated ones included."""
    match term:
        case Variable():
            yield term.name
        case Arithmetic():
            yield from variables_of(term.left)
            yield from variables_of(term.right)
        case Minus():
            yield from variables_of(term.term)
        case Call():
            yield from variables_of(term.argument)


@kept
def free_variables(formula: Formula) -> tuple[str, ...]:
    """The free variables in order of their first occurrence. LET's definition binds its parameters alone.

    >>> from cep_core.language.temporal.interval import ANY_TIME
    >>> p = Predicate("P", (Variable("x"), Variable("y")))
    >>> free_variables(Since(ANY_TIME, Exists(("x",), p), Predicate("Q", (Variable("x"),))))
    ('y', 'x')
    """
    match formula:
        case Aggregation():
            names = [formula.result.name, *(group.name for group in formula.groups)]
        case Exists() | Forall():
            names = [name for name in free_variables(formula.body) if name not in formula.variables]
        case Let():
            return free_variables(formula.body)
        case _:
            names = [name for term in terms_of(formula) for name in variables_of(term)]
            names += [name for operand in operands(formula) for name in free_variables(operand)]
    return tuple(dict.fromkeys(names))
