"""How long a lake keeps what: the section `retention` of workload.yaml, applied by the weekly upkeep."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from jobs.workload.files.problems import Problems, brief

KEPT = {"events": 1, "quarantine": 1, "results": 1, "reports": 1, "runs": 30}
"""What may be kept for a time, and for how many days at least. `runs`: upkeep asks which runs are recent."""

LONGEST = 36_500

_DAYS = re.compile(r"([1-9][0-9]{0,4}) days?")


@dataclass(frozen=True)
class Retention:
    """Days for which something is kept, by its name; what is not named is kept forever."""

    days: Mapping[str, int] = field(default_factory=dict)

    def begin(self, name: str, today: date) -> date | None:
        """The first operating day that is kept; None: all are.

        >>> Retention({"events": 30}).begin("events", date(2024, 1, 31))
        datetime.date(2024, 1, 1)
        """
        return today - timedelta(days=self.days[name]) if name in self.days else None

    def __str__(self) -> str:
        return ", ".join(f"{name} {days} days" for name, days in self.days.items())


def read_retention(problems: Problems, value: object, reach_days: float | None) -> Retention:
    """The section. `reach_days`: how far back queries may look; events must be kept at least as long."""
    section = problems.section("workload.yaml: retention", value, (), list(KEPT))
    days = {}
    for name in section.items:
        written = _DAYS.fullmatch(str(section.items[name]))
        if written is None or not KEPT[name] <= int(written[1]) <= LONGEST:
            expected = f"a number of days, at least {KEPT[name]}, such as '400 days'"
            problems.add(section.at(name), f"expected {expected}, found {brief(section.items[name])}")
        else:
            days[name] = int(written[1])
    if reach_days is not None and days.get("events", LONGEST) < reach_days:
        problems.add(
            section.at("events"),
            f"is shorter than limits.max_reach ({reach_days:g} days): a new day's queries would lack events",
        )
    return Retention(days)
