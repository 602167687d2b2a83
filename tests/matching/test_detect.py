"""`cep.detect` says of every event whether it completes a match, as the definition does."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, reject, settings

import cep_core as cep
from cep_core.events.table import order
from cep_core.language.errors import NotSupportedYet, QueryError
from cep_core.matching.arrays.network import LONG
from tests.matching.test_pairs import pairs, pairs_of_worlds
from tests.matching.worlds.drawing import worlds
from tests.matching.worlds.world import World


@settings(deadline=None)
@given(worlds())
def test_detection_is_the_definition(world: World) -> None:
    """The last events of all matches, each once, in each window: any pattern, negation, condition, window and ties."""
    try:
        table = cep.detect(world.text, world.table, ties="ordered" if world.ordered else "concurrent")
    except NotSupportedYet:
        reject()
    expected = {
        (world.events[path[-1][0]].ts, world.events[path[-1][0]].seq, *_window(world, window))
        for window, path in world.matches()
    }
    assert [tuple(row.values()) for row in table.to_pylist()] == sorted(expected)


def _window(world: World, window: int | None) -> list[int]:
    return [] if window is None else [window, window + world.size]


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "=", "!="])
@pytest.mark.parametrize("pattern", ["SEQ(A a, B+ b[], C c)", "SEQ(A a, B{2,} b[], C c)", "B+ b[]"])
def test_long_windows(operator: str, pattern: str) -> None:
    """Where counting keeps Fenwick trees detection does too, partition by partition: the same events."""
    rng = np.random.default_rng(3)
    n = 3 * LONG
    log = order(
        pa.table(
            {
                "event_type": rng.choice(list("ABC"), n, p=[0.02, 0.9, 0.08]),
                "ts": np.sort(rng.integers(0, n, n)),
                "x": rng.integers(0, 3 if operator == "=" else 100, n),
                "k": rng.choice([0, 0, 0, 1], n),
            }
        )
    )
    condition = f"[k] AND b[i].x {operator} b[i-1].x" + (
        " AND a.x > b[1].x AND c.x > b[last].x" if "c" in pattern else ""
    )
    query = f"PATTERN {pattern} WHERE {condition} WITHIN {n // 2}"
    compact = cep.match(query, log, collapsed=True)
    # `=` of neighbours is a key that c lacks: there may be a compact row for each of its values
    last = dict.fromkeys(zip(compact["last_ts"].to_pylist(), compact["last_seq"].to_pylist(), strict=True))
    assert [tuple(row.values()) for row in cep.detect(query, log).to_pylist()] == list(last)
    assert len(compact) > 5


def test_explain_says_when_one_pass_decides() -> None:
    """Not where a match looks past its ends, nor where conditions are judged on listed matches."""
    assert "detection: one pass" in str(cep.explain("PATTERN SEQ(A a, NOT B b, C c) WITHIN 5"))
    assert "detection" not in str(cep.explain("PATTERN SEQ(A a, C c, NOT B b) WITHIN 5"))
    assert "detection" not in str(cep.explain("PATTERN SEQ(A a, B+ b[]) WHERE sum(b[].x) > 3 WITHIN 5"))


@settings(deadline=None)
@given(pairs_of_worlds())
def test_detection_of_pairs(drawn: tuple[World, World, str]) -> None:
    """AND: the last events of all pairs, each once, in each window."""
    left, right, text = drawn
    table = cep.detect(text, left.table, ties="ordered" if left.ordered else "concurrent")
    expected = set()
    for window, left_path, right_path in pairs(left, right):
        last = left.events[max(left_path[-1][0], right_path[-1][0])]
        expected.add((last.ts, last.seq, *_window(left, window)))
    assert [tuple(row.values()) for row in table.to_pylist()] == sorted(expected)


def test_a_key_that_the_last_event_lacks() -> None:
    """It completes matches of two keys, and is one event."""
    log = pa.table({"event_type": list("AAB"), "ts": range(3), "k": [1, 2, None]})
    schema = {"A": {"k": "int"}, "B": {}}
    query = "PATTERN SEQ(A a, B b) WHERE [k] {} WITHIN 5"
    for condition in ("", "AND 1 < count(a[].k) + 1 "):
        asked = query.format(condition).replace("A a", "A+ a[]")
        assert cep.detect(asked, log, schema=schema).to_pylist() == [{"last_ts": 2, "last_seq": 2}]


def test_detection_of_imprecise_events() -> None:
    """WITH CONFIDENCE: events that complete a match which is likely enough."""
    log = pa.table({"event_type": list("ABB"), "ts": [1, 2, 5], "ts_lo": [1, 0, 5], "ts_hi": [3, 2, 5]})
    for threshold, moments in (("> 0", [2, 5]), (">= 0.9", [5])):
        table = cep.detect(f"PATTERN SEQ(A a, B b) WITHIN 9 WITH CONFIDENCE {threshold}", log)
        assert table["last_ts"].to_pylist() == moments


def test_an_aggregation_has_no_matches_to_detect() -> None:
    log = pa.table({"event_type": list("AB"), "ts": range(2)})
    with pytest.raises(QueryError, match="an aggregation query"):
        cep.detect("RETURN COUNT(*) PATTERN A+ WITHIN 5", log)
