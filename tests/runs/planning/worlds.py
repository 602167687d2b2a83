"""Planning without a lake: questions that are atoms alone, and counts of a table of events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom, Reach
from cep_core.slicing import Statistics, statistics_of
from jobs.runs.scope import Evaluation, Scope
from jobs.stages.slicing.planning import Planning
from jobs.workload.operating_days import OperatingDays

FIRST = date(1970, 1, 1)
DAY = 86_400
CALENDAR = OperatingDays(timedelta())


@dataclass
class TableCounts:
    """Counts of a table of events; day n holds the stamps of [n, n + 1) days."""

    events: pa.Table
    counted: list[tuple[date, ...]]

    def count(self, spans: Any) -> None:
        self.counted += [days for days, _ in spans]

    def statistics(self, days: tuple[date, ...], atoms: Sequence[Atom]) -> Statistics:
        assert days in self.counted
        return statistics_of(self._of(days), atoms)

    def stamps(self, days: tuple[date, ...]) -> npt.NDArray[np.int64]:
        stamps: npt.NDArray[np.int64] = np.sort(self._of(days)["ts"].to_numpy())
        return stamps

    def total(self, days: tuple[date, ...]) -> int:
        return self._of(days).num_rows

    def _of(self, days: tuple[date, ...]) -> pa.Table:
        wanted = pa.array([(day - FIRST).days for day in days])
        return self.events.filter(pc.is_in(pc.divide(self.events["ts"], DAY), wanted))


def planning(
    atoms_of: Mapping[str, Sequence[Atom]],
    events: pa.Table,
    days: int = 1,
    slices: int = 4,
    types: Mapping[str, AttributeType] | None = None,
) -> Planning:
    """The planning of a run over the first days. Queries reach back without bound, so that no time ranges are made."""
    evaluations = [
        Evaluation(name, day, {day: "1"}, ())
        for name in atoms_of
        for day in (FIRST + timedelta(days=number) for number in range(days))
    ]
    compiled: Any = {
        name: SimpleNamespace(evaluator=SimpleNamespace(atoms=tuple(atoms), reach=Reach(time=None)))
        for name, atoms in atoms_of.items()
    }
    workload: Any = SimpleNamespace(
        name="toy",
        operating_days=CALENDAR,
        attributes=types or {"k": AttributeType.INT, "name": AttributeType.STRING},
        slicing=SimpleNamespace(slices=slices),
        limits=SimpleNamespace(slice_rows=10**6),
    )
    return Planning(workload, compiled, Scope(tuple(evaluations)), TableCounts(events, []))
