"""A plan never changes a result: any slicing by valuation and by time, merged, is the unsliced result, day by day."""

from __future__ import annotations

import json
import random
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from cep_core.compile import compile_query
from cep_core.events.schema import Ties
from cep_core.events.table import log_schema_of, order
from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import CERTAIN, TOTALS, Evaluator, Ownership
from cep_core.matching.evaluator import MatchEvaluator
from cep_core.matching.match_path import Path
from tests.matching.test_match import rows_of
from tests.matching.worlds.drawing import waiting, worlds
from tests.matching.worlds.world import World

STRATEGIES = ("skip_till_any_match", "skip_till_next_match", "strict_contiguity", "partition_contiguity")
WORLDS = st.one_of(worlds(STRATEGIES), worlds(STRATEGIES, negated=True), waiting())
DAYS = (-2, 1, 3, 4, 8, 40)


MOMENTS = st.sets(st.integers(-1, 29), max_size=4)


def compiled(
    world: World, max_matches: int | None = None, collapsed: bool = False, supersets: bool = False
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


def whole(evaluator: Evaluator, events: pa.Table, days: tuple[int, ...] = DAYS) -> pa.Table:
    return evaluator.merge(evaluator.evaluate(events, Ownership(days=days)), days)


def slices(
    evaluator: Evaluator, events: pa.Table, days: tuple[int, ...], cuts: set[int], names: tuple[str, ...], parts: int
) -> list[pa.RecordBatch]:
    """The partial results of all slices: of each range of time between two cuts, in so many parts by key."""
    partials = []
    reach = evaluator.reach
    for begin, end in pairwise([days[0], *sorted(cuts), days[-1]]):
        own = (begin, *(day for day in days if begin < day < end), end)
        inside = [reach.events > 0 or begin - (reach.time or 0) <= ts < end for ts in events["ts"].to_pylist()]
        for part in range(parts if names else 1):

            def owns(keys: pa.Table, part: int = part) -> np.ndarray:
                values = zip(*keys.to_pydict().values(), strict=True)
                return np.array([hash(key) % parts == part for key in values], np.bool_)

            owned = Ownership(names, owns if names else None, own)
            partials += list(evaluator.evaluate(events.filter(pa.array(inside, pa.bool_())), owned))
    return partials


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
        if day in cut and not evaluator.counts_ahead:
            assert said == {"matches_total": None, "matches_at_least": str((max_matches or 0) + 1)}
        else:
            assert said == {"matches_total": str(len(rows))}
    assert table.schema.metadata[b"truncated"] == (b"true" if cut else b"false")


@settings(deadline=None)
@given(WORLDS, st.sampled_from([None, 0, 1, 3]), st.booleans(), st.booleans(), MOMENTS, st.integers(1, 2), st.randoms())
def test_slices_merge_to_the_whole(
    world: World,
    max_matches: int | None,
    collapsed: bool,
    supersets: bool,
    cuts: set[int],
    parts: int,
    chance: random.Random,
) -> None:
    """Slices by key and by range of time, each reading back no more than the reach, in any order of arrival."""
    evaluator, events = compiled(world, max_matches, collapsed, supersets)
    names = tuple(key.name for key in evaluator.query.key_classes)
    partials = slices(evaluator, events, DAYS, cuts, names, parts)
    chance.shuffle(partials)
    merged = evaluator.merge(partials, DAYS)
    expected = whole(evaluator, events)
    assert rows_of(merged) == rows_of(expected)
    assert merged.schema.equals(expected.schema, check_metadata=True)


@settings(deadline=None)
@given(WORLDS, MOMENTS, MOMENTS, st.randoms())
def test_compact_rows_stand_for_all_matches(
    world: World, boundaries: set[int], cuts: set[int], chance: random.Random
) -> None:
    """One row for each last event, day and key: how many matches end there, and every event that one of them binds.

    A day's counts add up to what it lists and to its total, however the log is cut.
    """
    days = (-2, *sorted(boundaries), 40)
    evaluator, events = compiled(world, collapsed=True)
    partials = slices(evaluator, events, days, cuts, (), 1)
    chance.shuffle(partials)
    table = evaluator.merge(partials, days)
    by_last_event: dict[tuple[object, ...], list[tuple[int | None, Path]]] = {}
    by_day = dict.fromkeys(days[:-1], 0)
    for window, path in world.matches():
        day = max(day for day in days if day <= world.certain(window, path))
        by_day[day] += 1
        key = keys_of(evaluator, world, path)
        by_last_event.setdefault((world.events[path[-1][0]].seq, window, day, key), []).append((window, path))
    expected = []
    for (seq, window, _, _), matches in by_last_event.items():
        bound = [sorted({e for _, path in matches for e, v in path if v == unit.variable}) for unit in world.units]
        events_of = [[world.events[e].seq for e in its] or None for its in bound]
        first = min(world.events[path[0][0]].ts for _, path in matches)
        certain = min(world.certain(*match) for match in matches)
        expected.append((seq, window, len(matches), str(len(matches)), first, certain, events_of))
    names = ("last_seq", "window_start", "match_count", "match_count_exact", "first_ts", CERTAIN)
    paths = [
        (*(row.get(name) for name in names), [row[unit.variable] for unit in world.units]) for row in table.to_pylist()
    ]
    assert sorted(paths, key=repr) == sorted(expected, key=repr)
    totals = json.loads(table.schema.metadata[TOTALS])
    assert totals == {str(day): {"matches_total": str(count)} for day, count in by_day.items()}
    assert table.schema.metadata[b"matches_total"] == str(sum(by_day.values())).encode()


@pytest.mark.parametrize(
    ("pattern", "kinds", "ts", "by_day"),
    [
        ("SEQ(A+ a[], NOT N n, A? b)", "CAA", [1, 5, 6], {0: 1, 20: 3}),
        ("SEQ((A a OR C c), NOT N n, A? d)", "CCA", [1, 2, 5], {0: 2, 20: 3}),
    ],
)
def test_a_last_event_that_ends_two_kinds_of_matches(
    pattern: str, kinds: str, ts: list[int], by_day: dict[int, int]
) -> None:
    """A match that waits for the end of its window and one that does not may end at one event, on different days."""
    events = order(pa.table({"event_type": list(kinds), "ts": ts}))
    days = (0, 20, 40)
    for options in ({}, {"collapsed": True}):
        table = whole(compile_query(f"PATTERN {pattern} WITHIN 20", log_schema_of(events), **options), events, days)
        counts = [int(row.get("match_count", 1)) for row in table.to_pylist()]
        moments = table[CERTAIN].to_pylist()
        assert {
            day: sum(n for n, at in zip(counts, moments, strict=True) if day <= at < day + 20) for day in (0, 20)
        } == by_day


def test_a_compact_row_that_slices_share_is_one() -> None:
    """The second a ends a match that is certain at 21 and one at 26: in two ranges of time, on one day."""
    events = order(pa.table({"event_type": list("AA"), "ts": [1, 6]}))
    schema = log_schema_of(events)
    evaluator = compile_query("PATTERN SEQ(A+ a[], NOT N n) WITHIN 20", schema, collapsed=True)
    table = evaluator.merge(slices(evaluator, events, (0, 40), {24}, (), 1), (0, 40))
    rows = [(row["last_ts"], row["match_count_exact"], row["a"], row[CERTAIN]) for row in table.to_pylist()]
    assert rows == [(1, "1", [0], 21), (6, "2", [0, 1], 21)]


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
    if evaluator.counts_ahead:
        assert table.equals(known)
        return
    assert table.schema.metadata[b"matches_at_least"] == b"0"
    rows: dict[tuple[int, int | None], list[dict[str, list[int] | None]]] = {}
    for row in table.to_pylist():
        assert (row["match_count"], row["match_count_exact"]) == (None, None)
        rows.setdefault((row["last_seq"], row.get("window_start")), []).append(row)
    assert world.keyed or any(key.slices for key in evaluator.query.key_classes) or all(map(has_one_row, rows.values()))
    for row in known.to_pylist():
        assert any(
            all(set(row[unit.variable] or ()) <= set(held[unit.variable] or ()) for unit in world.units)
            for held in rows[row["last_seq"], row.get("window_start")]
        )


def has_one_row(rows: list[dict[str, list[int] | None]]) -> bool:
    return len(rows) == 1
