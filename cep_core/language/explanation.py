"""The answer of `explain`: sections of text, each with the same facts as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any


class Readable:
    """What notebooks show of an answer: the text that `str` gives, with its lines and indents."""

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython shows on a terminal."""
        printer.text("..." if cycle else str(self))


@dataclass(frozen=True)
class Section:
    """A named part of an explanation: lines for a reader, `facts` (JSON-able) for a program."""

    name: str
    lines: tuple[str, ...]
    facts: Any


@dataclass(frozen=True)
class Explanation(Readable):
    """How a query is understood and will be evaluated.

    >>> print(Explanation((Section("reach", ("10 s",), {"time": 10}),)))
    reach
      10 s
    """

    sections: tuple[Section, ...]

    def __str__(self) -> str:
        return "\n".join(
            "\n".join([section.name, *(f"  {line}" for line in section.lines)]) for section in self.sections
        )

    def to_dict(self) -> dict[str, Any]:
        """The facts of each section by its name."""
        return {section.name: section.facts for section in self.sections}
