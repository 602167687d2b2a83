"""Worked examples of NOT: `docs/semantics.md` 3 and 4, and GRETA's log I."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

import cep_core as cep
from cep_core.compile import compile_query
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.events.table import log_schema_of, order
from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import Ownership
from tests.matching.examples.letters import log, total

LOG_I = log("ABCAEACDBAB", [1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9])


def matches(query: str, events: pa.Table, *variables: str, **options: str) -> list[tuple[object, ...]]:
    table = cep.match(query, events, **options)
    assert total(table) == table.num_rows
    return list(zip(*(table.column(name).to_pylist() for name in variables), strict=True))


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("(SEQ(A+, NOT SEQ(C, NOT E, D), B))+", 13),
        ("SEQ(A+, NOT E)", 14),
        ("SEQ(NOT E, A+)", 12),
    ],
)
def test_g27_trends_of_log_i(pattern: str, count: int) -> None:
    """A negation is judged against the trend's ends, and e3 neither follows nor cuts what has its time stamp."""
    assert cep.match(f"PATTERN {pattern} WITHIN 100", LOG_I).num_rows == count
    assert total(cep.match(f"PATTERN {pattern} WITHIN 100", LOG_I, collapsed=True)) == count
    assert cep.match(f"PATTERN {pattern} WITHIN 100 SLIDE 100", LOG_I).num_rows == count


def test_k5_nothing_between() -> None:
    """A NOT in the middle cuts only what has the event strictly between its neighbours."""
    assert matches("PATTERN SEQ(A a, NOT B b, C c) WITHIN 9", log("ABCAC"), "a", "c") == [(3, 4)]


def test_k5_the_neighbours_are_those_of_the_whole_pattern() -> None:
    """In SEQ(A, SEQ(B, NOT E), C) the NOT ends at c; with b absent it begins at a."""
    assert matches("PATTERN SEQ(A, SEQ(B, NOT E), C) WITHIN 9", log("ABCE"), "C") == [(2,)]
    assert matches("PATTERN SEQ(A, SEQ(B, NOT E), C) WITHIN 9", log("ABEC"), "C") == []
    assert matches("PATTERN SEQ(A, B?, NOT E, C) WITHIN 9", log("AEBC"), "B") == [(2,)]


def test_k5_neither() -> None:
    """Negated elements side by side: none of them may occur, in whatever order; NOT SEQ forbids the sequence only."""
    events = log("ABC" + "ADC" + "ADBC" + "ABDC" + "AC")
    assert matches("PATTERN SEQ(A a, NOT B, NOT D, C c) WITHIN 3", events, "a") == [(14,)]
    assert matches("PATTERN SEQ(A a, NOT SEQ(B, D), C c) WITHIN 3", events, "a") == [(0,), (3,), (6,), (14,)]


@pytest.mark.parametrize("strategy", ["skip_till_any_match", "skip_till_next_match"])
def test_k5_zones_at_the_ends_are_inclusive(strategy: str) -> None:
    """A leading NOT looks from last.ts - w on, a trailing one up to first.ts + w."""
    leading = f"PATTERN SEQ(NOT E, A a, B b) WHERE {strategy} WITHIN 5"
    assert matches(leading, log("EAB", [0, 3, 5]), "a") == []
    assert matches(leading, log("EAB", [0, 3, 6]), "a") == [(1,)]
    trailing = f"PATTERN SEQ(A a, B b, NOT E) WHERE {strategy} WITHIN 5"
    assert matches(trailing, log("ABE", [0, 3, 5]), "a") == []
    assert matches(trailing, log("ABE", [0, 3, 6]), "a") == [(0,)]


def test_k5_zones_in_events_and_in_sliding_windows() -> None:
    """WITHIN n EVENTS counts positions; with SLIDE a NOT looks to the window's edges and no further."""
    assert matches("PATTERN SEQ(A a, B b, NOT E) WITHIN 3 EVENTS", log("ABE"), "a") == []
    assert matches("PATTERN SEQ(A a, B b, NOT E) WITHIN 4 EVENTS", log("AXBE"), "a") == []
    assert matches("PATTERN SEQ(A a, B b, NOT E) WITHIN 3 EVENTS", log("ABXE"), "a") == [(0,)]
    slide = "PATTERN SEQ(NOT E, A a, B b) WITHIN 4 SLIDE 2"
    assert matches(slide, log("EAB", [1, 2, 3]), "window_start") == [(2,)]
    slide = "PATTERN SEQ(A a, B b, NOT E) WITHIN 4 SLIDE 2"
    assert matches(slide, log("ABE", [2, 3, 4]), "window_start") == [(0,)]


def test_g27_ties() -> None:
    """A negated event cuts only across strict time, unless ties are ordered."""
    query = "PATTERN SEQ(A a, NOT B b, C c) WITHIN 5"
    assert matches(query, log("ABC", [1, 1, 2]), "a") == [(0,)]
    assert matches(query, log("ABC", [1, 1, 2]), "a", ties="ordered") == []
    assert matches(query, log("ABC", [1, 2, 2]), "a") == [(0,)]


