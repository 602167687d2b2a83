"""Counting without listing, beside a naive engine that keeps every run: what windows, relevance and length cost.

`matching.py` runs it. The naive engine is SASE's, compiled as well; it stops where too many runs are alive. Answers are
compared, and curves are drawn (`pictures`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from kleene import logs
from kleene.answers import EVENTS, RISING, matched, seconds, short, total_of
from kleene.pictures import draw
from kleene.relations import said
from numba import njit

from cep_core.arrays import Ints

MOST_RUNS = 5_000_000


@njit(cache=True)
def naive_runs(kind: Ints, ts: Ints, x: Ints, width: int, start: Ints, last: Ints) -> tuple[int, int]:
    """SASE's runs one by one: each b clones every run that it may extend. Returns matches (-1: too many) and runs."""
    runs = 0
    matches = 0
    started = 0
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
                return -1, started
            start[runs] = start[r] if kind[i] == 1 else ts[i]
            last[runs] = x[i] if kind[i] == 1 else -1
            runs += 1
            started += 1
    return matches, started


def against_runs(events: pa.Table, width: int, size: int) -> tuple[float, float]:
    """Prints a line: counting, and the naive engine on the same events. Returns both rates; 0 if naive stopped."""
    kinds = {"A": 0, "B": 1, "C": 2}
    kind = np.array([kinds.get(name, -1) for name in events.column("event_type").to_pylist()], np.int64)
    ts, x = events.column("ts").to_numpy(), events.column("x").to_numpy()
    runs = np.empty(MOST_RUNS, np.int64), np.empty(MOST_RUNS, np.int64)
    query = RISING.format(strategy="skip_till_any_match", width=width)
    table, ours = seconds(lambda: matched(events, query))
    (naive, started), theirs = seconds(lambda: naive_runs(kind, ts, x, width, *runs))
    if naive >= 0 and naive != total_of(table):
        raise AssertionError(f"naive {naive}, counted {total_of(table)}")
    stopped = f"{'-':>12} {started:>14,}  stopped at {MOST_RUNS:,} runs alive"
    finished = f"{size / theirs:>12,.0f} {started:>14,} {theirs / ours:>8.1f} x"
    print(f"{width:>8} {short(total_of(table)):>18} {size / ours:>12,.0f} {finished if naive >= 0 else stopped}")
    return size / ours, size / theirs if naive >= 0 else 0.0


def _draw(name: str, x: str, places: Sequence[float], rates: Sequence[tuple[float, float]]) -> None:
    """Draws our rates, and those of the naive engine up to where it stopped."""
    points = list(zip(places, rates, strict=True))
    ours = [(place, rate) for place, (rate, _) in points]
    runs = [(place, rate) for place, (_, rate) in points if rate]
    draw(name, "events/s", x, {"this engine, table to count": ours, "every run kept, compiled": runs}, log_x=True)


def counting() -> None:
    print(f"\nCounting, {EVENTS:,} events, 12 % relevant, SEQ(A, B+, C) with rising values, skip till any match")
    print(f"{'window':>8} {'matches':>18} {'events/s':>12} {'naive ev/s':>12} {'naive runs':>14}  naive time / ours")
    events = logs.abc(EVENTS, 0.12)
    windows = (25, 50, 100, 200, 400, 1000)
    rates = [against_runs(events, width, EVENTS) for width in windows]
    _draw("matching-windows", "window (events)", windows, rates)
    fall, runs_fall = rates[0][0] / rates[-1][0], rates[0][1] / rates[-2][1]
    numbers = f"{fall:.1f} x slower at 1000 than at 25, runs {runs_fall:,.0f} x slower at 400 and stopped at 1000"
    said("nearly flat in the window, where runs fall fast", fall < 3 < 100 < runs_fall, numbers)
    few = 100_000
    against_runs(logs.abc(few, 0.12), 10_000, few)
    print("and by the share of relevant events, window 100")
    rates, shares = [], (0.001, 0.01, 0.1, 0.2)
    for relevant in shares:
        print(f"{relevant:>8.1%}", end="")
        rates.append(against_runs(logs.abc(EVENTS, relevant), 100, EVENTS))
    _draw("matching-relevant", "share of relevant events", shares, rates)
    fall, runs_fall = (first / last for first, last in zip(rates[0], rates[-1], strict=True))
    said("matches an event make runs fall faster", fall < runs_fall, f"{fall:.1f} x against {runs_fall:,.0f} x")
    print("and by the length of the input, window 100")
    rates, sizes = [], (10_000, 100_000, 1_000_000)
    for size in sizes:
        print(f"{size:>9,}", end="")
        rates.append(against_runs(logs.abc(size, 0.12), 100, size))
    _draw("matching-lengths", "events of the log", sizes, rates)
    first, last = rates[0][0], rates[-1][0]
    said(
        "flat in the length of the input", last > 0.8 * first, f"{last / first:.1f} x the rate at 100 times the length"
    )
