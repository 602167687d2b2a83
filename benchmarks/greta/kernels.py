"""The kernels of trend aggregation, each alone: events per CPU-second of one core, with arrays already built.

It measures how cost grows with the windows over an event and with the events in a window. It also measures the ratio to
the paper's own algorithm (GRETA, Algorithm 2), and compares the answers.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from greta.measures import Row, exponent, seconds
from greta.ways import every_edge

from cep_core.numbers.integers import Integers
from cep_core.numbers.limb_words import limbs_of
from cep_core.trends.arrays.graph import Comparisons, Graph, Vertices, free_graph, no_limits, no_others
from cep_core.trends.arrays.ranges import Ranges, no_numbers
from cep_core.trends.arrays.ranks import compare
from cep_core.trends.arrays.window_vertices import Windows, list_windows
from cep_core.trends.choice.exact import count_exactly
from cep_core.trends.choice.uncompared import count_by_panes, count_by_two_states
from cep_core.trends.kernels.meeting_points import MeetingPoints, meet_windows
from cep_core.trends.kernels.ranked import count_compared_windows
from cep_core.trends.kernels.ring import count_overlapping_windows
from cep_core.trends.kernels.two_states import BEGIN
from cep_core.trends.kernels.window_sums import count_windows
from cep_core.trends.plan.state_arrays import StateArrays, automaton

TEMPLATES = {
    "A+": automaton(1, [0], [0], [(0, 0)]),
    "(SEQ(A+, B))+": automaton(2, [0], [1], [(0, 0), (0, 1), (1, 0)]),
}
LARGER_TEMPLATES = {
    "SEQ(A+, B, C+)": automaton(3, [0], [2], [(0, 0), (0, 1), (1, 2), (2, 2)]),
    "(SEQ(A+, B, C))+": automaton(3, [0], [2], [(0, 0), (0, 1), (1, 2), (2, 0)]),
    "(SEQ(A+, B+, C+, D+))+": automaton(4, [0], [3], [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (3, 0)]),
}
SPREAD = 1.1
"""The target for how much the cost of a sliding COUNT(*) may vary, from 1 to 1000 windows over an event."""


def stream(n: int, states: int, sums: int = 0) -> Vertices:
    """n vertices, one each second, each of one random state. Weights and codes are of the first state."""
    random = np.random.default_rng(n)
    return Vertices(
        tick=np.arange(n),
        states=np.uint64(1) << random.integers(0, states, n).astype(np.uint64),
        weights=random.integers(0, 99, (n, sums)),
        weighted=np.ones(sums, dtype=np.uint64),
        codes=random.integers(-99, 99, (n, sums)),
        coded=np.ones(sums, dtype=np.uint64),
    )


def count(template: StateArrays, vertices: Vertices, windows: Windows, size: int, slide: int, *, meet: bool) -> None:
    """One of the two kernels for edges without a comparison."""
    graph, numbers = free_graph(template, vertices), no_numbers(vertices, len(windows.first))
    if meet and len(template.start) <= BEGIN:
        count_by_panes(graph, windows.ranges, numbers)
    elif meet:
        moment = -(-windows.index[windows.opener] * slide // size) * size
        points = MeetingPoints(np.searchsorted(vertices.tick, moment), moment)
        meet_windows(graph, windows.ranges, points, numbers)
    elif len(template.start) <= BEGIN:
        count_by_two_states(graph, windows.ranges, numbers)
    else:
        count_windows(graph, windows.ranges, numbers)


def tumbling(n: int = 2_000_000) -> Iterator[Row]:
    """One window after another, of 40 events each, so that no count outgrows a word."""
    for name, template in (TEMPLATES | LARGER_TEMPLATES).items():
        small = name in TEMPLATES
        for sums, what in ((0, "COUNT(*)"), (2, "COUNT, 2 sums, 2 extremes")):
            vertices = stream(n, len(template.start), sums)
            windows = list_windows(vertices.tick, np.array([0, n]), 40, 40)
            spent = seconds(lambda v=vertices, t=template, w=windows: count(t, v, w, 40, 40, meet=False))
            bar = (90 if sums else 130) if small else (None if sums else 40)
            yield Row(f"tumbling, {name}, {what}", n / spent / 1e6, bar=bar)


def sliding(n: int = 2_000_000) -> Iterator[Row]:
    """Overlapping windows: the cost should be the same from 1 to 1000 windows over an event."""
    template = TEMPLATES["(SEQ(A+, B))+"]
    for sums, what in ((0, "COUNT(*)"), (2, "COUNT, 2 sums, 2 extremes")):
        vertices = stream(n, 2, sums)
        rates = []
        for overlap in (1, 10, 60, 100, 1000):
            for slide in (1000, 100, 10) if overlap > 1 else (1000,):
                windows = list_windows(vertices.tick, np.array([0, n]), overlap * slide, slide)
                spent = seconds(
                    lambda w=windows, s=slide, k=overlap, v=vertices: count(template, v, w, k * s, s, meet=True), 5
                )
                label = f"sliding, (SEQ(A+, B))+, {what}, {overlap} windows over an event, {slide} events a slide"
                bar = None if slide < 1000 else 17 if sums else 130
                rates += [n / spent / 1e6] if slide == 1000 else []
                yield Row(label, n / spent / 1e6, bar=bar)
        if not sums:
            label = "sliding, (SEQ(A+, B))+, COUNT(*), slowest to fastest of 1 to 1000 windows over an event"
            yield Row(label, 100 * (max(rates) / min(rates) - 1), "%", 100 * (SPREAD - 1))


def nested_negation(n: int = 2_000_000) -> Iterator[Row]:
    """(SEQ(A+, NOT SEQ(C, NOT E, D), B))+ of paper 03, the kernel alone: the cuts of A -> B are computed before."""
    kinds = np.random.default_rng(n).integers(0, 5, n)
    last_c, last_e = (np.maximum.accumulate(np.where(kinds == kind, np.arange(n), -1)) for kind in (2, 4))
    cut_at = np.maximum.accumulate(np.where((kinds == 3) & (last_c > last_e), last_c, 0))
    since = np.concatenate([[0], cut_at[:-1]])[np.newaxis]
    states = np.array([1, 2, 0, 0, 0], dtype=np.uint64)[kinds]
    vertices = stream(n, 2)._replace(states=states)
    single = np.ones((n, 1), dtype=np.int32)
    edge = (np.array([0]), np.array([1]), np.array([False]), single, single, np.array([1]))
    comparisons = Comparisons(*edge, *no_others(1, n), np.array([True]), since)
    template = automaton(2, [0], [1], [(0, 0), (1, 0)])
    windows = list_windows(vertices.tick, np.array([0, n]), 40, 40)
    totals = []
    graph = Graph(template, comparisons, vertices, no_limits())
    for kernel, name in ((count_by_two_states, "two states"), (count_windows, "any states")):
        numbers = no_numbers(vertices, len(windows.first))

        def run(k=kernel, numbers=numbers) -> None:
            numbers.totals[:] = 0
            k(graph, windows.ranges, numbers)

        spent = seconds(run)
        totals.append(numbers.totals)
        yield Row(
            f"tumbling, nested negation, kernel for {name}", n / spent / 1e6, bar=150 if name == "two states" else None
        )
    assert (totals[0] == totals[1]).all()


def compared(sizes: tuple[int, ...] = (1_000, 10_000, 100_000), beyond: int = 1_000_000) -> Iterator[Row]:
    """S.price > NEXT(S).price in one window: the Fenwick tree against visiting every edge, and how both grow."""
    template = automaton(1, [0], [0], [])
    trees: list[float] = []
    edges: list[float] = []
    for n in (*sizes, beyond):
        vertices = stream(n, 1)
        # Prices rise, except for local drops, so at any n there are few enough trends for a word.
        price = np.arange(n) * 100 + np.random.default_rng(n).integers(0, 800, n)
        column, where = pa.array(price), np.zeros(n, dtype=np.int64)
        ranking = seconds(lambda p=column, v=vertices, w=where: compare([(0, 0, [(">", p, p)])], v.states, w, 1))
        edge = compare([(0, 0, [(">", column, column)])], vertices.states, where, 1)
        graph = Graph(template, edge, vertices, no_limits())
        window, numbers = Ranges(np.array([0]), np.array([n]), np.array([0])), no_numbers(vertices, 1)

        def ranked(graph=graph, window=window, numbers=numbers) -> None:
            numbers.totals[:] = 0
            count_compared_windows(graph, window, numbers)

        trees.append(seconds(ranked))
        label = f"compared, {n:,} events in a window"
        yield Row(f"{label}, ranks given", n / trees[-1] / 1e6, bar=25 if n == 100_000 else None)
        yield Row(f"{label}, ranking included", n / (trees[-1] + ranking) / 1e6, bar=5 if n == beyond else None)
        assert not numbers.overflowed[0]
        if n in sizes:
            counts = np.zeros(n, dtype=np.int64)
            assert every_edge(price, 1.0, False, counts) == numbers.totals[0, 0]
            edges.append(seconds(lambda p=price, c=counts: every_edge(p, 1.0, False, c)))
            yield Row(f"{label}, times faster than every edge", edges[-1] / trees[-1], "x")
    yield Row("compared, growth exponent of the tree", exponent((*sizes, beyond), trees), "")
    yield Row("compared, growth exponent of every edge", exponent(sizes, edges), "")


def compared_sliding(n: int = 225_000, overlap: int = 60) -> Iterator[Row]:
    """The same comparison with windows counted side by side, and one by one. No count outgrows a word."""
    template = automaton(1, [0], [0], [])
    vertices = stream(n, 1)
    random = np.random.default_rng(n)
    distinct, ticks = np.arange(n) * 10 + random.integers(0, 80, n), np.arange(n) // 30 + random.integers(0, 3, n)
    for values, name, bar in ((distinct, "all values different", 0.3), (ticks, "one value for 30 events", 6)):
        price = pa.array(values)
        comparisons = compare([(0, 0, [(">", price, price)])], vertices.states, np.zeros(n, dtype=np.int64), 1)
        for size in (600, 6_000):
            windows = list_windows(vertices.tick, np.array([0, n]), size, size // overlap)
            graph = Graph(template, comparisons, vertices, no_limits())
            side_by_side, in_turn = (no_numbers(vertices, len(windows.first)) for _ in range(2))

            def ring(graph=graph, ranges=windows.ranges, numbers=side_by_side) -> None:
                count_overlapping_windows(graph, ranges, numbers)

            def apart(graph=graph, ranges=windows.ranges, numbers=in_turn) -> None:
                numbers.totals[:] = 0
                count_compared_windows(graph, ranges, numbers)

            def exact(graph=graph, ranges=windows.ranges, minima=in_turn.minima) -> list[Integers]:
                return count_exactly(graph, limbs_of(graph.vertices.weights), ranges, minima)

            label = f"compared, {overlap} windows of {size:,} events, {name}"
            yield Row(f"{label}, side by side in a ring", n / seconds(ring) / 1e6, bar=bar)
            yield Row(f"{label}, one by one", n / seconds(apart) / 1e6)
            yield Row(f"{label}, by the walk of any numbers", n / seconds(exact) / 1e6)
            assert not side_by_side.overflowed.any()
            assert not in_turn.overflowed.any()
            assert exact()[0].to_list() == side_by_side.totals[:, 0].tolist() == in_turn.totals[:, 0].tolist()


def several(sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)) -> Iterator[Row]:
    """Two comparisons on an edge by divide and conquer, three comparisons pair by pair, and how both grow."""
    for number, largest in ((2, sizes[-1]), (3, sizes[-3])):
        spent = []
        used = tuple(n for n in sizes if n <= largest)
        for n in used:
            random = np.random.default_rng(n)
            vertices = stream(n, 1)
            prices = [pa.array(np.arange(n) * 100 + random.integers(0, 800, n)) for _ in range(number)]
            where = np.zeros(n, dtype=np.int64)
            edge = compare([(0, 0, [(">", price, price) for price in prices])], vertices.states, where, 1)
            graph = Graph(automaton(1, [0], [0], []), edge, vertices, no_limits())
            window, minima = Ranges(np.array([0]), np.array([n]), np.array([0])), np.zeros((1, 0), dtype=np.int64)

            def run(graph=graph, window=window, minima=minima) -> list[Integers]:
                return count_exactly(graph, limbs_of(graph.vertices.weights), window, minima)

            spent.append(seconds(run))
            yield Row(f"{number} comparisons, {n:,} events in a window", n / spent[-1] / 1e6)
        yield Row(f"{number} comparisons, growth exponent", exponent(used, spent), "")


def exact(n: int = 200_000) -> Iterator[Row]:
    """Windows whose counts outgrow a word: 2000 events, counts of about 2000 bits."""
    for name, template in TEMPLATES.items():
        vertices = stream(n, len(template.start))
        windows = list_windows(vertices.tick, np.array([0, n]), 2000, 2000)
        graph = free_graph(template, vertices)
        minima = np.zeros((len(windows.first), 0), dtype=np.int64)
        limbs = limbs_of(vertices.weights)

        def run(graph=graph, ranges=windows.ranges, minima=minima, limbs=limbs) -> list[Integers]:
            return count_exactly(graph, limbs, ranges, minima)

        bits = max(number.bit_length() for number in run()[0].to_list())
        yield Row(f"exact, {name}, windows of 2,000 events, counts of {bits:,} bits", n / seconds(run) / 1e6, bar=4)


KERNELS = (tumbling, sliding, nested_negation, compared, compared_sliding, several, exact)
