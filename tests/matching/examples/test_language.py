"""A worked example for each way to say what a match is: bounds, ANY, OR, AFTER MATCH SKIP, windows of events, runs."""

from __future__ import annotations

from contextlib import nullcontext

import pyarrow as pa
import pytest

import cep_core as cep
from cep_core.compile import bind_text, compile_query
from cep_core.events.table import log_schema_of, order
from cep_core.language.errors import NotSupportedYet, QueryError
from cep_core.language.evaluator import Ownership
from tests.matching.examples.letters import log, total

I11 = log("ABCAEACDBAB", [1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9])
NEXT = "skip_till_next_match"


def columns(table: pa.Table, *names: str) -> list[tuple[object, ...]]:
    return list(zip(*(table.column(name).to_pylist() for name in names), strict=True))


@pytest.mark.parametrize(
    ("skip", "kept"),
    [
        ("PAST LAST EVENT", [[0, 1], [2, 3, 4]]),
        ("TO NEXT EVENT", [[0, 1], [1], [2, 3, 4], [3, 4], [4]]),
        ("TO FIRST b", [[0, 1], [2, 3, 4]]),
        ("TO LAST a", [[0, 1], [1], [2, 3, 4], [4]]),
    ],
)
def test_b2_after_match_skip(skip: str, kept: list[list[int]]) -> None:
    """SEQ(A+, B) on a0 a1 b a2 a3 a4 b: one match a start; those before the point of resumption go."""
    query = f"PATTERN SEQ(A+ a[], B b) WHERE {NEXT} {{ 1 = 1 }} WITHIN 20 AFTER MATCH SKIP {skip}"
    table = cep.match(query, log("AABAAAB", seq=[0, 1, 10, 2, 3, 4, 11]))
    assert (sorted(table.column("a").to_pylist()), total(table)) == (kept, len(kept))


def test_b2_matches_of_other_partitions_are_not_skipped() -> None:
    """With [k] each value is searched by itself; without it one search goes through the whole log."""
    events = log("ABAABB", k=[1, 2, 2, 1, 1, 2])
    head, tail = f"PATTERN SEQ(A a, B b) WHERE {NEXT} {{ ", " } WITHIN 20 AFTER MATCH SKIP PAST LAST EVENT"
    assert columns(cep.match(head + "[k]" + tail, events), "a", "b") == [(0, 4), (2, 5)]
    assert columns(cep.match(head + "1 = 1" + tail, events), "a", "b") == [(0, 1), (2, 4)]


def test_b2_skip_is_for_whole_logs() -> None:
    """A day's result would depend on where the log starts: refused in a workload and on a part of a log."""
    query = f"PATTERN SEQ(A a, B b) WHERE {NEXT} {{ 1 = 1 }} WITHIN 9 AFTER MATCH SKIP PAST LAST EVENT"
    schema = log_schema_of(order(log("AB")))
    with pytest.raises(QueryError, match="depends on all earlier matches"):
        compile_query(query, schema, whole_log=False)
    with pytest.raises(NotSupportedYet, match="whole logs only"):
        list(compile_query(query, schema).evaluate(log("AB"), Ownership(days=(0, 1))))
    with pytest.raises(QueryError, match="needs a strategy with one match per start"):
        compile_query(query.replace(NEXT, "skip_till_any_match"), schema)


@pytest.mark.parametrize(
    ("quantifier", "matches"), [("{2}", 6), ("{2,}", 11), ("{2,3}", 10), ("{1,4}", 15), ("{0,2}", 11), ("{3,}", 5)]
)
def test_b3_bounds_of_a_type(quantifier: str, matches: int) -> None:
    """Choose that many of the four a's before the last b of I: C(4, k), and one more for none at all."""
    table = cep.match(f"PATTERN SEQ(A{quantifier} a[], B b) WITHIN 20", I11)
    assert sum(b == 10 for b in table.column("b").to_pylist()) == matches


