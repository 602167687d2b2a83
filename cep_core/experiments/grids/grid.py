"""A grid of shedding experiments as data: which log, which queries, along which axes, which strategies, which seeds.

Every combination of the axes with every seed is a cell: one operator over one log, trained once, then run with every
strategy at every load. A cell depends only on the grid and on its own place in it. So cells may run anywhere and in any
order, and cells with known results need not run again.

Axes are `load`, any parameter of the queries (`window`, `n`, `slide`, `distance`), and `tau_factor`: the factor by
which partial matches of the first query cost more than declared (pSPICE, Fig. 8). A grid over the workload's own days
has the workload's queries. Its axis `training_days` says how many of the days before train the model.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from cep_core.experiments.grids.logs import LogSource, OwnDays
from cep_core.experiments.grids.paper_queries import QUERIES
from cep_core.experiments.grids.relations import RELATIONS
from cep_core.shedding import strategies
from cep_core.shedding.arrays.costs import OTHER_COSTS, Costs

LOAD, TAU, TRAINED = "load", "tau_factor", "training_days"

OWN_EVENTS = "events"
"""The value of `read` in a grid over the workload's own days."""

CAUSES = ("cost model", "data", "set-up")
"""Why a relation may not hold: the operator's costs, the events, or the load, bound and queries."""

PARTS = 24
"""How many parts the judged events have in a figure of latency over time."""


@dataclass(frozen=True)
class Cell:
    """One operator over one log. `setting`: the axes but the load, by name."""

    setting: tuple[tuple[str, float], ...]
    seed: int

    @property
    def key(self) -> str:
        """The setting as JSON with sorted keys."""
        return json.dumps(dict(self.setting), sort_keys=True)


