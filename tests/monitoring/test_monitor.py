"""`cep.monitor`: formulas on whole logs, as texts and as tables."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cep_core as cep
from cep_core.events.logs.errors import LogError
from cep_core.monitoring.first_order.arrays.errors import EvaluationError

SIGNATURE = "P(x: int) Q(x: int, y: string)"


def verdicts(formula: str, log: object, **how: object) -> list[tuple[object, ...]]:
    signature = None if isinstance(log, pa.Table) else SIGNATURE
    rows = cep.monitor(formula, signature, log, **how).to_pylist()  # type: ignore[arg-type, union-attr]
    return [tuple(row.values()) for row in rows]


def test_columns_are_ts_tp_and_the_variables_as_they_occur() -> None:
    answer = cep.monitor("Q(x, y) AND ONCE P(x)", SIGNATURE, '@1 P(3) @2 @9 Q(3,"a")(4,"b")')
    assert isinstance(answer, pa.Table)
    assert answer.schema == pa.schema(
        [
            pa.field("ts", pa.int64(), False),
            pa.field("tp", pa.int64(), False),
            pa.field("x", pa.int64(), False),
            pa.field("y", pa.string(), False),
        ]
    )
    assert answer.to_pylist() == [{"ts": 9, "tp": 2, "x": 3, "y": "a"}]


def test_columns_keep_their_order_when_rewriting_changes_the_formula() -> None:
    """The suites' let02: the definition is unfolded and its disjuncts change places."""
    formula = "LET R(y, z) = P(y) AND P(z) IN (R(u, v) OR R(v, u)) AND u < v"
    assert verdicts(formula, "@1 P(1)(2)", end="closed") == [(1, 0, 1, 2)]


def test_an_open_log_reports_what_is_decided() -> None:
    log = "@1 P(1) @4 P(2) @9 P(3)"
    soon = "P(x) AND NOT EVENTUALLY[1,5] P(2)"
    assert verdicts(soon, log) == []
    assert verdicts(soon, log, end="closed") == [(4, 1, 2), (9, 2, 3)]
    with pytest.raises(ValueError, match="'open' or 'closed'"):
        verdicts(soon, log, end="shut")


def test_time_points_of_a_table() -> None:
    events = pa.table({"event_type": ["P", "P", "P"], "ts": [1, 1, 2], "x": [5, 6, 5], "batch": [2, 1, 1]})
    before = "P(x=x) AND PREV P(x=z)"
    assert verdicts(before, events) == [(2, 1, 5, 5), (2, 1, 5, 6)]
    assert verdicts(before, events, points="by_event") == [(1, 1, 6, 5), (2, 2, 5, 6)]
    assert verdicts(before, events, points="batch") == [(1, 1, 5, 6), (2, 2, 5, 5)]
    assert verdicts(before, events.rename_columns(["event_type", "ts", "x", "point"])) == [(1, 1, 5, 6), (2, 2, 5, 5)]


def test_events_of_a_type_called_tp_are_no_clock() -> None:
    """`tp(x=v)` names an attribute of the table's own type; `tp(i)` is the index of the point."""
    events = pa.table({"event_type": ["tp", "P", "tp"], "ts": [1, 4, 4], "x": [5, 6, 7]})
    assert verdicts("tp(x=v)", events) == [(1, 0, 5), (4, 1, 7)]
    assert verdicts("(ONCE[1,3] tp(x=v)) AND P(x=w)", events) == [(4, 1, 5, 6)]
    assert verdicts("tp(x=7) AND tp(i)", events) == [(4, 1, 1)]


def test_each_sub_log_has_its_own_points() -> None:
    events = pa.table({"event_type": ["P", "P", "P", "P"], "ts": [1, 2, 3, 4], "x": [5, 6, 7, 8], "k": list("abab")})
    assert verdicts("P(x=x) AND PREV P(x=z)", events, for_each="k") == [(3, 1, "a", 7, 5), (4, 1, "b", 8, 6)]


def test_a_null_is_no_value() -> None:
    events = pa.table({"event_type": ["P", "P"], "ts": [1, 2], "x": [None, 4], "b": [True, False]})
    assert verdicts("P(x=x)", events) == [(2, 1, 4)]
    assert verdicts("P(x=_)", events) == [(1, 0), (2, 1)]
    assert verdicts("P(b=1)", events) == [(1, 0)]


def test_batches_are_the_rows_of_the_table() -> None:
    log = "@1 P(1)(2) @2 @5 P(7)"
    stream = cep.monitor("ONCE P(x)", SIGNATURE, log, batches=True)
    assert isinstance(stream, pa.RecordBatchReader)
    assert stream.read_all().to_pylist() == cep.monitor("ONCE P(x)", SIGNATURE, log).to_pylist()  # type: ignore[union-attr]


