"""A workload: the folder that a data engineer writes, loaded and strictly checked, without Spark.

`load_workload` reads workload.yaml, events.sql and expectations.yaml and reports every problem at once; compiling the
queries is `compiled.py`'s. Assumes UTF-8 files. Nothing in a Workload holds a secret: references stay references.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

import yaml

from cep_core.events.schema import Attribute, AttributeType, LogSchema, Ties
from jobs import places
from jobs.workload.expectations import Expectations, read_expectations
from jobs.workload.operating_days import UNITS, OperatingDays, begin_of
from jobs.workload.problems import Problems, Section, WorkloadError, nearest
from jobs.workload.sources import Source, read_source

RESERVED = ("day", "run_id", "event_type", "ts", "seq", "pos", "certain")
"""Column names that no attribute may take."""

QUERY_FOLDERS = {"queries": (".cep",), "policies": (".mfotl", ".mtl")}
"""Where questions are, and the suffixes that say their language."""

LAKE_TABLES = (
    "events",
    "quarantine",
    "stream_statistics",
    "heavy_hitters",
    "slicing_plans",
    "result_days",
    "slice_runs",
    "experiments",
    "runs",
)
"""Names that no query may take: each is a table of its own (jobs/lake/tables.py)."""

BESIDE = ("_events", "_compact")
"""What is named after a query beside its result: a view of its matches' events, a table of its compact results."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SPAN = re.compile(r"(?P<number>\d+)\s*(?P<unit>[smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


@dataclass(frozen=True)
class Time:
    """How the log tells time: unit of `ts`, the zone in which people read it, ties, and what is one time-point."""

    unit: str = "s"
    zone: str = "UTC"
    ties: Ties = Ties.CONCURRENT
    points: str = "by_timestamp"
    """`by_timestamp`, `by_event`, or the attribute that numbers them."""
    imprecise: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Event type -> how much earlier and later than `ts`, in the log's unit, its events may have happened."""


@dataclass(frozen=True)
class AtomCondition:
    """A named condition over one event type: an atom of propositional policies."""

    event: str
    where: str


@dataclass(frozen=True)
class QuerySettings:
    """What a workload sets for one query."""

    max_matches: int = 10_000
    """Matches listed for each operating day."""
    exact_counts: bool = False


@dataclass(frozen=True)
class Limits:
    """What bounds a run: `max_reach` in the log's unit, `slice_rows` events in memory at once."""

    max_reach: int
    slice_rows: int = 5_000_000


@dataclass(frozen=True)
class Slicing:
    """How many slices a plan may have."""

    slices: int = 4


@dataclass(frozen=True)
class Workload:
    """A log, what to look for in it, and what a good day looks like."""

    name: str
    folder: Path
    base: Path
    """Where relative source paths start: the folder, unless this is a stored copy of another."""
    title: str
    owner: str
    sources: Mapping[str, Source]
    time: Time
    schedule: str
    start: date
    schema: LogSchema
    events_sql: str
    limits: Limits
    atoms: Mapping[str, AtomCondition] = field(default_factory=dict)
    unique: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Event type -> attributes (or `ts`) that tell its events apart."""
    queries: Mapping[str, QuerySettings] = field(default_factory=dict)
    slicing: Slicing = field(default_factory=Slicing)
    expectations: Expectations = field(default_factory=Expectations)

    @property
    def operating_days(self) -> OperatingDays:
        return OperatingDays(begin_of(self.schedule), self.time.unit)

    @property
    def day_of_ts(self) -> str:
        """The SQL expression of the operating day of `ts`."""
        return self.operating_days.sql("ts")

    @property
    def attributes(self) -> dict[str, AttributeType]:
        """Every attribute name of the log with its type, in order of first mention."""
        return {a.name: a.type for attributes in self.schema.types.values() for a in attributes.values()}

    def settings(self, query: str) -> QuerySettings:
        """A query's settings; the defaults where the workload sets none."""
        return self.queries.get(query, QuerySettings())

    def question_files(self) -> list[Path]:
        """Queries and policies, by folder and name."""
        return question_files(self.folder)


def question_files(folder: Path) -> list[Path]:
    """The files of a workload folder that ask something, by folder and name."""
    return [
        path
        for home, suffixes in QUERY_FOLDERS.items()
        for path in sorted((folder / home).glob("*"))
        if path.suffix in suffixes
    ]


def folder_of(name_or_folder: str | Path) -> Path:
    """The folder of a workload: a path to one, or its name in the folder of workloads.

    Raises WorkloadError naming the nearest known workload.
    """
    given = Path(name_or_folder)
    for folder in (given, places.workloads() / given):
        if (folder / "workload.yaml").is_file():
            return folder.absolute()
    known = sorted(path.parent.name for path in places.workloads().glob("*/workload.yaml"))
    hint = nearest(given.name, known) if known else "there is none yet; `trendmill new` writes a first one"
    raise WorkloadError(given.name, [f"no workload.yaml in {given} or {places.workloads() / given}; {hint}"])


