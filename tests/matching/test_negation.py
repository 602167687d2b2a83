"""NOT at every place: what the definition forbids is gone, what it allows is there, and every match is counted."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings

import cep_core as cep
from tests.matching.test_match import ask, rows_of
from tests.matching.worlds.drawing import worlds
from tests.matching.worlds.world import World

RUNS = ("skip_till_next_match", "strict_contiguity", "partition_contiguity")


@settings(deadline=None)
@given(worlds(negated=True))
def test_skip_till_any_match_drops_what_is_forbidden(world: World) -> None:
    """The matches that some reading of the pattern allows, in order, and as many as `matches_total` says."""
    table = ask(world)
    expected = [world.row(window, path) for window, path in world.matches()]
    assert rows_of(table) == expected
    assert table.schema.metadata[b"matches_total"] == str(len(expected)).encode()


@settings(deadline=None)
@given(worlds(RUNS, negated=True))
def test_a_run_that_passes_what_is_forbidden_is_no_match(world: World) -> None:
    """The run of each start event is what it is without the negations; then they drop it or not."""
    table = ask(world)
    expected = [world.row(window, path) for window, path in world.matches()]
    assert rows_of(table) == expected
    assert table.schema.metadata[b"matches_total"] == str(len(expected)).encode()


@pytest.mark.parametrize(
    ("pattern", "types", "number"),
    [
        ("SEQ(X, (SEQ(NOT E, A?)){2}, Y)", "XAEY", 1),  # the first round binds nothing, and forbids an e before a
        ("SEQ(X, (SEQ(NOT E, A?)){2}, Y)", "XEAY", 0),
        ("SEQ(X, (SEQ(A?, NOT E)){2}, Y)", "XEAY", 1),
        ("SEQ(X, (SEQ(A?, NOT E)){2}, Y)", "XAEY", 0),
        ("SEQ(X, (SEQ(NOT E, A?)){1,2}, Y)", "XAEY", 1),
        ("SEQ(X, (SEQ(NOT E, A?)){2}, Y)", "XAY", 2),
    ],
)
def test_a_round_that_binds_nothing_stands_where_it_forbids_least(pattern: str, types: str, number: int) -> None:
    """A binding is a match if one reading lets it: in matching and in aggregation. Runs fill rounds in order."""
    log = pa.table({"event_type": list(types), "ts": range(len(types))})
    assert cep.match(f"PATTERN {pattern} WITHIN 100", log).num_rows == number
    counted = cep.aggregate(f"RETURN COUNT(*) PATTERN {pattern} WITHIN 100", log).column("count").to_pylist()
    assert sum(counted) == number
