"""The evaluator of matching queries: plan, answers, output.

The plan says where each condition is judged. The answers count the matches that end at each event before any is listed:
`any_match` for skip-till-any-match, `next_match` for skip-till-next-match and contiguity. Where conditions need a whole
match (postponed), answers are known once matches are listed and judged; totals are then exact while the listing is
complete. The output writes listed matches, compact rows or supersets.

Cost: input plus output, as the modules say; the number of runs that an event-by-event matcher would keep plays no part,
save under postponed conditions, where every match of the other conditions is listed once.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.facts.compiled import refusals_in
from cep_core.language.patterns.query import Query
from cep_core.language.settings import DEFAULTS, Settings
from cep_core.matching.choice.answering import answers_of, description
from cep_core.matching.judging.binding_judge import BindingJudge
from cep_core.matching.plan.match_plan import match_plan
from cep_core.matching.written_evaluator import WrittenEvaluator


class MatchEvaluator(WrittenEvaluator):
    """Evaluates a matching query (`cep_core.language.evaluator.Evaluator`).

    Of the settings, `max_matches`: so many matches of each operating day are listed, the first in the order of
    (last_ts, last seq, events from first to last by (seq, place of the variable in the pattern)); None lists all.
    `collapsed`: one compact row for each last event instead of its matches. With `supersets` these never cost a
    listing: where conditions are judged on listed matches, a row holds what passes all other conditions, which may be
    more than any match, and its count is unknown. `budget`: of the work that listing may take; polynomial work is not
    counted, nor is a listing that is cut at `max_matches` unless its conditions are judged on listed matches. Raises
    NotSupportedYet, with the place, for what it cannot evaluate.
    """

    def __init__(self, query: Query, settings: Settings = DEFAULTS) -> None:
        with refusals_in(query):
            self.plan = match_plan(query)
        self.judge = BindingJudge(self.plan)
        self.counts_ahead = self.plan.counts_ahead
        super().__init__(query, settings)

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, for `explain`."""
        return description(self.plan)

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Array | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results: rows in order, then an empty batch with the totals of each day in its metadata."""
        yield from self.output.batches(answers_of(self.judge, events, owned))
