"""Load shedding in workload.yaml: the section `shedding`, and `shedding` of single queries.

The queries that ask for it share one operator (docs/semantics.md 7). The section `shedding` gives the cost of an event,
the latency bound and the loads that are tried. Each query gives the cost of a partial match in each state, and the
weight of its matches. Costs are whole virtual nanoseconds, kept in the file, so a night has the same result everywhere.
`trendmill calibrate` measures them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cep_core.shedding.arrays.costs import OTHER_COSTS, Costs
from jobs.workload.files.problems import DeclaredSection, Problems, brief

HOURS = 24
"""The hours of a day."""

_DEAREST = 10**12
"""The largest cost or bound: a quarter of an hour of virtual time, in nanoseconds."""
_SPAN = re.compile(r"(?P<number>[0-9]{1,12})\s*(?P<unit>ns|us|ms|s)")
_EXPECTED = "expected a span of virtual time such as 2s, 10ms or 500us"
_NANOSECONDS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


@dataclass(frozen=True)
class QueryShedding:
    """The costs and the weight of a query in the operator."""

    costs: tuple[int, ...]
    """Virtual nanoseconds for meeting a partial match in each state: the initial state first, no final state."""
    weight: float = 1.0
    """The weight of one of its matches."""
    place: str = field(default="", compare=False)
    """The place where the costs are declared."""


@dataclass(frozen=True)
class Shedding:
    """The operator that all queries share, and the loads it is tried at. `bound`, `buffer`: virtual nanoseconds."""

    bound: int
    buffer: int = 0
    costs: Costs = field(default_factory=lambda: Costs(()))
    """The costs without those of the queries' states."""
    loads: tuple[float, ...] = (1.2, 1.4, 1.6, 1.8, 2.0)
    """The loads that are tried over the day, and over its busiest hours."""
    busiest_hours: int = 3
    """The length of the busiest time, in hours. 0: loads are tried only over the whole day."""
    bounds: tuple[int, ...] = ()
    """Further bounds, tried at one load."""
    seeds: tuple[int, ...] = (0, 1, 2)
    training_days: int = 28
    """The number of days before the measured day on which the model is trained, if the lake has them."""

    def costs_of(self, queries: Mapping[str, QueryShedding]) -> Costs:
        """The costs of an operator of these queries, in their order."""
        return replace(self.costs, states=tuple(shedding.costs for shedding in queries.values()))


def read_shedding(problems: Problems, value: object) -> Shedding | None:
    """The section `shedding`; None if there is none."""
    if value is None:
        return None
    section = problems.section(
        "workload.yaml: shedding",
        value,
        ("bound", "costs"),
        ("buffer", "loads", "busiest_hours", "bounds", "seeds", "training_days"),
    )
    costs = problems.section(section.at("costs"), section.items.get("costs"), ("event",), OTHER_COSTS[1:])
    loads = section.numbers("loads", Shedding.loads, most=100)
    if len(set(loads)) < len(loads):
        problems.add(section.at("loads"), "expected different numbers, such as 1.2 for a load of 120 %")
        loads = Shedding.loads
    return Shedding(
        bound=_span(section, "bound", 1),
        buffer=_span(section, "buffer", 0),
        costs=Costs((), **{name: costs.count(name, 0, most=_DEAREST) for name in OTHER_COSTS}),
        loads=loads,
        busiest_hours=section.count("busiest_hours", Shedding.busiest_hours, most=HOURS - 1),
        bounds=_spans(section, "bounds"),
        seeds=section.counts("seeds", Shedding.seeds, most=2**32 - 1),
        training_days=section.count("training_days", Shedding.training_days, most=3_660),
    )


def read_query_shedding(problems: Problems, where: str, value: object) -> QueryShedding | None:
    """`shedding` of one query; None if it does not ask for it."""
    if value is None:
        return None
    section = problems.section(where, value, ("costs",), ("weight",))
    costs = section.counts("costs", (), least=1, most=_DEAREST)
    weight = section.number("weight", QueryShedding.weight)
    return QueryShedding(costs, weight, problems.place(section.at("costs"))) if costs else None


def _span(section: DeclaredSection, key: str, least: int) -> int:
    """A span of virtual time such as `10ms`, in nanoseconds."""
    text = section.text(key, f"{least}ns")
    nanoseconds = _nanoseconds(text)
    if nanoseconds is None or nanoseconds < least:
        section.problems.add(section.at(key), f"{_EXPECTED}, found {brief(text)}")
        return least
    return nanoseconds


def _spans(section: DeclaredSection, key: str) -> tuple[int, ...]:
    """Spans of virtual time, all different."""
    texts = section.texts(key)
    lengths = [_nanoseconds(text) for text in texts]
    for text, nanoseconds in zip(texts, lengths, strict=True):
        if not nanoseconds:
            section.problems.add(section.at(key), f"{_EXPECTED}, found {brief(text)}")
    spans = tuple(nanoseconds for nanoseconds in lengths if nanoseconds)
    if len(set(spans)) < len(spans):
        section.problems.add(section.at(key), "expected different spans of virtual time")
    return spans


def _nanoseconds(text: str) -> int | None:
    """None if the text is not a span, or the span is too long."""
    parts = _SPAN.fullmatch(text)
    span = 0 if parts is None else int(parts["number"]) * _NANOSECONDS[parts["unit"]]
    return span if parts is not None and span <= _DEAREST else None
