"""The pages above the days: a workload's days with their headline numbers, and all workloads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from jobs.reports.answers.missing import NO_RESULT, is_missing
from jobs.reports.comparisons.shedding_answer import QUESTION
from jobs.reports.comparisons.shedding_comparison import missed_by_day
from jobs.reports.kinds.by_kind import presentation_of
from jobs.reports.lake_reader import LakeReader, rows
from jobs.reports.page import Page
from jobs.reports.questions import Question
from jobs.reports.site import write_pages
from jobs.reports.words.clock import brief, spoken
from jobs.reports.words.quantities import Magnitude, counted, quantity, share
from jobs.workload.declaration import Workload
from jobs.workload.sections.experiment_grids import FOLDER as EXPERIMENTS

DAYS = 400
"""The number of days that are listed, newest first."""


AT_LEAST = "≥\u202f"
"""Put before a number of matches if only listed matches were counted."""


def write(workload: Workload, questions: list[Question], reader: LakeReader, home: Path) -> None:
    """Write a workload's own index page into `home`."""
    records: dict[date, dict[str, dict[str, object]]] = {}
    for row in rows(reader.read("result_days")):
        records.setdefault(row["day"], {})[row["query"]] = row
    loads = {row["day"]: row for row in rows(reader.read("_work/loaded_days"))}
    days = sorted({*records, *loads}, reverse=True)
    listed = days[:DAYS]
    headlines = {}
    for question in questions:
        records_of_query = {day: records[day][question.name] for day in listed if question.name in records.get(day, {})}
        headlines[question.name] = presentation_of(question).headlines(question, records_of_query, reader)
    missed = missed_by_day(reader, listed[-1], listed[0]) if listed else {}
    lines: list[dict[str, Any]] = []
    for day in listed:
        published = (home / day.isoformat() / "index.html").exists()
        load = loads.get(day)
        lines.append(
            {
                "day": brief(day),
                "link": f"{day.isoformat()}/index.html" if published else "",
                "events": quantity(load["events"]) if load else "–",
                "state": _state(load, records.get(day, {})),
                "numbers": [
                    _number(records.get(day, {}).get(question.name), headlines[question.name].get(day))
                    for question in questions
                ],
                "missed": share(missed[day]) if day in missed else "–",
                "shedding": f"{day.isoformat()}/shedding.html"
                if (home / day.isoformat() / "shedding.html").exists()
                else "",
            }
        )
    content = {
        "title": workload.title,
        "questions": [
            (question.name, question.asked, presentation_of(question).unit(question)) for question in questions
        ],
        "shed": QUESTION if missed else "",
        "experiments": f"{EXPERIMENTS}/index.html" if (home / EXPERIMENTS / "index.html").exists() else "",
        "lines": lines,
        "summary": f"{counted(len(days), 'operating day')} in the lake"
        + (f", from {spoken(days[-1])} to {spoken(days[0])}." if days else "."),
        "cut": len(days) > DAYS,
        "at_least": any(AT_LEAST in number for line in lines for number in line["numbers"]),
        "owner": workload.owner,
    }
    frame = {
        "workload_title": workload.title,
        "trail": [("Trendmill", "../index.html"), (workload.title, "")],
        "pages": [],
    }
    write_pages(home, [Page("index.html", "workload.html", content)], frame)


def write_root(reports: Path) -> None:
    """Write the page of all workloads, from the existing reports."""
    workloads = []
    for home in sorted(path for path in reports.iterdir() if (path / "index.html").exists()):
        records = sorted(home.glob("[0-9]*/run.json"), reverse=True)
        if records:
            record = json.loads(records[0].read_text(encoding="utf-8"))
            latest = date.fromisoformat(record["day"])
            workloads.append(
                {
                    "title": record["title"],
                    "link": f"{home.name}/index.html",
                    "days": counted(len(records), "day"),
                    "latest": spoken(latest),
                    "latest_link": f"{home.name}/{latest.isoformat()}/index.html",
                }
            )
    content = {"title": "Trendmill", "workloads": workloads}
    write_pages(reports, [Page("index.html", "root.html", content)], {"trail": [("Trendmill", "")], "pages": []})


def _number(record: Mapping[str, Any] | None, headline: Magnitude | None) -> str:
    """A query's cell of a day."""
    if record is None:
        return "–"
    if is_missing(record):
        return NO_RESULT
    return (AT_LEAST if record["matches_at_least"] is not None else "") + quantity(headline or Magnitude.of(0))


def _state(load: dict[str, object] | None, records: dict[str, dict[str, object]]) -> str:
    if load is not None and load["refused"]:
        return "refused by the gate"
    if not records:
        return "not evaluated"
    if missing := sum(map(is_missing, records.values())):
        return f"{counted(missing, 'result')} missing"
    return "complete" if all(record["complete"] for record in records.values()) else "incomplete"
