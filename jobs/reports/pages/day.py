"""The Day page: the answer to every question in one sentence, what changed, and three figures."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from jobs.reports.answers.changes import TRAILING, Change, volume
from jobs.reports.answers.listing import Heading, numbers
from jobs.reports.answers.missing import is_missing
from jobs.reports.comparisons.shedding_answer import QUESTION, answer, bound_kept
from jobs.reports.day_report import DayReport
from jobs.reports.figures.rhythm import rhythm_figure
from jobs.reports.figures.trailing import trailing_figure
from jobs.reports.figures.when import when_figure
from jobs.reports.page import Page
from jobs.reports.query_report import incompleteness
from jobs.reports.words.clock import spoken
from jobs.reports.words.quantities import counted, quantity
from jobs.reports.words.values import listed, shown


def page(report: DayReport) -> Page:
    """The first page of a day."""
    changes = {query.question.name: query.change for query in report.queries if query.change is not None}
    periods = {query.question.name: query.periods for query in report.queries if query.periods is not None}
    words = {query.question.name: query.peak for query in report.queries}
    only_listed = [query.question.name for query in report.queries if query.listed is not None]
    drawn = {
        "trailing": trailing_figure(changes, report.day),
        "rhythm": rhythm_figure(
            report.volume.today,
            report.volume.before,
            list(report.workload.schema.types),
            report.interval,
            report.day,
            report.clock,
        ),
        "when": when_figure(periods, words, only_listed, report.interval, report.day, report.clock),
    }
    start, end = report.interval
    content = {
        "title": spoken(report.day),
        "span": report.clock.span(start, end),
        "zone": report.clock.zone,
        "notices": notices(report),
        "queries": report.queries,
        "shedding": _shedding(report),
        "volume": volume(report.volume.total, report.volume.totals_before),
        "trailing": TRAILING,
        "figures": drawn,
        "undrawn": _undrawn(report, changes),
        "types": _types(report),
    }
    return Page("index.html", "day.html", content, tuple(figure for figure in drawn.values() if figure is not None))


def _undrawn(report: DayReport, changes: Mapping[str, Change]) -> dict[str, str]:
    """What stands in the place of a figure that has nothing to draw."""
    trailing, when = "No earlier day has been evaluated, so there is nothing to compare with yet.", "No results."
    if uncounted := [name for name, change in changes.items() if change.before and not change.exact]:
        trailing = f"Matches of {listed(uncounted)} were counted only as far as listed: there is nothing to compare."
    counting = [query for query in report.queries if query.answer is not None and query.answer.headline.sign]
    if counting:
        is_cut = any(query.listed is not None for query in counting)
        when = "No result is listed." if is_cut else "The results ended before this day."
    return {"trailing": trailing, "when": when}


def _shedding(report: DayReport) -> dict[str, str] | None:
    """The answer of the Shedding page, if there is one."""
    if report.shedding is None:
        return None
    return {"asked": QUESTION, "sentence": answer(report.shedding), "bound": bound_kept(report.shedding)}


def notices(report: DayReport) -> list[str]:
    """What a reader must know before the answers: missing days, a refused load, cut listings, an empty day."""
    records = [days[report.day] for days in report.records.by_query.values() if report.day in days]
    lines = incompleteness(records)
    if report.loaded is not None and report.loaded["refused"]:
        lines.append(
            "The last load of this day failed the quality gate; this report shows the load before it. "
            f"The first reason: {shown(report.loaded['reason'], 200)}"
        )
    if not report.volume.total:
        lines.append(
            "This day has no events: no row of the files that were read gave one. Results that need one are empty. If "
            "other files have this day's rows, name them in the workload's sources and run the day again."
        )
    missing = sorted(name for name, days in report.records.by_query.items() if is_missing(days.get(report.day, {})))
    if missing:
        lines.append(f"There is no result for {listed(missing)}: the budget of work was too small.")
    cut = [query.question.name for query in report.queries if query.answer is not None and query.answer.caveat]
    if cut:
        lines.append(
            f"The listing is cut for {listed(cut)}. Numbers here count everything, unless they say that they count "
            "what is listed."
        )
    return lines


def _types(report: DayReport) -> dict[str, object]:
    """Events by type today, and the median of the days before."""
    today = report.volume.by_type
    names = [name for name in report.workload.schema.types if name in today] + sorted(
        name for name in today if name not in report.workload.schema.types
    )
    names += [name for name in report.workload.schema.types if name not in today]
    before = list(report.volume.types_before.values())
    headings = [
        Heading("event type"),
        *numbers("today", f"median, {counted(len(before), 'day')} before", "range"),
    ]
    rows = []
    for name in names:
        counts = [day.get(name, 0) for day in before]
        spread = ["–", "–"]
        if counts:
            spread = [quantity(median(counts)), f"{quantity(min(counts))} to {quantity(max(counts))}"]
        rows.append([shown(name), quantity(today.get(name, 0)), *spread])
    return {"headings": headings, "rows": rows}
