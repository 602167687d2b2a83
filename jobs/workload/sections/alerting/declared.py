"""The section `alerts`: the places, and what each of them is told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time
from typing import Any

from cep_core.language.bound_query import AGGREGATION, MATCHING, POLICY
from jobs.workload.files.problems import Problems, brief, kind
from jobs.workload.files.yaml_file import mark_inside
from jobs.workload.sections.alerting.condition import MEASURES, Condition, ConditionError, parse_condition
from jobs.workload.sections.alerting.places import Place, read_places, unknown_place

_CLOCK = re.compile(r"(?P<hour>[01]?[0-9]|2[0-3]):(?P<minute>[0-5][0-9])")
_CALLED = {AGGREGATION: "aggregation", MATCHING: "matching query", POLICY: "policy"}
FAILED = "failed"
WAYS = ("if", "late", "gate")


@dataclass(frozen=True)
class Alert:
    """One thing that people are told: a condition on a day's results, that results are late, or that a day was refused.

    `where`: the place of its text in workload.yaml, for problems.
    """

    places: tuple[str, ...]
    where: str
    condition: Condition | None = None
    late: time | None = None
    """The moment in the log's zone at which the results of the day that ended last must be there."""

    @property
    def thing(self) -> str:
        """The alert in one form, however it is written; a day's message about it is sent once.

        >>> Alert((), "", late=time(6)).thing, Alert((), "").thing
        ('late: 06:00', 'gate: failed')
        """
        if self.condition is not None:
            return str(self.condition)
        return f"late: {self.late:%H:%M}" if self.late is not None else f"gate: {FAILED}"


@dataclass(frozen=True)
class Alerts:
    """What a workload's people are told, and where; empty: nothing."""

    places: Mapping[str, Place] = field(default_factory=dict)
    alerts: tuple[Alert, ...] = ()


def read_alerts(problems: Problems, value: object, queries: list[str]) -> Alerts:
    """The section `alerts`. `queries`: the names of the workload's queries and policies."""
    if value is None:
        return Alerts()
    section = problems.section("workload.yaml: alerts", value, ("places", "when"))
    places = read_places(problems, section.at("places"), section.items.get("places"))
    alerts: dict[str, Alert] = {}
    for number, item in enumerate(problems.sequence(section.at("when"), section.items.get("when"))):
        alert = _alert(problems, f"{section.at('when')}[{number}]", item, queries, places)
        if alert is not None and alerts.setdefault(alert.thing, alert) is not alert:
            problems.add(alert.where, f"'{alert.thing}' stands here a second time; name all its places in one `to`")
    for key in ("places", "when"):
        if section.items.get(key) in ({}, []):
            problems.add(section.at(key), "expected at least one, found none")
    return Alerts(places, tuple(alerts.values()))


def check_measures(problems: Problems, alerts: Alerts, kinds: Mapping[str, str]) -> None:
    """Refuse values that a query of its kind does not have. `kinds`: of the queries that compile, by name."""
    for alert in alerts.alerts:
        condition = alert.condition
        if condition is None or condition.query not in kinds or kinds[condition.query] in MEASURES[condition.measure]:
            continue
        kind_of_query = kinds[condition.query]
        has = [name for name, of in MEASURES.items() if kind_of_query in of]
        text = _text(problems, alert.where)
        mark = mark_inside(problems, alert.where, text, condition.at, len(condition.measure))
        message = f"a day of the {_CALLED[kind_of_query]} '{condition.query}' has no value '{condition.measure}'"
        problems.point("workload.yaml", mark, message, f"it has {', '.join(has)}")


def _alert(
    problems: Problems, where: str, item: object, queries: list[str], places: Mapping[str, Place]
) -> Alert | None:
    if isinstance(item, str):
        condition = _condition(problems, where, item, queries)
        return Alert(tuple(places), where, condition) if condition else None
    if not isinstance(item, Mapping):
        problems.add(where, f"expected a condition, or one of {', '.join(WAYS)}, found {kind(item)}")
        return None
    section = problems.section(where, item, (), (*WAYS, "to"))
    ways = [way for way in WAYS if way in section.items]
    if len(ways) != 1:
        given = f"found {' and '.join(ways)}" if ways else "found none of them"
        problems.add(where, f"expected one of {', '.join(WAYS)}, {given}")
        return None
    to = _to(problems, section.at("to"), section.items, places)
    at, value = section.at(ways[0]), section.items[ways[0]]
    if ways[0] == "if":
        text = section.text("if")
        condition = _condition(problems, at, text, queries) if text else None
        return Alert(to, at, condition) if condition else None
    if ways[0] == "late":
        written = value if isinstance(value, str) else _text(problems, at)
        match = _CLOCK.fullmatch(written)
        if match is None:
            problems.add(at, f"expected a time of day such as 06:00, found {brief(written)}")
            return None
        return Alert(to, at, late=time(int(match["hour"]), int(match["minute"])))
    if value != FAILED:
        problems.add(at, f"expected '{FAILED}', found {brief(value)}")
        return None
    return Alert(to, at)


def _to(problems: Problems, where: str, items: Mapping[str, Any], places: Mapping[str, Place]) -> tuple[str, ...]:
    """The places of an alert: those it names, or all."""
    if "to" not in items:
        return tuple(places)
    named = [items["to"]] if isinstance(items["to"], str) else problems.sequence(where, items["to"])
    if not named:
        problems.add(where, "expected the name of a place, or a list of them, found none")
    for name in named:
        if name not in places:
            problems.add(where, unknown_place(str(name), places))
    return tuple(dict.fromkeys(name for name in named if name in places))


def _condition(problems: Problems, where: str, text: str, queries: list[str]) -> Condition | None:
    try:
        return parse_condition(text, queries)
    except ConditionError as error:
        mark = mark_inside(problems, where, text, min(error.start, max(len(text) - 1, 0)), error.length)
        if mark is not None and error.start >= len(text) > 0:
            mark = mark._replace(column=mark.column + 1)
        problems.point("workload.yaml", mark, error.message, error.hint)
        return None


def _text(problems: Problems, where: str) -> str:
    """A value as the file writes it, where that is one line without quotes: YAML reads 10:30 as a number."""
    file, _, path = where.partition(": ")
    marks = problems.marks.get(file, {}).get(path)
    if marks is None:
        return ""
    value = marks[1]
    written = problems.texts[file][value.line - 1][value.column - 1 :]
    return written[: value.length].strip("'\"")
