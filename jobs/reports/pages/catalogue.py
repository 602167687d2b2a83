"""The Catalogue page: every table of the workload, with its columns, its origin and its last update.

Comments, constraints, versions and freshness come from the tables' own logs; so does the list of tables.
"""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.compile import tables_beside
from jobs.reports.answers.listing import Heading
from jobs.reports.day_report import DayReport
from jobs.reports.lake_reader import TableFacts
from jobs.reports.page import Page
from jobs.reports.words.quantities import quantity

COMES_FROM = {
    "_work/staged_events": ("the sources, by events.sql and the row rules",),
    "_work/source_rows": ("the sources",),
    "_work/source_files": ("the sources' files",),
    "_work/loaded_days": ("_work/staged_events", "the gate of expectations.yaml"),
    "events": ("_work/staged_events", "the gate of expectations.yaml"),
    "quarantine": ("_work/staged_events",),
    "stream_statistics": ("events",),
    "heavy_hitters": ("events",),
    "slicing_plans": ("stream_statistics", "heavy_hitters", "the queries' atoms"),
    "_work/slices": ("events", "slicing_plans"),
    "_work/points": ("events",),
    "slice_runs": ("_work/slices", "the queries"),
    "result_days": ("events", "the queries"),
    "experiments": ("events", "slicing_plans", "the queries that ask for shedding"),
    "runs": ("the stages of every run",),
}
"""What each table of the pipeline is computed from; a query's table comes from the events and its query."""


@dataclass(frozen=True)
class CatalogueEntry:
    """A table on the page."""

    facts: TableFacts
    comes_from: tuple[str, ...]
    rows: str

    @property
    def anchor(self) -> str:
        return "table-" + self.facts.name.replace("/", "-")


def page(report: DayReport) -> Page:
    """Every table that exists, published ones first."""
    files = {query.question.name: query.question.bound.path for query in report.queries}
    entries = [
        CatalogueEntry(facts, lineage(name, files), quantity(facts.rows))
        for name in report.reader.tables()
        if (facts := report.reader.facts(name)) is not None
    ]
    headings = [
        Heading("table"),
        Heading("rows", number=True),
        Heading("latest day"),
        Heading("version", number=True),
        Heading("written (UTC)", measured=True),
    ]
    content = {
        "title": "Catalogue",
        "entries": entries,
        "headings": headings,
        "columns": [Heading("column"), Heading("type"), Heading("null"), Heading("meaning")],
        "name": report.workload.name,
        "owner": report.workload.owner,
    }
    return Page("catalogue.html", "catalogue.html", content)


def lineage(name: str, files: dict[str, str]) -> tuple[str, ...]:
    """What a table is computed from.

    >>> lineage("late_compact", {"late": "queries/late.cep"})
    ('events', 'queries/late.cep')
    """
    whole = [name, *(name.removesuffix(suffix) for suffix in tables_beside())]
    query = next((query for query in whole if query in files), name)
    if query in files:
        return ("events", files[query])
    return COMES_FROM.get(name, ())