@dataclass(frozen=True)
class Grid:
    """A grid. Raises ValueError for wrong values, naming the key.

    `queries`: Q1 to Q4 with the parameters that no axis gives, or the workload's own with their `weight`. One operator
    runs all of them.
    """

    name: str
    title: str
    log: LogSource | OwnDays
    queries: Mapping[str, Mapping[str, float]]
    axes: Mapping[str, Sequence[float]]
    strategies: tuple[str, ...]
    seeds: tuple[int, ...]
    bound: int
    """LB in virtual nanoseconds."""
    train: float = 0.3
    """Share of the log that trains."""
    buffer: int = 0
    state: int = 1_000
    """Virtual nanoseconds of meeting a partial match."""
    prices: Mapping[str, int] = field(default_factory=dict)
    """The costs of everything else (`Costs`)."""
    over_time: bool = False
    """Whether to measure the highest latency in each of `PARTS` parts of the judged events, too."""
    figure: str = ""
    """The figure of the paper that the grid repeats, if there is one."""
    relations: Mapping[str, str] = field(default_factory=dict)
    """The relations that the numbers should show (`cep_core.experiments.grids.relations`), and why one may not hold."""
    causes: Mapping[str, str] = field(default_factory=dict)
    """For a relation that does not hold here, which of `CAUSES` is the reason."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The texts of the workload's own queries, if the log is its own."""

    def __post_init__(self) -> None:
        self._check("strategies", self.strategies, [strategy.name for strategy in strategies.STRATEGIES])
        self._check("costs", self.prices, OTHER_COSTS)
        self._check("relations", self.relations, RELATIONS)
        self._check("relations: because", list(self.causes.values()), CAUSES)
        if isinstance(self.log, OwnDays):
            self._check_own(self.log)
        else:
            self._check_parameters()
        if not all((self.queries, self.strategies, self.seeds, self.axes.get(LOAD), *self.axes.values())):
            raise ValueError("a grid has queries, strategies, seeds, an axis `load`, and values on every axis")
        if not all(isinstance(seed, int) for seed in self.seeds):
            raise ValueError("a seed is a whole number")
        if not 0 <= self.train < 1 or self.bound <= 0:
            raise ValueError("`train` is a share below 1, and the bound is positive")

    def _check_own(self, days: OwnDays) -> None:
        self._check("axes", self.axes, {LOAD, TAU, TRAINED})
        for query, given in self.queries.items():
            self._check(f"queries.{query}", given, ["weight"])
        if not all(1 <= count <= len(days.training) for count in self.axes.get(TRAINED, ())):
            raise ValueError(f"axes.{TRAINED}: there are 1 to {len(days.training)} days to train on")

    def _check_parameters(self) -> None:
        self._check("queries", self.queries, QUERIES)
        parameters = {name for query in self.queries for name in _parameters(query)}
        self._check("axes", self.axes, {LOAD, TAU, *parameters})
        for query, given in self.queries.items():
            self._check(f"queries.{query}", given, _parameters(query))
            missing = [name for name in _required(query) if name not in given and name not in self.axes]
            if missing:
                raise ValueError(f"queries.{query}: neither it nor an axis gives {', '.join(missing)}")

    def _check(self, what: str, given: Sequence[str] | Mapping[str, Any], known: Any) -> None:
        for name in given:
            if name not in known:
                raise ValueError(f"{what}: no '{name}'; there are {', '.join(sorted(known))}")

    @property
    def loads(self) -> tuple[float, ...]:
        return tuple(self.axes[LOAD])

    @property
    def cells(self) -> list[Cell]:
        """All cells, in order of the axes as written, then of the seeds."""
        names = [name for name in self.axes if name != LOAD]
        settings = itertools.product(*(self.axes[name] for name in names))
        return [Cell(tuple(zip(names, values, strict=True)), seed) for values in settings for seed in self.seeds]

    @property
    def definition(self) -> str:
        """12 hex digits of everything that the numbers depend on.

        Titles, seeds, axes, relations and the events of a workload's own days are not part of it.
        """
        prices = {"state": self.state, **self.prices}
        content = [
            vars(self.log),
            {query: dict(own) for query, own in self.queries.items()},
            sorted(self.strategies),
            self.loads,
            self.bound,
            self.train,
            self.buffer,
        ]
        content.append(self.over_time)
        content.append({query: self.texts.get(query, "") for query in self.queries})
        text = json.dumps([content, prices], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def parameters_of(self, query: str, cell: Cell) -> dict[str, float]:
        """The parameters of a query in a cell."""
        own = {name: value for name, value in cell.setting if name in _parameters(query)}
        return {**self.queries[query], **own}

    def costs(self, cell: Cell, steps: Mapping[str, Sequence[int]]) -> Costs:
        """The costs in a cell. `steps`: by query, the number of steps of each of its patterns."""
        factor = dict(cell.setting).get(TAU, 1)
        first = next(iter(self.queries))
        states = tuple(
            (round(self.state * (factor if query == first else 1)),) * count
            for query, counts in steps.items()
            for count in counts
        )
        return Costs(states, **self.prices)


def grid_of(name: str, declared: Mapping[str, Any]) -> Grid:
    """Builds a grid from what a YAML reader gives. Raises ValueError, naming the key.

    >>> grid = grid_of("small", {
    ...     "title": "Q1", "log": {"generate": "quotes", "quotes": 9000}, "queries": {"Q1": {}},
    ...     "axes": {"window": [500, 900], "load": [1.2]}, "strategies": ["pSPICE"], "seeds": 2, "bound_ms": 5,
    ...     "costs": {"state": 1000, "event": 500}})
    >>> [cell.key for cell in grid.cells]
    ['{"window": 500}', '{"window": 500}', '{"window": 900}', '{"window": 900}']
    """
    allowed = {*_KEYS, *_OPTIONAL}
    if unknown := sorted(set(declared) - allowed):
        raise ValueError(f"no key '{unknown[0]}'; there are {', '.join(sorted(allowed))}")
    if missing := [key for key in _KEYS if key not in declared]:
        raise ValueError(f"the key '{missing[0]}' is missing")
    try:
        prices, seeds = dict(declared["costs"]), declared["seeds"]
        reasons = {name: _reason(name, reason) for name, reason in declared.get("relations", {}).items()}
        return Grid(
            name=name,
            title=str(declared["title"]),
            log=_log_of(declared["log"]),
            queries={query: dict(reason or {}) for query, reason in declared["queries"].items()},
            axes={axis: tuple(values) for axis, values in declared["axes"].items()},
            strategies=tuple(declared["strategies"]),
            seeds=tuple(range(seeds)) if isinstance(seeds, int) else tuple(seeds),
            bound=round(declared["bound_ms"] * 1_000_000),
            train=float(declared.get("train", 0.3)),
            buffer=round(declared.get("buffer_ms", 0) * 1_000_000),
            state=int(prices.pop("state", 1_000)),
            prices=prices,
            over_time=bool(declared.get("over_time", False)),
            figure=str(declared.get("figure", "")),
            relations={name: why for name, (_, why) in reasons.items()},
            causes={name: cause for name, (cause, _) in reasons.items() if cause},
        )
    except (TypeError, AttributeError) as error:
        raise ValueError(f"a value is not of the kind that its key wants: {error}") from None


_KEYS = ("title", "log", "queries", "axes", "strategies", "seeds", "bound_ms", "costs")
_OPTIONAL = ("train", "buffer_ms", "over_time", "figure", "relations")


def _reason(relation: str, declared: Mapping[str, str] | None) -> tuple[str, str]:
    """Why a relation may not hold: the cause and a sentence; both are empty if none is declared."""
    if not declared:
        return "", ""
    if sorted(declared) != ["because", "why"]:
        causes = ", ".join(CAUSES)
        raise ValueError(f"relations.{relation}: why may it not hold? `because` (one of {causes}) and `why`")
    return str(declared["because"]), str(declared["why"])


def _log_of(declared: Mapping[str, Any]) -> LogSource | OwnDays:
    given = dict(declared)
    if given.get("read") == OWN_EVENTS:
        return _own_days(given)
    ways = [way for way in ("generate", "read") if way in given]
    if len(ways) != 1:
        raise ValueError("log: say either what to `generate` or what to `read`")
    name = str(given.pop(ways[0]))
    if ways == ["generate"]:
        return LogSource(name, given)
    files = given.pop("files", ())
    return LogSource(name, files=(files,) if isinstance(files, str) else tuple(files), **given)


def _own_days(given: dict[str, Any]) -> OwnDays:
    if sorted(given) != ["judge", "read", "train"]:
        raise ValueError(f"log: the workload's own {OWN_EVENTS} have `train` and `judge`, two days each")
    (train_from, train_to), (judge_from, judge_to) = given["train"], given["judge"]
    if not all(isinstance(day, date) for day in (train_from, train_to, judge_from, judge_to)):
        raise ValueError("log: a day is written 2013-03-08")
    return OwnDays(train_from, train_to, judge_from, judge_to)


def _parameters(query: str) -> list[str]:
    return list(_of_query(query))


def _required(query: str) -> Iterator[str]:
    return (name for name, parameter in _of_query(query).items() if parameter.default is inspect.Parameter.empty)


def _of_query(query: str) -> dict[str, inspect.Parameter]:
    """The keyword parameters of a query. Its first parameter is the log."""
    return dict(list(inspect.signature(QUERIES[query]).parameters.items())[1:])
