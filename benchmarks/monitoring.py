"""Monitoring first-order policies, measured in one run: `python benchmarks/monitoring.py [--events N]`.

Paper 01's star, linear and triangle over its generated log, with values from a large and from a small domain, one or a
thousand time-points a unit of time, and Zipf-distributed values; then a text log, and growth. Each is asked of the
engine on points that are ready, of `cep.monitor` from a table, and of DuckDB and Polars on one thread, as joins with
equal answers (but for Zipf, where their joins would not end). Times are the least process time of three runs. No
assertion on time.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable, Iterator

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import duckdb
import polars as pl
import pyarrow as pa

import cep_core as cep
from cep_core.compile import parse_text
from cep_core.events.logs import monpoly
from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.signature import parse_signature
from cep_core.events.logs.time_points import OFFSET, offsets_of, point_log_of
from cep_core.events.table import log_schema_of
from cep_core.experiments.generators.joins import JoinStream, generate
from cep_core.monitoring.first_order.evaluation import satisfied
from cep_core.monitoring.first_order.evaluator import PolicyEvaluator

Columns = dict[tuple[str, str], str]
"""The column of an atom's variable."""

ATOMS = {"star": ("ab", "ac", "ad"), "linear": ("ab", "bc", "cd"), "triangle": ("ab", "bc", "ca")}
"""The variables of P, Q and R."""
LOGS = {
    "uniform, domain 1e9": {},
    "uniform, domain 1e5": {"domain": 10**5},
    "domain 1e9, 1000 points a unit": {"index_rate": 1000},
    "Zipf 2 on the first variable": {"zipf": {"a": 2.0}},
}
WINDOW = 10


def formula_of(name: str) -> str:
    """The published formula, by attributes (paper 01, Fig. 6)."""
    p, q, r = (f"{kind}(first={own[0]}, second={own[1]})" for kind, own in zip("PQR", ATOMS[name], strict=True))
    return f"((ONCE[0,{WINDOW}) {p}) AND {q}) AND EVENTUALLY[0,{WINDOW}) {r}"


def seconds(run: Callable[[], object]) -> float:
    """The least process time of three runs."""
    best = math.inf
    for _ in range(3):
        begin = time.process_time()
        run()
        best = min(best, time.process_time() - begin)
    return best


def columns_of(name: str) -> Columns:
    kinds = zip("PQR", ATOMS[name], strict=True)
    return {
        (kind, variable): place for kind, own in kinds for variable, place in zip(own, ("first", "second"), strict=True)
    }


def duckdb_query(name: str) -> str:
    """The same verdicts as a join."""
    columns = columns_of(name)

    def equal(left: str, right: str) -> list[str]:
        shared = [v for v in "abcd" if (left, v) in columns and (right, v) in columns]
        return [f"{left}.{columns[left, v]} = {right}.{columns[right, v]}" for v in shared]

    table = {kind: f"(SELECT * FROM log WHERE event_type = '{kind}') {kind}" for kind in "PQR"}
    with_q = [*equal("P", "Q"), "P.point <= Q.point", f"Q.ts - P.ts < {WINDOW}"]
    with_r = [*equal("Q", "R"), *equal("P", "R"), "R.point >= Q.point", f"R.ts - Q.ts < {WINDOW}"]
    variables = dict.fromkeys("".join(ATOMS[name]))
    shown = ", ".join(next(f"{kind}.{columns[kind, v]}" for kind in "PQR" if (kind, v) in columns) for v in variables)
    joined = f"{table['P']} JOIN {table['Q']} ON {' AND '.join(with_q)} JOIN {table['R']} ON {' AND '.join(with_r)}"
    return f"SELECT count(*) FROM (SELECT DISTINCT Q.point, {shown} FROM {joined})"


def by_duckdb(name: str, log: pa.Table) -> int:
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.register("log", log)
    row = connection.execute(duckdb_query(name)).fetchone()
    assert row is not None
    return int(row[0])


