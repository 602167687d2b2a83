"""Measures the relations of GRETA's section 10 again; each is printed with the paper's words and whether it holds.

They say which of the `ways` wins and how cost grows: with the events of a window (Figures 14 and 15), the selectivity
of an edge predicate (Figure 16, Linear Road) and the number of groups (Figure 17, cluster monitoring). Sizes are small
enough for two steps to finish. Times are CPU-seconds, the least of some runs. Memory is the growth of the process's
peak. Every relation is drawn into a folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from greta import logs as trend_logs
from greta.measures import LIMIT, exponent, measured
from greta.ways import MOST_TRENDS, Curves, Question, compare_ways

import cep_core as cep
from cep_core.drawing.marks import Marker
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import BLUE, GREEN, PURPLE, VERMILION
from jobs.reports.figures.drawing.figure import Figure, drawn

COLOURS = {"this engine": BLUE, "every edge": VERMILION, "two steps": GREEN, "self-joins": PURPLE}
STABLE = 2.0
"""A cost that varies by a smaller factor is called stable."""


def relation(paper: str, here: str, holds: bool) -> str:
    """The line for one sentence of the paper."""
    return f"  paper: {paper}\n    here: {here}: {'agrees' if holds else 'DISAGREES'}"


def positive(folder: Path) -> Iterator[str]:
    """Figure 14: cost against the events of a window. Prices are random, so the number of trends explodes."""
    random = np.random.default_rng(5)
    sizes = (10, 20, 30, 40, 50, 100, 300, 1_000, 3_000, 10_000, 30_000)
    inputs = [(float(n), Question(trend_logs.prices(random.permutation(n)))) for n in sizes]
    times, peaks = compare_ways(inputs, {"every edge": 30_000, "self-joins": 40})
    n = f"n = {sizes[0]} to {sizes[-1]:,} events of one group"
    yield from _draw(folder, "trends-events", times, "events of the window", "CPU-seconds", n)
    yield from _draw(folder, "trends-memory", peaks, "events of the window", "bytes at the peak", n)
    ours, theirs = dict(times["this engine"]), dict(times["every edge"])
    for size in (1_000.0, 10_000.0, 30_000.0):
        yield f"  {size:,.0f} events: every edge / this engine (exact) = {theirs[size] / ours[size]:.2f} x"
    for name in ("two steps", "self-joins"):
        listed = times[name]
        size, spent = listed[-1]
        growth = exponent([x for x, _ in listed[-2:]], [y for _, y in listed[-2:]])
        flat = exponent([x for x, _ in times["this engine"][-2:]], [y for _, y in times["this engine"][-2:]])
        yield relation(
            f"{'SASE and CET' if name == 'two steps' else 'Flink'}: cost grows exponentially until it fails to finish",
            f"{name} end at {size:,.0f} events ({MOST_TRENDS:,} trends or {LIMIT:.0f} s), growing as n^{growth:.1f}; "
            f"this engine goes on to {sizes[-1]:,}, growing as n^{flat:.1f}",
            growth > 2 * flat,
        )
        yield relation(
            "GRETA outperforms them",
            f"{name} / this engine = {spent / ours[size]:,.1f} x at {size:,.0f} events",
            spent > ours[size],
        )


def negative(folder: Path) -> Iterator[str]:
    """Figure 15: the same with a negated part. It leaves fewer trends, so listing costs less."""
    random = np.random.default_rng(6)
    curves: Curves = {}
    for label, pattern in (("S+, T", "SEQ(S+, T)"), ("S+, NOT N, T", "SEQ(S+, NOT N, T)")):
        ours: list[tuple[float, float]] = []
        theirs: list[tuple[float, float]] = []
        for n in (32, 48, 64, 96):
            log = trend_logs.prices(random.permutation(n))
            kinds = np.array(["S", "S", "N", "T"])[np.arange(n) % 4]
            log = log.set_column(0, "event_type", pa.array(kinds).dictionary_encode())
            query = f"PATTERN {pattern} WHERE S.price > NEXT(S).price WITHIN {n}"
            counts = cep.aggregate(f"RETURN COUNT(*) {query}", log, cores=1)["count"].to_pylist()
            trends = int(counts[0]) if counts else 0
            point = measured(lambda q=query, x=log: cep.aggregate(f"RETURN COUNT(*) {q}", x, cores=1).num_rows)
            ours.append((float(n), point.seconds))
            if trends <= MOST_TRENDS:
                point = measured(lambda q=query, x=log: cep.match(q, x).num_rows)
                assert point.answer == trends
                theirs.append((float(n), point.seconds))
        curves[f"this engine: {label}"], curves[f"two steps: {label}"] = ours, theirs
    what = "n = 32 to 96 events of one group, a quarter of them N"
    yield from _draw(folder, "trends-negation", curves, "events of the window", "CPU-seconds", what)
    with_, without = dict(curves["two steps: S+, NOT N, T"]), dict(curves["two steps: S+, T"])
    size = max(with_.keys() & without.keys())
    yield relation(
        "with a negative sub-pattern the cost of all but Flink decreases",
        f"two steps at {size:.0f} events: without NOT / with NOT = {without[size] / with_[size]:.2f} x",
        without[size] > with_[size],
    )


def selectivity(folder: Path) -> Iterator[str]:
    """Figure 16: cost against the share of pairs that satisfy Q3's comparison, over vehicle reports (Linear Road)."""
    log = trend_logs.linear_road(vehicles=200, reports=10)  # what vehicles report in Q3's five minutes
    inputs = []
    for factor in (0.5, 0.8, 0.95, 1.0, 1.05, 1.2, 2.0):
        question = Question(log, "Position", ("segment", "vehicle"), "speed", factor=factor)
        inputs.append((round(question.selectivity, 1), question))
    times, peaks = compare_ways(inputs, {})
    n = f"n = {len(log)} reports of 200 vehicles in one window"
    x = "% of the pairs satisfy P.speed * X > NEXT(P).speed"
    yield from _draw(folder, "trends-selectivity", times, x, "CPU-seconds", n, log_x=False)
    yield from _draw(folder, "trends-selectivity-memory", peaks, x, "bytes at the peak", n, log_x=False)
    yield _stable("GRETA remains fairly stable regardless of the selectivity", times, "selectivities")
    for name, whom in (("two steps", "SASE and CET"), ("self-joins", "Flink")):
        (_, least), (share, most) = times[name][0], times[name][-1]
        ours = dict(times["this engine"])[share]
        yield relation(
            f"{whom}: latency grows exponentially with the selectivity (and past 50 % of 100k events does not end)",
            f"{name} take {most / least:.1f} times as long at {share} % as at {times[name][0][0]} %, "
            f"{most / ours:.1f} times as long as this engine there",
            most > STABLE * least,
        )


