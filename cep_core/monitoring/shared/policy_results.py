"""The results of a policy in any language: the columns of its tables, and how the parts of slices become one table.

An evaluator of policies inherits them. It adds the atoms, the reach, and how a slice is evaluated. Cost: that of
merging (`listing`, `episodes`, `causes`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

import pyarrow as pa

from cep_core.events.logs.time_points import OFFSET
from cep_core.language.day_results import together
from cep_core.language.evaluator import RESULT, Explain, Merge, Ownership, ResultTable, tagged
from cep_core.language.settings import Settings
from cep_core.language.totals import Days
from cep_core.monitoring.shared.causes import WHY, cause_schema, merge_causes
from cep_core.monitoring.shared.episodes import (
    COUNTED_IN,
    EPISODES,
    combine_episodes,
    edge_schema,
    episode_schema,
    merge_episodes,
)
from cep_core.monitoring.shared.judged import JUDGED, judged_schema, merge_judged, partial_judged
from cep_core.monitoring.shared.listing import merge_partials, with_certain

PASSES = "episodes pass over points where the left side of IMPLIES is false"
"""What `explain` says of a policy whose episodes do so."""
VIOLATIONS = "max_violations of each slice and day"
"""What bounds the rows of most tables while they are merged."""


class PolicyResults(ABC):
    """The tables of a policy.

    Of the settings it reads `max_violations`: the violations listed for each operating day, the first in the order of
    (ts, offset, values), None lists all; and `explained`: how many of these, or of the day's episodes, have causes.
    """

    reads_points = True
    episodes_are = "One row is a run of time-points at which the same values violate {query}"
    """What a row of the table of episodes is."""
    judged_are = "One row is a day on which {query} judges some time-point, for the values on which that depends"
    """What a row of the table of judged values is."""
    causes_are = "One row is a claim in the proof of one of the first violations of {query} on a day"
    """What a row of the table of causes is."""

    def __init__(self, settings: Settings) -> None:
        self.most = settings.max_violations
        self.explained = settings.explained if self.most is None else min(settings.explained, self.most)

    @property
    @abstractmethod
    def _values(self) -> list[pa.Field]:
        """The columns of a violation beside its point."""

    @property
    @abstractmethod
    def _keys(self) -> tuple[str, ...]:
        """The columns on which it depends whether a point judges."""

    @abstractmethod
    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results: the violations listed in order, an empty batch with each day's totals, then episodes."""

    @property
    def schema(self) -> pa.Schema:
        """`ts`, `offset`, the attributes of `-- for each`, the free variables."""
        shared = [pa.field("ts", pa.int64(), False), pa.field(OFFSET, pa.int64(), False)]
        return pa.schema([*shared, *self._values])

    @property
    def episode_schema(self) -> pa.Schema:
        """The run of points, the attributes of `-- for each`, the free variables."""
        return episode_schema(self._values)

    @property
    def cause_schema(self) -> pa.Schema:
        """A violation, and a claim of its proof."""
        return cause_schema(self._values)

    @property
    def tables(self) -> tuple[ResultTable, ...]:
        return (
            ResultTable(RESULT, self.schema, self.merge, together, self.evaluate, bound=VIOLATIONS),
            ResultTable(
                EPISODES,
                self.episode_schema,
                self._merged_episodes,
                together,
                comment=self.episodes_are,
                combine=self._combined_episodes,
                counted_in=COUNTED_IN,
                bound=f"{VIOLATIONS}, and episodes at their ends",
            ),
            ResultTable(
                WHY,
                self.cause_schema,
                self._merged_causes,
                together,
                comment=self.causes_are,
                explain=self._explain,
                explained=self.explained,
                chosen=self._chosen,
                in_slices=self._slices_explain,
                bound="the proofs of the explained violations of each day",
            ),
            self._table_of_judged,
        )

    @property
    def _explain(self) -> Explain | None:
        """Makes the causes once the violations are known; None if nothing is explained."""
        return None

    @property
    def _chosen(self) -> Merge | None:
        """Chooses the violations whose causes are made; None: the first ones of each day."""
        return None

    @property
    def _slices_explain(self) -> bool:
        """Whether slices make the causes of the violations that they own, once these are known."""
        return False

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        """The first violations of each day over all slices, in order of (ts, offset, values), with exact totals."""
        return merge_partials(partials, self.schema, days, self.most)

    @property
    def _table_of_judged(self) -> ResultTable:
        return ResultTable(
            JUDGED,
            judged_schema(self._key_fields),
            self._merged_judged,
            together,
            comment=self.judged_are,
            combine=self._combined_judged,
            bound=VIOLATIONS,
        )

    @property
    def _key_fields(self) -> list[pa.Field]:
        return [self.schema.field(name) for name in self._keys]

    @property
    def _edge_schema(self) -> pa.Schema:
        return edge_schema(self._key_fields)

    def _partial_judged(self, values: pa.Table, days: Days) -> Iterator[pa.RecordBatch]:
        """What a slice reports of the values of `_keys` that it judges, with `certain`."""
        return tagged(partial_judged(values, days, self.most), JUDGED)

    def _merged_judged(self, partials: Iterable[pa.RecordBatch], days: Days = None) -> pa.Table:
        return merge_judged(partials, self._key_fields, days, self.most)

    def _combined_judged(
        self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...], cut: tuple[bool, bool]
    ) -> list[pa.RecordBatch]:
        batches = [batch.replace_schema_metadata(None) for batch in partials]
        values = pa.Table.from_batches(batches, with_certain(pa.schema(self._key_fields)))
        return partial_judged(values, days, self.most)

    def _merged_episodes(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        return merge_episodes(partials, self.episode_schema, self._keys, days, self.most)

    def _combined_episodes(
        self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...], cut: tuple[bool, bool]
    ) -> list[pa.RecordBatch]:
        return combine_episodes(partials, self.episode_schema, self._keys, days, self.most, cut)

    def _merged_causes(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        return merge_causes(partials, self.cause_schema, days, self.explained)
