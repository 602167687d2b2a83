"""Publish the reports of a workload's days: read the lake without a JVM, write static pages, record what was done.

A day's folder is written beside its place and moved there when it is whole. So a reader never sees half a report, and a
failure leaves the report as it was. `run.json` beside the pages records the publishing itself: when, by which
run, from which table versions, in how many seconds.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from jobs import places
from jobs.reports import overview
from jobs.reports.day_report import DayReport, report_day
from jobs.reports.lake_reader import LakeReader, rows
from jobs.reports.page import Page
from jobs.reports.pages import catalogue, day, quality, query, run, shedding, slicing
from jobs.reports.questions import Question, questions_of
from jobs.reports.site import move_folder, write_pages
from jobs.reports.words.clock import spoken
from jobs.runs.run import Progress
from jobs.workload.declaration import Workload
from jobs.workload.operating_days import OperatingDays


@dataclass(frozen=True)
class Published:
    """What was published: the first page of each day.

    `skipped`: days that are not in the lake. `kept`: days whose last load failed the gate and whose report stays as it
    was.
    """

    pages: dict[date, Path]
    skipped: tuple[date, ...]
    kept: tuple[date, ...]
    seconds: float


def publish(workload: Workload, first: date, last: date, run_id: str, progress: Progress | None = None) -> Published:
    """Publish the days `first`..`last`, and every other day that the run `run_id` evaluated.

    A day that was neither loaded nor evaluated is skipped. A day that failed its gate keeps its report. Raises
    QueryError if a query is wrong.
    """
    started = time.perf_counter()
    questions = questions_of(workload)
    reader = LakeReader(places.lake() / workload.name)
    home = places.reports() / workload.name
    loaded, refused = _known_days(reader), _refused_days(reader)
    days = _days(workload.operating_days, reader, first, last, run_id)
    kept = tuple(on for on in days if on in refused and (home / on.isoformat() / "index.html").exists())
    pages: dict[date, Path] = {}
    for done, on in enumerate(to_publish := [on for on in days if on in loaded and on not in kept]):
        if progress is not None:
            progress.advance(done, len(to_publish), on.isoformat())
        pages[on] = _publish_day(workload, questions, reader, on, run_id, home)
    overview.write(workload, questions, reader, home)
    overview.write_root(places.reports())
    skipped = tuple(on for on in days if on not in loaded)
    return Published(pages, skipped, kept, time.perf_counter() - started)


def pages_of(report: DayReport) -> list[Page]:
    """Every page of a day's report. The Shedding page exists only if shedding was compared."""
    return [
        day.page(report),
        *(query.page(report, answered) for answered in report.queries),
        slicing.page(report),
        *([shed] if (shed := shedding.page(report)) is not None else []),
        quality.page(report),
        catalogue.page(report),
        run.page(report),
    ]


def _days(days: OperatingDays, reader: LakeReader, first: date, last: date, run_id: str) -> list[date]:
    evaluated = rows(reader.read("result_days", columns=["day", "run_id"]))
    return sorted({*days.days(first, last), *(row["day"] for row in evaluated if row["run_id"] == run_id)})


def _known_days(reader: LakeReader) -> set[date]:
    """Days with published events or results. A day that always failed its gate has nothing to report."""
    loaded = rows(reader.read("_work/loaded_days", columns=["day", "digest"]))
    evaluated = rows(reader.read("result_days", columns=["day"]))
    return {row["day"] for row in evaluated} | {row["day"] for row in loaded if row["digest"] is not None}


def _refused_days(reader: LakeReader) -> set[date]:
    loaded = rows(reader.read("_work/loaded_days", columns=["day", "refused"]))
    return {row["day"] for row in loaded if row["refused"]}


def _publish_day(
    workload: Workload, questions: list[Question], reader: LakeReader, on: date, run_id: str, home: Path
) -> Path:
    began, started = datetime.now(UTC), time.perf_counter()
    place, written = home / on.isoformat(), home / f".{on.isoformat()}.{os.getpid()}"
    shutil.rmtree(written, ignore_errors=True)
    pages = pages_of(report_day(workload, questions, reader, on, run_id))
    write_pages(written, pages, _frame(workload, pages, on))
    record = {
        "workload": workload.name,
        "title": workload.title,
        "day": on.isoformat(),
        "run_id": run_id,
        "stage": "publish",
        "status": "done",
        "started_at": began.isoformat(timespec="seconds"),
        "seconds": round(time.perf_counter() - started, 3),
        "pages": len(pages),
        "figures": sum(len(page.figures) for page in pages),
        "versions": reader.versions(),
    }
    (written / "run.json").write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    move_folder(written, place)
    return place / "index.html"


def _frame(workload: Workload, pages: list[Page], on: date) -> dict[str, object]:
    menu = [("Day", "index.html"), *((page.content["title"], page.file) for page in pages[1:])]
    return {
        "workload_name": workload.name,
        "workload_title": workload.title,
        "day_title": spoken(on),
        "trail": [("Trendmill", "../../index.html"), (workload.title, "../index.html"), (spoken(on), "")],
        "pages": menu,
    }
