"""A figure: its words, its numbers, and how it is drawn.

A figure is a value; nothing is drawn until `write_figure` draws it twice, for a desktop and for a phone, because an SVG
that is scaled down to a phone's width has letters that nobody can read. Both are the same bytes for the same figure:
identifiers are hashed with the figure's name, and neither date nor program version is written.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas

from jobs.reports.figures.drawing.palette import DARK, FAINT, INK, QUIET
from jobs.reports.figures.drawing.powers import label_powers
from jobs.reports.words.values import Cell

Drawn = tuple[str, str]
"""A figure's drawings, wide and narrow, as SVG texts."""

WIDE, NARROW = 7.6, 3.7
"""Widths in inches at 100 dots: the text column of a desktop, and of a phone."""

_BEGINS_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Characters with which a formula begins in spreadsheets, in both widths."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Figure:
    """What a page shows and says about some numbers.

    `name` is the stem of its files; `alt` tells the finding to people who cannot see it; `caption` has n, unit and
    spread. `draw(axes, narrow)` draws on empty axes; `height` is in inches, for a wide and for a narrow drawing.
    """

    name: str
    alt: str
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    draw: Callable[[Axes, bool], None]
    height: tuple[float, float] = (2.6, 2.6)

    @property
    def files(self) -> tuple[str, str, str]:
        """Names of the wide drawing, the narrow drawing and the numbers."""
        return f"{self.name}.svg", f"{self.name}-narrow.svg", f"{self.name}.csv"


_STYLE = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.labelsize": 9.0,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.6,
    "figure.dpi": 100.0,
}


def draw_both(figure: Figure) -> Drawn:
    """The figure as SVG texts, wide and narrow."""
    return drawn(figure, narrow=False), drawn(figure, narrow=True)


def write_figure(folder: Path, figure: Figure, draw: Callable[[Figure], Drawn] = draw_both) -> None:
    """Draw a figure at both widths and write its numbers, into files of `folder`."""
    *files, numbers = figure.files
    for name, text in zip(files, draw(figure), strict=True):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / numbers).write_text(csv_text(figure.header, figure.rows), encoding="utf-8")


def drawn(figure: Figure, *, narrow: bool) -> str:
    """The figure as SVG text."""
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": figure.name}):
        size = (NARROW, figure.height[1]) if narrow else (WIDE, figure.height[0])
        canvas = Canvas(figsize=size, layout="constrained")
        canvas.patch.set_alpha(0.0)
        axes = canvas.add_subplot()
        axes.patch.set_alpha(0.0)
        figure.draw(axes, narrow)
        label_powers(axes)
        text = io.StringIO()
        with warnings.catch_warnings():
            # letters stay letters in the file: the reader's fonts draw scripts that the measuring font lacks
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            # Not `savefig`, which draws everything once more, only to lay it out, and then writes the same bytes.
            FigureCanvasSVG(canvas).print_svg(text, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return _for_pages(text.getvalue())


def _for_pages(svg: str) -> str:
    """Without prologue and metadata, with the reader's own sans-serif font, and with colours for dark pages."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = svg.replace("'DejaVu Sans'", "system-ui, 'DejaVu Sans', sans-serif")
    rules = "".join(
        f'[style*="{what}: {light}"]{{{what}:{dark}!important}}'
        for light, dark in DARK.items()
        for what in ("fill", "stroke")
    )
    style = f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>"
    head, body = svg.split(">", 1)
    return f"{head}>{style}{body}"


def csv_text(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Comma-separated values with a header line, RFC 4180 quoting, line feeds, empty cells for None.

    A text that a spreadsheet would take for a formula begins with an apostrophe; numbers stay numbers.

    >>> csv_text(["tail", "gain"], [["=cmd()", -5], ["N14228", None]])
    "tail,gain\\n'=cmd(),-5\\nN14228,\\n"
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_as_text(cell) for cell in header])
    writer.writerows([_as_text(cell) for cell in row] for row in rows)
    return text.getvalue()


def _as_text(cell: Cell) -> Cell:
    """A cell that no spreadsheet evaluates. Texts of a log may hold anything, so control characters are shown."""
    return _harmless(cell) if isinstance(cell, str) else cell


@lru_cache(1 << 16)
def _harmless(cell: str) -> str:
    if _NUMBER.fullmatch(cell):
        return cell
    shown = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", cell)
    return f"'{shown}" if shown.lstrip().startswith(_BEGINS_FORMULA) else shown
