"""Reads a declaration strictly: every problem is collected with its place, and all are reported at once."""

from __future__ import annotations

import difflib
import math
import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cep_core.language.errors import Position, lines_of, pointed, printable
from jobs.exits import WrongWorkload

_MOST_KNOWN = 15
"""The most known names that a hint lists."""
_LONGEST_BRIEF = 80
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60

MOST = 10**12
"""The largest count in a declaration, if no smaller limit holds."""


class WorkloadError(WrongWorkload):
    """A workload that cannot be run; the message lists every problem found, each with its place."""

    def __init__(self, workload: str, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        lines = (line for problem in self.problems for line in lines_of(problem))
        super().__init__("\n".join([f"workload {brief(workload)} has {count}:", *(f"  {line}" for line in lines)]))


def brief(value: object, quoted: bool = True) -> str:
    """A value of a file as a message shows it: short, on one line, printable.

    >>> brief("a\\nb"), brief("x" * 100, quoted=False), brief([1, [2]])
    ("'a\\\\nb'", 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...', '[1, [2]]')
    """
    text = str(value)[:_LONGEST_BRIEF] if isinstance(value, str) else _SHORT.repr(value)
    text = printable(text)
    text = text if len(text) < _LONGEST_BRIEF else f"{text[: _LONGEST_BRIEF - 3]}..."
    return f"'{text}'" if quoted and isinstance(value, str) else text


def nearest(name: str, known: Collection[str]) -> str:
    """A hint with the nearest known name, or the known names when none is near.

    >>> nearest("sorces", ["sources", "schedule"]), nearest("x", ["a", "b"])
    ("did you mean 'sources'?", 'known: a, b')
    """
    in_any_case = {each.lower(): each for each in sorted(known, reverse=True)}
    near = difflib.get_close_matches(name[:_LONGEST_BRIEF].lower(), list(in_any_case), n=1)
    if near:
        return f"did you mean '{in_any_case[near[0]]}'?"
    if not known:
        return "there is none"
    listed = sorted(known)[:_MOST_KNOWN]
    more = f" and {len(known) - len(listed)} more" if len(known) > len(listed) else ""
    return f"known: {', '.join(listed)}{more}"


class Mark(NamedTuple):
    """A place in a file: line and column from 1, and how many characters it covers."""

    line: int
    column: int
    length: int = 1


@dataclass
class Problems:
    """The problems so far, in reading order."""

    noted: list[str] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)
    """The lines of each file."""
    marks: dict[str, dict[str, tuple[Mark, Mark]]] = field(default_factory=dict)
    """For each file, by the key's path: the places of the key and of its value."""

    def add(self, where: str, message: str, key: str = "") -> None:
        """`where`: a file, or `file: path` of a value in it. `key`: the key inside it that the problem is about."""
        file, _, path = where.partition(": ")
        self.point(file, self.mark(where, key), f"{brief_path(path)}: {message}" if path else message)

    def point(self, file: str, mark: Mark | None, message: str, hint: str = "") -> None:
        """A problem at a place of a file. If the file was read, its line follows with a caret."""
        if mark is None:
            self.noted.append(f"{file}: {message}; {hint}" if hint else f"{file}: {message}")
            return
        head = f"{file}:{mark.line}:{mark.column}: {message}"
        lines = self.texts.get(file, [])
        line = lines[mark.line - 1] if 0 < mark.line <= len(lines) else ""
        if not line.strip():
            self.noted.append(f"{head}; {hint}" if hint else head)
            return
        self.noted.append("\n".join([head, *pointed(line, Position(*mark), hint)]))

    def mark(self, where: str, key: str = "") -> Mark | None:
        """The place of a value; if unknown, the place of its key, or of the nearest key around it.

        >>> marks = {"events": (Mark(7, 1, 6), Mark(8, 3)), "events.A": (Mark(8, 3), Mark(8, 6, 3))}
        >>> problems = Problems(marks={"w.yaml": marks})
        >>> problems.mark("w.yaml: events.A"), problems.mark("w.yaml: events.A.x"), problems.mark("w.yaml")
        (Mark(line=8, column=6, length=3), Mark(line=8, column=3, length=1), None)
        """
        file, _, path = where.partition(": ")
        marks = self.marks.get(file, {})
        if not key and path in marks:
            key_mark, value = marks[path]
            return value if value.line == key_mark.line else key_mark
        inner = f"{path}.{key[:64]}".strip(".")
        while inner and inner not in marks:
            inner = inner[: max(inner.rfind("."), inner.rfind("["), 0)]
        return marks[inner][0] if inner else None

    def place(self, where: str) -> str:
        """The place at the beginning of a message: `workload.yaml:8:3: events.A`."""
        file, _, path = where.partition(": ")
        mark = self.mark(where)
        return f"{file}:{mark.line}:{mark.column}: {path}" if mark else where

    def mapping(self, where: str, value: Any) -> dict[str, Any]:
        """The value as a mapping with text keys. If it is none: an empty mapping and a problem."""
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.add(where, f"expected a mapping, found {kind(value)}")
            return {}
        odd = [key for key in value if not isinstance(key, str)]
        for key in odd:
            self.add(where, f"expected text as key, found {brief(key)}; put it in quotes")
        return {key: item for key, item in value.items() if isinstance(key, str)}

    def sequence(self, where: str, value: Any) -> list[Any]:
        """The value as a list. If it is none: an empty list and a problem."""
        if value is None:
            return []
        if not isinstance(value, list):
            self.add(where, f"expected a list, found {kind(value)}")
            return []
        return value

    def section(
        self, where: str, value: Any, required: Collection[str], optional: Collection[str] = ()
    ) -> DeclaredSection:
        """A mapping with known keys. Unknown and missing keys are problems."""
        items = self.mapping(where, value)
        keys = {*required, *optional}
        for key in items:
            if key not in keys:
                self.add(where, f"unknown key {brief(key)}; {nearest(key, keys)}", key)
        for key in required:
            if items.get(key) is None:
                self.add(where, f"'{key}' is missing")
        return DeclaredSection(self, where, {key: item for key, item in items.items() if key in keys})


