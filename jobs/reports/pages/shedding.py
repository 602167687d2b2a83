"""The Shedding page: what a machine too slow for the day would have missed, by strategy, load, bound, query, hour."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cep_core.experiments.loads import DAY
from cep_core.experiments.spread import Spread
from cep_core.shedding.shedders.events import EVENTS_BY_TYPE
from cep_core.shedding.strategies import strategy_named
from jobs.reports.answers.listing import Heading, numbers
from jobs.reports.comparisons.shedding_answer import (
    answer,
    bound_kept,
    choice_text,
    described_load,
    over_what,
    yardsticks,
)
from jobs.reports.comparisons.shedding_comparison import SheddingComparison, SheddingOutcome
from jobs.reports.day_report import DayReport
from jobs.reports.figures.shed_hours import dropped_figure, latency_figure, missed_figure
from jobs.reports.page import Page
from jobs.reports.pages.shedding_figures import choice_figure, missed_figures, strain_figures
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import counted, quantity, share, virtual
from jobs.reports.words.values import shown


def page(report: DayReport) -> Page | None:
    """The page; None where the day was not compared, and then the report has no such page."""
    compared = report.shedding
    if compared is None:
        return None
    hours = [figure(compared, report.day, report.clock) for figure in (latency_figure, missed_figure, dropped_figure)]
    missed, choice, strain = missed_figures(compared), choice_figure(compared), strain_figures(compared)
    latency, missed_when, dropped_when = hours
    content = {
        "title": "Shedding",
        "finding": answer(compared),
        "bound": bound_kept(compared),
        "choice_text": choice_text(compared),
        "yardsticks": yardsticks(compared),
        "operator": _operator(compared, report.clock),
        "load": described_load(compared),
        "missed": missed,
        "choice": choice,
        "choices": {
            "headings": _DROPS,
            "rows": [_drops(outcome) for outcome in compared.at_setting if "choice" in outcome.measures],
        },
        "latency": latency,
        "missed_when": missed_when,
        "dropped_when": dropped_when,
        "strain": strain,
        "strategies": {
            "headings": _headings(compared),
            "rows": [_row(compared, outcome) for outcome in compared.at_setting],
        },
        "drops": [(shown(name), record.drops) for name in compared.strategies if (record := strategy_named(name))],
        "events_strategy": EVENTS_BY_TYPE.name,
        "latencies": {"headings": _LATENCIES, "rows": [_latencies(outcome) for outcome in compared.at_setting]},
        "states": _states(compared),
        "costs": _costs(compared),
    }
    figures = [figure for figure in [*missed, choice, *hours, *strain] if figure is not None]
    return Page("shedding.html", "shedding.html", content, figures)


def _operator(compared: SheddingComparison, clock: Clock) -> str:
    """What the load and the bound mean in the day's own time."""
    load, over = compared.setting.load, over_what(compared, compared.setting.over)
    when = f", {clock.span(*compared.busiest)}," if compared.busiest else ""
    if compared.setting.over == DAY:
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
        meaning += f" In the day's own time the bound of {virtual(compared.bound_ns)} is {clock.length(round(late))}."
    return meaning


_DROPS = [
    Heading("strategy", whole=True),
    *numbers("drops", "with a choice", "partial matches dropped"),
]


def _drops(outcome: SheddingOutcome) -> list[str]:
    measures = outcome.measures
    return [shown(outcome.strategy), _count(measures["drops"]), _share(measures["choice"]), _count(measures["dropped"])]


def _headings(compared: SheddingComparison) -> list[Heading]:
    return [
        Heading("strategy", whole=True),
        Heading("missed", number=True),
        *(Heading(f"of {shown(name)}", number=True) for name in compared.queries if len(compared.queries) > 1),
        *numbers("invented", "dropped", "runs"),
    ]


