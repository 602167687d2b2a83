"""A workload: the folder that a data engineer writes, loaded and strictly checked, without Spark.

`load_workload` reads workload.yaml, events.sql and expectations.yaml and reports every problem at once. `compiled.py`
compiles the queries. Assumes UTF-8 files. A Workload holds no secret: references stay references.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from cep_core.events.schema import AttributeType, LogSchema
from jobs import places
from jobs.workload.files.problems import Problems, WorkloadError, brief, nearest
from jobs.workload.files.yaml_file import read_yaml
from jobs.workload.names import RULE, is_name
from jobs.workload.operating_days import OperatingDays, begin_of
from jobs.workload.sections.alerting.declared import Alerts, read_alerts
from jobs.workload.sections.event_types import (
    masked_types,
    read_atoms,
    read_event_types,
    read_events_sql,
)
from jobs.workload.sections.expectations import Expectations, read_expectations
from jobs.workload.sections.limits import Limits, Slicing, read_limits, read_slicing
from jobs.workload.sections.log_time import Time, check_points, read_schedule, read_start, read_time
from jobs.workload.sections.query_settings import QuerySettings, check_names, question_files, read_query_settings
from jobs.workload.sections.retention import Retention, read_retention
from jobs.workload.sections.shedding import QueryShedding, Shedding, read_shedding
from jobs.workload.sections.sources import Source, read_source
from jobs.workload.sections.unique_events import read_unique, rules_of_unique

TAKEN = (
    "attribute_values",
    "candidate_events",
    "counted_events",
    "days",
    "events",
    "matched_events",
    "raw_rows",
    "refusals",
    "refused_fates",
    "refused_rows",
    "run_days",
    "spans",
    "staged",
    "told",
)
"""Views of a run. Each source is one more view, under its own name, so no source may have one of these names."""


REQUIRED = ("title", "owner", "sources", "schedule", "start", "events")
OPTIONAL = ("time", "atoms", "unique", "queries", "limits", "slicing", "shedding", "mask", "retention", "alerts")
"""The sections of workload.yaml."""


@dataclass(frozen=True)
class Workload:
    """A log, the questions about it, and the rules for a good day."""

    name: str
    folder: Path
    base: Path
    """The folder where relative source paths start: the workload's own, unless this is a stored copy of another."""
    title: str
    owner: str
    sources: Mapping[str, Source]
    time: Time
    schedule: str
    start: date
    schema: LogSchema
    events_sql: str
    limits: Limits
    queries: Mapping[str, QuerySettings] = field(default_factory=dict)
    slicing: Slicing = field(default_factory=Slicing)
    shedding: Shedding | None = None
    """The operator that queries with load shedding share; None: no query asks for it."""
    expectations: Expectations = field(default_factory=Expectations)
    retention: Retention = field(default_factory=Retention)
    alerts: Alerts = field(default_factory=Alerts)

    @property
    def operating_days(self) -> OperatingDays:
        return OperatingDays(begin_of(self.schedule), self.time.unit)

    @property
    def day_of_ts(self) -> str:
        """The SQL expression of the operating day of `ts`."""
        return self.operating_days.sql("ts")

    @property
    def attributes(self) -> dict[str, AttributeType]:
        """Every attribute name of the log with its type, in the order of first mention."""
        return {a.name: a.type for attributes in self.schema.types.values() for a in attributes.values()}

    def settings(self, query: str) -> QuerySettings:
        """A query's settings, or the defaults if the workload sets none."""
        return self.queries.get(query, QuerySettings())

    @property
    def shed_queries(self) -> dict[str, QueryShedding]:
        """The queries that ask for load shedding, by name, with their costs and weights."""
        return {
            name: settings.shedding for name, settings in sorted(self.queries.items()) if settings.shedding is not None
        }

    def question_files(self) -> list[Path]:
        """Queries and policies, by folder and name."""
        return question_files(self.folder)


def folder_of(name_or_folder: str | Path) -> Path:
    """The folder of a workload, given as a path or as a name in the folder of workloads.

    Raises WorkloadError, which names the nearest known workload.
    """
    place = Path(name_or_folder)
    for folder in (place, places.workloads() / place):
        if os.path.lexists(folder / "workload.yaml"):
            return folder.absolute()
    names = sorted(path.parent.name for path in places.workloads().glob("*/workload.yaml"))
    hint = nearest(place.name, names) if names else "there is none yet; `trendmill new` writes a first one"
    raise WorkloadError(place.name, [f"no workload.yaml in {place} or {places.workloads() / place}; {hint}"])


