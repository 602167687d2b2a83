"""Worked examples: of `docs/semantics.md` 3, of SASE++, and one for each kind of condition and RETURN item."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

import cep_core as cep
from cep_core.compile import compile_query
from cep_core.events.table import log_schema_of, order
from cep_core.language.errors import NotSupportedYet, Position
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.automata.automaton import automaton_of
from cep_core.language.patterns.tree import Kleene, Sequence, Unit


def log(types: str, ts: list[int] | None = None, **attributes: list[object]) -> pa.Table:
    return pa.table({"event_type": list(types), "ts": ts or list(range(1, len(types) + 1)), **attributes})


def total(table: pa.Table) -> int:
    return int(table.schema.metadata[b"matches_total"])


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


def test_k17_k20_one_compact_row_stands_for_seven_matches() -> None:
    """Fig. 4's shape: three rising values give 2^3 - 1 matches, one compact row that holds them all."""
    query = "PATTERN SEQ(A a, B+ b[], C c) WHERE [task] AND b[i].val >= b[i-1].val WITHIN 100"
    events = log("ABBBC", val=[0, 1, 2, 3, 0], task=[7] * 5)
    assert cep.match(query, events).num_rows == 7
    row = cep.match(query, events, collapsed=True).to_pylist()
    assert [(r["match_count"], r["b"], r["last_seq"]) for r in row] == [(7, [1, 2, 3], 4)]


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


def test_k14_matches_are_paths_of_a_graph() -> None:
    """SASE++, Lemma 3.2: with a[i].tail = a[i-1].head over edges sorted by tail, matches are the paths from 1 to n."""
    rng = random.Random(5)
    n = 40
    edges = [(i, j) for i in range(1, n + 1) for j in range(i + 1, n + 1) if rng.random() < 0.6]
    paths = [0, 1, *[0] * (n - 1)]
    for tail, head in edges:
        paths[head] += paths[tail]
    events = log("E" * len(edges), tail=[tail for tail, _ in edges], head=[head for _, head in edges])
    query = f"PATTERN E+ a[] WHERE a[1].tail = 1 AND a[i].tail = a[i-1].head AND a[last].head = {n} WITHIN 10000"
    table = cep.match(query, events, collapsed=True)
    assert total(table) == paths[n] > 10**6
    assert sum(table.column("match_count").to_pylist()) == paths[n]


def test_counts_beyond_64_bits_and_38_digits() -> None:
    """A+ over 200 events: 2^200 - 1 matches, each compact row exact, its number null past 38 digits."""
    table = cep.match("PATTERN A+ WITHIN 1000", log("A" * 200), collapsed=True)
    assert total(table) == 2**200 - 1
    assert table.column("match_count_exact").to_pylist() == [str(2**k) for k in range(200)]
    assert table.column("match_count").to_pylist()[126] == 2**126
    assert table.column("match_count").to_pylist()[127:] == [None] * 73
    assert table.column("match_count_log10").to_pylist()[199] == pytest.approx(199 * 0.30102999566398)


def test_counts_beyond_the_range_of_floats() -> None:
    """A+ over 1,100 events: 2^1100 - 1 matches, more than a double holds."""
    evaluator = compile_query("PATTERN A+ WITHIN 10000", log_schema_of(order(log("A"))), max_matches=0)
    table = evaluator.merge(evaluator.evaluate(order(log("A" * 1100))))
    assert total(table) == 2**1100 - 1


def test_max_matches_bounds_the_listing_but_not_the_total() -> None:
    """The first matches of each day stay, the total of each day is exact, and the table says that it was cut."""
    events = order(log("A" * 100))
    evaluator = compile_query("PATTERN A+ a[] WITHIN 1000", log_schema_of(events), max_matches=3)
    days = (0, 51, 101)
    table = evaluator.merge(evaluator.evaluate(events, Ownership(days=days)), days)
    first, second = table.column("a").to_pylist()[:3], table.column("a").to_pylist()[3:]
    assert first == [[0], [0, 1], [1]]
    assert second == [[*range(51)], [*range(49), 50], [*range(48), 49, 50]]
    assert total(table) == 2**100 - 1
    assert table.schema.metadata[b"truncated"] == b"true"


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


def test_compact_rows_under_a_test_of_whole_matches() -> None:
    """Last events whose matches all fail have no row; the others count what is left."""
    query = "PATTERN SEQ(A a, B+ b[]) WHERE sum(b[].x) = 3 WITHIN 10"
    rows = cep.match(query, log("ABBB", x=[0, 1, 2, 3]), collapsed=True).to_pylist()
    assert [(row["last_seq"], row["match_count"], row["b"]) for row in rows] == [(2, 1, [1, 2]), (3, 1, [3])]


