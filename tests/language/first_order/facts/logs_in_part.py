"""Logs in part: the points of a reach, and the events that a slicer would send to the slice of a valuation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.language.evaluator import Atom, Reach

Value = int | float | str


def points_of_reach(log: PointLog, certain: int, reach: Reach) -> np.ndarray:
    """The points up to a moment of certainty that a reach contains (`docs/semantics.md` 2)."""
    assert reach.time is not None
    stamps = log.stamps.tolist()
    begin = certain - reach.time
    for _ in range(reach.points):
        earlier = [stamp for stamp in stamps if stamp < begin]
        begin = (max(earlier) if earlier else begin) - reach.time
    return np.flatnonzero((log.stamps >= begin) & (log.stamps <= certain))


def with_points(log: PointLog, kept: np.ndarray) -> PointLog:
    """The log of some of the points, in order."""
    number = np.full(log.points, -1)
    number[kept] = np.arange(len(kept))
    events = {
        event_type: _some(typed, number[typed.point] >= 0, number[typed.point])
        for event_type, typed in log.events.items()
    }
    return PointLog(log.stamps[kept], events)


def with_events(log: PointLog, atoms: Sequence[Atom], valuation: Mapping[str, Value]) -> PointLog:
    """The log with all of its points, and the events that some atom matches under a valuation of slicing variables."""
    return PointLog(
        log.stamps,
        {
            event_type: _some(
                typed, _matching(typed, [a for a in atoms if a.event_type == event_type], valuation), typed.point
            )
            for event_type, typed in log.events.items()
        },
    )


def _matching(typed: TypedEvents, atoms: Sequence[Atom], valuation: Mapping[str, Value]) -> np.ndarray:
    columns = {name: column.to_pylist() for name, column in typed.columns.items()}

    def fits(row: int, atom: Atom) -> bool:
        wanted = [*((name, valuation[variable]) for name, variable in atom.variables), *atom.constants]
        return all(columns[name][row] is not None and columns[name][row] == value for name, value in wanted)

    test: Callable[[int], bool] = lambda row: any(fits(row, atom) for atom in atoms)  # noqa: E731
    return np.array([test(row) for row in range(len(typed.point))], np.bool_)


def _some(typed: TypedEvents, rows: np.ndarray, point: np.ndarray) -> TypedEvents:
    columns = {name: column.filter(rows) for name, column in typed.columns.items()}
    return TypedEvents(point[rows].astype(np.int64), columns)
