"""The meaning of first-order policies by plain enumeration (paper 01, figure 1). Tests hold the engine against it.

It takes formulas as written or core formulas, resolved (`Policy.formula`, `Policy.core`), with bound names apart.
The log is closed: after its last point one empty point follows, later than every finite interval reaches, where `ts` is
2**63 - 1. It is not reported, and nothing follows it.

A variable ranges over the values that may stand in its place: those of the columns in which it is an argument, those of
terms that `=` compares it with, groups of MATCHES, results of its aggregation, arguments of its LET. For a safe formula
this is enough: any other value falsifies every atom that has the variable. Of an unsafe formula, satisfactions with
other values are missing.

A test whose term has no value (overflow, division by zero) raises ArithmeticError where the rest of its conjunction
holds. Cost: exponential in the number of variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product

from cep_core.events.logs.point_log import PointLog
from cep_core.events.schema import AttributeType
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
    Truth,
    Until,
)
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.terms import Call, Term, Variable
from cep_core.language.temporal.walk import free_variables, variables_of, walk
from cep_core.monitoring.first_order.reference_atoms import AtomEvents
from cep_core.monitoring.shared.scalars import Value, aggregate, compares, groups_in, value_of

Row = Mapping[str, Value]
"""A valuation of variables."""


def satisfactions(
    formula: Formula, log: PointLog, types: Mapping[str, AttributeType] | None = None
) -> set[tuple[int, tuple[Value, ...]]]:
    """The points and values of the free variables (in order of first occurrence) for which the formula holds.

    `types` of variables are of use where a log has none of their values: MIN and MAX of no texts are the empty text.

    >>> from cep_core.language.temporal.interval import ANY_TIME
    >>> from cep_core.testing.logs import log_of
    >>> log = log_of([(1, [("P", 7)]), (1, []), (5, [("P", 8)])])
    >>> sorted(satisfactions(Once(Interval(0, 2), Predicate("P", (Variable("x"),))), log))
    [(0, (7,)), (1, (7,)), (2, (8,))]
    """
    meaning = _Meaning(formula, log, types or {})
    names = free_variables(formula)
    return {
        (point, tuple(row[name] for name in names))
        for point in range(log.points)
        for row in meaning.valuations(names)
        if meaning.holds(meaning.formula, row, point)
    }


def _rounds(nodes: Iterable[Formula]) -> int:
    """How often values pass from one variable to others: once for each place of a part that has values to give.

    Values may grow without end, as in `i = j AND j = i + 1`. The rounds are those of the written parts, each once, so
    that a formula ranges over the same values when it is written without sugar.
    """
    rounds = 0
    for node in dict.fromkeys(nodes):
        match node:
            case Predicate():
                rounds += 1 + len(node.arguments)
            case Comparison(operator="=") | Matches() | Aggregation():
                rounds += 1
    return rounds


class _Meaning:
    """A formula over a log: the candidates of its variables, and what holds where."""

    def __init__(self, formula: Formula, log: PointLog, types: Mapping[str, AttributeType]) -> None:
        self.types = types
        self.atoms = AtomEvents(formula, log)
        self.stamps = self.atoms.stamps
        self.formula = self.atoms.formula
        nodes = list(walk(self.formula))
        self.free = {id(node): free_variables(node) for node in nodes}
        self.known: dict[tuple[int, int, tuple[Value, ...]], bool] = {}
        self.candidates: dict[str, set[Value]] = {}
        for _ in range(_rounds(nodes)):
            before = {name: len(values) for name, values in self.candidates.items()}
            self.known.clear()
            for node in nodes:
                self._add_candidates(node)
            if before == {name: len(values) for name, values in self.candidates.items()}:
                break
        self.known.clear()

    # ------------------------------------------------------------ the values that a variable may have

    def valuations(self, names: Iterable[str]) -> Iterator[dict[str, Value]]:
        """All valuations of the names by their candidates."""
        names = tuple(dict.fromkeys(names))
        for values in product(*(tuple(self.candidates.get(name, ())) for name in names)):
            yield dict(zip(names, values, strict=True))

    def _add_candidates(self, node: Formula) -> None:
        match node:
            case Predicate():
                for row in [row for point in range(len(self.stamps)) for row in self.atoms.rows(node, point)]:
                    for name, argument in self.atoms.arguments(node):
                        value = row[name]
                        self._add(argument, [] if value is None else [value])
                if node.event_type in self.atoms.definitions:
                    for name, argument in self.atoms.arguments(node):
                        self._add(argument, self.candidates.get(name, ()))
                        self._add(Variable(name), self._values(argument))
            case Comparison(operator="="):
                self._add(node.left, self._values(node.right))
                self._add(node.right, self._values(node.left))
            case Matches():
                for text, pattern in product(self._values(node.text), self._values(node.regexp)):
                    for term, group in zip(node.groups, groups_in(str(text), str(pattern)) or (), strict=False):
                        if term is not None and group is not None:
                            self._add(term, [group])
            case Aggregation():
                for point in range(len(self.stamps)):
                    for groups in self.valuations(name.name for name in node.groups):
                        result = self._aggregated(node, groups, point)
                        self._add(node.result, [] if result is None else [result])

    def _add(self, term: Term, values: Iterable[Value]) -> None:
        if isinstance(term, Variable):
            self.candidates.setdefault(term.name, set()).update(values)

    def _values(self, term: Term) -> list[Value]:
        """The values that a term may have. Where it has none, any value, so that the test is made and raises."""
        values: list[Value] = []
        for row in self.valuations(variables_of(term)):
            try:
                values.append(value_of(term, row))
            except ArithmeticError:
                values.append("" if isinstance(term, Call) and term.function == "FORMAT_DATE" else 0)
        return values

    # ------------------------------------------------------------ what holds

    def holds(self, formula: Formula, valuation: Row, point: int) -> bool:
        """Whether the formula holds at a point; the valuation has all its free variables."""
        key = (id(formula), point, tuple(valuation[name] for name in self.free[id(formula)]))
        if key not in self.known:
            self.known[key] = self._temporal(formula, valuation, point)
        return self.known[key]

    def _temporal(self, formula: Formula, valuation: Row, point: int) -> bool:
        def at(part: Formula) -> Callable[[int], bool]:
            return lambda place: self.holds(part, valuation, place)

        def within(interval: Interval, places: Iterable[int]) -> Iterator[int]:
            return (place for place in places if self._in_reach(interval, place, point))

        past, future = range(point + 1), range(point, len(self.stamps))
        match formula:
            case Prev(interval=interval, body=body):
                return any(map(at(body), within(interval, range(max(point - 1, 0), point))))
            case Next(interval=interval, body=body):
                return any(map(at(body), within(interval, range(point + 1, len(self.stamps))[:1])))
            case Once(interval=interval, body=body):
                return any(map(at(body), within(interval, past)))
            case Historically(interval=interval, body=body):
                return all(map(at(body), within(interval, past)))
            case Eventually(interval=interval, body=body):
                return any(map(at(body), within(interval, future)))
            case Always(interval=interval, body=body):
                return all(map(at(body), within(interval, future)))
            case Since(interval=interval, left=left, right=right):
                anchors = filter(at(right), within(interval, past))
                return any(all(map(at(left), range(anchor + 1, point + 1))) for anchor in anchors)
            case Trigger(interval=interval, left=left, right=right):
                gaps = (place for place in within(interval, past) if not at(right)(place))
                return all(any(map(at(left), range(gap + 1, point + 1))) for gap in gaps)
            case Until(interval=interval, left=left, right=right):
                anchors = filter(at(right), within(interval, future))
                return any(all(map(at(left), range(point, anchor))) for anchor in anchors)
            case Release(interval=interval, left=left, right=right):
                gaps = (place for place in within(interval, future) if not at(right)(place))
                return all(any(map(at(left), range(point, gap))) for gap in gaps)
            case _:
                return self._at_a_point(formula, valuation, point)

    def _in_reach(self, interval: Interval, place: int, point: int) -> bool:
        apart = 0 if place == point else abs(self.stamps[place] - self.stamps[point])
        return interval.low <= apart and (interval.high is None or apart <= interval.high)

    def _at_a_point(self, formula: Formula, valuation: Row, point: int) -> bool:
        def holds(part: Formula) -> bool:
            return self.holds(part, valuation, point)

        match formula:
            case Truth(value=value):
                return value
            case Predicate():
                return self._atom_holds(formula, valuation, point)
            case Comparison(operator=symbol, left=left, right=right):
                return compares(symbol, value_of(left, valuation), value_of(right, valuation))
            case Matches():
                return _matches(formula, valuation)
            case Not(body=body):
                return not holds(body)
            case And():
                return all(map(holds, sorted(_conjuncts(formula), key=_is_test)))
            case Or(left=left, right=right):
                return holds(left) or holds(right)
            case Implies(left=left, right=right):
                return not holds(left) or holds(right)
            case Equiv(left=left, right=right):
                return holds(left) == holds(right)
            case Exists() | Forall():
                bound = [name for name in formula.variables if name in self.free[id(formula.body)]]
                cases = (self.holds(formula.body, {**valuation, **row}, point) for row in self.valuations(bound))
                return any(cases) if isinstance(formula, Exists) else all(cases)
            case Aggregation(result=result, groups=groups):
                result_value = self._aggregated(formula, {group.name: valuation[group.name] for group in groups}, point)
                return result_value is not None and compares("=", result_value, valuation[result.name])
            case Let(body=body):
                return holds(body)
        raise TypeError(f"{type(formula).__name__} is no formula")

    def _atom_holds(self, atom: Predicate, valuation: Row, point: int) -> bool:
        arguments = {name: value_of(argument, valuation) for name, argument in self.atoms.arguments(atom)}
        if atom.event_type in self.atoms.definitions:
            definition = self.atoms.definitions[atom.event_type].definition
            unseen = [name for name in self.atoms.definitions[atom.event_type].parameters if name not in arguments]
            return any(self.holds(definition, {**row, **arguments}, point) for row in self.valuations(unseen))
        return self.atoms.holds(atom, arguments, point)

    def _aggregated(self, node: Aggregation, groups: Row, point: int) -> Value | None:
        """The result for a group at a point; None: no row. Without groups an empty body gives 0, or the empty text."""
        others = [name for name in self.free[id(node.body)] if name not in groups]
        rows = ({**groups, **row} for row in self.valuations(others))
        values = [row[node.item.name] for row in rows if self.holds(node.body, row, point)]
        if not values and node.function in ("MIN", "MAX") and self._is_text(node.item):
            return None if node.groups else ""
        return aggregate(node.function, values) if values or not node.groups else None

    def _is_text(self, variable: Variable) -> bool:
        """Whether a variable stands for texts, by its type or its candidates."""
        if variable.name in self.types:
            return self.types[variable.name] is AttributeType.STRING
        return any(isinstance(text, str) for text in self.candidates.get(variable.name, ()))


def _conjuncts(formula: Formula) -> list[Formula]:
    return [*_conjuncts(formula.left), *_conjuncts(formula.right)] if isinstance(formula, And) else [formula]


def _is_test(formula: Formula) -> bool:
    return isinstance(formula, Comparison | Matches | Not)


def _matches(formula: Matches, valuation: Row) -> bool:
    groups = groups_in(str(value_of(formula.text, valuation)), str(value_of(formula.regexp, valuation)))
    return groups is not None and all(
        term is None or (group is not None and compares("=", value_of(term, valuation), group))
        for term, group in zip(formula.groups, groups, strict=False)
    )