def load_workload(name_or_folder: str | Path, *, base: Path | None = None) -> Workload:
    """A workload by name or folder, checked. `base`: where relative source paths start, if not in the folder.

    Raises WorkloadError with all problems of workload.yaml, events.sql and expectations.yaml.
    """
    workload, problems = read_workload(name_or_folder, base=base)
    if problems:
        raise WorkloadError(workload.name, problems)
    return workload


def read_workload(name_or_folder: str | Path, *, base: Path | None = None) -> tuple[Workload, list[str]]:
    """As much of a workload as can be read, and every problem found in it."""
    folder = folder_of(name_or_folder)
    problems = Problems()
    return _read(problems, folder, base or folder), problems.found


def _read(problems: Problems, folder: Path, base: Path) -> Workload:
    loaded = _yaml(problems, folder / "workload.yaml")
    section = problems.section(
        "workload.yaml",
        loaded,
        required=() if problems.found else ("title", "owner", "sources", "schedule", "start", "events"),
        optional=("time", "atoms", "unique", "queries", "limits", "slicing"),
    )
    name = folder.name if base == folder else base.name
    if not _NAME.fullmatch(name):
        problems.add("workload.yaml", f"the folder's name '{name}' is not lower case letters, digits and '_'")
    sources = {
        key: read_source(problems, key, value)
        for key, value in problems.mapping(section.at("sources"), section.items.get("sources")).items()
    }
    for source in sources:
        if not _NAME.fullmatch(source) or source in ("events", "refusals"):
            problems.add(section.at("sources"), f"'{source}' cannot name a source: it becomes a view of that name")
    time = _time(problems, section.items.get("time"))
    types = _events(problems, section.items.get("events"))
    for event_type in time.imprecise:
        if event_type not in types:
            hint = nearest(event_type, types)
            problems.add("workload.yaml: time.imprecise", f"unknown event type '{event_type}'; {hint}")
    schema = LogSchema(types, unit=time.unit, ties=time.ties, imprecision=time.imprecise)
    return Workload(
        name=name,
        folder=folder,
        base=base,
        title=section.text("title"),
        owner=section.text("owner"),
        sources=sources,
        time=time,
        schedule=_schedule(problems, section.text("schedule")),
        start=_start(problems, section.items.get("start")),
        schema=schema,
        events_sql=_events_sql(problems, folder, schema),
        limits=_limits(problems, section.items.get("limits"), time.unit),
        atoms=_atoms(problems, section.items.get("atoms"), schema),
        unique=_unique(problems, section.items.get("unique"), schema),
        queries=_queries(problems, section.items.get("queries"), folder),
        slicing=_slicing(problems, section.items.get("slicing")),
        expectations=_expectations(problems, folder, sources),
    )


