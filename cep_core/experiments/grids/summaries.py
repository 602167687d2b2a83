"""A summary of a grid: mean, standard deviation and number of runs at each point of its axes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cep_core.experiments.spread import Spread


@dataclass(frozen=True)
class Point:
    """One strategy at one place of the grid."""

    strategy: str
    setting: Mapping[str, float]
    """The axes, the load among them."""
    metrics: Mapping[str, Spread]

    def __getitem__(self, metric: str) -> float:
        """The mean of a metric."""
        return self.metrics[metric].mean


@dataclass(frozen=True)
class Summary:
    """All points of a grid, in the order in which they were measured."""

    points: tuple[Point, ...]

    @property
    def strategies(self) -> list[str]:
        return list(dict.fromkeys(point.strategy for point in self.points))

    def along(self, axis: str, strategy: str, **fixed: float) -> list[Point]:
        """A strategy's points with the values `fixed`, in ascending order of an axis or a metric."""
        chosen = [
            point
            for point in self.points
            if point.strategy == strategy and all(point.setting[name] == value for name, value in fixed.items())
        ]
        return sorted(chosen, key=lambda point: point.setting[axis] if axis in point.setting else point[axis])

    def pairs(self, axis: str, first: str, second: str) -> list[tuple[Point, Point]]:
        """The points of two strategies at the same places, in ascending order of an axis or of the first's metric."""
        places = {json.dumps(dict(point.setting), sort_keys=True): point for point in self.along(axis, second)}
        return [
            (point_of_first, places[json.dumps(dict(point_of_first.setting), sort_keys=True)])
            for point_of_first in self.along(axis, first)
        ]


def summary_of(rows: Iterable[Mapping[str, Any]]) -> Summary:
    """Summarises rows of `experiments`: each has a strategy, parameters, a metric and a value.

    >>> row = {"strategy": "pSPICE", "parameters": '{"load": 1.2, "window": 500}', "metric": "lost", "seed": 0}
    >>> summary_of([{**row, "value": 0.2}, {**row, "seed": 1, "value": 0.4}]).points[0].metrics["lost"].n
    2
    """
    measured: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in rows:
        of_point = measured.setdefault((row["strategy"], row["parameters"]), {})
        of_point.setdefault(row["metric"], []).append(row["value"])
    return Summary(
        tuple(
            Point(strategy, json.loads(parameters), {name: Spread.of(values) for name, values in metrics.items()})
            for (strategy, parameters), metrics in measured.items()
        )
    )
