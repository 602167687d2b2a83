"""What more workers would give: bounds that hold for any work, and which numbers of workers are told."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jobs.stages.measuring.more_workers import work_of
from jobs.stages.measuring.wall_time import (
    COPY,
    ROW,
    START,
    WORKERS,
    Cut,
    Wall,
    Work,
    beyond,
    enough,
    wall,
    walls,
)

seconds = st.floats(0, 1e4, allow_subnormal=False)
cuts = st.lists(st.tuples(st.integers(0, 10**6), seconds, st.floats(0.001, 1), st.floats(1, 5)), min_size=1)
Drawn = list[tuple[int, float, float, float]]


def work_and_cuts(drawn: Drawn, alone: float) -> tuple[Work, list[Cut]]:
    """A day of a thousand events; each query reads so many events, takes so many seconds, and is cut by itself."""
    own = [Cut((f"q{n}",), events, load, copies) for n, (events, _, load, copies) in enumerate(drawn)]
    return Work(alone, 1000, {f"q{n}": cost for n, (_, cost, _, _) in enumerate(drawn)}), own


@given(cuts, seconds, st.sampled_from(WORKERS))
def test_no_part_is_below_what_bounds_it(drawn: Drawn, alone: float, workers: int) -> None:
    """Evaluation takes at least the largest slice and an even share of all; the driver's part is never divided."""
    work, own = work_and_cuts(drawn, alone)
    predicted = wall(work, own, workers)
    largest = {f"q{n}": cost * load for n, (_, cost, load, _) in enumerate(drawn)}
    together = sum(cost * copies for _, cost, _, copies in drawn)
    assert predicted.evaluate == max(*largest.values(), together / workers)
    assert largest[predicted.slowest[0]] == max(largest.values())
    assert predicted.held == (max(largest.values()) > together / workers)
    copied = sum(events * copies for events, _, _, copies in drawn)
    assert predicted.divided == (1000 * ROW + copied * COPY) / workers
    assert predicted.least == START + alone <= predicted.total
    assert wall(work, own, 2 * workers).total <= predicted.total


@given(st.lists(seconds, min_size=1, max_size=11))
def test_nothing_is_gained_beyond_enough(totals: list[float]) -> None:
    """It is the least number of workers with a time within a twentieth of the best."""
    looked_at = [Wall(2**n, 0.0, total, 0.0, 0.0, (), held=False) for n, total in enumerate(totals)]
    chosen = enough(looked_at)
    assert 0.95 * chosen.total <= min(totals)
    assert all(0.95 * each.total > min(totals) for each in looked_at if each.workers < chosen.workers)


@given(cuts, seconds, st.sampled_from([*WORKERS[1:], 2048]))
def test_numbers_are_told_as_far_as_they_were_planned(drawn: Drawn, alone: float, unknown: int) -> None:
    """Whatever the seconds: the same numbers for every work, and the others are named."""
    work, own = work_and_cuts(drawn, alone)

    def cut(workers: int) -> Sequence[Cut] | None:
        return own if workers < unknown else None

    looked_at = walls(work, cut)
    assert [each.workers for each in looked_at] == [workers for workers in WORKERS if workers < unknown]
    left_out = beyond(looked_at)
    assert left_out.startswith(f"with {unknown:,}") if unknown in WORKERS else not left_out


def test_slices_evaluated_together_read_their_copies_once() -> None:
    """Of a plan with three copies of an event, seconds of slices apart count a third; together, as many as they took.

    A lake of an older version does not tell copies: its slices were evaluated each by itself.
    """
    slices = [("apart", 1.0), ("together", 3.0), ("older", None)]
    tables: dict[str, list[dict[str, Any]]] = {
        "result_days": [{"run_id": "r", "query": query} for query, _ in slices],
        "slice_runs": [
            {"run_id": "r", "query": query, "plan_id": "p", "seconds": 6.0, "copies": copies}
            for query, copies in slices
        ],
        "slicing_plans": [{"plan_id": "p", "predicted_replication": 3.0}],
        "runs": [
            {"run_id": "r", "stage": "evaluate", "seconds": 20.0, "started_at": datetime(2013, 3, 8, tzinfo=UTC)}
            | {"day": date(2013, 3, 8)}
        ],
    }
    work = work_of(lambda name, columns, where: tables[name], date(2013, 3, 8), 10.0)
    assert work == Work(2.0, 10.0, {"apart": 2.0, "together": 6.0, "older": 2.0})
