"""The input of an operator: events in order, and for each pattern the steps that every event fits.

A pattern brings one column for each step (which events fit it), and the partition of each event. An event in partition
-1 is in none and meets no partial match of the pattern. A pattern also brings comparisons on its steps: an event is
bound only if they hold between the event bound last and itself. `Offered` is one pattern; `Stream` is all patterns,
flattened for the kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cep_core.arrays import Flags, Floats, Ints
from cep_core.candidates.keys import OPERATORS, Comparing
from cep_core.language.patterns.query import Strategy
from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.open_windows import Opened, WindowSpec, open_windows, windows_open_at
from cep_core.shedding.machine import Machine, Start

Actions = npt.NDArray[np.uint8]

ADVANCES, REPEATS, KILLED = 1, 2, 4
"""What an event may do to a partial match of a state: bind the next step, bind the last one again, end it."""

STARTS = {Start.AT_OPENING: 0, Start.ONCE: 1, Start.EACH: 2}


@dataclass(frozen=True)
class Offered:
    """One pattern over n events.

    `opening`: which events open a window, if windows have no slide; None: those that fit the first step.
    """

    name: str
    machine: Machine
    windows: WindowSpec
    fits: Flags
    """[n, L]."""
    weight: float = 1.0
    partition: Ints | None = None
    """[n] numbers from 0 on, or -1; None: there is one partition."""
    opening: Flags | None = None
    kills: Flags | None = None
    """[n, L] whether the event is negated there: it ends the partial matches that wait in state s > 0."""
    member: Ints | None = None
    """[n] the member that the event is; members must be distinct within `ANY(n, ...)`."""
    entering: dict[int, list[Comparing]] = field(default_factory=dict)
    """By step: comparisons of the event bound before with the event that is bound."""
    repeating: dict[int, list[Comparing]] = field(default_factory=dict)
    """By step that loops: comparisons within the closure."""

    def parts(self) -> Ints:
        """[n] the partition of each event."""
        return np.zeros(len(self.fits), np.int64) if self.partition is None else self.partition

    def opened(self, ts: Ints) -> Opened:
        """Its windows over events at `ts`.

        If windows open with the first event of a match, events in no partition open none.
        """
        opening = self.fits[:, 0] if self.opening is None else self.opening
        if self.machine.start is Start.AT_OPENING:
            opening = opening & (self.parts() >= 0)
        return open_windows(self.windows, ts, opening)


class Stream(NamedTuple):
    """n events, Q patterns, T steps of all patterns, W windows, C comparisons, S segments of partial matches."""

    tick: Ints
    """[n] an event follows another if its tick is larger."""
    kind: Ints
    """[n] the event's type by number."""
    at: Ints
    """[Q + 1] pattern q's steps, and its states but the final one, are at[q]:at[q + 1]."""
    any_match: Flags
    start: Ints
    """[Q] numbers of `STARTS`."""
    weight: Floats
    actions: Actions
    """[n, T] what the event may do to a partial match that waits in the state before step t: the flags above."""
    acts: Flags
    """[Q, n] whether the event opens a window of the pattern or may do anything to a partial match."""
    group: Ints
    """[T] the first step of the ANY group that step t is in, counted within the pattern; -1: none."""
    member: Ints
    """[Q, n]."""
    partition: Ints
    """[Q, n]."""
    segment: Ints
    """[Q + 1] a pattern's segments: the first for windows that all partitions share, then one for each partition."""
    condition: Ints
    """[2 T + 1] comparisons on entering step t: condition[2 t]:condition[2 t + 1]. Then those on repeating."""
    operator: Ints
    left: Ints
    """[C, n]."""
    right: Ints
    window_first: Ints
    """[Q, n + 1] the first window that opens at event i; windows are numbered over all patterns."""
    window_end: Ints
    """[W]."""
    window_at: Ints
    """[W] the event that opens it."""
    clock: Ints
    """[Q, n]."""
    open_windows: Ints
    """[Q, n] windows that each event belongs to."""
    state_cost: Ints
    """[T]."""
    cost: Ints
    """In this order: event, window, lookup, sort, drop, draw, event in a window."""

    @property
    def events(self) -> int:
        return len(self.tick)

    @property
    def fixed_cost(self) -> Ints:
        """[n] the cost of an event that no dropping saves: its own, and that of windows that it opens or belongs to."""
        opens = np.diff(self.window_first, axis=1).sum(axis=0)
        inside = self.open_windows.sum(axis=0)
        return self.cost[EVENT] + self.cost[WINDOW] * opens + self.cost[EVENT_WINDOW] * inside