def _yaml(problems: Problems, path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        problems.add(f"{path.name}{place}", f"not YAML: {getattr(error, 'problem', None) or error}")
    except UnicodeDecodeError as error:
        problems.add(path.name, f"not UTF-8: {error.reason} at byte {error.start}")
    return None


def _time(problems: Problems, value: object) -> Time:
    section = problems.section("workload.yaml: time", value, (), ("unit", "zone", "ties", "points", "imprecise"))
    zone = section.text("zone", "UTC")
    if zone not in available_timezones():
        problems.add(section.at("zone"), f"unknown time zone '{zone}'; {nearest(zone, available_timezones())}")
    ties = section.choice("ties", [tie.value for tie in Ties], Ties.CONCURRENT.value)
    imprecise = _imprecise(problems, section.at("imprecise"), section.items.get("imprecise"))
    return Time(section.choice("unit", UNITS, "s"), zone, Ties(ties), section.text("points", "by_timestamp"), imprecise)


def _imprecise(problems: Problems, where: str, value: object) -> dict[str, tuple[int, int]]:
    found = {}
    for event_type, declared in problems.mapping(where, value).items():
        section = problems.section(f"{where}.{event_type}", declared, (), ("before", "after"))
        found[event_type] = section.count("before", 0), section.count("after", 0)
    return found


def _schedule(problems: Problems, value: str) -> str:
    try:
        begin_of(value or "0 0 * * *")
    except ValueError as error:
        problems.add("workload.yaml: schedule", str(error))
        return "0 0 * * *"
    return value or "0 0 * * *"


def _start(problems: Problems, value: object) -> date:
    if isinstance(value, date):
        return value
    if value is not None:
        problems.add("workload.yaml: start", f"expected a date such as 2013-01-01, found {value!r}")
    return date(1970, 1, 1)


def _events(problems: Problems, value: object) -> dict[str, dict[str, Attribute]]:
    types: dict[str, dict[str, Attribute]] = {}
    known: dict[str, AttributeType] = {}
    for event_type, declared in problems.mapping("workload.yaml: events", value).items():
        where = f"workload.yaml: events.{event_type}"
        if not _IDENTIFIER.fullmatch(event_type):
            problems.add(where, "an event type is a letter, then letters, digits and '_'")
        types[event_type] = {}
        for name, text in problems.mapping(where, declared).items():
            kind = _attribute_type(problems, f"{where}.{name}", text)
            if name in RESERVED or not _IDENTIFIER.fullmatch(name):
                problems.add(f"{where}.{name}", f"cannot name an attribute; {', '.join(RESERVED)} are the log's own")
            if known.setdefault(name, kind) != kind:
                problems.add(f"{where}.{name}", f"is {kind.value} here and {known[name].value} in another event type")
            types[event_type][name] = Attribute(name, kind, nullable=str(text).endswith("?"))
    return types


def _attribute_type(problems: Problems, where: str, text: object) -> AttributeType:
    name = str(text).removesuffix("?")
    known = [kind.value for kind in AttributeType]
    if name not in known:
        problems.add(where, f"unknown type {text!r}; {nearest(name, known)}")
        return AttributeType.STRING
    return AttributeType(name)


def _events_sql(problems: Problems, folder: Path, schema: LogSchema) -> str:
    path = folder / "events.sql"
    if not path.is_file():
        problems.add("events.sql", "is missing: one SELECT that turns source rows into events")
        return ""
    text = path.read_text(encoding="utf-8")
    for event_type in schema.types:
        if f"'{event_type}'" not in text:
            problems.add("events.sql", f"gives no event of the declared type '{event_type}'")
    if "_row" not in text:
        problems.add("events.sql", "each SELECT must carry the column `_row` of its source, which names the raw row")
    return text


def _limits(problems: Problems, value: object, unit: str) -> Limits:
    section = problems.section("workload.yaml: limits", value, (), ("max_reach", "slice_rows"))
    text = section.text("max_reach", "30d")
    found = _SPAN.fullmatch(text)
    if found is None:
        problems.add(section.at("max_reach"), f"expected a span such as 30d, 12h, 90m or 45s, found '{text}'")
        return Limits(0)
    reach = int(found["number"]) * _SECONDS[found["unit"]] * UNITS[unit]
    return Limits(reach, section.count("slice_rows", Limits.slice_rows))


def _slicing(problems: Problems, value: object) -> Slicing:
    section = problems.section("workload.yaml: slicing", value, (), ("slices",))
    slices = section.count("slices", Slicing.slices)
    if slices < 1:
        problems.add(section.at("slices"), "there must be at least 1")
    return Slicing(slices)


def _atoms(problems: Problems, value: object, schema: LogSchema) -> dict[str, AtomCondition]:
    atoms = {}
    for name, declared in problems.mapping("workload.yaml: atoms", value).items():
        section = problems.section(f"workload.yaml: atoms.{name}", declared, ("event", "where"))
        atoms[name] = AtomCondition(section.text("event"), section.text("where"))
        _known_type(problems, section, atoms[name].event, schema)
    return atoms


def _known_type(problems: Problems, section: Section, event_type: str, schema: LogSchema) -> None:
    if event_type and event_type not in schema.types:
        hint = nearest(event_type, schema.types)
        problems.add(section.at("event"), f"unknown event type '{event_type}'; {hint}")


def _unique(problems: Problems, value: object, schema: LogSchema) -> dict[str, tuple[str, ...]]:
    unique = {}
    for event_type in (keys := problems.section("workload.yaml: unique", value, (), list(schema.types))).items:
        known = ["ts", *schema.types[event_type]]
        unique[event_type] = keys.texts(event_type)
        for name in unique[event_type]:
            if name not in known:
                problems.add(keys.at(event_type), f"unknown attribute '{name}'; {nearest(name, known)}")
    return unique


def _queries(problems: Problems, value: object, folder: Path) -> dict[str, QuerySettings]:
    names = [path.stem for path in question_files(folder)]
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.add(name, "two files ask under this name, which names their result table")
    for name in names:
        if not _NAME.fullmatch(name) or name in LAKE_TABLES or name.startswith("work_"):
            problems.add(
                name, "cannot name a result table: lower case letters, digits and '_', and no other table's name"
            )
        for suffix in BESIDE:
            if name.removesuffix(suffix) in names and name.endswith(suffix):
                problems.add(
                    name, f"cannot name a result table: it belongs to the matches of {name.removesuffix(suffix)}"
                )
    found = {}
    for name, declared in problems.section("workload.yaml: queries", value, (), names).items.items():
        section = problems.section(f"workload.yaml: queries.{name}", declared, (), ("max_matches", "exact_counts"))
        found[name] = QuerySettings(
            section.count("max_matches", QuerySettings.max_matches),
            section.truth("exact_counts", QuerySettings.exact_counts),
        )
    return found


def _expectations(problems: Problems, folder: Path, sources: Mapping[str, Source]) -> Expectations:
    path = folder / "expectations.yaml"
    if not path.is_file():
        problems.add("expectations.yaml", "is missing: `rows: []` and `gate: []` say that every row and day is good")
        return Expectations()
    return read_expectations(problems, _yaml(problems, path), sources)
