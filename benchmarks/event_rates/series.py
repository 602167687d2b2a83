"""Runs of formulas, modes and rates, each in a process of its own: what they measured, as a table and as figures."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

from event_rates.logs import FORMULAS, STAMPS

from cep_core.drawing.marks import Marker, Whiskers
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import BLUE, GREY, INK, VERMILION
from cep_core.propositional_on_log import PropositionalOnLog
from cep_core.stream_settings import StreamSettings
from jobs.reports.figures.drawing.figure import Figure, drawn

MODES = {"naive": GREY, "global": VERMILION, "local": BLUE}
MARKERS = dict(zip(FORMULAS, "os^D", strict=True))
WARM_UP = "".join(f"@{stamp} {atoms}\n" for stamp in range(30) for atoms in ("p", "p", "p q", "q r", "p q r", ""))


@dataclass(frozen=True)
class Run:
    """One run of one formula over one log."""

    formula: str
    mode: str
    rate: int
    points: int
    seconds: float
    """Of the process, reading included."""
    peak: float
    """MB of the process while it read the log."""
    more: float
    """MB that this is more than before it read the log."""
    open_points: int
    """The most after a block."""

    @property
    def nanoseconds(self) -> float:
        """Of a point."""
        return 1e9 * self.seconds / self.points


def run_once(formula: str, mode: str, rate: int, path: Path) -> Run:
    """One run. A short log comes first, so that kernels are loaded."""
    PropositionalOnLog(FORMULAS[formula], WARM_UP, StreamSettings(mode)).table()
    asked = PropositionalOnLog(FORMULAS[formula], path, StreamSettings(mode))
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here on
    given, most, begin = _memory(), 0, time.process_time()
    for _ in asked.stream():
        most = max(most, asked.monitor.open_records)
    seconds = time.process_time() - begin
    peak = _peak()
    return Run(formula, mode, rate, asked.tally.points, seconds, peak, peak - given, most)


def _memory() -> float:
    """MB that this process has in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def _peak() -> float:
    """The most MB that this process had in memory."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024 / 1e6


def rates_table(runs: Sequence[Run]) -> str:
    """A row for each formula, mode and rate."""
    lines = [
        "| formula | mode | points a stamp | runs | peak MB | MB more | open points | ns a point | M points/s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for formula, mode, rate, own in _grouped(runs):
        times = [run.nanoseconds for run in own]
        lines.append(
            f"| {formula} | {mode} | {rate:,} | {len(own)} | {mean(run.peak for run in own):.0f} | "
            f"{mean(run.more for run in own):.1f} | {max(run.open_points for run in own):,} | "
            f"{mean(times):.0f} ({min(times):.0f} to {max(times):.0f}) | {1e3 / mean(times):.1f} |"
        )
    return "\n".join(lines)


def _grouped(runs: Sequence[Run]) -> list[tuple[str, str, int, list[Run]]]:
    """Runs of the same formula, mode and rate, in this order."""
    keys = sorted({(run.formula, run.mode, run.rate) for run in runs})
    return [(*key, [run for run in runs if (run.formula, run.mode, run.rate) == key]) for key in keys]


def figures(runs: Sequence[Run]) -> list[Figure]:
    """X12: memory by rate. X13: time a point by rate."""
    counts = sorted({len(own) for *_, own in _grouped(runs)})
    number = f"{STAMPS} stamps; means of {counts[0]} to {counts[-1]} runs, bars from least to most"
    return [
        _by_rate("mtl-memory", "MB more than before the log", number, runs, _more, 0.3),
        _by_rate("mtl-time", "ns of process time a point", number, runs, _time, 10),
    ]


def _more(run: Run) -> float:
    return run.more


def _time(run: Run) -> float:
    return run.nanoseconds


def _by_rate(name: str, y: str, number: str, runs: Sequence[Run], value: Callable[[Run], float], low: float) -> Figure:
    """`low`: where the vertical scale begins."""
    rows = []
    for formula, mode, rate, own in _grouped(runs):
        values = [value(run) for run in own]
        rows.append((formula, mode, rate, mean(values), min(values), max(values)))

    def draw(plot: Plot) -> None:
        for mode, colour in MODES.items():
            plot.line([], [], Stroke(colour), label=mode)
        for formula, marker in MARKERS.items():
            plot.points([], [], Marker(marker, INK), label=formula)
        for mode, colour in MODES.items():
            for formula, marker in MARKERS.items():
                own = [row for row in rows if row[:2] == (formula, mode)]
                x, middle, least, most = ([row[column] for row in own] for column in (2, 3, 4, 5))
                plot.add(Whiskers(x, least, most, Stroke(colour, 1.0), 2.0))
                plot.line(x, middle, Stroke(colour, 1.0), marker=Marker(marker, colour, 5))
        plot.x.logarithmic = plot.y.logarithmic = True
        plot.x.label = "points a stamp" if plot.narrow else f"points a stamp ({number})"
        plot.y.label = y
        plot.y.limits(low, None)
        plot.has_key = True

    header = ("formula", "mode", "points a stamp", y, "least", "most")
    return Figure(name, f"{y} against points a stamp", number, header, rows, draw, height=(3.6, 3.6))


def draw_figures(folder: Path, runs: Sequence[Run]) -> None:
    """Writes the figures."""
    for figure in figures(runs):
        (folder / f"{figure.name}.svg").write_text(drawn(figure, narrow=False))
        print(f"drawn: {figure.name}.svg")


def kept_runs(path: Path) -> list[Run]:
    """The runs that a file holds, one a line."""
    return [Run(**json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []


def as_line(run: Run) -> str:
    return json.dumps(asdict(run))
