"""Checking that a core formula can be monitored, and saying what to change if not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cep_core.language.first_order.safety.bounded import check_bounded
from cep_core.language.first_order.safety.fragment import SafetyRule, UnsafePart, is_safe, unsafe_part
from cep_core.language.first_order.safety.refusals import UnsafeFormula
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.temporal.formulas import And, Comparison, Exists, Formula, Not, Or, Predicate, Since, Until
from cep_core.language.temporal.terms import Constant, Variable
from cep_core.language.temporal.walk import free_variables

Shown = Callable[[Formula], str]


def check_safe(formula: Formula, text: str, path: str, shown: Shown = formula_text) -> None:
    """Raises UnboundedFuture or UnsafeFormula for a core formula that is not safe, with the first part at fault.

    `shown` prints formulas in messages.

    >>> p, q = Predicate("P", (Variable("x"),)), Predicate("Q", (Variable("y"),))
    >>> try:
    ...     check_safe(Or(p, q), "P(x) OR Q(y)", "p.mfotl")
    ... except UnsafeFormula as refusal:
    ...     print(refusal)
    p.mfotl:1:1: P(x) OR Q(y) is unsafe: y is not bound on the left, x is not bound on the right
        P(x) OR Q(y)
        ^ both sides of OR need the same variables: (EXISTS x. P(x)) OR (EXISTS y. Q(y))
    """
    check_bounded(formula, text, path, shown)
    if fault := unsafe_part(formula):
        reason, hint = _reason(fault, shown)
        message = f"{shown(fault.part)} is unsafe: {reason}"
        raise UnsafeFormula(message, fault.part.at, text=text, path=path, hint=_violation(formula, shown) or hint)


def _violation(formula: Formula, shown: Shown) -> str:
    """A hint for an open implication, which states what should hold where a policy states what is to be found."""
    match formula:
        case Or(Not(left), right) if is_safe(violation := And(left, Not(right))):
            return f"this is what should hold; its violations are {shown(violation)}"
        case _:
            return ""


def _reason(fault: UnsafePart, shown: Shown) -> tuple[str, str]:
    """Why a part is unsafe, and what would do."""
    names = ", ".join(fault.variables)
    match fault.rule, fault.part:
        case SafetyRule.ARGUMENT, Predicate() as part:
            return (
                "an argument must be a variable or a constant",
                f"name what is computed: {shown(_named_argument(part))}",
            )
        case SafetyRule.COMPARISON, part:
            if not fault.variables:
                return "alone, constants are compared with = only", f"put it behind AND: TRUE AND {shown(part)}"
            hint = f"put it behind what binds {names}: {shown(And(_binder(fault.variables), part))}"
            return f"alone, it leaves infinitely many values of {names}", hint
        case SafetyRule.NEGATION, Not(body) as part:
            joined = shown(And(_binder(fault.variables), part))
            closed = shown(Not(Exists(fault.variables, body)))
            hint = f"put it behind what binds {names}: {joined}, or ask for none at all: {closed}"
            return f"it holds for infinitely many values of {names}", hint
        case SafetyRule.ANTIJOIN, And(left, Not(body)):
            hint = f"if there is to be none: {shown(And(left, Not(_projected(body, fault.variables))))}"
            return f"{_unbound(fault.variables)} on the left", hint
        case ((SafetyRule.FILTER | SafetyRule.ASSIGNMENT), And(left, right)):
            hint = f"bind {names} there: {shown(And(And(left, _binder(fault.variables)), right))}"
            if fault.rule is SafetyRule.ASSIGNMENT and len(fault.variables) == 1:
                hint += f", or give {names} a value: {names} = ..."
            return f"{_unbound(fault.variables)} on the left", hint
        case SafetyRule.UNION, Or(left, right) as part:
            return _reason_of_union(part, shown)
        case SafetyRule.LEFT_OF_SINCE, (Since() | Until()) as part:
            word = type(part).__name__.upper()
            hint = f"if any {names} will do: {shown(_projected_left(part, fault.variables))}"
            return f"{_unbound(fault.variables)} on the right of {word}", hint
    raise AssertionError(f"{fault.rule} is about no {type(fault.part).__name__}")


def _reason_of_union(part: Or, shown: Shown) -> tuple[str, str]:
    left, right = free_variables(part.left), free_variables(part.right)
    more_left = tuple(name for name in left if name not in right)
    more_right = tuple(name for name in right if name not in left)
    sides = ((more_right, "left"), (more_left, "right"))
    reasons = (f"{_unbound(names)} on the {side}" for names, side in sides if names)
    same = Or(_projected(part.left, more_left), _projected(part.right, more_right))
    return ", ".join(reasons), f"both sides of OR need the same variables: {shown(same)}"


def _projected_left(part: Since | Until, names: tuple[str, ...]) -> Formula:
    if isinstance(part.left, Not):
        return replace(part, left=Not(_projected(part.left.body, names)))
    return replace(part, left=_projected(part.left, names))


def _projected(formula: Formula, names: tuple[str, ...]) -> Formula:
    return Exists(names, formula) if names else formula


def _binder(names: tuple[str, ...]) -> Predicate:
    """A predicate that binds the variables, for a hint."""
    return Predicate("Event", tuple(map(Variable, names)))


def _named_argument(part: Predicate) -> Formula:
    taken = set(free_variables(part))
    place = next(i for i, argument in enumerate(part.arguments) if not isinstance(argument, Variable | Constant))
    name = next(name for name in (*"vwxyz", *(f"v{i}" for i in range(len(taken) + 1))) if name not in taken)
    arguments = (*part.arguments[:place], Variable(name), *part.arguments[place + 1 :])
    return And(replace(part, arguments=arguments), Comparison("=", Variable(name), part.arguments[place]))


def _unbound(names: tuple[str, ...]) -> str:
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not bound"
