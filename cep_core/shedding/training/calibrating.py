"""What an operator's work really costs on this machine: time of an event, and of meeting a partial match by state.

Time is processor time of the thread, which is wall time where nothing else runs. The operator runs over a log without
shedding, stretch by stretch. How many events a stretch has, and how many partial matches of each state they meet, is
known exactly; how long it takes is measured. The costs are those that explain the measured times best. They are
fitted by least squares without negative costs (coordinate descent). A constant stands for the call of a stretch, which
is no cost of the operator. States that always come together cannot be told apart, so they get a common cost. Every
repetition is fitted alone, so that the spread of the results shows how reliable they are.

What shedding costs is measured on its own: looking up a utility, comparing two of them, drawing a random number, moving
a partial match. Cost: `repetitions` times `TRIES` runs over the log.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import numpy as np
from numba import njit

from cep_core.arrays import Floats, Ints
from cep_core.shedding.arrays.costs import uniform_costs
from cep_core.shedding.arrays.stream import Offered, stream_of
from cep_core.shedding.kernels.victims import by_chance
from cep_core.shedding.model.utility import utility_at, utility_tables
from cep_core.shedding.operator_run import OperatorRun

PARTS = ("lookup", "sort", "drop", "draw")
"""What shedding itself costs (`Costs`)."""

STRETCHES = 64
TRIES = 5
"""The time of a stretch is the least of this many, because other work of the machine can only add to it."""

TOWARDS_COMMON = 1e-4
"""How strongly the cost of a state is drawn towards the common cost, compared with what its own counts say."""

SAMPLE = 10_000
"""The number of partial matches on which the parts of shedding are measured."""


@dataclass(frozen=True)
class TimeSpread:
    """Nanoseconds over all repetitions."""

    median: float
    least: float
    most: float

    @property
    def whole(self) -> int:
        """Whole nanoseconds, at least 1, as they are declared.

        >>> TimeSpread(2.6, 1.0, 3.0).whole, TimeSpread(0.2, 0.0, 0.3).whole
        (3, 1)
        """
        return max(1, round(self.median))


@dataclass(frozen=True)
class Calibration:
    """The measured costs of one operator on one machine."""

    event: TimeSpread
    states: tuple[tuple[TimeSpread, ...], ...]
    """By pattern, each state but the final one."""
    explained: float
    """The share of the variance of the measured times that the fitted costs explain: the median of all repetitions."""
    parts: tuple[TimeSpread, ...]
    """What shedding costs: those of `PARTS`."""
    events: int
    meetings: int


def calibrate(
    patterns: Sequence[Offered],
    ts: Ints,
    *,
    ordered: bool = False,
    repetitions: int = 5,
    now: Callable[[], int] = time.thread_time_ns,
) -> Calibration:
    """Measures an operator of all patterns over events at `ts`. Raises ValueError without events."""
    if not len(ts):
        raise ValueError("there are no events to measure on")
    costs = uniform_costs([pattern.machine.states for pattern in patterns], 1)
    stream = stream_of(patterns, ts, costs, ordered=ordered)
    # Stretches differ in length, so that the cost of a call and the cost of an event can be told apart.
    lengths = np.cumsum(1 + np.arange(STRETCHES) % 4)
    ends = np.unique(lengths * len(ts) // lengths[-1])
    ends = ends[ends > 0]
    counts = _counted(OperatorRun(stream, np.zeros(len(ts), np.int64)), ends)
    fitted, explained = [], []
    for _ in range(repetitions):
        tries = [_timed(OperatorRun(stream, np.zeros(len(ts), np.int64)), ends, now) for _ in range(TRIES)]
        spent = np.min(tries, axis=0)
        solution = fit_costs(counts, spent)
        fitted.append(solution[1:])
        explained.append(_explained(counts, spent, solution))
    spread = [_spread(list(column)) for column in zip(*fitted, strict=True)]
    at = stream.at.tolist()
    parts = [
        _spread(list(column)) for column in zip(*[measured_shedding(now) for _ in range(repetitions)], strict=True)
    ]
    return Calibration(
        spread[0],
        tuple(tuple(spread[1 + begin : 1 + end]) for begin, end in pairwise(at)),
        median(explained),
        tuple(parts),
        len(ts),
        int(counts[:, 2:].sum()),
    )


def fit_costs(counts: Floats, spent: Floats) -> Floats:
    """The costs that explain the times [n] of stretches best from what was counted there; none is negative.

    `counts`: [n, 2 + T] calls, events, and partial matches of each of T states. States that the counts cannot tell
    apart get the same cost: each is drawn a little towards the average cost of a partial match.

    >>> counts = np.array([[1, 9, 40, 5], [1, 7, 30, 20], [1, 20, 80, 70], [1, 12, 90, 8]], float)
    >>> fit_costs(counts, counts @ [30.0, 100.0, 4.0, 4.0]).round(3).tolist()
    [30.0, 100.0, 4.0, 4.0]
    """
    summed_states = np.column_stack([counts[:, :2], counts[:, 2:].sum(axis=1)])
    common = _non_negative(summed_states, spent, np.zeros(3), np.zeros(3))
    strengths = np.concatenate([[0.0, 0.0], np.full(counts.shape[1] - 2, TOWARDS_COMMON)])
    return _non_negative(counts, spent, np.concatenate([common[:2], np.full(len(strengths) - 2, common[2])]), strengths)


def _non_negative(counts: Floats, spent: Floats, wanted: Floats, drawn: Floats) -> Floats:
    """Least squares without negative costs; `drawn`: how strongly each is drawn towards `wanted`."""
    scale = np.maximum(np.sqrt((counts**2).sum(axis=0)), 1e-300)
    scaled = counts / scale
    gram = scaled.T @ scaled + np.diag(drawn)
    target = scaled.T @ spent + drawn * wanted * scale
    solution = wanted * scale
    for _ in range(20_000):
        before = solution.copy()
        for k in range(len(solution)):
            if gram[k, k] > 0:
                solution[k] = max(0.0, solution[k] + (target[k] - gram[k] @ solution) / gram[k, k])
        if np.abs(solution - before).max() <= 1e-12 * max(1.0, np.abs(solution).max()):
            break
    return np.asarray(solution / scale)


def _counted(run: OperatorRun, ends: Ints) -> Floats:
    """[n, 2 + T] by stretch: one call, its events, and the partial matches of each state that they meet."""
    rows, last_meetings, begin = [], np.zeros(len(run.account.moves), np.int64), 0
    for end in ends.tolist():
        run.advance(end)
        meetings = run.account.moves.sum(axis=1)
        rows.append([1, end - begin, *(meetings - last_meetings)])
        last_meetings, begin = meetings, end
    return np.array(rows, np.float64)


def _timed(run: OperatorRun, ends: Ints, now: Callable[[], int]) -> Floats:
    """[n] nanoseconds of each stretch."""
    spent = []
    for end in ends.tolist():
        begin = now()
        run.advance(end)
        spent.append(now() - begin)
    return np.array(spent, np.float64)


def _explained(counts: Floats, spent: Floats, costs: Floats) -> float:
    residuals, deviations = spent - counts @ costs, spent - spent.mean()
    return float(1 - (residuals @ residuals) / (deviations @ deviations)) if deviations.any() else 1.0


def _spread(values: Sequence[float]) -> TimeSpread:
    return TimeSpread(median(values), min(values), max(values))


def measured_shedding(now: Callable[[], int]) -> tuple[float, float, float, float]:
    """Nanoseconds of looking up one utility, of one comparison, of moving one partial match, of one random draw."""
    rng = np.random.default_rng(1)
    [table] = utility_tables([rng.random((100, 8))], [1 + rng.random((100, 8))], [1.0], [10])
    states, left = rng.integers(0, 8, SAMPLE), rng.uniform(0, 900, SAMPLE)
    utilities, rows = rng.random(SAMPLE), rng.integers(0, 9, (SAMPLE, 9))

    def least(work: Callable[[], object]) -> int:
        work()
        spent = []
        for _ in range(TRIES):
            begin = now()
            work()
            spent.append(now() - begin)
        return min(spent)

    return (
        least(lambda: _look_up(table.gain, table.price, table.size, states, left)) / SAMPLE,
        least(lambda: np.sort(utilities)) / (SAMPLE * SAMPLE.bit_length()),
        least(lambda: _move(rows)) / SAMPLE,
        least(lambda: by_chance(SAMPLE, SAMPLE // 2, 1, 1)) / SAMPLE,
    )


@njit(cache=True)
def _look_up(gain: Floats, price: Floats, size: int, states: Ints, left: Floats) -> float:
    total = 0.0
    for r in range(len(states)):
        total += utility_at(gain, price, size, states[r], left[r])
    return total


@njit(cache=True)
def _move(rows: Ints) -> None:
    """Moves each row to the place of the one before it, as dropping partial matches does."""
    for r in range(1, rows.shape[0]):
        for column in range(rows.shape[1]):
            rows[r - 1, column] = rows[r, column]
