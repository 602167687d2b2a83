"""Trend aggregation, measured in one run: `python benchmarks/trends.py`.

Events a CPU-second of one core for each kernel, the cost of more windows over an event, and the ratio to the paper's
own algorithm (GRETA, Algorithm 2: every edge of the graph visited), whose answer is compared on the way. Times are the
least of three runs in process time, after the kernels are compiled. No assertion on time.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import njit
from trend_relations import RELATIONS, forms, scale

import cep_core as cep
from cep_core.trends.counting import count_windows
from cep_core.trends.exact import count_exactly
from cep_core.trends.graph import (
    NOTHING,
    Automaton,
    Comparisons,
    Vertices,
    automaton,
    no_comparisons,
    no_cuts,
    no_limits,
    no_others,
)
from cep_core.trends.integers import Integers
from cep_core.trends.lanes import count_overlapping_windows
from cep_core.trends.limbs import limbs_of
from cep_core.trends.meeting import meet_windows
from cep_core.trends.ranked import count_compared_windows
from cep_core.trends.ranks import compare
from cep_core.trends.two_states import BEGIN
from cep_core.trends.uncompared import count_by_panes, count_by_two_states
from cep_core.trends.windows import Windows, list_windows

Ints = npt.NDArray[np.int64]
Row = tuple[str, float, str]

TEMPLATES = {
    "A+": automaton(1, [0], [0], [(0, 0)]),
    "(SEQ(A+, B))+": automaton(2, [0], [1], [(0, 0), (0, 1), (1, 0)]),
}
NO_MINIMA = np.zeros((1, 0), dtype=np.int64)


@njit(cache=True)
def greta(price: Ints, counts: Ints) -> int:
    """GRETA's Algorithm 2 for S+ with S.price > NEXT(S).price over distinct times: every predecessor, one by one."""
    final = 0
    for i in range(price.shape[0]):
        count = 1
        for j in range(i):
            if price[j] > price[i]:
                count += counts[j]
        counts[i] = count
        final += count
    return final


def seconds(run: Callable[[], object]) -> float:
    """Least process time of three runs, after one that compiles."""
    run()
    best = math.inf
    for _ in range(3):
        begin = time.process_time()
        run()
        best = min(best, time.process_time() - begin)
    return max(best, 1e-9)


def stream(n: int, states: int, sums: int = 0) -> Vertices:
    """n vertices, one a second, each of one random state; weights and codes of the first state."""
    random = np.random.default_rng(n)
    return Vertices(
        tick=np.arange(n),
        states=np.uint64(1) << random.integers(0, states, n).astype(np.uint64),
        weights=random.integers(0, 99, (n, sums)),
        weighted=np.ones(sums, dtype=np.uint64),
        codes=random.integers(-99, 99, (n, sums)),
        coded=np.ones(sums, dtype=np.uint64),
    )


