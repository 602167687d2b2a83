"""Elements of a drawing in SVG's own language. Colours stand in `style`, where the rules for dark pages find them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from cep_core.drawing.lettering import LINE, SIZE
from cep_core.drawing.tones import DARK

_COLOUR = re.compile(r"(fill|stroke): (#[0-9a-f]{6})")
_ABOVE_BASELINE = {"above": -0.22, "middle": 0.36, "below": 0.95}
"""How far below its place the baseline of a line of words lies, in sizes of its letters."""


@dataclass(frozen=True)
class Stroke:
    """How a line is drawn: colour, width and dashes in points, opacity, and whether its ends are round."""

    colour: str
    width: float = 1.6
    dashes: tuple[float, ...] = ()
    opacity: float = 1.0
    round_ends: bool = False

    @property
    def style(self) -> str:
        """The stroke alone: nothing inside is filled."""
        style = f"fill: none; stroke: {self.colour}; stroke-width: {self.width:g}; stroke-linejoin: round"
        if self.dashes:
            style += f"; stroke-dasharray: {' '.join(f'{self.width * dash:g}' for dash in self.dashes)}"
        if self.opacity < 1:
            style += f"; stroke-opacity: {self.opacity:.3g}"
        return f"{style}; stroke-linecap: round" if self.round_ends else style


def path(course: str, style: str) -> str:
    """A shape; empty if its course is."""
    return f'<path d="{course}" style="{style}"/>\n' if course else ""


def filled(colour: str, opacity: float = 1.0) -> str:
    """The style of a shape without a rim."""
    return f"fill: {colour}" if opacity >= 1 else f"fill: {colour}; fill-opacity: {opacity:.3g}"


def course(places: Sequence[tuple[float, float]]) -> str:
    """A line through some places.

    >>> course([(0, 1.25), (3, 4)])
    'M0 1.25L3 4'
    """
    return f"M{'L'.join(f'{x:.5g} {y:.5g}' for x, y in places)}" if places else ""


def box(left: float, top: float, right: float, bottom: float) -> str:
    """A rectangle; its corners may be in any order.

    >>> box(4, 5, 1, 2)
    'M1 2H4V5H1z'
    """
    return (
        f"M{min(left, right):.5g} {min(top, bottom):.5g}H{max(left, right):.5g}V{max(top, bottom):.5g}"
        f"H{min(left, right):.5g}z"
    )


def words(
    at: tuple[float, float],
    lines: Sequence[str],
    *,
    colour: str = "",
    anchor: str = "start",
    side: str = "middle",
    size: float = SIZE,
    bold: bool = False,
    turned: bool = False,
) -> str:
    """Lines of text that start, have their middle or end at a place; all of them above, around or below it.

    `colour`: empty for the one of the element around them. `turned`: read from below.
    """
    x, y = at
    gap = LINE * size
    ahead = {"above": len(lines) - 1, "middle": (len(lines) - 1) / 2, "below": 0}[side] * gap
    base = y + _ABOVE_BASELINE[side] * size - ahead
    marked = "" if anchor == "start" else f' text-anchor="{anchor}"'
    marked += "" if size == SIZE else f' font-size="{size:g}"'
    marked += ' font-weight="bold"' if bold else ""
    marked += f' transform="rotate(-90 {x:.5g} {y:.5g})"' if turned else ""
    marked += f' style="fill: {colour}"' if colour else ""
    return "".join(
        f'<text x="{x:.5g}" y="{base + number * gap:.5g}"{marked}>{escape(line, quote=False)}</text>\n'
        for number, line in enumerate(lines)
    )


def document(width: float, height: float, elements: str) -> str:
    """A drawing of a size in points, with the reader's own sans-serif font, and with colours for dark pages."""
    used = sorted(set(_COLOUR.findall(elements)))
    rules = "".join(f'[style*="{what}: {light}"]{{{what}:{DARK[light]}!important}}' for what, light in used)
    style = f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>\n" if rules else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}pt" height="{height:g}pt" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="system-ui, \'DejaVu Sans\', sans-serif" '
        f'font-size="{SIZE:g}">\n{style}{elements}</svg>\n'
    )
