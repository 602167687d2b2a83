"""Publish the reports of a workload's days: read the lake without a JVM, write static pages, record what was done.

Reports of many days are written by several processes (`jobs/reports/writing_processes.py`), with the same bytes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from jobs import places
from jobs.reports import overview
from jobs.reports.lake_reader import LakeReader, rows
from jobs.reports.masking import masks_of
from jobs.reports.questions import questions_of
from jobs.reports.report_writer import ReportWriter
from jobs.reports.stored_reports import reports_here
from jobs.reports.writing_processes import write_reports
from jobs.runs.run import Progress
from jobs.workload.declaration import Workload


@dataclass(frozen=True)
class Published:
    """What was published: the first page of each day.

    `skipped`: days that are not in the lake. `kept`: days whose report stays as it was: their last load failed the
    gate, or their events expired.
    """

    pages: dict[date, Path]
    skipped: tuple[date, ...]
    kept: tuple[date, ...]
    seconds: float


def publish(workload: Workload, days: Iterable[date], run_id: str, progress: Progress | None = None) -> Published:
    """Publish some days, and every other day that the run `run_id` evaluated.

    A day that was neither loaded nor evaluated is skipped. A day that failed its gate keeps its report. Raises
    QueryError if a query is wrong.
    """
    started = time.perf_counter()
    questions = questions_of(workload)
    reader = LakeReader(places.lake() / workload.name, masks=masks_of(workload, questions))
    loaded, keeping = _known_days(reader), _days_that_keep(reader)
    chosen = _with_evaluated(days, reader, run_id)
    pages: dict[date, Path] = {}
    with reports_here() as reports:
        home = reports / workload.name
        kept = tuple(on for on in chosen if on in keeping and (home / on.isoformat() / "index.html").exists())
        to_publish = [on for on in chosen if on in loaded and on not in kept]
        for on, page in write_reports(ReportWriter(workload, questions, reader, run_id, home), to_publish):
            pages[on] = places.reports() / page.relative_to(reports)
            if progress is not None:
                progress.advance(len(pages), len(to_publish), on.isoformat())
        overview.write(workload, questions, reader, home)
        overview.write_root(reports)
    skipped = tuple(on for on in chosen if on not in loaded)
    return Published(dict(sorted(pages.items())), skipped, kept, time.perf_counter() - started)


def _with_evaluated(days: Iterable[date], reader: LakeReader, run_id: str) -> list[date]:
    evaluated = rows(reader.read("result_days", columns=["day", "run_id"]))
    return sorted({*days, *(row["day"] for row in evaluated if row["run_id"] == run_id)})


def _known_days(reader: LakeReader) -> set[date]:
    """Days with published events or results. A day that always failed its gate has nothing to report."""
    loaded = rows(reader.read("_work/loaded_days", columns=["day", "digest"]))
    evaluated = rows(reader.read("result_days", columns=["day"]))
    return {row["day"] for row in evaluated} | {row["day"] for row in loaded if row["digest"] is not None}


def _days_that_keep(reader: LakeReader) -> set[date]:
    """Days whose report stays: their last load failed the gate, or their events were removed after their retention."""
    loaded = rows(reader.read("_work/loaded_days", columns=["day", "refused", "expired"]))
    return {row["day"] for row in loaded if row["refused"] or row.get("expired")}