def test_three_forms_of_one_log_have_the_same_verdicts(tmp_path: Path) -> None:
    """F12. DejaVu's stamps are all 0, so the formula asks for none."""
    formula = "Q(x, y) AND ONCE P(x)"
    (tmp_path / "monpoly.log").write_text('@0 P(3) @0 Q(3,"a") @0 Q(4,"b")')
    (tmp_path / "dejavu.csv").write_text("P,3\nQ,3,a\nQ,4,b\n")
    (tmp_path / "rv.csv").write_text("P, tp=0, ts=0, x=3\nQ, tp=1, ts=0, x=3, y=a\nQ, tp=2, ts=0, x=4, y=b\n")
    for name in ("monpoly.log", "dejavu.csv", "rv.csv"):
        assert verdicts(formula, tmp_path / name) == [(0, 1, 3, "a")]
        with (tmp_path / name).open("rb") as log:
            stream = cep.monitor(formula, SIGNATURE, log, batches=True)
            assert [tuple(row.values()) for row in stream.read_all().to_pylist()] == [(0, 1, 3, "a")]  # type: ignore[union-attr]


@pytest.mark.parametrize("first", ["@", "  @", "P", "P,"])
def test_the_form_of_a_pipe_is_told_by_no_more_than_is_needed(first: str) -> None:
    """MonPoly's by a character; others by the first line, however it comes."""
    log = {"@": "@0 P(3);", "P": "P, tp=0, ts=0, x=3\nP, tp=1, ts=0, x=4\n"}.get(first.strip(), "P,3\n")
    reading, writing = os.pipe()
    with open(reading, "rb") as pipe, open(writing, "wb", buffering=0) as sink:
        sink.write(first.encode())
        rest = (log.removeprefix(first.strip())).encode()
        late = threading.Timer(0.01, sink.write, [rest])
        late.start()
        stream = cep.monitor("P(x)", SIGNATURE, pipe, batches=True)
        assert stream.read_next_batch().to_pylist() == [{"ts": 0, "tp": 0, "x": 3}]  # type: ignore[union-attr]
        late.join()


def test_a_formula_in_a_file_is_named_in_its_errors(tmp_path: Path) -> None:
    policy = tmp_path / "wrong.mfotl"
    policy.write_text("-- Who?\nP(x) OR Q(y, z)\n")
    with pytest.raises(cep.UnsafeFormula, match=r"wrong\.mfotl:2:"):
        cep.monitor(policy, SIGNATURE, "@1")


def test_a_term_without_a_value_shows_its_line_stamp_and_values() -> None:
    formula = "P(x) AND\n  y = 10 / (x - 3)"
    with pytest.raises(EvaluationError) as caught:
        verdicts(formula, "@1 P(5) @8 P(7)(3)")
    assert str(caught.value).splitlines() == [
        "<query>:2:7: 10 / 0 is a division by zero, at @8 with x = 3",
        "    y = 10 / (x - 3)",
        "        ^^^^^^^^^^^^",
    ]
    assert (caught.value.stamp, caught.value.values) == (8, {"x": 3})


def test_a_sum_that_does_not_fit_is_an_error_with_its_group() -> None:
    formula = "s <- SUM x; y Q(x, y)"
    with pytest.raises(EvaluationError, match='SUM of 2 values of x does not fit 64 bits, at @4 with y = "b"'):
        verdicts(formula, f'@1 Q(1,"a") @4 Q({2**63 - 1},"b")(1,"b") Q(1,"a")')


def test_a_text_needs_a_signature_and_must_keep_it() -> None:
    with pytest.raises(ValueError, match="needs a signature"):
        cep.monitor("P(x)", None, "@1 P(1)")
    with pytest.raises(LogError):
        cep.monitor("P(x)", SIGNATURE, '@1 P("a")')


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("PQ"), st.integers(0, 2)), max_size=8).map(sorted))
def test_a_table_and_its_text_have_the_same_verdicts(rows: list[tuple[int, str, int]]) -> None:
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    types = {"ts": pa.int64(), "event_type": pa.string(), "x": pa.int64()}
    table = pa.table({name: pa.array(column, types[name]) for name, column in zip(types, columns, strict=True)})
    points = {ts: " ".join(f"{name}({x})" for at, name, x in rows if at == ts) for ts, _, _ in rows}
    text = " ".join(f"@{ts} {events}" for ts, events in points.items())
    formula = "(P(x) OR ONCE[1,2] Q(x)) AND NOT PREV P(x)"
    of_text = cep.monitor(formula, "P(x: int) Q(x: int)", text, end="closed")
    assert cep.monitor(formula, None, table, end="closed").to_pylist() == of_text.to_pylist()  # type: ignore[union-attr]


def test_a_column_called_offset_is_refused_by_name() -> None:
    """It would be the column of time-points."""
    events = pa.table({"event_type": ["P"], "ts": [1], "offset": [7]})
    with pytest.raises(ValueError, match="the log has a column 'offset', which is the column of an event's time-point"):
        cep.monitor("P(offset=x)", None, events)
    with pytest.raises(ValueError, match="the log has a column 'offset'"):
        cep.monitor_mtl("P", events)
