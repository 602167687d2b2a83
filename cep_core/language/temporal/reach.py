"""How far a temporal formula looks back and ahead from the point at which it is evaluated, in log time and points.

Future reach is that of paper 02, section 3 (Ho et al.), over integer stamps and never negative, since the present is
known anyway. Past reach follows `docs/semantics.md` 2: times and points add up where operators nest; PREV with an upper
bound costs this bound, and without one a point, however old. Formulas have resolved intervals and no LET. Both are
upper bounds. Linear in the formula.
"""

from __future__ import annotations

from cep_core.language.evaluator import Reach
from cep_core.language.temporal.formulas import (
    Always,
    Eventually,
    Formula,
    Historically,
    Let,
    Next,
    Once,
    Prev,
    Release,
    Since,
    Trigger,
    Until,
)
from cep_core.language.temporal.kept import kept
from cep_core.language.temporal.walk import operands


@kept
def past_reach(formula: Formula) -> Reach:
    """How far before its own point a formula looks; `time` None if there is no bound.

    >>> from cep_core.language.temporal.formulas import Predicate
    >>> from cep_core.language.temporal.interval import ANY_TIME, Interval
    >>> p = Predicate("P")
    >>> past_reach(Once(Interval(0, 9), Prev(Interval(1, 3), Prev(ANY_TIME, p))))
    Reach(time=12, points=1, events=0)
    >>> past_reach(Since(ANY_TIME, p, p)).time is None
    True
    """
    inside = _furthest([past_reach(operand) for operand in _parts(formula)])
    match formula:
        case Prev() if not formula.interval.is_bounded:
            return inside + Reach(points=1)
        case Prev() | Once() | Historically() | Since() | Trigger():
            return inside + Reach(time=formula.interval.high)
        case _:
            return inside


def reach_from_certainty(formula: Formula, *, in_sub_logs: bool) -> Reach:
    """How far a policy looks back from the moment of certainty: its future reach counts.

    The previous point of a sub-log may lie any number of the log's points back, so no number of these bounds it.

    >>> from cep_core.language.temporal.formulas import Predicate
    >>> from cep_core.language.temporal.interval import ANY_TIME, Interval
    >>> late = Eventually(Interval(0, 3), Prev(ANY_TIME, Predicate("late")))
    >>> reach_from_certainty(late, in_sub_logs=False), reach_from_certainty(late, in_sub_logs=True).time
    (Reach(time=3, points=1, events=0), None)
    """
    reach = past_reach(formula) + Reach(time=future_reach(formula))
    return Reach(time=None) if in_sub_logs and reach.points else reach


@kept
def future_reach(formula: Formula) -> int | None:
    """How far after its own point a formula looks, in log time, at least 0; None if there is no bound.

    >>> from cep_core.language.temporal.formulas import Predicate
    >>> from cep_core.language.temporal.interval import Interval
    >>> p, q = Predicate("P"), Predicate("Q")
    >>> f4 = Until(Interval(0, 5), p, Until(Interval(2, 6), q, q))
    >>> future_reach(f4), future_reach(Once(Interval(4, 9), f4)), future_reach(Prev(Interval(20, 30), f4))
    (11, 7, 0)
    """
    match formula:
        case Prev() | Once() | Historically():
            return _less(future_reach(formula.body), formula.interval.low)
        case Since() | Trigger():
            return _latest([future_reach(formula.left), _less(future_reach(formula.right), formula.interval.low)])
        case Next() | Eventually() | Always() | Until() | Release():
            inside = _latest([future_reach(operand) for operand in _parts(formula)])
            high = formula.interval.high
            return None if inside is None or high is None else inside + high
        case _:
            return _latest([future_reach(operand) for operand in _parts(formula)])


def _parts(formula: Formula) -> tuple[Formula, ...]:
    assert not isinstance(formula, Let), "the reach of a call depends on where it stands: unfold LET first"
    return operands(formula)


def _furthest(reaches: list[Reach]) -> Reach:
    """A reach that contains them all."""
    times = [reach.time for reach in reaches]
    time = None if None in times else max((time for time in times if time is not None), default=0)
    return Reach(time, max((reach.points for reach in reaches), default=0))


def _latest(times: list[int | None]) -> int | None:
    bounded = [time for time in times if time is not None]
    return None if len(bounded) < len(times) else max(bounded, default=0)


def _less(time: int | None, low: int) -> int | None:
    return None if time is None else max(0, time - low)
