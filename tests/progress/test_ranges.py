"""Calls that show progress evaluate range by range, and give what one evaluation gives."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.progress import meter, ranges
from tests.matching.worlds.drawing import worlds
from tests.matching.worlds.world import World

STRATEGIES = ("skip_till_any_match", "skip_till_next_match", "strict_contiguity", "partition_contiguity")


def longer(log: pa.Table) -> pa.Table:
    """The log, and its events three times more, each time somewhat later."""
    times = log["ts"].to_numpy()
    copies = [log.set_column(log.column_names.index("ts"), "ts", pa.array(times + 9 * later)) for later in range(4)]
    whole = pa.concat_tables(copies)
    whole = whole.drop_columns([name for name in ("seq", "pos") if name in whole.column_names])
    return whole.take(pc.sort_indices(whole["ts"]))


@settings(deadline=None)
@given(world=worlds(STRATEGIES, negated=True), events_in_range=st.integers(1, 3))
def test_matches_are_those_of_one_evaluation(world: World, events_in_range: int) -> None:
    """With their totals, under every strategy; ranges of a few events."""
    ties = "ordered" if world.ordered else "concurrent"
    log = longer(world.table)
    try:
        expected = cep.match(world.text, log, ties=ties)
    except cep.QueryError:
        reject()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranges, "EVENTS_IN_RANGE", events_in_range)
        patch.setattr(ranges, "REACHES_IN_RANGE", 1)
        assert cep.match(world.text, log, ties=ties, progress=True).equals(expected, check_metadata=True)


def test_aggregates_of_ranges_and_what_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On what is no terminal, lines with the share that is done."""
    monkeypatch.setattr(ranges, "EVENTS_IN_RANGE", 100)
    monkeypatch.setattr(meter, "SECONDS_BETWEEN_LINES", 0.0)
    log = pa.table({"event_type": ["A", "B", "B", "A"] * 500, "ts": range(0, 6_000, 3)})
    query = "RETURN COUNT(*), MAX(A.ts) PATTERN SEQ(A, B+) WITHIN 30"
    assert cep.aggregate(query, log, progress=True).equals(cep.aggregate(query, log), check_metadata=True)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) > 10
    assert lines[-1] == "counting 100 %"
