"""The common base of the matching evaluators: they find answers, and an output writes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property, partial

import pyarrow as pa

from cep_core.language.evaluator import Ownership, ResultTable
from cep_core.language.patterns.facts.compiled import CompiledQuery
from cep_core.language.patterns.query import Query
from cep_core.language.settings import DEFAULTS, Settings
from cep_core.matching.result.compact_output import CompactOutput
from cep_core.matching.result.listed_output import ListedOutput
from cep_core.matching.result.match_output import MatchOutput
from cep_core.matching.result.match_tables import match_tables
from cep_core.matching.result.superset_output import SupersetOutput


class WrittenEvaluator(CompiledQuery, ABC):
    """The part of `cep_core.language.evaluator.Evaluator` that follows from a query's output."""

    counts_ahead = False
    """Whether matches are counted without listing them."""

    def __init__(self, query: Query, settings: Settings = DEFAULTS) -> None:
        super().__init__(query)
        self.settings = settings
        self.output = output_of(query, settings, counts_ahead=self.counts_ahead)

    @cached_property
    def tables(self) -> tuple[ResultTable, ...]:
        """The listing and, for days on which it is cut, compact rows of all matches."""
        compact = partial(type(self), self.query, replace(self.settings, collapsed=True, supersets=True))
        compact_rows = None if self.settings.collapsed else compact
        return match_tables(
            self, self.query, self.output.max_matches, by_listing=not self.counts_ahead, compact=compact_rows
        )

    @abstractmethod
    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results: rows in order; the metadata of the last batch, which may be empty, have the days' totals."""

    @abstractmethod
    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, as `explain` prints them."""

    @property
    def schema(self) -> pa.Schema:
        return self.output.schema

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        """One result, ordered and cut again over all slices."""
        return self.output.merge(partials, days, countable=self.counts_ahead)


def output_of(query: Query, settings: Settings, *, counts_ahead: bool) -> MatchOutput:
    """The output that the settings request; if matches are counted ahead, supersets are not needed."""
    if not settings.collapsed:
        return ListedOutput(query, settings)
    if settings.supersets and not counts_ahead:
        return SupersetOutput(query, settings)
    return CompactOutput(query, settings)
