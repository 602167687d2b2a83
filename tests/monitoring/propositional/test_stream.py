"""The streaming engine tells what the definition says, once for each point, in every mode (rows M2, M8-M17)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cep_core.language.propositional.bind.assumed_schema import schema_mentioned_by
from cep_core.language.propositional.bind.binding import bind_written
from cep_core.language.propositional.text.parsing import parse
from cep_core.language.temporal.formulas import Formula, Next, Or, Predicate, Truth, Until
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.reach import future_reach
from cep_core.language.temporal.sugar import without_sugar
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.evaluation import truths
from cep_core.monitoring.propositional.reference import truth
from cep_core.monitoring.propositional.stream.monitor import StreamMonitor
from cep_core.testing.propositional_formulas import propositional_formulas
from cep_core.testing.traces import drawn_traces, trace_of_points
from tests.monitoring.propositional.streamed import cut_trace, points_of, resolved, streamed, verdicts_of

MODES = ("naive", "local", "global")
a, b = Predicate("a"), Predicate("b")
EXAMPLE = trace_of_points([(1, "a"), (2, "a"), (2, "a"), (3, "b"), (4, "ab")], atoms="ab")
any_formula = propositional_formulas(sugar=True)
cuts = st.lists(st.integers(1, 40), max_size=3)


@pytest.mark.parametrize("mode", ["local", "global"])
def test_example_1_of_the_paper(mode: str) -> None:
    verdicts = streamed(Until(Interval(0, 1), a, b), EXAMPLE, mode)
    assert verdicts == [
        ((1, 0), False, None),
        ((2, 1), None, (2, 0)),
        ((2, 0), True, None),
        ((3, 0), True, None),
        ((4, 0), True, None),
    ]


def test_example_1_in_naive_mode_has_no_equivalence() -> None:
    verdicts = streamed(Until(Interval(0, 1), a, b), EXAMPLE, "naive")
    assert [(verdict.point, verdict.truth) for verdict in verdicts] == [
        ((1, 0), False),
        ((2, 0), True),
        ((2, 1), True),
        ((3, 0), True),
        ((4, 0), True),
    ]


@pytest.mark.parametrize("mode", MODES)
@given(formula=propositional_formulas(sugar=True, unbounded_future=True), trace=drawn_traces(), cuts=cuts)
def test_every_mode_resolves_to_the_definition(mode: str, formula: Formula, trace: Trace, cuts: list[int]) -> None:
    verdicts = streamed(formula, trace, mode, closed=True, cuts=cuts)
    points = points_of(trace)
    assert sorted(verdict.point for verdict in verdicts) == points
    assert resolved(verdicts) == dict(zip(points, truth(formula, trace).tolist(), strict=True))


@pytest.mark.parametrize("mode", MODES)
@given(formula=any_formula, trace=drawn_traces(ends=True))
def test_stamps_may_be_at_both_ends_of_64_bits(mode: str, formula: Formula, trace: Trace) -> None:
    verdicts = streamed(formula, trace, mode, closed=True)
    assert resolved(verdicts) == dict(zip(points_of(trace), truth(formula, trace).tolist(), strict=True))


@pytest.mark.parametrize("mode", MODES)
@given(formula=any_formula, trace=drawn_traces(logs=4))
def test_sub_logs_are_logs_of_their_own(mode: str, formula: Formula, trace: Trace) -> None:
    verdicts = streamed(formula, trace, mode, closed=True)
    place = 0
    for begin, end in pairwise(trace.starts.tolist()):
        own = Trace(
            trace.stamps[begin:end],
            {name: column[begin:end] for name, column in trace.atoms.items()},
            np.array([0, end - begin]),
        )
        assert verdicts[place : place + end - begin] == streamed(formula, own, mode, closed=True)
        place += end - begin
    assert place == len(verdicts)


@pytest.mark.parametrize("mode", MODES)
@given(formula=any_formula, trace=drawn_traces(), cuts=cuts)
def test_blocks_of_any_size_tell_the_same(mode: str, formula: Formula, trace: Trace, cuts: list[int]) -> None:
    assert streamed(formula, trace, mode, cuts=cuts) == streamed(formula, trace, mode)


@st.composite
def repeating_traces(draw: st.DrawFn) -> Trace:
    """Few stamps, and at each the same few letters again and again, in turns."""
    points, stamp = [], 0
    for _ in range(draw(st.integers(1, 3))):
        letters = draw(st.lists(st.sampled_from(["", "p", "q", "pq", "r"]), min_size=1, max_size=3))
        points += [(stamp, letter) for letter in letters * draw(st.integers(1, 4))]
        stamp += draw(st.sampled_from([1, 2, 50]))
    return trace_of_points(points)


@pytest.mark.parametrize("mode", MODES)
@given(formula=any_formula, trace=repeating_traces())
@example(
    formula=Until(Interval(0, 1), Predicate("p"), Next(Interval(0, 0), Predicate("p"))),
    trace=trace_of_points([(0, "p"), (1, ""), (1, ""), (1, "p"), (1, ""), (1, "")]),
)
def test_known_steps_do_what_steps_do(mode: str, formula: Formula, trace: Trace) -> None:
    """A step that was taken before at its stamp is looked up; in blocks of one point none is."""
    assert streamed(formula, trace, mode) == streamed(formula, trace, mode, cuts=range(1, trace.points))


@pytest.mark.parametrize("mode", MODES)
@given(formula=any_formula, trace=drawn_traces(), points=st.integers(0, 30))
def test_what_was_told_of_a_log_that_is_cut_holds_on_the_whole(
    mode: str, formula: Formula, trace: Trace, points: int
) -> None:
    """The verdicts on the beginning are the first of those on the whole."""
    beginning = streamed(formula, cut_trace(trace, min(points, trace.points)), mode)
    assert streamed(formula, trace, mode)[: len(beginning)] == beginning
    whole = dict(zip(points_of(trace), truth(formula, trace).tolist(), strict=True))
    for point, value in resolved(beginning).items():
        assert whole[point] == value


@pytest.mark.parametrize("mode", MODES)
@given(formula=any_formula, trace=drawn_traces())
def test_equivalences_name_an_earlier_point(mode: str, formula: Formula, trace: Trace) -> None:
    for verdict in streamed(formula, trace, mode):
        if verdict.equal is not None:
            assert mode != "naive"
            assert verdict.equal < verdict.point
            assert mode == "global" or verdict.equal[0] == verdict.point[0]


@pytest.mark.parametrize("mode", MODES)
@given(formula=any_formula, trace=drawn_traces())
def test_points_further_apart_than_the_future_reach_are_told_in_order(
    mode: str, formula: Formula, trace: Trace
) -> None:
    reach = future_reach(formula)
    if reach is None:
        return
    latest = None
    for verdict in streamed(formula, trace, mode, closed=True):
        ts = verdict.point[0]
        assert latest is None or latest - ts <= reach
        latest = ts if latest is None else max(latest, ts)


@pytest.mark.parametrize("mode", MODES)
@given(formula=any_formula, trace=drawn_traces())
def test_the_earliest_violation_is_told_by_a_truth(mode: str, formula: Formula, trace: Trace) -> None:
    verdicts = streamed(formula, trace, mode, closed=True)
    false = [point for point, value in resolved(verdicts).items() if not value]
    if false:
        assert (min(false), False) in [(verdict.point, verdict.truth) for verdict in verdicts]


@given(formula=propositional_formulas(sugar=True, future=False), trace=drawn_traces())
def test_past_only_formulas_never_wait(formula: Formula, trace: Trace) -> None:
    verdicts = streamed(formula, trace)
    assert [verdict.point for verdict in verdicts] == points_of(trace)
    assert [verdict.truth for verdict in verdicts] == truth(formula, trace).tolist()


def test_naive_mode_tells_the_open_points_of_a_step_in_order_of_time() -> None:
    """Two classes of one stamp come to an end together: their members are told in turn."""
    formula = Or(Until(Interval(0, 1), Truth(True), b), a)
    trace = trace_of_points([(1, ""), (1, "a"), (1, ""), (1, "a"), (9, "")], atoms="ab")
    verdicts = streamed(formula, trace, "naive", closed=True)
    assert [verdict.point for verdict in verdicts] == [(1, 1), (1, 3), (1, 0), (1, 2), (9, 0)]
    assert without_sugar(formula) == formula


@pytest.mark.parametrize("mode", ["local", "global"])
@pytest.mark.parametrize(
    "text",
    [
        "EVENTUALLY[0,5] q",
        "p UNTIL[0,5] q",
        "p UNTIL[0,5] (q SINCE[2,6] r)",
        "p UNTIL[0,5] (q UNTIL[2,6] r)",
        "(NEXT p) OR (PREV EVENTUALLY[1,3] q) OR (r SINCE[1,4] (p UNTIL[0,2] r))",
        "NOT (p UNTIL[2,5] q) AND EVENTUALLY[0,1] r",
    ],
)
def test_steps_that_are_known_do_what_steps_do(text: str, mode: str) -> None:
    """Of a block with one point nothing is remembered; long runs of equal points are gone through in one go."""
    random = np.random.default_rng(11)
    letters = np.repeat(random.integers(0, 8, 60), random.integers(1, 20, 60))
    stamps = np.sort(random.integers(0, 9, len(letters)))
    atoms = {name: (letters >> bit & 1).astype(np.bool_) for bit, name in enumerate("pqr")}
    trace = Trace(stamps, atoms, np.array([0, len(stamps)]))
    written = parse(text)
    formula = bind_written(written, schema_mentioned_by(written), text).core
    at_once = streamed(formula, trace, mode, closed=True)
    assert at_once == streamed(formula, trace, mode, closed=True, cuts=range(len(stamps)))
    assert resolved(at_once) == dict(zip(points_of(trace), truths(formula, trace).tolist(), strict=True))


@pytest.mark.parametrize("mode", ["local", "global"])
def test_more_letters_than_there_are_entries_for_known_steps(mode: str) -> None:
    """One state has 2^15 letters, more than the table of steps has entries: it keeps some free, and so goes on."""
    names = [f"a{number}" for number in range(15)]
    text = " AND ".join(f"({name} IMPLIES EVENTUALLY[0,5] z)" for name in names)
    written = parse(text)
    formula = bind_written(written, schema_mentioned_by(written), text).core
    monitor = StreamMonitor(without_sugar(formula), mode)
    letters = np.random.default_rng(7).permutation(1 << 15)
    stamps = np.append(np.zeros(len(letters) - 1, np.int64), 9)
    atoms = {name: (letters >> bit & 1).astype(np.bool_) for bit, name in enumerate(names)}
    atoms["z"] = np.zeros(len(letters), np.bool_)
    first = 13_000  # few enough for any table
    verdicts = verdicts_of(monitor.take(stamps[:first], {name: column[:first] for name, column in atoms.items()}))
    entries = monitor._state.known.entries
    assert np.count_nonzero(entries[:, 0]) <= len(entries) * 3 // 4
    verdicts += verdicts_of(monitor.take(stamps[first:], {name: column[first:] for name, column in atoms.items()}))
    verdicts += verdicts_of(monitor.close(9))
    truth_of = resolved(verdicts)
    assert [truth_of[0, offset] for offset in range(len(letters) - 1)] == (letters[:-1] == 0).tolist()
