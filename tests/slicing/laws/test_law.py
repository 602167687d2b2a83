"""The law of slicing: a plan never changes a result (rows S1, S7, S15, S19, S34; docs/semantics.md 6)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.language.evaluator import Reach
from cep_core.slicing import make_plan, ownership, split, statistics_of
from tests.slicing.laws.conjunctive import Query, Result, evaluate, evaluate_sliced
from tests.slicing.laws.random_plans import VARIABLES, atoms, logs_with_results, plans


@st.composite
def queries(draw: st.DrawFn) -> Query:
    """One to three positive atoms, up to one negated one over their variables."""
    positive = tuple(draw(st.lists(atoms(), min_size=1, max_size=3)))
    bound = {name for atom_ in positive for _, name in atom_.variables}
    fits = atoms().filter(lambda atom_: {name for _, name in atom_.variables} <= bound)
    return Query(positive, tuple(draw(st.lists(fits, max_size=1))), draw(st.integers(0, 8)))


@given(queries(), st.data())
@settings(deadline=None)
def test_a_plan_never_changes_a_result(query: Query, data: st.DataObject) -> None:
    """S1: for random queries, logs, shares, seeds, heavy values and time ranges, joined results equal the unsliced
    result, and every result is owned by exactly one slice."""
    events = data.draw(logs_with_results(query.positive, query.width))
    plan = data.draw(plans(query.atoms, reach=query.width))
    assert evaluate_sliced(query, events, plan) == evaluate(query, events)


@given(
    queries(),
    st.data(),
    st.integers(1, 9),
    st.text(max_size=3),
    st.booleans(),
    st.sampled_from([None, (), "all"]),
)
@settings(deadline=None)
def test_the_planners_plan_never_changes_a_result(
    query: Query, data: st.DataObject, slices: int, seed_text: str, in_time: bool, heavy: Any
) -> None:
    """S1: the same for plans made from the log's own statistics, with heavy values and time ranges chosen or forced."""
    events = data.draw(logs_with_results(query.positive, query.width))
    bound = [name for name in VARIABLES if any(name == own for atom_ in query.atoms for _, own in atom_.variables)]
    plan = make_plan(
        {"q": query.atoms},
        bound,
        statistics_of(events, query.atoms, 21),
        slices,
        seed_text,
        Reach(time=query.width),
        (0, 21) if in_time else None,
        heavy=bound if heavy == "all" else heavy,
    )
    assert plan.slices <= slices
    assert evaluate_sliced(query, events, plan) == evaluate(query, events)


@given(queries(), queries(), st.data())
@settings(deadline=None)
def test_queries_share_a_plan_without_touching_each_other(first: Query, second: Query, data: st.DataObject) -> None:
    """S7, S35: a slice with the events of another query, too, gives the same results for each query."""
    events = data.draw(logs_with_results((*first.positive, *second.positive), min(first.width, second.width)))
    plan = data.draw(plans((*first.atoms, *second.atoms), reach=max(first.width, second.width)))
    for query in (first, second):
        if all(any(name == own for atom_ in query.positive for _, own in atom_.variables) for name in plan.variables):
            assert evaluate_sliced(query, events, plan) == evaluate(query, events)


@given(queries(), st.data(), st.sets(st.integers(0, 30)))
@settings(deadline=None)
def test_irrelevant_events_in_a_slice_change_nothing(query: Query, data: st.DataObject, extra: set[int]) -> None:
    """S7, Lemma 2: any superset of a slice's events preserves the results that the slice owns."""
    events = data.draw(logs_with_results(query.positive, query.width))
    plan = data.draw(plans(query.atoms, reach=query.width))
    rows, numbers = split(plan, events)
    joined: Counter[Result] = Counter()
    for number in range(plan.slices):
        more = np.union1d(rows[numbers == number], [row for row in extra if row < events.num_rows]).astype(np.int64)
        joined.update(evaluate(query, events.take(pa.array(more)), plan, ownership(plan, number)))
    assert joined == evaluate(query, events)
