"""A plan never changes a result: any slicing by valuation and by time, merged, is the unsliced result, day by day."""

from __future__ import annotations

import json
import random

import numpy as np
import pyarrow as pa
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from cep_core.compile import compile_query
from cep_core.events.schema import Ties
from cep_core.events.table import log_schema_of, order
from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import CERTAIN, TOTALS, Evaluator, Ownership
from cep_core.matching.evaluator import MatchEvaluator
from cep_core.matching.reference import Path
from tests.matching.drawing import worlds
from tests.matching.test_match import rows_of
from tests.matching.worlds import World

STRATEGIES = ("skip_till_any_match", "skip_till_next_match", "strict_contiguity", "partition_contiguity")
WORLDS = st.one_of(worlds(STRATEGIES), worlds(STRATEGIES, negated=True))
DAYS = (-2, 1, 3, 4, 8, 30)


def compiled(
    world: World, max_matches: int | None, collapsed: bool = False, supersets: bool = False
) -> tuple[MatchEvaluator, pa.Table]:
    events = order(world.table)
    schema = log_schema_of(events, ties=Ties.ORDERED if world.ordered else Ties.CONCURRENT)
    try:
        evaluator = compile_query(world.text, schema, max_matches=max_matches, collapsed=collapsed, supersets=supersets)
        list(evaluator.evaluate(events.slice(0, 0), Ownership(days=DAYS)))
    except NotSupportedYet:
        reject()
    assert isinstance(evaluator, MatchEvaluator)
    return evaluator, events


def whole(evaluator: Evaluator, events: pa.Table) -> pa.Table:
    return evaluator.merge(evaluator.evaluate(events, Ownership(days=DAYS)), DAYS)


@settings(deadline=None)
@given(WORLDS, st.sampled_from([None, 0, 1, 3]))
def test_days_hold_what_becomes_certain_in_them(world: World, max_matches: int | None) -> None:
    """Each day lists the first `max_matches` matches that became certain in it, and counts all of them."""
    evaluator, events = compiled(world, max_matches)
    table = whole(evaluator, events)
    by_day: dict[int, list[tuple[object, ...]]] = {day: [] for day in DAYS[:-1]}
    for window, path in world.matches():
        day = max((day for day in DAYS if day <= world.certain(window, path)), default=DAYS[0])
        by_day[day].append(world.row(window, path))
    listed = {row for rows in by_day.values() for row in rows[:max_matches]}
    assert set(rows_of(table.drop_columns([CERTAIN]))) == listed
    totals = json.loads(table.schema.metadata[TOTALS])
    cut = {day for day, rows in by_day.items() if max_matches is not None and len(rows) > max_matches}
    for day, rows in by_day.items():
        said = totals[str(day)]
        if day in cut and evaluator.postpones:
            assert said == {"matches_total": None, "matches_at_least": str((max_matches or 0) + 1)}
        else:
            assert said == {"matches_total": str(len(rows))}
    assert table.schema.metadata[b"truncated"] == (b"true" if cut else b"false")


@settings(deadline=None)
@given(WORLDS, st.sampled_from([None, 0, 1, 3]), st.booleans(), st.booleans(), st.integers(0, 1000))
def test_slices_merge_to_the_whole(
    world: World, max_matches: int | None, collapsed: bool, supersets: bool, seed: int
) -> None:
    """Slices by key and by range of days, each reading back no more than the reach, in any order of arrival."""
    evaluator, events = compiled(world, max_matches, collapsed, supersets)
    chance = random.Random(seed)
    variables = tuple(key.name for key in evaluator.query.key_classes)
    ranges = [DAYS[:3], DAYS[2:]] if chance.random() < 0.7 else [DAYS]
    reach = evaluator.reach
    partials = []
    for days in ranges:
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
    merged = evaluator.merge(partials, DAYS)
    expected = whole(evaluator, events)
    assert rows_of(merged) == rows_of(expected)
    assert merged.schema.equals(expected.schema, check_metadata=True)


@settings(deadline=None)
@given(WORLDS)
def test_compact_rows_stand_for_all_matches(world: World) -> None:
    """One row for each last event and key: how many matches end there, and every event that one of them binds."""
    evaluator, events = compiled(world, None, collapsed=True)
    table = evaluator.merge(evaluator.evaluate(events))
    assert table.column("match_count").to_pylist() == [int(n) for n in table.column("match_count_exact").to_pylist()]
    found: dict[tuple[object, ...], list[tuple[int | None, Path]]] = {}
    for window, path in world.matches():
        key = keys_of(evaluator, world, path)
        found.setdefault((world.events[path[-1][0]].seq, window, key), []).append((window, path))
    rows = table.to_pylist()
    assert [(row["last_seq"], row.get("window_start")) for row in rows] == [(seq, window) for seq, window, _ in found]
    expected = []
    for (seq, window, _), matches in found.items():
        bound = [
            {world.events[e].seq for _, path in matches for e, v in path if v == unit.variable} for unit in world.units
        ]
        first = min(world.events[path[0][0]].ts for _, path in matches)
        expected.append((seq, window, len(matches), first, bound))
    told = []
    for row in rows:
        bound = [set(row[unit.variable] or ()) for unit in world.units]
        told.append((row["last_seq"], row.get("window_start"), row["match_count"], row["first_ts"], bound))
    assert sorted(told, key=repr) == sorted(expected, key=repr)


def keys_of(evaluator: MatchEvaluator, world: World, path: Path) -> tuple[object, ...]:
    """What a match carries of each equivalence that cuts the log, which its last event may lack."""
    bound = {variable: world.events[event] for event, variable in path}
    return tuple(
        next(getattr(bound[name], attribute) for name, attribute in key.members if name in bound)
        for key in evaluator.query.key_classes
        if key.slices
    )


@settings(deadline=None)
@given(WORLDS)
def test_k20_supersets_hold_every_match_without_a_listing(world: World) -> None:
    """Where only a listing could count, a row of unknown count for each last event binds all that its matches do."""
    exact, events = compiled(world, None, collapsed=True)
    evaluator, _ = compiled(world, None, collapsed=True, supersets=True)
    table = evaluator.merge(evaluator.evaluate(events))
    known = exact.merge(exact.evaluate(events))
    if not evaluator.postpones:
        assert table.equals(known)
        return
    assert table.schema.metadata[b"matches_at_least"] == b"0"
    rows: dict[tuple[int, int | None], list[dict[str, list[int] | None]]] = {}
    for row in table.to_pylist():
        assert (row["match_count"], row["match_count_exact"]) == (None, None)
        rows.setdefault((row["last_seq"], row.get("window_start")), []).append(row)
    assert world.keyed or any(key.slices for key in evaluator.query.key_classes) or all(map(is_one, rows.values()))
    for row in known.to_pylist():
        assert any(
            all(set(row[unit.variable] or ()) <= set(held[unit.variable] or ()) for unit in world.units)
            for held in rows[row["last_seq"], row.get("window_start")]
        )


def is_one(rows: list[dict[str, list[int] | None]]) -> bool:
    return len(rows) == 1
