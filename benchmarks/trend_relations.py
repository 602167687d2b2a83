"""The relations that GRETA's section 10 shows, measured again in one run: called by `benchmarks/trends.py`.

Four ways to one number, the trends S+ with S.price > NEXT(S).price in a window: this engine; the paper's own algorithm
(GRETA, Algorithm 2: every edge visited, counts in machine words that may wrap); two steps (our matcher lists every
trend, which are then counted); and DuckDB self-joins, one query for each length up to the longest trend, as Flink does
in the paper. Answers are compared wherever they are whole. A way stops where a point took more than LIMIT seconds, or
where the trends to list are too many. Times are CPU-seconds, least of some runs; memory is what the process's peak grew
by. Every relation is printed, and drawn into a folder.
"""

from __future__ import annotations

import gc
import gzip
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv
from numba import njit

import cep_core as cep
from cep_core.compile import compile_query
from cep_core.events.table import log_schema_of
from cep_core.language.evaluator import Ownership
from jobs.reports.figures.figure import Figure, drawn

Ints = npt.NDArray[np.int64]
Curves = dict[str, list[tuple[float, float]]]

LIMIT = 1.0
"""CPU-seconds after which a way is not asked for a larger point."""
MOST_TRENDS = 100_000
"""Trends that are listed, or joined, at most."""
COLOURS = {"this engine": "#1b6ca8", "every edge": "#c8553d", "two steps": "#6a994e", "self-joins": "#8d6a9f"}
NASDAQ = Path(os.environ.get("NASDAQ_TICKS", "data/nasdaq_2004/stock_data.csv.gz"))


@dataclass(frozen=True)
class Point:
    """What one way took for one input."""

    seconds: float
    peak: float
    """Bytes."""
    answer: int


@njit(cache=True)
def every_edge(price: Ints, factor: float, counts: Ints) -> int:
    """GRETA's Algorithm 2 over distinct times; wraps where counts outgrow a word."""
    final = 0
    for i in range(price.shape[0]):
        count = 1
        for j in range(i):
            if price[j] * factor > price[i]:
                count += counts[j]
        counts[i] = count
        final += count
    return final


def measured(run: Callable[[], int], times: int = 5) -> Point:
    """Least CPU time of some runs, and how much the resident memory of the process grew at its peak."""
    best, peak, answer = math.inf, 0.0, 0
    for number in range(times):
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before = _resident("VmRSS")
        begin = time.process_time()
        answer = run()
        best = min(best, time.process_time() - begin)
        peak = max(peak, _resident("VmHWM") - before)
        if number and best > LIMIT / 2:  # the first run may have compiled
            break
    return Point(max(best, 1e-6), max(peak, 4096.0), answer)


