"""What can be told apart on a drawing: thousands of marks at places that are closer than a dot is wide show as few.

Cost: one pass over the marks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Span = tuple[float, float]


def joined(spans: Sequence[Span], apart: float) -> list[Span]:
    """Spans that cover the same, but for gaps of at most `apart`. `spans`: by their begin.

    >>> joined([(0, 3), (1, 2), (3.5, 4), (6, 7)], 1)
    [(0, 4), (6, 7)]
    """
    covered: list[Span] = []
    for begin, end in spans:
        if covered and begin - covered[-1][1] <= apart:
            covered[-1] = (covered[-1][0], max(covered[-1][1], end))
        else:
            covered.append((begin, end))
    return covered


def thinned(places: Sequence[float], apart: float) -> list[float]:
    """The first place, then always the next one that is at least so far `apart`. `places`: ascending.

    >>> thinned([0, 0, 0.5, 1, 1.5, 4], 1)
    [0, 1, 4]
    """
    kept: list[float] = []
    for place in places:
        if not kept or place - kept[-1] >= apart:
            kept.append(place)
    return kept


def fewer_alike(places: Sequence[tuple[float, float]], apart: float, most: int) -> list[int]:
    """Numbers of places, of many in one cell the first `most`. Cells are `apart` wide; y is told apart exactly.

    >>> fewer_alike([(0.1, 0), (0.2, 0), (0.3, 0), (0.3, 9), (5, 0)], 1, 2)
    [0, 1, 3, 4]
    """
    held: Counter[tuple[int, float]] = Counter()
    kept = []
    for number, (x, y) in enumerate(places):
        cell = (int(x // apart), y)
        if held[cell] < most:
            held[cell] += 1
            kept.append(number)
    return kept
