"""Sources: the raw data that a workload reads, its location, and the files for each operating day."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import unquote, urlsplit

from jobs.workload.files.problems import DeclaredSection, Problems, brief, nearest
from jobs.workload.secrets import problems_in, resolve

COLUMN_TYPES = {
    "string": "STRING",
    "int": "BIGINT",
    "float": "DOUBLE",
    "bool": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}
"""The types of a source's columns, with their names in Spark SQL."""

TIME_TYPES = ("BIGINT", "TIMESTAMP", "DATE")
"""The types of a column that may say which day a row belongs to."""

TEXT_FORMATS = ("csv", "json")
"""Formats that are read line by line, so that every row keeps its raw text. Spark reads all others."""

TYPED_FORMATS = (
    "parquet",
    "orc",
    "delta",
    "avro",
    "jdbc",
    "xml",
    "iceberg",
    "hudi",
    "mongodb",
    "bigquery",
    "snowflake",
)
"""Data sources with a schema. Others are given by their class, whose name has dots."""

_REMOTE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:/")
"""A URI as people write it, `s3a://bucket/x`, or as Hadoop writes it without a host, `file:/x`."""
_PACKAGE = "package:"
_PLACEHOLDER = re.compile(r"(?<!\$)\{(?!day\})[A-Za-z_ ]*\}")
_MOST_SLACK = 366


@dataclass(frozen=True)
class Source:
    """One source. `columns` are those that its header or schema must have, in order, with their SQL types.

    `path` may contain `{day}`: one file or folder for each day. A run reads the files of its days, and of `slack` days
    before and after. Or `time` names a column that says which day a row belongs to (`jobs/raw/row_days.py`); a run sees
    the rows of the same days. `order`: columns that order rows of equal time.
    """

    name: str
    format: str
    columns: dict[str, str]
    path: str = ""
    options: dict[str, str] = field(default_factory=dict)
    header: bool = True
    missing: str = ""
    """The text that means a missing value; empty text always does."""
    must_exist: bool = True
    slack: int = 0
    order: tuple[str, ...] = ()
    time: str = ""

    @property
    def daily(self) -> bool:
        """Whether the source has a file for each day."""
        return "{day}" in self.path

    @property
    def text(self) -> bool:
        return self.format in TEXT_FORMATS

    def resolved_options(self) -> dict[str, str]:
        """Spark's options with their secrets, for the reader only."""
        return {key: resolve(value) for key, value in self.options.items()}

    def paths(self, days: Iterable[date], base: Path) -> dict[str, date | None]:
        """The paths to read for a run, relative to `base`, each with its day if it has one."""
        if not self.path:
            return {}
        where = resolve(self.path)
        if not self.daily:
            return {located(where, base): None}
        near = {day + timedelta(days=n) for day in days for n in range(-self.slack, self.slack + 1)}
        return {located(where.replace("{day}", day.isoformat()), base): day for day in sorted(near)}


def located(path: str, base: Path) -> str:
    """An absolute path or URI: `package:NAME/...` is a file of an installed package, found without importing it."""
    if path.startswith(_PACKAGE):
        package, _, inside = path.removeprefix(_PACKAGE).partition("/")
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise FileNotFoundError(f"the package '{package}' is not installed")
        return str(Path(spec.submodule_search_locations[0], inside))
    return path if _REMOTE.match(path) else str((base / path).absolute())


def is_local(path: str) -> bool:
    """Whether a located path is a file on this machine.

    >>> is_local("/data/x.csv"), is_local("s3a://bucket/x.csv"), is_local("file:/data/x.csv")
    (True, False, False)
    """
    return not _REMOTE.match(path)


def local_path(path: str) -> Path | None:
    """The file on this machine that a located path or a `file:` URI names; None: it is elsewhere.

    >>> local_path("file:///data/a%20b.csv"), local_path("/data/x.csv"), local_path("s3a://bucket/x.csv")
    (PosixPath('/data/a b.csv'), PosixPath('/data/x.csv'), None)
    """
    if path.startswith("file:"):
        return Path(unquote(urlsplit(path).path))
    return Path(path) if is_local(path) else None


