"""Draws the curves of `matching.py` into the folder that PICTURES names. Without it nothing is drawn."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from cep_core.drawing.marks import Marker
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import series
from jobs.reports.figures.drawing.figure import Figure, drawn

Curves = Mapping[str, Sequence[tuple[float, float]]]


def draw(name: str, y: str, x: str, curves: Curves, *, log_x: bool = False) -> None:
    """A figure of the curves. Rates, times and numbers have a logarithmic scale."""
    folder = os.environ.get("PICTURES")
    if folder is None:
        return

    def on_plot(plot: Plot) -> None:
        for label, look in series(list(curves)).items():
            xs, ys = zip(*curves[label], strict=True)
            plot.line(xs, ys, Stroke(look.colour), marker=Marker(look.marker, look.colour), label=label)
        plot.x.label, plot.y.label = x, y
        plot.x.logarithmic, plot.y.logarithmic = log_x, not y.startswith("share")
        plot.has_key = True

    rows = [(label, *point) for label, points in curves.items() for point in points]
    figure = Figure(name, f"{y} against {x}", "one run", ("way", x, y), rows, on_plot, height=(3.2, 3.2))
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / f"{name}.svg").write_text(drawn(figure, narrow=False))
    print(f"  drawn: {folder}/{name}.svg")
