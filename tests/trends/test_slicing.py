"""Slices of valuations and of time, merged in any order, give the rows of the whole log (docs/semantics.md 6)."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cep_core.events.schema import Ties
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.bind.binding import bind
from cep_core.trends.evaluator import TrendEvaluator
from tests.trends.random_logs import logs, same, schema_of
from tests.trends.random_queries import queries


def owner(part: int, parts: int, seed: int) -> Ownership:
    """The share of one slice out of several, by a hash of the whole valuation."""

    def owns(valuations: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        keys = zip(*(column.to_pylist() for column in valuations.columns), strict=True)
        return np.array([hash((seed, *map(str, key))) % parts == part for key in keys], dtype=np.bool_)

    return Ownership(("k",), owns)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(queries(), logs(most=10), st.integers(1, 3), st.integers(0, 9), st.randoms(use_true_random=False))
def test_merged_slices_are_the_whole(text: str, log: pa.Table, parts: int, seed: int, random: Random) -> None:
    """Slices are by a key finer than the groups, and by time ranges that also read the reach before them.

    Windows of events need the whole log: then slices of valuations know the position of each event.
    """
    in_events = "EVENTS" in text
    if in_events:
        log = log.append_column("pos", pa.array(np.arange(log.num_rows)))
    query = bind(text, schema_of(log, Ties.CONCURRENT))
    evaluator = TrendEvaluator(query)
    whole = evaluator.merge(evaluator.evaluate(log))
    sliced = any(key.name == "k" and key.slices for key in query.key_classes)
    cuts = sorted({-20, *(random.randint(-10, 20) for _ in range(2)), 40})
    partials = []
    for begin, end in [(-20, 40)] if in_events else pairwise(cuts):
        ts = log.column("ts")
        reach = evaluator.reach.time
        assert reach is not None
        read = log.filter(pc.and_(pc.greater_equal(ts, begin - reach), pc.less(ts, end)))
        for part in range(parts if sliced else 1):
            share = owner(part, parts, seed) if sliced else Ownership()
            days = None if in_events else (begin, end)
            partials += evaluator.evaluate(read, Ownership(share.variables, share.owns, days))
    random.shuffle(partials)
    assert same(evaluator.merge(partials), whole)


def test_groups_of_finer_slices_merge_exactly() -> None:
    """Sums of two slices exceed a machine word; float sums use different powers of two; MIN and MAX combine."""
    n = 140
    log = pa.table(
        {
            "event_type": ["A"] * n,
            "ts": pa.array(np.repeat(np.arange(n // 2), 2)),
            "seq": pa.array(np.arange(n)),
            "k": [0, 1] * (n // 2),
            "g": ["p"] * n,
            "x": [1.5, 0.1] * (n // 2),
        }
    )
    text = "RETURN COUNT(*), SUM(A.x), AVG(A.x), MIN(A.x), MAX(A.x) PATTERN A+ WHERE [k] GROUP-BY g WITHIN 1000"
    evaluator = TrendEvaluator(bind(text, schema_of(log, Ties.CONCURRENT)), exact=True)
    partials = [batch for part in (0, 1) for batch in evaluator.evaluate(log, owner_of_k(part))]
    assert [batch.num_rows for batch in partials] == [1, 1]
    [row] = evaluator.merge(partials).to_pylist()
    trends = 2 * (2**70 - 1)
    assert (int(row["count"]), row["count_exact"]) == (trends, str(trends))
    occurrences = 70 * 2**69
    assert row["sum_A_x"] == float(occurrences) * 1.6
    assert (row["avg_A_x"], row["min_A_x"], row["max_A_x"]) == (0.8, 0.1, 1.5)
    assert evaluator.merge(partials[::-1]).to_pylist() == [row]


def owner_of_k(value: int) -> Ownership:
    """The slice of one value of k."""
    return Ownership(("k",), lambda keys: keys.column("k").to_numpy() == value)
