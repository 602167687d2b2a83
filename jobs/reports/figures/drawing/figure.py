"""A figure: its words, its numbers, and how it is drawn.

A figure is a value; nothing is drawn until `write_figure` draws it twice, for a desktop and for a phone, because an SVG
that is scaled down to a phone's width has letters that nobody can read. Both are the same bytes for the same figure.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from cep_core.drawing.plot import Plot
from jobs.reports.words.quantities import quantity
from jobs.reports.words.values import Cell

WIDE, NARROW = 7.6, 3.7
"""Widths in inches at 100 dots: the text column of a desktop, and of a phone."""
POINTS = 72
"""Of an inch."""

_BEGINS_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Characters with which a formula begins in spreadsheets, in both widths."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Figure:
    """What a page shows and says about some numbers.

    `name` is the stem of its files; `alt` tells the finding to people who cannot see it; `caption` has n, unit and
    spread. `draw` fills in an empty plot; `height` is in inches, for a wide and for a narrow drawing.
    """

    name: str
    alt: str
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    draw: Callable[[Plot], None]
    height: tuple[float, float] = (2.6, 2.6)

    @property
    def files(self) -> tuple[str, str, str]:
        """Names of the wide drawing, the narrow drawing and the numbers."""
        return f"{self.name}.svg", f"{self.name}-narrow.svg", f"{self.name}.csv"


def write_figure(folder: Path, figure: Figure) -> None:
    """Draw a figure at both widths and write its numbers, into files of `folder`."""
    wide, narrow, numbers = figure.files
    (folder / wide).write_text(drawn(figure, narrow=False), encoding="utf-8")
    (folder / narrow).write_text(drawn(figure, narrow=True), encoding="utf-8")
    (folder / numbers).write_text(csv_text(figure.header, figure.rows), encoding="utf-8")


def drawn(figure: Figure, *, narrow: bool) -> str:
    """The figure as SVG text."""
    plot = Plot(POINTS * (NARROW if narrow else WIDE), POINTS * figure.height[narrow], narrow)
    plot.x.number = plot.y.number = quantity
    figure.draw(plot)
    return plot.svg()


def csv_text(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Comma-separated values with a header line, RFC 4180 quoting, line feeds, empty cells for None.

    A text that a spreadsheet would take for a formula begins with an apostrophe; numbers stay numbers. Each different
    text is looked at once, and rows are copied only if some text must be changed.

    >>> csv_text(["tail", "gain"], [["=cmd()", -5], ["N14228", None]])
    "tail,gain\\n'=cmd(),-5\\nN14228,\\n"
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    texts = {cell for cell in chain(header, chain.from_iterable(rows)) if isinstance(cell, str)}
    changed = {cell: shown for cell in texts if (shown := _harmless(cell)) != cell}
    every = chain([header], rows)
    writer.writerows(([_replaced(cell, changed) for cell in row] for row in every) if changed else every)
    return text.getvalue()


def _replaced(cell: Cell, changed: Mapping[str, str]) -> Cell:
    return changed.get(cell, cell) if isinstance(cell, str) else cell


def _harmless(cell: str) -> str:
    """A text that no spreadsheet evaluates. Texts of a log may hold anything, so control characters are shown."""
    if _NUMBER.fullmatch(cell):
        return cell
    shown = _CONTROL.sub(lambda control: f"\\x{ord(control[0]):02x}", cell)
    return f"'{shown}" if shown.lstrip().startswith(_BEGINS_FORMULA) else shown
