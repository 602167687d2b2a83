"""Which points of the past a formula still needs, once its first points have been reported.

Past operators without an upper bound take over what they know of the points that are passed over: the valuations for
which they hold just before. Only `ONCE[0,*)` and `SINCE[0,*)` need it, since `f SINCE[a,*) g` is
`f SINCE[a,*) (f SINCE[0,*) g)`, which looks back as far as `a` and to one point before (`carried_form`).

Everything else is a question of reach: from the first point at which an operator must be exact follows the first one
for its operands. Cost: O(points) for each operator without bounds, a binary search for others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from cep_core.arrays import Ints
from cep_core.language.temporal.formulas import Aggregation, And, Comparison, Formula, Matches, Not, Once, Prev, Since
from cep_core.language.temporal.interval import ANY_TIME
from cep_core.language.temporal.walk import operands, walk, with_operands
from cep_core.monitoring.first_order.plan.chains import always_has_value
from cep_core.monitoring.first_order.plan.shapes import shape_of
from cep_core.monitoring.shared.decided import decided_points

_EARLIEST = -(2**63)


def carried_form(formula: Formula) -> Formula:
    """A core formula that means the same, and in which only intervals [0,*) have no upper bound in the past.

    >>> from cep_core.language.temporal.formulas import Predicate
    >>> from cep_core.language.temporal.interval import Interval
    >>> carried_form(Once(Interval(5), Predicate("P"))) == Once(Interval(5), Once(ANY_TIME, Predicate("P")))
    True
    """
    changed = with_operands(formula, carried_form)
    match changed:
        case Once(interval=interval, body=body) if not interval.is_bounded and interval.low:
            return replace(changed, body=Once(ANY_TIME, body))
        case Since(interval=interval, left=left, right=right) if not interval.is_bounded and interval.low:
            return replace(changed, right=Since(ANY_TIME, left, right))
        case _:
            return changed


def is_carried(formula: Formula) -> bool:
    """Whether a part of a carried form knows of all the past."""
    return isinstance(formula, Once | Since) and not formula.interval.is_bounded and not formula.interval.low


def carried_parts(formula: Formula) -> Iterator[tuple[Formula, Formula]]:
    """The parts that are carried, each with its shape, once for each shape; inner ones first."""
    parts = {shape_of(part)[0]: part for part in walk(formula) if is_carried(part)}
    yield from reversed(parts.items())


def may_fail(formula: Formula) -> bool:
    """Whether a term or a sum of the formula may have no value."""
    return any(
        part.function == "SUM" if isinstance(part, Aggregation) else not always_has_value(part)
        for part in walk(formula)
        if isinstance(part, Aggregation | Comparison | Matches)
    )


def parts_with_terms(formula: Formula) -> dict[Formula, Formula]:
    """The parts whose evaluation makes terms or aggregations, by shape."""
    kinds = And | Not | Comparison | Matches | Aggregation
    return {shape_of(part)[0]: part for part in walk(formula) if isinstance(part, kinds)}


class Needs:
    """The first point at which each part of some formulas must be exact, by shape; points count within `stamps`."""

    def __init__(self, stamps: Ints, carried: Mapping[Formula, int]) -> None:
        """`carried`: the points before which what carried parts knew has been taken over."""
        self.stamps = stamps
        self.carried = carried
        self.first: dict[Formula, int] = {}

    @property
    def earliest(self) -> int:
        """The first point that is needed at all: of what is carried, one point before it."""
        return min(first - (is_carried(shape) and first > 0) for shape, first in self.first.items())

    def add(self, formula: Formula, first: int) -> None:
        """A carried form must be exact from a point on, which may be the one that follows the log."""
        shape = shape_of(formula)[0]
        if is_carried(formula):
            # What is not decided there cannot be taken over.
            decided = decided_points(formula, self.stamps, closed=False)
            first = max(self.carried.get(shape, 0), min(first, decided))
        self.first[shape] = min(self.first.get(shape, first), first)
        inside = self._first_of_operands(formula, first)
        for operand in operands(formula):
            self.add(operand, inside)

    def _first_of_operands(self, formula: Formula, first: int) -> int:
        match formula:
            case Prev():
                return max(first - 1, 0)
            case Once() | Since() if not is_carried(formula):
                stamp = int(self.stamps[min(first, len(self.stamps) - 1)])
                high = formula.interval.high
                if high is not None:
                    return min(first, self._place(stamp - high, "left"))
                return max(min(first, self._place(stamp - formula.interval.low, "right") - 1), 0)
            case _:
                return first

    def _place(self, stamp: int, side: str) -> int:
        if stamp < _EARLIEST:
            return 0
        return int(np.searchsorted(self.stamps, stamp, "left" if side == "left" else "right"))
