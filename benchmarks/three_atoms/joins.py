"""The verdicts of paper 01's formulas as joins in DuckDB and Polars, on one thread.

Each joins the events of P, Q and R by their common variables and by time, and counts distinct points with values. No
heavy value may be in the log: it is joined with itself before time is looked at.
"""

from __future__ import annotations

import os

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import duckdb
import polars as pl
import pyarrow as pa
from three_atoms.formulas import ATOMS, PAST, WINDOW

Columns = dict[tuple[str, str], str]
"""The column of an atom's variable."""


def columns_of(name: str) -> Columns:
    kinds = zip("PQR", ATOMS[name.removesuffix(PAST)], strict=True)
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
    with_q, with_r = (
        [*equal("P", "Q"), "P.point <= Q.point"],
        [*equal("Q", "R"), *equal("P", "R"), "R.point >= Q.point"],
    )
    if not name.endswith(PAST):
        with_q.append(f"Q.ts - P.ts < {WINDOW}")
        with_r.append(f"R.ts - Q.ts < {WINDOW}")
    variables = dict.fromkeys("".join(ATOMS[name.removesuffix(PAST)]))
    shown = ", ".join(next(f"{kind}.{columns[kind, v]}" for kind in "PQR" if (kind, v) in columns) for v in variables)
    joined = f"{table['P']} JOIN {table['Q']} ON {' AND '.join(with_q)} JOIN {table['R']} ON {' AND '.join(with_r)}"
    at = "R.point" if name.endswith(PAST) else "Q.point"
    return f"SELECT count(*) FROM (SELECT DISTINCT {at}, {shown} FROM {joined})"


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

    past = name.endswith(PAST)
    near = pl.lit(value=True) if past else pl.col("ts_Q") - pl.col("ts_P") < WINDOW
    pairs = joined(of("P"), of("Q")).filter((pl.col("point_P") <= pl.col("point_Q")) & near)
    soon = pl.lit(value=True) if past else pl.col("ts_R") - pl.col("ts_Q") < WINDOW
    triples = joined(pairs, of("R")).filter((pl.col("point_R") >= pl.col("point_Q")) & soon)
    variables = dict.fromkeys("".join(ATOMS[name.removesuffix(PAST)]))
    return triples.select("point_R" if past else "point_Q", *variables).unique().height
