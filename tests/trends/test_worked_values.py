"""The worked values of docs/semantics.md 4 and of paper 03, by number."""

from __future__ import annotations

import pyarrow as pa
import pytest

from cep_core.events.table import log_schema_of
from cep_core.language.patterns.binding import bind
from cep_core.trends.evaluator import TrendEvaluator


def aggregate(text: str, events: pa.Table) -> list[dict[str, object]]:
    """The result rows of a query over a whole log."""
    evaluator = TrendEvaluator(bind(text, log_schema_of(events)))
    return evaluator.merge(evaluator.evaluate(events)).to_pylist()


def stream(text: str, **attributes: list[object]) -> pa.Table:
    """`a1 b2` as events: the letter is the type, the number the time."""
    names = text.split()
    columns = {
        "event_type": [name[0].upper() for name in names],
        "ts": pa.array([int(name[1:]) for name in names], pa.int64()),
        "seq": pa.array(range(len(names)), pa.int64()),
    }
    return pa.table({**columns, **attributes})


I11 = stream("a1 b2 c2 a3 e3 a4 c5 d6 b7 a8 b9")
I5 = stream("a1 b2 a3 a4 b7", attr=[5, None, 6, 4, None])


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("A+", 15),
        ("SEQ(A+, B)", 23),
        ("(SEQ(A+, B))+", 43),
        ("(A+)+", 15),
        ("SEQ(A, A, A+)", 5),
        ("SEQ(A*, B)", 26),
        ("SEQ(A?, B)", 11),
        ("SEQ(A x, B y) OR SEQ(C u, D v)", 10),
    ],
)
def test_counts_on_i11(pattern: str, count: int) -> None:
    """Paper 03, Figure 6, and G5, G7, G23, G24."""
    [row] = aggregate(f"RETURN COUNT(*) PATTERN {pattern} WITHIN 100", I11)
    assert row["count"] == count


def test_all_aggregates_on_i5() -> None:
    """Paper 03, Example 1 and Figure 12 (G8)."""
    query = """RETURN COUNT(*), COUNT(A), MIN(A.attr), MAX(A.attr), SUM(A.attr), AVG(A.attr)
               PATTERN (SEQ(A+, B))+ WITHIN 100"""
    [row] = aggregate(query, I5)
    names = ("count", "count_A", "min_A_attr", "max_A_attr", "sum_A_attr", "avg_A_attr")
    assert [row[name] for name in names] == [11, 20, 4, 6, 100, 5.0]


def test_sliding_windows_of_example_6() -> None:
    """Paper 03, Example 6, a second earlier, on the epoch's grid (G16): [0, 10) has 43 trends, [3, 13) has 5."""
    events = stream("a0 b1 c1 a2 e2 a3 c4 d5 b6 a7 b8")
    rows = aggregate("RETURN COUNT(*) PATTERN (SEQ(A+, B))+ WITHIN 10 SLIDE 3", events)
    counts = {row["window_start"]: row["count"] for row in rows}
    assert (counts[0], counts[3]) == (43, 5)


@pytest.mark.parametrize(("pattern", "count"), [("A+", 4), ("(SEQ(A+, B))+", 7)])
def test_edge_predicates(pattern: str, count: int) -> None:
    """Paper 03, Example 7 (G18): the test stands on a -> a, b -> a is free."""
    [row] = aggregate(f"RETURN COUNT(*) PATTERN {pattern} WHERE A.attr < NEXT(A).attr WITHIN 100", I5)
    assert row["count"] == count


def test_down_trends() -> None:
    """Paper 03, section 2 (G9): every down-trend of these prices is kept and extended."""
    prices = [10, 2, 9, 8, 7, 1, 6, 5, 4, 3]
    events = stream(" ".join(f"s{i}" for i in range(10)), price=prices)
    query = "RETURN COUNT(*) PATTERN S+ WHERE S.price > NEXT(S).price WITHIN 100"
    assert aggregate(query, events)[0]["count"] == 275


def test_recurring_types() -> None:
    """Paper 03, Figure 13 (G26): an event may take several places, but never follows itself."""
    events = stream("a1 b2 a3 a4 b5")
    assert aggregate("RETURN COUNT(*) PATTERN SEQ(A+, B, A, A+, B+) WITHIN 100", events)[0]["count"] == 1
    events = stream("a1 a2 a3")
    assert aggregate("RETURN COUNT(*) PATTERN SEQ(A+, A+) WITHIN 100", events)[0]["count"] == 5


def test_ties() -> None:
    """G2: two a's at one moment are two trends; ordered, they also follow each other."""
    assert aggregate("RETURN COUNT(*) PATTERN A+ WITHIN 100", stream("a1 a1"))[0]["count"] == 2
