"""Limits of a run and its number of slices: the sections `limits` and `slicing` of workload.yaml."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cep_core.language.budget import DEFAULT_WORK
from jobs.workload.files.problems import DeclaredSection, Problems
from jobs.workload.operating_days import UNITS

ALL = "all"
"""A `max_reach` without bound: down to the log's start."""
_SPAN = re.compile(r"(?P<number>[0-9]{1,12})\s*(?P<unit>[smhd])")
_LONGEST = 100 * 366 * 86_400
"""The most seconds that a query may look back: a hundred years."""
MOST_SLICES = 4096
"""The most slices of a plan: a plan holds a few numbers for each slice, and a run starts a task for each."""
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


@dataclass(frozen=True)
class Limits:
    """Limits of a run: `max_reach` in the log's unit (None: down to the log's start), `slice_rows` events in memory.

    `work`: the most steps for a query and day, for work that is not polynomial in the number of events
    (docs/semantics.md 3). `max_violations`: the most that are listed for a policy and day, unless it sets its own.
    """

    max_reach: int | None
    slice_rows: int = 5_000_000
    work: int = DEFAULT_WORK
    max_violations: int = 100_000


@dataclass(frozen=True)
class Slicing:
    """The number of slices that a plan may have."""

    slices: int = 4


def read_limits(problems: Problems, value: object, unit: str) -> Limits:
    """The section `limits`; `unit`: the log's."""
    keys = ("max_reach", "slice_rows", "work", "max_violations")
    section = problems.section("workload.yaml: limits", value, (), keys)
    text = section.text("max_reach", "30d")
    return Limits(
        None if (seconds := _seconds(section, text)) is None else seconds * UNITS[unit],
        section.count("slice_rows", Limits.slice_rows, least=1),
        section.count("work", Limits.work, least=1),
        section.count("max_violations", Limits.max_violations),
    )


def _seconds(section: DeclaredSection, text: str) -> int | None:
    """None: without bound, or what is written is no span, which is noted."""
    if text == ALL:
        return None
    match = _SPAN.fullmatch(text)
    if match is None:
        expected = f"expected a span such as 30d, 12h, 90m or 45s, or {ALL}"
        section.problems.add(section.at("max_reach"), f"{expected}, found '{text}'")
        return None
    seconds = int(match["number"]) * _SECONDS[match["unit"]]
    if seconds > _LONGEST:
        section.problems.add(section.at("max_reach"), f"expected at most a hundred years, found '{text}'")
        return None
    return seconds


def read_slicing(problems: Problems, value: object) -> Slicing:
    """The section `slicing`."""
    section = problems.section("workload.yaml: slicing", value, (), ("slices",))
    return Slicing(section.count("slices", Slicing.slices, least=1, most=MOST_SLICES))
