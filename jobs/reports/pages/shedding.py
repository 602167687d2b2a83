"""The Shedding page: what a machine too slow for the day would have missed, by strategy, load, query and hour."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cep_core.experiments.spread import Spread
from jobs.reports.day_report import DayReport
from jobs.reports.figures.against_load import against_load
from jobs.reports.figures.figure import Figure
from jobs.reports.figures.shed_hours import dropped_figure, latency_figure, missed_figure
from jobs.reports.listing import Heading
from jobs.reports.page import Page
from jobs.reports.quantities import counted, quantity, share, virtual
from jobs.reports.shedding_answer import answer, bound_kept, out_of_reach
from jobs.reports.shedding_comparison import DROPS, NONE, Outcome, Shedding
from jobs.reports.values import listed, shown


def page(report: DayReport) -> Page | None:
    """None where the day was not compared: the report has no such page then."""
    compared = report.shedding
    if compared is None:
        return None
    shedding = [name for name in compared.strategies if name != NONE]
    queries = compared.queries
    all_of_them = listed([shown(name) for name in queries or compared.asked]) or "all queries"
    by_weight = ", weighted," if _weighted(compared) else ""
    missed = [
        against_load(
            compared,
            "shedding-missed-against-load",
            shedding,
            lambda one: one.lost_of(None),
            "matches missed",
            f"Share of the matches of {all_of_them}{by_weight} that is missing, against the load.",
        ),
        *(_of_query(compared, shedding, query) for query in (queries if len(queries) > 1 else [])),
    ]
    hours = [figure(compared, report.day, report.clock) for figure in (latency_figure, missed_figure, dropped_figure)]
    strain = [
        against_load(
            compared,
            "shedding-late-time",
            compared.strategies,
            lambda one: one.measures["late_time"],
            "time above the bound",
            f"Share of the day's time in which events take longer than the bound of {virtual(compared.bound_ns)}.",
        ),
        against_load(
            compared,
            "shedding-overhead",
            shedding,
            lambda one: one.measures["overhead"],
            "work spent on shedding",
            "Shedding's own share of all virtual work: looking up, sorting, drawing, dropping.",
        ),
    ]
    latency, missed_when, dropped_when = hours
    content = {
        "title": "Shedding",
        "finding": answer(compared),
        "bound": bound_kept(compared),
        "out_of_reach": out_of_reach(compared),
        "load": share(compared.load),
        "missed": [figure for figure in missed if figure is not None],
        "latency": latency,
        "missed_when": missed_when,
        "dropped_when": dropped_when,
        "strain": [figure for figure in strain if figure is not None],
        "strategies": {"headings": _headings(compared), "rows": [_row(compared, one) for one in compared.at_load]},
        "drops": [(shown(name), DROPS[name]) for name in compared.strategies if name in DROPS],
        "latencies": {"headings": _LATENCIES, "rows": [_latencies(one) for one in compared.at_load]},
        "states": _states(compared),
        "costs": _costs(compared),
    }
    figures = [figure for figure in [*missed, *hours, *strain] if figure is not None]
    return Page("shedding.html", "shedding.html", content, figures)


def _of_query(compared: Shedding, strategies: list[str], query: str) -> Figure | None:
    whole = max(one.by_query[query]["query_matches"].mean for one in compared.outcomes if query in one.by_query)
    return against_load(
        compared,
        f"shedding-missed-against-load-{re.sub(r'[^A-Za-z0-9]', '_', query)}",
        strategies,
        lambda one: one.lost_of(query),
        "matches missed",
        f"Share of the {quantity(whole)} matches of {shown(query)} that is missing, against the load.",
    )


def _weighted(compared: Shedding) -> bool:
    return len(set(compared.weights.values())) > 1


def _headings(compared: Shedding) -> list[Heading]:
    return [
        Heading("strategy", whole=True),
        Heading("missed", number=True),
        *(Heading(f"of {shown(name)}", number=True) for name in compared.queries if len(compared.queries) > 1),
        Heading("invented", number=True),
        Heading("dropped", number=True),
        Heading("runs", number=True),
    ]


def _row(compared: Shedding, one: Outcome) -> list[str]:
    return [
        shown(one.strategy),
        _share(one.measures["lost"]),
        *(_share(one.lost_of(name)) for name in compared.queries if len(compared.queries) > 1),
        _count(one.measures.get("false_positives")),
        _count(one.measures["dropped"]),
        quantity(one.measures["lost"].n),
    ]


_LATENCIES = [
    Heading("strategy", whole=True),
    Heading("median latency", number=True),
    Heading("99 % within", number=True),
    Heading("latest event", number=True),
    Heading("events late", number=True),
    Heading("time above the bound", number=True),
    Heading("overhead", number=True),
    Heading("trained anew", number=True),
]


def _latencies(one: Outcome) -> list[str]:
    times = [one.measures.get(name) for name in ("latency_p50", "latency_p99", "latency_p100")]
    return [
        shown(one.strategy),
        *("–" if it is None else virtual(it.mean) for it in times),
        *(_share(one.measures.get(name)) for name in ("late_events", "late_time", "overhead")),
        _count(one.measures.get("retrained")),
    ]


def _share(found: Spread | None) -> str:
    if found is None:
        return "–"
    return share(found.mean) + (f" ± {share(found.deviation)}" if found.deviation else "")


def _count(found: Spread | None) -> str:
    if found is None:
        return "–"
    digits = 0 if found.mean >= 100 else 1
    about = f" ± {quantity(round(found.deviation, digits))}" if found.deviation else ""
    return quantity(round(found.mean, digits)) + about


def _states(compared: Shedding) -> dict[str, Any] | None:
    """What was dropped, by query and by how far a partial match had come; None where nothing was."""
    told = {name: found for name, found in compared.states.items() if any(map(sum, found.values()))}
    if not told:
        return None
    rows = []
    for query in compared.queries:
        lengths = {len(found[query]) for found in told.values() if query in found}
        for state in range(max(lengths, default=0)):
            steps = f"{state} of {max(lengths)}"
            rows.append([shown(query), steps, *(_dropped(found.get(query), state) for found in told.values())])
    headings = [Heading("query"), Heading("elements bound"), *(Heading(shown(name), number=True) for name in told)]
    return {"headings": headings, "rows": rows}


def _dropped(by_state: Any, state: int) -> str:
    return quantity(by_state[state]) if by_state is not None and state < len(by_state) else "–"


def _costs(compared: Shedding) -> list[tuple[str, str]]:
    """Terms and values, in virtual time."""
    found: list[tuple[str, str]] = [("Latency bound", virtual(compared.bound_ns))]
    if compared.buffer_ns:
        found.append(("Safety buffer", virtual(compared.buffer_ns)))
    if compared.virtual_cost is not None:
        found.append(("The day unshed", virtual(compared.virtual_cost)))
    if compared.trained_events is not None:
        days = ""
        if compared.training_days is not None:
            had, asked = compared.training_days
            days = f", of {counted(had, 'day')}" + (f" ({asked} were asked for)" if had < asked else "")
        found.append(("Trained on", f"{counted(compared.trained_events, 'event')} before the day{days}"))
    costs: Mapping[str, Any] = compared.costs
    for key, term in _TERMS.items():
        if key in costs:
            found.append((term, virtual(costs[key])))
    for query, states in costs.get("states", {}).items():
        same = virtual(states[0]) + " in every state" if len(set(states)) == 1 else ", ".join(map(virtual, states))
        weight = compared.weights.get(query, 1.0)
        found.append(
            (f"A partial match of {shown(query)}", same + (f"; weight {quantity(weight)}" if weight != 1 else ""))
        )
    return found


_TERMS = {
    "event": "An event",
    "window": "Opening a window",
    "lookup": "Looking up a utility",
    "sort": "A comparison in sorting",
    "drop": "Dropping a partial match",
    "draw": "A random decision",
}
