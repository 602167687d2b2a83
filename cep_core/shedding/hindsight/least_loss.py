"""A lower bound on the loss of every strategy that drops partial matches and answers each event within the bound.

Consecutive events a to b are answered within LB only if all their work fits between the arrival of a and LB after the
arrival of b. The costs of events and windows must be paid; the rest is left for partial matches. A match needs every
meeting of the partial matches that it comes from, up to the event that carries it on. Which matches to keep is a
knapsack problem of their weights and their work. The relaxed knapsack may keep a fraction of a match, so it keeps at
least as much weight as any strategy.

- There is one constraint for each busy period of an operator that does useful work only: from the event that finds it
  idle to the event that is answered latest. A period in which that event is within the bound gives no constraint.
- A meeting that several matches need is shared equally among them. The shares of any set of matches then add up to no
  more than the work that the set needs, so sharing can only make the lower bound smaller.
- A match counts in one period only, the one where its share is the largest. So no loss counts twice, and the losses of
  all periods can be added.

Assumptions: costs are as the operator charges them, and choosing costs nothing. A strategy drops whole partial matches,
from some event on. So the bound does not hold for E-BL, whose events leave windows and save single meetings.

The clairvoyant also gives up the matches that the knapsacks leave out (`replaying`).

Cost: the recorded run once more, and O(partial matches + matches) for each binding period.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cep_core.arrays import Flags, Floats, Ints
from cep_core.shedding.arrays.rules import RECORD
from cep_core.shedding.hindsight.clairvoyance import Clairvoyance
from cep_core.shedding.operator_run import OperatorRun

ROUNDING = 1e-9
"""Shares are sums of rounded quotients; the answer is reduced by this factor to stay a lower bound."""


@dataclass(frozen=True)
class LossPeriod:
    """The events from `first` to `last`, both included. `room`: the work that partial matches may cost there."""

    first: int
    last: int
    room: int


def busy_periods(arrival: Ints, fixed: Ints, useful: Ints, begin: int, bound: int) -> list[LossPeriod]:
    """The periods from event `begin` on in which even useful work alone is too much for the bound.

    [n] `arrival` of each event, its own cost `fixed`, and the cost of the `useful` partial matches that it meets.

    >>> arrival, ones = np.array([0, 1, 2, 50]), np.ones(4, np.int64)
    >>> busy_periods(arrival, ones, 9 * ones, 0, bound=20)
    [LossPeriod(first=0, last=2, room=19)]
    """
    stretches = []
    first, worst, last, done = begin, bound, -1, 0
    works = (fixed[begin:] + useful[begin:]).tolist()  # numbers of Python: a tenth of the time of elements of arrays
    for i, (arrived, work) in enumerate(zip(arrival[begin:].tolist(), works, strict=True), begin):
        if i > begin and arrived >= done:
            if last >= 0:
                stretches.append((first, last))
            first, worst, last = i, bound, -1
        done = max(done, arrived) + work
        if done - arrived > worst:
            worst, last = done - arrived, i
    if last >= 0:
        stretches.append((first, last))
    return [
        LossPeriod(a, b, int(arrival[b]) + bound - int(arrival[a]) - int(fixed[a : b + 1].sum())) for a, b in stretches
    ]


@dataclass(frozen=True)
class Loss:
    """What must be lost: at least `weight`. `gone`: [matches] those that the knapsacks leave out entirely."""

    weight: float
    gone: Flags


def least_loss(
    known: Clairvoyance, arrival: Ints, useful: Ints, begin: int, bound: int, weights: Sequence[float]
) -> Loss:
    """The least loss among the wanted matches of `known` that are completed from event `begin` on.

    `useful`: [n] what useful partial matches cost at each event; `weights`: by pattern.
    """
    stream = known.recorded.stream
    periods = busy_periods(arrival, stream.fixed_cost, useful, begin, bound)
    weight = np.array(weights, np.float64)[known.match_pattern]
    gone = np.zeros(len(weight), np.bool_)
    if not periods:
        return Loss(0.0, gone)
    best = np.zeros(len(weight))
    place = np.full(len(weight), -1, np.int64)
    # the cost of every partial match when a period begins and when it has ended
    rerun = OperatorRun(stream, np.zeros(stream.events, np.int64), tracked=RECORD)
    for number, period in enumerate(periods):
        rerun.advance(period.first)
        before = _padded(rerun.spent_by_node(), known.nodes)
        rerun.advance(period.last + 1)
        shares = known.shares(before, _padded(rerun.spent_by_node(), known.nodes))
        larger = shares > best
        best[larger], place[larger] = shares[larger], number
    lost = 0.0
    for number, period in enumerate(periods):
        members = np.flatnonzero(place == number)
        least, left_out = knapsack(best[members], weight[members], period.room)
        lost += least
        gone[members[left_out]] = True
    return Loss(max(0.0, lost * (1 - ROUNDING)), gone)


def knapsack(work: Floats, weight: Floats, room: int) -> tuple[float, Ints]:
    """The least weight to give up so that the rest of the work fits, and which matches. One may be given up in part.

    >>> least, gone = knapsack(np.array([4.0, 2.0, 4.0]), np.array([1.0, 1.0, 4.0]), 5)
    >>> least, gone.tolist()
    (1.5, [0, 1])
    """
    excess = float(work.sum()) - max(0, room)
    if excess <= 0:
        return 0.0, np.zeros(0, np.int64)
    order = np.argsort(weight / work, kind="stable")
    work_saved = np.cumsum(work[order])
    whole = int(np.searchsorted(work_saved, excess, side="right"))
    lost = float(weight[order[:whole]].sum())
    if whole < len(order):
        missing_work = excess - (float(work_saved[whole - 1]) if whole else 0.0)
        lost += float(weight[order[whole]]) * missing_work / float(work[order[whole]])
    return lost, order[: whole + 1]


def _padded(spent: Ints, nodes: int) -> Ints:
    return np.concatenate([spent, np.zeros(nodes - len(spent), np.int64)])
