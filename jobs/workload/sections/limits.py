"""Limits of a run and its number of slices: the sections `limits` and `slicing` of workload.yaml."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cep_core.language.budget import DEFAULT_WORK
from jobs.workload.files.problems import Problems
from jobs.workload.operating_days import UNITS

_SPAN = re.compile(r"(?P<number>[0-9]{1,12})\s*(?P<unit>[smhd])")
_LONGEST = 100 * 366 * 86_400
"""The most seconds that a query may look back: a hundred years."""
MOST_SLICES = 4096
"""The most slices of a plan: a plan holds a few numbers for each slice, and a run starts a task for each."""
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


@dataclass(frozen=True)
class Limits:
    """Limits of a run: `max_reach` in the log's unit, `slice_rows` events in memory at once.

    `work`: the most steps for a query and day, for work that is not polynomial in the number of events
    (docs/semantics.md 3).
    """

    max_reach: int
    slice_rows: int = 5_000_000
    work: int = DEFAULT_WORK


@dataclass(frozen=True)
class Slicing:
    """The number of slices that a plan may have."""

    slices: int = 4


def read_limits(problems: Problems, value: object, unit: str) -> Limits:
    """The section `limits`; `unit`: the log's."""
    section = problems.section("workload.yaml: limits", value, (), ("max_reach", "slice_rows", "work"))
    text = section.text("max_reach", "30d")
    match = _SPAN.fullmatch(text)
    if match is None:
        problems.add(section.at("max_reach"), f"expected a span such as 30d, 12h, 90m or 45s, found '{text}'")
        return Limits(0)
    seconds = int(match["number"]) * _SECONDS[match["unit"]]
    if seconds > _LONGEST:
        problems.add(section.at("max_reach"), f"expected at most a hundred years, found '{text}'")
    return Limits(
        min(seconds, _LONGEST) * UNITS[unit],
        section.count("slice_rows", Limits.slice_rows, least=1),
        section.count("work", Limits.work, least=1),
    )


def read_slicing(problems: Problems, value: object) -> Slicing:
    """The section `slicing`."""
    section = problems.section("workload.yaml: slicing", value, (), ("slices",))
    return Slicing(section.count("slices", Slicing.slices, least=1, most=MOST_SLICES))
