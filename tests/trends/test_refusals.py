"""Aggregation refuses what it cannot evaluate when a query is compiled, by name and place."""

from __future__ import annotations

import pyarrow as pa
import pytest

from cep_core.events.table import log_schema_of
from cep_core.language.errors import NotSupportedYet, QueryError
from cep_core.language.patterns.bind.binding import bind
from cep_core.trends.evaluator import TrendEvaluator

SCHEMA = log_schema_of(
    pa.table({"event_type": list("ABCE"), "ts": [1] * 4, "seq": range(4), "x": [1] * 4, "y": [1] * 4})
)


def compile_pattern(rest: str) -> TrendEvaluator:
    """The evaluator of COUNT(*) over a pattern with its clauses."""
    return TrendEvaluator(bind(f"RETURN COUNT(*)\nPATTERN {rest}", SCHEMA))


@pytest.mark.parametrize(
    ("rest", "said", "place"),
    [
        ("SEQ(A, NOT SEQ(NOT E, C, NOT B), B) WITHIN 9", "both edges of a negated sequence", (2, 16)),
        ("SEQ(A, (SEQ(NOT SEQ(NOT E, C), B?) OR SEQ(NOT C, B? b)), A a) WITHIN 9", "only one way to read", (2, 21)),
        ("(SEQ(A{1,2}, NOT C))+ WITHIN 9", "readings of one binding pass different negations", (2, 9)),
        ("SEQ(B, A{70}) WITHIN 9", "more than 64 states", (2, 9)),
        ("SEQ(B, A{2000}) WITHIN 9", "too many states", (2, 16)),
        ("SEQ(B, NOT SEQ(A{2000}, C), B) WITHIN 9", "too many states", (2, 24)),
        ("SEQ(A, B) AND SEQ(A?, B) WHERE [A.x] WITHIN 9", "that a trend may lack", (2, 41)),
        ("A+ WHERE A.x * NEXT(A).x > 4 WITHIN 9", "both of them on one side", (2, 18)),
    ],
)
def test_not_supported_yet(rest: str, said: str, place: tuple[int, int]) -> None:
    """Legal queries for which there is no kernel yet."""
    with pytest.raises(NotSupportedYet) as refusal:
        compile_pattern(rest)
    assert said in refusal.value.message
    assert (refusal.value.line, refusal.value.column) == place


@pytest.mark.parametrize(
    "condition",
    ["sum(A[].x) > 3", "B.x > max(A[].x)", "A[i].x < A[i-1].x AND A.x < 3", "A[2].x = 1", "A.x < C.x", "E.x < B.x"],
)
def test_never_enumerated(condition: str) -> None:
    """Conditions on more than neighbours are never supported. The error shows a way out (docs/semantics.md 4)."""
    with pytest.raises(QueryError, match="matching query") as refusal:
        compile_pattern(f"(SEQ(A+, B, NOT E, C))+ WHERE {condition} WITHIN 9" if "i-1" not in condition else
                        f"(SEQ(A, B))+ WHERE {condition} WITHIN 9")  # fmt: skip
    assert not isinstance(refusal.value, NotSupportedYet)


def test_description_names_the_algorithm() -> None:
    """`explain` names the kernel and its cost."""
    assert "O(n)" in compile_pattern("A+ WITHIN 9").describe()[0]
    assert "meet" in compile_pattern("A+ WITHIN 9 SLIDE 1").describe()[0]
    assert "Fenwick" in compile_pattern("A+ WHERE A.x < NEXT(A).x WITHIN 9").describe()[0]
    described = compile_pattern("A+ WHERE A.x < NEXT(A).x AND A.y = NEXT(A).y WITHIN 9 SLIDE 3").describe()
    assert "divided and conquered" in described[0]
    assert "O(k n log^2 n), k = 3" in described[0]
    described = compile_pattern("A+ WHERE A.x = NEXT(A).x AND A.y = NEXT(A).y WITHIN 9").describe()
    assert "Fenwick" in described[0]
    three = "A.x < NEXT(A).x AND A.y > NEXT(A).y AND A.x != NEXT(A).y"
    assert "more than two comparisons" in compile_pattern(f"A+ WHERE {three} WITHIN 9").describe()[0]
    described = compile_pattern("SEQ(A, NOT C, B) WHERE A.x < B.x AND A.y < B.y WITHIN 9").describe()
    assert "and a NOT" in described[0]
    assert "window by window" in compile_pattern("SEQ(A+, NOT E) WITHIN 9 SLIDE 1").describe()[0]
    described = compile_pattern("(SEQ(A+, NOT SEQ(C, E), B))+ WITHIN 9").describe()
    assert any("(A -> B)" in line for line in described)
