"""The public face: a query and a table in, a table out."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

import cep_core as cep
from cep_core.language.errors import QueryError

I11 = pa.table({"event_type": list("ABCAEACDBAB"), "ts": [1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9]})
I5 = pa.table({"event_type": list("ABAAB"), "ts": [1, 2, 3, 4, 7], "attr": [5, None, 6, 4, None]})
SASE = pa.table({"event_type": list("AABBC"), "ts": [1, 2, 5, 6, 7]})


@pytest.mark.parametrize(("pattern", "count"), [("A+", 15), ("SEQ(A+, B)", 23), ("(SEQ(A+, B))+", 43), ("(A+)+", 15)])
def test_trend_counts_of_greta(pattern: str, count: int) -> None:
    """The stream I of paper 03."""
    table = cep.aggregate(f"RETURN COUNT(*) PATTERN {pattern} WITHIN 10", I11)
    assert table.column_names == ["window_start", "window_end", "count", "count_log10"]
    assert table["count"].to_pylist() == [Decimal(count)]


def test_aggregates_of_greta() -> None:
    """Example 1: COUNT(*)=11, COUNT(A)=20, MIN=4, MAX=6, SUM=100, AVG=5."""
    text = (
        "RETURN COUNT(*), COUNT(A), MIN(A.attr), MAX(A.attr), SUM(A.attr), AVG(A.attr) PATTERN (SEQ(A+, B))+ WITHIN 10"
    )
    (row,) = cep.aggregate(text, I5).to_pylist()
    names = ("count", "count_A", "min_A_attr", "max_A_attr", "sum_A_attr", "avg_A_attr")
    assert [row[name] for name in names] == [11, 20, 4, 6, 100, 5.0]


@pytest.mark.parametrize(
    ("strategy", "first_as"),
    [("strict_contiguity", [1]), ("skip_till_next_match", [0, 1]), ("skip_till_any_match", [0, 0, 0, 1, 1, 1])],
)
def test_selection_strategies(strategy: str, first_as: list[int]) -> None:
    """Paper 04's Fig. 3: one, two and six matches."""
    matches = cep.match(f"PATTERN SEQ(A a, B+ b[], C c) WHERE {strategy} WITHIN 10", SASE)
    assert sorted(matches["a"].to_pylist()) == first_as
    assert matches.schema.metadata[b"matches_total"] == str(len(first_as)).encode()
    assert "certain" not in matches.column_names


def test_a_query_may_be_a_file_and_a_schema_plain_words(tmp_path: Path) -> None:
    """`Path` is a file, `str` is text; a schema maps event types to attributes and types."""
    file = tmp_path / "pairs.cep"
    file.write_text("PATTERN SEQ(A a, B b) WHERE a.x = b.x WITHIN 1 minute")
    log = pa.table({"event_type": ["A", "B"], "ts": [0, 60_000], "x": ["k", "k"]})
    schema = {"A": {"x": "string"}, "B": {"x": "string"}}
    assert cep.match(file, log, schema=schema, unit="ms").num_rows == 1
    assert cep.match(file, log, schema=schema, unit="s").num_rows == 0
    with pytest.raises(QueryError, match="unknown event type") as caught:
        cep.match(file, log, schema={"A": {"x": "string"}})
    assert str(caught.value).startswith(f"{file}:1:")


def test_ties_are_concurrent_unless_ordered() -> None:
    """Two a's at one time: no trend of both, unless `seq` orders them."""
    log = pa.table({"event_type": ["A", "A"], "ts": [1, 1]})
    text = "RETURN COUNT(*) PATTERN A+ WITHIN 5"
    assert cep.aggregate(text, log)["count"].to_pylist() == [2]
    assert cep.aggregate(text, log, ties="ordered")["count"].to_pylist() == [3]


def test_rows_in_any_order() -> None:
    """The order of a log is (ts, seq), not that of the rows."""
    shuffled = I11.append_column("seq", pa.array(range(11))).take(pa.array([10, 3, 5, 7, 0, 1, 9, 2, 8, 4, 6]))
    table = cep.aggregate("RETURN COUNT(*) PATTERN (SEQ(A+, B))+ WITHIN 10", shuffled)
    assert table["count"].to_pylist() == [43]


def test_each_kind_of_query_has_its_function() -> None:
    """Aggregation is not matching, and says where to go."""
    with pytest.raises(QueryError) as caught:
        cep.aggregate("PATTERN A+ WITHIN 5", I11)
    assert "cep.match" in caught.value.hint
    with pytest.raises(QueryError) as caught:
        cep.match("RETURN COUNT(*) PATTERN A+ WITHIN 5", I11)
    assert "cep.aggregate" in caught.value.hint
