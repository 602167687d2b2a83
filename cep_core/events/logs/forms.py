"""Reads a log's text in any of its forms: MonPoly's, DejaVu's, or the CSV of the RV competition."""

from __future__ import annotations

from pathlib import Path

from cep_core.events.logs import dejavu, monpoly, rv_csv
from cep_core.events.logs.point_log import PointLog
from cep_core.events.schema import LogSchema

_FORMATS = {"monpoly": monpoly.read, "dejavu": dejavu.read, "rv": rv_csv.read}


def read_log(log: str | Path, schema: LogSchema, form: str | None = None) -> PointLog:
    """A log's text; `form` is monpoly, dejavu or rv; None: as its first line looks. Raises LogError."""
    return _FORMATS[form or form_of(log)](log, schema)


def form_of(log: str | Path) -> str:
    """The form of a log's text, by its first line.

    >>> form_of("@5 P(3)"), form_of("P, tp=0, ts=5, x=3"), form_of("P,3")
    ('monpoly', 'rv', 'dejavu')
    """
    if isinstance(log, Path):
        with log.open(encoding="utf-8", errors="replace") as lines:
            first = next((line for line in lines if line.strip()), "")
    else:
        first = next((line for line in log.splitlines() if line.strip()), "")
    if "tp=" in first.replace(" ", ""):
        return "rv"
    return "monpoly" if not first.strip() or first.lstrip()[0] in "@>#" else "dejavu"