def test_none_is_counted() -> None:
    """The count of a closure that a match lacks is 0; what its events have is unknown."""
    query = "RETURN count(b[]) AS n, count(b[].x) AS known, sum(b[].x) AS s PATTERN SEQ(A a, B* b[]) WITHIN 9"
    rows = cep.match(query, log("AB", x=[1, 2])).to_pylist()
    assert [(row["b"], row["n"], row["known"], row["s"]) for row in rows] == [(None, 0, 0, None), ([1], 1, 1, 2)]


@pytest.mark.parametrize("quantifier", ["{2}", "{2,3}", "*"])
def test_a_round_that_binds_nothing_is_none(quantifier: str) -> None:
    """A run fills the rounds of a bounded closure from the first, whether or not they could be empty."""
    query = f"PATTERN SEQ(A a, (B? b){quantifier}, C c) WHERE strict_contiguity WITHIN 9"
    assert cep.match(query, log("ABBC")).column("b").to_pylist() == [[1, 2]]


@pytest.mark.parametrize("quantifier", ["{2}", "{1,2}", "{0,2}", "{2,}"])
def test_rounds_of_optional_events_are_filled_from_the_first(quantifier: str) -> None:
    """D is a round and B another: a run does not take D for the second one's, which nothing could follow."""
    query = f"PATTERN SEQ(A a, (SEQ(B? b, D? d)){quantifier}, C c) WHERE strict_contiguity WITHIN 9"
    table = cep.match(query, log("ADBC"))
    assert (table.column("b").to_pylist(), table.column("d").to_pylist()) == ([[2]], [[1]])
    for text, matches in (("AC", 1), ("ADDC", 1), ("ABBBC", int(quantifier == "{2,}"))):
        assert cep.match(query, log(text)).num_rows == matches


@pytest.mark.parametrize(
    "inside", ["(SEQ(B b, NOT N n) OR B b)", "(SEQ(NOT N n, B b) OR B b)", "(SEQ(C c, NOT N n, B b) OR SEQ(C c, B b))"]
)
@pytest.mark.parametrize("strategy", ["skip_till_next_match", "strict_contiguity"])
def test_readings_of_which_only_one_forbids_something(inside: str, strategy: str) -> None:
    """A run is one reading: refused, never decided by the branch that it happens to take."""
    with pytest.raises(NotSupportedYet, match="only one forbids"):
        cep.match(f"PATTERN SEQ(A a, {inside}) WHERE {strategy} WITHIN 9", log("ABNC"))
    whole = f"PATTERN SEQ(A a, NOT N n, B b) OR SEQ(A a, B b) WHERE {strategy} WITHIN 9"
    assert cep.match(whole, log("ABNC")).num_rows == 1


FORBIDDING = [("AC", 1), ("ABC", 1), ("ANC", 0), ("ABNC", 0), ("ANBC", 0), ("ABBC", 1), ("ABBNC", 1), ("ABNBC", 0)]


@pytest.mark.parametrize(("text", "matches"), FORBIDDING)
def test_rounds_that_bind_nothing_forbid_what_they_forbid(text: str, matches: int) -> None:
    """NOT lies before each B, and where a required round binds nothing; after two rounds nothing is forbidden."""
    query = "PATTERN SEQ(A a, (SEQ(NOT N n, B? b)){2}, C c) WHERE skip_till_next_match WITHIN 9"
    assert cep.match(query, log(text)).num_rows == matches


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("A{10000} a[]", "unrolls to more than 8,192 states"),
        ("SEQ(A a, (A{100} b[]){1,99})", "unrolls to more than 8,192 states"),
    ],
)
def test_patterns_that_unroll_without_end(pattern: str, said: str) -> None:
    with pytest.raises(NotSupportedYet, match=said) as refused:
        cep.match(f"PATTERN {pattern} WITHIN 9", log("AB"))
    assert (refused.value.line, refused.value.column) == (1, 9)


def test_a_chain_of_optional_parts_without_end() -> None:
    """Refused, not an error of the interpreter's; rounds are no such chain."""
    at = Position(1, 1)
    optional = tuple(Kleene(Unit("A", f"a{number}", at), 0, 1, at) for number in range(5_000))
    with pytest.raises(NotSupportedYet, match="more than 524,288 pairs of events"):
        automaton_of(Sequence(optional, at))
    assert len(automaton_of(Kleene(Unit("A", "a", at), 1, 5_000, at)).variables) == 5_000


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