def test_b3_bounds_of_a_group() -> None:
    """(SEQ(A, B)){2} binds two rounds; a bounded group inside a closure counts each binding once."""
    events = log("ABABAB")
    table = cep.match("PATTERN (SEQ(A a, B b)){2} WITHIN 20", events)
    rounds = [([0, 2], [1, 3]), ([0, 2], [1, 5]), ([0, 4], [1, 5]), ([0, 4], [3, 5]), ([2, 4], [3, 5])]
    assert sorted(columns(table, "a", "b")) == rounds
    closure = cep.match("PATTERN (SEQ(A a, B b))+ WITHIN 20", events)
    assert cep.match("PATTERN ((SEQ(A a, B b)){1,2})+ WITHIN 20", events).equals(closure)
    runs = cep.match(f"PATTERN (SEQ(A a, B b)){{2,3}} WHERE {NEXT} {{ 1 = 1 }} WITHIN 20", events)
    assert columns(runs, "a", "b") == [([0, 2, 4], [1, 3, 5]), ([2, 4], [3, 5])]


def test_any_takes_units_in_any_order_and_ties() -> None:
    """ANY(2, A, B, C): distinct events, concurrent ones too; what surrounds it comes strictly before and after."""
    events = log("SACBE", [0, 1, 2, 2, 3])
    table = cep.match("PATTERN SEQ(S, ANY(2, A a, B b, C c), E) WITHIN 20", events)
    assert sorted(columns(table, "a", "b", "c"), key=str) == [(1, 3, None), (1, None, 2), (None, 3, 2)]
    assert cep.match("PATTERN SEQ(A x, ANY(1, C c), B b) WITHIN 20", events).num_rows == 0
    assert cep.match("PATTERN SEQ(A x, ANY(2, C c, B b)) WITHIN 20", events).num_rows == 1


def test_any_counts_units_alike_once() -> None:
    """Which of two A's is called x makes no difference unless a condition tells them apart."""
    events = log("AAA", v=[1, 2, 3])
    assert cep.match("PATTERN ANY(A x, A y) WITHIN 20", events).num_rows == 3
    assert cep.match("PATTERN ANY(A x, A y) WHERE x.v > 1 WITHIN 20", events).num_rows == 4
    assert cep.match("PATTERN ANY(A x, A y) WHERE x.v > 1 AND y.v > 1 WITHIN 20", events).num_rows == 1


def test_or_counts_a_binding_of_both_sides_once() -> None:
    """SEQ(A+,B) OR SEQ(A,B+) on I: 23 + 14 - 8 = 29, listed, counted and collapsed."""
    query = "PATTERN SEQ(A+, B) OR SEQ(A, B+) WITHIN 20"
    table = cep.match(query, I11)
    assert (table.num_rows, len(set(map(str, table.to_pylist()))), total(table)) == (29, 29, 29)
    assert sum(cep.match(query, I11, collapsed=True).column("match_count").to_pylist()) == 29


def test_or_around_the_pattern_takes_the_match_of_each_side() -> None:
    """Under skip till next each side has its own match of a start; a binding that both find is one match."""
    query = f"PATTERN SEQ(A a, B b) OR SEQ(A a, C c) WHERE {NEXT} {{ 1 = 1 }} WITHIN 20"
    assert columns(cep.match(query, log("ABC")), "a", "b", "c") == [(0, 1, None), (0, None, 2)]
    of_or = f"PATTERN SEQ(A+, B) OR SEQ(A, B+) WHERE {NEXT} {{ 1 = 1 }} WITHIN 20"
    assert cep.match(of_or, log("AB")).num_rows == 1
    inside = f"PATTERN SEQ((SEQ(A a, B b) OR SEQ(A a, C c))) WHERE {NEXT} {{ 1 = 1 }} WITHIN 20"
    assert columns(cep.match(inside, log("ACB")), "a", "b", "c") == [(0, 2, None)]


def test_windows_of_events_slide() -> None:
    """Window k holds the positions [k s, k s + n) of the log; its bounds are positions."""
    table = cep.match("PATTERN SEQ(A a, B b) WITHIN 3 EVENTS SLIDE 2 EVENTS", log("XAXBAB"))
    assert columns(table, "a", "b", "window_start", "window_end") == [(4, 5, 4, 7)]
    schema = log_schema_of(order(log("AB")))
    with pytest.raises(QueryError, match="depends on where the log starts"):
        compile_query("PATTERN SEQ(A, B) WITHIN 3 EVENTS SLIDE 2 EVENTS", schema, whole_log=False)


