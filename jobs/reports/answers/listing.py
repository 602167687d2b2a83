"""A table of results as a page shows it: headings, cells as text, and the file that holds the rows behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jobs.reports.words.values import Cell

SHOWN = 20
"""The most rows on a page."""
FILED = 10_000
"""The most rows in the CSV file for a page's table."""


@dataclass(frozen=True)
class Heading:
    """A column's title. Numbers are aligned to the right.

    `measured` marks values that can differ between two runs over the same data.

    `whole` cells are not broken into lines; `prose` cells are wide enough for some words a line.
    """

    title: str
    number: bool = False
    measured: bool = False
    whole: bool = False
    prose: bool = False

    @property
    def classes(self) -> str:
        """Names for the stylesheet, and for programs that compare two reports."""
        names = ("number", "measured", "whole", "prose")
        return " ".join(name for name in names if getattr(self, name))


def numbers(*titles: str, measured: bool = False) -> list[Heading]:
    """Headings of columns of numbers.

    >>> [heading.classes for heading in numbers("events", "slices")]
    ['number', 'number']
    """
    return [Heading(title, number=True, measured=measured) for title in titles]


@dataclass(frozen=True)
class Listing:
    """The top rows for the page (`cells`), and up to `FILED` rows for the file (`rows` under `header`).

    `order` says how the page's rows were chosen; `total` is how many there are in all.
    """

    headings: Sequence[Heading]
    cells: Sequence[Sequence[str]]
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    total: int
    order: str
