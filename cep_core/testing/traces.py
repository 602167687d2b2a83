"""Small traces of propositional logs, written as lists, and a Hypothesis strategy of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from itertools import accumulate

import numpy as np
from hypothesis import strategies as st

from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.testing.choice import chosen
from cep_core.testing.propositional_formulas import ATOMS

Points = Sequence[tuple[int, Collection[str]]]
"""The stamp of each point, and the atoms that hold there."""


def trace_of_points(*logs: Points, atoms: Sequence[str] = ATOMS) -> Trace:
    """The trace of some sub-logs. A text is the collection of its letters.

    >>> trace = trace_of_points([(3, "p"), (3, ""), (5, "qr")], [(1, "r")])
    >>> trace.stamps.tolist(), trace.starts.tolist(), trace.atoms["r"].tolist()
    ([3, 3, 5, 1], [0, 3, 4], [False, False, True, True])
    """
    points = [point for log in logs for point in log]
    return Trace(
        np.array([stamp for stamp, _ in points], np.int64),
        {name: np.array([name in here for _, here in points], np.bool_) for name in atoms},
        np.array([0, *accumulate(map(len, logs))], np.int64),
    )


def drawn_traces(
    *, atoms: Sequence[str] = ATOMS, logs: int = 1, stamps: int = 6, rate: int = 4, ends: bool = False
) -> st.SearchStrategy[Trace]:
    """Traces of up to `logs` sub-logs of up to `stamps` stamps each, with up to `rate` points a stamp.

    There are points without atoms, gaps that are longer than any interval of `formulas.intervals`, and now and then a
    stamp with 20 points. `ends`: stamps at both ends of 64 bits.
    """
    log = _drawn_log(tuple(atoms), stamps, rate, ends)
    return st.lists(log, min_size=1, max_size=logs).map(lambda drawn: trace_of_points(*drawn, atoms=atoms))


@cache
def _gaps(most: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.sampled_from([1, 2, 1, 3, 4, 10, 11, 50]), max_size=most)


@st.composite
def _drawn_log(draw: st.DrawFn, atoms: tuple[str, ...], stamps: int, rate: int, ends: bool) -> Points:
    gaps = draw(_gaps(stamps))
    times = list(accumulate(gaps, initial=chosen(draw, [0, 7, -3])))[: len(gaps)]
    if ends and times:
        half = len(times) // 2
        low, high = times[0] + 2**63, 2**63 - 1 - times[-1]
        times = [time - low for time in times[:half]] + [time + high for time in times[half:]]
    points: list[tuple[int, list[str]]] = []
    for time in times:
        number = chosen(draw, [1, *range(1, rate + 1), *[20] * (rate > 1)])
        # One number says which atoms hold at all points of a stamp.
        bits = draw(st.integers(0, 2 ** (number * len(atoms)) - 1))
        for point in range(number):
            own = bits >> (point * len(atoms))
            points.append((time, [name for place, name in enumerate(atoms) if own >> place & 1]))
    return points
