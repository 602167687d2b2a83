"""The formula of a policy, part by part: at how many of a day's points each part is true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jobs.reports.answers.listing import Heading, Listing, numbers
from jobs.reports.words.quantities import quantity

_INDENT = "\u2003"
"""A space as wide as a letter is high, so that a page shows the parts as a tree."""


def listing(parts: Sequence[Mapping[str, Any]]) -> Listing | None:
    """One row for each part in the order of the formula; None if no point was looked at.

    >>> row = {"node": 0, "parent": None, "formula": "a IMPLIES b", "points_true": 9, "points": 12}
    >>> listing([row, row | {"node": 1, "parent": 0, "formula": "a"}]).cells[1]
    ['\u2003a', '9', '75.0 %']
    """
    rows = sorted(parts, key=lambda row: int(row["node"]))
    if not rows or not rows[0]["points"]:
        return None
    depths: dict[int, int] = {}
    for row in rows:
        depths[row["node"]] = 0 if row["parent"] is None else depths[row["parent"]] + 1
    cells = [
        [_INDENT * depths[row["node"]] + row["formula"], quantity(row["points_true"]), _share(row)] for row in rows
    ]
    header = ["node", "parent", "formula", "points_true", "points"]
    filed = [[row[name] for name in header] for row in rows]
    headings = [Heading("part", prose=True), *numbers("points", "share")]
    return Listing(headings, cells, header, filed, len(rows), "in the order of the formula")


def _share(row: Mapping[str, Any]) -> str:
    return f"{100 * row['points_true'] / row['points']:.1f} %"
