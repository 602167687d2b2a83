"""Every way to slice a log that is compared with the plan in use: one record each, in one ordered table.

A record holds the strategy's name, how reports draw it, and the function that cuts a log. Comparisons, figures and
pages read the table, so a new strategy is a function in this file and a line in `STRATEGIES`. `rival_slicers` has the
rivals of the hypercube.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.events.schema import AttributeType
from cep_core.experiments.rival_slicers import broadcast, by_key, composed, worth_hashing
from cep_core.experiments.slice_loads import Splitter, loads_of
from cep_core.language.evaluator import Atom, Reach
from cep_core.slicing import Plan, Statistics, make_plan, split, statistics_of
from cep_core.slicing.ranges import cut as cut_ranges
from cep_core.slicing.shares import bound


@dataclass(frozen=True)
class LogToSlice:
    """The input of every strategy: the plan in use, the events that it slices, in time order, and the most slices
    allowed.

    `reach`, `interval`: as given to `make_plan`; `yesterday`: the plan of the day before for the same queries.
    """

    plan: Plan
    events: pa.Table
    slices: int
    seed_text: str
    reach: Reach
    interval: tuple[int, int] | None
    yesterday: Plan | None

    @cached_property
    def statistics(self) -> Statistics:
        return statistics_of(self.events, self.plan.atoms)

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The variables of the plan, then every other variable that an atom binds."""
        bound_names = (sorted(bound(atom)) for atom in self.plan.atoms)
        return tuple(dict.fromkeys(chain(self.plan.variables, *bound_names)))

    @property
    def queries(self) -> dict[str, tuple[Atom, ...]]:
        return dict.fromkeys(self.plan.queries, self.plan.atoms)

    @property
    def stamps(self) -> npt.NDArray[np.int64]:
        stamps: npt.NDArray[np.int64] = self.events["ts"].to_numpy()
        return stamps

    def cube(self, heavy: Sequence[str]) -> Plan:
        """The best hypercube over all variables that treats the heavy values of the `heavy` ones apart."""
        return make_plan(self.queries, self.variables, self.statistics, self.slices, self.seed_text, heavy=heavy)

    @cached_property
    def plain(self) -> Plan:
        """The best hypercube that knows no heavy values."""
        return self.cube(())

    @cached_property
    def types(self) -> dict[str, AttributeType]:
        """The variables and the types to which their values are coerced."""
        return dict(zip(self.plain.variables, self.plain.types, strict=True))

    def keyed(self, key: Sequence[str], slices: int) -> Splitter:
        """Splits by a hash of the `key` variables together."""
        return lambda events: by_key(self.plan.atoms, self.types, events, key, slices, self.seed_text)


@dataclass(frozen=True)
class StrategyCut:
    """How a strategy cuts one log."""

    parameters: Mapping[str, object]
    slices: int
    splitter: Splitter


@dataclass(frozen=True)
class SlicingStrategy:
    """One strategy. `colour` and `marker` are names: the reports' palette knows their tones and shapes."""

    name: str
    colour: str
    marker: str
    cut: Callable[[LogToSlice], StrategyCut | None]
    """None where the strategy does not apply to a log."""


def parameters_of(plan: Plan) -> dict[str, object]:
    """The parameters that distinguish a plan from others, as they are recorded."""
    shares = {",".join(sorted(cube.heavy)): list(cube.shares) for cube in plan.cubes}
    return {"variables": list(plan.variables), "shares": shares, "ranges": max(1, len(plan.ranges))}


def _by_plan(plan: Plan) -> StrategyCut:
    return StrategyCut(parameters_of(plan), plan.slices, partial(split, plan))


def _plan_in_use(log: LogToSlice) -> StrategyCut:
    return _by_plan(log.plan)


def _with_heavy_hitters(log: LogToSlice) -> StrategyCut | None:
    return _by_plan(log.cube(log.variables)) if log.variables else None


def _without_heavy_hitters(log: LogToSlice) -> StrategyCut | None:
    return _by_plan(log.plain) if log.variables else None


def _composed(log: LogToSlice) -> StrategyCut | None:
    if not log.variables:
        return None
    return StrategyCut(parameters_of(log.plain), log.plain.slices, partial(composed, log.plain))


def _best_single_variable(log: LogToSlice) -> StrategyCut | None:
    """Tries all variables."""
    if not log.variables:
        return None

    def maximum(name: str) -> float:
        return loads_of(log.keyed([name], log.slices), log.slices, log.events, 1).maximum

    best = min(log.variables, key=lambda name: (maximum(name), name))
    return StrategyCut({"variable": best}, log.slices, log.keyed([best], log.slices))


def _partition_key(log: LogToSlice) -> StrategyCut | None:
    """Hashes the variables that all atoms bind."""
    if not log.variables:
        return None
    key = [name for name in log.variables if all(name in bound(atom) for atom in log.plan.atoms)]
    slices = log.slices if key else 1
    return StrategyCut({"key": key}, slices, log.keyed(key, slices))


def _broadcast(log: LogToSlice) -> StrategyCut | None:
    """One event type is hashed, the others are copied to every slice."""
    if not log.variables:
        return None
    hashed = worth_hashing(log.plan.atoms, log.statistics)
    return StrategyCut(
        {"hashed": hashed and hashed.event_type},
        log.slices,
        lambda events: broadcast(log.plan.atoms, hashed, log.types, events, log.slices, log.seed_text),
    )


def _time_ranges(log: LogToSlice) -> StrategyCut | None:
    """Only ranges of log time. There are none without an interval, or if a query reaches back without limit."""
    if log.interval is None or log.reach.time is None:
        return None
    count = min(log.slices, log.interval[1] - log.interval[0])
    ranged = make_plan(
        log.queries,
        (),
        log.statistics,
        count,
        log.seed_text,
        log.reach,
        log.interval,
        stamps=log.stamps,
        ranges=count,
    )
    return replace(_by_plan(ranged), parameters={"ranges": count})


def _yesterdays_plan(log: LogToSlice) -> StrategyCut | None:
    """The plan of the day before, with its time ranges moved to the interval."""
    if log.yesterday is None:
        return None
    moved = log.yesterday
    if log.interval is not None and moved.ranges:
        moved = replace(moved, ranges=cut_ranges(log.interval, len(moved.ranges), log.reach, log.stamps))
    return _by_plan(moved)


IN_USE = SlicingStrategy("plan in use", "blue", "D", _plan_in_use)

STRATEGIES: tuple[SlicingStrategy, ...] = (
    IN_USE,
    SlicingStrategy("hypercube with heavy hitters", "green", "^", _with_heavy_hitters),
    SlicingStrategy("hypercube without heavy hitters", "sky", "v", _without_heavy_hitters),
    SlicingStrategy("composed single variables", "purple", "P", _composed),
    SlicingStrategy("best single variable", "orange", "s", _best_single_variable),
    SlicingStrategy("partition key", "olive", "o", _partition_key),
    SlicingStrategy("broadcast", "vermilion", "X", _broadcast),
    SlicingStrategy("time ranges", "grey", "h", _time_ranges),
    SlicingStrategy("yesterday's plan", "blue", "d", _yesterdays_plan),
)
"""In the order in which they are measured. No two have the same name, nor both the same colour and the same marker."""


def slicing_strategy_named(name: str) -> SlicingStrategy | None:
    """The strategy of that name; None for a name that no record has."""
    return next((strategy for strategy in STRATEGIES if strategy.name == name), None)
