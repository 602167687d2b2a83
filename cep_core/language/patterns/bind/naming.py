"""Gives a variable name to every unit, and a normal form to negations (`docs/semantics.md` 3; GRETA, section 2).

A unit without a variable is named after its type: `A`, then `A_2`, `A_3`. Each branch of OR and AND starts numbering
anew. Variables of the second side of an AND end in `_right`. `NOT (P+)` and `(NOT P)+` mean `NOT P`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from cep_core.language.errors import Position
from cep_core.language.patterns.query import Variable
from cep_core.language.patterns.tree import (
    Alternative,
    AnyOf,
    Conjunction,
    Kleene,
    Not,
    Pattern,
    Sequence,
    Unit,
)
from cep_core.language.patterns.walk import map_units, parts_of

RIGHT = "_right"
"""The ending of variable names on the second side of an AND."""

Report = Callable[[str, Position, str], None]
"""Takes the message, place and hint of an error."""


def name_variables(pattern: Pattern) -> Pattern:
    """The pattern with each unit's variable filled in.

    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> from cep_core.language.patterns.walk import units_of
    >>> [unit.variable for unit in units_of(name_variables(parse_pattern("SEQ(A+, B b, A, A a, A)")))]
    ['A', 'b', 'A_2', 'a', 'A_3']
    """
    return _named(pattern, Counter())


def _named(pattern: Pattern, counts: Counter[str]) -> Pattern:
    match pattern:
        case Unit():
            return _named_unit(pattern, counts)
        case Sequence():
            return replace(pattern, elements=tuple(_named(element, counts) for element in pattern.elements))
        case Kleene() | Not():
            return replace(pattern, body=_named(pattern.body, counts))
        case AnyOf():
            return replace(pattern, units=tuple(_named_unit(unit, counts) for unit in pattern.units))
        case Alternative():
            branches = [Counter(counts) for _ in pattern.options]
            options = tuple(_named(option, branch) for option, branch in zip(pattern.options, branches, strict=True))
            for branch in branches:
                counts |= branch
            return replace(pattern, options=options)
        case Conjunction():
            left, right = _named(pattern.left, Counter(counts)), _named(pattern.right, Counter(counts))
            return replace(pattern, left=left, right=map_units(right, _on_the_right))


def _named_unit(unit: Unit, counts: Counter[str]) -> Unit:
    if unit.variable:
        return unit
    counts[unit.event_type] += 1
    k = counts[unit.event_type]
    return replace(unit, variable=unit.event_type if k == 1 else f"{unit.event_type}_{k}")


def _on_the_right(unit: Unit) -> Unit:
    return replace(unit, variable=unit.variable + RIGHT)


def normalise_negation(pattern: Pattern) -> Pattern:
    """`NOT (P+)` and `(NOT P)+` become `NOT P`.

    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> normal = parse_pattern("SEQ(A, NOT B)")
    >>> all(normalise_negation(parse_pattern(text)) == normal for text in ("SEQ(A, NOT (B+))", "SEQ(A, (NOT B)+)"))
    True
    """
    match pattern:
        case Not(body=Kleene(least=1, most=None) as closure):
            return normalise_negation(replace(pattern, body=closure.body))
        case Kleene(least=1, most=None):
            body = normalise_negation(pattern.body)
            return body if isinstance(body, Not) else replace(pattern, body=body)
        case Kleene() | Not():
            return replace(pattern, body=normalise_negation(pattern.body))
        case Sequence():
            return replace(pattern, elements=tuple(normalise_negation(element) for element in pattern.elements))
        case Alternative():
            return replace(pattern, options=tuple(normalise_negation(option) for option in pattern.options))
        case Conjunction():
            left, right = normalise_negation(pattern.left), normalise_negation(pattern.right)
            return replace(pattern, left=left, right=right)
        case _:
            return pattern


def check_shape(pattern: Pattern, report: Report) -> None:
    """Report a NOT or an AND in a place where it has no meaning, and patterns that may match no event."""
    if isinstance(pattern, Not):
        report(
            "a negation cannot be the whole pattern",
            pattern.at,
            "NOT says what must not happen between events: SEQ(A, NOT B)",
        )
        return
    _check(pattern, report, top=True)
    if not any(True for _ in _positive_units(pattern)):
        report("a pattern of negations only", pattern.at, "a match needs at least one event that happens")
    elif may_be_empty(pattern):
        report("the pattern may match nothing", pattern.at, "at least one element must be there in every match")


def _check(pattern: Pattern, report: Report, *, top: bool) -> None:
    if isinstance(pattern, Conjunction) and not top:
        report("AND joins whole patterns only", pattern.at, "move it to the top, or write ANY(A, B) for any order")
    for part in parts_of(pattern):
        if isinstance(part, Not):
            if not isinstance(pattern, Sequence):
                report("NOT stands only as an element of SEQ", part.at, "write SEQ(A, NOT B, C)")
            if not isinstance(part.body, Unit | Sequence):
                report("NOT takes an event type or a SEQ of them", part.at, "write NOT B or NOT SEQ(B, C)")
            elif isinstance(part.body, Sequence) and not any(True for _ in _positive_units(part.body)):
                report("a negation of negations only", part.at, "NOT SEQ(...) forbids a sequence of events that happen")
            _check(part.body, report, top=False)
        else:
            _check(part, report, top=False)


def _positive_units(pattern: Pattern) -> Iterator[Unit]:
    if isinstance(pattern, Unit):
        yield pattern
    elif not isinstance(pattern, Not):
        for part in parts_of(pattern):
            yield from _positive_units(part)


def may_be_empty(pattern: Pattern) -> bool:
    """Whether the pattern has a match without events."""
    match pattern:
        case Not():
            return True
        case Sequence():
            return all(may_be_empty(element) for element in pattern.elements)
        case Kleene():
            return pattern.least == 0 or may_be_empty(pattern.body)
        case Alternative():
            return any(may_be_empty(option) for option in pattern.options)
        case Conjunction():
            return may_be_empty(pattern.left) or may_be_empty(pattern.right)
        case _:
            return False


@dataclass
class _Seen:
    """A variable found so far; its name may appear again in other branches of an OR."""

    unit: Unit
    kleene: bool
    negated: bool
    branches: tuple[frozenset[tuple[int, int]], ...]
    """For each occurrence of the variable, the branches of OR that contain it."""


def variables_of_pattern(pattern: Pattern, report: Report) -> tuple[Variable, ...]:
    """The variables of a named pattern in pattern order; reports a name that is bound twice in one match."""
    seen: dict[str, _Seen] = {}
    _collect(pattern, False, False, frozenset(), seen, report)
    mandatory = always_bound(pattern)
    variables = []
    for name, variable in seen.items():
        optional = not variable.negated and name not in mandatory
        variables.append(
            Variable(name, variable.unit.event_type, variable.kleene, optional, variable.negated, variable.unit.at)
        )
    return tuple(variables)


def _collect(
    pattern: Pattern,
    kleene: bool,
    negated: bool,
    branches: frozenset[tuple[int, int]],
    seen: dict[str, _Seen],
    report: Report,
) -> None:
    if isinstance(pattern, Unit):
        _see(_Seen(pattern, kleene, negated, (branches,)), seen, report)
    for number, part in enumerate(parts_of(pattern)):
        below = branches | {(id(pattern), number)} if isinstance(pattern, Alternative) else branches
        repeats = kleene or (isinstance(pattern, Kleene) and pattern.most != 1)
        _collect(part, repeats, negated or isinstance(pattern, Not), below, seen, report)


def _see(new: _Seen, seen: dict[str, _Seen], report: Report) -> None:
    name = new.unit.variable
    earlier = seen.get(name)
    if earlier is None:
        seen[name] = new
        return
    (new_branch,) = new.branches
    exclusive = all(any(a == b and i != j for a, i in branch for b, j in new_branch) for branch in earlier.branches)
    if not exclusive:
        report(f"variable '{name}' is bound twice", new.unit.at, "each unit has a variable of its own")
    elif earlier.unit.event_type != new.unit.event_type or earlier.negated != new.negated:
        report(f"variable '{name}' is not the same in every branch", new.unit.at, "give it another name")
    seen[name] = replace(earlier, kleene=earlier.kleene or new.kleene, branches=(*earlier.branches, *new.branches))


def always_bound(pattern: Pattern) -> frozenset[str]:
    """The variables that are bound in every match."""
    match pattern:
        case Unit():
            return frozenset({pattern.variable})
        case Sequence():
            return frozenset().union(*(always_bound(element) for element in pattern.elements))
        case Kleene():
            return always_bound(pattern.body) if pattern.least > 0 else frozenset()
        case Alternative():
            return frozenset.intersection(*(always_bound(option) for option in pattern.options))
        case Conjunction():
            return always_bound(pattern.left) | always_bound(pattern.right)
        case AnyOf():
            return (
                frozenset(unit.variable for unit in pattern.units) if pattern.n == len(pattern.units) else frozenset()
            )
        case Not():
            return frozenset()
