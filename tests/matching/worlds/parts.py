"""What a pattern consists of: its units, negations and repeated variables, its choices of an ANY, and its text."""

from __future__ import annotations

import re
from dataclasses import replace

from cep_core.language.errors import Position
from cep_core.language.patterns.tree import Alternative, AnyOf, Kleene, Not, Pattern, Sequence, Unit
from cep_core.matching.reference import UnitsLeft

AT = Position(1, 1)
SIGNS = {
    (1, None): "+",
    (0, None): "*",
    (0, 1): "?",
    (2, 2): "{2}",
    (1, 2): "{1,2}",
    (1, 3): "{1,3}",
    (2, None): "{2,}",
    (0, 2): "{0,2}",
}


def grouped(pattern: Pattern, said: set[str]) -> Pattern:
    """The pattern with what a choice offers instead of each ANY."""
    match pattern:
        case AnyOf():
            groups: list[tuple[Unit, ...]] = []
            for unit in pattern.units:
                like = next((k for k, group in enumerate(groups) if exchangeable(group[0], unit, said)), None)
                if like is None:
                    groups.append((unit,))
                else:
                    groups[like] = (*groups[like], unit)
            return UnitsLeft(pattern.n, tuple(groups))
        case Sequence():
            return replace(pattern, elements=tuple(grouped(element, said) for element in pattern.elements))
        case Alternative():
            return replace(pattern, options=tuple(grouped(option, said) for option in pattern.options))
        case Kleene():
            return replace(pattern, body=grouped(pattern.body, said))
    return pattern


def exchangeable(left: Unit, right: Unit, said: set[str]) -> bool:
    """Whether two units are of one type and the conditions read the same with their names exchanged."""
    names = {left.variable: right.variable, right.variable: left.variable}
    swapped = {re.sub(r"\bv\d+", lambda name: names.get(name[0], name[0]), text) for text in said}
    return left.event_type == right.event_type and swapped == said


def units_of(pattern: Pattern | UnitsLeft) -> list[Unit]:
    match pattern:
        case Unit():
            return [pattern]
        case AnyOf():
            return list(pattern.units)
        case UnitsLeft():
            return [unit for group in pattern.groups for unit in group]
        case Sequence():
            return [unit for element in pattern.elements for unit in units_of(element)]
        case Alternative():
            return [unit for option in pattern.options for unit in units_of(option)]
        case Kleene():
            return units_of(pattern.body)
        case Not():
            return []
    raise TypeError(pattern)


def negated_in(pattern: Pattern) -> list[Not]:
    """The negated elements that are in no other."""
    match pattern:
        case Not():
            return [pattern]
        case Sequence():
            return [negation for element in pattern.elements for negation in negated_in(element)]
        case Alternative():
            return [negation for option in pattern.options for negation in negated_in(option)]
        case Kleene():
            return negated_in(pattern.body)
    return []


def repeated(pattern: Pattern, inside: bool = False) -> set[str]:
    """The variables under a quantifier that may repeat them."""
    match pattern:
        case Unit():
            return {pattern.variable} if inside else set()
        case AnyOf():
            return {unit.variable for unit in pattern.units} if inside else set()
        case Sequence():
            return set().union(*(repeated(element, inside) for element in pattern.elements))
        case Alternative():
            return set().union(*(repeated(option, inside) for option in pattern.options))
        case Kleene():
            return repeated(pattern.body, inside or pattern.most != 1)
        case Not():
            return set()
    raise TypeError(pattern)


def written(pattern: Pattern) -> str:
    match pattern:
        case Unit():
            return f"{pattern.event_type} {pattern.variable}"
        case Sequence():
            return f"SEQ({', '.join(written(element) for element in pattern.elements)})"
        case Alternative():
            return f"({' OR '.join(written(option) for option in pattern.options)})"
        case Kleene():
            return f"({written(pattern.body)}){SIGNS[pattern.least, pattern.most]}"
        case AnyOf():
            return f"ANY({pattern.n}, {', '.join(written(unit) for unit in pattern.units)})"
        case Not():
            return f"NOT {written(pattern.body)}"
    raise TypeError(pattern)
