"""The operator in plain Python, one object for each partial match: what the kernels are held against.

Slow and obvious; it answers with the same matches, costs, latencies and drops. `utility` gives a partial match's
utility for shedding by it, `leaves` says which events have left which windows; without them nothing is dropped.
Victims are chosen among all partial matches of the operator, or `by_partition` among those that the event meets.
`foresight` keeps only what a match still comes of, and among that what is worth most for its work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from cep_core.arrays import Ints
from cep_core.candidates.keys import OPERATORS, compares
from cep_core.language.patterns.query import Strategy
from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.stream import Offered
from cep_core.shedding.machine import Start
from cep_core.shedding.model.overload import Detector


@dataclass(eq=False)
class PartialMatch:
    """What is bound in one window."""

    pattern: int
    window: int
    end: int
    """The last clock value inside the window."""
    state: int = 0
    bound: tuple[tuple[int, int], ...] = ()
    """(event, step), in order."""
    dead_after: int | None = None


@dataclass
class Replayed:
    """By event, except for the matches: (pattern, window, bound)."""

    latency: list[int] = field(default_factory=list)
    held: list[int] = field(default_factory=list)
    """Partial matches alive before anything is dropped."""
    dropped: list[int] = field(default_factory=list)
    matches: list[tuple[int, int, tuple[tuple[int, int], ...]]] = field(default_factory=list)
    moves: list[tuple[int, int, int]] = field(default_factory=list)
    """(pattern, state, state after): one for each meeting."""
    meetings: list[tuple[int, int, tuple[tuple[int, int], ...], int, int]] = field(default_factory=list)
    """(pattern, window, bound, state, event)."""


@dataclass(frozen=True)
class Foresight:
    """Knows from a run that dropped nothing what is still to come of a partial match when an event comes."""

    unshed: Replayed
    patterns: Sequence[Offered]
    costs: Costs
    bound: int
    """No event may be answered later, in virtual nanoseconds."""
    buffer: int = 0
    """How much earlier one is answered for which something had to go."""

    def matches(self, one: PartialMatch, event: int) -> int:
        """Those that come of it from this event on."""
        return sum(
            its[:2] == (one.pattern, one.window) and _springs(its[2], one.bound, event) for its in self.unshed.matches
        )

    def work(self, one: PartialMatch, event: int) -> int:
        """What it and what springs from it from this event on must meet for those matches."""
        work = 0
        for pattern, window, bound, state, at in self.unshed.meetings:
            mine = (pattern, window) == (one.pattern, one.window)
            if mine and at >= event and (bound == one.bound or _springs(bound, one.bound, event)):
                ahead = [its for its in self.unshed.matches if its[:2] == (pattern, window)]
                if any(_springs(its[2], bound, at) for its in ahead):
                    work += self.costs.states[pattern][state]
        return work

    def value(self, one: PartialMatch, event: int) -> float:
        """Weighted matches for work."""
        return self.patterns[one.pattern].weight * self.matches(one, event) / max(self.work(one, event), 1)


def _springs(later: tuple[tuple[int, int], ...], bound: tuple[tuple[int, int], ...], event: int) -> bool:
    """Whether one binding goes on from another one with this event or a later one."""
    return len(later) > len(bound) and later[: len(bound)] == bound and later[len(bound)][0] >= event


def replay(
    patterns: Sequence[Offered],
    ts: Ints,
    costs: Costs,
    arrival: Ints,
    *,
    ordered: bool = False,
    detector: Detector | None = None,
    utility: Callable[[PartialMatch, int], float] | None = None,
    by_partition: bool = False,
    leaves: Callable[[int, int], bool] | None = None,
    foresight: Foresight | None = None,
) -> Replayed:
    """Runs the operator; `utility` of a partial match when the clock of its windows shows the second argument.

    `leaves`: whether an event does not meet what is in a window; the window that it opens is not opened then.
    """
    outcome = Replayed()
    opened = [pattern.opened(ts) for pattern in patterns]
    windows: list[dict[int, list[int]]] = []
    first = 0
    for own in opened:
        by_event: dict[int, list[int]] = {}
        for number, event in enumerate(own.at.tolist()):
            by_event.setdefault(event, []).append(number)
        windows.append(by_event)
    bases = [first := first + (len(opened[q - 1].end) if q else 0) for q in range(len(patterns))]
    ticks = list(range(len(ts))) if ordered else ts.tolist()
    # Lists of partial matches by (pattern, partition); those of windows that all partitions share under None.
    alive: dict[tuple[int, int | None], list[PartialMatch]] = {}
    now = 0
    for event in range(len(ts)):
        cost = costs.event
        met: list[list[PartialMatch]] = []
        for q, pattern in enumerate(patterns):
            partition = int(pattern.parts()[event])
            clock = int(opened[q].clock[event])
            anchored = pattern.machine.start is Start.AT_OPENING
            for number in windows[q].get(event, []):
                place = (q, partition if anchored else None)
                alive.setdefault(place, []).append(PartialMatch(q, bases[q] + number, int(opened[q].end[number])))
                cost += costs.window
            for number in (number for at in windows[q] if at <= event for number in windows[q][at]):
                ours = not anchored or int(pattern.parts()[opened[q].at[number]]) == partition
                if ours and opened[q].end[number] >= clock and not (leaves and leaves(event, bases[q] + number)):
                    cost += costs.event_window
            if partition < 0:
                continue
            for place in ((q, None), (q, partition)):
                its = alive.setdefault(place, [])
                its[:] = [
                    one
                    for one in its
                    if one.end >= clock and (one.dead_after is None or one.dead_after >= ticks[event])
                ]
                met.append(its)
        now = max(now, int(arrival[event]))
        # In order of pattern, partition (what all share first) and age.
        everyone = [
            one
            for _, its in sorted(alive.items(), key=lambda item: (item[0][0], -1 if item[0][1] is None else item[0][1]))
            for one in its
            if one.end >= opened[one.pattern].clock[event]
            and (one.dead_after is None or one.dead_after >= ticks[event])
        ]
        outcome.held.append(len(everyone))
        candidates = [one for its in met for one in its] if by_partition else everyone
        count = len(candidates)
        excess = detector.excess(now - int(arrival[event]), count) if detector and utility and count else 0
        if detector and utility and excess > 0:
            ranked = sorted(
                (utility(one, int(opened[one.pattern].clock[event])), number) for number, one in enumerate(candidates)
            )
            goes = {id(candidates[number]) for _, number in ranked[:excess]}
            for its in alive.values():
                its[:] = [one for one in its if id(one) not in goes]
            now += costs.sorting(count, excess)
        if foresight:
            for its in met:
                its[:] = [one for one in its if foresight.matches(one, event)]
            excess = _drop_least(met, foresight, event, now + cost - int(arrival[event]))
        missing = [one for its in met for one in its if leaves is not None and leaves(event, one.window)]
        for its in met:
            cost += sum(costs.states[one.pattern][one.state] for one in its if one not in missing)
        for q, pattern in enumerate(patterns):
            partition = int(pattern.parts()[event])
            if partition < 0:
                continue
            waiting = alive[q, partition]
            born: list[PartialMatch] = []
            waiting[:] = _offered(list(waiting), pattern, event, ticks, outcome, into=born, missing=missing)
            waiting += born
            shared = alive[q, None]
            shared[:] = _offered(list(shared), pattern, event, ticks, outcome, into=waiting, missing=missing)
        now += cost
        outcome.latency.append(now - int(arrival[event]))
        outcome.dropped.append(max(excess, 0) + len(missing))
    return outcome


def _drop_least(met: list[list[PartialMatch]], foresight: Foresight, event: int, otherwise: int) -> int:
    """Drops what is worth least until the event is in time; how many. `otherwise`: its latency without meetings."""
    everyone = [one for its in met for one in its]
    ranked = sorted(range(len(everyone)), key=lambda number: (foresight.value(everyone[number], event), number))
    price = [foresight.costs.states[one.pattern][one.state] for one in everyone]
    late = otherwise + sum(price) - foresight.bound
    spared = late + foresight.buffer if late > 0 else 0
    goes = set()
    for number in ranked:
        if spared <= 0:
            break
        goes.add(id(everyone[number]))
        spared -= price[number]
    for its in met:
        its[:] = [one for one in its if id(one) not in goes]
    return len(goes)


def _offered(
    its: list[PartialMatch],
    pattern: Offered,
    event: int,
    ticks: list[int],
    outcome: Replayed,
    into: list[PartialMatch],
    missing: Sequence[PartialMatch] = (),
) -> list[PartialMatch]:
    """Those that stay where they are; new ones and those that leave for a partition go `into` its list.

    `missing`: those that do not meet the event, since it has left their window.
    """
    machine = pattern.machine
    staying: list[PartialMatch] = []
    for one in its:
        state = one.state
        if one in missing:
            if state > 0 or machine.start is not Start.AT_OPENING:
                staying.append(one)
            continue
        within = state < machine.steps and 0 <= machine.group_of(state) < state
        follows = state == 0 or ticks[one.bound[-1][0]] < ticks[event] + within
        advances = follows and _accepts(pattern, one, event, state)
        repeats = follows and state - 1 in machine.loops and _accepts(pattern, one, event, state - 1, repeating=True)
        killed = follows and state > 0 and pattern.kills is not None and bool(pattern.kills[event, state])
        outcome.moves.append((one.pattern, state, state + 1 if advances else state))
        outcome.meetings.append((one.pattern, one.window, one.bound, state, event))
        opening = state == 0 and machine.start is Start.AT_OPENING
        splits = (machine.selection is Strategy.ANY and not opening) or (state == 0 and machine.start is Start.EACH)
        if splits:
            for step in [state] * advances + [state - 1] * repeats:
                child = replace(one, state=step + 1, bound=(*one.bound, (event, step)), dead_after=None)
                if child.state == machine.steps:
                    outcome.matches.append((one.pattern, one.window, child.bound))
                else:
                    into.append(child)
        elif advances:
            one.bound = (*one.bound, (event, state))
            one.state += 1
            if one.state == machine.steps:
                outcome.matches.append((one.pattern, one.window, one.bound))
            elif state == 0 and machine.start is Start.ONCE:
                into.append(one)
            else:
                staying.append(one)
            continue
        elif repeats:
            one.bound = (*one.bound, (event, state - 1))
            staying.append(one)
            continue
        elif opening:
            continue
        if killed and one.dead_after is None:
            one.dead_after = ticks[event]
        staying.append(one)
    return staying


def _accepts(pattern: Offered, one: PartialMatch, event: int, step: int, *, repeating: bool = False) -> bool:
    """Whether an event may be bound to a step."""
    if not pattern.fits[event, step]:
        return False
    tests = pattern.repeating if repeating else pattern.entering
    for operator, left, right in tests.get(step, []):
        if not compares(OPERATORS[operator], int(left[one.bound[-1][0]]), int(right[event])):
            return False
    group = pattern.machine.group_of(step)
    if group < 0:
        return True
    member = pattern.member if pattern.member is not None else [0] * len(pattern.fits)
    return all(member[other] != member[event] for other, its in one.bound if its >= group)
