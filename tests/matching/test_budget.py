"""A budget of work: under it a result is complete or there is none, whatever the slicing, and a larger one heals."""

from __future__ import annotations

import random
from collections.abc import Iterator
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.engines import evaluator_of
from cep_core.events.schema import Ties
from cep_core.events.table import log_schema_of, order
from cep_core.language.budget import UNLIMITED, Budget, WorkExhausted
from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import Evaluator, Ownership
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.query import Query
from cep_core.language.settings import Settings
from cep_core.matching.arrays.paths import LARGEST
from cep_core.matching.imprecise.kernels import search
from tests.matching.imprecise.test_imprecise import Imprecise, imprecise
from tests.matching.imprecise.test_imprecise_pairs import PossiblePairsDrawn, possible_pairs
from tests.matching.test_pairs import pairs_of_worlds
from tests.matching.test_slices import DAYS, WORLDS
from tests.matching.worlds.world import World

BUDGETS = st.sampled_from([0, 1, 2, 3, 5, 8, 13, 30, 100])
HEALS = 10**9
HOPELESS = "PATTERN SEQ(A a, B+ b[]) WHERE b[i].v > max(b[..i-1].v) AND sum(b[].v) = 777 WITHIN 100"


def hopeless_log(events: int) -> pa.Table:
    values = [(37 * n) % 101 for n in range(events)]
    return pa.table({"event_type": ["A"] + ["B"] * (events - 1), "ts": range(events), "v": values})


def test_a_query_without_a_visible_end_ends() -> None:
    """2^59 - 1 candidates that only a listing can judge: the budget ends it, with numbers, on the way or at once."""
    with pytest.raises(WorkExhausted) as raised:
        cep.match(HOPELESS, hopeless_log(60), work=10_000)
    assert (raised.value.limit, raised.value.candidates) == (10_000, 2**59 - 1)
    assert "10,000 steps were not enough to try the query's 5.8e17 candidates" in str(raised.value)
    log = order(hopeless_log(60))
    steps: list[int] = []
    evaluator = evaluator_of(bind(HOPELESS, log_schema_of(log)), Settings(3, budget=Budget(3_000_000, steps.append)))
    with pytest.raises(WorkExhausted):
        evaluator.merge(evaluator.evaluate(log))
    assert steps == sorted(steps)
    assert 3_000_000 < steps[-1] < 6_000_000


@pytest.mark.parametrize(
    "query",
    [
        "PATTERN SEQ(A a, B+ b[]) WITHIN 100",
        "PATTERN SEQ(A a, B+ b[]) AND SEQ(A c, B+ d[]) WITHIN 100",
        "PATTERN SEQ(A a, B b) AND SEQ(B+ c[], B d) WITHIN 100",
        "PATTERN B+ b[] WITHIN 100 WITH CONFIDENCE > 0",
        "PATTERN SEQ(A a, B+ b[]) WHERE sum(b[].v) = 777 WITHIN 100 WITH CONFIDENCE > 0",
        "PATTERN SEQ(A a, B+ b[]) AND SEQ(A c, B{2,} d[]) WITHIN 100 WITH CONFIDENCE > 0",
    ],
)
def test_whatever_lists_is_bounded(query: str) -> None:
    """Each way of listing that may be exponential: precise and imprecise, alone and in pairs; detection, too."""
    log = hopeless_log(60)
    for ask in (cep.match, cep.detect):
        if ask is cep.detect and "CONFIDENCE" not in query and "AND" not in query:
            continue  # one pass decides
        with pytest.raises(WorkExhausted):
            ask(query, log, work=100_000)


