"""The common part of all outputs: columns, the last batch with the totals, and merging the batches of slices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import pyarrow as pa

from cep_core.language.evaluator import TOTALS
from cep_core.language.patterns.query import Query
from cep_core.language.settings import Settings
from cep_core.language.totals import Days, Total, encode, parts
from cep_core.matching.result.match_answers import CountedAnswers, JudgedAnswers
from cep_core.matching.result.match_rows import RowSchemas, result_schema
from cep_core.matching.result.merging import Cut, merge_partials
from cep_core.matching.result.spending import Spending


class MatchOutput(ABC):
    """Writes the answers of a query as batches of partial rows, then an empty batch with the totals of each day."""

    collapsed: bool
    """Whether rows are compact."""

    def __init__(self, query: Query, settings: Settings) -> None:
        self.query = query
        self.budget = settings.budget
        self.max_matches = None if settings.collapsed else settings.max_matches
        self.schemas = RowSchemas.of(result_schema(query, collapsed=self.collapsed))
        self.schema, self.partial, _ = self.schemas

    @abstractmethod
    def batches(self, answers: CountedAnswers | JudgedAnswers, *, whole: bool = False) -> Iterator[pa.RecordBatch]:
        """The rows of all answers, in order. `whole`: the answers are those of a whole log, in stretches or at once, so
        no other slice has a part of a row."""

    def at_once(self, answers: CountedAnswers | JudgedAnswers) -> pa.Table | None:
        """The result of a whole log whose answers are all here; None: its rows have to be merged."""
        return None

    def account(self, answers: CountedAnswers | JudgedAnswers) -> Spending:
        """The account of the work that listing the answers spends."""
        spending = Spending(self.budget, answers.days, answers.day, answers.places, self.max_matches)
        candidates = None if self.budget.limit is None else answers.candidates()
        if candidates is not None:
            spending.candidates = list(candidates)
        return spending

    def last_batch(self, days: Days, totals: Iterable[Total], more: Mapping[bytes, bytes]) -> pa.RecordBatch:
        """An empty batch whose metadata has the totals of each day, and more about the batches before it."""
        by_day = dict(zip(parts(days), totals, strict=True))
        return self._no_rows.replace_schema_metadata({TOTALS: encode(by_day), **more})

    @cached_property
    def _no_rows(self) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in self.partial], schema=self.partial)

    def merge(
        self, partials: Iterable[pa.RecordBatch], days: Days, *, countable: bool, whole: bool = False
    ) -> pa.Table:
        """One result, ordered and cut again over all slices; `countable`: no listing is needed to count.

        `whole`: the slices are stretches of a whole log, one after the other.
        """
        cut = Cut(days, self.max_matches, countable, self.budget)
        return merge_partials(partials, self.schemas, cut, whole=whole)


def on_last_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches of `MatchOutput.batches`; the last rows have the totals themselves, so that less has to travel."""
    held: pa.RecordBatch | None = None
    for batch in batches:
        if held is not None and not batch.num_rows and batch.schema.metadata:
            held = held.replace_schema_metadata(batch.schema.metadata)
        else:
            if held is not None:
                yield held
            held = batch
    if held is not None:
        yield held
