"""The Shedding page: what a machine too slow for the day would have missed, by strategy, load, bound, query, hour."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from cep_core.experiments.loads import BUSIEST, DAY
from cep_core.experiments.spread import Spread
from cep_core.shedding.shedders.events import EVENTS_BY_TYPE
from cep_core.shedding.shedders.nothing import UNSHED
from cep_core.shedding.strategies import strategy_named
from jobs.reports.answers.listing import Heading
from jobs.reports.comparisons.shedding_answer import answer, bound_kept, choice_told, load_told, over_what, yardsticks
from jobs.reports.comparisons.shedding_comparison import SheddingComparison, SheddingOutcome
from jobs.reports.day_report import DayReport
from jobs.reports.figures.along_settings import along_settings
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.shed_hours import dropped_figure, latency_figure, missed_figure
from jobs.reports.page import Page
from jobs.reports.words.moments import Clock
from jobs.reports.words.quantities import counted, quantity, share, virtual
from jobs.reports.words.values import listed, shown


def page(report: DayReport) -> Page | None:
    """The page; None where the day was not compared, and then the report has no such page."""
    compared = report.shedding
    if compared is None:
        return None
    hours = [figure(compared, report.day, report.clock) for figure in (latency_figure, missed_figure, dropped_figure)]
    missed, choice, strain = _missed(compared), _choice(compared), _strain(compared)
    latency, missed_when, dropped_when = hours
    content = {
        "title": "Shedding",
        "finding": answer(compared),
        "bound": bound_kept(compared),
        "choice_told": choice_told(compared),
        "yardsticks": yardsticks(compared),
        "operator": _operator(compared, report.clock),
        "load": load_told(compared),
        "missed": missed,
        "choice": choice,
        "choices": {"headings": _DROPS, "rows": [_drops(one) for one in compared.at_told if "choice" in one.measures]},
        "latency": latency,
        "missed_when": missed_when,
        "dropped_when": dropped_when,
        "strain": strain,
        "strategies": {"headings": _headings(compared), "rows": [_row(compared, one) for one in compared.at_told]},
        "drops": [(shown(name), record.drops) for name in compared.strategies if (record := strategy_named(name))],
        "events_strategy": EVENTS_BY_TYPE.name,
        "latencies": {"headings": _LATENCIES, "rows": [_latencies(one) for one in compared.at_told]},
        "states": _states(compared),
        "costs": _costs(compared),
    }
    figures = [figure for figure in [*missed, choice, *hours, *strain] if figure is not None]
    return Page("shedding.html", "shedding.html", content, figures)


def _operator(compared: SheddingComparison, clock: Clock) -> str:
    """What the load and the bound mean on the day's own clock."""
    load, over = compared.told.load, over_what(compared, compared.told.over)
    when = f", {clock.span(*compared.busiest)}," if compared.busiest else ""
    if compared.told.over == DAY:
        meaning = f"At a load of {share(load)} over the day, the day's work takes {load:g} times as long as the day."
        over_day = load
    else:
        over_day = compared.loads_over_day[load]
        meaning = (
            f"At a load of {share(load)} over {over}{when or ','} the work of those hours takes {load:g} times as long "
            f"as they last; over the whole day that is a load of {share(over_day)}."
        )
    if compared.virtual_cost:
        late = compared.bound_ns / (compared.virtual_cost / over_day) * 24 * clock.units_per_hour
        meaning += f" The bound of {virtual(compared.bound_ns)} then is {clock.length(round(late))} of the day."
    return meaning