EVENT, WINDOW, LOOKUP, SORT, DROP, DRAW, EVENT_WINDOW = range(7)


def stream_of(
    patterns: Sequence[Offered], ts: Ints, costs: Costs, *, ordered: bool = False, kind: Ints | None = None
) -> Stream:
    """All patterns over the same n events, `ts` ascending. Raises ValueError.

    `ordered`: events with the same time follow each other, too.
    """
    count = len(ts)
    if [len(own) for own in costs.states] != [pattern.machine.steps for pattern in patterns]:
        raise ValueError("costs must name each state of each pattern, the final one left out")
    at = np.cumsum([0, *(pattern.machine.steps for pattern in patterns)])
    opened = [pattern.opened(ts) for pattern in patterns]
    bases = np.cumsum([0, *(len(own.end) for own in opened)])
    condition, comparisons = [0], []
    for pattern in patterns:
        for step in range(pattern.machine.steps):
            for tests in (pattern.entering.get(step, []), pattern.repeating.get(step, [])):
                comparisons += tests
                condition.append(len(comparisons))
    actions = [_actions(pattern) for pattern in patterns]
    parts = [pattern.parts() for pattern in patterns]
    shared = np.zeros(count, np.int64)
    return Stream(
        # Copies: Arrow lends columns that may not be written, and kernels are compiled for each kind of array.
        tick=np.arange(count, dtype=np.int64) if ordered else np.array(ts, np.int64),
        kind=np.zeros(count, np.int64) if kind is None else np.array(kind, np.int64),
        at=at.astype(np.int64),
        any_match=np.array([pattern.machine.selection is Strategy.ANY for pattern in patterns]),
        start=np.array([STARTS[pattern.machine.start] for pattern in patterns], np.int64),
        weight=np.array([pattern.weight for pattern in patterns], np.float64),
        actions=np.ascontiguousarray(np.concatenate(actions, axis=1)),
        acts=np.stack(
            [own.any(axis=1) | (np.diff(windows.first) > 0) for own, windows in zip(actions, opened, strict=True)]
        ),
        group=np.array([p.machine.group_of(step) for p in patterns for step in range(p.machine.steps)], np.int64),
        member=np.stack([shared if p.member is None else p.member for p in patterns]),
        partition=np.stack(parts),
        segment=np.cumsum([0, *(2 + int(own.max(initial=0)) for own in parts)]).astype(np.int64),
        condition=np.array(condition, np.int64),
        operator=np.array([OPERATORS[name] for name, _, _ in comparisons], np.int64),
        left=np.array([left for _, left, _ in comparisons], np.int64).reshape(len(comparisons), count),
        right=np.array([right for _, _, right in comparisons], np.int64).reshape(len(comparisons), count),
        window_first=np.stack([own.first + base for own, base in zip(opened, bases[:-1], strict=True)]),
        window_end=np.concatenate([own.end for own in opened]).astype(np.int64),
        window_at=np.concatenate([own.at for own in opened]).astype(np.int64),
        clock=np.stack([own.clock for own in opened]),
        open_windows=np.stack(
            [
                windows_open_at(own, part if pattern.machine.start is Start.AT_OPENING else shared)
                for own, part, pattern in zip(opened, parts, patterns, strict=True)
            ]
        ),
        state_cost=np.array([cost for own in costs.states for cost in own], np.int64),
        cost=np.array(
            [costs.event, costs.window, costs.lookup, costs.sort, costs.drop, costs.draw, costs.event_window], np.int64
        ),
    )


def _actions(pattern: Offered) -> Actions:
    """[n, L] the flags of each event for each state."""
    actions = np.where(pattern.fits, np.uint8(ADVANCES), np.uint8(0))
    for step in pattern.machine.loops:
        actions[:, step + 1] |= np.where(pattern.fits[:, step], np.uint8(REPEATS), np.uint8(0))
    if pattern.kills is not None:
        actions[:, 1:] |= np.where(pattern.kills[:, 1:], np.uint8(KILLED), np.uint8(0))
    return actions
