"""The tables that choose kernels: every row serves its own example, and `explain` says what the evaluator does."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pytest
from hypothesis import given, reject, settings

import cep_core as cep
from cep_core.events.schema import Ties
from cep_core.events.table import log_schema_of, order
from cep_core.language.errors import NotSupportedYet
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.settings import Settings
from cep_core.matching.choice.answering import ANSWERS
from cep_core.matching.choice.choices import Choice, chosen
from cep_core.matching.choice.listings import LISTINGS
from cep_core.matching.evaluator import MatchEvaluator
from cep_core.matching.plan.match_plan import MatchPlan, match_plan
from tests.matching.worlds.drawing import worlds
from tests.matching.worlds.world import World

LOG = pa.table({"event_type": list("AABBABAB"), "ts": [10 * k for k in range(8)], "x": [1, 2, 3, 4, 9, 6, 7, 5]})
TABLES = (ANSWERS, LISTINGS)
ROWS = [(table, choice) for table in TABLES for choice in table]


def planned(text: str) -> MatchPlan:
    return match_plan(bind(text, log_schema_of(LOG)))


@pytest.mark.parametrize(("table", "choice"), ROWS, ids=[choice.example for _, choice in ROWS])
def test_every_row_is_chosen_for_its_example(table: tuple[Choice[object], ...], choice: Choice[object]) -> None:
    """No row stands in the shadow of one before it, and its words are those that `explain` prints."""
    plan = planned(choice.example)
    assert chosen(table, plan) is choice
    lines = str(cep.explain(choice.example))
    assert choice.words(plan) in lines
    if table is ANSWERS:
        assert f"cost: {choice.cost}" in lines


@pytest.mark.parametrize(("table", "choice"), ROWS, ids=[choice.example for _, choice in ROWS])
def test_every_example_has_matches(table: tuple[Choice[object], ...], choice: Choice[object]) -> None:
    assert cep.match(choice.example, LOG).num_rows > 0


def bound_events(tables: Iterable[pa.Table], variables: Iterable[str]) -> dict[tuple[object, ...], set[int]]:
    """By last moment, window and variable the events that rows bind."""
    events: dict[tuple[object, ...], set[int]] = {}
    for row in (row for table in tables for row in table.to_pylist()):
        for name in variables:
            own = row[name] if isinstance(row[name], list) else [row[name]]
            events.setdefault((row["last_ts"], row.get("window_start"), name), set()).update(
                seq for seq in own if seq is not None
            )
    return events


@settings(deadline=None)
@given(worlds())
def test_outputs_tell_of_the_same_matches(world: World) -> None:
    """Compact rows hold exactly what listed matches bind, and their number; supersets hold no less."""
    ties = Ties.ORDERED if world.ordered else Ties.CONCURRENT
    query = bind(world.text, log_schema_of(world.table, ties=ties))
    try:
        evaluator = MatchEvaluator(query)
    except NotSupportedYet:
        reject()
    log = order(world.table)
    listed = evaluator.merge(evaluator.evaluate(log))
    evaluator = MatchEvaluator(query, Settings(collapsed=True))
    compact = evaluator.merge(evaluator.evaluate(log))
    supersets = MatchEvaluator(query, Settings(collapsed=True, supersets=True)).evaluate(log)
    names = [variable.name for variable in query.positive]
    bound = bound_events([listed], names)
    assert bound_events([compact], names) == bound
    assert sum(int(count) for count in compact["match_count_exact"].to_pylist()) == listed.num_rows
    possible = bound_events([pa.Table.from_batches([batch]) for batch in supersets], names)
    assert all(events <= possible[key] for key, events in bound.items())
