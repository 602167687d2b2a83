"""Which points of a growing log are decided: no later event can change what holds there (`docs/semantics.md` 5).

Stamps alone tell, never events, so slices of one log agree. A point is decided

- for an atom, TRUE, a comparison: as soon as it is in;
- for PREV[a,b] f: at the first point, if the gap is outside [a,b], or if f is decided at the point before;
- for NEXT[a,b] f: once the next point is in, if the gap is outside [a,b] or f is decided there;
- for f SINCE[a,b] g: once g is decided at all points that [a,b] reaches, and f at all points after the first of these;
- for f UNTIL[a,b] g: once a stamp greater than the point's own plus b is in, and f and g are decided at all points from
  this one to the last that b reaches;
- for every other node: once its operands are. ONCE, HISTORICALLY, TRIGGER are as SINCE; EVENTUALLY, ALWAYS, RELEASE as
  UNTIL.

Results are reported up to the first undecided point. Cost: O(points) for each operator, and the binary searches of
`numpy.searchsorted`; no loop over points in Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from cep_core.language.temporal.formulas import (
    Always,
    Eventually,
    Formula,
    Historically,
    Let,
    Next,
    Once,
    Predicate,
    Prev,
    Release,
    Since,
    Trigger,
    Until,
)
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.walk import operands, walk

Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]
_LATEST = 2**64 - 1


def decided_points(formula: Formula, stamps: npt.NDArray[np.int64], *, closed: bool) -> int:
    """How many points, from the first on, are reported. `closed`: nothing follows the log, so all of them.

    >>> from cep_core.language.temporal.formulas import Truth
    >>> stamps = np.array([0, 3, 3, 6, 8])
    >>> soon = Eventually(Interval(0, 4), Truth(True))
    >>> decided_points(soon, stamps, closed=False), decided_points(soon, stamps, closed=True)
    (3, 5)
    """
    if closed:
        return len(stamps)
    flags = _Decided(formula, stamps).flags(formula, {})
    return len(stamps) if flags.all() else int(flags.argmin())


class _Decided:
    """The decided points of a formula and its parts over one log."""

    def __init__(self, formula: Formula, stamps: npt.NDArray[np.int64]) -> None:
        # Times since the earliest possible stamp: differences of any two stamps fit into 64 bits without a sign.
        self.times = stamps.astype(np.int64).view(np.uint64) + np.uint64(2**63)
        self.gaps = np.diff(self.times)
        self.here: Places = np.arange(len(stamps))
        places = Counter(id(operand) for part in walk(formula) for operand in operands(part))
        self._repeated = {node for node, times in places.items() if times > 1}
        """The ids of nodes that stand at several places, as sugar leaves them."""
        self._kept: dict[int, Flags] = {}
        """Their flags, if they are not below a LET."""

    def flags(self, formula: Formula, definitions: Mapping[str, Flags]) -> Flags:
        """A flag for each point. `definitions`: the flags of LETs in scope, by name."""
        if id(formula) not in self._repeated or definitions:
            return self._flags(formula, definitions)
        if id(formula) not in self._kept:
            self._kept[id(formula)] = self._flags(formula, definitions)
        return self._kept[id(formula)]

    def _flags(self, formula: Formula, definitions: Mapping[str, Flags]) -> Flags:
        match formula:
            case Predicate():
                return definitions.get(formula.event_type, np.ones(len(self.times), np.bool_))
            case Let():
                inner = {**definitions, formula.name: self.flags(formula.definition, definitions)}
                return self.flags(formula.body, inner)
        parts = [self.flags(part, definitions) for part in operands(formula)]
        match formula:
            case Prev():
                return np.concatenate(
                    [np.ones(len(self.times[:1]), np.bool_), self._skips(formula.interval) | parts[0][:-1]]
                )
            case Next():
                later = self._skips(formula.interval) | parts[0][1:]
                return np.concatenate([later, np.zeros(len(self.times[:1]), np.bool_)])
            case Once() | Historically() | Since() | Trigger():
                return self._past(formula.interval, parts)
            case Eventually() | Always() | Until() | Release():
                return self._future(formula.interval, parts)
        return np.logical_and.reduce([np.ones(len(self.times), np.bool_), *parts])

    def _skips(self, interval: Interval) -> Flags:
        """Whether the gap between a point and the next lies outside the interval."""
        high = _LATEST if interval.high is None else min(interval.high, _LATEST)
        if interval.low > _LATEST:
            return np.ones(len(self.gaps), np.bool_)
        return (self.gaps < np.uint64(interval.low)) | (self.gaps > np.uint64(high))

    def _past(self, interval: Interval, parts: list[Flags]) -> Flags:
        if all(part.all() for part in parts):
            return parts[-1]
        first = self._first_in_reach(interval)
        last = self._last_before(interval)  # the points in [first, last) are in the interval
        right = _all_between(parts[-1], first, last)
        if len(parts) == 1:
            return right
        after = np.minimum(first + 1, self.here + 1)
        return (first >= last) | (right & _all_between(parts[0], after, self.here + 1))

    def _first_in_reach(self, interval: Interval) -> Places:
        """For each point, the first point that is at most `high` earlier."""
        if interval.high is None or interval.high > _LATEST:
            return np.zeros(len(self.times), np.intp)
        high = np.uint64(interval.high)
        return np.searchsorted(self.times, np.where(self.times < high, np.uint64(0), self.times - high), "left")

    def _last_before(self, interval: Interval) -> Places:
        """For each point, the end of the points up to it that are at least `low` earlier."""
        if interval.low > _LATEST:
            return np.zeros(len(self.times), np.intp)
        low = np.uint64(interval.low)
        if not low:
            return self.here + 1
        ends = np.searchsorted(self.times, np.where(self.times < low, np.uint64(0), self.times - low), "right")
        return np.minimum(np.where(self.times < low, 0, ends), self.here + 1)

    def _future(self, interval: Interval, parts: list[Flags]) -> Flags:
        if interval.high is None or interval.high > _LATEST:
            return np.zeros(len(self.times), np.bool_)
        high = np.uint64(interval.high)
        room = np.uint64(_LATEST) - self.times
        end = np.searchsorted(self.times, self.times + np.minimum(high, room), "right")
        flags = end < len(self.times)  # a point beyond the reach is in
        for part in parts:
            if not part.all():
                flags &= _all_between(part, self.here, end)
        return flags


def _all_between(flags: Flags, begin: Places, end: Places) -> Flags:
    """For each pair, whether all flags in [begin, end) are set; so of none."""
    unset = np.concatenate([[0], np.cumsum(~flags)])
    return (begin >= end) | (unset[np.maximum(begin, end)] == unset[np.minimum(begin, end)])
