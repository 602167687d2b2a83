"""Kleene matching, measured in one run: `python benchmarks/matching.py`.

Events and matches a CPU-second of one core, and the ratio to a naive engine that keeps every run (compiled as well), on
SEQ(A, B+, C) with rising values: 12 % relevant events, windows of growing length. Ours is timed from the Arrow table to
the result, filtering included, the naive engine on arrays alone. Its answer is compared on the way; where its runs
outgrow memory it stops and says so. Times are process time of a second run, after the kernels are compiled. No
assertion on time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import njit

from cep_core.compile import compile_query
from cep_core.events.table import log_schema_of, order

Ints = npt.NDArray[np.int64]
T = TypeVar("T")

EVENTS = 300_000
MOST_RUNS = 5_000_000
QUERY = "PATTERN SEQ(A a, B+ b[], C c) WHERE {strategy} {{ b[i].x >= b[i-1].x }} WITHIN {width}"


@njit(cache=True)
def naive_runs(kind: Ints, ts: Ints, x: Ints, width: int, start: Ints, last: Ints) -> tuple[int, int]:
    """SASE's runs one by one: each b clones every run that it may extend. Matches (-1: too many runs), runs made."""
    runs = 0
    matches = 0
    made = 0
    for i in range(kind.shape[0]):
        if kind[i] < 0:
            continue
        alive = 0
        for r in range(runs):
            if start[r] >= ts[i] - width:
                start[alive], last[alive] = start[r], last[r]
                alive += 1
        runs = alive
        if kind[i] == 2:
            for r in range(runs):
                matches += last[r] >= 0
            continue
        for r in range(alive if kind[i] == 1 else 1):
            if kind[i] == 1 and last[r] > x[i]:
                continue
            if runs == start.shape[0]:
                return -1, made
            start[runs] = start[r] if kind[i] == 1 else ts[i]
            last[runs] = x[i] if kind[i] == 1 else -1
            runs += 1
            made += 1
    return matches, made


def log(relevant: float) -> pa.Table:
    """Events one unit apart; of the relevant ones 11 % are A, 78 % B, 11 % C."""
    rng = np.random.default_rng(7)
    shares = np.array([0.11, 0.78, 0.11]) * relevant
    kinds = rng.choice(np.array(["A", "B", "C", "X"]), EVENTS, p=[*shares, 1 - relevant])
    return order(pa.table({"event_type": kinds, "ts": np.arange(EVENTS), "x": rng.integers(0, 1000, EVENTS)}))


def seconds(run: Callable[[], T]) -> tuple[T, float]:
    """The answer and the process time of a second run."""
    run()
    begin = time.process_time()
    answer = run()
    return answer, max(time.process_time() - begin, 1e-9)


def matched(events: pa.Table, width: int, *, strategy: str = "skip_till_any_match", most: int | None = 0) -> pa.Table:
    query = QUERY.format(strategy=strategy, width=width)
    evaluator = compile_query(query, log_schema_of(events), max_matches=most)
    return evaluator.merge(evaluator.evaluate(events))


def compare_with_runs(events: pa.Table, width: int) -> None:
    """One line: counting, and the naive engine on the same events."""
    kinds = {"A": 0, "B": 1, "C": 2}
    kind = np.array([kinds.get(name, -1) for name in events.column("event_type").to_pylist()], np.int64)
    ts, x = events.column("ts").to_numpy(), events.column("x").to_numpy()
    runs = np.empty(MOST_RUNS, np.int64), np.empty(MOST_RUNS, np.int64)
    table, ours = seconds(lambda: matched(events, width))
    (naive, made), theirs = seconds(lambda: naive_runs(kind, ts, x, width, *runs))
    total = table.schema.metadata[b"matches_total"].decode()
    if naive >= 0 and str(naive) != total:
        raise AssertionError(f"naive {naive}, counted {total}")
    stopped = f"{'-':>12} {made:>14,}  stopped at {MOST_RUNS:,} runs alive"
    finished = f"{EVENTS / theirs:>12,.0f} {made:>14,} {theirs / ours:>8.1f} x"
    number = total if len(total) < 12 else f"{total[0]}.{total[1:3]}e{len(total) - 1}"
    print(f"{width:>8} {number:>12} {EVENTS / ours:>12,.0f} {finished if naive >= 0 else stopped}")


def main() -> None:
    events = log(0.12)
    print(f"{EVENTS:,} events, 12 % relevant, SEQ(A, B+, C) with rising values, skip till any match")
    print(f"{'window':>8} {'matches':>12} {'events/s':>12} {'naive ev/s':>12} {'naive runs':>14}  naive time / ours")
    for width in (25, 50, 100, 200, 400, 1000):
        compare_with_runs(events, width)
    print("\nlisting every match")
    for width in (50, 100, 200):
        table, spent = seconds(partial(matched, events, width, most=None))
        print(f"{width:>8} {table.num_rows:>12,} matches {table.num_rows / spent:>12,.0f} matches/s")
    print("\none match for each start")
    for strategy in ("skip_till_next_match", "strict_contiguity"):
        table, spent = seconds(partial(matched, events, 1000, strategy=strategy, most=None))
        print(f"{strategy:>24} {table.num_rows:>8,} matches {EVENTS / spent:>12,.0f} events/s")


if __name__ == "__main__":
    main()
