"""Draws the curves of `matching.py` into the folder that PICTURES names. Without it nothing is drawn."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes

from jobs.reports.figures.drawing.figure import Figure, drawn

Curves = Mapping[str, Sequence[tuple[float, float]]]

MARKERS = "os^Dvx*"


def draw(name: str, y: str, x: str, curves: Curves, *, log_x: bool = False) -> None:
    """A figure of the curves. Rates, times and numbers have a logarithmic scale."""
    folder = os.environ.get("PICTURES")
    if folder is None:
        return

    def on_axes(axes: Axes, narrow: bool) -> None:
        for (label, points), marker in zip(curves.items(), MARKERS, strict=False):
            axes.plot([point[0] for point in points], [point[1] for point in points], marker=marker, label=label)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        if not y.startswith("share"):
            axes.set_yscale("log")
        if log_x:
            axes.set_xscale("log")
        axes.legend()

    rows = [(label, *point) for label, points in curves.items() for point in points]
    figure = Figure(name, f"{y} against {x}", "one run", ("way", x, y), rows, on_axes, height=(3.2, 3.2))
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / f"{name}.svg").write_text(drawn(figure, narrow=False))
    print(f"  drawn: {folder}/{name}.svg")