def _missed(compared: SheddingComparison) -> list[Figure]:
    """Along loads over the busiest hours, loads over the day, and bounds; then each query by itself."""
    names = compared.queries
    queries = listed([shown(name) for name in names or compared.asked]) or "all queries"
    weighted = ", weighted," if _weighted(compared) else ""
    bound = f"with a bound of {virtual(compared.bound_ns)}"
    settings = {
        f"load-{over}": (compared.along(over), f"load over {over_what(compared, over)}, {bound}")
        for over in (BUSIEST, DAY)
    }
    settings["bound"] = compared.bounds, f"latency bound, at {load_told(compared)}"
    about: list[tuple[str | None, str, str]] = [(None, f"the matches of {queries}{weighted}", key) for key in settings]
    for name in names if len(names) > 1 else []:
        whole = quantity(_matches(compared, name))
        about.append((name, f"the {whole} matches of {shown(name)}", f"load-{compared.told.over}"))
    found = []
    for query, matches, key in about:
        along, against = settings[key]
        found.append(
            along_settings(
                compared,
                f"shedding-missed-by-{key}" + (f"-{re.sub(r'[^A-Za-z0-9]', '_', query)}" if query else ""),
                along,
                _shedding(compared),
                partial(SheddingOutcome.lost_of, query=query),
                ("matches missed", f"Share of {matches} that is missed, by {against}."),
                least=query is None,
            )
        )
    return [figure for figure in found if figure is not None]


def _choice(compared: SheddingComparison) -> Figure | None:
    """Along the loads: there is a choice where not all partial matches have to be dropped."""
    over = compared.told.over
    return along_settings(
        compared,
        "shedding-choice",
        compared.along(over),
        _shedding(compared),
        lambda one: one.measures.get("choice"),
        (
            "drops with a choice",
            "Share of the drops in which not all candidates had to be dropped, by the load over "
            f"{over_what(compared, over)}; no point where nothing was dropped.",
        ),
    )


_DROPS = [
    Heading("strategy", whole=True),
    Heading("drops", number=True),
    Heading("with a choice", number=True),
    Heading("partial matches dropped", number=True),
]


def _drops(one: SheddingOutcome) -> list[str]:
    its = one.measures
    return [shown(one.strategy), _count(its["drops"]), _share(its["choice"]), _count(its["dropped"])]


def _strain(compared: SheddingComparison) -> list[Figure]:
    """Figures of the time above the bound and of what shedding costs."""
    here, over = compared.along(compared.told.over), over_what(compared, compared.told.over)
    found = [
        along_settings(
            compared,
            "shedding-late-time",
            here,
            compared.strategies,
            lambda one: one.measures["late_time"],
            (
                "time above the bound",
                "Share of the day's time in which events take longer than the bound of "
                f"{virtual(compared.bound_ns)}, by the load over {over}.",
            ),
        ),
        along_settings(
            compared,
            "shedding-overhead",
            here,
            _shedding(compared),
            lambda one: one.measures["overhead"],
            (
                "work spent on shedding",
                "Shedding's own share of all virtual work (looking up, sorting, drawing, dropping), by the load over "
                f"{over}.",
            ),
        ),
    ]
    return [figure for figure in found if figure is not None]


def _shedding(compared: SheddingComparison) -> list[str]:
    return [name for name in compared.strategies if name != UNSHED.name]


def _matches(compared: SheddingComparison, query: str) -> float:
    return max(one.by_query[query]["query_matches"].mean for one in compared.outcomes if query in one.by_query)


def _weighted(compared: SheddingComparison) -> bool:
    return len(set(compared.weights.values())) > 1


def _headings(compared: SheddingComparison) -> list[Heading]:
    return [
        Heading("strategy", whole=True),
        Heading("missed", number=True),
        *(Heading(f"of {shown(name)}", number=True) for name in compared.queries if len(compared.queries) > 1),
        Heading("invented", number=True),
        Heading("dropped", number=True),
        Heading("runs", number=True),
    ]


def _row(compared: SheddingComparison, one: SheddingOutcome) -> list[str]:
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


def _latencies(one: SheddingOutcome) -> list[str]:
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


def _states(compared: SheddingComparison) -> dict[str, Any] | None:
    """What was dropped, by query and by how far a partial match had come; None where nothing was dropped."""
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


def _costs(compared: SheddingComparison) -> list[tuple[str, str]]:
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