def test_tests_of_a_negated_event() -> None:
    """Own conditions, a neighbour, an event further away, and every event of a closure."""
    events = log("ABXC", x=[1, 5, 3, 4])
    for condition, cut in [
        ("n.x > 2", True),
        ("n.x > 3", False),
        ("n.x < b.x", True),
        ("n.x > b.x", False),
        ("n.x > a.x", True),
        ("n.x < a.x", False),
        ("n.x < c.x AND n.x > a.x", True),
        ("n.x < c.x AND n.x > b.x", False),
        ("n.x - c.x < 0", True),
    ]:
        query = f"PATTERN SEQ(A a, B b, NOT X n, C c) WHERE {condition} WITHIN 9"
        assert (matches(query, events, "a") == []) == cut, condition
    closure = "PATTERN SEQ(B+ b[], NOT X n, C c) WHERE n.x > b[i].x WITHIN 9"
    assert matches(closure, log("BBXC", x=[1, 5, 3, 0]), "b") == [([0, 1],), ([1],)]


def test_a_test_that_mentions_an_absent_event_is_dropped() -> None:
    """With b absent nothing is asked of the negated event: it cuts."""
    query = "PATTERN SEQ(A a, B? b, NOT X n, C c) WHERE n.x > b.x WITHIN 9"
    assert matches(query, log("ABXC", x=[0, 5, 3, 0]), "b") == [(1,)]


def test_keys_bind_negated_events() -> None:
    """[k]: only a negated event of the match's own partition cuts; a type without the key belongs to all."""
    query = "PATTERN SEQ(A a, NOT B b, C c) WHERE [k] WITHIN 9"
    assert matches(query, log("ABC", k=[1, 2, 1]), "a") == [(0,)]
    assert matches(query, log("ABC", k=[1, None, 1]), "a") == [(0,)]
    assert matches(query, log("ABC", k=[1, 1, 1]), "a") == []
    schema = {"A": {"k": "int"}, "B": {}, "C": {"k": "int"}}
    table = cep.match(query, log("ABC", k=[1, None, 1]), schema=schema)
    assert table.num_rows == 0


@pytest.mark.parametrize("strategy", ["skip_till_next_match", "strict_contiguity", "partition_contiguity"])
def test_a_run_is_dropped_whole(strategy: str) -> None:
    """Under strategies with one match per start the run goes its way first; a NOT then drops it."""
    query = f"PATTERN SEQ(A a, B+ b[], NOT E) WHERE {strategy} {{ [k] }} WITHIN 5"
    events = log("ABBE" + "ABB", [1, 2, 3, 4, 11, 12, 13], k=[1] * 7)
    assert matches(query, events, "a", "b") == [(4, [5, 6])]


@pytest.mark.parametrize("strategy", ["strict_contiguity", "skip_till_next_match"])
def test_a_binding_of_two_branches_stands_if_one_of_them_lets_it(strategy: str) -> None:
    """The first branch finds a1 beside the b before it; the second has nothing against it."""
    query = f"PATTERN (SEQ(NOT B n, A a) OR SEQ(A a, NOT B m)) WHERE {strategy} WITHIN 9"
    assert cep.match(query, log("BA", [1, 2])).column("a").to_pylist() == [1]
    assert cep.match(query, log("BAB", [1, 2, 3])).num_rows == 0


def test_next_match_does_not_look_for_another_way() -> None:
    """The run of a1 takes c3, b2 lies between, and c4 is not tried instead."""
    query = "PATTERN SEQ(A a, NOT B b, C c) WHERE skip_till_next_match { 1 = 1 } WITHIN 5"
    assert matches(query, log("ABCC"), "a") == []


def test_matches_are_counted_without_listing_them() -> None:
    """A negated element with a test of one neighbour leaves counting polynomial: far more matches than fit 64 bits."""
    query = "PATTERN SEQ(A a, NOT X n, B+ b[]) WHERE n.x > a.x WITHIN 1000"
    events = log("AXA" + "B" * 150, x=[0, 1, 2] + [0] * 150)
    assert total(cep.match(query, events, collapsed=True)) == 2**150 - 1
    trailing = "PATTERN SEQ(B+ b[], NOT X n) WITHIN 1000"
    assert total(cep.match(trailing, log("B" * 99 + "X" + "B" * 100), collapsed=True)) == 2**199 - 2**99
    leading = "PATTERN SEQ(NOT X n, B+ b[]) WITHIN 1000"
    assert total(cep.match(leading, log("B" * 99 + "X" + "B" * 100), collapsed=True)) == (2**99 - 1) * 2**100


