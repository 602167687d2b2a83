"""P AND Q: unordered pairs of different matches, one of each side, in one window."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.compile import compile_query
from cep_core.events.schema import Ties
from cep_core.events.table import log_schema_of, order
from cep_core.language.evaluator import CERTAIN, TOTALS
from cep_core.language.totals import part_of
from cep_core.matching.match_path import Path
from tests.matching.examples.letters import log, total
from tests.matching.examples.test_language import I11
from tests.matching.test_match import rows_of
from tests.matching.test_slices import MOMENTS, slices, whole
from tests.matching.worlds.drawing import logs
from tests.matching.worlds.parts import written
from tests.matching.worlds.patterns import patterns, waiting_patterns
from tests.matching.worlds.world import World


def test_pairs_of_the_worked_example() -> None:
    """On I: 286 pairs of SEQ(A+,B) and SEQ(A,B+), which share 8 bindings; 15 times 2 of A+ and SEQ(C,D)."""
    table = cep.match("PATTERN SEQ(A+, B) AND SEQ(A, B+) WITHIN 20", I11)
    assert (table.num_rows, total(table)) == (286, 286)
    assert table.column_names == ["first_ts", "last_ts", "A", "B", "A_right", "B_right"]
    assert total(cep.match("PATTERN A+ AND SEQ(C, D) WITHIN 20", I11)) == 30


def test_conditions_across_the_sides() -> None:
    """A condition may compare both sides; [k] holds for both; RETURN may use both; WITHIN bounds the union."""
    events = log("ABCDCD", x=[1, 5, 2, 9, 6, 4], k=[1, 1, 1, 1, 2, 2])
    query = "RETURN b.x - d.x AS gap PATTERN SEQ(A a, B b) AND SEQ(C c, D d) WHERE {} WITHIN {}"
    assert total(cep.match(query.format("1 = 1", 20), events)) == 3
    assert cep.match(query.format("b.x > d.x", 20), events).column("gap").to_pylist() == [1, 1]
    assert cep.match(query.format("[k]", 20), events).column("gap").to_pylist() == [-4]
    assert total(cep.match(query.format("1 = 1", 3), events)) == 1


def test_a_condition_on_neighbours_constrains_the_sides_that_have_them() -> None:
    """b follows a at once on the left; on the right a c lies between, so there the condition says nothing."""
    events = log("ACBB", x=[3, 0, 1, 7])
    query = "PATTERN SEQ(A, B) AND SEQ(A, C, B) WHERE A.x < NEXT(B).x WITHIN 20"
    table = cep.match(query, events)
    assert sorted(zip(table["B"].to_pylist(), table["B_right"].to_pylist(), strict=True)) == [(3, 2), (3, 3)]
    joined = "PATTERN SEQ(A, B) AND SEQ(A, B, B) WHERE A.x < NEXT(B).x WITHIN 20"
    assert total(cep.match(joined, events)) == 0  # on the right the first b follows, and 3 < 1 fails


def test_the_two_zeros_are_one_value_on_both_sides() -> None:
    """An equivalence of a pair compares values as that of a sequence does."""
    events = log("ABCD", x=[0.0, -0.0, -0.0, 0.0])
    assert total(cep.match("PATTERN SEQ(A, B) AND SEQ(C, D) WHERE [x] WITHIN 9", events)) == 1


@st.composite
def pairs_of_worlds(draw: st.DrawFn, waits: bool = False) -> tuple[World, World, str]:
    """Two patterns over one log, and the query that joins them; one of them may be certain later than its end."""
    events = draw(logs(most=6))
    strategy = draw(st.sampled_from(["skip_till_any_match", "skip_till_next_match"]))
    keyed, ordered, size = draw(st.booleans()), draw(st.booleans()), draw(st.sampled_from([2, 5]))
    slide = draw(st.sampled_from([None, None, 2]))
    sides = [draw(waiting_patterns() if waits else patterns(1)), draw(patterns(1))]
    left, right = (
        World(side, events, strategy, keyed=keyed, ordered=ordered, size=size, slide=slide)
        for side in (draw(st.permutations(sides)) if waits else sides)
    )
    window = f"WITHIN {size}" + ("" if slide is None else f" SLIDE {slide}")
    condition = "[k]" if keyed else "1 = 1"
    # v0 of the second side is called v0_right in the result; as bindings both are of v0
    text = f"PATTERN {written(left.pattern)} AND {written(right.pattern)} WHERE {strategy} {{ {condition} }} {window}"
    return left, right, text


def pairs(left: World, right: World) -> list[tuple[int | None, Path, Path]]:
    """By definition."""
    by_names: dict[object, tuple[int | None, Path, Path]] = {}
    sides = left.matches(), right.matches()
    for window, left_path in sides[0]:
        for right_window, right_path in sides[1]:
            names = frozenset(left_path), frozenset(right_path)
            span = [left.events[e].ts for e, _ in (*left_path, *right_path)]
            together = left.slide is not None or max(span) - min(span) <= left.size
            same_key = not left.keyed or left.events[left_path[0][0]].k == left.events[right_path[0][0]].k
            if window == right_window and names[0] != names[1] and together and same_key:
                by_names.setdefault((window, frozenset(names)), (window, left_path, right_path))
    return list(by_names.values())


@settings(deadline=None)
@given(pairs_of_worlds())
def test_and_pairs_the_matches_of_both_sides(drawn: tuple[World, World, str]) -> None:
    """Each unordered pair of different bindings once, and as many as `matches_total` says."""
    left, right, text = drawn
    table = cep.match(text, left.table, ties="ordered" if left.ordered else "concurrent")
    expected = pairs(left, right)
    assert total(table) == table.num_rows == len(expected)
    assert len(set(rows_of(table))) == table.num_rows


@settings(deadline=None)
@given(pairs_of_worlds())
def test_compact_rows_stand_for_all_pairs(drawn: tuple[World, World, str]) -> None:
    """One row for each last event, window and key: how many pairs end there, and every event that one of them binds."""
    left, right, text = drawn
    table = cep.match(text, left.table, ties="ordered" if left.ordered else "concurrent", collapsed=True)
    expected: dict[tuple[object, ...], list[tuple[Path, Path]]] = {}
    for window, left_path, right_path in pairs(left, right):
        last = left.events[max(left_path[-1][0], right_path[-1][0])]
        key = left.events[left_path[0][0]].k if left.keyed else None
        expected.setdefault((last.ts, last.seq, window, key), []).append((left_path, right_path))
    of_seq = {event.seq: event for event in left.events}
    assert len(expected) == table.num_rows
    assert total(table) == sum(len(of_row) for of_row in expected.values())
    positive = [name for name in table.column_names if name.removesuffix("_right").startswith("v")]
    for row in table.to_pylist():
        bound = {name: row[name] for name in positive if row[name] is not None}
        key = of_seq[next(iter(bound.values()))[0]].k if left.keyed else None
        of_row = expected.pop((row["last_ts"], row["last_seq"], row.get("window_start"), key))
        assert row["match_count_exact"] == str(len(of_row))
        assert row["first_ts"] == min(left.events[e].ts for sides in of_row for side in sides for e, _ in side)
        wanted: dict[str, set[int]] = {}
        for left_path, right_path in of_row:
            for suffix, side in (("", left_path), ("_right", right_path)):
                for e, name in side:
                    wanted.setdefault(name + suffix, set()).add(left.events[e].seq)
        assert {name: set(seqs) for name, seqs in bound.items()} == wanted
        assert all(len(set(seqs)) == len(seqs) for seqs in bound.values())


@settings(deadline=None)
@given(st.one_of(pairs_of_worlds(), pairs_of_worlds(waits=True)), MOMENTS, MOMENTS, st.booleans())
def test_slices_of_pairs_merge_to_the_whole(
    drawn: tuple[World, World, str], boundaries: set[int], cuts: set[int], collapsed: bool
) -> None:
    """Ranges of time, each reading back no more than the reach; compact rows count what each day lists."""
    left, _, text = drawn
    events = order(left.table)
    schema = log_schema_of(events, ties=Ties.ORDERED if left.ordered else Ties.CONCURRENT)
    evaluator = compile_query(text, schema, collapsed=collapsed)
    days = (-20, *sorted(boundaries), 40)
    expected = whole(evaluator, events, days)
    merged = evaluator.merge(reversed(slices(evaluator, events, days, cuts, (), 1)), days)
    assert rows_of(merged) == rows_of(expected)
    assert merged.schema.equals(expected.schema, check_metadata=True)
    listed = whole(compile_query(text, schema), events, days)
    counts = expected["match_count_exact"].to_pylist() if collapsed else [1] * len(expected)
    by_day = np.zeros(len(days) - 1, np.int64)
    np.add.at(by_day, part_of(expected[CERTAIN].to_numpy(), days), np.array(counts, np.int64))
    assert by_day.tolist() == np.bincount(part_of(listed[CERTAIN].to_numpy(), days), minlength=len(by_day)).tolist()
    totals = json.loads(expected.schema.metadata[TOTALS])
    assert [int(totals[str(day)]["matches_total"]) for day in days[:-1]] == by_day.tolist()
