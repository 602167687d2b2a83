"""Worked examples: of `docs/semantics.md` 3, of SASE++, and one for each kind of condition and RETURN item."""

from __future__ import annotations

import pyarrow as pa
import pytest

import cep_core as cep
from cep_core.language.errors import NotSupportedYet
from tests.matching.examples.letters import log, total

A1_A2_B1_B2_C1 = log("AABBC", [1, 2, 5, 6, 7])


@pytest.mark.parametrize(
    ("strategy", "matches"),
    [
        ("strict_contiguity", [(1, [2, 3], 4)]),
        ("skip_till_next_match", [(0, [2, 3], 4), (1, [2, 3], 4)]),
        (
            "skip_till_any_match",
            [(0, [2, 3], 4), (0, [2], 4), (0, [3], 4), (1, [2, 3], 4), (1, [2], 4), (1, [3], 4)],
        ),
    ],
)
def test_k8_k9_k10_strategies(strategy: str, matches: list[tuple[int, list[int], int]]) -> None:
    """SEQ(A, B+, C): one match under strict contiguity, two under skip till next, six under skip till any."""
    table = cep.match(f"PATTERN SEQ(A a, B+ b[], C c) WHERE {strategy} {{ 1 = 1 }} WITHIN 10", A1_A2_B1_B2_C1)
    columns = [table.column(name).to_pylist() for name in "abc"]
    assert list(zip(*columns, strict=True)) == matches
    assert table.column("first_ts").to_pylist() == [1 + match[0] for match in matches]
    assert set(table.column("last_ts").to_pylist()) == {7}


VALUES = log("BBBBB", val=[0.1, 0.2, 0.15, 0.19, 0.25])


def test_k9_a_run_takes_the_next_value_that_fits() -> None:
    """From 0.1, skip till next finds (0.1 0.2 0.25)."""
    table = cep.match("PATTERN B+ b[] WHERE skip_till_next_match { b[i].val >= b[i-1].val } WITHIN 10", VALUES)
    assert table.column("b").to_pylist()[0] == [0, 1, 4]


def test_k10_all_non_decreasing_subsequences() -> None:
    """Skip till any finds all 19, (0.1 0.15 0.19 0.25) among them."""
    table = cep.match("PATTERN B+ b[] WHERE b[i].val >= b[i-1].val WITHIN 10", VALUES)
    assert (table.num_rows, total(table)) == (19, 19)
    assert [0, 2, 3, 4] in table.column("b").to_pylist()


def test_two_closures_of_one_type() -> None:
    """SEQ(A+, A+) on a1 a2 a3 has 5 matches: where the first closure ends is part of the binding."""
    assert cep.match("PATTERN SEQ(A+, A+) WITHIN 10", log("AAA")).num_rows == 5


def test_neighbours_and_previous_of_the_binding_differ_in_nested_closures() -> None:
    """(SEQ(A+, B))+ with rising attr on a1 b2 a3 a4 b7: 7 for neighbours of the trend, 6 for the previous a."""
    events = log("ABAAB", [1, 2, 3, 4, 7], attr=[5, None, 6, 4, None])
    assert cep.match("PATTERN (SEQ(A+,B))+ WHERE A.attr < NEXT(A).attr WITHIN 10", events).num_rows == 7
    assert cep.match("PATTERN (SEQ(A+ a[],B b))+ WHERE a[i-1].attr < a[i].attr WITHIN 10", events).num_rows == 6


def test_k7_within_is_inclusive() -> None:
    """Exactly W apart matches, W + 1 does not; WITHIN n EVENTS counts the events from first to last."""
    assert cep.match("PATTERN SEQ(A, B) WITHIN 5", log("AB", [0, 5])).num_rows == 1
    assert cep.match("PATTERN SEQ(A, B) WITHIN 5", log("AB", [0, 6])).num_rows == 0
    assert cep.match("PATTERN SEQ(A, B) WITHIN 3 EVENTS", log("AXB")).num_rows == 1
    assert cep.match("PATTERN SEQ(A, B) WITHIN 3 EVENTS", log("AXXB")).num_rows == 0


