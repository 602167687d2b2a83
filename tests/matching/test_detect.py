"""`cep.detect` says of every event whether it completes a match, as the definition does."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, reject, settings

import cep_core as cep
from cep_core.events.table import order
from cep_core.language.errors import NotSupportedYet, QueryError
from cep_core.matching.network import LONG
from tests.matching.drawing import worlds
from tests.matching.worlds import World


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
    assert cep.detect(query, log).to_pylist() == compact.select(["last_ts", "last_seq"]).to_pylist()
    assert len(compact) > 5


def test_explain_says_when_one_pass_decides() -> None:
    """Not where a match looks past its ends, nor where conditions are judged on listed matches."""
    assert "detection: one pass" in str(cep.explain("PATTERN SEQ(A a, NOT B b, C c) WITHIN 5"))
    assert "detection" not in str(cep.explain("PATTERN SEQ(A a, C c, NOT B b) WITHIN 5"))
    assert "detection" not in str(cep.explain("PATTERN SEQ(A a, B+ b[]) WHERE sum(b[].x) > 3 WITHIN 5"))


def test_what_is_not_detected() -> None:
    """Aggregations and pairs of matches are refused."""
    log = pa.table({"event_type": list("AB"), "ts": range(2)})
    with pytest.raises(QueryError, match="an aggregation query"):
        cep.detect("RETURN COUNT(*) PATTERN A+ WITHIN 5", log)
    with pytest.raises(NotSupportedYet, match="sequence of precise events"):
        cep.detect("PATTERN A a AND B b WITHIN 5", log)
