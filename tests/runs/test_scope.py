"""The law of whole operating days, on a lake in memory: order, partition and repetition of runs leave no trace."""

from __future__ import annotations

import itertools
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.language.evaluator import Reach
from jobs.runs.recorded_days import Ledger, LoadedDay, Recorded
from jobs.runs.scope import Bounds, ScopedQuery, evaluate_after_loading, evaluate_stale, first_read
from tests.runs.lake.toy_lake import BOUNDS, CALENDAR, DAYS, HOURS, START, ToyLake, day, look_back


def test_a_larger_budget_makes_holes_stale_and_nothing_else() -> None:
    """What a budget of work did not suffice for is tried again under a larger one; a result is left alone."""
    days = {day(0): LoadedDay("digest", False, 3, 3)}
    inputs = {day(0): "digest"}
    recorded = {("hole", day(0)): Recorded("1", inputs, 100), ("result", day(0)): Recorded("1", inputs)}
    for work, stale in ((50, []), (100, []), (101, ["hole"])):
        questions = {name: ScopedQuery(Reach(), "1", work) for name in ("hole", "result")}
        for scope in (
            evaluate_stale(questions, Ledger(days, recorded), BOUNDS),
            evaluate_after_loading(questions, day(0), day(0), [day(0)], Ledger(days, recorded), BOUNDS),
        ):
            assert [evaluation.query for evaluation in scope.evaluations] == stale


reaches = st.builds(Reach, st.integers(0, 3 * HOURS), st.integers(0, 2), st.integers(0, 6))
logs = st.lists(st.lists(st.integers(0, HOURS - 1), max_size=4).map(sorted), min_size=DAYS, max_size=DAYS).map(
    lambda offsets: {day(n): [n * HOURS + o for o in day_] for n, day_ in enumerate(offsets)}
)


@st.composite
def shuffled_runs(draw: st.DrawFn, first: int, last: int) -> list[tuple[date, date]]:
    """A partition of the days first..last into runs, in any order, some of them several times."""
    cuts = [first, *sorted(draw(st.sets(st.integers(first + 1, last)))), last + 1]
    runs = [(day(a), day(b - 1)) for a, b in itertools.pairwise(cuts)]
    repeated = runs + draw(st.lists(st.sampled_from(runs), max_size=3))
    return draw(st.permutations(repeated))


@given(st.data(), logs, st.dictionaries(st.sampled_from("pqr"), reaches, min_size=1))
def test_any_partition_order_and_repetition_of_runs_leaves_the_same_tables(
    data: st.DataObject, log: dict[date, list[int]], queries: dict[str, Reach]
) -> None:
    """The law itself, for a period that may begin after the log does."""
    first = data.draw(st.integers(0, DAYS - 2))
    last = data.draw(st.integers(first + 1, DAYS - 1))
    whole, parts = ToyLake(queries, log), ToyLake(queries, log)
    whole.run(day(first), day(last))
    for begin, end in data.draw(shuffled_runs(first, last)):
        parts.run(begin, end)
    assert parts.tables == whole.tables
    assert all(parts.complete.values())


@given(st.data(), logs, st.dictionaries(st.sampled_from("pqr"), reaches, min_size=1))
def test_results_are_those_of_the_whole_log(
    data: st.DataObject, log: dict[date, list[int]], queries: dict[str, Reach]
) -> None:
    """A run sees as far back as its queries reach: its results are those of one look at the log from its start."""
    first = data.draw(st.integers(0, DAYS - 1))
    lake = ToyLake(queries, log)
    lake.run(day(first), day(first))
    everything = sorted(ts for stamps in log.values() for ts in stamps)
    for name, reach in queries.items():
        assert lake.results[name, day(first)] == [(ts, len(look_back(everything, ts, reach))) for ts in log[day(first)]]


GAP = 40


@st.composite
def sparse_logs(draw: st.DrawFn) -> dict[date, list[int]]:
    """Days with events, and between them up to 40 loaded days without any."""
    days: list[list[int]] = []
    for _ in range(draw(st.integers(1, 3))):
        days.append(sorted(draw(st.lists(st.integers(0, HOURS - 1), min_size=1, max_size=3))))
        days += [[]] * draw(st.sampled_from([0, 1, GAP]))
    return {day(n): [n * HOURS + hour for hour in hours] for n, hours in enumerate([*days, [1, 2]])}


@settings(max_examples=60)
@given(sparse_logs(), st.builds(Reach, st.integers(0, 3 * HOURS), st.integers(0, 3)))
def test_a_time_point_is_found_however_long_ago(log: dict[date, list[int]], reach: Reach) -> None:
    """Days without points are passed over, further back than max_reach, down to the log's start; the law holds."""
    bounds = Bounds(CALENDAR, START, max_reach=3 * HOURS)
    everything = sorted(ts for stamps in log.values() for ts in stamps)
    last = max(log)
    night = ToyLake({"q": reach}, log, bounds=bounds)
    night.run(last, last)
    assert night.results["q", last] == [(ts, len(look_back(everything, ts, reach))) for ts in log[last]]
    assert night.complete["q", last]
    whole, parts = ToyLake({"q": reach}, log, bounds=bounds), ToyLake({"q": reach}, log, bounds=bounds)
    whole.run(START, last)
    for begin in sorted(log, reverse=True):
        parts.run(begin, begin)
    assert parts.tables == whole.tables


