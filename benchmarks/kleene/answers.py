"""Queries for `matching.py` with their answers and times: CPU-seconds of one thread, with kernels compiled."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import pyarrow as pa

from cep_core.compile import compile_query
from cep_core.events.table import log_schema_of

T = TypeVar("T")

EVENTS = 300_000
RISING = "PATTERN SEQ(A a, B+ b[], C c) WHERE {strategy} {{ b[i].x >= b[i-1].x }} WITHIN {width}"


def seconds(run: Callable[[], T]) -> tuple[T, float]:
    """The answer, and the process time of a second run."""
    run()
    begin = time.process_time()
    answer = run()
    return answer, max(time.process_time() - begin, 1e-9)


def matched(events: pa.Table, query: str, most: int | None = 0, *, collapsed: bool = False) -> pa.Table:
    evaluator = compile_query(query, log_schema_of(events), max_matches=most, collapsed=collapsed)
    return evaluator.merge(evaluator.evaluate(events))


def total_of(table: pa.Table) -> int:
    return int(table.schema.metadata.get(b"matches_total") or table.schema.metadata[b"matches_at_least"])


def short(number: int) -> str:
    digits = str(number)
    return f"{number:,}" if len(digits) < 13 else f"{digits[0]}.{digits[1:3]}e{len(digits) - 1}"