@pytest.mark.parametrize("negation", ["", "NOT C n, "])
def test_orders_of_events_at_the_same_time_are_bounded(negation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """14 events of a match that may come in any order have 14! orders; a test of the last one asks for each.

    The room for them, eight million configurations, is enlarged twice here instead of six times; filling it took all
    the time. Two events have room.
    """
    monkeypatch.setattr(search, "LARGEST_POOL", 1 << 16)
    kinds = ["A", *"B" * 14, "D"]
    log = pa.table(
        {
            "event_type": kinds,
            "ts": [0, *range(10, 24), 40],
            "ts_lo": [0, *[5] * 14, 40],
            "ts_hi": [0, *[30] * 14, 40],
            "v": range(len(kinds)),
        }
    )
    query = "PATTERN SEQ(A a, B{{{0}}} b[], {1}D d) WHERE b[last].v < 4 WITHIN 100 WITH CONFIDENCE > 0"
    with pytest.raises(WorkExhausted, match="happen at the same time"):
        cep.match(query.format(14, negation), log, work=1_000_000)
    assert cep.match(query.format(2, negation), log, work=1_000_000).num_rows > 0


def bound(text: str, table: pa.Table, ordered: bool) -> tuple[Query, pa.Table]:
    events = order(table)
    return bind(text, log_schema_of(events, ties=Ties.ORDERED if ordered else Ties.CONCURRENT)), events


def results(evaluators: list[Evaluator], parts: list[list[pa.RecordBatch]], days: tuple[int, ...]) -> Iterator[object]:
    """What each evaluator makes of its partial results: a table, or None where work is exhausted."""
    for evaluator, batches in zip(evaluators, parts, strict=True):
        try:
            yield evaluator.merge(batches, days)
        except WorkExhausted:
            yield None


def check_heals(query: Query, events: pa.Table, work: int, most: int | None) -> None:
    """Complete and equal to the unlimited result, or a hole; a larger budget never makes a hole of a result."""
    try:
        evaluators = [
            evaluator_of(query, Settings(most, budget=budget))
            for budget in (UNLIMITED, Budget(work), Budget(2 * work + 1), Budget(HEALS))
        ]
        days = (DAYS[1], DAYS[-1])
        parts = [list(evaluator.evaluate(events, Ownership(days=days))) for evaluator in evaluators]
    except NotSupportedYet:
        reject()
    unlimited, small, larger, healed = results(evaluators, parts, days)
    assert isinstance(unlimited, pa.Table)
    for result in (small, larger, healed):
        assert result is None or (isinstance(result, pa.Table) and result.equals(unlimited, check_metadata=True))
    assert healed is not None
    assert larger is not None or small is None


@settings(deadline=None)
@given(WORLDS, BUDGETS, st.sampled_from([None, 0, 1, 3]))
def test_a_result_is_complete_or_a_hole(world: World, work: int, most: int | None) -> None:
    check_heals(*bound(world.text, world.table, world.ordered), work, most)


@settings(deadline=None)
@given(imprecise(), BUDGETS, st.sampled_from([None, 0, 1, 3]))
def test_possible_matches_are_complete_or_a_hole(asked: Imprecise, work: int, most: int | None) -> None:
    check_heals(*bound(asked.text, asked.table, asked.world.ordered), work, most)


@settings(deadline=None)
@given(pairs_of_worlds(), BUDGETS, st.sampled_from([None, 3]))
def test_pairs_are_complete_or_a_hole(drawn: tuple[World, World, str], work: int, most: int | None) -> None:
    left, _, text = drawn
    check_heals(*bound(text, left.table, left.ordered), 10 * work, most)


@settings(deadline=None)
@given(possible_pairs(), BUDGETS)
def test_possible_pairs_are_complete_or_a_hole(drawn: PossiblePairsDrawn, work: int) -> None:
    check_heals(*bound(drawn.text, drawn.asked.table, drawn.left.ordered), 10 * work, None)


@settings(deadline=None)
@given(WORLDS, BUDGETS, st.sampled_from([None, 0, 1, 3]), st.sampled_from([1, 2, 1000]), st.integers(0, 1000))
def test_no_plan_decides_whether_a_budget_suffices(
    world: World, work: int, most: int | None, batch: int, seed: int
) -> None:
    """Slices by key and by time range, in batches of any size: exhausted exactly where one slice is, for each day."""
    chance = random.Random(seed)
    query, events = bound(world.text, world.table, world.ordered)
    day = (DAYS[1], DAYS[-1])
    middle = chance.randrange(DAYS[1] + 1, DAYS[-1])
    try:
        evaluator = evaluator_of(query, Settings(most, budget=Budget(work)))
        whole = list(evaluator.evaluate(events, Ownership(days=day)))
    except NotSupportedYet:
        reject()
    variables = tuple(key.name for key in query.key_classes)
    reach = evaluator.reach
    partials = []
    with patch("cep_core.matching.result.last_events.LastEvents.batch_size", LARGEST._replace(rows=batch)):
        for days in [(day[0], middle), (middle, day[1])] if chance.random() < 0.7 else [day]:
            begin = days[0] - (reach.time or 0)
            inside = np.array([reach.events > 0 or begin <= event.ts < days[-1] for event in world.events], np.bool_)
            for part in range(2 if variables else 1):

                def owns(keys: pa.Table, part: int = part) -> np.ndarray:
                    return np.array(
                        [hash(key) % 2 == part for key in zip(*keys.to_pydict().values(), strict=True)], np.bool_
                    )

                owned = Ownership(variables, owns if variables else None, days)
                partials += list(evaluator.evaluate(events.filter(pa.array(inside)), owned))
    chance.shuffle(partials)
    unsliced, sliced = results([evaluator, evaluator], [whole, partials], day)
    assert (unsliced is None) == (sliced is None)
    if isinstance(unsliced, pa.Table):
        assert unsliced.equals(sliced, check_metadata=True)


def test_many_optional_parts_are_bound_or_refused_at_once() -> None:
    """n optional parts in turn have n^2 / 2 pairs of neighbours; beyond the limit they are refused, with the number."""

    def optional(parts: int) -> str:
        return f"PATTERN SEQ({', '.join(f'A? a{k}' for k in range(parts))}, B b) WITHIN 9"

    log = pa.table({"event_type": ["A", "B"], "ts": [1, 2]})
    assert cep.match(optional(200), log).num_rows == 201
    with pytest.raises(NotSupportedYet, match="more than 524,288 pairs of events may follow each other") as refusal:
        cep.match(optional(1_100), log)
    assert (refusal.value.line, refusal.value.column) == (1, 9)
    choices = " OR ".join(f"A a{k}" for k in range(800))
    with pytest.raises(NotSupportedYet, match="524,288 pairs"):
        cep.match(f"PATTERN ({choices})+ WITHIN 9", log)
