"""Reports of city buses for pSPICE's Q4: a seeded generator of the shape of the paper's data.

The paper (section IV-A) uses 911 buses of Dublin. A report says where a bus is and whether it is late. Here lines share
their stops, inner-city stops more than others. A bus follows its line and reports at each stop. Sometimes there is an
incident at a stop, and for a while most buses are late there. Elsewhere a few buses are late for other reasons.

Reports arrive at an even pace and `ts` is their number, because an experiment sets the rate (section IV-B).

Cost: O(reports) array operations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa


@dataclass(frozen=True)
class City:
    """What to generate."""

    seed: int
    reports: int = 40_000
    buses: int = 911
    lines: int = 80
    stops: int = 500
    length: int = 30
    """Stops of each line."""
    incidents: float = 8.0
    """Incidents that begin in a thousand reports."""
    duration: int = 1_000
    """Reports during an incident, on average."""
    late: float = 0.01
    """Share of buses that are late at a stop without an incident."""
    held_up: float = 0.8
    """Share of buses that are late at a stop with an incident."""


def generate_reports(city: City) -> pa.Table:
    """`event_type` (Report), `ts`, `seq`, `bus`, `stop` and `late`.

    >>> log = generate_reports(City(seed=1, reports=5_000))
    >>> log.num_rows, sum(log["late"].to_pylist()) in range(50, 1000)
    (5000, True)
    """
    random = np.random.default_rng(city.seed)
    count = city.reports
    central = 1 / np.sqrt(1 + np.arange(city.stops))
    routes = np.stack(
        [random.choice(city.stops, city.length, replace=False, p=central / central.sum()) for _ in range(city.lines)]
    )
    line, start = random.integers(0, city.lines, city.buses), random.integers(0, city.length, city.buses)
    # Every bus reports once in each round. The order of buses differs from round to round.
    rounds = -(-count // city.buses)
    bus = np.argsort(random.random((rounds, city.buses)), axis=1).ravel()[:count]
    turn = np.arange(count) // city.buses
    stop = routes[line[bus], (start[bus] + turn) % city.length]
    incident_starts = np.flatnonzero(random.random(count + city.duration) < city.incidents / 1000)
    incident_stops = random.choice(city.stops, len(incident_starts), p=central / central.sum())
    durations = random.exponential(city.duration, len(incident_starts)).astype(np.int64) + 1
    chance = np.full(count, city.late)
    for begin, place, length in zip(incident_starts - city.duration, incident_stops, durations, strict=True):
        during = slice(max(0, begin), max(0, begin + length))
        chance[during][stop[during] == place] = city.held_up
    return pa.table(
        {
            "event_type": pa.repeat("Report", count),
            "ts": np.arange(count),
            "seq": np.arange(count),
            "bus": bus,
            "stop": stop,
            "late": random.random(count) < chance,
        }
    )
