"""The queries of `table_to_table.py`, with the budgets that their ways from table to table have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pyarrow as pa

import cep_core as cep


class Case(NamedTuple):
    """A query, the call that answers it, and how many nanoseconds an event its way may take beside its kernels."""

    name: str
    call: Callable[..., pa.Table]
    query: str
    budget: int = 10
    settings: tuple[tuple[str, Any], ...] = ()


ONE_CORE = (("cores", 1),)
RISING = "PATTERN SEQ(A a, B+ b[], C c) WHERE {strategy} {{ {condition} }} WITHIN {width}"
ANY, NEXT = "skip_till_any_match", "skip_till_next_match"
UP = "b[i].x >= b[i-1].x"
CASES = (
    Case("count", cep.aggregate, "RETURN COUNT(*) PATTERN (SEQ(A+, B))+ WITHIN 40", 10, ONE_CORE),
    Case(
        "count, sum, minimum",
        cep.aggregate,
        "RETURN COUNT(*), SUM(A.x), MIN(A.x) PATTERN (SEQ(A+, B))+ WITHIN 40",
        10,
        ONE_CORE,
    ),
    Case("count by number", cep.aggregate, "RETURN COUNT(*) PATTERN SEQ(A+, B) WHERE [k] WITHIN 1000", 20, ONE_CORE),
    Case(
        "count by group of texts",
        cep.aggregate,
        "RETURN name, COUNT(*) PATTERN SEQ(A+, B) WHERE [name] GROUP-BY name WITHIN 10000",
        30,
        ONE_CORE,
    ),
    Case(
        "count, condition on A",
        cep.aggregate,
        "RETURN COUNT(*) PATTERN SEQ(A+, B) WHERE A.x < 500 WITHIN 40",
        10,
        ONE_CORE,
    ),
    Case(
        "count, compared", cep.aggregate, "RETURN COUNT(*) PATTERN A+ WHERE A.x < NEXT(A).x WITHIN 1000", 10, ONE_CORE
    ),
    Case("count, with NOT", cep.aggregate, "RETURN COUNT(*) PATTERN SEQ(A+, NOT C c, B) WITHIN 40", 10, ONE_CORE),
    Case(
        "count, sliding", cep.aggregate, "RETURN COUNT(*) PATTERN (SEQ(A+, B))+ WITHIN 10000 SLIDE 1000", 10, ONE_CORE
    ),
    Case("matches, counted", cep.match, RISING.format(strategy=ANY, condition=UP, width=100), 10, (("most", 0),)),
    Case("matches, listed", cep.match, "PATTERN SEQ(A a, B b, C c) WITHIN 30"),
    Case("matches, listed, compact", cep.match, "PATTERN SEQ(A a, B b, C c) WITHIN 30", 10, (("collapsed", True),)),
    Case(
        "matches by text, counted",
        cep.match,
        "PATTERN SEQ(A a, B+ b[], C c) WHERE [name] WITHIN 10000",
        30,
        (("most", 0),),
    ),
    Case("one match for each start", cep.match, RISING.format(strategy=NEXT, condition=UP, width=100)),
    Case("completing events", cep.detect, "PATTERN SEQ(A a, B+ b[], C c) WITHIN 100"),
    Case("completing events, compared", cep.detect, RISING.format(strategy=ANY, condition=UP, width=100)),
)
