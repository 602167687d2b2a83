"""A policy asked several questions of one log: verdicts, and the causes of each of them."""

from __future__ import annotations

import pyarrow as pa
import pytest

import cep_core as cep
from cep_core.policy_on_log import MonitorSettings, PolicyOnLog

SIGNATURE = "P(x: int) Q(x: int)"
LOG = "@1 P(1) @4 P(2) Q(1) @4 P(1) @9 Q(2)"


@pytest.mark.parametrize("for_each", [None, "x"])
@pytest.mark.parametrize("negate", [False, True])
def test_every_verdict_has_a_proof(for_each: str | None, negate: bool) -> None:
    formula = "P(x) IMPLIES PREV Q(x)" if negate else "P(x) AND NOT PREV Q(x)"
    settings = MonitorSettings(end="closed", for_each=for_each, negate=negate, with_causes=True)
    asked = PolicyOnLog(formula, SIGNATURE, LOG, settings)
    rows = [tuple(row.values()) for row in asked.table().to_pylist()]
    assert rows == ([(1, 0, 1), (4, 1, 2)] if for_each is None else [(1, 0, 1, 1), (4, 0, 2, 2)])
    for row in rows:
        causes = asked.causes_of_verdict(row)
        assert causes.holds
        assert causes.is_proof


def test_a_variable_called_like_a_column_has_a_column_of_its_own() -> None:
    """Of the whole log, of blocks, and of sub-logs."""
    formula = "P(tp) AND ts(ts) AND tp(ts_)"
    names = ["ts", "tp", "tp_", "ts_", "ts__"]
    for batches in (False, True):
        answer = cep.monitor(formula, SIGNATURE, LOG, batches=batches)
        rows = answer.read_all() if isinstance(answer, pa.RecordBatchReader) else answer
        assert rows.schema.names == names
        assert rows.to_pylist()[1] == dict(zip(names, (4, 1, 2, 4, 1), strict=True))
        of_each = cep.monitor("P(x)", SIGNATURE, LOG, for_each="x", batches=batches)
        assert of_each.schema.names == ["ts", "tp", "x", "x_"]


def test_points_by_a_column_that_is_not_there() -> None:
    table = pa.table({"event_type": ["P"], "ts": [1], "x": [5]})
    with pytest.raises(ValueError, match="there is no column 'batch'"):
        cep.monitor("P(x=x)", None, table, points="batch")


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("P(s: int)", "s of P is of type int in the signature, and the table's column holds string"),
        ("P(x: string)", "x of P is of type string"),
        ("P(f: int)", "f of P is of type int"),
        ("P(z: int)", "P has the attribute z in the signature, and the table no such column"),
    ],
)
def test_a_table_that_breaks_its_signature(signature: str, message: str) -> None:
    table = pa.table({"event_type": ["P", "P"], "ts": [1, 1], "x": [1, 2], "f": [1.0, 1.5], "s": ["a", "b"]})
    with pytest.raises(ValueError, match=message):
        cep.monitor("P(v)", signature, table)
    with pytest.raises(ValueError, match=message):
        cep.why("P(v)", signature, table, (1, 0), {"v": "a" if "string" in signature else 1})


def test_a_table_may_hold_ints_for_floats_and_bools_for_ints() -> None:
    table = pa.table({"event_type": ["P", "P"], "ts": [1, 1], "x": [1, 2], "b": [True, False]})
    assert cep.monitor("P(x, 1)", "P(x: float, b: int)", table).to_pylist() == [{"ts": 1, "tp": 0, "x": 1.0}]
