"""A log in blocks has the rows of the whole log, and points that nothing needs are dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.signature import parse_signature
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.text.parsing import parse
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.temporal.formulas import Formula
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.first_order.blocks import BlockMonitor, block_verdicts
from cep_core.monitoring.first_order.whole_log import verdict_columns, verdicts
from cep_core.testing.formulas import safe_formulas
from cep_core.testing.logs import Event, log_of
from cep_core.testing.signatures import drawn_points, signatures
from tests.counts import few

SCHEMA = parse_signature("P(x: int) Q(x: int) S(x: int, name: string) T()")


def policy_of(text: str) -> Policy:
    return bind_written(parse(text, "p.mfotl"), SCHEMA, text, "p.mfotl")


def pieces(log: PointLog, cuts: Sequence[int]) -> list[PointLog]:
    """The log in blocks that end at these points."""
    bounds = sorted({0, log.points, *cuts})
    return [_until(log.since(first), last - first) for first, last in pairwise(bounds)]


def _until(log: PointLog, points: int) -> PointLog:
    events = {}
    for name, typed in log.events.items():
        rows = pa.array(typed.point < points)
        columns = {attribute: column.filter(rows) for attribute, column in typed.columns.items()}
        events[name] = type(typed)(typed.point[typed.point < points], columns)
    return PointLog(log.stamps[:points], events)


def rows_of(batches: Iterator[pa.RecordBatch], policy: Policy) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = pa.Table.from_batches(batches, verdict_columns(policy)).to_pylist()
    return rows


@given(st.data())
def test_any_blocks_have_the_rows_of_the_whole_log(data: st.DataObject) -> None:
    schema = data.draw(signatures())
    formula: Formula = data.draw(safe_formulas(schema, depth=data.draw(st.sampled_from([2, 3, 4]))))
    text = formula_text(formula)
    policy = bind_written(parse(text, "drawn.mfotl"), schema, text, "drawn.mfotl")
    log = log_of(data.draw(drawn_points(schema, most=10)), schema)
    closed = data.draw(st.booleans())
    try:
        whole = rows_of(verdicts(policy, log, closed=closed), policy)
    except EvaluationError:
        assume(False)
    cuts = data.draw(st.just(range(log.points)) | st.lists(st.integers(0, log.points)))
    blocks = pieces(log, cuts)
    event("some rows" if whole else "no rows")
    at_once = data.draw(st.booleans())
    got = rows_of(block_verdicts(policy, blocks, closed=closed, at_once=at_once), policy)
    assert repr(got) == repr(whole)  # NaN equals itself


FORMULAS = [
    "P(x) AND NOT ONCE Q(x)",
    "P(x) AND ONCE[3,*) Q(x)",
    "P(x) AND ONCE Q(y) AND y = 1",
    "P(x) AND ((NOT (Q(x) AND ONCE[0,2] P(x))) SINCE[3,*) (Q(x) AND PREV P(y)))",
    "(NOT P(x)) SINCE[2,*) Q(x)",
    "S(x, n) AND PREV ((NOT Q(x)) SINCE S(x, n))",
    "T() AND ONCE (P(x) AND NOT ONCE[0,3] Q(x))",
    "ONCE (P(x) AND ONCE[4,9] (P(x) AND NOT ONCE T()))",
    "P(x) AND EVENTUALLY[0,3] (Q(x) AND ONCE S(x, _))",
    "(n <- CNT x; name ONCE S(x, name)) AND n >= 2",
    "(s <- SUM x ONCE[0,4] P(x)) AND (n <- CNT x ONCE[0,4] P(x)) AND n > 0 AND a = s / n",
    "(n <- CNT x EVENTUALLY[0,4] P(x)) AND (m <- CNT y ONCE[0,6] Q(y)) AND NOT (n = 0) AND NOT (m = 0) AND k = n / m",
    "P(x) AND tp(i) AND PREV[0,5] ONCE[1,*) (Q(y) AND tp(j))",
    "P(x) AND HISTORICALLY[2,*] NOT Q(x)",
    "LET seen(x) = ONCE Q(x) IN P(x) AND PREV seen(x) AND NOT seen(3)",
]
values = st.integers(0, 2)
drawn_events: st.SearchStrategy[Event] = st.one_of(
    st.tuples(st.sampled_from("PQ"), values),
    st.tuples(st.just("S"), values, st.sampled_from(["a", "b"])),
    st.just(("T",)),
)


@pytest.mark.parametrize("text", FORMULAS)
@few(30)
@given(
    steps=st.lists(st.tuples(st.integers(0, 3), st.lists(drawn_events, max_size=3)), max_size=14),
    size=st.integers(1, 4),
    closed=st.booleans(),
)
def test_every_way_to_look_back(text: str, steps: list[tuple[int, list[Event]]], size: int, closed: bool) -> None:
    policy, stamp, points = policy_of(text), 0, []
    for gap, of_point in steps:
        stamp += gap
        points.append((stamp, of_point))
    log = log_of(points, SCHEMA)
    whole = rows_of(verdicts(policy, log, closed=closed), policy)
    for at_once in (True, False):
        blocks = pieces(log, range(0, log.points, size))
        assert rows_of(block_verdicts(policy, blocks, closed=closed, at_once=at_once), policy) == whole


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("P(x) AND NOT ONCE[0,10] Q(x)", 11),
        ("P(x) AND PREV PREV P(y)", 3),
        ("P(x) AND NOT EVENTUALLY[0,10] Q(x)", 12),
        ("P(x) AND NOT ONCE Q(x)", 1),
        ("P(x) AND ONCE[7,*) ((NOT Q(0)) SINCE P(y))", 9),
    ],
)
def test_what_is_kept_does_not_grow_with_the_log(text: str, most: int) -> None:
    """A point each second: kept are the reach, what is not decided, and a point before what is carried over."""
    monitor = BlockMonitor(policy_of(text))
    kept: list[int] = []

    def blocks() -> Iterator[PointLog]:
        for second in range(0, 200, 2):
            kept.append(monitor.log.points)
            yield log_of([(second, [("P", second % 7)]), (second + 1, [("Q", second % 5)])], SCHEMA)

    assert sum(rows.num_rows for rows in monitor.rows(blocks(), closed=False, at_once=True)) > 0
    assert max(kept) <= most
    assert max(kept[50:]) == max(kept[10:50])


EACH = "-- for each: x\n"
EACH_FORMULAS = [
    "P(x) AND NOT ONCE Q(x)",
    "P(x) AND PREV[0,4] Q(_)",
    "S(x, n) AND NOT EVENTUALLY[0,3] P(x)",
    "P(x) AND ONCE[2,5] S(_, n)",
]


@given(
    text=st.sampled_from(EACH_FORMULAS),
    steps=st.lists(st.tuples(st.integers(0, 3), st.lists(drawn_events, max_size=3)), max_size=14),
    size=st.integers(1, 4),
    closed=st.booleans(),
    at_once=st.booleans(),
)
def test_sub_logs_in_blocks(
    text: str, steps: list[tuple[int, list[Event]]], size: int, closed: bool, at_once: bool
) -> None:
    """Each sub-log has its rows in order; rows of different ones come as they are decided."""
    schema = parse_signature("P(x: int) Q(x: int) S(x: int, name: string)")
    own = EACH + text.replace("P(x", "P(x=x").replace("Q(x", "Q(x=x").replace("S(x, n)", "S(x=x, name=n)")
    own = own.replace("Q(_)", "Q(x=_)").replace("S(_, n)", "S(name=n)")
    policy, stamp, points = bind_written(parse(own, "p.mfotl"), schema, own, "p.mfotl"), 0, []
    for gap, of_point in steps:
        stamp += gap
        points.append((stamp, [event for event in of_point if event[0] != "T"]))
    log = log_of(points, schema)
    whole = rows_of(verdicts(policy, log, closed=closed), policy)
    blocks = pieces(log, range(0, log.points, size))
    got = rows_of(block_verdicts(policy, blocks, closed=closed, at_once=at_once), policy)
    assert sorted(got, key=lambda row: row["x"]) == whole  # type: ignore[arg-type,return-value]


def test_of_a_sub_log_no_more_is_kept_than_of_a_log() -> None:
    """A thousand points in each of three sub-logs: what is decided goes, and verdicts do not wait for the end."""
    schema = parse_signature("P(x: int) Q(x: int)")
    text = EACH + "P(x=x) AND NOT ONCE[0,10] Q(x=x)"
    policy = bind_written(parse(text, "p.mfotl"), schema, text, "p.mfotl")
    seconds: list[int] = []
    second = 0

    def blocks() -> Iterator[PointLog]:
        nonlocal second
        for second in range(0, 1000, 10):
            yield log_of([(second, [("P", x) for x in range(3)])], schema)

    for _ in block_verdicts(policy, blocks(), closed=True, at_once=True):
        seconds.append(second)
    assert seconds == [second for second in range(0, 1000, 10) for _ in range(3)]


def test_a_term_without_a_value_is_an_error_of_the_whole_log_only() -> None:
    """At the end of a block nothing may be counted yet, and at its begin nothing any more; neither is told."""
    ahead = policy_of("(n <- CNT x EVENTUALLY[0,4] P(x)) AND k = 6 / n")
    log = log_of([(1, [("P", 1)]), (7, []), (8, [("P", 2)]), (20, [("P", 3)])], SCHEMA)
    rows = rows_of(block_verdicts(ahead, pieces(log, range(4)), closed=True, at_once=True), ahead)
    assert [row["k"] for row in rows] == [6, 6, 6, 6]
    back = policy_of("(n <- CNT x ONCE[0,4] P(x)) AND k = 6 / n")
    log = log_of([(1, [("P", 1)]), (4, []), (5, [("P", 2)]), (6, []), (7, [])], SCHEMA)
    rows = rows_of(block_verdicts(back, pieces(log, range(5)), closed=True, at_once=True), back)
    assert [row["k"] for row in rows] == [6, 6, 3, 6, 6]
    late = pieces(log_of([(1, [("P", 1)]), (2, []), (9, [("P", 1)])], SCHEMA), range(3))
    with pytest.raises(EvaluationError, match="at @2 with n = 0"):
        list(block_verdicts(ahead, late, closed=False, at_once=True))
