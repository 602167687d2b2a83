"""The values in reach of a bound variable: those for which its body may hold. For all others at once it does not.

The values come from the events that bind the variable: of the parts of an AND the one with fewest values, of those of
an OR all; of ONCE and SINCE the points in reach; by `x = t` and MATCHES from other variables of the same AND. So every
tree has few branches, and they are the same in every tree: which branches would be fewest is a hard problem (vertex
cover). Formulas are read with their sign, so NOT, FORALL and IMPLIES need nothing of their own. A variable that the
body equates with a constant or with a variable from outside has that value and no other, whatever events there are: the
slicer reads it so, too (`cep_core/language/first_order/facts/equalities.py`), and a slice has no other events.
Cost: the events in reach of the body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product

from cep_core.language.first_order.facts.equalities import implied_equalities
from cep_core.language.temporal.formulas import (
    Aggregation,
    And,
    Comparison,
    Eventually,
    Exists,
    Formula,
    Matches,
    Next,
    Not,
    Once,
    Or,
    Predicate,
    Prev,
    Since,
    Truth,
    Until,
)
from cep_core.language.temporal.sugar import without_sugar
from cep_core.language.temporal.terms import Constant, Term, Variable
from cep_core.language.temporal.walk import free_variables, variables_of
from cep_core.monitoring.shared.scalars import Value, groups_in, order_key, plain, value_of
from cep_core.monitoring.shared.why.narrowing import conjuncts, narrowed
from cep_core.monitoring.shared.why.proof import AnyOther, Valuation, is_beside_equation
from cep_core.monitoring.shared.why.reading import LogReader, known_values

Bounds = Mapping[str, frozenset[Value]] | None
"""The values that variables can have where a formula has its sign; a missing name: any. None: it never has."""
Result = Callable[[Aggregation, int, Valuation], Value | None]


@dataclass
class Covering:
    """`result`: what an aggregation gives at a point for the values of its groups, if anything."""

    reader: LogReader
    result: Result

    def values(self, name: str, body: Formula, holds: bool, point: int, valuation: Valuation) -> list[Value]:
        """The values of a variable for which the body may hold (or not), ascending. Others have no value yet."""
        bounds = self._bounds(body, holds, point, valuation)
        return sorted((bounds or {}).get(name, ()), key=order_key)

    def valuations(
        self, names: tuple[str, ...], body: Formula, holds: bool, point: int, valuation: Valuation
    ) -> Iterator[Valuation]:
        """Valuations that cover all values of the names: in order, any other last."""
        fixed = fixed_values(body, holds, valuation)
        yield from self._rows(
            names, {name: fixed[name] for name in names if name in fixed}, body, holds, point, valuation
        )

    def _rows(
        self,
        names: tuple[str, ...],
        fixed: Mapping[str, Value],
        body: Formula,
        holds: bool,
        point: int,
        valuation: Valuation,
    ) -> Iterator[Valuation]:
        """`fixed`: the values of those names that an equation gives one."""
        if not names:
            yield valuation
            return
        beside = any(is_beside_equation(valuation[name]) for name in free_variables(body) if name in valuation)
        name, *others = names
        listed = [fixed[name]] if name in fixed else []
        if not listed and not beside:
            listed = self.values(name, body, holds, point, valuation)
        for value in [*listed, AnyOther(frozenset(listed), beside or name in fixed)]:
            yield from self._rows(tuple(others), fixed, body, holds, point, {**valuation, name: value})

    def _bounds(self, formula: Formula, holds: bool, point: int, valuation: Valuation) -> Bounds:
        """The bounds of the variables that have no value."""
        parts = list(conjuncts(formula, holds))
        own = {name: value for part, sign in parts for name, value in fixed_values(part, sign, valuation).items()}
        if own:
            known = {name: frozenset([value]) for name, value in own.items()}
            return _all([known, self._bounds(formula, holds, point, {**valuation, **own})])
        if len(parts) == 1 and not isinstance(parts[0][0], Comparison | Matches):
            return self._bounds_of_part(*parts[0], point, valuation)
        merged = _all(self._bounds_of_part(part, sign, point, valuation) for part, sign in parts)
        tests = [part for part, sign in parts if sign and isinstance(part, Comparison | Matches)]
        for _ in tests:  # each round binds a variable more
            merged = _all([merged, *(_given(test, merged, valuation) for test in tests)])
        return merged

    def _bounds_of_part(self, part: Formula, holds: bool, point: int, valuation: Valuation) -> Bounds:
        def of(operand: Formula, place: int = point) -> Bounds:
            return self._bounds(operand, holds, place, valuation)

        match part:
            case Truth(value=value):
                return {} if value == holds else None
            case Predicate() if holds:
                meant = [given for _, given in self.reader.meant(part, point, valuation)]
                return _any({} if given is None else {n: frozenset([v]) for n, v in given.items()} for given in meant)
            case And() | Or() | Exists():  # others of their sign are conjuncts
                return {} if isinstance(part, Exists) else _any([of(part.left), of(part.right)])
            case Prev() | Next():
                place = self.reader.neighbour(part.interval, point, -1 if isinstance(part, Prev) else 1)
                return of(part.body, place) if place is not None else None if holds else {}
            case Once() | Eventually():
                places = self._places(part, point, part.body, holds, valuation)
                return (_any if holds else _all)(of(part.body, place) for place in places)
            case Since() | Until() if holds:
                places = self._places(part, point, part.right, True, valuation)
                return _any(of(part.right, place) for place in places)
            case Aggregation() if holds:
                return self._of_aggregation(part, point, valuation)
        return {}

    def _places(
        self, part: Once | Eventually | Since | Until, point: int, operand: Formula, holds: bool, valuation: Valuation
    ) -> Sequence[int]:
        """The points in reach; where the operand holds at one of them, those at which it may."""
        places = self.reader.reached(part.interval, point, -1 if isinstance(part, Once | Since) else 1)
        return narrowed(self.reader, operand, True, valuation, places) if holds else places

    def _of_aggregation(self, part: Aggregation, point: int, valuation: Valuation) -> Bounds:
        groups = tuple(group.name for group in part.groups)
        own = {name: valuation[name] for name in groups if name in valuation}
        bounds = self._bounds(part.body, True, point, own)
        if bounds is None and groups:
            return None
        free = [name for name in groups if name not in own]
        if any(name not in (bounds or {}) for name in free):
            return {}
        rows: list[Bounds] = []
        for values in product(*((bounds or {})[name] for name in free)):
            row = dict(zip(free, values, strict=True))
            result = self.result(part, point, {**own, **row})
            if result is not None:
                named = {part.result.name: result, **row}
                rows.append({name: frozenset([value]) for name, value in named.items() if name not in valuation})
        return _any(rows)


def fixed_values(formula: Formula, holds: bool, valuation: Valuation) -> dict[str, Value]:
    """The values that equations give to variables without one wherever a formula has its sign.

    >>> x, y = Variable("x"), Variable("y")
    >>> fixed_values(And(Predicate("P", (y,)), Comparison("=", y, x)), True, {"x": 7})
    {'y': 7}
    """
    pairs = implied_equalities(without_sugar(formula if holds else Not(formula)))
    fixed: dict[str, Value] = {}
    for _ in pairs:  # each round may carry a value on to the next variable
        for term, equal in [*pairs, *((right, left) for left, right in pairs)]:
            if isinstance(term, Variable) and term.name not in valuation and term.name not in fixed:
                value = equal.value if isinstance(equal, Constant) else fixed.get(equal.name, valuation.get(equal.name))
                if value is not None and not isinstance(value, AnyOther):
                    fixed[term.name] = plain(value)
    return fixed


def _narrower(first: Bounds, second: Bounds) -> Bounds:
    """For each variable the fewer values."""
    if first is None or second is None:
        return None
    return {name: min((b[name] for b in (first, second) if name in b), key=len) for name in {**first, **second}}


def _either(first: Bounds, second: Bounds) -> Bounds:
    if first is None or second is None:
        return second if first is None else first
    return {name: first[name] | second[name] for name in first if name in second}


def _all(bounds: Iterable[Bounds]) -> Bounds:
    start: Bounds = {}
    return reduce(_narrower, bounds, start)


def _any(bounds: Iterable[Bounds]) -> Bounds:
    start: Bounds = None
    return reduce(_either, bounds, start)


def _given(test: Comparison | Matches, bounds: Bounds, valuation: Valuation) -> Bounds:
    """The values that an equation or MATCHES gives to variables, from those of its other variables."""
    if bounds is None:
        return None
    if isinstance(test, Matches):
        groups: dict[str, set[Value]] = {}
        for text, pattern in product(_values(test.text, bounds, valuation), _values(test.regexp, bounds, valuation)):
            for term, group in zip(test.groups, groups_in(str(text), str(pattern)) or (), strict=False):
                if isinstance(term, Variable) and term.name not in valuation and group is not None:
                    groups.setdefault(term.name, set()).add(group)
        return {name: frozenset(values) for name, values in groups.items()}
    if test.operator != "=":
        return {}
    given: dict[str, frozenset[Value]] = {}
    for term, equal in ((test.left, test.right), (test.right, test.left)):
        if isinstance(term, Variable) and term.name not in valuation and term.name not in bounds:
            if any(isinstance(valuation.get(name), AnyOther) for name in variables_of(equal)):
                continue
            values = _values(equal, bounds, valuation)
            if values or all(name in bounds or name in valuation for name in variables_of(equal)):
                given[term.name] = frozenset(values)
    return given


def _values(term: Term, bounds: Mapping[str, frozenset[Value]], valuation: Valuation) -> list[Value]:
    """The values of a term; none if one of its variables has no bounds or stands for many."""
    free = [name for name in dict.fromkeys(variables_of(term)) if name not in valuation]
    values = []
    for row in product(*(bounds.get(name, ()) for name in free)):
        known = known_values({**valuation, **dict(zip(free, row, strict=True))}, term)
        if known is not None:
            try:
                values.append(value_of(term, known))
            except ArithmeticError:
                continue
    return values
