"""The evaluator of queries WITH CONFIDENCE: possible matches whose probability reaches the threshold.

Only skip-till-any-match is supported (`bind/imprecision.py` refuses the other strategies). A match is placed by the
recorded times of its events: it is listed by `first_ts` and `last_ts`, and becomes certain at its last event's `ts`.
The reach covers the largest distance between recorded times of one match. Only listing the matches gives their number.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.facts.compiled import refusals_in
from cep_core.language.patterns.query import Query
from cep_core.language.settings import DEFAULTS, Settings
from cep_core.matching.imprecise.possible_matches import PossibleGraph, possible_answers, possible_graph
from cep_core.matching.imprecise.possible_plan import possible_plan
from cep_core.matching.judging.binding_judge import BindingJudge
from cep_core.matching.written_evaluator import WrittenEvaluator


class ImpreciseEvaluator(WrittenEvaluator):
    """Evaluates a matching query over possible worlds (`cep_core.language.evaluator.Evaluator`).

    Times are whole moments, independent and uniform over [ts_lo, ts_hi] (`intervals`). With `supersets`, a compact row
    holds every event that could be in a match if only pairs of events are compared (`useful`). Raises NotSupportedYet,
    with the place, for a query that it cannot evaluate.
    """

    def __init__(self, query: Query, settings: Settings = DEFAULTS) -> None:
        with refusals_in(query):
            self.plan = possible_plan(query)
        self.judge = BindingJudge(self.plan)
        super().__init__(query, settings)

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, as `explain` prints them."""
        return self.plan.describe()

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results: rows in order, then an empty batch with the totals of each day in its metadata."""
        days = None if owned is None else owned.days
        yield from self.output.batches(possible_answers(self.graph(events, owned), days))

    def graph(self, events: pa.Table, owned: Ownership | None = None) -> PossibleGraph:
        """The events of a slice over possible worlds."""
        return possible_graph(self.judge, events, owned, self.settings.budget)