def read_source(problems: Problems, name: str, value: object) -> Source:
    """One source of `workload.yaml`."""
    where = f"workload.yaml: sources.{name}"
    section = problems.section(
        where,
        value,
        required=("format", "columns"),
        optional=("path", "options", "header", "missing", "must_exist", "slack", "order", "time"),
    )
    columns = _columns(problems, f"{where}.columns", section.items.get("columns"))
    options = _options(problems, f"{where}.options", section.items.get("options"))
    source = Source(
        name=name,
        format=_format(section),
        columns=columns,
        path=section.text("path"),
        options=options,
        header=section.truth("header", True),
        missing=section.text("missing"),
        must_exist=section.truth("must_exist", True),
        slack=section.count("slack", 0, most=_MOST_SLACK),
        order=section.texts("order"),
        time=section.text("time"),
    )
    for text in (source.path, *options.values()):
        for problem in problems_in(text):
            problems.add(where, problem)
    if not source.path.isprintable():
        problems.add(f"{where}.path", "holds a character that no file's name has")
    for placeholder in _PLACEHOLDER.findall(source.path):
        problems.add(f"{where}.path", f"unknown placeholder '{placeholder}'; the only one is {{day}}")
    if source.format == "xml" and "rowtag" not in map(str.lower, options):
        problems.add(section.at("format"), "format 'xml' needs the option rowTag: the element that is a row")
    if source.text and not source.path and "path" not in section.items:
        problems.add(where, f"a source of format '{source.format}' needs a 'path'")
    if source.slack and not source.daily and not source.time:
        hint = "but 'path' has no {day}, and no 'time' says which day a row belongs to"
        problems.add(f"{where}.slack", f"says how many days' files or rows to read, {hint}")
    for column in source.order:
        if column not in columns:
            problems.add(f"{where}.order", f"unknown column {brief(column)}; {nearest(column, columns)}")
    _check_time(problems, f"{where}.time", source)
    return source


def _check_time(problems: Problems, where: str, source: Source) -> None:
    if source.time and source.time not in source.columns:
        problems.add(where, f"unknown column {brief(source.time)}; {nearest(source.time, source.columns)}")
    elif source.time and source.columns[source.time] not in TIME_TYPES:
        problems.add(
            where, f"expected a column of type int (in the log's unit), timestamp or date, found {source.time}"
        )
    if source.time and source.daily:
        problems.add(where, "says which day a row belongs to, but 'path' has {day}, which says it already")


def _columns(problems: Problems, where: str, value: object) -> dict[str, str]:
    types: dict[str, str] = {}
    spelt: dict[str, str] = {}
    for column, declared in problems.mapping(where, value).items():
        name = declared if isinstance(declared, str) else ""
        if name not in COLUMN_TYPES:
            problems.add(f"{where}.{column}", f"unknown type {brief(declared)}; {nearest(name, COLUMN_TYPES)}")
        if column.startswith("_"):
            problems.add(f"{where}.{column}", "names that begin with '_' are kept for the row itself")
        if not column.strip() or "`" in column or not column.isprintable():
            problems.add(f"{where}.{column}", "cannot name a column: it is blank, or holds ` or a control character")
        if spelt.setdefault(column.lower(), column) != column:
            problems.add(
                f"{where}.{column}", f"is '{spelt[column.lower()]}' in another case; SQL does not tell them apart"
            )
        types[column] = COLUMN_TYPES.get(name, "STRING")
    if value == {}:
        problems.add(where, "expected the source's columns with their types, found none")
    return types


def _format(section: DeclaredSection) -> str:
    """A format's short name, in lower case, or the class of a data source."""
    text = section.text("format", "csv")
    formats = (*TEXT_FORMATS, *TYPED_FORMATS)
    if "." in text and all(part.isidentifier() for part in text.split(".")):
        return text
    if text.lower() not in formats:
        hint = f"{nearest(text.lower(), formats)}; another data source is given by its class, such as org.name.Source"
        section.problems.add(section.at("format"), f"unknown format {brief(text)}; {hint}")
        return "csv"
    return text.lower()


def _options(problems: Problems, where: str, value: object) -> dict[str, str]:
    options = {}
    for key, item in problems.mapping(where, value).items():
        if not isinstance(item, str | int | float):
            problems.add(f"{where}.{key}", f"expected text, a number, true or false, found {brief(item)}")
            continue
        options[key] = str(item).lower() if isinstance(item, bool) else str(item)
    return options
