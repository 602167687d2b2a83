"""A query's page: question, answer, figures, tables with the files behind them, the text and how it is evaluated."""

from __future__ import annotations

from jobs.reports.answers.listing import FILED
from jobs.reports.day_report import DayReport
from jobs.reports.history.query_history import FOLDER as HISTORY
from jobs.reports.kinds.by_kind import presentation_of
from jobs.reports.page import Page
from jobs.reports.query_report import QueryReport
from jobs.reports.words.quantities import quantity


def page(report: DayReport, query: QueryReport) -> Page:
    """One query on one day."""
    listing = query.listing
    listed = f"listed {query.answer.unit}" if query.answer is not None and query.cut else "results"
    summary = ""
    if listing is not None and listing.total:
        summary = f"All {quantity(listing.total)} {listed}, {listing.order}."
        if listing.total == 1:
            summary = "One of them is listed." if query.cut else "There is one."
        if listing.total > len(listing.cells):
            of = "the " if query.cut else ""
            summary = f"{len(listing.cells)} of {of}{quantity(listing.total)} {listed}: {listing.order}."
    presentation = presentation_of(query.question)
    automaton = None if presentation.diagram is None else presentation.diagram(query.question)
    content = {
        "history": HISTORY,
        "title": query.question.name,
        "report": query,
        "summary": summary,
        "filed": "" if listing is None or listing.total <= FILED else f"first {FILED:,} of {listing.total:,} rows",
        "all_rows": f"CSV of the {listed}" if query.cut else "All as CSV",
        "none_listed": _none_listed(query),
        "further": _further(report, query),
        "automaton": automaton,
        "noun": presentation.noun,
        "zone": report.clock.zone,
    }
    files = {} if listing is None else {query.file: listing}
    files |= {section.file: section.listing for section in query.sections}
    figures = [*query.figures, *(section.figure for section in query.sections if section.figure is not None)]
    return Page(query.page, "query.html", content, (*figures, *([automaton] if automaton else [])), files)


def _further(report: DayReport, query: QueryReport) -> dict[str, str] | None:
    """Where matches are told that the page has no room for; None if there are none."""
    left = 0 if query.listing is None or not query.details else query.listing.total - len(query.details)
    if not left:
        return None
    name, workload, day = query.question.name, report.workload.name, report.day
    return {
        "many": f"{quantity(left)} other listed {'matches are' if left > 1 else 'match is'}",
        "one": f"trendmill why {workload} {name} --day {day} --match ID",
        "all": f"trendmill sql \"SELECT * FROM {workload}.{name}_events WHERE day = '{day}'\"",
    }


def _none_listed(query: QueryReport) -> str:
    """What is said in the place of an empty listing."""
    if query.answer is not None and query.cut:
        return f"None of the {query.answer.unit} of this day is listed."
    return "No results on this day."
