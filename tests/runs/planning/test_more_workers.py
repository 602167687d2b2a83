"""What more workers would give: bounds that hold for any work, and a day of a lake as a person asks for it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from cep_core.slicing import Plan
from cep_core.slicing.slicing_plan import Prediction
from jobs.stages.slicing.more_workers import START, WORKERS, Wall, Work, enough, wall

seconds = st.floats(0, 1e4, allow_subnormal=False)


def plan(query: str, load: float, replication: float) -> Plan:
    """A plan of one query that is predicted to have this maximum load."""
    predicted = Prediction(maximum_load=load, replication=replication, bound=load, lower_bound=load)
    return replace(Plan((query,), (), (), (), (), {}, (), {}), predicted=predicted)


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.floats(0, 1e-3), st.floats(0.001, 1), st.floats(1, 5)), min_size=1),
    seconds,
    st.sampled_from(WORKERS),
)
def test_no_part_is_below_what_bounds_it(
    queries: list[tuple[int, float, float, float]], alone: float, workers: int
) -> None:
    """Evaluation takes at least the largest slice and an even share of all; the driver's part is never divided."""
    plans = [plan(f"q{n}", load, copies) for n, (_, _, load, copies) in enumerate(queries)]
    named = {f"q{n}": values for n, values in enumerate(queries)}
    work = Work(alone, 1000, {n: each[0] for n, each in named.items()}, {n: each[1] for n, each in named.items()})
    told = wall(work, plans, workers)
    largest = {name: read * cost * load for name, (read, cost, load, _) in named.items()}
    together = sum(read * cost * copies for read, cost, _, copies in queries)
    assert told.evaluate == max(*largest.values(), together / workers)
    assert largest[told.slowest[0]] == max(largest.values())
    assert told.total >= START + alone + told.evaluate
    again = wall(work, plans, 2 * workers)
    assert again.total <= told.total


@given(st.lists(seconds, min_size=1, max_size=11))
def test_nothing_is_gained_beyond_enough(totals: list[float]) -> None:
    """It is the least number of workers with a time within a twentieth of the best."""
    walls = [Wall(2**n, 0.0, total, 0.0, 0.0, (), held=False) for n, total in enumerate(totals)]
    chosen = enough(walls)
    assert 0.95 * chosen.total <= min(totals)
    assert all(0.95 * each.total > min(totals) for each in walls if each.workers < chosen.workers)
