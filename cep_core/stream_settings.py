"""How a stream of time-points is monitored by a propositional policy, and the counts of what was seen and told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cep_core.events.logs.time_points import BY_TIMESTAMP

if TYPE_CHECKING:
    from cep_core.monitoring.propositional.stream.kernels.state import Told

MODES = ("naive", "local", "global")


@dataclass(frozen=True)
class StreamSettings:
    """How a log is monitored; `cep.monitor_mtl` explains the first five."""

    mode: str = "local"
    resolved: bool = False
    end: str = "open"
    points: str = BY_TIMESTAMP
    for_each: str | Sequence[str] | None = None
    skip_bad: bool = False
    """Whether lines of a text that are no points are left out and counted."""
    with_causes: bool = False
    """Whether causes are asked, too: a text is then read as a whole."""
    at_once: bool | None = None
    """Whether truths of a closed text are told while it is read; None: of a pipe. Else it is resolved as a whole."""

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"mode is one of {', '.join(MODES)}, not {self.mode!r}")
        if self.end not in ("open", "closed"):
            raise ValueError(f"end is 'open' or 'closed', not {self.end!r}")


@dataclass
class Tally:
    """What was seen and told so far."""

    points: int = 0
    truths: int = 0
    violations: int = 0
    equivalences: int = 0
    skipped: int = 0
    """Lines that are no points."""

    @property
    def open(self) -> int:
        """Points of which nothing was told."""
        return self.points - self.truths - self.equivalences

    def counted(self, verdicts: Told, points: int) -> Told:
        """Counts what is told after so many further points, and gives it back."""
        from cep_core.monitoring.propositional.stream.kernels.state import EQUAL, FALSE

        equivalences = int(np.count_nonzero(verdicts.code == EQUAL))
        self.points += points
        self.equivalences += equivalences
        self.truths += len(verdicts.code) - equivalences
        self.violations += int(np.count_nonzero(verdicts.code == FALSE))
        return verdicts
