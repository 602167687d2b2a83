"""Logs written as the letters of their event types, and how many matches a table says that there are."""

from __future__ import annotations

import pyarrow as pa


def log(types: str, ts: list[int] | None = None, **attributes: list[object]) -> pa.Table:
    return pa.table({"event_type": list(types), "ts": ts or list(range(1, len(types) + 1)), **attributes})


def total(table: pa.Table) -> int:
    return int(table.schema.metadata[b"matches_total"])
