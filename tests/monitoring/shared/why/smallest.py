"""The fewest leaves of any proof, and the earliest points of these, by trying all proofs. For small logs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce
from itertools import product

from cep_core.events.logs.point_log import PointLog
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
from cep_core.language.temporal.walk import free_variables
from cep_core.monitoring.shared.scalars import aggregate, compares
from cep_core.monitoring.shared.why.checker import proves
from cep_core.monitoring.shared.why.covering import Covering
from cep_core.monitoring.shared.why.proof import AnyOther, ProofTree, Valuation, is_beside_equation

Cost = tuple[int, list[int]] | None
"""The number of leaves and their points in order; None: no proof."""
NOTHING: Cost = (0, [])


def smallest(
    formula: Formula, log: PointLog, covering: Covering, point: int, row: Valuation, holds: bool, texts: frozenset[str]
) -> Cost:
    """`covering`: the values of bound variables; which they are is part of what a proof is."""
    return _Search(log, covering, texts).cost(without_sugar(formula), point, row, holds)


class _Search:
    def __init__(self, log: PointLog, covering: Covering, texts: frozenset[str]) -> None:
        self.texts = texts
        self.log = log
        self.covering = covering
        self.times = [*map(int, log.stamps), math.inf]

    def cost(self, formula: Formula, point: int, row: Valuation, holds: bool) -> Cost:
        def at(part: Formula, place: int = point, sign: bool = holds) -> Cost:
            return self.cost(part, place, row, sign)

        match formula:
            case Truth(value=value):
                return NOTHING if value == holds else None
            case Predicate() | Comparison() | Matches():
                return self.leaf(formula, point, row, holds)
            case Not(body=body):
                return at(body, sign=not holds)
            case And(left=left, right=right):
                return total([at(left), at(right)]) if holds else best([at(left), at(right)])
            case Or(left=left, right=right):
                return best([at(left), at(right)]) if holds else total([at(left), at(right)])
            case Exists(variables=names, body=body):
                names = tuple(name for name in names if name in free_variables(body))
                rows = list(self.covering.valuations(names, body, True, point, row))
                if holds:
                    rows = [own for own in rows if not any(isinstance(own[name], AnyOther) for name in names)]
                return (best if holds else total)(self.cost(body, point, own, holds) for own in rows)
            case Aggregation():
                return self.aggregation(formula, point, row, holds)
            case Prev() | Next() | Once() | Eventually():
                costs = [at(formula.body, place) for place in self.places(formula, point)]
                return best(costs) if holds else total(costs)
            case Since(left=left, right=right) | Until(left=left, right=right):
                places = self.places(formula, point)
                if holds:
                    spans = [(place, self.between(formula, place, point)) for place in places]
                    return best(total([at(right, place), *(at(left, k) for k in span)]) for place, span in spans)
                # Left and right may be the same formula: a leaf counts as often as it is used.
                faults = [[(1, place), *((0, k) for k in self.between(formula, place, point))] for place in places]
                choices = map(dict.fromkeys, product(*faults))
                return best(total(at((left, right)[side], place) for side, place in choice) for choice in choices)
        raise TypeError(type(formula))

    def aggregation(self, formula: Aggregation, point: int, row: Valuation, holds: bool) -> Cost:
        """Every row is judged; the claim is so if the rows that hold give the result, or do not."""
        groups = {group.name: row[group.name] for group in formula.groups}
        names = tuple(name for name in free_variables(formula.body) if name not in groups)
        rows = list(self.covering.valuations(names, formula.body, True, point, groups))
        counted = [own for own in rows if self.cost(formula.body, point, own, True) is not None]
        values = [value for own in counted if not isinstance(value := own[formula.item.name], AnyOther)]
        is_text = formula.function in ("MIN", "MAX") and formula.item.name in self.texts and not values
        try:
            result = "" if is_text else aggregate(formula.function, values)
        except ArithmeticError:
            return None
        claimed = row[formula.result.name]
        is_so = (values or not groups) and not isinstance(claimed, AnyOther) and compares("=", result, claimed)
        if bool(is_so) != holds:
            return None
        return total(best(self.cost(formula.body, point, own, sign) for sign in (True, False)) for own in rows)

    def leaf(self, atom: Formula, point: int, row: Valuation, holds: bool) -> Cost:
        own = {name: row[name] for name in free_variables(atom)}
        if isinstance(atom, Predicate) and any(map(is_beside_equation, own.values())):
            return None  # a slice may lack such events
        numbers = {
            None,
            *(int(n) for of_type in self.log.events.values() if of_type.seq is not None for n in of_type.seq),
        }
        trees = (ProofTree(atom, point, own, holds, (), seq) for seq in numbers)
        return (1, [point]) if any(proves(tree, self.log) for tree in trees) else None

    def places(self, formula: Prev | Next | Once | Eventually | Since | Until, point: int) -> list[int]:
        past = isinstance(formula, Prev | Once | Since)
        places = range(point + 1) if past else range(point, len(self.times))
        if isinstance(formula, Prev | Next):
            places = range(point - 1, point) if past else range(point + 1, point + 2)
            places = [place for place in places if 0 <= place < len(self.times)]
        gaps = {place: 0 if place == point else abs(self.times[place] - self.times[point]) for place in places}
        low, high = formula.interval.low, formula.interval.high
        return [place for place, gap in gaps.items() if low <= gap and (high is None or gap <= high)]

    @staticmethod
    def between(formula: Since | Until, anchor: int, point: int) -> range:
        return range(anchor + 1, point + 1) if isinstance(formula, Since) else range(point, anchor)


def total(costs: Iterable[Cost]) -> Cost:
    return reduce(
        lambda first, two: None if first is None or two is None else (first[0] + two[0], sorted(first[1] + two[1])),
        costs,
        NOTHING,
    )


def best(costs: Iterable[Cost]) -> Cost:
    return min((cost for cost in costs if cost is not None), default=None)
