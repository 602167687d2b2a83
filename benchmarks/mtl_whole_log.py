"""The whole-log engine of propositional policies, measured: `python benchmarks/mtl_whole_log.py [--points N]`.

Kernels alone, beside `np.bitwise_and` over as many bytes; then whole evaluations: constants of intervals from 1 to
10,000 at one rate, in turns, and one log beside sub-logs of ten points; then the grouping of events into sub-logs.
Times are the least process time of some runs. No assertion on time.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags
from cep_core.compile import parse_text
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.monitoring.propositional.arrays.columns import PointColumns
from cep_core.monitoring.propositional.arrays.points import trace_of
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.evaluation import truths
from cep_core.monitoring.propositional.kernels.carries import since_within, until_within
from cep_core.monitoring.propositional.kernels.layout import columns_of
from cep_core.monitoring.propositional.kernels.pointers import since_between, until_between

RATES = (1, 100, 100_000)
"""Points a stamp."""
GROWTH_RATES = (1, 10, 100, 1000)
"""Points a stamp, of which the last two are rates of checklist rows X12 and X13."""
SHARES = {"left nearly always": (0.99, 0.01), "even": (0.5, 0.5)}
CONSTANTS = (1, 100, 10_000)
ROUNDS = 9
RECOVERY = "q IMPLIES EVENTUALLY[0,{0}] (ALWAYS[0,{0}] (NOT q))"
BETWEEN = "p SINCE[{0},{1}] q"


def seconds(run: Callable[[], object]) -> float:
    """The least process time of three runs."""
    best = math.inf
    for _ in range(3):
        best = min(best, timed_once(run))
    return best


def alternated(runs: Sequence[Callable[[], object]]) -> list[float]:
    """The least process time of each run, after one more of all; they take turns, so that a busy machine slows all."""
    times = [[timed_once(run) for run in runs] for _ in range(ROUNDS + 1)][1:]
    return [min(own) for own in zip(*times, strict=True)]


def timed_once(run: Callable[[], object]) -> float:
    begin = time.process_time()
    run()
    return time.process_time() - begin


def policy_of(text: str, *, split: bool = False) -> PropositionalPolicy:
    """Over the event types p and q, which carry a key."""
    own = {"key": Attribute("key", AttributeType.INT)}
    bound = parse_text(f"{'-- for each: key' if split else ''}\n{text}", "policy.mtl").bind(
        LogSchema({"p": own, "q": own})
    )
    policy = bound.query
    assert isinstance(policy, PropositionalPolicy)
    return policy


def random_trace(points: int, rate: int, shares: tuple[float, float], logs: int = 1) -> Trace:
    random = np.random.default_rng(7)
    atoms = {name: random.random(points) < share for name, share in zip("pq", shares, strict=True)}
    stamps = np.arange(points) // rate if logs == 1 else np.arange(points) % (points // logs)
    return Trace(stamps, atoms, np.linspace(0, points, logs + 1).astype(np.int64))


def kernels(points: int) -> None:
    """Rates of the kernels, in points by second."""
    letters = np.ones(points, np.uint8)
    conjunction = seconds(lambda: np.bitwise_and(letters, letters, out=letters))
    print(f"np.bitwise_and over bytes: {points / conjunction / 1e6:,.0f} M/s")
    for name, shares in SHARES.items():
        for rate in RATES:
            trace = random_trace(points, rate, shares)
            [columns] = columns_of(trace, 1000)
            print(f"{name}, {rate:,} points a stamp, M points/s (times np.bitwise_and):")
            for interval in ((0, 5), (0, 1000), (2, 6)):
                rates = [points / second / 1e6 for second in timed(columns, trace, *interval)]
                said = ", ".join(f"{rate:,.0f} ({rate * conjunction / points * 1e6:.3f})" for rate in rates)
                print(f"  SINCE, UNTIL [{interval[0]},{interval[1]}]: {said}")


def timed(columns: PointColumns, trace: Trace, low: int, high: int) -> tuple[float, float]:
    """Seconds of SINCE and of UNTIL."""
    left, right = (columns.packed(trace.atoms[name]) for name in "pq")
    if low == 0:
        times = columns.of_words
        return (
            seconds(lambda: since_within(left, right, columns.first, times, high)),
            seconds(lambda: until_within(left, right, columns.last, times, high)),
        )
    flags: list[Flags] = [columns.at_places(column) for column in (left, right)]
    held = np.empty(columns.places, np.bool_)
    return (
        seconds(lambda: since_between(*flags, columns.starts, columns.times, (low, high), held)),
        seconds(lambda: until_between(*flags, columns.starts, columns.times, (low, high), held)),
    )


def growth(points: int) -> None:
    """Whole evaluations, relative to the first of each kind."""
    for text in (RECOVERY, BETWEEN):
        cores = [policy_of(text.format(constant, 2 * constant)).core for constant in CONSTANTS]
        for rate in GROWTH_RATES:
            trace = random_trace(points, rate, (0.9, 0.1))
            spent = alternated([partial(truths, core, trace) for core in cores])
            ratios = ", ".join(f"{taken / spent[0]:.2f}" for taken in spent)
            fast = f"{points / spent[0] / 1e6:.0f} M points/s"
            print(f"{text}, {rate:,} points a stamp: {fast}; constants {CONSTANTS}: {ratios}")
        whole, many = (
            seconds(partial(truths, cores[1], random_trace(points, 1, (0.9, 0.1), logs))) for logs in (1, points // 10)
        )
        print(f"  {points // 10:,} sub-logs of ten points: {many / whole:.2f} times one log")


def grouping(events: int) -> None:
    """Events with a key to traces of sub-logs."""
    random = np.random.default_rng(7)
    policy = policy_of(RECOVERY.format(100), split=True)
    for keys in (3, 1000, events // 10):
        columns = {"ts": np.arange(events) // 2, "seq": np.arange(events), "key": random.integers(0, keys, events)}
        kinds = np.array(["p", "q"])[random.integers(0, 2, events)]
        table = pa.table({"event_type": pa.array(kinds), **columns})
        rate = events / seconds(partial(trace_of, policy, table)) / 1e6
        print(f"grouping {events:,} events by {keys:,} keys: {rate:.1f} M events/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=10_000_000)
    points = parser.parse_args().points
    kernels(points)
    growth(points)
    grouping(points)


if __name__ == "__main__":
    main()
