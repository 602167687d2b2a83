"""`cep.match` is the definition: every query, every strategy, every window, whatever the log."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.language.errors import NotSupportedYet
from tests.matching.worlds.drawing import worlds
from tests.matching.worlds.world import World


def rows_of(table: pa.Table) -> list[tuple[object, ...]]:
    columns = [[tuple(v) if isinstance(v, list) else v for v in column.to_pylist()] for column in table.columns]
    return list(zip(*columns, strict=True))


def ask(world: World, **options: bool) -> pa.Table:
    try:
        return cep.match(world.text, world.table, ties="ordered" if world.ordered else "concurrent", **options)
    except NotSupportedYet:
        reject()


@settings(deadline=None)
@given(worlds())
def test_skip_till_any_match_lists_every_match(world: World) -> None:
    """All bindings by definition, in order, and as many as `matches_total` says."""
    table = ask(world)
    expected = [world.row(window, path) for window, path in world.matches()]
    assert rows_of(table) == expected
    assert table.schema.metadata[b"matches_total"] == str(len(expected)).encode()


@settings(deadline=None)
@given(worlds(("skip_till_next_match", "strict_contiguity", "partition_contiguity")))
def test_runs_are_offered_events_one_by_one(world: World) -> None:
    """At most one match for each start event, the one that a run finds."""
    table = ask(world)
    expected = [world.row(window, path) for window, path in world.matches()]
    assert rows_of(table) == expected
    assert table.schema.metadata[b"matches_total"] == str(len(expected)).encode()


def test_a_run_takes_the_first_branch_that_accepts_though_another_may_bind_nothing() -> None:
    """Going past the OR by its optional branch comes after the branches before it, not before them all."""
    log = pa.table({"event_type": ["A", "A", "A"], "ts": [1, 2, 3]})
    run = "PATTERN SEQ(A a, {}, A d) WHERE skip_till_next_match WITHIN 9"
    first = cep.match(run.format("(A b OR A* c)"), log)
    assert [(row["a"], row["b"], row["d"]) for row in first.to_pylist()] == [(0, 1, 2)]
    last = cep.match(run.format("(A* c OR A b)"), log)
    assert [(row["a"], row["b"], row["d"]) for row in last.to_pylist()] == [(0, None, 1), (1, None, 2)]


LAST = ("a[last].x {}", "a[a.len].x {}", "last(a[].x) {}")
FIRST = ("a[1].x {}", "first(a[].x) {}")
TWO = (*LAST, "a[2].x {}")
CLOSURES = [
    ("A{2} a[]", TWO),
    ("(SEQ(A a, B? o)){2}", TWO),
    ("((A a){1,2}){2}", LAST),
    ("(A{1,2} a[] OR SEQ(C o, A a))", LAST),
    *((f"A{sign} a[]", LAST) for sign in ("{1,2}", "{2,3}", "{2,}", "{0,2}", "+", "*")),
    ("(SEQ(A? a, B? o)){1,2}", LAST),
    ("A{1,2} a[]", FIRST),
    ("A+ a[]", FIRST),
    ("(SEQ(A a, B? o)){2}", FIRST),
    ("A{2} a[]", ("sum(a[].x) {}", "a[1].x + a[2].x {}", "2 * avg(a[].x) {}", "a[2].x + first(a[].x) {}")),
    ("A{1,2} a[]", ("count(a[]) {}", "count(a[].x) {}", "sum(a[].one) {}")),
]
STRATEGIES = (*["skip_till_next_match"] * 3, "strict_contiguity", "skip_till_any_match")


@settings(deadline=None)
@given(
    closure=st.sampled_from(CLOSURES),
    kinds=st.sampled_from(["AAAB", "AAAAB", "CAAAB", "CAABAB", "CAAABC", "CAAAABC", "AABACAB"]),
    x=st.lists(st.integers(0, 2), min_size=7, max_size=7),
    around=st.sampled_from(["SEQ({}, B b)", "SEQ(C c, {})", "SEQ(C c, {}, B b)", "SEQ({}, B? b, C c)", "SEQ({}, A d)"]),
    strategy=st.sampled_from(STRATEGIES),
    test=st.sampled_from(["< 1", "> 0", "!= 1", "> 1", "< b.x", "> c.x"]),
)
def test_spellings_of_one_condition_agree(
    closure: tuple[str, tuple[str, ...]], kinds: str, x: list[int], around: str, strategy: str, test: str
) -> None:
    """The event with which all that a condition mentions is bound decides, however the condition says it."""
    if any(f"{name}.x" in test and f" {name}" not in around for name in "bc"):
        reject()
    pattern, spellings = closure
    size = len(kinds)
    events = pa.table({"event_type": list(kinds), "ts": range(size), "x": x[:size], "one": [1] * size})
    query = f"PATTERN {around.format(pattern)} WHERE {strategy} {{ "
    said = [f"{query}{spelling.format(test)} }} WITHIN 6" for spelling in spellings]
    listed = [cep.match(text, events).to_pylist() for text in said]
    for text, rows in zip(said, listed, strict=True):
        assert rows == listed[0], text


def test_the_event_that_fills_a_closure_decides_of_the_last() -> None:
    """A second event that fails is skipped; where a third may come, the one that ends the closure decides."""
    run = "PATTERN SEQ({} a[], B b) WHERE skip_till_next_match {{ a[last].x < 4 }} WITHIN 20"
    log = pa.table({"event_type": list("AAAB"), "ts": range(4), "x": [2, 4, 3, 0]})
    assert [(row["a"], row["b"]) for row in cep.match(run.format("A{2}"), log).to_pylist()] == [
        ([0, 2], 3),
        ([1, 2], 3),
    ]
    short = pa.table({"event_type": list("AAB"), "ts": range(3), "x": [2, 4, 0]})
    assert [(row["a"], row["b"]) for row in cep.match(run.format("A{1,2}"), short).to_pylist()] == [([0], 2)]