def test_without_a_limit_an_unbounded_past_begins_at_the_start() -> None:
    past = Reach(time=None)
    assert first_read(past, day(GAP), Ledger(), Bounds(CALENDAR, START, None)) == START
    assert first_read(past, day(GAP), Ledger(), Bounds(CALENDAR, START, 3 * HOURS)) == day(GAP - 3)


def test_a_missing_day_ends_the_search_for_a_time_point() -> None:
    """It may hold any point; nothing before it is read until it is loaded."""
    days = {day(n): LoadedDay("digest", False, int(n == 1), int(n == 1)) for n in range(GAP) if n != 9}
    bounds = Bounds(CALENDAR, START, max_reach=3 * HOURS)
    assert first_read(Reach(points=1), day(GAP), Ledger(days), bounds) == day(9)
    loaded = Ledger({**days, day(9): LoadedDay("digest")})
    assert first_read(Reach(points=1), day(GAP), loaded, bounds) == day(1)
    assert first_read(Reach(points=2), day(GAP), loaded, bounds) == day(0)
    assert first_read(Reach(events=1), day(GAP), loaded, bounds) == day(GAP - 3)


@given(st.data(), logs, reaches)
def test_a_repaired_day_leaves_no_trace_of_its_failure(
    data: st.DataObject, log: dict[date, list[int]], reach: Reach
) -> None:
    """The gate fails on D, the nights after D run, D is repaired: the tables are those of an undisturbed week."""
    broken = day(data.draw(st.integers(0, DAYS - 2)))
    whole, lake = ToyLake({"q": reach}, log), ToyLake({"q": reach}, log)
    whole.run(day(0), day(DAYS - 1))
    for n in range(DAYS):
        lake.run(day(n), day(n), passes=lambda d: d != broken)
    assert broken in lake.refused
    assert broken not in lake.events
    assert ("q", broken) not in lake.results
    after = [d for d in (day(n) for n in range(DAYS)) if d > broken and broken in lake.recorded["q", d].inputs]
    assert [d for (_, d), complete in lake.complete.items() if not complete] == after
    lake.run(broken, broken)
    assert lake.tables == whole.tables


@given(logs, reaches, st.integers(1, DAYS - 1))
def test_a_day_that_fails_later_keeps_its_results_and_marks_those_that_read_it(
    log: dict[date, list[int]], reach: Reach, n: int
) -> None:
    """A good day run again with a broken source keeps events and results; whoever reads it is marked incomplete."""
    lake, whole = ToyLake({"q": reach}, log), ToyLake({"q": reach}, log)
    for each in (lake, whole):
        each.run(day(0), day(DAYS - 1))
    lake.run(day(n), day(n), passes=lambda _: False)
    assert lake.events == whole.events
    assert lake.results == whole.results
    assert lake.complete["q", day(n)]
    assert all(
        lake.complete["q", d] == (d == day(n) or day(n) not in recorded.inputs)
        for (_, d), recorded in lake.recorded.items()
    )
    lake.run(day(n), day(n))
    assert lake.tables == whole.tables


@given(logs, reaches)
def test_a_repeated_run_evaluates_nothing(log: dict[date, list[int]], reach: Reach) -> None:
    """The second of two equal runs finds every input as recorded."""
    lake = ToyLake({"q": reach}, log)
    lake.run(day(3), day(5))
    assert lake.run(day(3), day(5)).evaluations == ()


@given(logs, reaches)
def test_an_edited_query_is_stale_until_it_is_evaluated(log: dict[date, list[int]], reach: Reach) -> None:
    """`evaluate_stale` finds exactly the days a run was asked for, and nothing once they are evaluated."""
    lake = ToyLake({"q": reach}, log)
    lake.run(day(4), day(6))
    assert evaluate_stale(lake.questions, lake.ledger, BOUNDS).evaluations == ()
    lake.version = "2"
    stale = evaluate_stale(lake.questions, lake.ledger, BOUNDS)
    assert stale.days == (day(4), day(5), day(6))
    lake.evaluate(stale)
    assert evaluate_stale(lake.questions, lake.ledger, BOUNDS).evaluations == ()


def test_blocks_are_runs_of_consecutive_days() -> None:
    """Days with a gap between them are evaluated apart."""
    lake = ToyLake({"q": Reach()}, {day(n): [n * HOURS] for n in range(DAYS)})
    for n in (1, 2, 5):
        lake.run(day(n), day(n))
    lake.version = "2"
    blocks = evaluate_stale(lake.questions, lake.ledger, BOUNDS).blocks("q")
    assert [[e.day for e in block] for block in blocks] == [[day(1), day(2)], [day(5)]]


@pytest.mark.parametrize(
    ("reach", "expected"),
    [(0, 5), (1, 4), (HOURS, 4), (HOURS + 1, 3), (8 * HOURS, 0), (1000, 0)],
)
def test_a_reach_in_time_is_exact_to_the_day(reach: int, expected: int) -> None:
    """Reading back from the day's first moment, never before the log's start."""
    assert first_read(Reach(reach), day(5), Ledger(), BOUNDS) == day(expected)
