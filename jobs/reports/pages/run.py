"""The Run page: for each stage of the day's latest run, its outcome, time and output; then slices and earlier runs."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pyarrow.compute as pc

from jobs.reports.answers.listing import Heading, numbers
from jobs.reports.day_report import DayReport
from jobs.reports.lake_reader import LakeReader, rows
from jobs.reports.page import Page
from jobs.reports.words.clock import spoken
from jobs.reports.words.quantities import counted, elapsed, quantity, share
from jobs.reports.words.values import shown

EARLIER = 10
"""The number of earlier runs that are listed."""
MESSAGE = 1_200
"""The most letters of a stage's message: one about a hundred queries is longer."""


def page(report: DayReport) -> Page:
    """The stages of the latest run that changed the day, the slices of its evaluation, and the runs before it."""
    stages = rows(report.reader.read("runs", report.day, report.day), "started_at", "stage")
    runs = list(dict.fromkeys(stage["run_id"] for stage in reversed(stages)))
    latest = [stage for stage in stages if runs and stage["run_id"] == runs[0]]
    slices = _slice_runs(report.reader, report.day, runs[0]) if runs else []
    content = {
        "title": "Run",
        "run": runs[0] if runs else "",
        "published_by": report.run_id,
        "started": latest[0]["started_at"].strftime("%Y-%m-%d %H:%M:%S UTC") if latest else "",
        "seconds": elapsed(sum(stage["seconds"] for stage in latest)),
        "summary": _summary(report.day, latest),
        "workload_hash": latest[0]["workload_hash"] if latest else "",
        "stages": {"headings": _STAGES, "rows": [_stage(stage) for stage in latest]},
        "versions": _versions(latest, "tables"),
        "software": _versions(latest, "software"),
        "settings": _settings(latest),
        "slices": {"headings": _SLICES, "rows": _slices(slices)},
        "earlier": {
            "headings": _RUNS,
            "rows": [_run(run, [stage for stage in stages if stage["run_id"] == run]) for run in runs[1 : 1 + EARLIER]],
        },
    }
    return Page("run.html", "run.html", content)


_STAGES = [
    Heading("stage"),
    Heading("status"),
    *numbers("rows in", "rows out"),
    Heading("seconds", number=True, measured=True),
    Heading("message", prose=True),
]
_SLICES = [
    Heading("query"),
    *numbers("slices", "calls", "events", "largest slice", "its share", "partial rows"),
    *numbers("seconds, all slices", "slowest slice", "peak memory", measured=True),
]
_RUNS = [Heading("run", measured=True), Heading("began (UTC)", measured=True), Heading("stages"), Heading("statuses")]


def _slice_runs(reader: LakeReader, day: date, run: str) -> list[dict[str, Any]]:
    """The slices that a run evaluated, for all its days at once: they are kept with the last of these days."""
    of_day = rows(reader.read("slice_runs", day, day), "query", "slice")
    if any(row["run_id"] == run for row in of_day):
        return of_day

    def of_run() -> list[dict[str, Any]]:
        return rows(reader.read("slice_runs", where=pc.field("run_id") == run), "query", "slice")

    return reader.once(("slices", run), of_run) or of_day


def _summary(day: date, stages: list[dict[str, Any]]) -> str:
    if not stages:
        return f"No run has recorded a stage for {spoken(day)}."
    failed = [stage["stage"] for stage in stages if stage["status"] != "done"]
    if failed:
        noun = "this stage" if len(failed) == 1 else "these stages"
        return f"The latest run of {spoken(day)} did not finish {noun}: {', '.join(failed)}."
    return f"The latest run of {spoken(day)} finished {counted(len(stages), 'stage')}."


def _stage(stage: dict[str, Any]) -> list[str]:
    return [
        stage["stage"],
        stage["status"],
        quantity(stage["rows_in"]),
        quantity(stage["rows_out"]),
        elapsed(stage["seconds"]),
        shown(stage["message"], MESSAGE),
    ]


def _versions(stages: list[dict[str, Any]], kind: str) -> str:
    """For all stages of a run, the versions of one kind: of the `tables` that were written, or of the `software`."""
    versions: dict[str, object] = {}
    for stage in stages:
        versions |= json.loads(stage["versions"] or "{}").get(kind, {})
    return ", ".join(f"{shown(name)} {shown(str(version))}" for name, version in sorted(versions.items()))


def _settings(stages: list[dict[str, Any]]) -> str:
    """Spark's settings, with the stages that had them if not all had the same."""
    of_stages: dict[str, list[str]] = {}
    for stage in stages:
        if settings := json.loads(stage["versions"] or "{}").get("settings"):
            of_stages.setdefault(settings, []).append(stage["stage"])
    if len(of_stages) == 1:
        return shown(next(iter(of_stages)))
    return "; ".join(f"{shown(settings)} ({', '.join(names)})" for settings, names in of_stages.items())


def _slices(runs: list[dict[str, Any]]) -> list[list[str]]:
    by_query: dict[str, list[dict[str, Any]]] = {}
    for slice_run in runs:
        by_query.setdefault(slice_run["query"], []).append(slice_run)
    lines = []
    for query, slices in by_query.items():
        events = sum(slice_run["events"] for slice_run in slices)
        largest = max(slice_run["events"] for slice_run in slices)
        alone = [slice_run["seconds"] for slice_run in slices if (slice_run.get("together") or 1) == 1]
        lines.append(
            [
                query,
                quantity(len(slices)),
                quantity(round(sum(1 / (slice_run.get("together") or 1) for slice_run in slices))),
                quantity(events),
                quantity(largest),
                share(largest / events) if events else "–",
                quantity(sum(slice_run["rows"] for slice_run in slices)),
                elapsed(sum(slice_run["seconds"] for slice_run in slices)),
                elapsed(max(alone)) if len(alone) == len(slices) else "–",
                f"{max(slice_run['peak_memory'] for slice_run in slices) / 2**20:,.0f} MB",
            ]
        )
    return lines


def _run(run: str, stages: list[dict[str, Any]]) -> list[str]:
    return [
        run,
        min(stage["started_at"] for stage in stages).strftime("%Y-%m-%d %H:%M:%S"),
        ", ".join(dict.fromkeys(stage["stage"] for stage in stages)),
        ", ".join(sorted({stage["status"] for stage in stages})),
    ]
