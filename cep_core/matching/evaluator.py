"""The evaluator of matching queries: plan, answers, output.

The plan decides where each condition is judged. The answers count the matches that end at each event before any match
is listed: `any_match` for skip-till-any-match, `next_match` for skip-till-next-match and contiguity. If conditions need
a whole match (postponed), matches must be listed and judged to count them; totals are then exact only while the listing
is complete. The output writes listed matches, compact rows or supersets.

Cost: input plus output, as the modules state. It does not depend on the number of runs that an event-by-event matcher
would keep. The exception is postponed conditions: then every match of the other conditions is listed once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from cep_core.candidates.stretches import Stretch, stretches_of
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.facts.compiled import refusals_in
from cep_core.language.patterns.query import Query
from cep_core.language.settings import DEFAULTS, Settings
from cep_core.matching.choice.answering import answers_of, description
from cep_core.matching.judging.binding_judge import BindingJudge
from cep_core.matching.plan.match_plan import match_plan
from cep_core.matching.result.match_answers import CountedAnswers, JudgedAnswers
from cep_core.matching.result.match_output import on_last_rows
from cep_core.matching.written_evaluator import WrittenEvaluator


class MatchEvaluator(WrittenEvaluator):
    """Evaluates a matching query (`cep_core.language.evaluator.Evaluator`).

    The settings that it reads:

    - `max_matches`: the number of matches listed for each operating day; None lists all. These are the first in the
      order of (last_ts, last seq, events from first to last by (seq, place of the variable in the pattern)).
    - `collapsed`: one compact row for each last event instead of its matches.
    - `supersets`: compact rows never cost a listing. If conditions are judged on listed matches, a row has the events
      that pass all other conditions. These may be more than the events of the matches, and the count is unknown.
    - `budget`: limits the work of listing. Polynomial work is not counted. A listing that is cut at `max_matches` is
      counted only if its conditions are judged on listed matches.

    Raises NotSupportedYet, with the place, for a query that it cannot evaluate.
    """

    def __init__(self, query: Query, settings: Settings = DEFAULTS) -> None:
        with refusals_in(query):
            self.plan = match_plan(query)
        self.judge = BindingJudge(self.plan)
        self.counts_ahead = self.plan.counts_ahead
        super().__init__(query, settings)

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, as `explain` prints them."""
        return description(self.plan)

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results: rows in order; the metadata of the last batch, which may be empty, have the days' totals."""
        for stretch, own in self._stretches(events, owned):
            yield from on_last_rows(self.output.batches(answers_of(self.judge, stretch, own)))

    def whole(self, events: pa.Table) -> pa.Table:
        """The result of a whole log.

        Matches that are listed in order are the result as they are; compact rows that no other rows join keep no nodes
        to be joined by.
        """
        stretches = list(self._stretches(events, None, whole=True))
        answers: Iterable[CountedAnswers | JudgedAnswers] = (answers_of(self.judge, *stretch) for stretch in stretches)
        if len(stretches) == 1:
            answers = [*answers]
            if (result := self.output.at_once(answers[0])) is not None:
                return result
        batches = (batch for each in answers for batch in on_last_rows(self.output.batches(each, whole=True)))
        return self.output.merge(batches, None, countable=self.counts_ahead, whole=True)

    def _stretches(self, events: pa.Table, owned: Ownership | None, *, whole: bool = False) -> Iterable[Stretch]:
        """What is evaluated one after the other; all at once if a budget is spent, in the order of results."""
        lists_all = not self.output.collapsed and self.output.max_matches is None
        if not self.counts_ahead or (lists_all and self.settings.budget.limit is not None):
            return [(events, owned)]
        return stretches_of(self.query, self.reach, events, owned, whole=whole)
