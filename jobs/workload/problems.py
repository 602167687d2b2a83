"""Reading a declaration strictly: every problem is collected with its place, and all are reported at once."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jobs.exits import WrongWorkload


class WorkloadError(WrongWorkload):
    """A workload that cannot be run; the message lists every problem found, one a line."""

    def __init__(self, workload: str, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        super().__init__("\n".join([f"workload '{workload}' has {count}:", *(f"  {p}" for p in self.problems)]))


def nearest(name: str, known: Collection[str]) -> str:
    """A hint with the nearest known name, or the known names when none is near.

    >>> nearest("sorces", ["sources", "schedule"]), nearest("x", ["a", "b"])
    ("did you mean 'sources'?", 'known: a, b')
    """
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean '{near[0]}'?" if near else f"known: {', '.join(sorted(known))}"


@dataclass
class Problems:
    """What is wrong so far, in reading order."""

    found: list[str] = field(default_factory=list)
    lines: dict[str, dict[str, int]] = field(default_factory=dict)
    """By file: the line of each key, by its path."""

    def add(self, where: str, message: str, key: str = "") -> None:
        """`where`: a file, or `file: path` of a key in it; `key`: one inside of it that the problem is about."""
        self.found.append(f"{self.place(where, key)}: {message}")

    def place(self, where: str, key: str = "") -> str:
        """A place with its line: that of the key, or of the nearest one around it that the file has.

        >>> Problems(lines={"w.yaml": {"events": 7, "events.A": 8}}).place("w.yaml: events.A.x")
        'w.yaml:8: events.A.x'
        """
        file, _, path = where.partition(": ")
        known = self.lines.get(file, {})
        inner = f"{path}.{key}".strip(".")
        while inner and inner not in known:
            inner = inner[: max(inner.rfind("."), inner.rfind("["), 0)]
        return f"{file}:{known[inner]}{where[len(file) :]}" if inner else where

    def mapping(self, where: str, value: Any) -> dict[str, Any]:
        """The value as a mapping with text keys; an empty one, and a problem, when it is none."""
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.add(where, f"expected a mapping, found {kind(value)}")
            return {}
        odd = [key for key in value if not isinstance(key, str)]
        for key in odd:
            self.add(where, f"expected text as key, found {key!r}; put it in quotes")
        return {key: item for key, item in value.items() if isinstance(key, str)}

    def sequence(self, where: str, value: Any) -> list[Any]:
        """The value as a list; an empty one, and a problem, when it is none."""
        if value is None:
            return []
        if not isinstance(value, list):
            self.add(where, f"expected a list, found {kind(value)}")
            return []
        return value

    def section(self, where: str, value: Any, required: Collection[str], optional: Collection[str] = ()) -> Section:
        """A mapping with known keys: unknown and missing ones are problems."""
        items = self.mapping(where, value)
        known = {*required, *optional}
        for key in items:
            if key not in known:
                self.add(where, f"unknown key '{key}'; {nearest(key, known)}", key)
        for key in required:
            if items.get(key) is None:
                self.add(where, f"'{key}' is missing")
        return Section(self, where, {key: item for key, item in items.items() if key in known})


@dataclass(frozen=True)
class Section:
    """A mapping being read; a value of the wrong kind is a problem and its default stands in for it."""

    problems: Problems
    where: str
    items: Mapping[str, Any]

    def at(self, key: str) -> str:
        return f"{self.where}.{key}" if ": " in self.where else f"{self.where}: {key}"

    def number(self, key: str, default: float) -> float:
        """Any number."""
        value = self.items.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.problems.add(self.at(key), f"expected a number, found {value!r}")
            return default
        return float(value)

    def text(self, key: str, default: str = "") -> str:
        return self._read(key, str, "text", default)

    def truth(self, key: str, default: bool) -> bool:
        return self._read(key, bool, "true or false", default)

    def count(self, key: str, default: int) -> int:
        """A whole number, at least 0."""
        value = self.items.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.problems.add(self.at(key), f"expected a whole number, at least 0, found {value!r}")
            return default
        return value

    def choice(self, key: str, known: Collection[str], default: str) -> str:
        value = self.text(key, default)
        if value and value not in known:
            self.problems.add(self.at(key), f"unknown value '{value}'; {nearest(value, known)}")
            return default
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        found = self.problems.sequence(self.at(key), self.items.get(key))
        odd = [item for item in found if not isinstance(item, str)]
        for item in odd:
            self.problems.add(self.at(key), f"expected text, found {item!r}")
        return tuple(item for item in found if isinstance(item, str))

    def counts(self, key: str, default: tuple[int, ...]) -> tuple[int, ...]:
        """A list of whole numbers, at least 0; not an empty one."""
        return tuple(self._listed(key, default, lambda item: isinstance(item, int) and item >= 0, "whole numbers"))

    def numbers(self, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """A list of numbers; not an empty one."""
        return tuple(
            float(n) for n in self._listed(key, default, lambda item: isinstance(item, int | float), "numbers")
        )

    def _listed(self, key: str, default: Any, fits: Callable[[Any], bool], wanted: str) -> Any:
        value = self.items.get(key)
        if value is None:
            return default
        if not isinstance(value, list) or not value or any(isinstance(i, bool) or not fits(i) for i in value):
            self.problems.add(self.at(key), f"expected a list of {wanted}, found {value!r}")
            return default
        return value

    def _read(self, key: str, wanted: type, name: str, default: Any) -> Any:
        value = self.items.get(key)
        if value is None:
            return default
        if not isinstance(value, wanted):
            self.problems.add(self.at(key), f"expected {name}, found {value!r}")
            return default
        return value


def kind(value: Any) -> str:
    """What a YAML value is, in a reader's words."""
    names = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return next((name for known, name in names.items() if isinstance(value, known)), type(value).__name__)
