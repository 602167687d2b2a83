"""`cep.match` is the definition: every query, every strategy, every window, whatever the log."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, reject, settings

import cep_core as cep
from cep_core.language.errors import NotSupportedYet
from tests.matching.drawing import worlds
from tests.matching.worlds import World


def rows_of(table: pa.Table) -> list[tuple[object, ...]]:
    columns = [[tuple(v) if isinstance(v, list) else v for v in column.to_pylist()] for column in table.columns]
    return list(zip(*columns, strict=True))


def ask(world: World, **options: bool) -> pa.Table:
    try:
        return cep.match(world.text, world.table, ties="ordered" if world.ordered else "concurrent", **options)
    except NotSupportedYet:
        reject()


@settings(deadline=None)
@given(worlds())
def test_skip_till_any_match_lists_every_match(world: World) -> None:
    """All bindings by definition, in order, and as many as `matches_total` says."""
    table = ask(world)
    expected = [world.row(window, path) for window, path in world.matches()]
    assert rows_of(table) == expected
    assert table.schema.metadata[b"matches_total"] == str(len(expected)).encode()


@settings(deadline=None)
@given(worlds(("skip_till_next_match", "strict_contiguity", "partition_contiguity")))
def test_runs_are_offered_events_one_by_one(world: World) -> None:
    """At most one match for each start event, the one that a run finds."""
    table = ask(world)
    expected = [world.row(window, path) for window, path in world.matches()]
    assert rows_of(table) == expected
    assert table.schema.metadata[b"matches_total"] == str(len(expected)).encode()


def test_a_run_takes_the_first_branch_that_accepts_though_another_may_bind_nothing() -> None:
    """Going past the OR by its optional branch comes after the branches before it, not before them all."""
    log = pa.table({"event_type": ["A", "A", "A"], "ts": [1, 2, 3]})
    run = "PATTERN SEQ(A a, {}, A d) WHERE skip_till_next_match WITHIN 9"
    first = cep.match(run.format("(A b OR A* c)"), log)
    assert [(row["a"], row["b"], row["d"]) for row in first.to_pylist()] == [(0, 1, 2)]
    last = cep.match(run.format("(A* c OR A b)"), log)
    assert [(row["a"], row["b"], row["d"]) for row in last.to_pylist()] == [(0, None, 1), (1, None, 2)]