@dataclass(frozen=True)
class DeclaredSection:
    """A mapping being read. A value of the wrong kind is a problem, and the default is used in its place."""

    problems: Problems
    where: str
    items: Mapping[str, Any]

    def at(self, key: str) -> str:
        return f"{self.where}.{key}" if ": " in self.where else f"{self.where}: {key}"

    def number(self, key: str, default: float, most: float = 1e9) -> float:
        """A number above 0, at most `most`."""
        value = self.items.get(key)
        if value is None:
            return default
        if not is_number(value) or not 0 < value <= most:
            self.problems.add(self.at(key), f"expected a number above 0, at most {most:,.0f}, found {brief(value)}")
            return default
        return float(value)

    def text(self, key: str, default: str = "") -> str:
        return self._read(key, str, "text", default)

    def truth(self, key: str, default: bool) -> bool:
        return self._read(key, bool, "true or false", default)

    def count(self, key: str, default: int, least: int = 0, most: int = MOST) -> int:
        """A whole number from `least` to `most`."""
        value = self.items.get(key)
        if value is None:
            return default
        if not _is_whole(value) or not least <= value <= most:
            expected = f"a whole number from {least:,} to {most:,}"
            self.problems.add(self.at(key), f"expected {expected}, found {brief(value)}")
            return default
        return int(value)

    def line(self, key: str, longest: int) -> str:
        """One line of text that a page or a calendar shows. It must not be empty."""
        text = self.text(key).strip()
        if self.items.get(key) is not None and (not text or len(text) > longest or not text.isprintable()):
            if isinstance(self.items[key], str):
                self.problems.add(self.at(key), f"expected a line of text of at most {longest} characters")
            return ""
        return text

    def choice(self, key: str, known: Collection[str], default: str) -> str:
        value = self.text(key, default)
        if value and value not in known:
            self.problems.add(self.at(key), f"unknown value {brief(value)}; {nearest(value, known)}")
            return default
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        items = self.problems.sequence(self.at(key), self.items.get(key))
        odd = [item for item in items if not isinstance(item, str)]
        for item in odd:
            self.problems.add(self.at(key), f"expected text, found {brief(item)}")
        return tuple(item for item in items if isinstance(item, str))

    def counts(self, key: str, default: tuple[int, ...], least: int = 0, most: int = MOST) -> tuple[int, ...]:
        """A list of whole numbers from `least` to `most`. It must not be empty."""
        expected = f"whole numbers from {least:,} to {most:,}"
        return tuple(self._listed(key, default, lambda item: _is_whole(item) and least <= item <= most, expected))

    def numbers(self, key: str, default: tuple[float, ...], most: float) -> tuple[float, ...]:
        """A list of numbers above 0, at most `most`. It must not be empty."""
        expected = f"numbers above 0, at most {most:,.0f}"
        return tuple(
            map(float, self._listed(key, default, lambda item: is_number(item) and 0 < item <= most, expected))
        )

    def _listed(self, key: str, default: Any, fits: Callable[[Any], bool], wanted: str) -> Any:
        value = self.items.get(key)
        if value is None:
            return default
        if not isinstance(value, list) or not value or not all(map(fits, value)):
            self.problems.add(self.at(key), f"expected a list of {wanted}, found {brief(value)}")
            return default
        return value

    def _read(self, key: str, wanted: type, name: str, default: Any) -> Any:
        value = self.items.get(key)
        if value is None:
            return default
        if not isinstance(value, wanted):
            self.problems.add(self.at(key), f"expected {name}, found {brief(value)}")
            return default
        return value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def brief_path(path: str) -> str:
    """The path of a key, shortened, since it can be of any length.

    >>> brief_path("events.A.x")
    'events.A.x'
    """
    return brief(path, quoted=False)


def kind(value: Any) -> str:
    """The kind of a YAML value, in plain words."""
    names = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return next((name for known, name in names.items() if isinstance(value, known)), type(value).__name__)
