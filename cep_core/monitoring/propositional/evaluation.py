"""The whole-log engine: where the subformulas of a policy hold, as bit columns over the points of all sub-logs.

A log is taken as closed: after the last point of each sub-log one empty point follows, later than every finite interval
reaches, which is not reported, and not laid out where no interval of the future is without end. Equal subformulas are
evaluated once. Cost: O(size of the formula * points), whatever the intervals, the points a stamp and the number of
sub-logs (`choice.table`); a bit for each subformula and point.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cep_core.arrays import Bits as Words
from cep_core.arrays import Ints
from cep_core.language.temporal.formulas import Eventually, Formula, Next, Predicate, Until
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.walk import operands, walk
from cep_core.monitoring.propositional.arrays.columns import PointColumns
from cep_core.monitoring.propositional.arrays.trace import Bits, Trace
from cep_core.monitoring.propositional.choice.table import chosen
from cep_core.monitoring.propositional.kernels.layout import columns_of


def truths(core: Formula, trace: Trace) -> Bits:
    """[n] Whether a core formula, whose intervals are resolved, holds at each point of a trace.

    Raises ValueError if an interval and the differences of stamps are too long for 64 bits together.

    >>> from cep_core.language.temporal.formulas import Until
    >>> a, b = np.array([1, 1, 1, 0, 1], np.bool_), np.array([0, 0, 0, 1, 1], np.bool_)
    >>> trace = Trace(np.array([1, 2, 2, 3, 4]), {"a": a, "b": b}, np.array([0, 5]))
    >>> truths(Until(Interval(0, 1), Predicate("a"), Predicate("b")), trace).tolist()
    [False, True, True, True, True]
    """
    return truths_of([core], trace)[0]


def truths_of(formulas: Sequence[Formula], trace: Trace) -> list[Bits]:
    """The same for several formulas, which share equal subformulas."""
    return truths_and_counts(formulas, (), trace, np.zeros(0, np.int64), 1)[0]


def truths_and_counts(
    formulas: Sequence[Formula], counted: Sequence[Formula], trace: Trace, group: Ints, groups: int
) -> tuple[list[Bits], Ints]:
    """The truths of some formulas; and [counted, groups] at how many points of each group others hold.

    `group` [n], or [0] if nothing is counted: the number of each point's group; points of no group have one below 0 or
    not below `groups`.
    """
    parts_of = [part for formula in (*formulas, *counted) for part in walk(formula)]
    longest = max((bound for part in parts_of for bound in _bounds(part)), default=0)
    closing = any(isinstance(part, Next | Eventually | Until) and not part.interval.is_bounded for part in parts_of)
    parts = []
    counts = np.zeros((len(counted), groups), np.int64)
    begin = 0
    for columns in columns_of(trace, longest, closing=closing):
        evaluation = _Evaluation(trace, columns, begin)
        parts.append([columns.flags(evaluation.column(formula)) for formula in formulas])
        own = group[begin : evaluation.end]
        own = np.where((own >= 0) & (own < groups), own, groups)
        for number, formula in enumerate(counted):
            holds = columns.flags(evaluation.column(formula))
            counts[number] += np.bincount(own[holds], minlength=groups + 1)[:groups]
        begin = evaluation.end
    return [np.concatenate(of) if len(parts) != 1 else of[0] for of in zip(*parts, strict=True)], counts


class _Evaluation:
    """The columns of formulas over the points of a part of a trace, from the point `begin` on."""

    def __init__(self, trace: Trace, columns: PointColumns, begin: int) -> None:
        self.trace = trace
        self.columns = columns
        self.begin = begin
        self.end = begin + columns.count
        self.known: dict[Formula, Words] = {}

    def column(self, formula: Formula) -> Words:
        if formula not in self.known:
            self.known[formula] = self._evaluated(formula)
        return self.known[formula]

    def _evaluated(self, formula: Formula) -> Words:
        if isinstance(formula, Predicate):
            return self.columns.packed(self.trace.atoms[formula.event_type][self.begin : self.end])
        parts = [self.column(part) for part in operands(formula)]
        return chosen(formula).column(formula, parts, self.columns)


def _bounds(part: Formula) -> tuple[int, ...]:
    """The numbers in the interval of an operator."""
    interval = getattr(part, "interval", None)
    return (interval.low, interval.high or 0) if isinstance(interval, Interval) else ()
