"""The meaning of propositional policies by recursion (paper 02, section 3; `docs/semantics.md` 5).

Tests hold both engines against it. Each sub-log is closed: after its last point one empty point follows, later than
every finite interval reaches. It is not reported, and nothing follows it. Cost: the cube of a sub-log's points for
each operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from cep_core.language.temporal.formulas import (
    And,
    Eventually,
    Formula,
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
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.sugar import without_sugar
from cep_core.monitoring.propositional.arrays.trace import Bits, Trace


def truth(formula: Formula, trace: Trace) -> Bits:
    """[n] Whether the formula, whose intervals are resolved, holds at each point.

    >>> a, b = np.array([1, 1, 1, 0, 1], np.bool_), np.array([0, 0, 0, 1, 1], np.bool_)
    >>> trace = Trace(np.array([1, 2, 2, 3, 4]), {"a": a, "b": b}, np.array([0, 5]))
    >>> truth(Until(Interval(0, 1), Predicate("a"), Predicate("b")), trace).tolist()
    [False, True, True, True, True]
    """
    core = without_sugar(formula)
    logs = [_Log(trace, begin, end) for begin, end in pairwise(trace.starts.tolist())]
    return np.array([holds for log in logs for holds in log.truth(core)[: log.far]], np.bool_)


class _Log:
    """One sub-log: the points [begin, end) of a trace as 0, 1, ..., and the empty point `far` after them."""

    def __init__(self, trace: Trace, begin: int, end: int) -> None:
        self.far = end - begin
        self.stamps = trace.stamps[begin:end].tolist()
        self.atoms = {name: [*holds[begin:end].tolist(), False] for name, holds in trace.atoms.items()}

    def truth(self, formula: Formula) -> Sequence[bool]:
        """At every point, `far` included."""
        points = range(self.far + 1)
        match formula:
            case Truth(value):
                return [value] * len(points)
            case Predicate(name):
                return self.atoms[name]
            case Not(body):
                return [not holds for holds in self.truth(body)]
            case And(left, right):
                return list(map(all, zip(self.truth(left), self.truth(right), strict=True)))
            case Or(left, right):
                return list(map(any, zip(self.truth(left), self.truth(right), strict=True)))
            case Prev(interval, body):
                before = self.truth(body)
                return [i > 0 and self.apart(i - 1, i, interval) and before[i - 1] for i in points]
            case Next(interval, body):
                after = self.truth(body)
                return [i < self.far and self.apart(i, i + 1, interval) and after[i + 1] for i in points]
            case Once(interval, body):
                return self.truth(Since(interval, Truth(True), body))
            case Eventually(interval, body):
                return self.truth(Until(interval, Truth(True), body))
            case Since(interval, left, right):
                f, g = self.truth(left), self.truth(right)
                return [
                    any(self.apart(j, i, interval) and g[j] and all(f[j + 1 : i + 1]) for j in points[: i + 1])
                    for i in points
                ]
            case Until(interval, left, right):
                f, g = self.truth(left), self.truth(right)
                return [any(self.apart(i, j, interval) and g[j] and all(f[i:j]) for j in points[i:]) for i in points]
        raise TypeError(f"{type(formula).__name__} is no part of a propositional formula")

    def apart(self, earlier: int, later: int, interval: Interval) -> bool:
        """Whether the time between two points lies in an interval."""
        if later == self.far != earlier:
            return not interval.is_bounded
        return (0 if earlier == later else self.stamps[later] - self.stamps[earlier]) in interval