def count(template: Automaton, vertices: Vertices, windows: Windows, size: int, slide: int, *, meet: bool) -> None:
    """One of the two kernels for edges without a comparison."""
    ranges = len(windows.first)
    totals = np.zeros((ranges, 1 + vertices.weights.shape[1]), dtype=np.int64)
    minima = np.full((ranges, vertices.codes.shape[1]), NOTHING)
    flags = np.zeros(ranges, dtype=np.bool_)
    if meet and len(template.start) <= BEGIN:
        partition = np.zeros(ranges, dtype=np.int64)
        count_by_panes(template, vertices, windows.first, windows.last, partition, totals, minima, flags)
    elif meet:
        moment = -(-windows.index[windows.opener] * slide // size) * size
        middle = np.searchsorted(vertices.tick, moment)
        meet_windows(template, vertices, windows.first, middle, windows.last, moment, totals, minima, flags)
    elif len(template.start) <= BEGIN:
        nothing = no_comparisons(len(vertices.tick), 1)
        count_by_two_states(template, nothing, vertices, windows.first, windows.last, totals, minima, flags)
    else:
        nothing = no_comparisons(len(vertices.tick), 1)
        count_windows(template, nothing, vertices, no_limits(), windows.first, windows.last, totals, minima, flags)


def tumbling(n: int = 2_000_000) -> Iterator[Row]:
    """One window after another; 40 events each, so that no count outgrows a word."""
    for name, template in TEMPLATES.items():
        for sums, what in ((0, "COUNT(*)"), (2, "COUNT, 2 sums, 2 extremes")):
            vertices = stream(n, len(template.start), sums)
            windows = list_windows(vertices.tick, np.array([0, n]), 40, 40)
            spent = seconds(lambda v=vertices, t=template, w=windows: count(t, v, w, 40, 40, meet=False))
            yield f"tumbling, {name}, {what}", n / spent / 1e6, "M events/s"


def sliding(n: int = 2_000_000) -> Iterator[Row]:
    """Windows that meet: the same cost from 10 to 1000 windows over an event."""
    template = TEMPLATES["(SEQ(A+, B))+"]
    for sums, what in ((0, "COUNT(*)"), (2, "COUNT, 2 sums, 2 extremes")):
        vertices = stream(n, 2, sums)
        for overlap in (1, 10, 60, 100, 1000):
            for slide in (1000, 100, 10) if overlap > 1 else (1000,):
                windows = list_windows(vertices.tick, np.array([0, n]), overlap * slide, slide)
                spent = seconds(
                    lambda w=windows, s=slide, k=overlap, v=vertices: count(template, v, w, k * s, s, meet=True)
                )
                label = f"sliding, (SEQ(A+, B))+, {what}, {overlap} windows over an event, {slide} events a slide"
                yield label, n / spent / 1e6, "M events/s"


def negated(sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)) -> Iterator[Row]:
    """Negation from table to table: paper 03's nested one in short windows, a sequence in one window that grows."""

    def events(n: int, types: str) -> pa.Table:
        kinds = pa.array(np.random.default_rng(n).integers(0, len(types), n).astype(np.int8))
        names = pa.DictionaryArray.from_arrays(kinds, pa.array(list(types)))
        return pa.table({"event_type": names, "ts": np.arange(n), "seq": np.arange(n)})

    n = sizes[-1]
    log = events(n, "AABBCDE")
    for pattern in ("(SEQ(A+, B))+", "(SEQ(A+, NOT SEQ(C, NOT E, D), B))+", "SEQ(NOT E, A+)", "SEQ(A+, NOT E)"):
        query = f"RETURN COUNT(*) PATTERN {pattern} WITHIN 40"
        spent = seconds(lambda q=query, x=log: cep.aggregate(q, x))
        yield f"table to table, tumbling, {pattern}", n / spent / 1e6, "M events/s"
    times = []
    for size in sizes:
        query = f"RETURN COUNT(*) PATTERN SEQ(A, NOT SEQ(C, D), B) WITHIN {size}"
        log = events(size, "AAAABBBBCD")
        times.append(seconds(lambda q=query, x=log: cep.aggregate(q, x)))
        yield (
            f"table to table, SEQ(A, NOT SEQ(C, D), B), {size:,} events in a window",
            size / times[-1] / 1e6,
            "M events/s",
        )
    yield "growth exponent of a negated sequence", exponent(sizes[1:], times[1:]), ""


def compared(sizes: tuple[int, ...] = (1_000, 10_000, 100_000), beyond: int = 1_000_000) -> Iterator[Row]:
    """S.price > NEXT(S).price in one window: the Fenwick tree against every edge, and how both grow."""
    template = automaton(1, [0], [0], [])
    spent: dict[str, list[float]] = {"ranked": [], "edges": []}
    for n in (*sizes, beyond):
        vertices = stream(n, 1)
        # prices rise, but for local drops: few enough trends for a word, at any n
        price = np.arange(n) * 100 + np.random.default_rng(n).integers(0, 800, n)
        order = np.unique(-price, return_inverse=True)[1].astype(np.int32)[:, np.newaxis]
        edge = Comparisons(
            np.array([0]),
            np.array([0]),
            np.array([False]),
            order + 1,
            order,
            np.array([int(order.max()) + 1]),
            *no_others(1, n),
            np.array([False]),
            no_cuts(),
        )
        one = (np.array([0]), np.array([n]), np.array([0]))
        totals, flags = np.zeros((1, 1), dtype=np.int64), np.zeros(1, dtype=np.bool_)

        def ranked(v=vertices, e=edge, o=one, t=totals, f=flags) -> None:
            t[:] = 0
            count_compared_windows(template, e, v, no_limits(), *o, t, NO_MINIMA, f)

        spent["ranked"].append(seconds(ranked))
        yield f"compared, {n:,} events in a window", n / spent["ranked"][-1] / 1e6, "M events/s"
        if n in sizes:
            counts = np.zeros(n, dtype=np.int64)
            assert greta(price, counts) == totals[0, 0]
            assert not flags[0]
            spent["edges"].append(seconds(lambda p=price, c=counts: greta(p, c)))
            ratio = spent["edges"][-1] / spent["ranked"][-1]
            yield f"compared, {n:,} events in a window, times faster than every edge", ratio, "x"
    yield "compared, growth exponent of the tree", exponent((*sizes, beyond), spent["ranked"]), ""
    yield "compared, growth exponent of every edge", exponent(sizes, spent["edges"]), ""


