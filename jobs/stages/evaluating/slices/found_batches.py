"""The batches that one slice gives for one block of days: most are handed on at once, some wait for the last.

Memory: those that wait. These are pieces of results, which other slices may have found, too, and of a slice that is
evaluated in parts the batches of tables that make less of several parts (`ResultTable.combine`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from cep_core.language.evaluator import Evaluator, suffix_of, tagged
from cep_core.language.open_form import PIECES
from jobs.stages.evaluating.left_batches import Batch, Keep
from jobs.stages.evaluating.reading import Moments


class FoundBatches:
    """Batches that `keep` takes. `several`: the slice is evaluated in parts."""

    def __init__(self, evaluator: Evaluator, keep: Keep, *, several: bool) -> None:
        self._keep = keep
        self._combines = {t.suffix: t.combine for t in evaluator.tables if t.combine is not None and several}
        self._waiting: dict[str, list[pa.RecordBatch]] = {suffix: [] for suffix in (*self._combines, PIECES)}
        self.kept: list[Batch] = []
        self.rows = 0

    def add(self, batches: Iterable[pa.RecordBatch]) -> None:
        """What a part gives."""
        for batch in batches:
            suffix = suffix_of(batch)
            if suffix in self._waiting:
                self._waiting[suffix].append(batch)
            else:
                self._take(batch)

    def end(self, owned: Sequence[Moments], days: Moments) -> list[pa.RecordBatch]:
        """Takes what waited, made less where a table knows how; returns the pieces. `owned`: the parts."""
        pieces = self._waiting[PIECES]
        self.rows += sum(piece.num_rows for piece in pieces)
        for suffix, combine in self._combines.items():
            if parts := self._waiting[suffix]:
                first, last = owned[0][0], owned[-1][-1]
                own = (first, *(day for day in days if first < day < last), last)
                for batch in tagged(combine(parts, own, (first not in days, last not in days)), suffix):
                    self._take(batch)
        return pieces

    def _take(self, batch: pa.RecordBatch) -> None:
        self.rows += batch.num_rows
        self.kept.append(self._keep(batch))
