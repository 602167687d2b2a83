"""A page for each query over all days: its number day by day, the days that stand out, months, and what changed.

These pages are written once a publish, not once a day, so their cost is that of the days, not of its square.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import groupby
from pathlib import Path

from jobs.reports.answers.listing import Heading, numbers
from jobs.reports.answers.series import LEAST, Series, SeriesDay
from jobs.reports.figures.over_days import over_days_figure
from jobs.reports.kinds.by_kind import presentation_of
from jobs.reports.page import Page
from jobs.reports.questions import Question
from jobs.reports.site import move_folder, write_pages
from jobs.reports.words.clock import brief, spoken
from jobs.reports.words.quantities import counted, median, quantity
from jobs.reports.words.values import listed, spanned
from jobs.workload.declaration import Workload

FOLDER = "history"
"""Beside the days' folders."""
SHOWN = 30
"""The most days that are listed as standing out."""

Link = Callable[[Question, date], str]
"""The page of a query on a day, as a history's page links to it; empty if there is none."""


def write_histories(
    workload: Workload, series: Mapping[str, Series], questions: Sequence[Question], home: Path
) -> None:
    """Write the pages of all queries, by their names in `series`, into a folder that takes the former one's place."""

    def link(question: Question, day: date) -> str:
        page = home / day.isoformat() / f"query-{question.name}.html"
        return f"../{day.isoformat()}/{page.name}" if page.exists() else ""

    pages = [history_page(question, series[question.name], link) for question in questions]
    frame = {
        "workload_name": workload.name,
        "workload_title": workload.title,
        "trail": [("Trendmill", "../../index.html"), (workload.title, "../index.html"), ("All days", "")],
        "pages": [(question.name, page.file) for question, page in zip(questions, pages, strict=True)],
    }
    written = home / f".{FOLDER}.{os.getpid()}"
    shutil.rmtree(written, ignore_errors=True)
    write_pages(written, pages, frame)
    move_folder(written, home / FOLDER)


def history_page(question: Question, series: Series, link: Link) -> Page:
    """One query's page."""
    figure = over_days_figure(question.name, series, presentation_of(question).unit(question))
    out = series.standing_out
    content = {
        "title": question.name,
        "asked": question.asked,
        "finding": _finding(series, presentation_of(question).unit(question)),
        "latest": _latest(series),
        "figure": figure,
        "standing_out": {
            "headings": [Heading("day", whole=True), *numbers("that day", "median before", "range before")],
            "days": [_beside(on, link(question, on.day)) for on in out[:SHOWN]],
            "total": len(out),
            "none": _none_stands_out(series),
        },
        "months": {
            "headings": [
                Heading("month", whole=True),
                *numbers("days", "median", "largest"),
                Heading("on", whole=True),
                *numbers("days above all before"),
            ],
            "rows": _months(series),
        },
        "changes": _changes(series),
        "text": question.text,
        "noun": presentation_of(question).noun,
    }
    return Page(f"{question.name}.html", "history.html", content, () if figure is None else (figure,))


def _finding(series: Series, unit: str) -> str:
    days, out = series.days, series.standing_out
    if not days:
        return "No day has been evaluated."
    largest = max(days, key=lambda on: (on.value.key, -on.day.toordinal()))
    usual = median([on.value for on in days])
    span = f"from {spoken(days[0].day)} to {spoken(days[-1].day)}" if len(days) > 1 else f"on {spoken(days[0].day)}"
    most = "all have 0"
    if largest.value.sign > 0:
        most = f"the most were {quantity(largest.value)} on {spoken(largest.day)}"
    above = f" {counted(len(out), 'day has', 'days have')} more than every day of the four weeks before." if out else ""
    return f"{counted(len(days), 'day')} {span}: {most}, the median is {quantity(usual)} ({unit} of a day).{above}"


def _latest(series: Series) -> str:
    if not series.days:
        return ""
    on = series.days[-1]
    return f"The latest, {spoken(on.day)}: {on.sentence}"


def _none_stands_out(series: Series) -> str:
    if series.is_judged:
        return "No day has more than every evaluated day of the four weeks before."
    many = f"{LEAST} at least"
    return f"A day is compared with the evaluated days of the four weeks before it, {many}. None has so many yet."


def _beside(on: SeriesDay, link: str) -> tuple[str, str, list[str]]:
    """Day, link and numbers of a day that stands out."""
    low, _, middle, _, high = on.quarters or (on.value,) * 5
    return brief(on.day), link, [quantity(on.value), quantity(middle), spanned(quantity(low), quantity(high))]


def _months(series: Series) -> list[list[str]]:
    """A row for each month, the latest first."""
    rows = []
    for _, group in groupby(series.days, lambda on: (on.day.year, on.day.month)):
        days = list(group)
        largest = max(days, key=lambda on: (on.value.key, -on.day.toordinal()))
        rows.append(
            [
                f"{days[0].day:%B %Y}",
                quantity(len(days)),
                quantity(median([on.value for on in days])),
                quantity(largest.value),
                brief(largest.day) if largest.value.sign > 0 else "–",
                quantity(sum(on.stands_out for on in days)) if any(on.quarters for on in days) else "–",
            ]
        )
    return rows[::-1]


def _changes(series: Series) -> list[str]:
    """What a reader must know before comparing days."""
    lines = []
    for day in series.redefined:
        lines.append(f"From {spoken(day)} on the text of the query, its events or the program are others than before.")
    if series.incomplete:
        lines.append(f"{counted(len(series.incomplete), 'day')} incomplete: {_dates(series.incomplete)}.")
    if series.without_result:
        lines.append(f"Without a result, for lack of work: {_dates(series.without_result)}.")
    bounded = [on.day for on in series.days if on.change.today_at_least]
    if bounded:
        lines.append(f"Matches were counted only as far as they are listed on {_dates(bounded)}.")
    if series.days:
        span = (series.days[-1].day - series.days[0].day).days + 1
        missing = span - len(series.days) - len(series.without_result)
        if missing > 0:
            lines.append(f"Not evaluated between the first and the last day: {counted(missing, 'day')}.")
    return lines


def _dates(days: Sequence[date]) -> str:
    return listed([brief(on) for on in days], 6)
