"""A query's page: question, answer, top results with the file behind them, figure, explained plan."""

from __future__ import annotations

from jobs.reports.day_report import DayReport
from jobs.reports.listing import FILED
from jobs.reports.page import Page
from jobs.reports.quantities import quantity
from jobs.reports.query_report import QueryReport


def page(report: DayReport, query: QueryReport) -> Page:
    """One query on one day."""
    listing = query.listing
    summary = ""
    if listing is not None and listing.total:
        shown = (
            f"The first {len(listing.cells)} of {quantity(listing.total)}"
            if listing.total > len(listing.cells)
            else "All"
        )
        summary = f"{shown} results, {listing.order}."
    content = {
        "title": query.question.name,
        "report": query,
        "summary": summary,
        "filed": "" if listing is None or listing.total <= FILED else f"first {FILED:,} of {listing.total:,} rows",
        "zone": report.clock.zone,
    }
    files = {} if listing is None else {query.file: listing}
    return Page(query.page, "query.html", content, query.figures, files)
