"""Accounts the work that pairing two sides spends of its budget (`P AND Q`).

Matches of a side and pairs are kept in memory. So an event of a listed match counts ten steps, and so does a pair. The
work does not belong to a last event. It is charged to all days that are evaluated together.
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from cep_core.language.budget import Budget, WorkExhausted
from cep_core.language.totals import Days
from cep_core.matching.result.match_rows import PATH, with_paths
from cep_core.matching.result.spending import WORK, at_once, check

HELD = 10
"""Steps for each event or pair kept in memory."""


def side_budget(budget: Budget) -> Budget:
    """The budget of one side."""
    return Budget(None if budget.limit is None else budget.limit // HELD)


class PairAccount:
    """The steps of one evaluation. Raises WorkExhausted as soon as the budget is not sufficient."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.stopped: WorkExhausted | None = None
        self._steps = 0
        self._candidates: int | None = None

    def listed(self, batches: Iterable[pa.RecordBatch], budget: Budget) -> list[pa.RecordBatch]:
        """The batches of a side's matches, after charging their events; `budget`: of the side."""
        kept = []
        for batch in batches:
            work = (batch.schema.metadata or {}).get(WORK)
            if work is not None:
                check([work], budget, None, None)
            kept.append(batch.replace_schema_metadata(None))
            if self.budget.limit is not None and batch.num_rows:
                paths = with_paths(pa.Table.from_batches([kept[-1]]))[PATH]
                self.hold(len(paths.combine_chunks().flatten()) // 2)
        return kept

    def pair(self, candidates: int) -> None:
        """Charges the candidate pairs before they are compared."""
        self._candidates = candidates
        self.hold(candidates)

    def hold(self, count: int) -> None:
        """Charges events or pairs that are kept in memory."""
        self.spend(HELD * count)

    def spend(self, steps: int) -> None:
        """Charges steps of any kind."""
        self._steps += steps
        self.budget.tell(self._steps)
        if self.budget.limit is not None and self.budget.is_over(self._steps):
            raise WorkExhausted(self.budget.limit, self._candidates)

    def metadata(self, days: Days) -> dict[bytes, bytes]:
        """The metadata for the schema of the last batch."""
        return at_once(self.budget, days, self._steps, self._candidates, self.stopped)