def _resident(name: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return float(line.split()[1]) * 1024
    raise ValueError(name)


def log_of(price: Ints, groups: int = 1) -> pa.Table:
    """One event a second."""
    n = len(price)
    return pa.table(
        {
            "event_type": pa.array(["S"] * n).dictionary_encode(),
            "ts": np.arange(n),
            "seq": np.arange(n),
            "price": price,
            "g": np.arange(n) % groups,
        }
    )


def ways(price: Ints, factor: float = 1.0, groups: int = 1) -> dict[str, Callable[[], int]]:
    """The four ways over one window."""
    log, n = log_of(price, groups), len(price)
    comparison = "S.price" if factor == 1.0 else f"S.price * {factor}"
    body = f"PATTERN S+ WHERE [g] AND {comparison} > NEXT(S).price"

    def engine() -> int:
        found = cep.aggregate(f"RETURN g, COUNT(*) {body} GROUP-BY g WITHIN {n}", log, exact=True, cores=1)
        return sum(int(digits) for digits in found["count_exact"].to_pylist())

    def edges() -> int:
        parts = (np.ascontiguousarray(price[g::groups]) for g in range(groups))
        return sum(int(every_edge(part, factor, np.zeros(len(part), np.int64))) for part in parts)

    def listed() -> int:
        return cep.match(f"{body} WITHIN {n}", log).num_rows

    def joins() -> int:
        base = duckdb.connect()
        base.execute("SET threads = 1")
        base.register("events", log)
        base.execute("CREATE TABLE s AS SELECT ts, price, g FROM events")
        total, length = 0, 1
        while True:
            pairs = range(1, length)
            on = " AND ".join(
                f"e{k}.ts < e{k + 1}.ts AND e{k}.g = e{k + 1}.g AND e{k}.price * {factor} > e{k + 1}.price"
                for k in pairs
            )
            tables = ", ".join(f"s e{k}" for k in range(1, length + 1))
            [count] = base.execute(f"SELECT count(*) FROM {tables} {'WHERE ' + on if on else ''}").fetchone()
            if count == 0:
                return total
            total += count
            length += 1

    return {"this engine": engine, "every edge": edges, "two steps": listed, "self-joins": joins}


def compare_ways(inputs: Sequence[tuple[float, Ints, float, int]], limits: dict[str, int]) -> tuple[Curves, Curves]:
    """Seconds and bytes of every way over inputs (x, prices, factor, groups); `limits`: largest input of a way."""
    times: Curves = {name: [] for name in COLOURS}
    bytes_of: Curves = {name: [] for name in COLOURS}
    stopped: set[str] = set()
    for x, price, factor, groups in inputs:
        runs = ways(price, factor, groups)
        trends = runs["this engine"]()
        for name, run in runs.items():
            enumerates = name in ("two steps", "self-joins")
            too_many = enumerates and trends > MOST_TRENDS
            if name in stopped or too_many or len(price) > limits.get(name, len(price)):
                continue
            point = measured(run)
            if name != "every edge" or trends < 2**63:
                assert point.answer == trends, (name, x, point.answer, trends)
            times[name].append((x, point.seconds))
            bytes_of[name].append((x, point.peak))
            if point.seconds > LIMIT and enumerates:
                stopped.add(name)
    return times, bytes_of


def positive(folder: Path) -> Iterator[str]:
    """Cost against events of a window; random prices, so that the number of trends explodes (XG1, XG2, XG5)."""
    random = np.random.default_rng(5)
    sizes = (10, 20, 30, 40, 50, 100, 300, 1_000, 3_000, 10_000, 30_000)
    inputs = [(float(n), random.permutation(n), 1.0, 1) for n in sizes]
    times, peaks = compare_ways(inputs, {"every edge": 30_000, "self-joins": 40})
    yield from _draw(
        folder,
        "trends-events",
        times,
        "events of the window",
        "CPU-seconds",
        f"n = {sizes[0]} to {sizes[-1]:,} events of one group",
    )
    yield from _draw(
        folder,
        "trends-memory",
        peaks,
        "events of the window",
        "bytes at the peak",
        f"n = {sizes[0]} to {sizes[-1]:,} events of one group",
    )
    ours, theirs = dict(times["this engine"]), dict(times["every edge"])
    for n in (1_000.0, 10_000.0, 30_000.0):
        yield f"{n:,.0f} events: every edge / this engine (exact) = {theirs[n] / ours[n]:.2f} x"
    for name in ("two steps", "self-joins"):
        n, spent = times[name][-1]
        last = f"the last before {MOST_TRENDS:,} trends or {LIMIT:.0f} s"
        yield f"{n:,.0f} events: {name} / this engine = {spent / ours[n]:,.1f} x; {last}"


def negative(folder: Path) -> Iterator[str]:
    """The same with a negated part (XG6): cuts leave fewer trends, so that listing costs less."""
    random = np.random.default_rng(6)
    curves: Curves = {}
    for label, pattern in (("S+, T", "SEQ(S+, T)"), ("S+, NOT N, T", "SEQ(S+, NOT N, T)")):
        for way in ("this engine", "two steps"):
            curves[f"{way}: {label}"] = points = []
            for n in (32, 48, 64, 96):
                log = log_of(random.permutation(n))
                kinds = np.array(["S", "S", "N", "T"])[np.arange(n) % 4]
                log = log.set_column(0, "event_type", pa.array(kinds).dictionary_encode())
                query = f"PATTERN {pattern} WHERE S.price > NEXT(S).price WITHIN {n}"
                counts = cep.aggregate(f"RETURN COUNT(*) {query}", log, cores=1)["count"].to_pylist()
                trends = int(counts[0]) if counts else 0
                if way == "two steps" and trends > MOST_TRENDS:
                    break
                if way == "two steps":
                    point = measured(lambda q=query, x=log: cep.match(q, x).num_rows)
                    assert point.answer == trends
                else:
                    point = measured(lambda q=query, x=log: cep.aggregate(f"RETURN COUNT(*) {q}", x, cores=1).num_rows)
                points.append((float(n), point.seconds))
    yield from _draw(
        folder,
        "trends-negation",
        curves,
        "events of the window",
        "CPU-seconds",
        "n = 32 to 96 events of one group, a quarter of them N",
    )
    with_, without = dict(curves["two steps: S+, NOT N, T"]), dict(curves["two steps: S+, T"])
    n = max(with_.keys() & without.keys())
    yield f"{n:.0f} events, two steps: without NOT / with NOT = {without[n] / with_[n]:.2f} x"


def selectivity(folder: Path) -> Iterator[str]:
    """Cost against how many pairs satisfy the comparison, 24 events a window (XG4, XG7)."""
    random = np.random.default_rng(7)
    price = random.integers(1, 10_000, 24)
    inputs = []
    for factor in (0.1, 0.4, 0.7, 1.0, 1.6):
        share = np.triu(price[:, None] * factor > price[None, :], 1).sum() / (24 * 23 / 2)
        inputs.append((round(100 * float(share), 1), price, factor, 1))
    times, _ = compare_ways(inputs, {})
    yield from _draw(
        folder,
        "trends-selectivity",
        times,
        "% of the pairs satisfy the comparison",
        "CPU-seconds",
        "n = 24 events of one group and window",
        log_x=False,
    )
    ours = [spent for _, spent in times["this engine"]]
    yield f"this engine, slowest / fastest selectivity = {max(ours) / min(ours):.2f} x"
    for name in ("two steps", "self-joins"):
        spent = [one for _, one in times[name]]
        ratio, last = max(spent) / min(spent), times[name][-1][0]
        yield f"{name}, slowest / fastest selectivity that finished = {ratio:.1f} x, up to {last} %"


def grouped(folder: Path) -> Iterator[str]:
    """Cost against the number of groups, 240 events a window (XG8)."""
    price = np.random.default_rng(8).permutation(240)
    times, _ = compare_ways([(float(g), price, 1.0, g) for g in (1, 6, 8, 12, 24, 60)], {"self-joins": 0})
    yield from _draw(folder, "trends-groups", times, "groups", "CPU-seconds", "n = 240 events of one window")
    ours = [spent for _, spent in times["this engine"]]
    yield f"this engine, slowest / fastest number of groups = {max(ours) / min(ours):.2f} x"
    spent = [one for _, one in times["two steps"]]
    if spent:
        fewest = times["two steps"][0][0]
        ratio = max(spent) / min(spent)
        yield f"two steps, most / fewest trends that finished = {ratio:.1f} x, from {fewest:.0f} groups"


def forms() -> Iterator[str]:
    """Ten forms of Q1 over NASDAQ's ticks (XG3, XG4), exact, or over random walks where the file is not there."""
    if NASDAQ.exists():
        with gzip.open(NASDAQ) as file:
            ticks = pyarrow.csv.read_csv(file)
        events = pa.table(
            {
                "event_type": pa.array(["Stock"] * len(ticks)).dictionary_encode(),
                "ts": ticks["stock_time"],
                "company": ticks["name"].combine_chunks(),
                "price": ticks["price"],
            }
        )
        what = "NASDAQ ticks"
    else:
        random = np.random.default_rng(1)
        n = 225_000
        company = random.integers(0, 10, n)
        walk = 10_000 + np.cumsum(random.integers(-1, 2, n))
        kinds = pa.array(["Stock"] * n).dictionary_encode()
        ts = np.sort(random.integers(0, 46_800_000, n))
        events = pa.table({"event_type": kinds, "ts": ts, "company": company, "price": walk / 100})
        what = "random walks"
    for operator in (">", "<"):
        for factor in (1, 1.05, 1.1, 1.15, 1.2):
            log = events if factor == 1 else events.slice(0, 10_000)
            side = "S.price" if factor == 1 else f"S.price * {factor}"
            query = f"""RETURN company, COUNT(*) PATTERN Stock S+ WHERE [company] AND {side} {operator} NEXT(S).price
                        GROUP-BY company WITHIN 10 minutes SLIDE 10 seconds"""
            begin = time.process_time()
            rows = cep.aggregate(query, log, unit="ms", cores=1)
            spent = time.process_time() - begin
            largest = max((x for x in rows["count_log10"].to_pylist() if x is not None), default=0.0)
            yield (
                f"Q1, {what}, {side} {operator} NEXT: {log.num_rows:,} events in {spent:.2f} CPU-s, "
                f"{log.num_rows / spent / 1e6:.3f} M events/s, 60 windows over an event, largest count 10^{largest:.1f}"
            )


def scale() -> Iterator[str]:
    """Up to 10 M generated events without a group: growth, memory, parts by time, two cores."""
    query = "RETURN COUNT(*), SUM(A.x), MIN(A.x) PATTERN (SEQ(A+, B))+ WITHIN 40"
    spent, peaks, sizes = [], [], (10_000, 100_000, 1_000_000, 10_000_000)
    for n in sizes:
        random = np.random.default_rng(n)
        kinds = pa.DictionaryArray.from_arrays(pa.array(random.integers(0, 2, n).astype(np.int8)), pa.array(["A", "B"]))
        log = pa.table({"event_type": kinds, "ts": np.arange(n), "seq": np.arange(n), "x": random.integers(0, 99, n)})
        point = measured(lambda x=log: cep.aggregate(query, x, cores=1).num_rows)
        spent.append(point.seconds)
        peaks.append(point.peak)
        rate, size = n / point.seconds / 1e6, point.peak / n
        yield f"{n:,} events, table to table: {rate:.2f} M events a CPU-s, {size:,.0f} bytes an event at the peak"
    slope = float(np.polyfit(np.log(sizes), np.log(spent), 1)[0])
    yield f"growth exponent from {sizes[0]:,} to {sizes[-1]:,} events: {slope:.2f}"
    evaluator = compile_query(query, log_schema_of(log))

    def sliced(events: pa.Table, limit: int = 1_000_000) -> int:
        partials = []
        for begin in range(0, events.num_rows, limit):
            low = max(0, begin - 40)
            own = Ownership(days=(begin, begin + limit + (40 if begin + limit >= events.num_rows else 0)))
            partials += evaluator.evaluate(events.slice(low, begin + limit - low), own)
        return evaluator.merge(partials).num_rows

    small, large = (measured(lambda k=k: sliced(log.slice(0, k)), 1) for k in (1_000_000, 10_000_000))
    yield (
        f"row limit of 1,000,000: 10 times the events take {large.peak / small.peak:.1f} times the memory "
        f"({small.peak / 1e6:,.0f} and {large.peak / 1e6:,.0f} MB; whole: {peaks[-1] / 1e6:,.0f} MB)"
    )
    walls = {}
    for cores in (1, 2):
        begin = time.perf_counter()
        cep.aggregate(
            "RETURN COUNT(*) PATTERN A+ WHERE A.x < NEXT(A).x WITHIN 4000 SLIDE 400", log.slice(0, 300_000), cores=cores
        )
        walls[cores] = time.perf_counter() - begin
    yield f"no group, compared, 10 windows over an event: wall of one core / of two = {walls[1] / walls[2]:.2f} x"


def _draw(folder: Path, name: str, curves: Curves, x: str, y: str, n: str, *, log_x: bool = True) -> Iterator[str]:
    """Write a figure of the curves; says which."""

    def draw(axes, narrow: bool) -> None:
        for number, (label, points) in enumerate(curves.items()):
            if points:
                colour = COLOURS.get(label, list(COLOURS.values())[number % len(COLOURS)])
                axes.plot(*zip(*points, strict=True), marker="o", markersize=3, label=label, color=colour)
        axes.set_yscale("log")
        if log_x:
            axes.set_xscale("log")
        axes.set_xlabel(f"{x} ({n})")
        axes.set_ylabel(y)
        axes.legend()

    rows = [(label, *point) for label, points in curves.items() for point in points]
    figure = Figure(name, f"{y} against {x}", f"{n}; one run", ("way", x, y), rows, draw, height=(3.2, 3.2))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.svg").write_text(drawn(figure, narrow=False))
    yield f"drawn: {folder / name}.svg"


RELATIONS = (positive, negative, selectivity, grouped)
