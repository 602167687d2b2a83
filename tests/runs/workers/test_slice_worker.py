"""A worker's part of the law of slicing: however a slice's events are cut, the merged result is the unsliced one."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cep_core.compile import bind_text
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.errors import QueryError
from cep_core.language.evaluator import Ownership, Reach, of_table
from cep_core.language.settings import Settings
from cep_core.slicing import make_plan, split, statistics_of
from jobs.stages.evaluating.assignment import Assignment, QueryText, compiled, schema_to_values
from jobs.stages.evaluating.large_slices import RowsOfFile
from jobs.stages.evaluating.left_batches import from_bytes
from jobs.stages.evaluating.reading import Reading, pieces
from jobs.stages.evaluating.slice_worker import evaluate_slice
from jobs.stages.evaluating.slices.slice_files import SliceFile, events_of

SCHEMA = LogSchema(
    {
        kind: {
            "machine": Attribute("machine", AttributeType.STRING),
            "load": Attribute("load", AttributeType.INT),
        }
        for kind in ("Start", "Stop")
    },
    imprecision={"Start": (60, 90)},
)
DAY = 86_400
DAYS = (2 * DAY, 3 * DAY, 4 * DAY)
QUERIES = (
    QueryText(
        "chains",
        "chains.cep",
        "RETURN machine, COUNT(*), MAX(S.load) PATTERN (SEQ(Start S, Stop T))+ "
        "WHERE [machine] GROUP-BY machine WITHIN 12 hours SLIDE 6 hours",
        Settings(),
    ),
    QueryText(
        "climbs",
        "climbs.cep",
        "PATTERN SEQ(Start a, Start+ b[], Stop c) WHERE skip_till_next_match "
        "{ [machine] AND b[1].load > a.load AND b[i].load > b[i-1].load } WITHIN 20 hours",
        Settings(5),
    ),
    QueryText(
        "compact",
        "compact.cep",
        "PATTERN SEQ(Start a, Start b, Stop c) WHERE [machine] AND b.load > a.load WITHIN 12 hours",
        Settings(collapsed=True, supersets=True),
    ),
    QueryText(
        "supersets",
        "supersets.cep",
        "PATTERN SEQ(Start a, Start+ b[], Stop c) WHERE [machine] AND sum(b[].load) > a.load WITHIN 6 hours",
        Settings(collapsed=True, supersets=True),
    ),
    QueryText(
        "likely",
        "likely.cep",
        "PATTERN SEQ(Start a, Start b, Stop c) WHERE [machine] AND b.load > a.load WITHIN 6 hours "
        "WITH CONFIDENCE >= 0.3",
        Settings(5),
    ),
)


def log() -> pa.Table:
    random = np.random.default_rng(7)
    ts = np.sort(random.integers(0, 4 * DAY, 400))
    return pa.table(
        {
            "event_type": np.where(random.random(400) < 0.25, "Stop", "Start"),
            "ts": ts,
            "seq": np.arange(400),
            "pos": np.arange(400),
            "machine": [f"m{n}" for n in random.integers(0, 5, 400)],
            "load": random.integers(0, 50, 400),
        }
    )


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
@pytest.mark.parametrize("limit", [10_000, 60])
@pytest.mark.parametrize("ranges", [1, 2])
def test_slices_merge_to_the_unsliced_result(query: QueryText, limit: int, ranges: int, tmp_path: Path) -> None:
    """With a row limit that forces ranges inside a slice, with a plan that has ranges, with both. Slices are files: one
    with more rows than the limit is read range by range."""
    events = log()
    evaluator = bind_text(query.text, SCHEMA).evaluator(query.settings)
    plan = make_plan(
        {query.name: evaluator.atoms},
        ["machine"],
        statistics_of(events, evaluator.atoms, 4 * DAY),
        4,
        "test",
        evaluator.reach,
        (DAYS[0], DAYS[-1]),
        ranges=ranges,
    )
    assignment = Assignment((plan.to_dict(),), (query,), {query.name: (DAYS,)}, schema_to_values(SCHEMA), limit)
    rows, numbers = split(plan, events)
    columns = {field.name: field.type for field in events.schema}
    partials, parts = [], []
    for number in range(plan.slices):
        path = tmp_path / f"{number}.parquet"
        pq.write_table(events.take(pa.array(rows[numbers == number])), path, row_group_size=25)
        read = events_of(SliceFile(str(path), plan.plan_id, number), columns, limit)
        parts.append(isinstance(read, RowsOfFile))
        partials += evaluate_slice(assignment, plan.plan_id, number, read)
    assert any(parts) == (limit == 60)
    merged = evaluator.merge((from_bytes(b) for p in partials for b in p.batches), DAYS)
    whole = evaluator.merge(evaluator.evaluate(events, Ownership(days=DAYS)), DAYS)
    assert whole.num_rows
    assert merged.equals(whole)
    assert merged.schema.metadata == whole.schema.metadata


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_tables_beside_the_result_come_from_the_slices_too(query: QueryText) -> None:
    """Compact rows of a cut listing are those of an evaluator that is asked for them alone."""
    evaluator, events = bind_text(query.text, SCHEMA).evaluator(query.settings), log()
    result, *beside = evaluator.tables
    assert (result.suffix, result.schema) == ("", evaluator.schema)
    matching = query.name != "chains" and not query.settings.collapsed
    assert [table.suffix for table in beside] == (["_compact"] if matching else [])
    for table in beside:
        asked = replace(query, table=table.suffix)
        plan = make_plan(
            {query.name: evaluator.atoms}, ["machine"], statistics_of(events, evaluator.atoms), 4, seed_text="seed"
        )
        assignment = Assignment((plan.to_dict(),), (asked,), {asked.into: (DAYS,)}, schema_to_values(SCHEMA), 10_000)
        rows, numbers = split(plan, events)
        partials = [
            partial
            for number in range(plan.slices)
            for partial in evaluate_slice(
                assignment, plan.plan_id, number, events.take(pa.array(rows[numbers == number]))
            )
        ]
        batches = [from_bytes(b) for partial in partials for b in partial.batches]
        assert {partial.into for partial in partials} == {f"{query.name}_compact"}
        assert not list(of_table(batches))
        merged = table.merge(of_table(batches, table.suffix), DAYS)
        alone = bind_text(query.text, SCHEMA).evaluator(replace(query.settings, collapsed=True, supersets=True))
        whole = alone.merge(alone.evaluate(events, Ownership(days=DAYS)), DAYS)
        assert whole.num_rows
        assert merged.equals(whole)
        assert table.schema == alone.schema


def test_an_error_in_a_worker_names_the_file() -> None:
    with pytest.raises(QueryError, match=r"^queries/climbs\.cep:1:9: unknown event type 'Begin'"):
        compiled(
            QueryText("climbs", "queries/climbs.cep", "PATTERN Begin a WITHIN 5", Settings()), schema_to_values(SCHEMA)
        )


def test_a_slice_is_cut_until_its_parts_respect_the_limit() -> None:
    """Parts follow each other without gap, keep day boundaries as boundaries, and read at most the limit."""
    stamps = np.arange(0, 4 * DAY, 60)
    days = (0, DAY, 2 * DAY, 3 * DAY, 4 * DAY)
    cut = pieces(days, Reading(Reach(time=3_600), stamps), limit=400)
    assert [a[-1] for a in cut[:-1]] == [b[0] for b in cut[1:]]
    assert (cut[0][0], cut[-1][-1]) == (0, 4 * DAY)
    assert set(days) <= {moment for part in cut for moment in part}
    assert all((part[-1] - max(0, part[0] - 3_600)) / 60 <= 400 for part in cut)


@pytest.mark.parametrize("limit", [10_000, 60])
def test_a_worker_tells_for_which_day_it_read_each_event(limit: int) -> None:
    """What a block's days read adds up to all that was read: the day's page and the console say the same."""
    query, events = QUERIES[2], log()
    plan = make_plan({query.name: ()}, (), statistics_of(events, ()), 1, seed_text="seed")
    assignment = Assignment(
        (plan.to_dict(),), (query,), {query.name: (DAYS, (DAY, 2 * DAY))}, schema_to_values(SCHEMA), limit
    )
    stamps = events["ts"].to_numpy()
    first_piece, second_piece = evaluate_slice(assignment, plan.plan_id, 0, events)
    own = [int(((start <= stamps) & (stamps < end)).sum()) for start, end in pairwise(DAYS)]
    assert first_piece.events[1] >= own[1]
    assert first_piece.events[0] > own[0]  # what the first day looks back to
    assert (first_piece.events[1] == own[1]) == (limit == 10_000)  # a day of a piece of its own looks back as well
    assert len(second_piece.events) == 1