@pytest.mark.parametrize("neighbour", ["a", "b"])
def test_long_windows(neighbour: str) -> None:
    """Windows that are counted in trees: pairs between which nothing greater than one of the two is followed by a Y."""
    rng = random.Random(11)
    types = rng.choices("ABXY", k=400)
    x, ts = [rng.randrange(9) for _ in types], sorted(rng.randrange(300) for _ in types)

    def happens(i: int, j: int) -> bool:
        limit = x[i if neighbour == "a" else j]
        begun = [k for k in range(i, j) if types[k] == "X" and ts[k] > ts[i] and x[k] > limit]
        return bool(begun) and any(types[k] == "Y" and ts[begun[0]] < ts[k] < ts[j] for k in range(begun[0], j))

    pairs = [(i, j) for i, first in enumerate(types) for j in range(i, len(types)) if (first, types[j]) == ("A", "B")]
    expected = [(i, j) for i, j in pairs if ts[i] < ts[j] <= ts[i] + 250 and not happens(i, j)]
    query = f"PATTERN SEQ(A a, NOT SEQ(X n, Y m), B b) WHERE n.x > {neighbour}.x WITHIN 250"
    assert sorted(matches(query, log("".join(types), ts, x=x), "a", "b")) == expected
    assert len(expected) > 100


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("PATTERN SEQ(A a, NOT B n, C c) WHERE n.x > a.x WITHIN 5", "NOT n: a comparison of neighbours"),
        ("PATTERN SEQ(A a, C c, NOT B n) WHERE n.x > a.x WITHIN 5", "NOT n: judged on listed matches"),
        ("PATTERN SEQ(A a, NOT B n, C c) WHERE skip_till_next_match { n.x > a.x } WITHIN 5", "NOT n: drops the runs"),
    ],
)
def test_explain_says_how_a_negation_is_judged(query: str, said: str) -> None:
    """Beforehand, since it decides whether matches can be counted without listing them."""
    assert said in str(cep.explain(query))


def test_a_test_of_no_neighbour_leaves_a_cut_listing_uncounted() -> None:
    """Such matches are judged one by one: beyond `max_matches` the table says only that there were more."""
    events = order(log("A" + "B" * 10 + "X" + "C" * 3, x=[0] * 15))
    query = "PATTERN SEQ(A a, B+ b[], NOT X n, C c) WHERE n.x > a.x WITHIN 100"
    evaluator = compile_query(query, log_schema_of(events), max_matches=5)
    table = evaluator.merge(evaluator.evaluate(events))
    assert (table.num_rows, table.schema.metadata[b"matches_at_least"]) == (5, b"6")
    assert total(cep.match(query, events)) == 3 * (2**10 - 1)


def test_a_match_that_ends_in_a_not_is_certain_when_its_window_ends() -> None:
    """It belongs to the day of first.ts + w, and one run sees back twice the window if a NOT leads as well."""
    events = order(log("AAB", [8, 12, 13]))
    evaluator = compile_query("PATTERN SEQ(NOT E, A a, B b, NOT E) WITHIN 10", log_schema_of(events))
    days = (0, 20, 40)
    table = evaluator.merge(evaluator.evaluate(events, Ownership(days=(0, 20))), (0, 20))
    assert table.select(["a", "certain"]).to_pylist() == [{"a": 0, "certain": 18}]
    table = evaluator.merge(evaluator.evaluate(events, Ownership(days=days)), days)
    assert table.select(["a", "certain"]).to_pylist() == [{"a": 0, "certain": 18}, {"a": 1, "certain": 22}]
    assert evaluator.reach.time == 20


@pytest.mark.parametrize(
    ("query", "column"),
    [
        ("PATTERN SEQ(A a, NOT SEQ(B b, NOT C c), A d) WITHIN 5", 18),
        ("PATTERN SEQ(A a, NOT SEQ(B b, C c, B d), A e) WHERE b.x < d.x WITHIN 5", 53),
        ("PATTERN SEQ(A a, NOT SEQ(B b, C c), A e) WHERE b.x + c.x < a.x WITHIN 5", 48),
        ("PATTERN SEQ(A a, NOT SEQ(B b, NOT A n, C c), A e) WHERE n.x < a.x WITHIN 5", 57),
        ("PATTERN SEQ(A a, (SEQ(NOT B n, A d) OR SEQ(NOT C m, A d)), A e) WITHIN 5", 9),
        ("PATTERN SEQ(A a, (SEQ(NOT B n, B? d) OR SEQ(NOT C m, C? f)), A e) WITHIN 5", 9),
    ],
)
def test_refusals_say_where(query: str, column: int) -> None:
    """What nothing can judge yet is refused with its place."""
    with pytest.raises(NotSupportedYet) as refused:
        cep.match(query, log("ABC", x=[1, 2, 3]))
    assert (refused.value.line, refused.value.column) == (1, column)


@pytest.mark.parametrize("strategy", ["skip_till_any_match", "skip_till_next_match", "strict_contiguity"])
def test_a_negated_event_without_the_key_cuts_nothing(strategy: str) -> None:
    """Also where the matched type lacks the attribute, so that only the negated events have a key at all."""
    number = Attribute("k", AttributeType.INT)
    schema = LogSchema({"A": {}, "B": {"k": number}})
    query = f"PATTERN SEQ(A a, NOT B n) WHERE {strategy} {{ [k] }} WITHIN 9"
    assert cep.match(query, log("AB", k=pa.array([None, None], pa.int64())), schema=schema).num_rows == 1
    assert cep.match(query, log("AB", k=pa.array([None, 7], pa.int64())), schema=schema).num_rows == 0
