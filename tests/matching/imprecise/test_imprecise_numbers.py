"""Imprecise time in worked numbers: confidences that can be counted by hand or by a loop."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import cep_core as cep
from cep_core.language.patterns.query import Confidence
from cep_core.matching.imprecise.confidence.orders import chain_probability
from cep_core.matching.imprecise.kernels.worlds import times_of
from cep_core.matching.imprecise.reference import confidences


def chances(
    query: str, *events: tuple[str, int, int], ties: str = "concurrent", **columns: list[int]
) -> list[Fraction]:
    """The confidences, as fractions of small numbers, of events (type, first moment, last moment)."""
    kinds, low, high = zip(*events, strict=True)
    log = pa.table({"event_type": kinds, "ts": low, "ts_lo": low, "ts_hi": high, **columns})
    confidence = cep.match(query, log, ties=ties)["confidence"].to_pylist()
    return [Fraction(chance).limit_denominator(1000) for chance in confidence]


def test_k21_two_and_three_overlapping_events() -> None:
    """[1,2] before [2,3] 3/4; [1,3], [2,4], [3,5] in order 10/27, within 2 moments 1/9, within 3 moments 7/27."""
    assert chances("PATTERN SEQ(A, B) WITHIN 9 WITH CONFIDENCE > 0", ("A", 1, 2), ("B", 2, 3)) == [Fraction(3, 4)]
    three = ("A", 1, 3), ("B", 2, 4), ("C", 3, 5)
    for width, chance in ((9, Fraction(10, 27)), (2, Fraction(1, 9)), (3, Fraction(7, 27))):
        assert chances(f"PATTERN SEQ(A, B, C) WITHIN {width} WITH CONFIDENCE > 0", *three) == [chance]


def test_k23_events_of_a_closure_in_one_order_or_in_any() -> None:
    """a[1,3] b[2,4] b'[2,4] c5: 4/27 with b before b', 8/27 in any order.

    Asking only that a comes before each b would give 14/27: it lets b and b' share a moment, which concurrent events
    of one match never do. Where ties are ordered they may, and so may a and b: 22/27.
    """
    four = ("A", 1, 3), ("B", 2, 4), ("B", 2, 4), ("C", 5, 5)
    pattern, window = "PATTERN SEQ(A a, B b, B d, C c)", "WITHIN 9 WITH CONFIDENCE > 0"
    asked = "PATTERN SEQ(A a, B{2,2} b[], C c)"
    assert chances(f"{pattern} WHERE b.x < d.x {window}", *four, x=[0, 1, 2, 0]) == [Fraction(4, 27)]
    assert chances(f"{asked} WHERE b[i].x > b[i-1].x {window}", *four, x=[0, 1, 2, 0]) == [Fraction(4, 27)]
    assert chances(f"{asked} {window}", *four) == [Fraction(8, 27)]
    worlds_of_three = list(itertools.product((1, 2, 3), (2, 3, 4), (2, 3, 4)))
    assert sum(a < min(b, d) for a, b, d in worlds_of_three) == 14
    assert sum(a <= min(b, d) for a, b, d in worlds_of_three) == 22
    assert chances(f"{asked} {window}", *four, ties="ordered") == [Fraction(22, 27)]


def test_k24_a_chain_is_all_its_worlds() -> None:
    """O(m U) for one order of events, with and without a window that decides."""
    chance = random.Random(5)
    for _ in range(200):
        size = chance.randint(1, 4)
        low = np.array([chance.randint(0, 5) for _ in range(size)])
        high = low + np.array([chance.randint(0, 4) for _ in range(size)])
        ordered, width = chance.random() < 0.5, chance.randint(1, 9)
        seq = np.array(chance.sample(range(size), size))

        def in_order(
            world: tuple[int, ...], seq: np.ndarray = seq, ordered: bool = ordered, width: int = width
        ) -> list[str]:
            pairs = itertools.pairwise(zip(world, seq, strict=True))
            good = all(earlier < later if ordered else earlier[0] < later[0] for earlier, later in pairs)
            return ["match"] if good and world[-1] - world[0] <= width else []

        expected = confidences(list(zip(low.tolist(), high.tolist(), strict=True)), in_order).get("match", Fraction(0))
        times = times_of(low, high, seq, ordered=ordered)
        assert math.isclose(chain_probability(times, np.arange(size), width), expected, rel_tol=1e-12)


@pytest.mark.parametrize("threshold", ["> 0", ">= 0.5", ">= 0.9"])
def test_k24_pruning_leaves_what_filtering_leaves(threshold: str) -> None:
    """A closure of 9 events with intervals of up to 10 moments: what is pruned is only what would be filtered."""
    chance = random.Random(7)
    low = sorted(chance.randint(0, 60) for _ in range(9))
    kinds = ["A", *["B"] * 7, "C"]
    log = pa.table(
        {
            "event_type": kinds,
            "ts": low,
            "ts_lo": low,
            "ts_hi": [ts + chance.randint(0, 9) for ts in low],
            "x": [chance.randint(0, 5) for _ in low],
        }
    )
    query = "PATTERN SEQ(A a, B+ b[], C c) WHERE b[i].x >= b[i-1].x WITHIN 100 WITH CONFIDENCE {}"
    everything = cep.match(query.format("> 0"), log)
    operator, number = threshold.split()
    wanted = Confidence(float(number), strict=operator == ">")
    kept = [wanted.accepts(chance) for chance in everything["confidence"].to_pylist()]
    assert cep.match(query.format(threshold), log).equals(everything.filter(pa.array(kept)))
    assert sum(kept) > 0


def test_k25_the_options_of_q6_agree() -> None:
    """SASE++, Q6: `b[i].val >= b[i-1].val` and `b[i].val >= max(b[1..i-1].val)` say the same, and are as likely."""
    chance = random.Random(3)
    kinds = ["ReducerStart", *["LoadStd"] * 6, "ReducerEnd"]
    low = [0, *sorted(chance.randint(0, 40) for _ in range(6)), 60]
    high = [low[0], *(ts + 14 for ts in low[1:-1]), low[-1]]
    log = pa.table(
        {"event_type": kinds, "ts": low, "ts_lo": low, "ts_hi": high, "val": [chance.randint(0, 3) for _ in kinds]}
    ).append_column("task_id", pa.array(["t"] * len(kinds)))
    query = (
        "PATTERN SEQ(ReducerStart a, LoadStd+ b[], ReducerEnd c) WHERE [task_id] AND {} "
        "WITHIN 10 minutes WITH CONFIDENCE >= 0.05 RETURN a.task_id"
    )
    first = cep.match(query.format("b[i].val >= b[i-1].val"), log)
    second = cep.match(query.format("b[i].val >= max(b[1..i-1].val)"), log)
    assert first.num_rows > 6
    assert first.drop_columns(["confidence"]).equals(second.drop_columns(["confidence"]))
    assert np.allclose(np.array(first["confidence"]), np.array(second["confidence"]), rtol=1e-12)


def test_any_order_of_events_that_may_be_concurrent() -> None:
    """ANY: the same moment is as good as any order, and what follows comes after both, in every world on its own."""
    window = "WITHIN 9 WITH CONFIDENCE > 0"
    two = ("A", 1, 2), ("B", 1, 2)
    assert chances(f"PATTERN ANY(A a, B b) {window}", *two) == [1]
    assert chances(f"PATTERN SEQ(ANY(A a, B b), C c) {window}", *two, ("C", 2, 2)) == [Fraction(1, 4)]
    assert chances(f"PATTERN SEQ(ANY(A a, B b), C c) {window}", *two, ("C", 2, 3)) == [Fraction(1 + 4, 8)]
    # two units that a condition tells apart: both bindings of every world, one of which passes
    apart = f"PATTERN SEQ(ANY(2, B b, B d), C c) WHERE b.x > d.x {window}"
    assert chances(apart, ("B", 1, 2), ("B", 1, 2), ("C", 3, 3), x=[1, 2, 0]) == [1]


def test_more_configurations_at_one_moment_than_the_pool_holds_at_first() -> None:
    """Thirteen events of one second, in order: 2^13 sets of them are partial matches within that moment."""
    events = ("A", 1, 1), *[("B", 2, 2)] * 13, ("C", 3, 3)
    query = "PATTERN SEQ(A a, B{13,13} b[], C c) WITHIN 9 WITH CONFIDENCE > 0"
    assert chances(query, *events, ties="ordered") == [1]
    assert chances(query, *events) == []
