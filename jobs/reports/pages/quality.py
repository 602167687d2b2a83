"""The Data quality page: what happened to every row, what was refused and why, the gate's verdicts, all defects."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import reduce
from operator import and_
from typing import Any

import pyarrow.dataset as ds

from jobs.reports.answers.listing import Heading, numbers
from jobs.reports.day_report import DayReport
from jobs.reports.lake_reader import rows
from jobs.reports.page import Page
from jobs.reports.words.clock import brief, spoken
from jobs.reports.words.quantities import counted, quantity, share
from jobs.reports.words.values import listed, shown

EXAMPLES = 3
"""The number of refused rows that are shown for each reason."""
REASONS = 20
"""The number of reasons that are shown: an undeclared event type is one, and there may be thousands."""
RAW = 400
"""The number of characters of a refused row that are shown."""

OF_EVERY_WORKLOAD = {
    "utf8": "texts are UTF-8",
    "shape": "a row has the fields of its source",
    "type": "a value is of its column's type",
    "event": "an event has a declared type, a time, and what its type must have",
}
"""Why the rules exist that no workload declares."""

FILES = 40
"""The number of files whose ledgers are shown."""
DIGITS = 12
"""The number of a digest's digits that are shown."""


@dataclass(frozen=True)
class Refusals:
    """The day's rows that were refused for one reason."""

    rule: str
    source: str
    reason: str
    today: int
    examples: tuple[tuple[str, str], ...]
    """(file, raw row) pairs."""


def page(report: DayReport) -> Page:
    """How good the day's data is."""
    sources = rows(report.reader.read("_work/source_rows", report.day, report.day), "source")
    verdicts = json.loads(report.loaded["checks"]) if report.loaded is not None else []
    loads = rows(report.reader.read("_work/loaded_days", columns=["day", "checks"]), "day")
    content = {
        "title": "Data quality",
        "finding": _finding(report, sources, verdicts),
        "equation": {"headings": _EQUATION, "rows": [_equation(source) for source in sources]},
        "files": _files(report),
        "refusals": _refusals(report),
        "defects": {"headings": _DEFECTS, "rows": _defects(report, loads), "days": counted(len(loads), "loaded day")},
        "gate": {"headings": _GATE, "rows": [_verdict(verdict) for verdict in verdicts]},
        "stale": report.loaded is not None and report.loaded["refused"],
    }
    return Page("quality.html", "quality.html", content)


_EQUATION = [
    Heading("source"),
    *numbers("files", "rows read", "= events", "+ refused", "+ other days", "+ no event", "+ erased"),
]
_FILES = [
    Heading("file"),
    *numbers("bytes"),
    Heading("SHA-256"),
    *numbers("lines", "- no row", "= rows read", "= events", "+ refused", "+ other days", "+ no event", "+ erased"),
]
_DEFECTS = [
    Heading("rule"),
    Heading("of"),
    *numbers("today", "all days"),
    Heading("days with any"),
    Heading("why the rule exists", prose=True),
]
_GATE = [Heading("rule"), Heading("verdict"), Heading("found"), Heading("why the rule exists", prose=True)]


def _finding(report: DayReport, sources: list[dict[str, Any]], verdicts: list[dict[str, Any]]) -> str:
    if report.loaded is None or not sources:
        return f"No load of {spoken(report.day)} is recorded."
    read, refused = sum(source["read"] for source in sources), sum(source["refused"] for source in sources)
    events = counted(report.volume.total, "event")
    part = f" ({share(refused / read)} of the rows read)" if read and refused else ""
    be = "was" if refused == 1 else "were"
    failed = [verdict for verdict in verdicts if not verdict["passed"]]
    fatal = [shown(verdict["rule"]) for verdict in failed if verdict["severity"] == "fatal"]
    warned = [shown(verdict["rule"]) for verdict in failed if verdict["severity"] != "fatal"]
    if fatal:
        gate = f"the quality gate refused the load ({listed(fatal)})"
    elif warned:
        gate = f"it passed the quality gate with {counted(len(warned), 'warning')} ({listed(warned)})"
    else:
        gate = (
            f"it passed all {counted(len(verdicts), 'rule')} of the quality gate"
            if verdicts
            else "the gate has no rules"
        )
    return f"{spoken(report.day)} has {events}; {counted(refused, 'row')} {be} refused{part}, and {gate}."


def _equation(source: Mapping[str, Any]) -> list[str]:
    names = ("files", "read", "gave_event", "refused", "other_days", "without_event", "suppressed")
    return [shown(source["source"]), *(quantity(source.get(name) or 0) for name in names)]


