"""The shapes that mark points, by the letters that `cep_core` names them with."""

from __future__ import annotations

import math
from collections.abc import Sequence

_Corners = Sequence[tuple[float, float]]

_SLIM = 0.6
"""The width of a slim diamond as a share of its height."""


def _around(corners: int, *radii: float) -> _Corners:
    """Corners around the middle, the first above it; their distances from it are `radii` in turn."""
    turns = [(2 * math.pi * corner / corners, radii[corner % len(radii)]) for corner in range(corners)]
    return [(radius * math.sin(turn), -radius * math.cos(turn)) for turn, radius in turns]


_ARM = 1 / 6
_PLUS: _Corners = (
    *((-_ARM, -0.5), (_ARM, -0.5), (_ARM, -_ARM), (0.5, -_ARM), (0.5, _ARM), (_ARM, _ARM)),
    *((_ARM, 0.5), (-_ARM, 0.5), (-_ARM, _ARM), (-0.5, _ARM), (-0.5, -_ARM), (-_ARM, -_ARM)),
)
_HALF = math.sqrt(0.5)

FILLED: dict[str, _Corners] = {
    "s": ((-0.45, -0.45), (0.45, -0.45), (0.45, 0.45), (-0.45, 0.45)),
    "^": ((0.0, -0.5), (0.5, 0.5), (-0.5, 0.5)),
    "v": ((0.0, 0.5), (0.5, -0.5), (-0.5, -0.5)),
    "<": ((-0.5, 0.0), (0.5, 0.5), (0.5, -0.5)),
    ">": ((0.5, 0.0), (-0.5, 0.5), (-0.5, -0.5)),
    "D": ((0.0, -0.6), (0.6, 0.0), (0.0, 0.6), (-0.6, 0.0)),
    "d": ((0.0, -0.6), (0.6 * _SLIM, 0.0), (0.0, 0.6), (-0.6 * _SLIM, 0.0)),
    "P": _PLUS,
    "X": tuple(((x - y) * _HALF, (x + y) * _HALF) for x, y in _PLUS),
    "*": _around(10, 0.55, 0.21),
    "h": _around(6, 0.55),
    "p": _around(5, 0.55),
}
"""Corners around the middle, for a size of one; y grows downwards. A circle, `o`, has none."""

STROKES: dict[str, _Corners] = {
    "|": ((0.0, -0.5), (0.0, 0.5)),
    "_": ((-0.5, 0.0), (0.5, 0.0)),
    "x": ((-0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (0.5, -0.5)),
}
"""Ends of strokes, two for each stroke."""


def is_stroke(marker: str) -> bool:
    """Whether a marker is drawn by lines and has no inside."""
    return marker in STROKES


def marker_path(marker: str, x: float, y: float, size: float) -> str:
    """The path of a marker at a place, in SVG's language.

    >>> marker_path("s", 10, 20, 2), marker_path("|", 0, 0, 10)
    ('M9.1 19.1L10.9 19.1L10.9 20.9L9.1 20.9z', 'M0 -5L0 5')
    """
    if marker == "o":
        arc = f"a{size / 2:.4g} {size / 2:.4g} 0 1 0"
        return f"M{x - size / 2:.5g} {y:.5g}{arc} {size:.4g} 0{arc} {-size:.4g} 0z"
    if marker in STROKES:
        ends = [f"{x + size * dx:.5g} {y + size * dy:.5g}" for dx, dy in STROKES[marker]]
        return "".join(f"M{ends[at]}L{ends[at + 1]}" for at in range(0, len(ends), 2))
    corners = [f"{x + size * dx:.5g} {y + size * dy:.5g}" for dx, dy in FILLED[marker]]
    return f"M{'L'.join(corners)}z"
