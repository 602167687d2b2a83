"""Aggregates of the user's own: called by name in a query, judged as a plain enumeration of the definition judges."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numba import njit

import cep_core as cep
from cep_core.compile import compile_query
from cep_core.events.table import log_schema_of, order
from cep_core.experiments.sase.execution_plan import ExecutionPlan
from cep_core.language.errors import QueryError
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.user_aggregates import user_aggregates
from tests.matching.test_match import rows_of

STRATEGIES = ("skip_till_any_match", "skip_till_next_match", "strict_contiguity")


def spread(values: np.ndarray) -> int:
    return int(values.max() - values.min())


@njit
def rises(values: np.ndarray) -> int:
    """How often a value is larger than the one before: depends on the order."""
    return int((values[1:] > values[:-1]).sum())


def middle(values: Sequence[int]) -> float:
    return float(np.median(values))


OWN = {
    "spread": cep.UserAggregate(spread, returns="int"),
    "rises": cep.UserAggregate(rises, returns="int"),
    "middle": cep.UserAggregate(middle),
}
PLAIN: dict[str, Callable[[list[int]], float]] = {
    "spread": lambda values: max(values) - min(values),
    "rises": lambda values: sum(later > earlier for earlier, later in itertools.pairwise(values)),
    "middle": lambda values: (sorted(values)[(len(values) - 1) // 2] + sorted(values)[len(values) // 2]) / 2,
}
Log = list[tuple[str, int, int | None]]


@st.composite
def logs(draw: st.DrawFn) -> Log:
    """Events (type, ts, x) with bursts of equal times and unknown values."""
    steps = draw(
        st.lists(st.tuples(st.sampled_from("ABBBC"), st.integers(0, 2), st.none() | st.integers(0, 4)), max_size=9)
    )
    times = itertools.accumulate(step for _, step, _ in steps)
    return [(kind, ts, x) for (kind, _, x), ts in zip(steps, times, strict=True)]


def table(log: Log) -> pa.Table:
    kinds, ts, x = zip(*log, strict=True) if log else ((), (), ())
    columns = {"event_type": pa.array(kinds, pa.string()), "ts": pa.array(ts, pa.int64())}
    return pa.table({**columns, "x": pa.array(x, pa.int64())})


def bindings(log: Log, width: int) -> Iterator[tuple[int, list[int], int]]:
    """SEQ(A a, B+ b[], C c) WITHIN width, by definition: every choice of events."""
    for a, c in itertools.combinations(range(len(log)), 2):
        if (log[a][0], log[c][0]) != ("A", "C") or not log[a][1] < log[c][1] <= log[a][1] + width:
            continue
        inside = [b for b in range(a + 1, c) if log[b][0] == "B" and log[a][1] < log[b][1] < log[c][1]]
        for size in range(1, len(inside) + 1):
            for chosen in itertools.combinations(inside, size):
                if all(log[earlier][1] < log[later][1] for earlier, later in itertools.pairwise(chosen)):
                    yield a, list(chosen), c


def fold(name: str, log: Log, events: Sequence[int]) -> float | None:
    known = [x for event in events if (x := log[event][2]) is not None]
    return PLAIN[name](known) if known else None


def above(left: float | None, right: float | None) -> bool:
    return left is not None and right is not None and left > right


@settings(deadline=None)
@given(logs(), st.sampled_from(sorted(OWN)), st.sampled_from(["whole", "before", "up to", "beside"]), st.integers(0, 3))
def test_k4_user_defined_aggregates_are_folds_of_the_definition(log: Log, name: str, kind: str, k: int) -> None:
    """In WHERE, over the whole list, what is before an event or up to it, and in RETURN; NULLs are left out."""
    said = {
        "whole": f"{name}(b[].x) > {k}",
        "before": f"b[i].x > {name}(b[..i-1].x)",
        "up to": f"{name}(b[..i].x) > {k}",
        "beside": f"{name}(b[].x) > a.x",
    }[kind]

    def holds(a: int, b: list[int]) -> bool:
        if kind == "whole":
            return above(fold(name, log, b), k)
        if kind == "beside":
            return above(fold(name, log, b), log[a][2])
        if kind == "before":
            return all(above(log[b[i]][2], fold(name, log, b[:i])) for i in range(1, len(b)))
        return all(above(fold(name, log, b[: i + 1]), k) for i in range(len(b)))

    query = f"PATTERN SEQ(A a, B+ b[], C c) WHERE {said} WITHIN 9 RETURN {name}(b[].x) AS own"
    matches = cep.match(query, table(log), aggregates=OWN)
    expected = {(a, tuple(b), c): fold(name, log, b) for a, b, c in bindings(log, 9) if holds(a, b)}
    rows = zip(*(matches[column].to_pylist() for column in ("a", "b", "c", "own")), strict=True)
    assert {(a, tuple(b), c): own for a, b, c, own in rows} == expected
    assert matches.schema.metadata[b"matches_total"] == str(len(expected)).encode()
    text = f"PATTERN SEQ(A a, B+ b[], C c) WHERE {said} WITHIN 9"
    ordered = order(table(log))
    plan = ExecutionPlan(bind(text, log_schema_of(ordered), aggregates=user_aggregates(OWN)))
    assert {(a, b, c) for (a,), b, (c,) in plan.matches(ordered)} == expected.keys()


@settings(deadline=None)
@given(
    logs(),
    st.sampled_from(STRATEGIES),
    st.sampled_from(["max", "min", "sum", "first", "last"]),
    st.sampled_from(["{}(b[].x) > 2", "b[i].x >= {}(b[..i-1].x)", "{}(b[..i].x) < 6", "{}(b[].x) > c.x"]),
    st.booleans(),
)
def test_k4_own_versions_of_known_aggregates_say_the_same(
    log: Log, strategy: str, name: str, said: str, ordered: bool
) -> None:
    """Under every strategy, runs that grow included: `max` as a function of the user's own is `max`.

    A function of the user's own is called with the known values; the first and the last value may be unknown.
    """
    assume(name not in ("first", "last") or all(x is not None for _, _, x in log))
    own: dict[str, Callable[[Any], int]] = {
        "max": max, "min": min, "sum": sum, "first": lambda values: values[0], "last": lambda values: values[-1],
    }  # fmt: skip
    registered = {"mine": cep.UserAggregate(lambda values: int(own[name](values)), returns="int")}
    query = "PATTERN SEQ(A a, B+ b[], C? c) WHERE {} {{ {} }} WITHIN 9 RETURN {}(b[].x) AS own"
    ties = "ordered" if ordered else "concurrent"
    expected = cep.match(query.format(strategy, said.format(name), name), table(log), ties=ties)
    matches = cep.match(
        query.format(strategy, said.format("mine"), "mine"), table(log), ties=ties, aggregates=registered
    )
    assert rows_of(matches) == rows_of(expected)
    assert matches.schema.equals(expected.schema)


def test_k4_an_aggregate_that_depends_on_the_order_is_judged_order_by_order() -> None:
    """Two events that may come in either order: the first is the larger in half of the worlds."""
    log = pa.table(
        {"event_type": ["B", "B", "C"], "ts": [1, 1, 5], "ts_lo": [1, 1, 5], "ts_hi": [2, 2, 5], "x": [1, 2, 0]}
    )
    query = "PATTERN SEQ(B{2,2} b[], C c) WHERE rises(b[].x) = 1 WITHIN 9 WITH CONFIDENCE > 0"
    possible = cep.match(query, log, aggregates=OWN)
    assert possible["confidence"].to_pylist() == pytest.approx([1 / 4])  # [1, 2] and [2, 1] of four; two are no order


def test_k4_text_comes_as_a_list_and_any_type_may_be_returned() -> None:
    log = pa.table({"event_type": list("BB"), "ts": [1, 2], "name": ["x", "y"]})
    joined = cep.UserAggregate("-".join, returns="string")
    same = cep.UserAggregate(lambda values: len(set(values)) == 1, returns="bool")
    nothing = cep.UserAggregate(lambda values: None)
    matches = cep.match(
        "PATTERN B+ b[] WITHIN 9 RETURN joined(b[].name) AS joined, same(b[].name) AS same, nothing(b[].ts) AS nothing",
        log,
        aggregates={"joined": joined, "same": same, "nothing": nothing},
    )
    assert matches["joined"].to_pylist() == ["x", "x-y", "y"]
    assert matches["same"].to_pylist() == [True, False, True]
    assert matches["nothing"].to_pylist() == [None] * 3


def test_k4_why_shows_what_an_aggregate_of_the_users_own_found() -> None:
    from cep_core.matching.why.verdicts import Judge

    log = order(pa.table({"event_type": list("ABB"), "ts": range(3), "x": [0, 3, 9]}))
    query = bind(
        "PATTERN SEQ(A a, B+ b[]) WHERE spread(b[].x) > 5 WITHIN 9",
        log_schema_of(log),
        aggregates=user_aggregates(OWN),
    )
    [said, _] = Judge(query, log).verdicts(((0, "a"), (1, "b"), (2, "b")))
    assert (said.said, said.holds, said.values) == ("spread(b[].x) > 5", True, ("6 > 5",))


@pytest.mark.parametrize(
    ("query", "message", "hint"),
    [
        ("PATTERN B+ b[] WHERE spred(b[].x) > 1 WITHIN 9", "unknown aggregate 'spred'", "did you mean 'spread'?"),
        ("PATTERN B+ b[] WHERE entropy(b[].x) > 1 WITHIN 9", "unknown aggregate 'entropy'", "a workload has none"),
        (
            "RETURN spread(b.x) PATTERN B+ b[] WITHIN 9",
            "'spread' has no meaning over all trends",
            "write spread(b[].x)",
        ),
        ("PATTERN B+ b[] WHERE spread(b[]) > 1 WITHIN 9", "spread takes an attribute", "write spread(b[].x)"),
        ("PATTERN B b WHERE spread(b[].x) > 1 WITHIN 9", "an aggregate needs a variable under a quantifier", "b.x"),
        ("PATTERN B+ b[] WHERE spread(b[].x) LIKE 'a' WITHIN 9", "LIKE takes text", ""),
    ],
)
def test_k4_what_is_no_aggregate_is_refused_with_its_place(query: str, message: str, hint: str) -> None:
    log = pa.table({"event_type": ["B"], "ts": [1], "x": [1]})
    with pytest.raises(QueryError, match=message.replace("(", r"\(")) as refused:
        cep.match(query, log, aggregates=OWN)
    assert hint in refused.value.hint


def test_k4_a_workload_has_no_functions() -> None:
    """A query's text says what it means wherever it runs."""
    log = order(pa.table({"event_type": ["B"], "ts": [1], "x": [1]}))
    with pytest.raises(QueryError, match="unknown aggregate 'spread'"):
        compile_query("PATTERN B+ b[] WHERE spread(b[].x) > 1 WITHIN 9", log_schema_of(log), whole_log=False)


@pytest.mark.parametrize("name", ["max", "Max", "seq", "two words", "2nd", "and"])
def test_k4_names_that_a_query_cannot_call(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be named"):
        cep.match("PATTERN B+ b[] WITHIN 9", pa.table({"event_type": ["B"], "ts": [1]}), aggregates={name: max})


def test_k4_a_result_of_another_type_is_an_error() -> None:
    log = pa.table({"event_type": ["B"], "ts": [1], "x": [1]})
    half = cep.UserAggregate(lambda values: math.pi, returns="int")
    with pytest.raises(ValueError, match="aggregate 'half' returns int"):
        cep.match("PATTERN B+ b[] WITHIN 9 RETURN half(b[].x)", log, aggregates={"half": half})
