"""The endpoints of runs, in order, group by group: what an aggregation sweeps over.

A row counts from its begin on and no more from its end on. Between two neighbouring endpoints of a group, a *step*,
nothing changes. All endpoints of a group cancel out, so a running sum over all groups is 0 wherever a group begins.
Cost: one sort of twice the rows. Groups and points must be fewer than 2^31.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cep_core.arrays import Flags, Ints


@dataclass(frozen=True)
class Sweep:
    """`order`: endpoints by (group, point); i < rows is the begin of row i, rows + i its end. The rest is per step.

    `last`: the place in `order` of its last endpoint. `group`, `point`: where it begins. `count`: rows that hold then.
    """

    order: Ints
    last: Ints
    group: Ints
    point: Ints
    count: Ints

    def running(self, values: Ints) -> Ints:
        """The sum of the values of the rows that hold in each step, modulo 2^64."""
        return np.cumsum(np.concatenate([values, -values])[self.order])[self.last]


def sweep_of(group: Ints, begin: Ints, end: Ints) -> Sweep:
    """The sweep over runs; `group` from 0.

    >>> sweep = sweep_of(np.array([0, 0]), np.array([3, 4]), np.array([6, 5]))
    >>> sweep.point.tolist(), sweep.count.tolist(), sweep.running(np.array([10, 7])).tolist()
    ([3, 4, 5, 6], [1, 2, 1, 0], [10, 17, 10, 0])
    """
    width = int(end.max(initial=0)) + 1
    keys = np.concatenate([group * width + begin, group * width + end])
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    last = np.flatnonzero(np.append(np.diff(keys) != 0, np.ones(min(len(keys), 1), np.bool_)))
    steps = Sweep(order, last, keys[last] // width, keys[last] % width, last)
    return Sweep(order, last, steps.group, steps.point, steps.running(np.ones_like(begin)))


def runs_of_steps(group: Ints, begin: Ints, end: Ints, bits: Ints, held: Flags) -> tuple[Ints, Ints, Ints]:
    """The steps that are `held`, neighbours with equal bits joined: the step where each run begins, its begin and end.

    Steps are ordered by (group, begin).
    """
    steps = np.flatnonzero(held & (begin < end))
    joined = (
        (group[steps[1:]] == group[steps[:-1]])
        & (begin[steps[1:]] == end[steps[:-1]])
        & (bits[steps[1:]] == bits[steps[:-1]])
    )
    starts = np.flatnonzero(np.append(np.ones(min(len(steps), 1), np.bool_), ~joined))
    lasts = np.append(starts[1:] - 1, np.full(min(len(steps), 1), len(steps) - 1)).astype(np.int64)
    return steps[starts], begin[steps[starts]], end[steps[lasts]]