def compared_sliding(n: int = 225_000, overlap: int = 60) -> Iterator[Row]:
    """The same comparison, windows side by side in each cell against one by one; no count outgrows a word."""
    template = automaton(1, [0], [0], [])
    vertices = stream(n, 1)
    price = pa.array(np.arange(n) * 10 + np.random.default_rng(n).integers(0, 80, n))
    comparisons = compare([(0, 0, [(">", price, price)])], vertices.states, np.zeros(n, dtype=np.int64), 1)
    for size in (600, 6_000):
        windows = list_windows(vertices.tick, np.array([0, n]), size, size // overlap)
        where = np.zeros(len(windows.first), dtype=np.int64)
        found = []
        for kernel, name in ((count_overlapping_windows, "side by side"), (count_compared_windows, "one by one")):
            totals = np.zeros((len(windows.first), 1), dtype=np.int64)
            minima = np.zeros((len(windows.first), 0), dtype=np.int64)
            flags = np.zeros(len(windows.first), dtype=np.bool_)

            def run(k=kernel, w=windows, t=totals, m=minima, f=flags, p=where) -> None:
                t[:] = 0
                k(template, comparisons, vertices, no_limits(), w.first, w.last, p, t, m, f)

            spent = seconds(run)
            found.append(totals)
            yield f"compared, {overlap} windows of {size} events, {name}", n / spent / 1e6, "M events/s"
        assert (found[0] == found[1]).all()
        assert not flags.any()


def exponent(sizes: tuple[int, ...], spent: list[float]) -> float:
    """The slope of time over size, both logarithmic."""
    return float(np.polyfit(np.log(sizes), np.log(spent), 1)[0])


def exact(n: int = 200_000) -> Iterator[Row]:
    """Windows that outgrow a word: 2000 events, counts of some 2000 bits."""
    for name, template in TEMPLATES.items():
        vertices = stream(n, len(template.start))
        windows = list_windows(vertices.tick, np.array([0, n]), 2000, 2000)
        where = np.zeros(len(windows.first), dtype=np.int64)
        minima = np.zeros((len(windows.first), 0), dtype=np.int64)
        nothing = no_comparisons(n, 1)
        limbs = limbs_of(vertices.weights)

        def run(t=template, v=vertices, w=windows, p=where, m=minima, c=nothing, x=limbs) -> list[Integers]:
            return count_exactly(t, c, v, x, no_limits(), w.first, w.last, p, m)

        bits = max(number.bit_length() for number in run()[0].to_list())
        yield f"exact, {name}, counts of {bits} bits", n / seconds(run) / 1e6, "M events/s"


def whole_query(n: int = 200_000) -> Iterator[Row]:
    """GRETA's Q1 from an Arrow table to an Arrow table: ten companies' random walks, 60 windows over an event."""
    random = np.random.default_rng(1)
    company = random.integers(0, 10, n)
    price = np.zeros(n, dtype=np.int64)
    for one in range(10):
        rows = np.flatnonzero(company == one)
        price[rows] = 10_000 + np.cumsum(random.integers(-1, 2, len(rows)))
    events = pa.table(
        {
            "event_type": pa.array(["Stock"] * n).dictionary_encode(),
            "ts": np.sort(random.integers(0, 23_400, n)),
            "company": company,
            "price": price,
        }
    )
    query = """RETURN company, COUNT(*) PATTERN Stock S+ WHERE [company] AND S.price > NEXT(S).price
               GROUP-BY company WITHIN 10 minutes SLIDE 10 seconds"""
    spent = seconds(lambda: cep.aggregate(query, events))
    yield "GRETA's Q1, table to table, exact, 60 windows over an event", n / spent / 1e6, "M events/s"


def several(sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)) -> Iterator[Row]:
    """Two comparisons on an edge, divided and conquered, and three, pair by pair; how both grow."""
    for count, largest in ((2, sizes[-1]), (3, sizes[-3])):
        spent = []
        used = tuple(n for n in sizes if n <= largest)
        for n in used:
            random = np.random.default_rng(n)
            vertices = stream(n, 1)
            prices = [pa.array(np.arange(n) * 100 + random.integers(0, 800, n)) for _ in range(count)]
            where = np.zeros(n, dtype=np.int64)
            edge = compare([(0, 0, [(">", price, price) for price in prices])], vertices.states, where, 1)
            totals, flags = np.zeros((1, 1), dtype=np.int64), np.zeros(1, dtype=np.bool_)
            one = (np.array([0]), np.array([n]), np.array([0]))

            def run(v=vertices, e=edge, o=one, t=totals, f=flags) -> None:
                t[:] = 0
                count_overlapping_windows(automaton(1, [0], [0], []), e, v, no_limits(), *o, t, NO_MINIMA, f)

            spent.append(seconds(run))
            yield f"{count} comparisons, {n:,} events in a window", n / spent[-1] / 1e6, "M events/s"
        yield f"{count} comparisons, growth exponent", exponent(used, spent), ""


