"""How far back a pattern query looks from the moment a result becomes certain (`docs/semantics.md` 2)."""

from __future__ import annotations

from cep_core.language.evaluator import Reach
from cep_core.language.patterns.bind.imprecision import known_after
from cep_core.language.patterns.query import Query, Strategy
from cep_core.language.patterns.tree import Alternative, AnyOf, Conjunction, Kleene, Not, Pattern, Sequence


def reach_of(query: Query) -> Reach:
    """The reach of a query, in most cases one window.

    It is two windows if the pattern begins with a NOT and its matches are certain only at `first.ts + w`.

    With AFTER MATCH SKIP the reach is unbounded, since results depend on all earlier matches. A trend always lies
    inside one window, and so does a match of a query with SLIDE.
    """
    if query.skip is not None:
        return Reach(time=None)
    window = query.window
    alone = query.aggregation or window.slide is not None
    factor = 1 if alone else _windows_back(query.pattern, query.strategy)
    size = window.size * factor
    if query.confidence is not None:
        # the window limits true times; recorded times may lie further apart
        margins = [query.schema.imprecision.get(variable.event_type, (0, 0)) for variable in query.variables]
        size += max(before for before, _ in margins) + max(after for _, after in margins) + known_after(query)
    return Reach(time=0, events=size) if window.events else Reach(time=size)


def _windows_back(pattern: Pattern, strategy: Strategy) -> int:
    """How many windows lie between the certain time of a match and the earliest event that it depends on."""
    if not isinstance(pattern, Conjunction):
        return 2 if _waits(pattern, strategy) and _leads_with_not(pattern) else 1
    sides = (pattern.left, pattern.right)
    factors = [_windows_back(side, strategy) for side in sides]
    for side, opposite in (sides, sides[::-1]):
        # one side may begin a window before the other side, whose first event may decide when the pair is certain
        factors.append(1 + _leads_with_not(side) + _waits(opposite, strategy))
    return max(factors)


def waits_for_window(query: Query) -> bool:
    """Whether a match is certain only at `first.ts + w`: it ends in a NOT, or its greedy end could take more.

    Under contiguity and skip-till-next-match, a closure at the end takes events until no more fit, and an optional part
    at the end may still follow. Under skip-till-any-match every such match is a match of its own.
    """
    return _waits(query.pattern, query.strategy)


def _waits(pattern: Pattern, strategy: Strategy) -> bool:
    return _trails_with_not(pattern) or (strategy is not Strategy.ANY and _open_ended(pattern))


def _leads_with_not(pattern: Pattern) -> bool:
    match pattern:
        case Sequence():
            for element in pattern.elements:
                if isinstance(element, Not) or _leads_with_not(element):
                    return True
                if not _optional(element):
                    return False
            return False
        case Kleene():
            return _leads_with_not(pattern.body)
        case Alternative():
            return any(_leads_with_not(option) for option in pattern.options)
        case Conjunction():
            return _leads_with_not(pattern.left) or _leads_with_not(pattern.right)
        case _:
            return False


def _trails_with_not(pattern: Pattern) -> bool:
    match pattern:
        case Sequence():
            for element in reversed(pattern.elements):
                if isinstance(element, Not) or _trails_with_not(element):
                    return True
                if not _optional(element):
                    return False
            return False
        case Kleene():
            return _trails_with_not(pattern.body)
        case Alternative():
            return any(_trails_with_not(option) for option in pattern.options)
        case Conjunction():
            return _trails_with_not(pattern.left) or _trails_with_not(pattern.right)
        case _:
            return False


def _open_ended(pattern: Pattern) -> bool:
    """Whether a complete match could still take more events."""
    match pattern:
        case Kleene():
            return (
                pattern.most is None
                or pattern.most > max(pattern.least, 1)
                or pattern.least == 0
                or _open_ended(pattern.body)
            )
        case Sequence():
            for element in reversed(pattern.elements):
                if _open_ended(element):
                    return True
                if not isinstance(element, Not):
                    return False
            return False
        case Alternative():
            return any(_open_ended(option) for option in pattern.options)
        case Conjunction():
            return _open_ended(pattern.left) or _open_ended(pattern.right)
        case AnyOf():
            return False
        case _:
            return False


def _optional(pattern: Pattern) -> bool:
    match pattern:
        case Kleene():
            return pattern.least == 0 or _optional(pattern.body)
        case Sequence():
            return all(isinstance(element, Not) or _optional(element) for element in pattern.elements)
        case Alternative():
            return any(_optional(option) for option in pattern.options)
        case Not():
            return True
        case _:
            return False
