"""A query's page: question, answer, top results with the file behind them, figure, explained plan."""

from __future__ import annotations

from jobs.reports.answers.listing import FILED
from jobs.reports.day_report import DayReport
from jobs.reports.kinds.by_kind import presentation_of
from jobs.reports.page import Page
from jobs.reports.query_report import QueryReport
from jobs.reports.words.quantities import quantity
from jobs.reports.words.values import listed as names_listed


def page(report: DayReport, query: QueryReport) -> Page:
    """One query on one day."""
    listing = query.listing
    listed = "listed matches" if query.cut else "results"
    summary = ""
    if listing is not None and listing.total:
        which = "All" if listing.total == len(listing.cells) else f"The first {len(listing.cells)} of"
        of = "the " if query.cut and which != "All" else ""
        summary = f"{which} {of}{quantity(listing.total)} {listed}, {listing.order}."
    diagram = presentation_of(query.question).diagram
    automaton = None if diagram is None else diagram(query.question)
    content = {
        "title": query.question.name,
        "report": query,
        "summary": summary,
        "filed": "" if listing is None or listing.total <= FILED else f"first {FILED:,} of {listing.total:,} rows",
        "all_rows": "CSV of the listed matches" if query.cut else "All as CSV",
        "leaders": _leaders(query),
        "automaton": automaton,
        "zone": report.clock.zone,
    }
    files = {} if listing is None else {query.file: listing}
    if query.leaders is not None:
        files[query.leaders_file] = query.leaders
    if query.episodes is not None:
        files[query.episodes_file] = query.episodes
    return Page(query.page, "query.html", content, (*query.figures, *([automaton] if automaton else [])), files)


def _leaders(query: QueryReport) -> dict[str, object] | None:
    """Matches by key: words above the table, and the table."""
    listing = query.leaders
    if listing is None:
        return None
    names = [heading.title for heading in listing.headings[:-2]]
    kind = "values" if len(names) == 1 else "combinations"
    shown = len(listing.cells)
    which = f"The first {shown} of {quantity(listing.total)}" if listing.total > shown else f"All {shown}"
    return {
        "title": f"Matches by {names_listed(names)}",
        "summary": f"{which} {kind}, {listing.order}.",
        "headings": listing.headings,
        "cells": listing.cells,
        "file": query.leaders_file,
    }
