"""Ranges of the log's order over all runs: which events of which run each holds, and where it begins in its day.

A range is of one day, holds all events of its stamps, and about as many events as are asked for, or one stamp if that
has more. Runs ascend by `ts`, so a range is a piece of each, and halving finds it. The bounds are quantiles of stamps
that are picked at equal distances from the runs; the counts are exact.
Cost: a few pages of each run for each range; no run is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path

import numpy as np

from cep_core.arrays import Ints
from jobs.stages.loading.event_runs import open_run, stamps_of
from jobs.workload.operating_days import OperatingDays

EVENTS_IN_RANGE = 1_000_000
"""Events of a range, about."""

PICKED = 64
"""Stamps picked of each run for each range that it could fill."""


@dataclass(frozen=True)
class RunPiece:
    """The events of a run from place `begin` to place `end`."""

    run: Path
    begin: int
    end: int


@dataclass(frozen=True)
class EventRange:
    """A range of one day's events. `before`: how many events of the day come before it."""

    day: date
    before: int
    pieces: tuple[RunPiece, ...]

    @property
    def events(self) -> int:
        return sum(piece.end - piece.begin for piece in self.pieces)


def event_ranges(
    runs: Sequence[Path], loads: Sequence[date], days: OperatingDays, most: int = EVENTS_IN_RANGE
) -> Iterator[EventRange]:
    """The ranges of some days with events, in the log's order. `most`: events of a range, about."""
    stamps = [stamps_of(open_run(run)) for run in runs]
    for day in sorted(loads):
        bounds = days.interval(day)
        begins, ends = (_places(stamps, bound) for bound in bounds)
        cuts = [begins, *(_places(stamps, bound) for bound in _bounds(stamps, begins, ends, most)), ends]
        for start, stop in pairwise(cuts):
            if (stop > start).any():
                pieces = [RunPiece(*piece) for piece in zip(runs, start.tolist(), stop.tolist(), strict=True)]
                used = tuple(piece for piece in pieces if piece.end > piece.begin)
                yield EventRange(day, int((start - begins).sum()), used)


def _places(stamps: Sequence[Ints], bound: int) -> Ints:
    """[runs] How many stamps of each run come before a bound."""
    return np.array([np.searchsorted(of_run, bound) for of_run in stamps], np.int64)


def _bounds(stamps: Sequence[Ints], begins: Ints, ends: Ints, most: int) -> list[int]:
    """Stamps that divide a day's events into parts of about `most`."""
    events = int((ends - begins).sum())
    parts = -(-events // most)
    if parts < 2:
        return []
    step = max(most // PICKED, 1)
    pieces = zip(stamps, begins.tolist(), ends.tolist(), strict=True)
    picked = np.sort(np.concatenate([of_run[begin:end:step] for of_run, begin, end in pieces]))
    places = np.arange(1, parts) * len(picked) // parts
    return sorted(set(picked[places].tolist()))
