"""Random aggregation queries and small random logs, with bursts of equal times, NULLs and groups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pyarrow as pa
from hypothesis import assume
from hypothesis import strategies as st

from cep_core.events.schema import LogSchema, Ties
from cep_core.events.table import log_schema_of
from cep_core.language.errors import NotSupportedYet
from cep_core.language.patterns.bind.binding import bind
from cep_core.testing.choice import chosen
from cep_core.trends.evaluator import TrendEvaluator
from tests import ends

NO_EVENTS = pa.schema(
    {
        "event_type": pa.string(),
        "ts": pa.int64(),
        "seq": pa.int64(),
        "x": pa.int64(),
        "y": pa.float64(),
        "s": pa.string(),
        "g": pa.string(),
        "k": pa.int64(),
    }
).empty_table()
"""A log of the columns that `logs` draws."""

PATTERNS = (
    "A+",
    "SEQ(A+, B)",
    "(SEQ(A+, B))+",
    "(SEQ(A, B+))+",
    "SEQ(A, B, C)",
    "SEQ(A+, A+)",
    "SEQ(A+, B, A, A+)",
    "(SEQ(A, (SEQ(B, C))+))+",
    "((SEQ(A+, B))+)+",
    "SEQ(A*, B)",
    "SEQ(A*, B+, C?)",
    "SEQ(A, B?, C+)",
    "SEQ(A, (B OR C)+)",
)
ANY_FORBIDDEN = (
    "SEQ(A, NOT SEQ(ANY(B, C)), A)",
    "SEQ(A+, NOT SEQ(ANY(2, B, B, C), D), A)",
    "(SEQ(A, NOT SEQ(B, ANY(C, D))))+",
    "SEQ(NOT SEQ(ANY(B, C), NOT E), A+)",
    "SEQ(A+, NOT SEQ(NOT E, ANY(B, C)))",
    "SEQ(A, NOT SEQ((ANY(B, C))+, D), A)",
    "SEQ(A+, NOT SEQ(ANY(B, C, D)))",
)
NEGATIONS = (
    *ANY_FORBIDDEN,
    "SEQ(A+, NOT B)",
    "SEQ(NOT B, A+)",
    "SEQ(NOT C, A+, NOT B)",
    "SEQ(A, NOT B, A, NOT C)",
    "SEQ(A+, NOT C, B)",
    "SEQ(A+, NOT A n, B)",
    "(SEQ(A, NOT C, B))+",
    "(SEQ(A+, NOT C, B))+",
    "(SEQ(A, NOT B))+",
    "SEQ(A+, NOT B, NOT C, A)",
    "SEQ(A+, NOT SEQ(B, C), A)",
    "SEQ(A+, NOT SEQ(B, C))",
    "SEQ(NOT SEQ(B, C), A+)",
    "(SEQ(A+, NOT SEQ(C, NOT E, D), B))+",
    "SEQ(NOT SEQ(C, NOT E, D), A+)",
    "SEQ(A+, NOT SEQ(C, NOT E, D))",
    "(SEQ(A, NOT SEQ(B, NOT E, C)))+",
    "SEQ(A+, NOT SEQ(B, NOT SEQ(C, NOT E, D), D d), A)",
    "SEQ(A+, NOT SEQ(B+, C?, D), A)",
    "SEQ(A, NOT C, B?, NOT D, A)",
    "SEQ(A, SEQ(B, NOT C), A)",
    "SEQ(A, (SEQ(NOT C, B))?, NOT D, A)",
    "SEQ(A, (SEQ(NOT C, B) OR SEQ(NOT D, E)))",
    "SEQ(A*, NOT C, B)",
    "(SEQ(A+, NOT C))+",
    "(SEQ(A, NOT C, B?))+",
    "SEQ(A, (SEQ(NOT C, B?))?, A)",
    "(SEQ(NOT B, A, NOT SEQ(C+, D)))+",
)
EXCUSES = (
    "SEQ(A, NOT SEQ(NOT C, B), A)",
    "SEQ(A+, NOT SEQ(B, NOT C), A)",
    "SEQ(NOT SEQ(B, NOT C), A+)",
    "SEQ(NOT SEQ(NOT B, C), A+)",
    "SEQ(A+, NOT SEQ(B, NOT C))",
    "SEQ(A+, NOT SEQ(NOT B, C))",
    "(SEQ(A, NOT SEQ(B, NOT C)))+",
    "(SEQ(A, NOT SEQ(NOT B, C)))+",
    "SEQ(A, NOT SEQ(B?, C?), A)",
    "SEQ(A, NOT SEQ(B+, C, NOT SEQ(D, NOT E)), A)",
    "SEQ(A, NOT SEQ(NOT SEQ(D, NOT E), B, C), A)",
    "SEQ(A, NOT SEQ(B, NOT SEQ(NOT E, D), C), A)",
    "SEQ(A, NOT SEQ(NOT SEQ(NOT E, D), B), A)",
    "SEQ(A, NOT SEQ(B, NOT C), NOT SEQ(NOT D, C c), A)",
    "SEQ(A+, NOT SEQ(B+, C), A)",
    "SEQ(A+, NOT SEQ(B, C))",
    "SEQ(A, (SEQ(NOT SEQ(B, NOT C), D))?, NOT E, A)",
)
REPETITIONS = (
    "A{2,3}",
    "A{2,}",
    "SEQ(A{1,3}, B)",
    "SEQ(A{0,2}, B)",
    "(SEQ(A, B?)){2,3}",
    "(SEQ(A+, B)){1,2}",
    "(SEQ(A, (B OR C){0,2})){2}",
    "(A{2,3})+",
    "(SEQ(A{2}, B*)){1,2}",
    "(SEQ(A, NOT C, B)){1,3}",
    "SEQ(A{2,3}, NOT B)",
    "SEQ(A{1,2}, NOT C, B)",
)
CHOICES = (
    "SEQ(A+, B) OR SEQ(A, B+)",
    "A+ OR SEQ(A, B)",
    "SEQ(A+, B) OR SEQ(A, A) OR SEQ(A, B, C)",
    "SEQ(A+, (SEQ(A, B) OR SEQ(B, A)))",
    "((SEQ(A, B) OR SEQ(A, C)))+",
    "(A OR SEQ(A, B))+",
    "SEQ(A, (B OR SEQ(B, C?)), A)",
    "SEQ(A, NOT C, B) OR SEQ(A, B+)",
    "SEQ(A+, NOT C) OR SEQ(A+, NOT B)",
    "SEQ(A, NOT B, A) OR SEQ(A, NOT C, A) OR SEQ(NOT C, A)",
    "SEQ(A, (SEQ(NOT C, B?) OR SEQ(NOT D, B? b)), A)",
    "SEQ(A, (SEQ(NOT C, B) OR SEQ(NOT D, B)))",
    "SEQ(A, (SEQ(NOT C, B))?, B?)",
)
PAIRS = (
    "SEQ(A+, B) AND SEQ(A, B+)",
    "A+ AND SEQ(B, C)",
    "A+ AND A+",
    "A{2,} AND SEQ(A, B?)",
    "SEQ(A, NOT C, B) AND SEQ(A, B)",
    "SEQ(A, B) AND SEQ(B, A)",
    "SEQ(A, NOT C, B) AND SEQ(A+, NOT C, B)",
    "SEQ(A, C? c) AND SEQ(A, B? c)",
    "SEQ(A, NOT C c, B) AND SEQ(A, C? c, B)",
)
ANY_ORDER = (
    "ANY(2, A, B)",
    "ANY(A, B, C)",
    "ANY(2, A, A, B)",
    "SEQ(A, ANY(2, A, B, C))",
    "SEQ(ANY(A, B), C)",
    "SEQ(ANY(A, B), NOT C, A)",
    "(ANY(2, A, B))+",
    "ANY(2, A, B) OR SEQ(A, B)",
    "ANY(A, B) AND SEQ(A, B)",
)
CONDITIONS = {
    "A": ("A.x >= 1", "(A.y < 2.5 OR A.x = 0)", "A.x - 9223372036854775807 < 0"),
    "B": ("B.x != 2", "NOT B.y > 1", "B.x <= B.y"),
    "C": ("C.x >= 0", "C.y < 2.5", "C.x IN (-9223372036854775808, 1, 9007199254740993)"),
}
NEIGHBOURS = {
    "A+": [
        ("A.x < NEXT(A).x", "A.x >= NEXT(A).y", "A.x != NEXT(A).x", "A.s <= NEXT(A).s", "A.y * 2 > NEXT(A).x"),
        ("NEXT(A).x - A.x < 3", "A.x + NEXT(A).x >= 0", "A.x - (NEXT(A).x - 1) BETWEEN -2 AND 9223372036854775807"),
        (
            "(A.x < NEXT(A).x OR A.y > NEXT(A).y)",
            "(A.x = NEXT(A).x OR A.s != NEXT(A).s OR A.k > 1)",
            "NOT (A.x < NEXT(A).x AND NEXT(A).y > 1)",
            "NEXT(A).x - A.x IN (0, 2)",
            "(NEXT(A).x - A.x != 1 OR NEXT(A).y > A.y)",
            "NOT (A.x - NEXT(A).x > 1 OR NEXT(A).x - 1 = A.y)",
        ),
    ],
    "SEQ(A+, B)": [("A.x = NEXT(B).x", "A[last].x < B.y"), ("A.x <= NEXT(A).x", "A[i].s > A[i-1].s")],
    "(SEQ(A+, B))+": [
        ("B.x < NEXT(A).x", "B.y <= NEXT(A).x + 1"),
        ("A.y > NEXT(A).y", "A.k != NEXT(A).k"),
        ("A.x != NEXT(B).x", "NEXT(B).y >= A.y"),
    ],
    "SEQ(A, B, C)": [
        ("A.x < B.x", "A.g = B.s", "(A.x < B.x OR B.x IS NULL)", "B.x - A.x = 0"),
        ("B.x <= C.y", "PREV(B).x != C.x"),
    ],
    "(SEQ(A, B+))+": [("B.x < NEXT(B).x", "B.y <= NEXT(B).y", "B.s != NEXT(B).s"), ("B.y >= NEXT(A).y",)],
    "SEQ(A+, NOT B)": [("A.x < NEXT(A).x", "A.s <= NEXT(A).s", "NEXT(A).x - A.x <= 1")],
    "SEQ(NOT B, A+)": [("A.x < NEXT(A).x", "A.x != NEXT(A).x", "A.y * 2 > NEXT(A).x")],
    "SEQ(A+, NOT C, B)": [("A[last].x <= B.x", "A.x != NEXT(B).x"), ("A.x >= NEXT(A).y",)],
    "(SEQ(A, NOT B))+": [("A.x < NEXT(A).x", "A.x != NEXT(A).x", "A.k = NEXT(A).k")],
    "(SEQ(A+, NOT C, B))+": [
        ("B.x < NEXT(A).x",),
        ("A.y > NEXT(A).y", "A.k != NEXT(A).k"),
        ("A.x != NEXT(B).x", "NOT A.x BETWEEN NEXT(B).x AND NEXT(B).y"),
    ],
    "(SEQ(A, NOT SEQ(B, NOT C)))+": [("A.x < NEXT(A).x", "A.x != NEXT(A).x", "A.y >= NEXT(A).x")],
    "(SEQ(A, NOT SEQ(NOT B, C)))+": [
        ("A.x < NEXT(A).x", "A.x != NEXT(A).x", "A.y >= NEXT(A).x", "(A.x < NEXT(A).x OR A.y < NEXT(A).y)")
    ],
    "SEQ(A+, NOT SEQ(B+, C), A)": [
        ("B.x < NEXT(B).x", "B[i].y >= B[i-1].y", "B[i].x - B[i-1].x > -3"),
        ("B[last].x > C.x", "B.x != NEXT(C).x", "(B.x < NEXT(C).x OR NOT B.y < NEXT(C).y)"),
    ],
    "SEQ(A+, NOT SEQ(B, C))": [("B.x < C.x", "B.y != C.x", "B.s = C.s"), ("A.x > NEXT(A).x",)],
    "SEQ(NOT SEQ(B, NOT C), A+)": [("A.x > NEXT(A).x",)],
    "SEQ(A+, NOT SEQ(NOT B, C))": [("A.x > NEXT(A).x",)],
    "A{2,3}": [("A.x < NEXT(A).x", "A[i].x >= A[i-1].x")],
    "SEQ(A{1,3}, B)": [("A[last].x != B.x",), ("A.x <= NEXT(A).x",)],
    "(SEQ(A+, B)){1,2}": [("B.x < NEXT(A).x",), ("A.x != NEXT(A).x",)],
    "SEQ(A+, B) OR SEQ(A, B+)": [("A.x < NEXT(A).x",), ("B.x > NEXT(B).x",)],
    "A+ OR SEQ(A, B)": [("A.x < NEXT(A).x",), ("A.x > NEXT(B).x", "(A.x > NEXT(B).x OR A.y < NEXT(B).y)")],
    "SEQ(A+, B) AND SEQ(A, B+)": [("A.x > NEXT(B).x", "A.y != NEXT(B).x")],
    "A+ AND A+": [("A.x < NEXT(A).x", "NEXT(A).x - A.x != 1")],
    "SEQ(A, NOT C, B) AND SEQ(A+, NOT C, B)": [("C_right.x > 1", "C.x >= 1")],
    "(SEQ(A, NOT SEQ(B, NOT E, C)))+": [("A.x >= NEXT(A).x", "A.x != NEXT(A).x")],
    "SEQ(A, B?, C+)": [("C.x > NEXT(C).x", "C[i].y <= C[i-1].y"), ("A.x < NEXT(B).x",), ("A.x > NEXT(C).x",)],
}
"""For each pattern: the conditions that may stand on each edge of its template."""
MORE = REPETITIONS + CHOICES + PAIRS + ANY_ORDER
ITEMS = (
    "COUNT(*)",
    "COUNT(A)",
    "SUM(A.x)",
    "MIN(A.x)",
    "MAX(A.y)",
    "AVG(A.x)",
    "STDDEV(A.x)",
    "SUM(A.y)",
    "AVG(A.y)",
    "MIN(A.ts)",
    "MAX(A.s)",
    "MIN(A.s)",
)


QUARTER = st.integers(0, 3)
LACKING = st.sets(st.tuples(st.sampled_from("BCDE"), st.sampled_from("kg")), max_size=3)
"""Attributes that a type lacks."""


@cache
def several(choices: tuple[str, ...], most: int) -> st.SearchStrategy[list[str]]:
    """One or more of the choices, each once."""
    return st.lists(st.sampled_from(choices), min_size=1, max_size=most, unique=True)


@st.composite
def queries(draw: st.DrawFn, patterns: Sequence[str] = PATTERNS + NEGATIONS + EXCUSES + MORE) -> str:
    """The text of an aggregation query."""
    pattern = chosen(draw, patterns)
    conditions = [
        chosen(draw, texts) for name, texts in CONDITIONS.items() if name in pattern and single(pattern, name)
    ]
    conditions = [text for text in conditions if draw(QUARTER) == 0]
    most = 0
    for edge in NEIGHBOURS.get(pattern, ()):
        if draw(st.booleans()):
            compared = draw(several(tuple(edge), 3))
            conditions, most = conditions + compared, max(most, len(compared))
    mandatory = not any(word in pattern for word in ("*", "?", "OR", "{0", "ANY"))
    if mandatory and draw(st.booleans()):
        conditions.append("[k]")
    if not mandatory and single(pattern, "A") and draw(st.booleans()):
        conditions.append("[A.k]")  # does not apply to a trend without an event of A
    group = "GROUP-BY g" if mandatory and draw(st.booleans()) else ""
    if not mandatory and single(pattern, "A") and " AND " not in pattern and draw(st.booleans()):
        group = "GROUP-BY A.g"  # null for a trend without an event of A
    size = draw(st.integers(1, 12))
    slide = chosen(draw, ["", f"SLIDE {draw(st.integers(1, size))}", f"SLIDE {size + 2}"])
    items = draw(several(ITEMS, 4))
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    events = chosen(draw, ["", "", "", " EVENTS"])
    window = f"WITHIN {size}{events}" + (f" {slide}{events}" if slide else "")
    text = f"RETURN {', '.join(items)} PATTERN {pattern} {where} {group} {window}"
    assume(most < 3 or few_alternatives(text))
    return text


def few_alternatives(text: str) -> bool:
    """Whether the conditions on one edge have no more alternatives than an aggregation takes."""
    try:
        TrendEvaluator(bind(text, schema_of(NO_EVENTS, Ties.CONCURRENT)))
    except NotSupportedYet as refusal:
        return "so many alternatives" not in str(refusal)
    return True


def single(pattern: str, name: str) -> bool:
    """Whether the type has exactly one variable in the pattern. Otherwise its name is ambiguous."""
    return pattern.count(name) - (1 if name == "A" and "AND" in pattern else 0) == 1


TIMES = st.integers(-6, 12)
TYPES = st.sampled_from([st.sampled_from("AAABBC"), st.sampled_from("AAABBCCDDE")])
FLOATS = ends.real(st.none() | st.sampled_from([-1.5, 0.1, 0.2, 0.30000000000000004, 2.0, 1e-3, 3.75]), ends.KNOWN)
STRINGS = st.sampled_from([None, "", "a", None, "ab", "b"])
GROUPS = st.sampled_from(["p", "q", "p", "q", None])
KEYS = st.sampled_from([1, 2, 1, None])


@cache
def integers(values: int) -> st.SearchStrategy[st.SearchStrategy[int | None]]:
    """What to draw the integers of a log from, up to an amount."""
    return ends.whole(st.none() | st.integers(-values, values))


@st.composite
def logs(draw: st.DrawFn, most: int = 8, values: int = 3) -> pa.Table:
    """A log with few different times, so ties are likely; NULLs and equal values are likely as well.

    A strategy that is made anew for each log costs more than what is drawn from it, so all are made once.
    """
    n = draw(st.integers(0, most))
    kinds, x, y = draw(TYPES), draw(integers(values)), draw(FLOATS)
    columns = {
        "event_type": [draw(kinds) for _ in range(n)],
        "ts": sorted(draw(TIMES) for _ in range(n)),
        "seq": list(range(n)),
        "x": [draw(x) for _ in range(n)],
        "y": [draw(y) for _ in range(n)],
        "s": [draw(STRINGS) for _ in range(n)],
        "g": [draw(GROUPS) for _ in range(n)],
        "k": [draw(KEYS) for _ in range(n)],
    }
    return pa.table(columns, schema=NO_EVENTS.schema)


def same(result: pa.Table, expected: pa.Table) -> bool:
    """Whether two results have the same columns and rows; NaN, such as the sum of two infinities, equals itself."""
    return result.schema == expected.schema and all(map(_same_column, result.columns, expected.columns))


def _same_column(result: pa.ChunkedArray, expected: pa.ChunkedArray) -> bool:
    if not pa.types.is_floating(result.type):
        return bool(result.equals(expected))
    nulls = result.is_null().equals(expected.is_null())
    return nulls and np.array_equal(result.to_numpy(), expected.to_numpy(), equal_nan=True)


def schema_of(log: pa.Table, ties: Ties) -> LogSchema:
    """The schema of the log. Every type exists, even if the log has no event of it."""
    return log_schema_of(log, ties=ties)


@st.composite
def partial_schemas(draw: st.DrawFn, log: pa.Table, ties: Ties) -> LogSchema:
    """The schema of the log, where some types lack an attribute that queries use as a key."""
    everything = schema_of(log, ties).columns
    lacking = draw(LACKING)
    types = {
        name: {key: attribute for key, attribute in everything.items() if (name, key) not in lacking}
        for name in ("A", *"BCDE")
    }
    return LogSchema(types, ties=ties)


def rows_of(log: pa.Table) -> list[dict[str, object]]:
    """The events of the log, as the reference reads them."""
    return log.to_pylist()
