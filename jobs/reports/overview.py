"""The pages above the days: a workload's days with their headline numbers, and all workloads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

from jobs.reports.answers.missing import NO_RESULT, is_missing
from jobs.reports.answers.series import Series, series_of
from jobs.reports.comparisons.shedding_answer import QUESTION
from jobs.reports.comparisons.shedding_rows import missed_by_day
from jobs.reports.history.calendar import WEEKDAYS, months_of
from jobs.reports.history.neighbours import link_days
from jobs.reports.history.query_history import FOLDER as HISTORY
from jobs.reports.history.query_history import write_histories
from jobs.reports.history.sparkline import sparkline
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
RECENT = 31
"""The number of those that are not folded."""

AT_LEAST = "≥\u202f"
"""Put before a number of matches if only listed matches were counted."""


@dataclass(frozen=True)
class _AllDays:
    """What a workload's own page is made from: days, newest first, their loads, and the rows of `result_days`."""

    days: list[date]
    loads: Mapping[date, Mapping[str, Any]]
    records: Mapping[date, Mapping[str, Mapping[str, Any]]]
    headlines: Mapping[str, Mapping[date, Magnitude]]
    series: Mapping[str, Series]
    missed: Mapping[date, float]

    @staticmethod
    def read(questions: Sequence[Question], reader: LakeReader) -> _AllDays:
        records: dict[date, dict[str, Mapping[str, Any]]] = {}
        for row in rows(reader.read("result_days")):
            records.setdefault(row["day"], {})[row["query"]] = row
        loads = {row["day"]: row for row in rows(reader.read("_work/loaded_days"))}
        days = sorted({*records, *loads}, reverse=True)
        headlines, series = {}, {}
        for question in questions:
            name = question.name
            own = {day: records[day][name] for day in days[:DAYS] if name in records.get(day, {})}
            headlines[name] = presentation_of(question).headlines(question, own, reader)
            series[name] = series_of(own, headlines[name])
        missed = missed_by_day(reader, days[:DAYS][-1], days[0]) if days else {}
        return _AllDays(days, loads, records, headlines, series, missed)

    def state(self, day: date) -> str:
        return _state(self.loads.get(day), self.records.get(day, {}))


def write(workload: Workload, questions: list[Question], reader: LakeReader, home: Path) -> None:
    """Write a workload's own first page and the pages over all days into `home`, and link its days."""
    link_days(home)
    all_days = _AllDays.read(questions, reader)
    write_histories(workload, all_days.series, questions, home)
    listed = all_days.days[:DAYS]
    links = {day: f"{day.isoformat()}/index.html" for day in listed if (home / day.isoformat() / "index.html").exists()}
    lines = [_line(day, questions, all_days, links.get(day, ""), home) for day in listed]
    judged = [on for series in all_days.series.values() for on in series.days if on.quarters is not None]
    out = Counter({on.day: 0 for on in judged})
    out.update(on.day for on in judged if on.stands_out)
    content = {
        "title": workload.title,
        "questions": [_card(question, all_days.series[question.name]) for question in questions],
        "months": months_of(links, {day: all_days.state(day) for day in listed}, out),
        "weekdays": WEEKDAYS,
        "shed": QUESTION if all_days.missed else "",
        "missed": _missed(all_days.missed),
        "experiments": f"{EXPERIMENTS}/index.html" if (home / EXPERIMENTS / "index.html").exists() else "",
        "names": [question.name for question in questions],
        "units": sorted({presentation_of(question).unit(question) for question in questions}),
        "lines": lines,
        "recent": RECENT,
        "summary": f"{counted(len(all_days.days), 'operating day')} in the lake"
        + (f", from {spoken(all_days.days[-1])} to {spoken(all_days.days[0])}." if all_days.days else "."),
        "cut": len(all_days.days) > DAYS,
        "at_least": any(AT_LEAST in number for line in lines for number in line["numbers"]),
        "owner": workload.owner,
    }
    frame = {
        "workload_title": workload.title,
        "trail": [("Trendmill", "../index.html"), (workload.title, "")],
        "pages": [],
    }
    write_pages(home, [Page("index.html", "workload.html", content)], frame)


def _missed(missed: Mapping[date, float]) -> str:
    """What a slower machine would have missed on the latest day on which it was compared."""
    if not missed:
        return ""
    latest, days = max(missed), counted(len(missed), "day")
    low, middle, high = (share(of(missed.values())) for of in (min, median, max))
    said = f"{spoken(latest)}: pSPICE would have missed {share(missed[latest])} of the matches"
    return f"{said}; of {days} with matches, median {middle}, from {low} to {high}."


def _card(question: Question, series: Series) -> dict[str, Any]:
    """A question with its small line and its latest number."""
    latest = series.days[-1] if series.days else None
    return {
        "name": question.name,
        "asked": question.asked,
        "link": f"{HISTORY}/{question.name}.html",
        "unit": presentation_of(question).unit(question),
        "spark": sparkline(series),
        "latest": "" if latest is None else f"{spoken(latest.day)}: {latest.sentence}",
    }


def _line(day: date, questions: Sequence[Question], all_days: _AllDays, link: str, home: Path) -> dict[str, Any]:
    """A day's row of numbers."""
    load, records = all_days.loads.get(day), all_days.records.get(day, {})
    shedding = f"{day.isoformat()}/shedding.html"
    return {
        "day": brief(day),
        "link": link,
        "events": quantity(load["events"]) if load else "–",
        "state": all_days.state(day),
        "numbers": [
            _number(records.get(name), all_days.headlines[name].get(day)) for name in (q.name for q in questions)
        ],
        "missed": share(all_days.missed[day]) if day in all_days.missed else "–",
        "shedding": shedding if (home / shedding).exists() else "",
    }


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


def _state(load: Mapping[str, Any] | None, records: Mapping[str, Mapping[str, Any]]) -> str:
    if load is not None and load["refused"]:
        return "refused by the gate"
    if not records:
        return "not evaluated"
    if missing := sum(map(is_missing, records.values())):
        return f"{counted(missing, 'result')} missing"
    return "complete" if all(record["complete"] for record in records.values()) else "incomplete"
