"""What pairing two sides spends of a budget of work (`P AND Q`).

Matches of a side and pairs are held in memory, so that an event of a listed match and a pair count ten steps each. What
is spent belongs to no last event: it is that of all days that are evaluated at once.
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from cep_core.language.budget import Budget, WorkExhausted
from cep_core.matching.result.match_rows import PATH, with_paths
from cep_core.matching.result.spending import WORK, at_once, check
from cep_core.matching.result.totals import Days

HELD = 10
"""Steps of what is held in memory."""


def side_budget(budget: Budget) -> Budget:
    """What one side may spend."""
    return Budget(None if budget.limit is None else budget.limit // HELD)


class PairAccount:
    """The steps of one evaluation; they raise WorkExhausted as soon as the budget cannot suffice."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.stopped: WorkExhausted | None = None
        self._steps = 0
        self._candidates: int | None = None

    def listed(self, batches: Iterable[pa.RecordBatch], budget: Budget) -> list[pa.RecordBatch]:
        """The matches of a side, whose own budget is given."""
        kept = []
        for batch in batches:
            said = (batch.schema.metadata or {}).get(WORK)
            if said is not None:
                check([said], budget, None, None)
            kept.append(batch.replace_schema_metadata(None))
            if self.budget.limit is not None and batch.num_rows:
                paths = with_paths(pa.Table.from_batches([kept[-1]]))[PATH]
                self.hold(len(paths.combine_chunks().flatten()) // 2)
        return kept

    def pair(self, candidates: int) -> None:
        """So many pairs are to be compared."""
        self._candidates = candidates
        self.hold(candidates)

    def hold(self, count: int) -> None:
        """So many events or pairs are kept."""
        self.spend(HELD * count)

    def spend(self, steps: int) -> None:
        """Steps of any kind."""
        self._steps += steps
        self.budget.tell(self._steps)
        if self.budget.limit is not None and self.budget.is_over(self._steps):
            raise WorkExhausted(self.budget.limit, self._candidates)

    def metadata(self, days: Days) -> dict[bytes, bytes]:
        """For the schema of the last batch."""
        return at_once(self.budget, days, self._steps, self._candidates, self.stopped)
