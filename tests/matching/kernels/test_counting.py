"""Counts over long windows, through trees and past 64 bits, against the recurrence in plain integers."""

from __future__ import annotations

import numpy as np
import pytest

from cep_core.candidates.keys import NULL_KEY
from cep_core.language.errors import Position
from cep_core.language.patterns.automata.automaton import Automaton, automaton_of
from cep_core.language.patterns.tree import Kleene, Sequence, Unit
from cep_core.matching.arrays.network import LONG, Network, ends_at, network_of, with_places
from cep_core.matching.kernels.counting import count_matches

AT = Position(1, 1)
A_BS_C = automaton_of(
    Sequence((Unit("A", "a", AT), Kleene(Unit("B", "b", AT), 1, None, AT), Unit("C", "c", AT)), AT),
)
COMPARE = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__, "=": int.__eq__, "!=": int.__ne__}


def plain_counts(network: Network, lows: np.ndarray) -> list[int]:
    """For each row the number of paths that end there, by the recurrence, in Python's integers."""
    m, states = network.fits.shape
    into: dict[int, list[int]] = {t: [] for t in range(states)}
    for s in range(states):
        for edge in range(network.begin[s], network.begin[s + 1]):
            into[int(network.target[edge])].append(edge)
    source = np.repeat(np.arange(states), np.diff(network.begin))
    operators = dict(enumerate(["=", "!=", "<", "<=", ">", ">="]))

    def follows(edge: int, i: int, j: int) -> bool:
        sides = [
            (int(network.left[c, i]), int(network.right[c, j]), operators[int(network.operator[c])])
            for c in range(network.condition[edge], network.condition[edge + 1])
        ]
        return network.tick[i] < network.tick[j] and all(
            NULL_KEY not in (left, right) and COMPARE[operator](left, right) for left, right, operator in sides
        )

    totals = []
    for end in range(m):
        ways: dict[tuple[int, int], int] = {}
        for row in range(lows[end], end + 1):
            for s in range(states):
                if network.fits[row, s]:
                    ways[row, s] = int(network.starts[row, s]) + sum(
                        ways.get((i, int(source[edge])), 0)
                        for edge in into[s]
                        for i in range(lows[end], row)
                        if follows(edge, i, row)
                    )
        totals.append(sum(ways.get((end, s), 0) for s in range(states) if network.accepts[end, s]))
    return totals


def random_network(seed: int, m: int, automaton: Automaton, operators: dict[tuple[int, int], list[str]]) -> Network:
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, m)

    def value() -> np.ndarray:
        return np.where(rng.random(m) < 0.05, NULL_KEY, rng.integers(0, 12, m))

    comparisons = {pair: [(name, value(), value()) for name in names] for pair, names in operators.items()}
    fits = kind[:, None] == np.arange(3)[None, :]
    network = network_of(np.sort(rng.integers(0, m, m)), fits, automaton, comparisons)
    return with_places(network, np.array([0, m]))


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "=", "!="])
def test_long_windows_with_one_comparison(operator: str) -> None:
    """A window longer than LONG counts as the recurrence does, NULLs and ties included."""
    network = random_network(1, LONG + 40, A_BS_C, {(0, 1): [operator], (1, 1): [operator]})
    lows = np.maximum(np.arange(LONG + 40) - LONG - 20, 0)
    counts, large = count_matches(network, ends_at(np.arange(LONG + 40), lows))
    expected = plain_counts(network, lows)
    assert [large.get(k, count) for k, count in enumerate(counts.tolist())] == expected
    assert max(expected) > 0


def test_two_comparisons_on_one_edge() -> None:
    """Every comparison of an edge must hold."""
    network = random_network(2, LONG + 10, A_BS_C, {(1, 1): ["<", ">="], (1, 2): ["!="]})
    lows = np.zeros(LONG + 10, np.int64)
    counts, large = count_matches(network, ends_at(np.arange(LONG + 10), lows))
    assert [large.get(k, count) for k, count in enumerate(counts.tolist())] == plain_counts(network, lows)


def test_counts_of_any_size() -> None:
    """A+ over n events in order has 2**k trends that end at the k-th: exact far beyond 64 and 128 bits."""
    n = 300
    closure = automaton_of(Kleene(Unit("A", "a", AT), 1, None, AT))
    network = network_of(np.arange(n), np.ones((n, 1), np.bool_), closure, {})
    counts, large = count_matches(network, ends_at(np.arange(n), np.zeros(n, np.int64)))
    assert [large.get(k, count) for k, count in enumerate(counts.tolist())] == [2**k for k in range(n)]


def test_small_counts_beside_large_ones() -> None:
    """Walks left out after large counts come back exact: small ones small, those past 2**61 and 2**100 to the digit."""
    n = 400
    closure = automaton_of(Kleene(Unit("A", "a", AT), 1, None, AT))
    network = network_of(np.arange(n), np.ones((n, 1), np.bool_), closure, {})
    lows = np.where(np.arange(n) < 120, 0, np.arange(n) - np.arange(n) % 7)
    counts, large = count_matches(network, ends_at(np.arange(n), lows))
    expected = [2 ** (k - int(low)) for k, low in enumerate(lows)]
    assert [large.get(k, count) for k, count in enumerate(counts.tolist())] == expected
    assert sorted(large) == list(range(61, 120))


def test_large_counts_through_trees() -> None:
    """Rising values: every subset of the b's is a chain, so that floats and remainders meet in Fenwick trees."""
    n = LONG + 60
    kinds = np.array([0, *[1] * (n - 2), 2])
    x = np.arange(n)
    offsets = np.array([0, n])
    network = network_of(x, kinds[:, None] == np.arange(3)[None, :], A_BS_C, {(1, 1): [("<", x, x)]})
    network = with_places(network, offsets)
    _, large = count_matches(network, ends_at(np.array([n - 1]), np.array([0])))
    assert large == {0: 2 ** (n - 2) - 1}
    network = network_of(x, kinds[:, None] == np.arange(3)[None, :], A_BS_C, {(1, 1): [("<", x // 2, x // 2)]})
    network = with_places(network, offsets)
    _, large = count_matches(network, ends_at(np.array([n - 1]), np.array([0])))
    assert large == {0: plain_counts(network, np.zeros(n, np.int64))[-1]}
