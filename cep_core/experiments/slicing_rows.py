"""Slicing strategies side by side on the same events: how much the fullest slice holds and how much is copied.

Everything is counted on the events themselves; only the rows named "predicted", "bound" and "lower bound" are computed
from statistics. Loads are shares of the events that the plan's atoms match in the range read.

Cost: one split of the events for each strategy, in batches, so that memory does not grow with their number; the best
single variable is found by trying all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.experiments.rival_slicers import Pairs, broadcast, by_key, composed, worth_hashing
from cep_core.language.evaluator import Reach
from cep_core.slicing import Plan, make_plan, split, statistics_of
from cep_core.slicing.atom_rows import relevant_rows
from cep_core.slicing.ranges import cut, read_from
from cep_core.slicing.shares import bound

SCHEMA = pa.schema(
    [
        ("strategy", pa.string()),
        ("parameters", pa.string()),
        ("seed", pa.int64()),
        ("metric", pa.string()),
        ("value", pa.float64()),
        ("unit", pa.string()),
    ]
)

NO_REACH = Reach()

BATCH = 250_000
"""Events that are split at a time."""

Splitter = Callable[[pa.Table], Pairs]


@dataclass(frozen=True)
class Loads:
    """What each slice holds, and of how many different events."""

    events: npt.NDArray[np.int64]
    relevant: int

    @property
    def maximum(self) -> float:
        """Events of the fullest slice over all relevant events."""
        return float(self.events.max(initial=0) / self.relevant) if self.relevant else 0.0

    @property
    def replication(self) -> float:
        """Copies of a relevant event, on average."""
        return float(self.events.sum() / self.relevant) if self.relevant else 0.0

    @property
    def imbalance(self) -> float:
        """The fullest slice over the mean of all slices, empty ones included; 1 is even."""
        return float(self.events.max() / self.events.mean()) if self.events.any() else 1.0


def loads_of(splitter: Splitter, slices: int, events: pa.Table, relevant: int) -> Loads:
    """Loads of the slices that a splitter makes of `events`, of which `relevant` matter."""
    counts = np.zeros(slices, np.int64)
    for start in range(0, events.num_rows, BATCH):
        counts += np.bincount(splitter(events.slice(start, BATCH))[1], minlength=slices)
    return Loads(counts, relevant)


def compare_strategies(
    plan: Plan,
    events: pa.Table,
    slices: int,
    seed_text: str,
    reach: Reach = NO_REACH,
    interval: tuple[int, int] | None = None,
    yesterday: Plan | None = None,
) -> pa.Table:
    """One row for each (strategy, metric): the plan in use and its rivals, at most `slices` slices each, on `events`.

    `events`: those that the plan slices, in time order. `reach`, `interval`: as given to `make_plan`; without an
    interval there are no time ranges. `yesterday`: the plan of the day before for the same queries; its time ranges are
    moved to `interval`.
    """
    stamps = events["ts"].to_numpy()
    if interval is not None:
        first = np.searchsorted(stamps, [read_from(interval[0], reach, stamps), interval[1]])
        events = events.slice(int(first[0]), int(first[1] - first[0]))
        stamps = events["ts"].to_numpy()
    relevant = len(relevant_rows(plan.atoms, events))
    rows: list[dict[str, object]] = []
    for name, parameters, used, splitter in _strategies(plan, events, slices, seed_text, reach, interval, yesterday):
        loads = loads_of(splitter, used, events, relevant)
        for metric, value, unit in (
            ("maximum load", loads.maximum, "share of events"),
            ("replication", loads.replication, "copies per event"),
            ("imbalance", loads.imbalance, "maximum / mean"),
            ("slices", float(used), "slices"),
        ):
            rows.append(_row(name, parameters, metric, value, unit))
    if plan.predicted is not None:
        costs = plan.predicted
        for metric, value in (("predicted maximum load", costs.maximum_load), ("bound", costs.bound)):
            rows.append(_row("plan in use", _parameters(plan), metric, value, "share of events"))
        rows.append(_row("lower bound", {}, "maximum load", costs.lower_bound, "share of events"))
    return pa.Table.from_pylist(rows, SCHEMA)


def _strategies(
    plan: Plan,
    events: pa.Table,
    slices: int,
    seed_text: str,
    reach: Reach,
    interval: tuple[int, int] | None,
    yesterday: Plan | None,
) -> Iterator[tuple[str, dict[str, object], int, Splitter]]:
    """Name, parameters, number of slices and splitter of each strategy."""
    yield "plan in use", _parameters(plan), plan.slices, partial(split, plan)
    queries, stamps = dict.fromkeys(plan.queries, plan.atoms), events["ts"].to_numpy()
    statistics = statistics_of(events, plan.atoms)
    names = tuple(dict.fromkeys(chain(plan.variables, *(sorted(bound(atom)) for atom in plan.atoms))))
    if names:
        told = make_plan(queries, names, statistics, slices, seed_text, heavy=names)
        plain = make_plan(queries, names, statistics, slices, seed_text, heavy=())
        types = dict(zip(plain.variables, plain.types, strict=True))
        yield "hypercube with heavy hitters", _parameters(told), told.slices, partial(split, told)
        yield "hypercube without heavy hitters", _parameters(plain), plain.slices, partial(split, plain)
        yield "composed single variables", _parameters(plain), plain.slices, partial(composed, plain)

        def keyed(key: Sequence[str], used: int) -> Splitter:
            return lambda part: by_key(plan.atoms, types, part, key, used, seed_text)

        best = min(names, key=lambda name: (loads_of(keyed([name], slices), slices, events, 1).maximum, name))
        yield "best single variable", {"variable": best}, slices, keyed([best], slices)
        common = [name for name in names if all(name in bound(atom) for atom in plan.atoms)]
        used = slices if common else 1
        yield "partition key", {"key": common}, used, keyed(common, used)
        hashed = worth_hashing(plan.atoms, statistics)
        parameters: dict[str, object] = {"hashed": hashed and hashed.event_type}
        yield (
            "broadcast",
            parameters,
            slices,
            lambda part: broadcast(plan.atoms, hashed, types, part, slices, seed_text),
        )
    if interval is not None and reach.time is not None:
        count = min(slices, interval[1] - interval[0])
        ranged = make_plan(queries, (), statistics, count, seed_text, reach, interval, stamps=stamps, ranges=count)
        yield "time ranges", {"ranges": count}, ranged.slices, partial(split, ranged)
    if yesterday is not None:
        moved = yesterday
        if interval is not None and yesterday.ranges:
            moved = replace(yesterday, ranges=cut(interval, len(yesterday.ranges), reach, stamps))
        yield "yesterday's plan", _parameters(moved), moved.slices, partial(split, moved)


def _parameters(plan: Plan) -> dict[str, object]:
    shares = {",".join(sorted(cube.heavy)): list(cube.shares) for cube in plan.cubes}
    return {"variables": list(plan.variables), "shares": shares, "ranges": max(1, len(plan.ranges))}


def _row(strategy: str, parameters: dict[str, object], metric: str, value: float, unit: str) -> dict[str, object]:
    text = json.dumps(parameters, sort_keys=True)
    return {"strategy": strategy, "parameters": text, "seed": None, "metric": metric, "value": value, "unit": unit}
