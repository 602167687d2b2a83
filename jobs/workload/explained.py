"""Explains how a workload's question will be evaluated, and what its author should know before it runs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from cep_core.compile import BoundText, bind_text
from cep_core.language.explanation import Explanation, Section
from jobs.workload.compiled import evaluation_settings
from jobs.workload.declaration import Workload
from jobs.workload.sections.shedding import Shedding


def explain_question(workload: Workload, path: Path) -> Explanation:
    """A file's explanation. Raises QueryError for a wrong query; one that no engine evaluates yet is explained."""
    bound = _bound(workload, path)
    explained = bound.explain(evaluation_settings(workload, path.stem))
    shed = shedding_of(workload, path.stem, bound)
    return Explanation((*explained.sections, shed)) if shed else explained


def shedding_of(workload: Workload, name: str, bound: BoundText) -> Section | None:
    """What load shedding will do with a query; None if it does not ask for it. Raises NotSupportedYet."""
    shedding, shared = workload.settings(name).shedding, workload.shedding
    if shedding is None or shared is None:
        return None
    from cep_core.shedding.arrays.offering import machine_of

    machine, further = machine_of(bound.query), [query for query in workload.shed_queries if query != name]
    event = shared.costs.event
    lines = (
        f"each night: what an operator would have missed that is too slow for {_listed([name, *further])}",
        f"{machine.states} states of a partial match; meeting one costs {_listed(shedding.costs)} virtual ns, "
        f"an event {event} virtual ns; a match weighs {shedding.weight:g}",
        f"loads {_listed([f'{load:.0%}' for load in shared.loads])} over {_over(shared)}; latency bound "
        f"{virtual(shared.bound)}, safety buffer {virtual(shared.buffer)} of virtual time"
        + (f"; also with bounds of {_listed(map(virtual, shared.bounds))} at one load" if shared.bounds else ""),
        f"trained on {shared.training_days} days before, as far as the lake holds them; strategies that draw by chance "
        f"run with seeds {_listed(shared.seeds)}",
    )
    facts = {
        "queries": [name, *further],
        "states": machine.states,
        "costs": list(shedding.costs),
        "weight": shedding.weight,
        "bound_ns": shared.bound,
        "buffer_ns": shared.buffer,
        "loads": list(shared.loads),
        "busiest_hours": shared.busiest_hours,
        "bounds_ns": list(shared.bounds),
        "seeds": list(shared.seeds),
        "training_days": shared.training_days,
    }
    return Section("shedding", lines, facts)


def _over(shared: Shedding) -> str:
    """The time over which the loads are."""
    hours = {0: "", 1: " and over its busiest hour"}
    return "the day" + hours.get(shared.busiest_hours, f" and over its busiest {shared.busiest_hours} hours in a row")


def virtual(nanoseconds: int) -> str:
    """A span of virtual time in the largest unit of which it is a whole number.

    >>> virtual(20_000_000), virtual(0), virtual(1_500), virtual(2_000_000_000)
    ('20 ms', '0 ns', '1500 ns', '2 s')
    """
    for unit, size in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if nanoseconds and nanoseconds % size == 0:
            return f"{nanoseconds // size} {unit}"
    return f"{nanoseconds} ns"


def _listed(items: Iterable[object]) -> str:
    return ", ".join(map(str, items))


def warnings_of(workload: Workload, path: Path) -> list[str]:
    """Warnings about a valid query: those of its language, and ties whose order is not defined."""
    bound = _bound(workload, path)
    warnings = bound.warnings
    unordered = [name for name, source in workload.sources.items() if not source.order]
    reading = [name for name in unordered if re.search(rf"(?i)\bfrom\s+{name}\b", workload.events_sql)]
    if bound.order_of_ties and reading:
        warnings.append(
            f"under {bound.order_of_ties} events of equal ts are taken in order; rows of {', '.join(reading)} "
            "that share one are ordered by a hash unless the source declares `order`"
        )
    return warnings


def _bound(workload: Workload, path: Path) -> BoundText:
    shown = path.relative_to(workload.folder).as_posix() if path.is_relative_to(workload.folder) else path.name
    return bind_text(path.read_text(encoding="utf-8-sig"), workload.schema, shown, whole_log=False)
