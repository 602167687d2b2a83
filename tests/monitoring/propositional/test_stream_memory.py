"""What the streaming engine keeps, and what it says it costs (rows M4-M7, M10, M11, M14, M18, M19)."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given

from cep_core.language.temporal.formulas import And, Formula, Next, Or, Predicate, Until
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.reach import future_reach
from cep_core.language.temporal.sugar import without_sugar
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.stream import monitor as stream_monitor
from cep_core.monitoring.propositional.stream.account import skewed_subformulas, streaming_section
from cep_core.monitoring.propositional.stream.kernels.state import ACTIVE, CLASSES, DIAGRAM, USED_BUCKETS, WAITS
from cep_core.monitoring.propositional.stream.monitor import StreamMonitor
from cep_core.testing.propositional_formulas import propositional_formulas
from cep_core.testing.traces import drawn_traces, trace_of_points
from tests.monitoring.propositional.streamed import core_of, streamed

F1, F2 = "EVENTUALLY[0,5] q", "p UNTIL[0,5] q"
F3, F4 = "p UNTIL[0,5] (q SINCE[2,6] r)", "p UNTIL[0,5] (q UNTIL[2,6] r)"
p, q, r = map(Predicate, "pqr")


def take(monitor: StreamMonitor, stamps: list[int], drawn: np.random.Generator) -> int:
    """Takes a point for each stamp, with drawn atoms; gives the number of verdicts."""
    atoms = {name: drawn.random(len(stamps)) < share for name, share in (("p", 0.9), ("q", 0.5), ("r", 0.05))}
    return len(monitor.take(np.array(stamps), atoms).ts)


@pytest.mark.parametrize(
    ("text", "skewed", "reach"),
    [("p UNTIL[0,1] q", 4, 1), (F1, 8, 5), (F2, 8, 5), (F3, 16, 5), (F4, 16, 11)],
)
def test_the_numbers_of_the_paper(text: str, skewed: int, reach: int) -> None:
    assert (skewed_subformulas(core_of(text)), future_reach(core_of(text))) == (skewed, reach)


def test_shifted_intervals_that_are_equal_count_once() -> None:
    """[0,3] shifted is [0,2], [0,1], [0,0], which [0,5] shifted contains; [1,4] has width 3, [2,5] contains it."""
    together = Or(Until(Interval(0, 3), p, q), Until(Interval(0, 5), p, q))
    assert skewed_subformulas(together) == 2 + 1 + 6
    together = Or(Until(Interval(1, 4), p, q), Until(Interval(2, 5), p, q))
    assert skewed_subformulas(together) == 2 + 1 + 6
    assert skewed_subformulas(Until(Interval(3), p, q)) == 2 + 4


@pytest.mark.parametrize("mode", ["local", "global"])
@pytest.mark.parametrize("text", [F1, F2, F3, F4])
def test_open_records_do_not_grow_with_the_points_a_stamp(text: str, mode: str) -> None:
    """The stream with 2^t points at stamp t (paper 02, section 4)."""
    monitor, drawn = StreamMonitor(core_of(text), mode), np.random.default_rng(7)
    most = []
    for stamp in range(14):
        take(monitor, [stamp] * 2**stamp, drawn)
        most.append(monitor.open_records)
    assert max(most) <= 24


@pytest.mark.parametrize(
    ("text", "shares", "mode", "expected"),
    [
        (F1, (0.99, 0.01, 0.0), "local", 2),
        (F2, (0.99, 0.01, 0.0), "global", 2),
        (F3, (0.99, 0.99, 0.01), "local", 2),
        (F4, (0.99, 0.99, 0.01), "local", 3),
        (F4, (0.99, 0.99, 0.01), "global", 3),
    ],
)
def test_open_records_after_a_stamp_are_equal_at_all_rates(
    text: str, shares: tuple[float, ...], mode: str, expected: int
) -> None:
    """M6, X12: the most after any of 60 stamps, at 1,000 and 10,000 points a stamp."""
    for rate in (1_000, 10_000):
        monitor, drawn = StreamMonitor(core_of(text), mode), np.random.default_rng(1)
        most = 0
        for stamp in range(60):
            atoms = {name: drawn.random(rate) < share for name, share in zip("pqr", shares, strict=True)}
            monitor.take(np.full(rate, stamp), atoms)
            most = max(most, monitor.open_records)
        assert most == expected


def test_naive_mode_keeps_every_open_point() -> None:
    trace = trace_of_points([(stamp, "p") for stamp in (1, 1, 1, 2, 2, 3)])
    for mode, kept in (("naive", 6), ("local", 3)):
        monitor = StreamMonitor(core_of("p UNTIL[0,5] q"), mode)
        monitor.take(trace.stamps[:-1], {name: column[:-1] for name, column in trace.atoms.items()})
        monitor.take(trace.stamps[-1:], {name: column[-1:] for name, column in trace.atoms.items()})
        assert monitor.open_records == kept


def test_a_past_only_formula_keeps_no_point() -> None:
    monitor = StreamMonitor(core_of("p IMPLIES ONCE[2,9] (q SINCE PREV r)"))
    assert take(monitor, [1, 1, 2, 5, 5], np.random.default_rng(3)) == 5
    assert monitor.open_records == 0


@pytest.mark.parametrize("mode", ["local", "global"])
@given(formula=propositional_formulas(sugar=True), trace=drawn_traces())
def test_each_point_is_told_once_or_stands_in_a_class(mode: str, formula: Formula, trace: Trace) -> None:
    """No class is decided, and what is told and what is kept add up to all points."""
    monitor = StreamMonitor(without_sugar(formula), mode)
    if monitor.program.is_past_only or monitor.program.is_flat or not trace.points:
        return
    monitor.take(trace.stamps, trace.atoms)
    state = monitor._state
    first = int(state.at[ACTIVE])
    kept = state.open.classes[first : first + int(state.at[CLASSES] + state.at[WAITS])]
    verdicts = streamed(formula, trace, mode)
    assert len({verdict.point for verdict in verdicts}) == len(verdicts)
    assert (kept[:, DIAGRAM] > 1).all()
    assert len(verdicts) + len(kept) == trace.points


def test_equivalence_is_of_meaning_not_of_writing() -> None:
    """p AND q, and q AND p, of the next point: the second point is equal to the first."""
    formula = Or(And(And(Next(Interval(), p), Next(Interval(), q)), r), And(Next(Interval(), q), Next(Interval(), p)))
    waits = Until(Interval(0, 5), r, And(q, p))
    trace = trace_of_points([(1, "r"), (1, "r"), (2, "r"), (2, "pq")])
    verdicts = streamed(Or(And(waits, r), And(r, waits)), trace)
    assert (verdicts[0].point, verdicts[0].equal) == ((1, 1), (1, 0))
    verdicts = streamed(formula, trace_of_points([(1, "r"), (1, "pq"), (1, "")]))
    assert [(verdict.point, verdict.truth) for verdict in verdicts] == [((1, 0), True), ((1, 1), False)]


def test_too_many_live_expressions_are_told_at_their_point() -> None:
    """Each open point depends on a set of its own of later ones."""
    text = "p IMPLIES EVENTUALLY[0,60] (q AND ((ALWAYS[7,50] p) OR EVENTUALLY[9,40] (r AND EVENTUALLY[5,30] q)))"
    monitor, drawn = StreamMonitor(core_of(text), limit=50), np.random.default_rng(5)
    taken = 0
    for stamp in range(200):
        taken += take(monitor, [stamp], drawn)
        if monitor.failure is not None:
            break
    assert monitor.failure is not None
    assert f"at {stamp}:0 more than 50 live expressions are needed for " in str(monitor.failure)
    assert taken


def test_diagrams_that_are_not_needed_are_dropped() -> None:
    """A long log of a nested formula needs no more than the limit."""
    monitor, drawn = StreamMonitor(core_of(F4), limit=400), np.random.default_rng(5)
    take(monitor, list(range(3000)), drawn)
    assert monitor.failure is None


def test_what_explain_says() -> None:
    facts = {text: streaming_section(core_of(text), "local").facts for text in ("PREV p", F2, F4, "p UNTIL q")}
    assert [fact["amortised"] for fact in facts.values()] == [True, True, False, False]
    assert [fact["mode"] for fact in facts.values()] == ["local", "local", "local", "global"]
    assert facts["PREV p"]["past_only"]
    assert facts["p UNTIL q"]["future_reach"] is None


@pytest.mark.parametrize("mode", ["naive", "local", "global"])
@given(formula=propositional_formulas(sugar=True), trace=drawn_traces())
def test_no_row_is_read_before_it_is_written(mode: str, formula: Formula, trace: Trace) -> None:
    """Tables that become longer are not cleared: whatever stands in the new rows, the verdicts are the same."""

    def longer_with(junk: int, table: np.ndarray, rows: int) -> np.ndarray:
        longer = np.full((max(rows, len(table)), *table.shape[1:]), junk, np.int64)
        longer[: len(table)] = table
        return longer

    runs = []
    for junk in (0, 3, -7):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stream_monitor, "_longer", partial(longer_with, junk))
            runs.append(streamed(formula, trace, mode, closed=True))
    assert runs[0] == runs[1] == runs[2]


def test_tables_of_known_steps_become_larger_if_one_stamp_fills_them() -> None:
    """Few of their pages are used for a short log; a stamp with many letters gets all that there are."""
    names = [f"a{number}" for number in range(14)]
    monitor = StreamMonitor(core_of(" AND ".join(f"({name} IMPLIES EVENTUALLY[0,5] z)" for name in names)))
    random = np.random.default_rng(7)
    used = []
    for stamp, points in ((1, 100), (2, 100), (3, 2000), (4, 8000), (5, 100)):
        letters = random.permutation(1 << 14)[:points]
        atoms = {name: (letters >> bit & 1).astype(np.bool_) for bit, name in enumerate(names)}
        monitor.take(np.full(points, stamp), atoms)
        used.append(int(monitor._state.known.counts[USED_BUCKETS]))
    assert used == [512, 512, 2048, 8192, 8192]
    assert len(monitor._state.known.buckets) == 8192
