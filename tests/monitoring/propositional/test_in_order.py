"""Truths in the order of the points, while a log is read: when they are given, and that none is missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cep_core as cep
from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.sugar import without_sugar
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.stream import in_order
from cep_core.monitoring.propositional.stream.closing import with_ends
from cep_core.monitoring.propositional.stream.in_order import TruthsInOrder
from cep_core.monitoring.propositional.stream.kernels.state import EQUAL, TRUE, Told
from cep_core.monitoring.propositional.stream.monitor import StreamMonitor
from cep_core.propositional_on_log import PropositionalOnLog
from cep_core.stream_settings import StreamSettings
from cep_core.testing.propositional_formulas import propositional_formulas
from cep_core.testing.traces import drawn_traces
from tests.monitoring.propositional.streamed import points_of, resolved, verdicts_of

Row = dict[str, int | bool]


def verdicts_in_blocks(
    formula: Formula, trace: Trace, mode: str, closed: bool, cuts: list[int]
) -> Iterator[tuple[int, Told]]:
    """After each block: how many points there were, and what it told."""
    monitor = StreamMonitor(without_sugar(formula), mode)
    stamps, atoms, flags = with_ends(trace, closed=closed)
    for begin, end in pairwise([0, *sorted({cut for cut in cuts if 0 < cut < len(stamps)}), len(stamps)]):
        some = {name: column[begin:end] for name, column in atoms.items()}
        yield min(end, trace.points), monitor.take(stamps[begin:end], some, flags[begin:end])


@pytest.mark.parametrize("mode", ["naive", "local", "global"])
@given(
    formula=propositional_formulas(sugar=True, unbounded_future=True),
    trace=drawn_traces(),
    closed=st.booleans(),
    cuts=st.lists(st.integers(1, 40), max_size=12),
)
def test_each_truth_is_given_once_all_before_it_are_known(
    mode: str, formula: Formula, trace: Trace, closed: bool, cuts: list[int]
) -> None:
    points, verdicts, given_rows, before = points_of(trace), [], [], 0
    truths = TruthsInOrder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_order, "_FEWEST", 1)
        for end, some in verdicts_in_blocks(formula, trace, mode, closed, cuts):
            verdicts += verdicts_of(some)
            given_rows += truths.take(trace.stamps[before:end], some).to_pylist()
            known, before = resolved(verdicts), end
            first_open = next((place for place, point in enumerate(points[:end]) if point not in known), end)
            assert len(given_rows) == first_open
    given_rows += truths.rest().to_pylist()
    known = resolved(verdicts)
    assert given_rows == [
        {"tp": place, "ts": point[0], "offset": point[1], "verdict": known[point]}
        for place, point in enumerate(points)
        if point in known
    ]


def test_a_point_keeps_the_truth_of_one_that_was_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last point equals one that is given, and dropped, while another between them is still open."""
    monkeypatch.setattr(in_order, "_FEWEST", 1)
    truths = TruthsInOrder()

    def block(offset: list[int], code: list[int]) -> Told:
        ones = np.ones(len(code), np.int64)
        return Told(ones, np.array(offset, np.int64), np.array(code, np.int8), ones, 5 * ones, np.zeros(0, np.int64))

    assert truths.take(np.ones(9, np.int64), block([0, 1, 2, 3, 4, 8], [TRUE] * 5 + [EQUAL])).num_rows == 5
    assert truths.take(np.zeros(0, np.int64), block([5, 6], [TRUE, TRUE])).num_rows == 2
    assert truths.take(np.full(9, 2), block([], [])).num_rows == 0
    assert truths.take(np.array([2]), block([7], [TRUE])).to_pylist() == [
        {"tp": 7, "ts": 1, "offset": 7, "verdict": True},
        {"tp": 8, "ts": 1, "offset": 8, "verdict": True},
    ]


@pytest.mark.parametrize("end", ["open", "closed"])
def test_a_long_text_resolved_while_it_is_read_is_as_the_whole(end: str) -> None:
    """Longer than a block, and than what is kept of points that were given."""
    random = np.random.default_rng(3)
    stamps = np.sort(random.integers(0, 9_000, 200_000))
    names = np.array(["", "a", "b", "a b"])[random.choice(4, len(stamps), p=[0.2, 0.7, 0.05, 0.05])]
    log = "".join(f"@{ts} {name}\n" for ts, name in zip(stamps.tolist(), names.tolist(), strict=True))
    formula = "a UNTIL[0,3] (b AND EVENTUALLY[0,2] NOT a)"
    stream = PropositionalOnLog(formula, log, StreamSettings(resolved=True, end=end, at_once=True)).stream()
    whole = cep.monitor_mtl(formula, log, resolved=True, end=end)
    assert stream.read_all().equals(whole)
    assert stream.schema.metadata == whole.schema.metadata


def test_of_a_closed_text_at_hand_no_expression_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is resolved as a whole; while it is read, truths before the failure stand."""
    few = partial(StreamMonitor, limit=50)
    monkeypatch.setattr(PropositionalOnLog, "_new_monitor", lambda asked: few(asked.policy.core, asked.settings.mode))
    formula = "p IMPLIES EVENTUALLY[0,60] (q AND ((ALWAYS[7,50] p) OR EVENTUALLY[9,40] (r AND EVENTUALLY[5,30] q)))"
    names = np.random.default_rng(5).random((200, 3)) < [0.9, 0.5, 0.05]
    log = "".join(
        f"@{ts} {' '.join(name for name, here in zip('pqr', row, strict=True) if here)}\n"
        for ts, row in enumerate(names)
    )
    closed = StreamSettings(resolved=True, end="closed")
    rows = PropositionalOnLog(formula, log, closed).stream().read_all()
    assert rows.num_rows == 200
    reading = PropositionalOnLog(formula, log, replace(closed, at_once=True)).stream()
    given_rows = reading.read_next_batch().to_pylist() + reading.read_next_batch().to_pylist()
    assert given_rows == [rows.to_pylist()[row["tp"]] for row in given_rows]
    assert given_rows
    with pytest.raises(cep.TooManyExpressions):
        reading.read_next_batch()
