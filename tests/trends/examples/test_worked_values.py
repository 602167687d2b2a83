"""The worked values of docs/semantics.md 4 and of paper 03, by number."""

from __future__ import annotations

import pyarrow as pa
import pytest

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.events.table import log_schema_of
from cep_core.language.patterns.bind.binding import bind
from cep_core.trends.evaluator import TrendEvaluator
from tests.trends.examples.running_examples import I5, I11, stream


def aggregate(text: str, events: pa.Table) -> list[dict[str, object]]:
    """The result rows of a query over a whole log."""
    evaluator = TrendEvaluator(bind(text, log_schema_of(events)))
    return evaluator.merge(evaluator.evaluate(events)).to_pylist()


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
        ("(SEQ(A+, NOT SEQ(C, NOT E, D), B))+", 13),
        ("SEQ(A+, NOT E)", 14),
        ("SEQ(NOT E, A+)", 12),
        ("SEQ(A+, NOT (E+))", 14),
        ("SEQ(A+, (NOT E)+)", 14),
    ],
)
def test_counts_on_i11(pattern: str, count: int) -> None:
    """Paper 03, Figures 6 and 8, and G3, G5, G7, G11, G13, G14, G23, G24."""
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
    """Paper 03, Example 6, one second earlier, on the epoch's grid (G16): [0, 10) has 43 trends, [3, 13) has 5."""
    events = stream("a0 b1 c1 a2 e2 a3 c4 d5 b6 a7 b8")
    rows = aggregate("RETURN COUNT(*) PATTERN (SEQ(A+, B))+ WITHIN 10 SLIDE 3", events)
    counts = {row["window_start"]: row["count"] for row in rows}
    assert (counts[0], counts[3]) == (43, 5)


@pytest.mark.parametrize(("pattern", "count"), [("A+", 4), ("(SEQ(A+, B))+", 7)])
def test_edge_predicates(pattern: str, count: int) -> None:
    """Paper 03, Example 7 (G18): the condition is on the edge a -> a; the edge b -> a has none."""
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


def test_group_that_a_trend_lacks() -> None:
    """docs/semantics.md 4: trends without an event that has the grouped attribute form the group null, the last one."""
    events = stream("a1 b2 a3 b4", g=[2, None, 1, None])
    rows = aggregate("RETURN COUNT(*) PATTERN SEQ(A?, B) GROUP-BY A.g WITHIN 100", events)
    assert [(row["g"], row["count"]) for row in rows] == [(1, 1), (2, 2), (None, 2)]


def test_ties() -> None:
    """G2: two a's at one moment are two trends. With ordered ties, they also follow each other."""
    assert aggregate("RETURN COUNT(*) PATTERN A+ WITHIN 100", stream("a1 a1"))[0]["count"] == 2


def counts(pattern: str, events: pa.Table, window: str = "WITHIN 100") -> list[object]:
    """The number of trends of each window that has a trend."""
    return [row["count"] for row in aggregate(f"RETURN COUNT(*) PATTERN {pattern} {window}", events)]


def test_negations_side_by_side() -> None:
    """G4: neither type may occur. A negated sequence of them means something else."""
    events = stream("a1 b2 a3")
    assert counts("SEQ(A x, NOT B, NOT C, A y)", events) == []
    assert counts("SEQ(A x, NOT SEQ(B, C), A y)", events) == [1]


def test_nested_negation() -> None:
    """Paper 03, Example 4 (G12): an E between C and D excuses them; an E elsewhere changes nothing."""
    events = stream("a1 c2 e3 d4 b5")
    assert counts("(SEQ(A+, NOT SEQ(C, NOT E, D), B))+", events) == [1]
    assert counts("(SEQ(A+, NOT SEQ(C, D), B))+", events) == []
    assert counts("(SEQ(A+, NOT SEQ(C, D), B))+", I11) == [13]


def test_leading_negation() -> None:
    """G14: a1 e2 a3 keeps a1 and (a1 a3)."""
    assert counts("SEQ(NOT E, A+)", stream("a1 e2 a3")) == [2]


def test_negated_trends_cut_from_start_to_end() -> None:
    """Paper 03, Definition 5 (G11): c2 d6 separates events before c2 from events after d6 only; ties cut nothing."""
    assert counts("SEQ(A, NOT SEQ(C, D), B)", stream("a1 c2 a2 a3 b5 d6 b6 b7")) == [8]
    assert counts("SEQ(A, NOT C, B)", stream("a1 c1 b2")) == [1]
    assert counts("SEQ(A, NOT C, B)", stream("a1 c2 b2")) == [1]