@pytest.mark.parametrize(
    ("pattern", "is_open"),
    [
        ("PATTERN SEQ(A a, B+ b[]) WHERE skip_till_next_match", True),
        ("PATTERN SEQ(A a, NOT B b) WHERE skip_till_any_match", True),
        ("PATTERN SEQ(A a, B+ b[]) WHERE skip_till_any_match", False),
        ("PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match", False),
    ],
)
def test_a_match_that_may_grow_by_events_has_no_day(pattern: str, is_open: bool) -> None:
    """`check` refuses it with its place, before a night comes to it; on a whole log it is evaluated."""
    bound = bind_text(f"{pattern} WITHIN 3 EVENTS", log_schema_of(order(log("AB"))), "q.cep")
    bound.evaluator()
    with pytest.raises(NotSupportedYet, match=r"q.cep:1:9: .*open end") if is_open else nullcontext():
        bound.evaluator_by_day()


def test_a_run_is_judged_as_it_grows() -> None:
    """Under skip till next the event that would break a condition over the prefix is skipped."""
    events = log("ABBBB", x=[0, 1, 5, 2, 9])
    above = f"PATTERN SEQ(A a, B+ b[]) WHERE {NEXT} {{ b[i].x > avg(b[..i-1].x) }} WITHIN 20"
    assert columns(cep.match(above, events), "a", "b") == [(0, [1, 2, 4])]
    contiguous = above.replace(NEXT, "strict_contiguity")
    assert columns(cep.match(contiguous, events), "a", "b") == [(0, [1, 2])]


def test_a_run_is_complete_where_what_waits_for_its_end_holds() -> None:
    """`b[last].x` is tested when the match is complete: the run goes on, its longest good prefix is the match."""
    events = log("ABBBB", x=[0, 1, 5, 2, 1])
    query = f"PATTERN SEQ(A a, B+ b[]) WHERE {NEXT} {{ b[last].x > 2 * b[1].x }} WITHIN 20"
    assert columns(cep.match(query, events), "a", "b") == [(0, [1, 2])]
    total_is = f"PATTERN SEQ(A a, B+ b[], C c) WHERE {NEXT} {{ sum(b[].x) > c.x }} WITHIN 20"
    events = log("ABCBC", x=[0, 1, 2, 5, 3])
    assert columns(cep.match(total_is, events), "b", "c") == [([1, 3], 4)]


def test_equivalences_that_some_match_does_not_bind() -> None:
    """[k] where only an optional event has k, and under skip till next where the first has none."""
    schema = {"A": {}, "B": {"k": "int"}}
    events = pa.table({"event_type": list("ABBB"), "ts": [0, 1, 2, 3], "k": [None, 1, 2, 1]})
    table = cep.match("PATTERN SEQ(A a, B* b[]) WHERE [k] WITHIN 9", events, schema=schema)
    assert sorted(table.column("b").to_pylist(), key=str) == [None, [1, 3], [1], [2], [3]]
    runs = cep.match(f"PATTERN SEQ(A a, B+ b[]) WHERE {NEXT} {{ [k] }} WITHIN 9", events, schema=schema)
    assert runs.column("b").to_pylist() == [[1, 3]]


def test_a_stop_condition_of_a_closure() -> None:
    """(SEQ(NOT S, B))+ takes b's until an S comes, as other engines' `until` does."""
    events = log("ABBSB")
    table = cep.match("PATTERN SEQ(A a, (SEQ(NOT S s, B b))+) WITHIN 20", events)
    assert table.column("b").to_pylist() == [[1], [1, 2], [2]]


def test_b2_past_the_last_event_means_after_it() -> None:
    """The last event of a match begins no other one."""
    query = f"PATTERN SEQ(A a, A b) WHERE {NEXT} WITHIN 20 AFTER MATCH SKIP PAST LAST EVENT"
    assert columns(cep.match(query, log("AAAAA")), "a", "b") == [(0, 1), (2, 3)]


def test_a_cut_listing_takes_the_first_matches_of_all_partitions() -> None:
    """Matches that end at one event of several partitions stand in the order of their events."""
    events = order(log("AAAB", k=[1, 2, 1, 0]))
    evaluator = compile_query("PATTERN SEQ(A a, B b) WHERE [a.k] WITHIN 9", log_schema_of(events), max_matches=2)
    assert columns(evaluator.merge(evaluator.evaluate(events)), "a", "b") == [(0, 3), (1, 3)]