def load_workload(name_or_folder: str | Path, *, base: Path | None = None) -> Workload:
    """A workload by name or folder, checked. `base`: where relative source paths start; default: the folder.

    Raises WorkloadError with all problems of workload.yaml, events.sql and expectations.yaml.
    """
    workload, problems = read_workload(name_or_folder, base=base)
    if problems:
        raise WorkloadError(workload.name, problems)
    return workload


def read_workload(name_or_folder: str | Path, *, base: Path | None = None) -> tuple[Workload, list[str]]:
    """The parts of a workload that can be read, and every problem of it."""
    folder = folder_of(name_or_folder)
    problems = Problems()
    return read_into(problems, folder, base or folder), problems.noted


def read_into(problems: Problems, folder: Path, base: Path) -> Workload:
    """The parts of a workload that can be read. Every problem, and the place of every value, goes to `problems`."""
    loaded = read_yaml(problems, folder / "workload.yaml")
    section = problems.section(
        "workload.yaml",
        loaded,
        required=() if problems.noted else REQUIRED,
        optional=(*REQUIRED, *OPTIONAL),
    )
    name = folder.name if base == folder else base.name
    if not is_name(name):
        problems.add("workload.yaml", f"the folder's name {brief(name)} is not {RULE}")
    if "<<" in problems.marks.get("workload.yaml", {}):
        problems.add("workload.yaml", "the calendar reads this file too, and cannot read merged keys at its top", "<<")
    sources = {
        key: read_source(problems, key, value)
        for key, value in problems.mapping(section.at("sources"), section.items.get("sources")).items()
    }
    for source in sources:
        if not is_name(source) or source in TAKEN:
            problems.add(
                f"{section.at('sources')}.{source}",
                f"cannot name a source: {RULE}; a run's own views are {', '.join(TAKEN)}",
            )
    for key in ("sources", "events"):
        if section.items.get(key) == {}:
            problems.add(section.at(key), f"expected at least one of the log's {key}, found none")
    time = read_time(problems, section.items.get("time"))
    types = read_event_types(problems, section.items.get("events"))
    types = masked_types(problems, section.items.get("mask"), types)
    check_points(problems, time.points, types)
    for event_type in time.imprecise:
        if types and event_type not in types:
            hint = nearest(event_type, types)
            problems.add("workload.yaml: time.imprecise", f"unknown event type {brief(event_type)}; {hint}", event_type)
    files = check_names(problems, folder)
    queries = read_query_settings(problems, section.items.get("queries"), files)
    shedding = read_shedding(problems, section.items.get("shedding"))
    for query, settings in queries.items():
        if settings.shedding is not None and section.items.get("shedding") is None:
            problems.add(
                f"workload.yaml: queries.{query}.shedding",
                "the workload has no section 'shedding', which says what the queries share: bound, costs",
            )
    schema = LogSchema(types, unit=time.unit, ties=time.ties, imprecision=time.imprecise)
    schema = replace(schema, conditions=read_atoms(problems, section.items.get("atoms"), schema))
    expectations = _expectations(problems, folder, sources)
    unique = read_unique(problems, section.items.get("unique"), schema)
    distinct = rules_of_unique(unique, [rule.name for rule in expectations.gate])
    return Workload(
        name=name,
        folder=folder,
        base=base,
        title=section.line("title", 200),
        owner=section.line("owner", 100),
        sources=sources,
        time=time,
        schedule=read_schedule(problems, section.text("schedule")),
        start=read_start(problems, section.items.get("start")),
        schema=schema,
        events_sql=read_events_sql(problems, folder),
        limits=(limits := read_limits(problems, section.items.get("limits"), time.unit)),
        queries=queries,
        slicing=read_slicing(problems, section.items.get("slicing")),
        shedding=shedding,
        expectations=replace(expectations, gate=(*expectations.gate, *distinct)),
        retention=read_retention(problems, section.items.get("retention"), _in_days(limits.max_reach, time.unit)),
        alerts=read_alerts(problems, section.items.get("alerts"), list(files)),
    )


def _in_days(reach: int | None, unit: str) -> float | None:
    return None if reach is None else reach / OperatingDays(begin_of("0 0 * * *"), unit).length


def _expectations(problems: Problems, folder: Path, sources: Mapping[str, Source]) -> Expectations:
    path = folder / "expectations.yaml"
    if not os.path.lexists(path):
        problems.add("expectations.yaml", "is missing: `rows: []` and `gate: []` say that every row and day is good")
        return Expectations()
    return read_expectations(problems, read_yaml(problems, path), sources)
