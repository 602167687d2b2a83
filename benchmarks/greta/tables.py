"""Whole queries of trend aggregation, from an Arrow table to an Arrow table: GRETA's three queries, and growing logs.

The first call of a process takes longer than any later one, because it reads the grammar and the machine code of every
kernel from the cache. Both times are printed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from greta import logs as trend_logs
from greta.measures import Row, exponent, measured, seconds

import cep_core as cep
from cep_core.compile import compile_query
from cep_core.events.table import log_schema_of
from cep_core.language.evaluator import Ownership

FACTORS = (1, 1.05, 1.1, 1.15, 1.2)
EXACT_TICKS = 0.25
"""The target for Q1 over the ticks of one day, every digit exact, in CPU-seconds."""
FIRST = """
import sys, time
sys.path.insert(0, {folder!r})
from greta import tables
name, log = tables.trend_logs.stock()
begin = time.process_time()
tables.cep.aggregate(tables.Q1.format(test="S.price > NEXT(S).price"), log, unit="ms", cores=1)
print(time.process_time() - begin)
"""

Q1 = """RETURN company, COUNT(*) PATTERN Stock S+ WHERE [company] AND {test}
        GROUP-BY company WITHIN 10 minutes SLIDE 10 seconds"""
Q2 = """RETURN mapper, COUNT(*), SUM(M.cpu) PATTERN SEQ(Start S, Measurement M+, End E)
        WHERE [job, mapper] AND {test} GROUP-BY mapper WITHIN 1 minute SLIDE 30 seconds"""
Q3 = """RETURN segment, COUNT(*), AVG(P.speed) PATTERN SEQ(NOT Accident A, Position P+)
        WHERE [P.vehicle, segment] AND {test} GROUP-BY segment WITHIN 5 minutes SLIDE 1 minute"""


def negated(sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)) -> Iterator[Row | str]:
    """Negation from table to table: paper 03's nested one in short windows, and a sequence in one growing window."""

    def events(n: int, types: str) -> pa.Table:
        kinds = pa.array(np.random.default_rng(n).integers(0, len(types), n).astype(np.int8))
        names = pa.DictionaryArray.from_arrays(kinds, pa.array(list(types)))
        return pa.table({"event_type": names, "ts": np.arange(n), "seq": np.arange(n)})

    n = sizes[-1]
    log = events(n, "AABBCDE")
    for pattern in ("(SEQ(A+, B))+", "(SEQ(A+, NOT SEQ(C, NOT E, D), B))+", "SEQ(NOT E, A+)", "SEQ(A+, NOT E)"):
        query = f"RETURN COUNT(*) PATTERN {pattern} WITHIN 40"
        spent = seconds(lambda q=query, x=log: cep.aggregate(q, x))
        yield Row(f"table to table, tumbling, {pattern}", n / spent / 1e6)
    times = []
    for size in sizes:
        query = f"RETURN COUNT(*) PATTERN SEQ(A, NOT SEQ(C, D), B) WITHIN {size}"
        log = events(size, "AAAABBBBCD")
        times.append(seconds(lambda q=query, x=log: cep.aggregate(q, x)))
        label = f"table to table, SEQ(A, NOT SEQ(C, D), B), {size:,} events in a window"
        yield Row(label, size / times[-1] / 1e6)
    yield Row("growth exponent of a negated sequence", exponent(sizes[1:], times[1:]), "")


def exact_ticks() -> Iterator[Row | str]:
    """Q1 over one day of ticks, every digit exact: the least of some calls, and the first call of a new process."""
    name, log = trend_logs.stock()
    for operator in (">", "<"):
        query = Q1.format(test=f"S.price {operator} NEXT(S).price")
        spent = seconds(lambda q=query: cep.aggregate(q, log, unit="ms", cores=1), 5)
        label = f"Q1 over {log.num_rows:,} of {name}, S.price {operator} NEXT(S).price, exact, table to table"
        yield Row(label, spent, "CPU-s", EXACT_TICKS)
    script = FIRST.format(folder=str(Path(__file__).parents[1]))
    first = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    yield Row("the same, the first call of a process, kernels compiled before", float(first.stdout), "CPU-s")


def forms() -> Iterator[Row | str]:
    """GRETA's three queries in ten forms each (section 10.1), exact, with 60, 2 and 5 windows over an event."""
    name, ticks = trend_logs.stock()
    logs = (
        (Q1, "S.price", name, ticks, "ms"),
        (Q2, "M.load", "cluster measurements", trend_logs.cluster(30_000, 10, 100, 100), "s"),
        (Q3, "P.speed", "position reports", trend_logs.linear_road(1_000, 60, 100, 20), "s"),
    )
    for query, value, what, whole, unit in logs:
        for operator in (">", "<"):
            for factor in FACTORS:
                log = whole if factor == 1 or query != Q1 else whole.slice(0, 10_000)
                side = value if factor == 1 else f"{value} * {factor}"
                test = f"{side} {operator} NEXT({value[0]}).{value[2:]}"
                text = query.format(test=test)
                rows = cep.aggregate(text, log, unit=unit, cores=1)
                spent = seconds(lambda q=text, x=log, u=unit: cep.aggregate(q, x, unit=u, cores=1), 1)
                largest = max((x for x in rows["count_log10"].to_pylist() if x is not None), default=0.0)
                yield (
                    f"{test} over {log.num_rows:,} {what}: {log.num_rows / spent / 1e6:.2f} M events/s, "
                    f"{rows.num_rows:,} rows, largest count 10^{largest:.1f}"
                )


def google() -> Iterator[Row | str]:
    """Tasks of Google's cluster that are evicted again and again between a start and an end, by job."""
    log = trend_logs.tasks()
    if log is None:
        yield "Google's cluster of 2011: not beside the repository"
        return
    query = """RETURN job, COUNT(*), COUNT(E) PATTERN SEQ(Schedule S, Evict E+, Finish F) WHERE [job]
               GROUP-BY job WITHIN 5000"""
    rows = cep.aggregate(query, log, cores=1).num_rows
    spent = seconds(lambda: cep.aggregate(query, log, cores=1))
    yield Row(
        f"Google's cluster, {log.num_rows:,} events, {rows:,} jobs: scheduled, evicted+, finished",
        log.num_rows / spent / 1e6,
    )


def whole_query(n: int = 200_000) -> Iterator[Row | str]:
    """Q1 over random walks of ten companies, 60 windows over an event; counts outgrow a word in two of five windows."""
    random = np.random.default_rng(1)
    company = random.integers(0, 10, n)
    price = np.zeros(n, dtype=np.int64)
    for number in range(10):
        rows = np.flatnonzero(company == number)
        price[rows] = 10_000 + np.cumsum(random.integers(-1, 2, len(rows)))
    columns = {
        "event_type": pa.array(["Stock"] * n).dictionary_encode(),
        "ts": np.sort(random.integers(0, 23_400, n)),
        "company": company,
        "price": price,
    }
    events = pa.table(columns)
    spent = seconds(lambda: cep.aggregate(Q1.format(test="S.price > NEXT(S).price"), events))
    yield Row("Q1 over random walks, exact, table to table", n / spent / 1e6)


def scale() -> Iterator[Row | str]:
    """Up to 10 M generated events without a group: growth, memory, cuts by time, two cores."""
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
    slope = exponent(sizes, spent)
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


TABLES = (negated, whole_query, exact_ticks, forms, google, scale)
