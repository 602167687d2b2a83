"""Writes a day's report: every page of it, into a folder that takes the place of the former one.

A day's folder is written beside its place and moved there when it is whole. So a reader never sees half a report, and a
failure leaves the report as it was. `run.json` beside the pages records the publishing itself: when, by which run, from
which table versions, and in how many seconds.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from markupsafe import Markup

from jobs.reports.day_report import DayReport, report_day
from jobs.reports.history.neighbours import PLACE
from jobs.reports.lake_reader import LakeReader
from jobs.reports.page import Page
from jobs.reports.pages import catalogue, day, quality, query, run, shedding, slicing
from jobs.reports.questions import Question
from jobs.reports.site import move_folder, write_pages
from jobs.reports.words.clock import spoken
from jobs.workload.declaration import Workload


@dataclass(frozen=True)
class ReportWriter:
    """Writes reports of a workload's days for the run `run_id`; `home` is the folder of all its reports."""

    workload: Workload
    questions: list[Question]
    reader: LakeReader
    run_id: str
    home: Path

    def write(self, on: date) -> Path:
        """Writes the report of a day; returns its first page."""
        began, started = datetime.now(UTC), time.perf_counter()
        place, written = self.home / on.isoformat(), self.home / f".{on.isoformat()}.{os.getpid()}"
        shutil.rmtree(written, ignore_errors=True)
        pages = pages_of(report_day(self.workload, self.questions, self.reader, on, self.run_id))
        write_pages(written, pages, _frame(self.workload, pages, on))
        record = {
            "workload": self.workload.name,
            "title": self.workload.title,
            "day": on.isoformat(),
            "run_id": self.run_id,
            "stage": "publish",
            "status": "done",
            "started_at": began.isoformat(timespec="seconds"),
            "seconds": round(time.perf_counter() - started, 3),
            "pages": len(pages),
            "figures": sum(len(page.figures) for page in pages),
            "versions": self.reader.versions(),
        }
        (written / "run.json").write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        move_folder(written, place)
        return place / "index.html"


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


def _frame(workload: Workload, pages: list[Page], on: date) -> dict[str, object]:
    menu = [("Day", "index.html"), *((page.content["title"], page.file) for page in pages[1:])]
    return {
        "workload_name": workload.name,
        "workload_title": workload.title,
        "day_title": spoken(on),
        "trail": [("Trendmill", "../../index.html"), (workload.title, "../index.html"), (spoken(on), "")],
        "pages": menu,
        "neighbours": Markup(PLACE),
    }
