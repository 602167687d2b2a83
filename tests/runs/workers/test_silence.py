"""Evaluators that read time-points and speak of silence: slices merge to what the whole log says (S3, S29, F2).

The workers run in this process, with a small language of the tests' own (`tests/runs/lake/silences.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cep_core import compile as front_door
from cep_core import engines
from cep_core.events.logs.time_points import offsets_of
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.evaluator import Ownership
from cep_core.language.settings import Settings
from cep_core.slicing import make_plan, statistics_of
from jobs.stages.evaluating.assignment import Assignment, QueryText, compiled, schema_to_values
from jobs.stages.evaluating.left_batches import from_bytes
from jobs.stages.evaluating.slice_worker import evaluate_slice
from jobs.stages.evaluating.slices.slice_files import SliceFile, slices_of_silence
from tests.runs.lake import silences
from tests.runs.workers.slicing import all_points, merged, partials
from tests.slicing.laws.only_read import only_read

SCHEMA = LogSchema(
    {
        name: {"line": Attribute("line", AttributeType.STRING), "batch": Attribute("batch", AttributeType.INT, False)}
        for name in ("Depart", "Arrive")
    }
)
DAYS = (0, 10, 20, 30)
FEW = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def language(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(front_door, "LANGUAGES", (*front_door.LANGUAGES[:-1], silences.LANGUAGE))
    monkeypatch.setattr(engines, "ENGINES", (*engines.ENGINES, silences.ENGINE))
    compiled.cache_clear()
    yield
    compiled.cache_clear()


def log_of(rows: list[tuple[int, str, str | None, int]], points: str) -> pa.Table:
    """Events in (ts, seq) order with `pos` and `offset`."""
    rows = sorted(rows, key=lambda row: row[0])
    ts, kinds, lines, batches = zip(*rows, strict=True) if rows else ((), (), (), ())
    events = pa.table(
        {
            "event_type": pa.array(kinds, pa.string()),
            "ts": pa.array(ts, pa.int64()),
            "seq": pa.array(np.arange(len(rows))),
            "pos": pa.array(np.arange(len(rows))),
            "line": pa.array(lines, pa.string()),
            "batch": pa.array(batches, pa.int64()),
        }
    )
    return events.append_column("offset", pa.array(offsets_of(events, points)))


@st.composite
def logs(draw: st.DrawFn) -> pa.Table:
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, 29),
                st.sampled_from(["Depart", "Depart", "Arrive"]),
                st.sampled_from(["a", "b", "c", None]),
                st.integers(0, 2),
            ),
            max_size=12,
        )
    )
    return log_of(rows, draw(st.sampled_from(["by_timestamp", "by_event", "batch"])))


@FEW
@given(
    logs(),
    st.integers(1, 3),
    st.integers(1, 6),
    st.integers(1, 3),
    st.sampled_from([1, 3, 1000]),
    st.sampled_from([(DAYS,), (DAYS[:2], DAYS[2:]), (DAYS[1:],)]),
)
def test_sliced_silence_is_the_silence_of_the_whole_log(
    events: pa.Table, length: int, slices: int, ranges: int, limit: int, blocks: tuple[tuple[int, ...], ...]
) -> None:
    """By data slices, time ranges, row limits and days, with empty slices and with slices that only read silence."""
    query = QueryText("quiet", "policies/quiet.mtl", f"QUIET Depart FOR {length}: a, b, d", Settings())
    evaluator, points = compiled(query, schema_to_values(SCHEMA)), all_points(events)
    plan = make_plan(
        {query.name: evaluator.atoms},
        ["x"],
        statistics_of(events, evaluator.atoms, DAYS[-1]),
        slices,
        "seed",
        evaluator.reach,
        (DAYS[0], DAYS[-1]),
        types={"x": AttributeType.STRING},
        stamps=events["ts"].to_numpy(),
        ranges=min(ranges, slices),
    )
    assignment = Assignment((plan.to_dict(),), (query,), {query.name: blocks}, schema_to_values(SCHEMA), limit)
    for days, table in zip(
        blocks, merged(assignment, plan, only_read(evaluator, events), points, "quiet"), strict=True
    ):
        whole = evaluator.merge(evaluator.evaluate(events, Ownership(days=days), points), days)
        assert table.equals(whole)
        assert table.column_names == ["ts", "offset", "x", "certain"]


def test_a_slice_without_events_speaks() -> None:
    """Nobody ever departs from d: of three events, none is in its slice, and every point is quiet there."""
    events = log_of([(1, "Depart", "a", 0), (1, "Arrive", "a", 0), (12, "Depart", "b", 0)], "by_event")
    query = QueryText("quiet", "policies/quiet.mtl", "QUIET Depart FOR 2: d", Settings())
    evaluator, points = compiled(query, schema_to_values(SCHEMA)), all_points(events)
    statistics = statistics_of(events, evaluator.atoms, 30)
    plan = make_plan({query.name: evaluator.atoms}, ["x"], statistics, 64, "seed", evaluator.reach)
    assignment = Assignment((plan.to_dict(),), (query,), {query.name: (DAYS,)}, schema_to_values(SCHEMA), 100)
    returned = list(partials(replace(assignment, together=0), plan, events, points))
    assert len(returned) == plan.slices
    [speaking] = [partial for partial in returned if partial.rows]
    assert sum(speaking.events) == 0
    quiet = evaluator.merge(from_bytes(batch) for batch in speaking.batches)
    assert quiet.select(["ts", "offset"]).to_pylist() == [{"ts": 1, "offset": 1}, {"ts": 12, "offset": 0}]
    deaf = list(slices_of_silence(assignment, (), []))
    assert deaf == []


def test_only_slices_of_the_days_are_evaluated_in_silence() -> None:
    """A time range that owns no moment of the days asked for has no worker."""
    query = QueryText("quiet", "policies/quiet.mtl", "QUIET Depart FOR 1: a", Settings())
    evaluator, events = compiled(query, schema_to_values(SCHEMA)), log_of([], "by_event")
    plan = make_plan(
        {query.name: evaluator.atoms}, (), statistics_of(events, ()), 3, "seed", interval=(0, 30), ranges=3
    )
    assignment = Assignment((plan.to_dict(),), (query,), {query.name: ((10, 20),)}, schema_to_values(SCHEMA), 100)
    assert slices_of_silence(assignment, {"quiet"}, []) == [(plan.plan_id, 1)]
    assert slices_of_silence(assignment, {"quiet"}, [SliceFile("f", plan.plan_id, 1)]) == []
    assert list(evaluate_slice(assignment, plan.plan_id, 1, events, all_points(events)))


def test_a_block_reads_nothing_before_its_inputs() -> None:
    """A day before a hole is no input of the day after it, even if the run reads it for another day."""
    events = log_of([(1, "Arrive", None, 0), (21, "Arrive", None, 0)], "by_event")
    query = QueryText("quiet", "policies/quiet.mtl", "QUIET Depart FOR 2: a", Settings())
    evaluator = compiled(query, schema_to_values(SCHEMA))
    plan = make_plan({query.name: evaluator.atoms}, (), statistics_of(events, ()), 1, "seed")
    blocks = {query.name: ((20, 30),)}
    assignment = Assignment((plan.to_dict(),), (query,), blocks, schema_to_values(SCHEMA), 100)
    for since, rows in ((0, 1), (10, 0)):
        later = replace(assignment, since={query.name: (since,)})
        assert [partial.rows for partial in partials(later, plan, events, all_points(events))] == [rows]


def test_a_worker_without_the_points_refuses() -> None:
    query = QueryText("quiet", "policies/quiet.mtl", "QUIET Depart FOR 1: a", Settings())
    evaluator, events = compiled(query, schema_to_values(SCHEMA)), log_of([], "by_event")
    plan = make_plan({query.name: evaluator.atoms}, (), statistics_of(events, ()), 1, "seed")
    assignment = Assignment((plan.to_dict(),), (query,), {query.name: (DAYS,)}, schema_to_values(SCHEMA), 100)
    with pytest.raises(ValueError, match="came without them"):
        list(evaluate_slice(assignment, plan.plan_id, 0, events))
