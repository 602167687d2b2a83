"""Paper 03's graph and runtime, row by row: counting, sharing, forgetting, and their cost (sections 4 to 8)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import cep_core as cep
from cep_core.events.table import log_schema_of
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.bind.binding import bind
from cep_core.trends import reference
from cep_core.trends.evaluator import TrendEvaluator
from tests.archives import KNOWS_FILTERS
from tests.trends.examples.running_examples import I5, I11, counts, rows, stream

ROOT = Path(__file__).resolve().parents[3]
RUNNER = ROOT.parent / "shared" / "conformance" / "run.py"


def test_g06_paths_are_the_trends() -> None:
    """(SEQ(A+, B))+ on I11: the shortest trend is a1 b2, the longest has all seven a's and b's."""
    query = bind("RETURN COUNT(*) PATTERN (SEQ(A+, B))+ WITHIN 100", log_schema_of(I11))
    trends = list(reference.trends(query, I11.to_pylist(), range(11)))
    assert min(map(len, trends)) == 2
    assert max(map(len, trends)) == 7
    assert (("A", 0), ("B", 1)) in trends
    assert counts("(SEQ(A+, B))+") == [len(trends)]


def test_g07_counts_by_propagation() -> None:
    """The trends that end at each b: prefixes of I11 add b2 1, b7 10, b9 32."""
    assert (counts("A+"), counts("SEQ(A+, B)"), counts("(SEQ(A+, B))+")) == ([15], [23], [43])
    by_prefix = [counts("(SEQ(A+, B))+", I11.slice(0, length)) for length in (2, 9, 11)]
    assert by_prefix == [[1], [1 + 10], [1 + 10 + 32]]
    later_event = stream("b99").set_column(2, "seq", pa.array([99]))
    closed = [pa.concat_tables([I11.slice(0, length), later_event]) for length in (6, 10)]
    ending_at_a = [counts("(SEQ(A+, B))+", events) for events in closed]
    assert ending_at_a == [[1 + 1 + 3 + 6], [1 + 10 + 1 + 3 + 6 + 22]]  # a1, a3, a4, and a8


def test_g08_all_aggregates_by_the_same_propagation() -> None:
    """COUNT(*), COUNT(A), MIN, MAX, SUM, AVG on I5: one occurrence of 5 up to b2, and 19 more at b7 that sum to 95."""
    query = """RETURN COUNT(*), COUNT(A), MIN(A.attr), MAX(A.attr), SUM(A.attr), AVG(A.attr)
               PATTERN (SEQ(A+, B))+ WITHIN 100"""
    names = ("count", "count_A", "min_A_attr", "max_A_attr", "sum_A_attr", "avg_A_attr")
    assert [[row[name] for name in names] for row in rows(query, I5)] == [[11, 20, 4, 6, 100, 5.0]]
    assert [[row[name] for name in names] for row in rows(query, I5.slice(0, 2))] == [[1, 1, 5, 5, 5, 5.0]]


def test_g09_every_trend_is_kept_and_extended() -> None:
    """These prices have 275 down-trends. One of them has length 8: 10 9 8 7 6 5 4 3."""
    events = stream(" ".join(f"s{i}" for i in range(10)), price=[10, 2, 9, 8, 7, 1, 6, 5, 4, 3])
    assert counts("S+ WHERE S.price > NEXT(S).price", events) == [275]
    assert counts("S{8,} WHERE S.price > NEXT(S).price", events) == [1]


def test_g15_what_is_forgotten_changes_nothing() -> None:
    """c2 e3 and c5 d6 are forgotten; the a's before them remain. Without c2 and e3 there are as many trends."""
    pattern = "(SEQ(A+, NOT SEQ(C, NOT E, D), B))+"
    harmless = I11.filter(pa.array([place not in (2, 4) for place in range(11)]))  # without c2 and e3
    assert counts(pattern) == counts(pattern, harmless) == [13]
    without_a = I11.filter(pa.array([place not in (3, 5) for place in range(11)]))  # a3 and a4 still reach a8
    assert counts(pattern, without_a) != counts(pattern)


def test_g16_sliding_windows() -> None:
    """Example 6, one second earlier, on the epoch's grid: [0, 10) has 43 trends, [3, 13) has 5, each as if alone."""
    events = stream("a0 b1 c1 a2 e2 a3 c4 d5 b6 a7 b8")
    query = "RETURN COUNT(*) PATTERN (SEQ(A+, B))+ WITHIN 10 SLIDE 3"
    by_window = {row["window_start"]: int(row["count"]) for row in rows(query, events)}
    assert (by_window[0], by_window[3]) == (43, 5)
    for start, count in by_window.items():
        inside = np.array([start <= ts < start + 10 for ts in events.column("ts").to_pylist()])
        assert counts("(SEQ(A+, B))+", events.filter(pa.array(inside)), "WITHIN 1000 SLIDE 500")[0] == count


@pytest.mark.parametrize(
    ("size", "slide", "windows"), [(600, 10, {60}), (60, 30, {2}), (300, 60, {5}), (10, 3, {3, 4})]
)
def test_g16_windows_of_an_event(size: int, slide: int, windows: set[int]) -> None:
    """An event is in 60 windows of Q1, in 2 of Q2, in 5 of Q3, and in 3 or 4 windows of 10 s every 3 s."""
    window_counts = {
        len(counts("A", stream(f"a{moment}"), f"WITHIN {size} SLIDE {slide}")) for moment in range(1000, 1000 + slide)
    }
    assert window_counts == windows


