"""The last events of matches: the order of the answers in the result, and when their matches become certain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints, are_in_order, differ
from cep_core.language.evaluator import CERTAIN
from cep_core.language.totals import Days, part_of
from cep_core.matching.arrays.event_graph import EventGraph
from cep_core.matching.arrays.paths import LARGEST, BatchSize
from cep_core.matching.judging.binding_judge import BindingJudge
from cep_core.matching.result.match_rows import LAST_SEQ, window_columns


@dataclass(frozen=True)
class LastEvents:
    """n answers in (last_ts, last seq, window) order; each answer represents matches with the same last event."""

    judge: BindingJudge
    graph: EventGraph
    last_rows: Ints
    window_start: Ints | None
    certain: Ints
    waits: Flags
    """[answer] whether its matches become certain a window's size after their first event, and not at `certain`."""
    days: Days

    @cached_property
    def group(self) -> Ints:
        """[answer] a number that answers with the same last event and window share; ascending."""
        seq = self.graph.seq_of(self.last_rows)
        keys = [seq] if self.window_start is None else [seq, self.window_start]
        return leaders(*keys)

    @cached_property
    def day(self) -> Ints:
        """The number of each answer's day."""
        return part_of(self.certain, self.days)

    @cached_property
    def compact_row(self) -> Ints:
        """The number of each answer's compact row, 0..: one for each last event of a partition, window and day."""
        keys = self.group, self.last_rows, self.day
        if are_in_order(*keys):
            return np.cumsum(differ(*keys)) - 1
        row: Ints = np.unique(np.stack(keys), axis=1, return_inverse=True)[1]
        return row.reshape(-1)

    @cached_property
    def answer_of_row(self) -> Ints:
        """The first answer of each compact row."""
        row = self.compact_row
        if are_in_order(row):
            return np.flatnonzero(differ(row))
        return np.unique(row, return_index=True)[1]

    @property
    def is_listed_in_order(self) -> bool:
        """Whether a listing, answer by answer, has its rows in the order of results; False if that is not known."""
        return False

    @cached_property
    def batch_size(self) -> BatchSize:
        """How much is listed at a time. The rows of a whole log stay in memory anyway."""
        return LARGEST if self.days is None else BatchSize.beside(len(self.graph.ts))

    def places(self) -> Ints:
        """[3, answer] ts and seq of the last event, and the start of the window (0 without SLIDE)."""
        last, graph = self.last_rows, self.graph
        windows = np.zeros(len(last), np.int64) if self.window_start is None else self.window_start
        return np.stack([graph.ts[last], graph.seq_of(last), windows])

    @cached_property
    def are_certain_at_last(self) -> bool:
        """Whether every match becomes certain at its last event."""
        return not self.waits.any() and np.array_equal(self.certain, self.graph.ts[self.last_rows])

    def moments(self, answers: Ints, first_ts: Ints) -> Ints:
        """The moments at which matches of these answers become certain; `first_ts`: the times of their first events."""
        # answers wait only without SLIDE and with a time window, whose size equals its width
        return np.where(self.waits[answers], first_ts + self.graph.width, self.certain[answers])

    def path_states(self, states: Ints) -> Ints:
        """The numbers that replace the states of events when rows with the same last event are ordered by path."""
        return states

    def last_columns(
        self, answers: Ints, certain: Ints | None, last_seq: pa.Array | None = None
    ) -> dict[str, pa.Array]:
        """The columns of these answers' rows for the last event, the window and the moment of certainty.

        `certain` None: they are certain at the last event. `last_seq`: of the last events, if a column has them.
        """
        last = self.last_rows[answers]
        start = None if self.window_start is None else self.window_start[answers]
        last_ts = pa.array(self.graph.ts[last])
        return {
            "last_ts": last_ts,
            LAST_SEQ: pa.array(self.graph.seq_of(last)) if last_seq is None else last_seq,
            CERTAIN: last_ts if certain is None else pa.array(certain),
            **window_columns(start, self.judge.query.window.size),
        }


def leaders(*keys: Ints) -> Ints:
    """For each place, the first place of its run of equal keys.

    >>> leaders(np.array([7, 7, 8, 8]), np.array([0, 0, 0, 1])).tolist()
    [0, 0, 2, 3]
    """
    return np.maximum.accumulate(np.where(differ(*keys), np.arange(len(keys[0])), 0))