def _row(compared: SheddingComparison, outcome: SheddingOutcome) -> list[str]:
    return [
        shown(outcome.strategy),
        _share(outcome.measures["lost"] if outcome.has_matches() else None),
        *(
            _share(outcome.lost_of(name) if outcome.has_matches(name) else None)
            for name in compared.queries
            if len(compared.queries) > 1
        ),
        _count(outcome.measures.get("false_positives")),
        _count(outcome.measures["dropped"]),
        quantity(outcome.measures["lost"].n),
    ]


_LATENCIES = [
    Heading("strategy", whole=True),
    *numbers(
        "median latency",
        "99 % within",
        "latest event",
        "events late",
        "time above the bound",
        "overhead",
        "trained anew",
    ),
]


def _latencies(outcome: SheddingOutcome) -> list[str]:
    times = [outcome.measures.get(name) for name in ("latency_p50", "latency_p99", "latency_p100")]
    return [
        shown(outcome.strategy),
        *("–" if time is None else virtual(time.mean) for time in times),
        *(_share(outcome.measures.get(name)) for name in ("late_events", "late_time", "overhead")),
        _count(outcome.measures.get("retrained")),
    ]


def _share(spread: Spread | None) -> str:
    if spread is None:
        return "–"
    return share(spread.mean) + (f" ± {share(spread.deviation)}" if spread.deviation else "")


def _count(spread: Spread | None) -> str:
    if spread is None:
        return "–"
    digits = 0 if spread.mean >= 100 else 1
    about = f" ± {quantity(round(spread.deviation, digits))}" if spread.deviation else ""
    return quantity(round(spread.mean, digits)) + about


def _states(compared: SheddingComparison) -> dict[str, Any] | None:
    """What was dropped, by query and by how far a partial match had come; None where nothing was dropped."""
    dropped = {name: by_query for name, by_query in compared.states.items() if any(map(sum, by_query.values()))}
    if not dropped:
        return None
    rows = []
    for query in compared.queries:
        lengths = {len(by_query[query]) for by_query in dropped.values() if query in by_query}
        for state in range(max(lengths, default=0)):
            steps = f"{state} of {max(lengths)}"
            rows.append([shown(query), steps, *(_dropped(by_query.get(query), state) for by_query in dropped.values())])
    headings = [Heading("query"), Heading("elements bound"), *(Heading(shown(name), number=True) for name in dropped)]
    return {"headings": headings, "rows": rows}


def _dropped(by_state: Any, state: int) -> str:
    return quantity(by_state[state]) if by_state is not None and state < len(by_state) else "–"


def _costs(compared: SheddingComparison) -> list[tuple[str, str]]:
    """Terms and values, in virtual time."""
    terms: list[tuple[str, str]] = [("Latency bound", virtual(compared.bound_ns))]
    if compared.buffer_ns:
        terms.append(("Safety buffer", virtual(compared.buffer_ns)))
    if compared.virtual_cost is not None:
        terms.append(("The day unshed", virtual(compared.virtual_cost)))
    if compared.trained_events is not None:
        days = ""
        if compared.training_days is not None:
            had, required = compared.training_days
            days = f", of {counted(had, 'day')}" + (f" ({required} were asked for)" if had < required else "")
        terms.append(("Trained on", f"{counted(compared.trained_events, 'event')} before the day{days}"))
    costs: Mapping[str, Any] = compared.costs
    for key, term in _TERMS.items():
        if key in costs:
            terms.append((term, virtual(costs[key])))
    for query, states in costs.get("states", {}).items():
        same = virtual(states[0]) + " in every state" if len(set(states)) == 1 else ", ".join(map(virtual, states))
        weight = compared.weights.get(query, 1.0)
        terms.append(
            (f"A partial match of {shown(query)}", same + (f"; weight {quantity(weight)}" if weight != 1 else ""))
        )
    return terms


_TERMS = {
    "event": "An event",
    "window": "Opening a window",
    "lookup": "Looking up a utility",
    "sort": "A comparison in sorting",
    "drop": "Dropping a partial match",
    "draw": "A random decision",
}
