"""A long log evaluated stretch by stretch, if the formula looks only so far back and ahead: memory holds one stretch.

A stretch is a run of points of which the satisfactions are asked. It is evaluated on the points that the formula's
reach adds on both sides: what is farther away changes nothing there (`cep_core/language/temporal/reach.py`). Runs that
go on from one stretch to the next are joined again. Stretches are so long that less than half of the events are read
again. Without a bounded reach, with a PREV that looks any time back, or with terms that may have no value, which is an
error wherever it happens, the log is one stretch. Cost: that of the evaluations, and O(rows of the answer).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from cep_core.events.logs.point_log import PointLog
from cep_core.events.schema import AttributeType
from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.reach import future_reach, past_reach
from cep_core.monitoring.first_order.arrays.relation import Relation, together
from cep_core.monitoring.first_order.arrays.texts import Texts
from cep_core.monitoring.first_order.evaluation import satisfied
from cep_core.monitoring.first_order.operators.normal import merged
from cep_core.monitoring.first_order.plan.past import may_fail

EVENTS = 1 << 21
"""The events of a stretch, at least."""
AGAIN = 1.5
"""How many times the log's events may be read, all stretches together; as many or more do not pay."""


@dataclass(frozen=True)
class Stretch:
    """The points [begin, end) are asked, the points [first, last) are read."""

    begin: int
    end: int
    first: int
    last: int


def satisfied_in_stretches(
    formula: Formula, plain: Formula, log: PointLog, types: Mapping[str, AttributeType], texts: Texts | None = None
) -> tuple[Relation, Texts]:
    """As `satisfied`. `plain`: the formula before it was rewritten, or one that it is a part of, for the reach."""
    texts = Texts() if texts is None else texts
    stretches = [] if may_fail(formula) else stretches_of(log, plain)
    if len(stretches) < 2:
        return satisfied(formula, log, types, texts=texts)
    parts = []
    for stretch in stretches:
        read = log.between(stretch.first, stretch.last)
        relation, _ = satisfied(formula, read, types, texts=texts)
        asked = relation.between(stretch.begin - stretch.first, stretch.end - stretch.first)
        parts.append(replace(asked, begin=asked.begin + stretch.first, end=asked.end + stretch.first))
    return merged(together([part for part in parts if part.rows] or parts[:1])), texts


def stretches_of(log: PointLog, plain: Formula) -> list[Stretch]:
    """The stretches of a log, one after the other, for a formula without LET; one or none if they would not pay.

    >>> from cep_core.language.temporal.formulas import Predicate
    >>> stretches_of(PointLog(np.array([3, 4])), Predicate("P"))
    [Stretch(begin=0, end=2, first=0, last=2)]
    """
    back, ahead = past_reach(plain), future_reach(plain)
    if back.time is None or back.points or ahead is None:
        return []
    events = _events_before(log, log.points)
    number = events // EVENTS
    while number > 1:
        stretches = _equal_stretches(log, number, back.time, ahead)
        read = sum(_events_before(log, part.last) - _events_before(log, part.first) for part in stretches)
        if read < AGAIN * events:
            return stretches
        number = min(number * 3 // 4, number - 1)
    return [Stretch(0, log.points, 0, log.points)]


def _equal_stretches(log: PointLog, number: int, back: int, ahead: int) -> list[Stretch]:
    """About so many stretches of equally many events, with what is read on both sides."""
    events = _events_before(log, log.points)
    wanted = [events * place // number for place in range(1, number)]
    ends = [bisect_left(range(log.points), count, key=lambda point: _events_before(log, point)) for count in wanted]
    bounds = sorted({0, *ends, log.points})
    return [
        Stretch(
            begin,
            end,
            int(np.searchsorted(log.stamps, int(log.stamps[begin]) - back, "left")),
            int(np.searchsorted(log.stamps, int(log.stamps[end - 1]) + ahead, "right")),
        )
        for begin, end in pairwise(bounds)
    ]


def _events_before(log: PointLog, point: int) -> int:
    return sum(int(np.searchsorted(own.point, point)) for own in log.events.values())