def _files(report: DayReport) -> dict[str, Any]:
    """The ledgers of the day's files, those with refused rows or events first."""
    ledgers = rows(report.reader.read("_work/source_files", report.day, report.day), "file")
    ledgers.sort(key=lambda ledger: (-ledger["refused"], -ledger["gave_event"]))
    names = ("lines", "no_rows", "read", "gave_event", "refused", "other_days", "without_event", "suppressed")
    lines = [
        [
            shown(_tail(ledger["file"])),
            quantity(ledger["size"]),
            ledger["digest"][:DIGITS],
            *(quantity(ledger.get(name) or 0) for name in names),
        ]
        for ledger in ledgers[:FILES]
    ]
    return {"headings": _FILES, "rows": lines, "left_out": len(ledgers) - len(lines), "digits": DIGITS}


def _refusals(report: DayReport) -> dict[str, Any]:
    """The day's refused rows by reason, most first. Examples are the first in the order of their text."""
    quarantined = report.reader.read("quarantine", report.day, report.day)
    if quarantined is None or not quarantined.num_rows:
        return {"shown": [], "more": ""}
    by = ("rule", "source", "reason")
    groups = rows(quarantined.group_by([*by]).aggregate([([], "count_all")]), *by)
    groups.sort(key=lambda group: -group["count_all"])
    refusals = []
    for group in groups[:REASONS]:
        of_reason = quarantined.filter(reduce(and_, (ds.field(name) == group[name] for name in by)))
        examples = of_reason.sort_by([("raw", "ascending"), ("file", "ascending")]).slice(0, EXAMPLES).to_pylist()
        refusals.append(
            Refusals(
                shown(group["rule"]),
                shown(group["source"]),
                shown(group["reason"], RAW),
                group["count_all"],
                tuple((shown(_tail(row["file"])), shown(row["raw"].rstrip("\r\n"), RAW)) for row in examples),
            )
        )
    left_out = sum(group["count_all"] for group in groups[REASONS:])
    more = counted(len(groups) - REASONS, "further reason")
    return {"shown": refusals, "more": f"{counted(left_out, 'row')} for {more}" if left_out else ""}


def _tail(file: str) -> str:
    """A file's name, without its folder on this machine, which readers need not know."""
    return file.rstrip("/").rsplit("/", 1)[-1]


def _refused_by_rule(report: DayReport) -> dict[tuple[str, str], Counter[date]]:
    quarantined = report.reader.read("quarantine", columns=["day", "source", "rule"])
    by_rule: dict[tuple[str, str], Counter[date]] = {}
    if quarantined is not None:
        for row in rows(quarantined.group_by(["rule", "source", "day"]).aggregate([([], "count_all")])):
            by_rule.setdefault((row["rule"], row["source"]), Counter())[row["day"]] = row["count_all"]
    return by_rule


def _defects(report: DayReport, loads: list[dict[str, Any]]) -> list[list[str]]:
    """Every row rule with the rows it refused, and every gate rule that failed with the values it found, on any day."""
    refused = _refused_by_rule(report)
    declared = {(rule.name, rule.source): rule.reason for rule in report.workload.expectations.rows}
    everywhere = {(rule, source): OF_EVERY_WORKLOAD.get(rule, "") for rule, source in sorted(refused)}
    lines = [
        _defect(report.day, rule, shown(source), refused.get((rule, source), {}), reason)
        for (rule, source), reason in (everywhere | declared).items()
    ]
    failed: dict[str, dict[date, int]] = {}
    reasons: dict[str, str] = {}
    for load in loads:
        for verdict in json.loads(load["checks"]):
            if not verdict["passed"]:
                failed.setdefault(verdict["rule"], {})[load["day"]] = verdict["unexpected"] or 1
                reasons[verdict["rule"]] = verdict["reason"]
    return lines + [_defect(report.day, rule, "the gate", days, reasons[rule]) for rule, days in sorted(failed.items())]


def _defect(today: date, rule: str, what: str, days: Mapping[date, int], reason: str) -> list[str]:
    where = f" ({listed([brief(on) for on in sorted(days)], 3)})" if days else ""
    return [
        shown(rule),
        what,
        quantity(days.get(today, 0)),
        quantity(sum(days.values())),
        f"{quantity(len(days))}{where}",
        shown(reason, 200),
    ]


def _verdict(verdict: Mapping[str, Any]) -> list[str]:
    word = "passed" if verdict["passed"] else "failed" if verdict["severity"] == "fatal" else "warning"
    findings = [
        *([f"{quantity(verdict['unexpected'])} of {quantity(verdict['rows'])}"] if verdict["unexpected"] else []),
        *([shown(verdict["observed"], 200)] if verdict["observed"] else []),
    ]
    return [shown(verdict["rule"]), word, "; ".join(findings), shown(verdict["reason"], 200)]
