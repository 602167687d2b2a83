"""`P AND Q`: unordered pairs of different matches, one of each side (`docs/semantics.md` 3; GRETA, section 9).

Each side is a query of its own, and its matches are listed. Two matches form a pair if they agree on every equivalence,
fit one window together and pass the conditions on both sides. If both sides find the same two matches, these form one
pair, not two.

Cost: listing both sides, and for each value of the equivalences the product of their matches, compared in columns. A
side may have exponentially many matches, and all of them are kept in memory, so use AND only if there are few. Compact
rows cost the same. Work (`pair_account`): events of listed matches and candidate pairs, both of which are known before
pairs are compared.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from cep_core.language.budget import WorkExhausted
from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import CERTAIN, Ownership
from cep_core.language.patterns.bind.and_sides import alone, crossing
from cep_core.language.patterns.facts.compiled import refusals_in
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import Conjunction
from cep_core.language.settings import DEFAULTS, Settings
from cep_core.language.totals import Days, Total, owned_moments, part_of, parts
from cep_core.matching.evaluator import MatchEvaluator
from cep_core.matching.pairs.pair_account import PairAccount, side_budget
from cep_core.matching.pairs.pair_columns import Pairs, pair_columns
from cep_core.matching.pairs.pair_sides import PairSide, are_different, candidates, number_of_candidates, sides_of
from cep_core.matching.pairs.written_pairs import CompactPairs, ListedPairs
from cep_core.matching.plan.conditions import check_judgeable
from cep_core.matching.result.match_rows import CONFIDENCE, ordered, partial_schema, with_paths
from cep_core.matching.written_evaluator import WrittenEvaluator


class PairEvaluator(WrittenEvaluator):
    """Evaluates `P AND Q` (`cep_core.language.evaluator.Evaluator`); arguments and refusals as in `MatchEvaluator`."""

    charges_slices = True
    """A pair belongs to no last event, so each day of a slice is charged with all pairs of the slice."""

    def __init__(self, query: Query, settings: Settings = DEFAULTS) -> None:
        assert isinstance(query.pattern, Conjunction)
        super().__init__(query, replace(settings, supersets=False))
        with refusals_in(query):
            _check_pairable(query)
        self._halves = tuple(alone(query, pattern) for pattern in (query.pattern.left, query.pattern.right))
        self.sides = self._evaluators()
        self.crossing = crossing(query)
        with refusals_in(query):
            for condition in self.crossing:
                check_judgeable(condition)

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, as `explain` prints them."""
        return self._described(
            "AND: the matches of each side are listed, then paired", "cost: both listings and the product of them"
        )

    def _described(self, *lines: str) -> tuple[str, ...]:
        of_sides = [
            f"{name}: {line}"
            for name, side in zip(("left", "right"), self.sides, strict=True)
            for line in side.describe()
        ]
        return (*lines, *of_sides, *(f"{len(self.crossing)} condition(s) judged on pairs" for _ in self.crossing[:1]))

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results: pairs, then an empty batch with the totals of each day in its metadata."""
        days = owned.days if owned is not None else None
        account = PairAccount(self.settings.budget)
        try:
            totals = yield from self._paired(events, owned, days, account)
        except WorkExhausted as exhausted:
            totals = np.zeros(len(parts(days)), np.int64)
            account.stopped = exhausted
        yield self.output.last_batch(days, [Total(count) for count in totals.tolist()], account.metadata(days))

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        """One result, ordered and cut again over all slices. All pairs are found, so totals are exact."""
        return self.output.merge(partials, days, countable=True)

    def _paired(
        self, events: pa.Table, owned: Ownership | None, days: Days, account: PairAccount
    ) -> Generator[pa.RecordBatch, None, Ints]:
        """The pairs, and their number on each day. Raises WorkExhausted as soon as the budget is not sufficient."""
        left, right = self._listed(events, None if owned is None else replace(owned, days=None), account)
        account.pair(number_of_candidates(left, right))
        totals = np.zeros(len(parts(days)), np.int64)
        written = CompactPairs(self.output) if self.output.collapsed else ListedPairs(self.output)
        for of_left, of_right in candidates(left, right):
            pairs = Pairs(left, right, of_left, of_right)
            pairs = pairs.take(self._fits(pairs))
            columns, matches = pair_columns(self.query, pairs, events)
            certain = columns[CERTAIN].to_numpy()
            good = owned_moments(certain, days)
            for condition in self.crossing:
                good &= matches.judge(condition)
            kept = np.flatnonzero(good)
            likely, confidences = self._likely(pairs.take(kept))
            kept = kept[likely]
            columns = {name: values.take(pa.array(kept)) for name, values in columns.items()}
            totals += np.bincount(part_of(certain[kept], days), minlength=len(totals))
            yield from written.take(pairs.take(kept), {**columns, CONFIDENCE: confidences}, days)
        yield from written.rest(left, right, events)
        return totals

    def _evaluators(self) -> tuple[WrittenEvaluator, ...]:
        """The evaluators that list the matches of each side."""
        return tuple(MatchEvaluator(half, Settings(budget=side_budget(self.settings.budget))) for half in self._halves)

    def _listed(self, events: pa.Table, owned: Ownership | None, account: PairAccount) -> tuple[PairSide, PairSide]:
        """All matches of both sides. Raises WorkExhausted if there are too many."""
        tables, variables = [], []
        for side in self.sides:
            assert isinstance(side, MatchEvaluator)
            batches = account.listed(side.evaluate(events, owned), side.settings.budget)
            table = with_paths(pa.Table.from_batches(batches, partial_schema(side.schema)))
            tables.append(table.take(pa.array(ordered(table))))
            variables.append(side.plan.automaton.variables)
        with refusals_in(self.query):
            return sides_of(self.query, variables, tables, events)

    def _likely(self, pairs: Pairs) -> tuple[Ints, pa.Array]:
        """The places of the likely pairs, and their confidences; pairs of precise events are certain."""
        return np.arange(len(pairs.of_left)), pa.nulls(len(pairs.of_left))

    def _fits(self, pairs: Pairs) -> Flags:
        """Whether each pair has different matches within one window; each pair is accepted only once."""
        good = are_different(*pairs)
        if self.query.window.slide is None:
            left, right = pairs.left.table, pairs.right.table
            firsts, lasts = (
                (left[name].to_numpy()[pairs.of_left], right[name].to_numpy()[pairs.of_right])
                for name in ("first_ts", "last_ts")
            )
            good &= np.maximum(*lasts) - np.minimum(*firsts) <= self.query.window.size
        return good


def _check_pairable(query: Query) -> None:
    refused = ""
    if query.window.events:
        refused = "WITHIN a number of EVENTS around an AND is"
    elif query.skip is not None:
        refused = "AFTER MATCH SKIP after an AND is"
    if refused:
        raise NotSupportedYet(f"{refused} not supported yet", query.pattern.at)
