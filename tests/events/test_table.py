"""The contract of a log's table."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.arrays import read_only
from cep_core.events import table as tables
from cep_core.events.extents import extent
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.events.table import log_schema_of, order, validate


def test_a_bare_table_is_an_open_world() -> None:
    """Every type has every attribute; columns that are no attributes are left aside."""
    table = pa.table(
        {
            "event_type": ["A"],
            "ts": [1],
            "seq": [0],
            "x": pa.array([1], pa.int16()),
            "s": pa.array(["a"]).dictionary_encode(),
            "day": pa.array([0], pa.date32()),
        }
    )
    schema = log_schema_of(table, "ms")
    assert schema.unit == "ms"
    assert schema.has_type("anything")
    assert {name: a.type for name, a in schema.attributes_of("anything").items()} == {
        "x": AttributeType.INT,
        "s": AttributeType.STRING,
    }


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 50)), max_size=8, unique_by=lambda pair: pair[1]))
def test_order_is_by_time_then_seq(pairs: list[tuple[int, int]]) -> None:
    """The order of a log is (ts, seq), whatever the order of rows; `pos` is the rank in it."""
    table = pa.table(
        {
            "event_type": pa.array(["A"] * len(pairs), pa.string()),
            "ts": pa.array([ts for ts, _ in pairs], pa.int64()),
            "seq": pa.array([seq for _, seq in pairs], pa.int64()),
        }
    )
    ordered = order(table)
    assert list(zip(ordered["ts"].to_pylist(), ordered["seq"].to_pylist(), strict=True)) == sorted(pairs)
    assert ordered["pos"].to_pylist() == list(range(len(pairs)))


def test_without_seq_rows_are_in_order() -> None:
    """Ties keep the order of rows; narrow integers are widened."""
    ordered = order(pa.table({"event_type": ["B", "A", "C"], "ts": pa.array([2, 1, 1], pa.int32())}))
    assert ordered["event_type"].to_pylist() == ["A", "C", "B"]
    assert ordered.schema.field("ts").type == pa.int64()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"ts": [1]}, "needs the column 'event_type'"),
        ({"event_type": ["A"]}, "needs the column 'ts'"),
        ({"event_type": [1], "ts": [1]}, "'event_type' holds text"),
        ({"event_type": ["A"], "ts": [1.5]}, "'ts' holds double, not whole numbers"),
        ({"event_type": ["A"], "ts": [1], "seq": ["x"]}, "'seq' holds string, not whole numbers"),
        ({"event_type": ["A"], "ts": [2**62]}, r"moments lie between -2\^62 and 2\^62"),
        ({"event_type": ["A", "A"], "ts": [-(2**63), 0]}, "'ts' holds -9223372036854775808 to 0"),
        ({"event_type": ["A"], "ts": pa.array([None], pa.int64())}, "'ts' has nulls"),
        ({"event_type": ["A", "A"], "ts": [1, 2], "seq": [7, 7]}, "'seq' is not unique"),
    ],
)
def test_broken_contracts_are_named(columns: dict[str, object], message: str) -> None:
    """What is wrong with a table is said before any engine sees it."""
    with pytest.raises(ValueError, match=message):
        order(pa.table(columns))


def test_declared_attributes_must_be_there_in_their_type() -> None:
    """An integer column may stand for a float attribute, not the reverse."""
    schema = LogSchema({"A": {"x": Attribute("x", AttributeType.INT)}})
    base = {"event_type": ["A"], "ts": [1], "seq": [0]}
    validate(pa.table(base | {"x": [1]}), schema)
    with pytest.raises(ValueError, match="no such column"):
        validate(pa.table(base), schema)
    with pytest.raises(ValueError, match="'x' of A is int, but the column is double"):
        validate(pa.table(base | {"x": [1.5]}), schema)
    floats = LogSchema({"A": {"x": Attribute("x", AttributeType.FLOAT)}})
    validate(pa.table(base | {"x": [1]}), floats)


@given(st.lists(st.sampled_from("ABCDEF"), max_size=12), st.permutations("ABCDEFXY"), st.integers(0, 8))
def test_types_of_codes_are_those_of_their_texts(texts: list[str], dictionary: list[str], few: int) -> None:
    """By first occurrence, also of types that occur late only, and where a dictionary is long."""
    codes = pa.array([dictionary.index(text) for text in texts], pa.int8())
    column = pa.chunked_array([pa.DictionaryArray.from_arrays(codes, pa.array(dictionary))])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "FIRST", 4)
        patch.setattr(tables, "FEW", few)
        schema = log_schema_of(pa.table({"event_type": column, "ts": range(len(texts))}))
    assert list(schema.types) == pc.unique(pa.array(texts, pa.string())).to_pylist()


@given(st.lists(st.integers(-3, 3) | st.sampled_from([-(2**61), 2**61]), max_size=9))
def test_the_extent_of_numbers(numbers: list[int]) -> None:
    rise = all(earlier < later for earlier, later in pairwise(numbers))
    expected = (min(numbers, default=0), max(numbers, default=0), rise)
    assert extent(read_only(np.array(numbers, np.int64))) == expected
