"""Drawings that are not made again: those of the report that stands already, and those drawn for another day.

Nine tenths of a report's time are for drawings. A report says in `run.json` which drawing each of its files is, and its
digest; a file that changed since is drawn again.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jobs.reports.figures.drawing.figure import Drawn, Figure, draw_both
from jobs.reports.figures.drawing.identity import identity_of

MOST = 256
"""How many figures of other days are held, of some 40 kB each: more than one day has."""


@dataclass
class RecentDrawings:
    """Drawings that this process has made, by identity: the picture of a query is the same on every day."""

    _drawn: OrderedDict[str, Drawn] = field(default_factory=OrderedDict)

    def get(self, identity: str) -> Drawn | None:
        if identity not in self._drawn:
            return None
        self._drawn.move_to_end(identity)
        return self._drawn[identity]

    def put(self, identity: str, drawn: Drawn) -> None:
        self._drawn[identity] = drawn
        if len(self._drawn) > MOST:
            self._drawn.popitem(last=False)


@dataclass
class ReportDrawings:
    """The drawings of one report, which will stand in the place of `standing`. `made`: how many were drawn."""

    standing: Path
    recent: RecentDrawings
    record: dict[str, list[str]] = field(default_factory=dict)
    """For `run.json`: of each figure its identity, and the digests of its files."""
    made: int = 0

    def __post_init__(self) -> None:
        self._recorded = _recorded(self.standing)

    def draw(self, figure: Figure) -> Drawn:
        """A figure's drawings, wide and narrow."""
        identity = identity_of(figure)
        drawn = None if identity is None else self.recent.get(identity) or self._of_standing(figure, identity)
        if drawn is None:
            drawn = draw_both(figure)
            self.made += 1
        if identity is not None:
            self.recent.put(identity, drawn)
            self.record[figure.name] = [identity, *map(_digest, drawn)]
        return drawn

    def _of_standing(self, figure: Figure, identity: str) -> Drawn | None:
        recorded = self._recorded.get(figure.name)
        if not recorded or recorded[0] != identity:
            return None
        try:
            wide, narrow = ((self.standing / name).read_text(encoding="utf-8") for name in figure.files[:2])
        except (OSError, UnicodeDecodeError):
            return None
        return (wide, narrow) if recorded[1:] == [_digest(wide), _digest(narrow)] else None


def _recorded(standing: Path) -> Mapping[str, Sequence[str]]:
    """What `run.json` of a report says; nothing where there is none, or one that cannot be read."""
    try:
        record = json.loads((standing / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    drawings = record.get("drawings") if isinstance(record, dict) else None
    return drawings if isinstance(drawings, dict) else {}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
