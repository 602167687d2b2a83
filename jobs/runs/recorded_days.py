"""What the lake's ledger says of operating days: what was loaded, and what each result was evaluated from.

Plain values: `ledger.py` reads them from the lake, and `scope.py` decides by them what a run does. Versions of days are
compared as texts. Assumes that a day or a result that the ledger lacks was never loaded or evaluated. Cost: linear in
the days that a question names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType

ABSENT = "absent"
"""The version of a day that the lake lacks."""

UNFINISHED = "unfinished"
"""A definition hash that no workload has: a load of the day began, and its events were not published yet."""

EXPIRED = "expired"
"""The version of a day whose events were removed after their time of retention. What was evaluated from them stays."""


@dataclass(frozen=True)
class LoadedDay:
    """What the lake knows of one operating day: the digest of its events (None: it has none) and the gate's verdict.

    `refused`: the last load failed its gate, and the events, if any, are those of the load before. `events` and
    `points` count the day's events and their time-points. `definition`: the hash of what made the last load, or
    UNFINISHED; `begins`: the day's first moment when its events were published; None: not known. `expired`: its events
    were removed after their time of retention.
    """

    digest: str | None
    refused: bool = False
    events: int = 0
    points: int = 0
    definition: str | None = None
    begins: int | None = None
    expired: bool | None = None

    @property
    def unfinished(self) -> bool:
        """Whether a load of it began and has not published its events."""
        return self.definition == UNFINISHED

    @property
    def version(self) -> str:
        """What a result that read this day records. It changes whenever the result or its completeness could change."""
        if self.expired:
            return EXPIRED
        held = ABSENT if self.digest is None else self.digest
        return f"{held}, refused" if self.refused else held


@dataclass(frozen=True)
class Recorded:
    """What a (query, day) was evaluated from: the hash of its definition and the version of each day it read.

    `exhausted`: the budget of work that was too small for a result; None: there is a result.
    """

    definition: str
    inputs: Mapping[date, str]
    exhausted: int | None = None

    def is_current(self, definition: str, work: int, inputs: Mapping[date, str]) -> bool:
        """Whether evaluating again would give the same. With a larger budget of `work`, a missing result may appear.

        Of days whose events expired any version will do: none better can be had.
        """
        inputs = {day: self.inputs.get(day, of) if of == EXPIRED else of for day, of in inputs.items()}
        retry = self.exhausted is not None and self.exhausted < work
        return self.definition == definition and self.inputs == inputs and not retry


@dataclass(frozen=True)
class Ledger:
    """The lake's days and what was evaluated from them."""

    days: Mapping[date, LoadedDay] = field(default_factory=dict)
    results: Mapping[tuple[str, date], Recorded] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "days", MappingProxyType(dict(self.days)))
        object.__setattr__(self, "results", MappingProxyType(dict(self.results)))

    def version(self, day: date) -> str:
        return self.days[day].version if day in self.days else ABSENT

    def holds(self, day: date) -> bool:
        """Whether the lake has events of the day, from whatever load."""
        return day in self.days and self.days[day].digest is not None and not self.days[day].expired

    @property
    def expired(self) -> tuple[date, ...]:
        """The days whose events were removed after their time of retention, ascending."""
        return tuple(sorted(day for day, of in self.days.items() if of.expired))
