"""Worked numbers of matches: compact rows that stand for many, numbers beyond 64 bits and doubles, cut listings."""

from __future__ import annotations

import random

import pytest

import cep_core as cep
from cep_core.compile import compile_query
from cep_core.events.table import log_schema_of, order
from cep_core.language.evaluator import Ownership
from tests.matching.examples.letters import log, total


def test_k17_k20_one_compact_row_stands_for_seven_matches() -> None:
    """Fig. 4's shape: three rising values give 2^3 - 1 matches, one compact row that holds them all."""
    query = "PATTERN SEQ(A a, B+ b[], C c) WHERE [task] AND b[i].val >= b[i-1].val WITHIN 100"
    events = log("ABBBC", val=[0, 1, 2, 3, 0], task=[7] * 5)
    assert cep.match(query, events).num_rows == 7
    row = cep.match(query, events, collapsed=True).to_pylist()
    assert [(r["match_count"], r["b"], r["last_seq"]) for r in row] == [(7, [1, 2, 3], 4)]


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


def test_compact_rows_under_a_test_of_whole_matches() -> None:
    """Last events whose matches all fail have no row; the others count what is left."""
    query = "PATTERN SEQ(A a, B+ b[]) WHERE sum(b[].x) = 3 WITHIN 10"
    rows = cep.match(query, log("ABBB", x=[0, 1, 2, 3]), collapsed=True).to_pylist()
    assert [(row["last_seq"], row["match_count"], row["b"]) for row in rows] == [(2, 1, [1, 2]), (3, 1, [3])]
