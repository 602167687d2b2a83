"""The columns of logs in every kind: long and decimal numbers, records, and types that no condition compares."""

from __future__ import annotations

import warnings
from datetime import datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cep_core as cep
from tests.events.frame_kinds import KINDS, rows_of

DECIMAL = {kind: of for kind, of in KINDS.items() if kind not in ("rows", "columns")}


@pytest.mark.parametrize("kind", DECIMAL)
def test_decimals_are_numbers(kind: str) -> None:
    """As DuckDB makes of 1.5, and of a sum of whole numbers; they were unknown attributes once."""
    prices = pa.array([Decimal("1.50"), Decimal("2.25")], pa.decimal128(10, 2))
    ids = pa.array([7, 7], pa.decimal128(38, 0))
    log = KINDS[kind](pa.table({"event_type": ["A", "B"], "ts": [1, 2], "price": prices, "id": ids}))
    query = "PATTERN SEQ(A a, B b) WHERE [id] AND b.price > a.price WITHIN 9 RETURN b.price AS price, a.id AS id"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        [row] = rows_of(cep.match(query, log))
    assert (row["price"], row["id"]) == (2.25, 7)


@given(st.lists(st.integers(2**63, 2**64 - 1), min_size=2, max_size=2))
def test_unsigned_numbers_stay_apart(numbers: list[int]) -> None:
    """Those beyond 64 bits with a sign are texts, which a warning says."""
    log = pa.table({"event_type": ["A", "B"], "ts": [1, 2], "id": pa.array(numbers, pa.uint64())})
    with pytest.warns(UserWarning, match="'id' holds whole numbers beyond 64 bits; they are read as texts"):
        answer = cep.match("PATTERN SEQ(A a, B b) WHERE [id] WITHIN 9", log)
    assert answer.num_rows == (numbers[0] == numbers[1])


def test_numbers_that_no_column_holds() -> None:
    """Rows of Python's numbers: the column is named."""
    rows = [{"event_type": "A", "ts": 1, "id": 2**70}]
    for log in (rows, {key: [rows[0][key]] for key in rows[0]}):
        with pytest.raises(ValueError, match="'id' holds a whole number beyond 64 bits; give such numbers as texts"):
            cep.match("PATTERN A a WITHIN 9", log)


def test_records_and_names_with_blanks() -> None:
    """Fields of records are columns, and names that queries cannot say have underscores, as in files."""
    rows = [{"kind of": "AB"[row], "at": {"ts": row}, "user": {"id": 7, "in": {"x y": 1}}} for row in range(2)]
    query = "PATTERN SEQ(A a, B b) WHERE [user_id] AND a.user_in_x_y = 1 WITHIN 9"
    for log in (rows, pa.Table.from_pylist(rows)):
        assert len(rows_of(cep.match(query, log, ts="at.ts", type="kind of"))) == 1


def test_columns_that_no_condition_compares() -> None:
    """They were unknown attributes, though the log has them. Nothing is said where the query does not name them."""
    moment = datetime(2024, 1, 31, 8)
    log = pa.table({"event_type": ["A"], "ts": [1], "until": [moment], "tags": [["a"]], "price": [Decimal("1.5")]})
    for name, said in (("until", r"timestamp\[us\], .*; whole seconds, say, can be"), ("tags", "list<")):
        for query in (f"PATTERN A a WHERE a.{name} = 1 WITHIN 9", f"PATTERN A a WHERE [{name}] WITHIN 9"):
            with pytest.raises(ValueError, match=f"'{name}' holds {said}"):
                cep.match(query, log)
    assert cep.match("PATTERN A a WHERE a.price > 1 WITHIN 9", log).num_rows == 1