def test_negation_ends_at_the_next_event_of_the_pattern() -> None:
    """docs/semantics.md 3: in SEQ(A, SEQ(B, NOT E), C) NOT E ends at C. Only without a neighbour the window ends it."""
    assert counts("SEQ(A, SEQ(B, NOT E), C)", stream("a1 b2 c3 e4")) == [1]
    assert counts("SEQ(A, SEQ(B, NOT E), C)", stream("a1 b2 e3 c4")) == []


def test_negation_at_the_edges_of_sliding_windows() -> None:
    """An E forbids nothing in windows without it. Nor does a sequence that is only partly in the window."""
    events = stream("c1 d4 a6 c7 d12")
    assert counts("SEQ(NOT SEQ(C, D), A)", events, "WITHIN 10 SLIDE 3") == [1, 1]  # [3, 13), [6, 16): not [0, 10)
    assert counts("SEQ(A, NOT SEQ(C, D))", events, "WITHIN 10 SLIDE 3") == [
        1,
        1,
    ]  # windows [-3, 7), [0, 10): d12 is outside


def test_negated_type_without_part_of_the_key() -> None:
    """GRETA's Q3: an accident is in the partition of every vehicle of its segment; without a segment it is in none."""
    text = """RETURN segment, COUNT(*), AVG(P.speed) PATTERN SEQ(NOT Accident A, Position P+)
              WHERE [P.vehicle, segment] AND P.speed > NEXT(P).speed GROUP-BY segment WITHIN 10"""
    whole = AttributeType.INT
    accident = {"segment": Attribute("segment", whole)}
    position = {name: Attribute(name, whole) for name in ("segment", "vehicle", "speed")}
    events = pa.table(
        {
            "event_type": ["Position", "Accident", "Position", "Accident", "Position", "Position"],
            "ts": [1, 2, 3, 4, 5, 6],
            "seq": range(6),
            "segment": [1, None, 2, 1, 1, 1],
            "vehicle": [7, None, 8, None, 7, 9],
            "speed": [50, None, 60, None, 40, 30],
        }
    )
    evaluator = TrendEvaluator(bind(text, LogSchema({"Accident": accident, "Position": position})))
    rows = evaluator.merge(evaluator.evaluate(events)).to_pylist()
    # in segment 1, trends of vehicle 7 begin before the accident; trends of vehicle 9 would begin after it
    assert [(row["segment"], row["count"], row["avg_P_speed"]) for row in rows] == [(1, 2, 140 / 3), (2, 1, 60.0)]


def test_negation_keeps_every_digit() -> None:
    """Counts beyond a machine word: 2**100 - 1 trends lie before c, and as many lie after it."""
    log = stream(" ".join([f"a{i}" for i in range(1, 101)] + ["c101"] + [f"a{i}" for i in range(102, 202)]))
    before, after = 2**100 - 1, 2**100 - 1
    assert exact_counts("(SEQ(A, NOT C))+", log) == [str(after)]
    assert exact_counts("SEQ(NOT C, A+)", log) == [str(before * 2**100)]
    assert exact_counts("SEQ(A+, NOT C)", log) == [str(after * 2**100)]
    assert exact_counts("SEQ((SEQ(A, NOT C))+, A b)", log) == [str(2 * (2**100 - 1 - 100))]


def test_events_of_one_moment_are_one_step() -> None:
    """G27: in any order of arrival, a3 and e3 neither follow nor cut each other."""
    for pattern, count in (("SEQ(A+, NOT E)", 14), ("SEQ(A, NOT E, A b)", 4), ("(SEQ(A, NOT E))+", 11)):
        for order in ("a1 b2 c2 a3 e3 a4 c5 d6 b7 a8 b9", "a1 c2 b2 e3 a3 a4 c5 d6 b7 a8 b9"):
            assert counts(pattern, stream(order)) == [count]


def exact_counts(pattern: str, events: pa.Table) -> list[object]:
    """The number of trends of each window, with all digits."""
    query = bind(f"RETURN COUNT(*) PATTERN {pattern} WITHIN 1000", log_schema_of(events))
    evaluator = TrendEvaluator(query, exact=True)
    return evaluator.merge(evaluator.evaluate(events)).column("count_exact").to_pylist()
