"""Changes that must not affect a result: another kernel, events that no query reads, the unit of time, chunks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cep_core.events.schema import Ties
from cep_core.language.patterns.bind.binding import bind
from cep_core.trends.arrays.weights import Weights
from cep_core.trends.choice import aggregation, table
from cep_core.trends.evaluator import TrendEvaluator
from tests.trends.random_logs import logs, same, schema_of
from tests.trends.random_queries import queries

QUERIES = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def aggregate(text: str, log: pa.Table, ties: Ties = Ties.CONCURRENT) -> pa.Table:
    """The result over a whole log."""
    evaluator = TrendEvaluator(bind(text, schema_of(log, ties)), exact=True)
    return evaluator.merge(evaluator.evaluate(log))


@pytest.mark.parametrize("ties", list(Ties))
@QUERIES
@given(text=queries(), log=logs(most=40))
def test_the_kernel_changes_nothing(text: str, log: pa.Table, ties: Ties) -> None:
    """Every kernel gives the same rows: window by window, panes, meeting points, states in registers, unlimited."""
    query, avoided = bind(text, schema_of(log, ties)), set[int]()

    def result() -> pa.Table:
        evaluator = TrendEvaluator(query, exact=True)
        return evaluator.merge(evaluator.evaluate(log))

    with pytest.MonkeyPatch.context() as patch:
        costs_of = table.costs_of
        patch.setattr(table, "costs_of", lambda case: _noted(costs_of(case), avoided))
        results = [result()]
        for number in sorted(avoided):  # the rest would leave the choice as it is
            patch.setattr(table, "costs_of", lambda case, n=number: _lowest(costs_of(case), n))
            results.append(result())
        patch.setattr(table, "costs_of", costs_of)
        patch.setattr(table, "BEGIN", 0)  # now no template is small
        results.append(result())
        unlimited = aggregation.weights_of
        patch.setattr(aggregation, "weights_of", lambda *args: _wide(unlimited(*args)))
        results.append(result())
    assert all(same(result, results[0]) for result in results)


def test_windows_of_events_part_no_moment() -> None:
    """A window of events is not cut between two concurrent events: the second would then follow the first."""
    log = pa.table({"event_type": ["A", "A"], "ts": [0, 0], "seq": [0, 1]})
    text = "RETURN COUNT(*) PATTERN A{2,} WITHIN 2 EVENTS SLIDE 1 EVENTS"
    costs_of = table.costs_of
    for number in range(len(table.KERNELS)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(table, "costs_of", lambda case, n=number: _lowest(costs_of(case), n))
            assert aggregate(text, log).num_rows == 0
            assert aggregate(text, log, Ties.ORDERED)["count_exact"].to_pylist() == ["1"]


def _lowest(costs: table.Costs, number: int) -> table.Costs:
    """The costs, with the lowest for one kernel wherever it applies."""
    costs[number][np.isfinite(costs[number])] = -1.0
    return costs


def _noted(costs: table.Costs, avoided: set[int]) -> table.Costs:
    """The same costs; adds the kernels that apply to a partition for which another one is chosen."""
    chosen = np.arange(len(costs))[:, None] == costs.argmin(axis=0)
    avoided.update(np.flatnonzero((np.isfinite(costs) & ~chosen).any(axis=1)).tolist())
    return costs


def _wide(weights: Weights) -> Weights:
    """The same weights, marked as too large for a machine word."""
    fields = {name: getattr(weights, name) for name in ("words", "parts", "states", "places", "shifts")}
    return Weights(**fields, wide=True)


@QUERIES
@given(queries().filter(lambda text: "EVENTS" not in text), logs(most=12))
def test_events_of_other_types_change_nothing(text: str, log: pa.Table) -> None:
    """The log may have events of types that are not in the pattern, at any time."""
    irrelevant = log.set_column(0, "event_type", pa.array(["Z"] * log.num_rows, pa.string()))
    mixed = pa.concat_tables([log, irrelevant]).sort_by([("ts", "ascending")])
    mixed = mixed.set_column(2, "seq", pa.array(np.arange(mixed.num_rows)))
    schema = schema_of(mixed, Ties.CONCURRENT)
    evaluator = TrendEvaluator(bind(text, schema), exact=True)
    assert same(evaluator.merge(evaluator.evaluate(mixed)), evaluator.merge(evaluator.evaluate(log)))


@QUERIES
@given(queries().filter(lambda text: ".ts" not in text), logs(most=12), st.sampled_from([2, 60, 1000]))
def test_time_has_no_unit(text: str, log: pa.Table, factor: int) -> None:
    """Times and windows are scaled together. Windows of events do not depend on time."""
    in_events = "EVENTS" in text
    scaled = log.set_column(1, "ts", pc.multiply(log.column("ts"), factor))
    head, tail = text.split(" WITHIN ")
    words = [str(int(word) * factor) if word.isdigit() and not in_events else word for word in tail.split()]
    result, scaled_result = aggregate(text, log), aggregate(f"{head} WITHIN {' '.join(words)}", scaled)
    assert scaled_result.column("window_start").to_pylist() == [
        start * (1 if in_events else factor) for start in result.column("window_start").to_pylist()
    ]
    times = ["window_start", "window_end", "certain"]
    assert same(scaled_result.drop_columns(times), result.drop_columns(times))


def test_chunks_and_storage_change_nothing() -> None:
    """Chunked, dictionary-encoded and narrower columns are read like any other."""
    log = pa.table(
        {"event_type": list("AABAB"), "ts": range(5), "seq": range(5), "x": [1, 2, 3, 4, 5], "g": list("pppqp")}
    )
    narrow = log.set_column(3, "x", log.column("x").cast(pa.int8())).set_column(
        4, "g", log.column("g").combine_chunks().dictionary_encode()
    )
    chunked = pa.concat_tables([narrow.slice(0, 2), narrow.slice(2)], promote_options="permissive")
    text = "RETURN g, COUNT(*), SUM(A.x), MAX(A.x) PATTERN SEQ(A+, B) GROUP-BY g WITHIN 10 SLIDE 2"
    assert aggregate(text, chunked).to_pylist() == aggregate(text, log).to_pylist()
