"""A slice that is evaluated in stretches gives what it gives when it is evaluated at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from cep_core.candidates import stretches
from cep_core.compile import bind_text
from cep_core.events.schema import Ties
from cep_core.events.table import log_schema_of, order
from cep_core.language.errors import QueryError
from cep_core.language.evaluator import CERTAIN, Evaluator, Ownership, Reach, answered
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.settings import Settings
from cep_core.trends.evaluator import TrendEvaluator
from tests.counts import few
from tests.matching.worlds.drawing import waiting, worlds
from tests.matching.worlds.world import World
from tests.progress.test_ranges import STRATEGIES, longer
from tests.trends.random_logs import logs, same, schema_of
from tests.trends.random_queries import queries

SETTINGS = (Settings(), Settings(max_matches=2), Settings(collapsed=True), Settings(collapsed=True, supersets=True))
PATTERN = bind("PATTERN SEQ(A a, B b) WITHIN 10", log_schema_of(pa.table({"event_type": ["A", "B"], "ts": [0, 1]})))


@contextmanager
def stretches_of_few(candidates: int) -> Iterator[None]:
    """Stretches have about so many candidates, however much each reads back."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("LEAST", "SHORT"):
            patch.setattr(stretches, name, candidates)
        for name in ("READ_BACK", "PARTS_READ_BACK"):
            patch.setattr(stretches, name, 0)
        yield


def spans(log: pa.Table, owned: Ownership | None, least: int, reach: int = 5) -> list[tuple[list[int], object]]:
    """Of each stretch of a whole log, the stamps that it reads and the days that it owns."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stretches, "LEAST", least)
        divided = list(stretches.stretches_of(PATTERN, Reach(time=reach), log, owned, whole=True))
    return [(events["ts"].to_pylist(), None if own is None else own.days) for events, own in divided]


def test_stretches_read_back_and_own_each_moment_once() -> None:
    """Days stay boundaries; a stretch begins at an event's moment and reads the reach before it."""
    log = pa.table({"event_type": ["A", "B"] * 200, "ts": range(400)})
    assert spans(log, Ownership(days=(100, 250, 400)), 130) == [
        (list(range(200)), (100, 200)),
        (list(range(195, 300)), (200, 250, 300)),
        (list(range(295, 400)), (300, 400)),
    ]
    assert spans(log, None, 200) == [
        (list(range(200)), (0, 200)),
        (list(range(195, 400)), (200, 405)),
    ]


def test_no_stretches_where_they_would_read_back_too_much() -> None:
    """Bursts of equal stamps, a long reach, few candidates: all at once."""
    log = pa.table({"event_type": ["A", "B"] * 200, "ts": range(400)})
    assert len(spans(log, None, 100)) == 4
    assert spans(log, None, 100, reach=100) == [(list(range(400)), None)]
    assert len(spans(log.set_column(1, "ts", pa.array([7] * 400)), None, 100)) == 1
    logged = log.set_column(0, "event_type", pa.array(["X", "Y"] * 199 + ["A", "B"]))
    assert len(spans(logged, None, 100)) == 1


def test_a_slice_has_more_stretches_than_a_whole_log() -> None:
    """Five if each has enough candidates, fewer where one event in four would be read twice; more of a long slice."""

    def count(candidates: int, reach: int = 5) -> int:
        log = pa.table({"event_type": ["A", "B"] * (candidates // 2), "ts": range(candidates)})
        return len(list(stretches.stretches_of(PATTERN, Reach(time=reach), log, None)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stretches, "LEAST", 400)
        patch.setattr(stretches, "SHORT", 40)
        assert [count(candidates) for candidates in (78, 80, 120, 200, 2_000, 2_400)] == [1, 2, 3, 5, 5, 6]
        assert [count(200, reach) for reach in (12, 13, 25, 26, 50, 51)] == [5, 3, 3, 2, 2, 1]


@few(60)
@given(
    world=st.one_of(worlds(STRATEGIES, negated=True), waiting()), candidates=st.integers(1, 4), which=st.integers(0, 3)
)
def test_matches_of_stretches(world: World, candidates: int, which: int) -> None:
    """Listings, cut ones, compact rows and supersets, with their totals: any strategy, negation and window.

    The answer of a whole log, whose rows need not be merged with those of other slices, is the same.
    """
    log = order(longer(world.table))
    declared = log_schema_of(log, ties=Ties.ORDERED if world.ordered else Ties.CONCURRENT)
    try:
        evaluator: Evaluator = bind_text(world.text, declared).evaluator(SETTINGS[which])
    except QueryError:
        reject()
    expected = evaluator.merge(evaluator.evaluate(log))
    of_whole = expected.drop_columns([CERTAIN])
    assert answered(evaluator, log).equals(of_whole, check_metadata=True)
    with stretches_of_few(candidates):
        assert evaluator.merge(evaluator.evaluate(log)).equals(expected, check_metadata=True)
        assert answered(evaluator, log).equals(of_whole, check_metadata=True)


def test_a_compact_row_of_two_stretches() -> None:
    """Matches of one last event become certain at 10 and at 15, in two stretches whose rows are in order otherwise."""
    log = order(pa.table({"event_type": ["A", "A", "C", "C"], "ts": [0, 5, 6, 12]}))
    text = "PATTERN SEQ(A a, C c, NOT B b) WITHIN 10"
    evaluator = bind_text(text, log_schema_of(log)).evaluator(Settings(collapsed=True))
    with stretches_of_few(1):
        table = evaluator.merge(evaluator.evaluate(log))
        of_whole = table.drop_columns([CERTAIN])
        assert answered(evaluator, log).equals(of_whole, check_metadata=True)
    assert table.select(["last_ts", "match_count", "a"]).to_pylist() == [
        {"last_ts": 6, "match_count": 2, "a": [0, 1]},
        {"last_ts": 12, "match_count": 1, "a": [1]},
    ]


@few(60)
@given(queries(), logs(most=20), st.integers(1, 4), st.booleans())
def test_aggregates_of_stretches(text: str, log: pa.Table, candidates: int, owns_days: bool) -> None:
    """Totals, minima and groups of all windows, or of those of some days."""
    evaluator = TrendEvaluator(bind(text, schema_of(log, Ties.CONCURRENT)))
    owned = Ownership(days=(-5, 3, 9)) if owns_days and "EVENTS" not in text else None
    expected = evaluator.merge(evaluator.evaluate(log, owned))
    with stretches_of_few(candidates):
        assert same(evaluator.merge(evaluator.evaluate(log, owned)), expected)


@few(60)
@given(queries(), logs(most=20), st.integers(1, 4))
def test_aggregates_of_whole_logs(text: str, log: pa.Table, candidates: int) -> None:
    """Totals that are not added to those of other slices are the same, at once and in stretches."""
    evaluator = TrendEvaluator(bind(text, schema_of(log, Ties.CONCURRENT)))
    expected = evaluator.merge(evaluator.evaluate(log)).drop_columns([CERTAIN])
    assert same(answered(evaluator, log), expected)
    with stretches_of_few(candidates):
        assert same(answered(evaluator, log), expected)
