"""What the evaluators of matching share: they find answers, and an output writes these."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

import pyarrow as pa

from cep_core.language.patterns.facts.compiled import CompiledQuery
from cep_core.language.patterns.query import Query
from cep_core.language.settings import Settings
from cep_core.matching.result.compact_output import CompactOutput
from cep_core.matching.result.listed_output import ListedOutput
from cep_core.matching.result.match_output import MatchOutput
from cep_core.matching.result.superset_output import SupersetOutput


class WrittenEvaluator(CompiledQuery, ABC):
    """The part of `cep_core.language.evaluator.Evaluator` that follows from a query's output."""

    compacts = True

    def __init__(self, query: Query, settings: Settings, *, counts_ahead: bool) -> None:
        """`counts_ahead`: matches are counted without listing them."""
        super().__init__(query)
        self.settings = settings
        self._counts_ahead = counts_ahead
        self.output = output_of(query, settings, counts_ahead=counts_ahead)

    @abstractmethod
    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, for `explain`."""

    @property
    def postpones(self) -> bool:
        """Whether conditions are judged on listed matches, so that these cannot be counted otherwise."""
        return not self._counts_ahead

    @property
    def schema(self) -> pa.Schema:
        return self.output.schema

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        """One result, ordered and cut anew over all slices."""
        return self.output.merge(partials, days, countable=self._counts_ahead)


def output_of(query: Query, settings: Settings, *, counts_ahead: bool) -> MatchOutput:
    """The output that the settings ask for; matches that are counted need no supersets."""
    if not settings.collapsed:
        return ListedOutput(query, settings)
    if settings.supersets and not counts_ahead:
        return SupersetOutput(query, settings)
    return CompactOutput(query, settings)
