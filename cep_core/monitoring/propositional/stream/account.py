"""What the streaming engine says of a formula: its mode, how far it looks ahead, what a point costs, what is kept."""

from __future__ import annotations

from collections import defaultdict

from cep_core.language.explanation import Section
from cep_core.language.temporal.formulas import Eventually, Formula, Once, Since, Truth, Until
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.reach import future_reach
from cep_core.language.temporal.walk import walk
from cep_core.monitoring.propositional.stream.limit import LIVE_LIMIT
from cep_core.monitoring.propositional.stream.program import program_of


def skewed_subformulas(core: Formula) -> int:
    """The number of interval-skewed subformulas of a core formula (paper 02, section 3).

    These are the subformulas, and each SINCE and UNTIL with its interval shifted by 1, 2, ... up to its largest bound,
    cut off at 0. An upper bound u and a width w tell a shifted interval, so they are counted, not listed.

    >>> from cep_core.language.temporal.formulas import Predicate
    >>> skewed_subformulas(Until(Interval(0, 1), Predicate("a"), Predicate("b")))
    4
    """
    plain: set[Formula] = set()
    families: dict[tuple[bool, Formula, Formula], set[Interval]] = defaultdict(set)
    for part in walk(core):
        match part:
            case Once(interval, body) | Eventually(interval, body):
                plain.add(Truth(True))
                families[isinstance(part, Once), Truth(True), body].add(interval)
            case Since(interval, left, right) | Until(interval, left, right):
                families[isinstance(part, Since), left, right].add(interval)
            case _:
                plain.add(part)
    return len(plain) + sum(map(_shifted, families.values()))


def _shifted(intervals: set[Interval]) -> int:
    """How many intervals there are when these are shifted to 0."""
    endless = [interval.low for interval in intervals if interval.high is None]
    widest: dict[int, int] = {}
    for interval in intervals:
        if interval.high is not None:
            width = interval.high - interval.low
            widest[width] = max(interval.high, widest.get(width, 0))
    # Those with a lower bound above 0 differ by width; those that begin at 0 are told by their upper bound.
    apart = sum(high - width for width, high in widest.items())
    from_zero = max(widest) + 1 if widest else 0
    return apart + from_zero + (max(endless) + 1 if endless else 0)


def streaming_section(core: Formula, mode: str) -> Section:
    """How a formula is monitored while its log is read, for `explain`."""
    program, reach, skewed = program_of(core), future_reach(core), skewed_subformulas(core)
    used = "global" if mode == "local" and program.has_unbounded_until else mode
    lines = [f"mode {used}" + (": an UNTIL without upper bound may stay open for ever" if used != mode else "")]
    if program.is_past_only:
        lines.append("every verdict is told at its own point; a point costs O(size of the formula)")
    elif program.is_flat:
        lines.append("no temporal operator contains a future one: a point costs O(size of the formula), amortised")
    else:
        unbounded = program.has_unbounded_until
        reason = "UNTIL has no upper bound" if unbounded else "a temporal operator contains a future one"
        cost = f"O(size of the formula * live expressions), of which there may be {LIVE_LIMIT:,}"
        lines.append(f"a point costs {cost}: {reason}")
    lines.append(f"interval-skewed subformulas: {skewed:,}, kept only for stamps that are open")
    lines.append("future reach: " + ("without bound" if reach is None else f"{reach:,}"))
    if used == "naive" and not program.is_past_only:
        lines.append("every open point is kept")
    facts = {
        "mode": used,
        "skewed_subformulas": skewed,
        "future_reach": reach,
        "amortised": program.is_past_only or program.is_flat,
        "past_only": program.is_past_only,
    }
    return Section("streaming", tuple(lines), facts)
