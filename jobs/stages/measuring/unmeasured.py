"""The days whose shedding is still to be measured: noted before they are evaluated, forgotten once they are measured.

A run that ends in between leaves results that are up to date, so the next one evaluates nothing; without the note it
would leave the measurements of former events beside them. The note is a small file beside the working tables.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from jobs.runs.run import Run


def note_unmeasured(run: Run, days: Iterable[date]) -> None:
    """Adds days to the note, in one step."""
    if not (noted := sorted({*unmeasured_days(run), *days})):
        return
    place = _place(run)
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = place.with_name(f".{place.name}.{os.getpid()}")
    fresh.write_text(json.dumps([day.isoformat() for day in noted]), encoding="utf-8")
    fresh.replace(place)


def unmeasured_days(run: Run) -> list[date]:
    """The noted days, ascending; none if no query asks for shedding any more."""
    place = _place(run)
    if not run.workload.shed_queries or not place.exists():
        return []
    return [date.fromisoformat(day) for day in json.loads(place.read_text(encoding="utf-8"))]


def forget_unmeasured(run: Run) -> None:
    """Every noted day is measured."""
    _place(run).unlink(missing_ok=True)


def _place(run: Run) -> Path:
    return run.lake / run.workload.name / "_work" / "unmeasured.json"