def test_ties() -> None:
    """Events of one time stamp never follow each other, unless ties are ordered; under contiguity one breaks a run."""
    events = log("ABB", [1, 1, 2])
    assert cep.match("PATTERN SEQ(A a, B b) WITHIN 5", events).column("b").to_pylist() == [2]
    assert cep.match("PATTERN SEQ(A a, B b) WITHIN 5", events, ties="ordered").column("b").to_pylist() == [1, 2]
    assert cep.match("PATTERN SEQ(A a, B b) WHERE strict_contiguity { 1 = 1 } WITHIN 5", events).num_rows == 0


def test_slide_judges_each_window_alone() -> None:
    """A match is found once for each window that holds it, with the window's bounds."""
    table = cep.match("PATTERN SEQ(A a, B b) WITHIN 4 SLIDE 2", log("AB", [3, 5]))
    assert table.column_names == ["first_ts", "last_ts", "window_start", "window_end", "a", "b"]
    assert table.to_pylist() == [{"first_ts": 3, "last_ts": 5, "window_start": 2, "window_end": 6, "a": 0, "b": 1}]


def test_slide_ends_a_greedy_closure_at_the_windows_edge() -> None:
    """Skip till next: the same start has one match in each window."""
    query = "PATTERN A+ a[] WHERE skip_till_next_match { 1 = 1 } WITHIN 4 SLIDE 2"
    rows = cep.match(query, log("AAA", [2, 3, 4])).select(["window_start", "a"]).to_pylist()
    assert [(row["window_start"], row["a"]) for row in rows if row["a"][0] == 0] == [(0, [0, 1]), (2, [0, 1, 2])]


def test_k2_return_items_of_a_match() -> None:
    """References to single events and aggregates inside one match; an index past the end is null."""
    query = """RETURN a.(x, task), b[b.LEN].x, b[1].x + 1 AS one_more, b[3].x, avg(b[].x), max(b[].x), count(b[].x),
                      sum(b[].x) / 2 AS half, first(b[].x), last(b[].x), min(b[].task)
               PATTERN SEQ(A a, B+ b[]) WHERE skip_till_next_match { 1 = 1 } WITHIN 10"""
    row = cep.match(query, log("ABBB", x=[9, 4, 2, None], task=["t", "v", "u", None])).to_pylist()[0]
    del row["first_ts"], row["last_ts"]
    assert list(row.values()) == [0, [1, 2, 3], 9, "t", None, 5, None, 3.0, 4, 2, 3.0, 4, None, "u"]


def test_k3_tests_on_prefixes_are_judged_on_matches() -> None:
    """Options 1 and 2 of paper 04's Q6 agree; an average of what came before has no first event to judge."""
    events = log("RLLLLE", val=[0, 3, 1, 4, 4, 0], task_id=[1] * 6)
    head = "PATTERN SEQ(R a, L+ b[], E c) WHERE [task_id] AND "
    indexed = cep.match(head + "b[i].val >= b[i-1].val WITHIN 100", events)
    two = cep.match(head + "b[i].val >= max(b[1..i-1].val) WITHIN 100", events)
    assert indexed.equals(two)
    above = cep.match(head + "b[i].val > avg(b[1..i-1].val) WITHIN 100", events).column("b").to_pylist()
    assert [1] in above
    assert [1, 2] not in above
    assert [1, 3] in above


def test_q3_of_paper_04() -> None:
    """The last pull took more than twice the average."""
    query = """Pattern seq(ReducerStart a, DataPull+ b[ ]) Where [task_id] ∧ (b[b.len].period > 2×avg(b[ ].period))
               Within 10 minutes Return a.(task_id, period)"""
    events = pa.table(
        {
            "event_type": ["ReducerStart", *["DataPull"] * 4],
            "ts": [0, 1, 2, 3, 4],
            "task_id": ["r"] * 5,
            "period": [5, 1, 1, 1, 9],
        }
    )
    table = cep.match(query, events)
    assert table.column("b").to_pylist() == [[1, 2, 3, 4], [1, 2, 4], [1, 3, 4], [2, 3, 4]]
    assert table.select(["a_task_id", "a_period"]).to_pylist() == [{"a_task_id": "r", "a_period": 5}] * 4


