"""The running examples of paper 03, and helpers for the small queries of its rows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

import cep_core as cep


def stream(text: str, **attributes: list[object]) -> pa.Table:
    """`a1 b2` as events: the letter is the type, and the number is the time."""
    names = text.split()
    columns = {
        "event_type": [name[0].upper() for name in names],
        "ts": pa.array([int(name[1:]) for name in names], pa.int64()),
        "seq": pa.array(range(len(names)), pa.int64()),
    }
    return pa.table({**columns, **attributes})


I11 = stream("a1 b2 c2 a3 e3 a4 c5 d6 b7 a8 b9")
I5 = stream("a1 b2 a3 a4 b7", attr=[5, None, 6, 4, None])


def rows(query: str, events: pa.Table, **arguments: Any) -> list[dict[str, Any]]:
    """The result of an aggregation query."""
    return cep.aggregate(query, events, **arguments).to_pylist()


def counts(pattern: str, events: pa.Table = I11, window: str = "WITHIN 100", **arguments: Any) -> list[int]:
    """The number of trends of each window that has a trend."""
    return [int(row["count"]) for row in rows(f"RETURN COUNT(*) PATTERN {pattern} {window}", events, **arguments)]


def listed(pattern: str, events: pa.Table = I11, window: str = "WITHIN 100", **arguments: Any) -> int:
    """The number of matches that the matching engine lists."""
    return int(cep.match(f"PATTERN {pattern} {window}", events, **arguments).num_rows)
