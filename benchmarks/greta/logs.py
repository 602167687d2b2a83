"""The logs of GRETA's section 10.1 for `trends.py`: real ones if they lie beside the repository, else generated.

Linear Road: each vehicle reports its position every 30 seconds. Cluster: measurements with the distributions of GRETA's
Table 2, between the start and the end of each mapper of a job. There are also the task events of Google's cluster of
2011.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from kleene import logs as kleene_logs

from cep_core.events.table import order

REPORT = 30
"""Seconds between two position reports of a vehicle."""


def prices(values: npt.NDArray[np.int64], groups: int = 1) -> pa.Table:
    """One event S each second, given to the groups in turn."""
    n = len(values)
    return pa.table(
        {
            "event_type": pa.array(["S"] * n).dictionary_encode(),
            "ts": np.arange(n),
            "seq": np.arange(n),
            "price": values,
            "g": np.arange(n) % groups,
        }
    )


def stock() -> tuple[str, pa.Table]:
    """The trades of ten companies on one day: NASDAQ's, or else as many random walks."""
    ticks = kleene_logs.nasdaq()
    if ticks is not None:
        kinds = pa.array(["Stock"] * len(ticks)).dictionary_encode()
        table = ticks.set_column(ticks.column_names.index("event_type"), "event_type", kinds)
        return "NASDAQ's ticks", table.rename_columns(["company" if n == "name" else n for n in table.column_names])
    random = np.random.default_rng(1)
    n = 225_000
    walk = 10_000 + np.cumsum(random.integers(-1, 2, n))
    columns = {
        "event_type": pa.array(["Stock"] * n).dictionary_encode(),
        "ts": np.sort(random.integers(0, 46_800_000, n)),
        "company": random.integers(0, 10, n),
        "price": walk / 100,
    }
    return "random walks", order(pa.table(columns))


def linear_road(vehicles: int, reports: int, segments: int = 4, accidents: int = 0, seed: int = 9) -> pa.Table:
    """Position reports of vehicles that stay in a segment, with random walks as speeds; accidents at random moments."""
    random = np.random.default_rng(seed)
    vehicle = np.repeat(np.arange(vehicles), reports)
    ts = np.tile(np.arange(reports) * REPORT, vehicles) + random.integers(0, REPORT, vehicles)[vehicle]
    speed = np.clip(50 + np.cumsum(random.integers(-9, 10, (vehicles, reports)), axis=1), 1, 100).ravel()
    accident_times = random.integers(0, reports * REPORT, accidents)
    return order(
        pa.table(
            {
                "event_type": ["Position"] * len(ts) + ["Accident"] * accidents,
                "ts": np.concatenate([ts, accident_times]),
                "segment": np.concatenate([vehicle % segments, random.integers(0, segments, accidents)]),
                "vehicle": pa.array([*vehicle.tolist(), *[None] * accidents], pa.int64()),
                "speed": pa.array([*speed.tolist(), *[None] * accidents], pa.int64()),
            }
        )
    )


def cluster(measurements: int, mappers: int, jobs: int = 1, rate: int = 1, seed: int = 10) -> pa.Table:
    """Jobs one after another, each with an equal number of measurements by its mappers in turn; `rate` events a second.

    A mapper has a start before its first measurement and an end after its last.
    """
    random = np.random.default_rng(seed)
    kinds, job, mapper = [], [], []
    for number in range(jobs):
        turns = np.arange(measurements // jobs) % mappers
        kinds += ["Start"] * mappers + ["Measurement"] * len(turns) + ["End"] * mappers
        mapper += [*range(mappers), *turns.tolist(), *range(mappers)]
        job += [number] * (len(turns) + 2 * mappers)
    n = len(kinds)
    columns = {
        "event_type": pa.array(kinds).dictionary_encode(),
        "ts": np.arange(n) // rate,
        "job": job,
        "mapper": mapper,
        "cpu": random.integers(0, 1000, n),
        "memory": random.integers(0, 1000, n),
        "load": np.minimum(random.poisson(100, n), 10_000),
    }
    return order(pa.table(columns))


def tasks() -> pa.Table | None:
    """Google's cluster: the events of the tasks of each job, in order."""
    return kleene_logs.cluster()
