"""The operator in plain Python, with one object for each partial match. The kernels are tested against it.

It is slow and simple, and it gives the same matches, costs, latencies and drops. `utility` gives the utility of a
partial match, to shed by it. `leaves` says which events have left which windows. Without them nothing is dropped.
Victims are chosen among all partial matches of the operator, or `by_partition` among those that the event meets.
`foresight` keeps only partial matches that still become a match, and prefers those with the most matches for their
work.
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
    """A partial match: what is bound in one window."""

    pattern: int
    window: int
    end: int
    """The last clock value inside the window."""
    state: int = 0
    bound: tuple[tuple[int, int], ...] = ()
    """Pairs (event, step), in order."""
    dead_after: int | None = None


@dataclass
class Replayed:
    """The outcome, by event. Matches are triples (pattern, window, bound)."""

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
    """Knows the future of each partial match at each event, from a run that dropped nothing."""

    unshed: Replayed
    patterns: Sequence[Offered]
    costs: Costs
    bound: int
    """The latency that no event may exceed, in virtual nanoseconds."""
    buffer: int = 0
    """If something must be dropped for an event, how much below the bound its latency must be."""

    def matches(self, partial: PartialMatch, event: int) -> int:
        """The number of matches that it and its descendants become from this event on."""
        return sum(
            match[:2] == (partial.pattern, partial.window) and _springs(match[2], partial.bound, event)
            for match in self.unshed.matches
        )

    def work(self, partial: PartialMatch, event: int) -> int:
        """The cost of the meetings that it and its descendants need for those matches, from this event on."""
        work = 0
        for pattern, window, bound, state, at in self.unshed.meetings:
            same_window = (pattern, window) == (partial.pattern, partial.window)
            if same_window and at >= event and (bound == partial.bound or _springs(bound, partial.bound, event)):
                ahead = [match for match in self.unshed.matches if match[:2] == (pattern, window)]
                if any(_springs(match[2], bound, at) for match in ahead):
                    work += self.costs.states[pattern][state]
        return work

    def value(self, partial: PartialMatch, event: int) -> float:
        """Weighted matches divided by work."""
        return self.patterns[partial.pattern].weight * self.matches(partial, event) / max(self.work(partial, event), 1)


def _springs(later: tuple[tuple[int, int], ...], bound: tuple[tuple[int, int], ...], event: int) -> bool:
    """Whether the binding `later` extends `bound`, with this event or a later one."""
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
    """Runs the operator. `utility`: of a partial match, at a value of the clock of its windows.

    `leaves`: whether an event does not meet the partial matches of a window. If it would open that window, the window
    stays closed.
    """
    outcome = Replayed()
    opened = [pattern.opened(ts) for pattern in patterns]
    windows: list[dict[int, list[int]]] = []
    first = 0
    for pattern_windows in opened:
        by_event: dict[int, list[int]] = {}
        for number, event in enumerate(pattern_windows.at.tolist()):
            by_event.setdefault(event, []).append(number)
        windows.append(by_event)
    bases = [first := first + (len(opened[q - 1].end) if q else 0) for q in range(len(patterns))]
    ticks = list(range(len(ts))) if ordered else ts.tolist()
    # Lists of partial matches by (pattern, partition). The partition is None for windows that all partitions share.
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
                same_partition = not anchored or int(pattern.parts()[opened[q].at[number]]) == partition
                if (
                    same_partition
                    and opened[q].end[number] >= clock
                    and not (leaves and leaves(event, bases[q] + number))
                ):
                    cost += costs.event_window
            if partition < 0:
                continue
            for place in ((q, None), (q, partition)):
                waiting_list = alive.setdefault(place, [])
                waiting_list[:] = [
                    partial
                    for partial in waiting_list
                    if partial.end >= clock and (partial.dead_after is None or partial.dead_after >= ticks[event])
                ]
                met.append(waiting_list)
        now = max(now, int(arrival[event]))
        # In the order of pattern, partition (shared windows first) and age.
        everyone = [
            partial
            for _, waiting_list in sorted(
                alive.items(), key=lambda item: (item[0][0], -1 if item[0][1] is None else item[0][1])
            )
            for partial in waiting_list
            if partial.end >= opened[partial.pattern].clock[event]
            and (partial.dead_after is None or partial.dead_after >= ticks[event])
        ]
        outcome.held.append(len(everyone))
        candidates = [partial for waiting_list in met for partial in waiting_list] if by_partition else everyone
        count = len(candidates)
        excess = detector.excess(now - int(arrival[event]), count) if detector and utility and count else 0
        if detector and utility and excess > 0:
            ranked = sorted(
                (utility(partial, int(opened[partial.pattern].clock[event])), number)
                for number, partial in enumerate(candidates)
            )
            gone = {id(candidates[number]) for _, number in ranked[:excess]}
            for waiting_list in alive.values():
                waiting_list[:] = [partial for partial in waiting_list if id(partial) not in gone]
            now += costs.sorting(count, excess)
        if foresight:
            for waiting_list in met:
                waiting_list[:] = [partial for partial in waiting_list if foresight.matches(partial, event)]
            excess = _drop_least(met, foresight, event, now + cost - int(arrival[event]))
        missing = [
            partial
            for waiting_list in met
            for partial in waiting_list
            if leaves is not None and leaves(event, partial.window)
        ]
        for waiting_list in met:
            cost += sum(
                costs.states[partial.pattern][partial.state] for partial in waiting_list if partial not in missing
            )
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
    """Drops what is worth least until the event is in time. Returns how many. `otherwise`: latency without meetings."""
    everyone = [partial for waiting_list in met for partial in waiting_list]
    ranked = sorted(range(len(everyone)), key=lambda number: (foresight.value(everyone[number], event), number))
    price = [foresight.costs.states[partial.pattern][partial.state] for partial in everyone]
    late = otherwise + sum(price) - foresight.bound
    spared = late + foresight.buffer if late > 0 else 0
    gone = set()
    for number in ranked:
        if spared <= 0:
            break
        gone.add(id(everyone[number]))
        spared -= price[number]
    for waiting_list in met:
        waiting_list[:] = [partial for partial in waiting_list if id(partial) not in gone]
    return len(gone)


def _offered(
    its: list[PartialMatch],
    pattern: Offered,
    event: int,
    ticks: list[int],
    outcome: Replayed,
    into: list[PartialMatch],
    missing: Sequence[PartialMatch] = (),
) -> list[PartialMatch]:
    """The partial matches that stay in their list. New ones, and those that move to a partition, go `into` its list.

    `missing`: those that do not meet the event, because it has left their window.
    """
    machine = pattern.machine
    staying: list[PartialMatch] = []
    for partial in its:
        state = partial.state
        if partial in missing:
            if state > 0 or machine.start is not Start.AT_OPENING:
                staying.append(partial)
            continue
        within = state < machine.steps and 0 <= machine.group_of(state) < state
        follows = state == 0 or ticks[partial.bound[-1][0]] < ticks[event] + within
        advances = follows and _accepts(pattern, partial, event, state)
        repeats = (
            follows and state - 1 in machine.loops and _accepts(pattern, partial, event, state - 1, repeating=True)
        )
        killed = follows and state > 0 and pattern.kills is not None and bool(pattern.kills[event, state])
        outcome.moves.append((partial.pattern, state, state + 1 if advances else state))
        outcome.meetings.append((partial.pattern, partial.window, partial.bound, state, event))
        opening = state == 0 and machine.start is Start.AT_OPENING
        splits = (machine.selection is Strategy.ANY and not opening) or (state == 0 and machine.start is Start.EACH)
        if splits:
            for step in [state] * advances + [state - 1] * repeats:
                child = replace(partial, state=step + 1, bound=(*partial.bound, (event, step)), dead_after=None)
                if child.state == machine.steps:
                    outcome.matches.append((partial.pattern, partial.window, child.bound))
                else:
                    into.append(child)
        elif advances:
            partial.bound = (*partial.bound, (event, state))
            partial.state += 1
            if partial.state == machine.steps:
                outcome.matches.append((partial.pattern, partial.window, partial.bound))
            elif state == 0 and machine.start is Start.ONCE:
                into.append(partial)
            else:
                staying.append(partial)
            continue
        elif repeats:
            partial.bound = (*partial.bound, (event, state - 1))
            staying.append(partial)
            continue
        elif opening:
            continue
        if killed and partial.dead_after is None:
            partial.dead_after = ticks[event]
        staying.append(partial)
    return staying


def _accepts(pattern: Offered, partial: PartialMatch, event: int, step: int, *, repeating: bool = False) -> bool:
    """Whether an event may be bound to a step."""
    if not pattern.fits[event, step]:
        return False
    tests = pattern.repeating if repeating else pattern.entering
    for operator, left, right in tests.get(step, []):
        if not compares(OPERATORS[operator], int(left[partial.bound[-1][0]]), int(right[event])):
            return False
    group = pattern.machine.group_of(step)
    if group < 0:
        return True
    member = pattern.member if pattern.member is not None else [0] * len(pattern.fits)
    return all(member[bound_event] != member[event] for bound_event, bound_step in partial.bound if bound_step >= group)