def by_polars(name: str, log: pa.Table) -> int:
    columns = columns_of(name)
    events = pl.from_arrow(log)
    assert isinstance(events, pl.DataFrame)

    def of(kind: str) -> pl.DataFrame:
        own = {place: variable for (atom, variable), place in columns.items() if atom == kind}
        named = {**own, "ts": f"ts_{kind}", "point": f"point_{kind}"}
        return events.filter(pl.col("event_type") == kind).select(*named).rename(named)

    def joined(left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
        return left.join(right, on=[name for name in left.columns if name in right.columns])

    pairs = joined(of("P"), of("Q")).filter(
        (pl.col("point_P") <= pl.col("point_Q")) & (pl.col("ts_Q") - pl.col("ts_P") < WINDOW)
    )
    triples = joined(pairs, of("R")).filter(
        (pl.col("point_R") >= pl.col("point_Q")) & (pl.col("ts_R") - pl.col("ts_Q") < WINDOW)
    )
    return triples.select("point_Q", *dict.fromkeys("".join(ATOMS[name]))).unique().height


def ready(name: str, log: pa.Table) -> tuple[PolicyEvaluator, PointLog]:
    """The compiled formula, and the log as points."""
    schema = log_schema_of(log)
    evaluator = PolicyEvaluator(parse_text(formula_of(name), "p.mfotl").bind(schema).query)
    offset = pa.array(offsets_of(log, "point"))
    return evaluator, point_log_of(log.append_column(OFFSET, offset), evaluator.looked_at)


def rates(count: int) -> Iterator[str]:
    """A row for each formula and log."""
    yield "| formula | log | verdicts | engine, M events/s | cep.monitor | engine / DuckDB | engine / Polars |"
    yield "|---|---|---|---|---|---|---|"
    for label, how in LOGS.items():
        for name in ATOMS:
            stream = JoinStream(name, 1, event_rate=count // 60, rate_p=1 / 3, rate_q=1 / 3, **how)  # type: ignore[arg-type]
            log = generate(stream)
            evaluator, points = ready(name, log)
            policy = evaluator.policy
            kernel = seconds(lambda: satisfied(policy.core, points, policy.types))  # noqa: B023
            table = seconds(lambda: cep.monitor(formula_of(name), None, log, end="closed"))  # noqa: B023
            verdicts = cep.monitor(formula_of(name), None, log, end="closed")
            assert isinstance(verdicts, pa.Table)
            ratios = "- | -"
            if not stream.zipf:  # a join of a heavy value with itself, before time is looked at, would not end
                assert by_duckdb(name, log) == verdicts.num_rows == by_polars(name, log)
                rivals = (seconds(lambda: rival(name, log)) for rival in (by_duckdb, by_polars))  # noqa: B023
                ratios = " | ".join(f"{rival / kernel:.2f}" for rival in rivals)
            measured = f"{count / kernel / 1e6:.1f} | {count / table / 1e6:.1f} | {ratios}"
            yield f"| {name} | {label} | {verdicts.num_rows:,} | {measured} |"


def texts(count: int) -> Iterator[str]:
    """From the text of a log to verdicts."""
    log = generate(JoinStream("star", 1, event_rate=count // 60, rate_p=1 / 3, rate_q=1 / 3))
    rows = zip(*(log[name].to_pylist() for name in ("ts", "event_type", "first", "second")), strict=True)
    text = "\n".join(f"@{ts} {kind}({first},{second})" for ts, kind, first, second in rows)
    signature = "P(first: int, second: int) Q(first: int, second: int) R(first: int, second: int)"
    reading = seconds(lambda: monpoly.read(text, parse_signature(signature)))
    whole = seconds(lambda: cep.monitor(formula_of("star"), signature, text, end="closed"))
    rates = f"read {count / reading / 1e6:.1f} M events/s, to verdicts {count / whole / 1e6:.1f}"
    yield f"text of {count:,} events, one a point: {rates}"


def growth(count: int) -> Iterator[str]:
    """Seconds at a quarter of the events, and at all of them."""
    for name in ATOMS:
        spent = []
        for size in (count // 4, count):
            stream = JoinStream(name, 1, event_rate=size // 60, rate_p=1 / 3, rate_q=1 / 3, duration=60)
            evaluator, points = ready(name, generate(stream))
            policy = evaluator.policy
            spent.append(seconds(lambda: satisfied(policy.core, points, policy.types)))  # noqa: B023
        yield f"{name}: 4 times the events take {spent[1] / spent[0]:.1f} times as long"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=2_000_000)
    count = parser.parse_args().events
    for part in (rates, texts, growth):
        for line in part(count):
            print(line, flush=True)


if __name__ == "__main__":
    main()