def test_an_equality_with_an_absent_event_is_dropped() -> None:
    """An event whose key is NULL matches where the other side of the equality is absent."""
    events = log("AAC", x=[None, 1, 1])
    table = cep.match("PATTERN SEQ(A a, C? c) WHERE a.x = c.x WITHIN 5", events)
    assert sorted(table.select(["a", "c"]).to_pylist(), key=str) == [
        {"a": 0, "c": None},
        {"a": 1, "c": 2},
        {"a": 1, "c": None},
    ]


def test_null_keys_match_nothing() -> None:
    """An event whose key is NULL is in no partition."""
    assert cep.match("PATTERN SEQ(A, B) WHERE [k] WITHIN 5", log("AABB", k=[None, 1, None, 1])).num_rows == 1


def test_a_type_without_the_key_is_in_every_partition() -> None:
    """An alarm lacks the machine: it ends the matches of every machine, merged into one order."""
    schema = {"Start": {"machine": "int"}, "Alarm": {}}
    events = pa.table({"event_type": ["Start", "Start", "Alarm"], "ts": [1, 2, 3], "machine": [8, 7, None]})
    table = cep.match("PATTERN SEQ(Start+ s[], Alarm a) WHERE [machine] WITHIN 5", events, schema=schema)
    assert table.column("s").to_pylist() == [[0], [1]]


@pytest.mark.parametrize(
    ("query", "column"),
    [
        ("PATTERN SEQ(A, B) AND C WITHIN 5 EVENTS", 9),
        ("PATTERN SEQ(A+ a[], B b, C c) WHERE NEXT(a).x > b.x + c.x WITHIN 5", 37),
    ],
)
def test_refusals_say_where(query: str, column: int) -> None:
    """What no engine evaluates yet is refused with its place."""
    with pytest.raises(NotSupportedYet) as refused:
        cep.match(query, log("ABC", x=[1, 2, 3]))
    assert (refused.value.line, refused.value.column) == (1, column)


def test_an_empty_log() -> None:
    """No events, no matches, and the columns all the same."""
    table = cep.match("PATTERN SEQ(A a, B+ b[]) WITHIN 5", log("A").slice(0, 0))
    assert (table.num_rows, total(table), table.column_names) == (0, 0, ["first_ts", "last_ts", "a", "b"])


def test_none_is_counted() -> None:
    """The count of a closure that a match lacks is 0; what its events have is unknown."""
    query = "RETURN count(b[]) AS n, count(b[].x) AS known, sum(b[].x) AS s PATTERN SEQ(A a, B* b[]) WITHIN 9"
    rows = cep.match(query, log("AB", x=[1, 2])).to_pylist()
    assert [(row["b"], row["n"], row["known"], row["s"]) for row in rows] == [(None, 0, 0, None), ([1], 1, 1, 2)]


@pytest.mark.parametrize("values", [[2**63 - 1, 1], [-(2**63), -1], [2**62, 2**62], [-(2**63), -(2**63)]])
def test_a_sum_beyond_64_bits_is_unknown(values: list[int]) -> None:
    """It never wraps: what overflows is NULL (`columns.evaluate`), in RETURN and in conditions; an average is exact."""
    events = log("AAA", x=[*values, 3])
    query = "RETURN sum(a[].x) AS s, avg(a[].x) AS v PATTERN A{2,3} a[] WHERE a[2].x != 3 WITHIN 9"
    rows = cep.match(query, events).to_pylist()
    fits = values[1] == -1  # with the third event
    assert [(row["a"], row["s"], row["v"]) for row in rows] == [
        ([0, 1], None, sum(values) / 2),
        ([0, 1, 2], sum(values) + 3 if fits else None, (sum(values) + 3) / 3),
    ]
    assert cep.match("PATTERN A{2} a[] WHERE a[2].x != 3 AND sum(a[].x) < 1 WITHIN 9", events).num_rows == 0
