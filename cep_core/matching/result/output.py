"""What every output has in common: its columns, the last batch with the totals, and merging the batches of slices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cep_core.language.budget import UNLIMITED, Budget
from cep_core.language.evaluator import TOTALS
from cep_core.language.patterns.query import Query
from cep_core.matching.result.answers import CountedAnswers, JudgedAnswers
from cep_core.matching.result.match_rows import partial_schema, result_schema
from cep_core.matching.result.merging import Cut, merge_partials
from cep_core.matching.result.spending import Spending
from cep_core.matching.result.totals import Days, Total, encode, parts


class Wanted(NamedTuple):
    """What is wanted of a matching query.

    `max_matches`: so many matches of each operating day are listed, the first in the order of (last_ts, last seq,
    events from first to last by (seq, place of the variable in the pattern)); None lists all. `collapsed`: one compact
    row for each last event instead of its matches. With `supersets` these never cost a listing: where conditions are
    judged on listed matches, a row holds what passes all others, which may be more than any match, and its count is
    unknown. `budget`: of the work that listing may take; polynomial work is not counted, nor is a listing that is
    cut at `max_matches` unless its conditions are judged on listed matches.
    """

    max_matches: int | None = None
    collapsed: bool = False
    supersets: bool = False
    budget: Budget = UNLIMITED


class Output(ABC):
    """Writes the answers of a query as batches of partial rows, then an empty batch with the totals of each day."""

    collapsed: bool
    """Whether rows are compact."""

    def __init__(self, query: Query, wanted: Wanted) -> None:
        self.query = query
        self.budget = wanted.budget
        self.max_matches = None if wanted.collapsed else wanted.max_matches
        self.schema = result_schema(query, collapsed=self.collapsed)
        self.partial = partial_schema(self.schema)

    @abstractmethod
    def batches(self, answers: CountedAnswers | JudgedAnswers) -> Iterator[pa.RecordBatch]:
        """The rows of all answers, in order."""

    def account(self, answers: CountedAnswers | JudgedAnswers) -> Spending:
        """What listing the answers spends."""
        last = answers.last_rows
        windows = np.zeros(len(last), np.int64) if answers.window_start is None else answers.window_start
        places = np.stack([answers.graph.ts[last], answers.graph.seq[last], windows])
        spending = Spending(self.budget, answers.days, answers.day, places, self.max_matches)
        candidates = None if self.budget.limit is None else answers.candidates()
        if candidates is not None:
            spending.candidates = list(candidates)
        return spending

    def last_batch(self, days: Days, totals: Iterable[Total], work: Mapping[bytes, bytes]) -> pa.RecordBatch:
        """An empty batch with the totals of each day and the work that they took."""
        by_day = dict(zip(parts(days), totals, strict=True))
        schema = self.partial.with_metadata({TOTALS: encode(by_day), **work})
        return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)

    def merge(self, partials: Iterable[pa.RecordBatch], days: Days, *, countable: bool) -> pa.Table:
        """One result, ordered and cut anew over all slices; `countable`: without listing."""
        return merge_partials(partials, self.schema, Cut(days, self.max_matches, countable, self.budget))