def test_g16_windows_of_events() -> None:
    """Windows are counted over positions in the log, including events of all types: [0, 4), [2, 6), ..."""
    query = "RETURN COUNT(*) PATTERN A+ WITHIN 4 EVENTS SLIDE 2 EVENTS"
    by_window = {row["window_start"]: int(row["count"]) for row in rows(query, I11)}
    assert by_window == {-2: 1, 0: 3, 2: 3, 4: 1, 6: 1, 8: 1}
    [row] = rows("RETURN COUNT(*) PATTERN SEQ(A+, B) WITHIN 100 EVENTS", I11)
    assert (row["window_start"], row["window_end"], row["count"]) == (0, 100, 23)


def test_g27_events_of_one_moment_are_one_transaction() -> None:
    """In any input order, a3 and e3 neither follow nor cut each other."""
    shuffled = I11.take(pa.array([10, 4, 3, 0, 7, 1, 9, 2, 5, 8, 6])).drop_columns(["seq"])
    for pattern in ("A+", "SEQ(A+, NOT E)", "SEQ(NOT E, A+)", "(SEQ(A+, NOT SEQ(C, NOT E, D), B))+"):
        assert counts(pattern, shuffled) == counts(pattern)


def test_g28_nothing_older_than_a_window_is_kept() -> None:
    """A time range needs only the events of its windows. Earlier, expired events change no row."""
    query = bind("RETURN COUNT(*) PATTERN (SEQ(A+, B))+ WITHIN 4 SLIDE 2", log_schema_of(I11))
    evaluator = TrendEvaluator(query)
    whole = evaluator.merge(evaluator.evaluate(I11)).to_pylist()
    ranges = []
    for begin, end in ((-10, 3), (3, 6), (6, 20)):
        read = I11.filter(pa.array([begin - 4 <= ts < end for ts in I11.column("ts").to_pylist()]))
        assert read.num_rows < I11.num_rows
        ranges += evaluator.evaluate(read, Ownership(days=(begin, end)))
    assert evaluator.merge(ranges).to_pylist() == whole


def test_g28_range_search_is_a_full_scan() -> None:
    """Trees over compared values give the same result as comparing every pair of neighbours."""
    prices = np.random.default_rng(3).integers(0, 9, 40)
    events = stream(" ".join(f"s{i}" for i in range(40)), price=prices.tolist())
    ends = np.ones(40, dtype=object)
    for later in range(40):
        ends[later] = 1 + sum(ends[earlier] for earlier in range(later) if prices[earlier] > prices[later])
    assert counts("S+ WHERE S.price > NEXT(S).price", events) == [sum(ends)]


def test_g29_sub_streams_are_independent() -> None:
    """Partitions that two workers evaluate separately merge to the whole result."""
    events = stream("a1 a2 b3 a4 b5 b6", k=[1, 2, 1, 2, 2, 1])
    evaluator = TrendEvaluator(bind("RETURN COUNT(*) PATTERN SEQ(A+, B) WHERE [k] WITHIN 10", log_schema_of(events)))
    shares = [Ownership(("k",), lambda keys, k=k: keys.column("k").to_numpy() == k) for k in (1, 2)]
    partials = [batch for share in shares for batch in evaluator.evaluate(events, share)]
    assert evaluator.merge(partials).equals(evaluator.merge(evaluator.evaluate(events)))


def test_g30_edges_quadruple_with_twice_the_events() -> None:
    """A graph of n a's has n (n - 1) / 2 edges. A sum for each state needs no edges; a comparison needs a tree."""
    for n in (10, 20, 40):
        [edges] = counts("SEQ(A, A)", stream(" ".join(f"a{i}" for i in range(n))), "WITHIN 1000")
        assert edges == n * (n - 1) // 2
    cost = {
        where: " ".join(cep.explain(f"RETURN COUNT(*) PATTERN A+ {where} WITHIN 9").to_dict()["algorithm"])
        for where in ("", "WHERE A.x < NEXT(A).x")
    }
    assert "O(n)" in cost[""]
    assert "O(n log n)" in cost["WHERE A.x < NEXT(A).x"]


def test_g31_trends_of_fixed_length() -> None:
    """Three steps of three events each, one after another: 27 trends with 27 * 3 occurrences."""
    events = stream("a1 a2 a3 b4 b5 b6 c7 c8 c9")
    [row] = rows("RETURN COUNT(*), COUNT(A), COUNT(C) PATTERN SEQ(A, B, C) WITHIN 100", events)
    assert (row["count"], row["count_A"], row["count_C"]) == (27, 27, 27)


@pytest.mark.skipif(not RUNNER.exists(), reason="the conformance suites are not beside the repository")
@pytest.mark.skipif(not KNOWS_FILTERS, reason="their runner needs Python 3.11.4")
def test_g31_counts_of_other_systems(tmp_path: Path) -> None:
    """SASE's streams ds500 (117) and te10 (462), and every other count that a suite states for a window over a log."""
    report = tmp_path / "report.json"
    command = [sys.executable, RUNNER, "sase_umass", "flink_cep", "--filter", "aggregate", "--json", report]
    command += ["--cache", tmp_path, "--timeout", "300", "--jobs", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([*map(str, command)], cwd=ROOT, env=environment, check=False, capture_output=True)
    cases = json.loads(report.read_text())["cases"]
    assert [case["detail"] for case in cases if case["status"] in ("failed", "error")] == []
    assert sum(case["status"] == "passed" for case in cases) >= 13