def nested_negation(n: int = 2_000_000) -> Iterator[Row]:
    """(SEQ(A+, NOT SEQ(C, NOT E, D), B))+ of paper 03, the kernel alone: where A -> B is cut is found before."""
    kinds = np.random.default_rng(n).integers(0, 5, n)
    last_c, last_e = (np.maximum.accumulate(np.where(kinds == kind, np.arange(n), -1)) for kind in (2, 4))
    cut_at = np.maximum.accumulate(np.where((kinds == 3) & (last_c > last_e), last_c, 0))
    since = np.concatenate([[0], cut_at[:-1]])[np.newaxis]
    states = np.array([1, 2, 0, 0, 0], dtype=np.uint64)[kinds]
    vertices = stream(n, 2)._replace(states=states)
    ones = np.ones((n, 1), dtype=np.int32)
    edge = (np.array([0]), np.array([1]), np.array([False]), ones, ones, np.array([1]))
    comparisons = Comparisons(*edge, *no_others(1, n), np.array([True]), since)
    template = automaton(2, [0], [1], [(0, 0), (1, 0)])
    windows = list_windows(vertices.tick, np.array([0, n]), 40, 40)
    found = []
    for kernel, name in ((count_by_two_states, "two states"), (count_windows, "any states")):
        totals, flags = np.zeros((len(windows.first), 1), np.int64), np.zeros(len(windows.first), np.bool_)
        minima = np.zeros((len(windows.first), 0), np.int64)
        given = (windows.first, windows.last, totals, minima, flags)

        def run(k=kernel, g=given) -> None:
            limits = () if k is count_by_two_states else (no_limits(),)
            k(template, comparisons, vertices, *limits, *g)

        spent = seconds(run)
        found.append(totals)
        yield f"tumbling, nested negation, kernel for {name}", n / spent / 1e6, "M events/s"
    assert (found[0] == found[1]).all()


def main() -> None:
    """Print every measurement; `python benchmarks/trends.py [FOLDER]` draws the relations there (docs/pictures)."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "docs" / "pictures"
    for part in (tumbling, sliding, nested_negation, negated, compared, compared_sliding, several, exact, whole_query):
        for label, number, unit in part():
            print(f"{label:<75} {number:>12,.2f} {unit}", flush=True)
    for relation in RELATIONS:
        for line in relation(folder):
            print(line, flush=True)
    for part in (forms, scale):
        for line in part():
            print(line, flush=True)


if __name__ == "__main__":
    main()
