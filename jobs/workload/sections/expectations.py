"""expectations.yaml: row rules, which quarantine single rows, and the gate, which judges each day.

A row rule is a SQL predicate over a source's columns. A row is refused only if it is FALSE (NULL passes). A gate
rule is an expectation of Great Expectations, by type and arguments, over `events` (the day's events that passed),
`refusals` (source, rule, refused, read, share: one row for each row rule) or a SELECT with a column `day`.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jobs.workload.files.problems import Problems, brief, nearest
from jobs.workload.names import RULE, is_name
from jobs.workload.sections.sources import Source

FATAL, WARN = "fatal", "warn"
REFUSALS = "refusals"
DATASETS = ("events", REFUSALS)


@dataclass(frozen=True)
class RowRule:
    """A predicate that a good row of a source satisfies, and why."""

    name: str
    source: str
    holds: str
    reason: str


@dataclass(frozen=True)
class GateRule:
    """An expectation over each day. `over`: `events`, `refusals` or a SELECT that gives a column `day`."""

    name: str
    type: str
    over: str
    arguments: Mapping[str, Any]
    severity: str
    reason: str

    @property
    def fatal(self) -> bool:
        return self.severity == FATAL

    @property
    def is_query(self) -> bool:
        return self.over not in DATASETS


@dataclass(frozen=True)
class Expectations:
    """The rules of a workload, in declared order."""

    rows: tuple[RowRule, ...] = ()
    gate: tuple[GateRule, ...] = field(default=())

    def of_source(self, name: str) -> list[RowRule]:
        """The row rules of a source, in declared order."""
        return [rule for rule in self.rows if rule.source == name]


def read_expectations(problems: Problems, value: object, sources: Mapping[str, Source]) -> Expectations:
    """The rules of a parsed expectations.yaml."""
    section = problems.section("expectations.yaml", value, required=(), optional=("rows", "gate"))
    rows = [
        _row_rule(problems, f"expectations.yaml: rows[{number}]", item, sources)
        for number, item in enumerate(problems.sequence("expectations.yaml: rows", section.items.get("rows")))
    ]
    known_types = expectation_types()
    gate = [
        _gate_rule(problems, f"expectations.yaml: gate[{number}]", item, known_types)
        for number, item in enumerate(problems.sequence("expectations.yaml: gate", section.items.get("gate")))
    ]
    for kind, names in (("rows", [rule.name for rule in rows]), ("gate", [rule.name for rule in gate])):
        for name in sorted({name for name in names if names.count(name) > 1}):
            problems.add(f"expectations.yaml: {kind}", f"two rules are named {brief(name)}")
    return Expectations(tuple(rows), tuple(gate))


def expectation_types() -> frozenset[str]:
    """Names of the installed expectation types, found without importing the library, which takes seconds.

    Empty if the library is not installed; then names are checked when the gate runs.
    """
    spec = importlib.util.find_spec("great_expectations")
    if spec is None or not spec.submodule_search_locations:
        return frozenset()
    core = Path(spec.submodule_search_locations[0], "expectations", "core")
    return frozenset(path.stem for path in core.glob("expect_*.py"))


def _row_rule(problems: Problems, where: str, value: object, sources: Mapping[str, Source]) -> RowRule:
    section = problems.section(where, value, required=("name", "source", "holds", "reason"))
    rule = RowRule(section.text("name"), section.text("source"), section.text("holds"), section.text("reason"))
    _check_name(problems, where, rule.name)
    if rule.source and sources and rule.source not in sources:
        problems.add(f"{where}.source", f"unknown source {brief(rule.source)}; {nearest(rule.source, sources)}")
    return rule


def _gate_rule(problems: Problems, where: str, value: object, known_types: frozenset[str]) -> GateRule:
    section = problems.section(
        where, value, required=("name", "type", "reason"), optional=("over", "arguments", "severity")
    )
    rule = GateRule(
        name=section.text("name"),
        type=section.text("type"),
        over=section.text("over", "events"),
        arguments=MappingProxyType(problems.mapping(f"{where}.arguments", section.items.get("arguments"))),
        severity=section.choice("severity", (FATAL, WARN), FATAL),
        reason=section.text("reason"),
    )
    _check_name(problems, where, rule.name)
    if rule.type and known_types and rule.type not in known_types:
        problems.add(f"{where}.type", f"unknown expectation {brief(rule.type)}; {nearest(rule.type, known_types)}")
    if rule.is_query and not re.match(r"(?is)\s*(select|with)\b", rule.over):
        problems.add(f"{where}.over", f"expected 'events', 'refusals' or a SELECT, found {brief(rule.over)}")
    return rule


def _check_name(problems: Problems, where: str, name: str) -> None:
    if name and not is_name(name):
        problems.add(f"{where}.name", f"cannot name a rule: expected {RULE}, found {brief(name)}")
