"""Sequences from table to table beside joins in DuckDB and Polars.

The question that CORE was measured with, a sequence of four over the NASDAQ day, and `SEQ(A, B, C)` over the log of
`table_to_table.py`. Each engine takes an Arrow table, runs on one thread, and returns the events of all matches;
answers are compared. Times are the least process time of three runs. No assertion on time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import duckdb
import polars as pl
import pyarrow as pa
from kleene import logs
from table_to_table import log as even_log

import cep_core as cep
from cep_core.experiments.process_time import least_seconds


class Sequence(NamedTuple):
    """Events of some kinds, one after the other within `width`."""

    name: str
    kinds: tuple[tuple[str, str | None], ...]
    """The type of each event, and its company; None: any."""
    width: int


TRADES = Sequence(
    "NASDAQ's day, four trades within 10 s",
    (("SELL", "MSFT"), ("BUY", "ORCL"), ("BUY", "CSCO"), ("SELL", "AMAT")),
    10_000,
)
"""CORE finds 600,164 matches."""
ABC = Sequence("SEQ(A, B, C) WITHIN 30", (("A", None), ("B", None), ("C", None)), 30)


def by_engine(sequence: Sequence, log: pa.Table) -> pa.Table:
    units = ", ".join(f"{kind} e{number}" for number, (kind, _) in enumerate(sequence.kinds))
    named = [f"e{number}.name = '{name}'" for number, (_, name) in enumerate(sequence.kinds) if name]
    where = f"WHERE {' AND '.join(named)} " if named else ""
    return cep.match(f"PATTERN SEQ({units}) {where}WITHIN {sequence.width}", log, unit="ms", ties="ordered")


def by_duckdb(sequence: Sequence, log: pa.Table) -> pa.Table:
    """One join after the other: all in one query takes minutes for four units."""
    base = duckdb.connect(config={"threads": 1})
    base.register("log", log)
    for number, (kind, name) in enumerate(sequence.kinds):
        named = f" AND name = '{name}'" if name else ""
        shown = f"ts AS ts{number}, seq AS seq{number}"
        base.execute(f"CREATE TABLE e{number} AS SELECT {shown} FROM log WHERE event_type = '{kind}'{named}")
    base.execute("CREATE TABLE matches0 AS FROM e0")
    for k in range(1, len(sequence.kinds)):
        order = f"seq{k} > seq{k - 1} AND ts{k} <= ts0 + {sequence.width}"
        base.execute(f"CREATE TABLE matches{k} AS FROM matches{k - 1} JOIN e{k} ON {order}")
    seqs = ", ".join(f"seq{k}" for k in range(len(sequence.kinds)))
    return base.sql(f"SELECT {seqs} FROM matches{len(sequence.kinds) - 1}").to_arrow_table()


def by_polars(sequence: Sequence, log: pa.Table) -> pa.Table:
    events = pl.from_arrow(log)
    assert isinstance(events, pl.DataFrame)

    def of(number: int) -> pl.DataFrame:
        kind, name = sequence.kinds[number]
        own = events.filter((pl.col("event_type") == kind) & (pl.col("name") == name if name else True))
        return own.select(pl.col("ts").alias(f"ts{number}"), pl.col("seq").alias(f"seq{number}"))

    matches = of(0)
    for k in range(1, len(sequence.kinds)):
        later = pl.col(f"seq{k}") > pl.col(f"seq{k - 1}")
        matches = matches.join_where(of(k), later, pl.col(f"ts{k}") <= pl.col("ts0") + sequence.width)
    return matches.select(f"seq{k}" for k in range(len(sequence.kinds))).to_arrow()


def _lines() -> Iterator[str]:
    """A row for each question and log."""
    yield "| question | events | matches | engine, CPU-s | M events/s | DuckDB / engine | Polars / engine |"
    yield "|---|---|---|---|---|---|---|"
    trades = logs.nasdaq()
    cases = [] if trades is None else [(TRADES, trades)]
    cases += [
        (ABC._replace(name=f"{ABC.name}, {share:.0%}"), even_log(1_000_000, share, "codes")) for share in (0.01, 0.12)
    ]
    for sequence, log in cases:
        matches = by_engine(sequence, log)
        for rival in (by_duckdb, by_polars):
            assert events_of(rival(sequence, log)) == events_of(matches)
        ours, *rivals = (least_seconds(partial(way, sequence, log)) for way in (by_engine, by_duckdb, by_polars))
        ratios = " | ".join(f"{seconds / ours:.1f}" for seconds in rivals)
        rate = log.num_rows / ours / 1e6
        yield f"| {sequence.name} | {log.num_rows:,} | {matches.num_rows:,} | {ours:.3f} | {rate:.1f} | {ratios} |"


def events_of(matches: pa.Table) -> tuple[int, list[int]]:
    """How many matches there are, and the sum of each column of events."""
    columns = [column for name, column in zip(matches.column_names, matches.columns, strict=True) if "ts" not in name]
    return matches.num_rows, [int(column.to_numpy().sum()) for column in columns]


def sequences() -> None:
    print("\nSequences, all matches listed, beside joins in DuckDB and Polars (one thread)")
    for line in _lines():
        print(line, flush=True)
