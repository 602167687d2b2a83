"""Streaming a trace, in blocks of any size, and what its verdicts say of each point."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from cep_core.language.propositional.bind.assumed_schema import schema_mentioned_by
from cep_core.language.propositional.bind.binding import bind_written
from cep_core.language.propositional.text.parsing import parse
from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.sugar import without_sugar
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.stream.closing import with_ends
from cep_core.monitoring.propositional.stream.kernels.state import EQUAL
from cep_core.monitoring.propositional.stream.monitor import StreamMonitor

Point = tuple[int, int]


class Verdict(NamedTuple):
    point: Point
    truth: bool | None
    equal: Point | None


def core_of(text: str) -> Formula:
    """The core formula of a text in which every name is an atom."""
    written = parse(text)
    return bind_written(written, schema_mentioned_by(written), text).core


def streamed(
    formula: Formula, trace: Trace, mode: str = "local", *, closed: bool = False, cuts: Sequence[int] = ()
) -> list[Verdict]:
    """The verdicts in the order in which they are told. `cuts`: where blocks end."""
    monitor = StreamMonitor(without_sugar(formula), mode)
    stamps, atoms, flags = with_ends(trace, closed=closed)
    verdicts = []
    for begin, end in pairwise([0, *sorted({cut for cut in cuts if 0 < cut < len(stamps)}), len(stamps)]):
        some = {name: column[begin:end] for name, column in atoms.items()}
        verdicts += verdicts_of(monitor.take(stamps[begin:end], some, flags[begin:end]))
    return verdicts


def verdicts_of(columns: object) -> list[Verdict]:
    rows = zip(*(column.tolist() for column in columns[:5]), strict=True)  # type: ignore[attr-defined]
    return [
        Verdict((ts, offset), None, (equal_ts, equal_offset))
        if code == EQUAL
        else Verdict((ts, offset), bool(code), None)
        for ts, offset, code, equal_ts, equal_offset in rows
    ]


def points_of(trace: Trace) -> list[Point]:
    """The points of a trace of one sub-log."""
    seen: dict[int, int] = {}
    points = []
    for ts in trace.stamps.tolist():
        seen[ts] = seen.get(ts, -1) + 1
        points.append((ts, seen[ts]))
    return points


def resolved(verdicts: Sequence[Verdict]) -> dict[Point, bool]:
    """What the verdicts say of points: truths, and points that are equal to one whose truth was told."""
    equal = {verdict.point: verdict.equal for verdict in verdicts if verdict.equal is not None}
    truths = {verdict.point: verdict.truth for verdict in verdicts if verdict.truth is not None}
    for point in sorted(equal):
        if equal[point] in truths:
            truths[point] = truths[equal[point]]
    return truths


def cut_trace(trace: Trace, points: int) -> Trace:
    """The first points of a trace of one sub-log."""
    atoms = {name: column[:points] for name, column in trace.atoms.items()}
    return Trace(trace.stamps[:points], atoms, np.array([0, points]))