def grouped(folder: Path) -> Iterator[str]:
    """Figure 17: cost against the number of groups of Q2, over measurements of mappers (cluster monitoring)."""
    inputs = []
    for groups in (1, 5, 10, 12, 16, 24, 48):
        log = trend_logs.cluster(180, groups)
        inputs.append(
            (float(groups), Question(log, "Measurement", ("job", "mapper"), "load", "<", 1.0, "Start", "End"))
        )
    times, peaks = compare_ways(inputs, {})
    n = "n = 180 measurements of one window"
    yield from _draw(folder, "trends-groups", times, "groups", "CPU-seconds", n)
    yield from _draw(folder, "trends-groups-memory", peaks, "groups", "bytes at the peak", n)
    yield _stable("GRETA performs equally well independently from the number of groups", times, "numbers of groups")
    for name, whom in (("two steps", "SASE and CET"), ("self-joins", "Flink")):
        if len(times[name]) < 2:
            yield f"  {name}: fewer than two points finished"
            continue
        (few, most), (many, least) = times[name][0], times[name][-1]
        ours = dict(times["this engine"])[few]
        yield relation(
            f"{whom}: latency decreases exponentially with the number of groups",
            f"{name} finish from {few:.0f} groups on, and take {most / least:.1f} times as long there as with "
            f"{many:.0f}; {most / ours:.1f} times as long as this engine at {few:.0f}",
            most > STABLE * least,
        )


def _stable(paper: str, times: Curves, of_what: str) -> str:
    ours = [spent for _, spent in times["this engine"]]
    ratio = max(ours) / min(ours)
    return relation(paper, f"slowest / fastest of {len(ours)} {of_what} = {ratio:.2f} x", ratio < STABLE)


def _draw(folder: Path, name: str, curves: Curves, x: str, y: str, n: str, *, log_x: bool = True) -> Iterator[str]:
    """Writes a figure of the curves, and yields a line with its path."""

    def draw(plot: Plot) -> None:
        for number, (label, points) in enumerate(curves.items()):
            if points:
                colour = COLOURS.get(label, list(COLOURS.values())[number % len(COLOURS)])
                plot.line(*zip(*points, strict=True), Stroke(colour), marker=Marker("o", colour, 4), label=label)
        plot.x.logarithmic, plot.y.logarithmic = log_x, True
        plot.x.label, plot.y.label = f"{x} ({n})", y
        plot.has_key = True

    rows = [(label, *point) for label, points in curves.items() for point in points]
    figure = Figure(name, f"{y} against {x}", f"{n}; one run", ("way", x, y), rows, draw, height=(3.2, 3.2))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.svg").write_text(drawn(figure, narrow=False))
    yield f"drawn: {folder / name}.svg"


RELATIONS = (positive, negative, selectivity, grouped)
