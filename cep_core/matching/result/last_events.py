"""The last events of matches: which answers stand where in the order of results, and when their matches are certain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from cep_core.language.evaluator import CERTAIN
from cep_core.matching.arrays.event_graph import EventGraph
from cep_core.matching.judging.binding_judge import BindingJudge
from cep_core.matching.result.match_rows import LAST_SEQ, window_columns
from cep_core.matching.result.totals import Days, part_of


@dataclass(frozen=True)
class LastEvents:
    """n answers in the order of (last_ts, last seq, window); an answer stands for some matches with one last event."""

    judge: BindingJudge
    graph: EventGraph
    last_rows: Ints
    window_start: Ints | None
    certain: Ints
    waits: Flags
    """Whether an answer's matches are certain not at `certain` but a window's size after their first event."""
    days: Days

    @property
    def group(self) -> Ints:
        """Answers with the same last event and window have the same number; ascending."""
        seq = self.graph.seq[self.last_rows]
        keys = [seq] if self.window_start is None else [seq, self.window_start]
        return leaders(*keys)

    @property
    def day(self) -> Ints:
        """The number of each answer's day."""
        return part_of(self.certain, self.days)

    @cached_property
    def compact_row(self) -> Ints:
        """The number of each answer's compact row, 0..: one for each last event of a partition, window and day."""
        row: Ints = np.unique(np.stack([self.group, self.last_rows, self.day]), axis=1, return_inverse=True)[1]
        return row.reshape(-1)

    @cached_property
    def answer_of_row(self) -> Ints:
        """The first answer of each compact row."""
        return np.unique(self.compact_row, return_index=True)[1]

    def moments(self, answers: Ints, first_ts: Ints) -> Ints:
        """When matches of these answers, whose first events have these times, are certain."""
        # nothing waits but without SLIDE and in a window of time, whose size is its width
        return np.where(self.waits[answers], first_ts + self.graph.width, self.certain[answers])

    def path_states(self, states: Ints) -> Ints:
        """What stands for the states of events where rows with one last event are ordered by path."""
        return states

    def last_columns(self, answers: Ints, certain: Ints) -> dict[str, pa.Array]:
        """What rows of these answers say of their last events, their windows and when they are certain."""
        last = self.last_rows[answers]
        start = None if self.window_start is None else self.window_start[answers]
        return {
            "last_ts": pa.array(self.graph.ts[last]),
            LAST_SEQ: pa.array(self.graph.seq[last]),
            CERTAIN: pa.array(certain),
            **window_columns(start, self.judge.query.window.size),
        }


def leaders(*keys: Ints) -> Ints:
    """For each place the first place of its run of equal keys.

    >>> leaders(np.array([7, 7, 8, 8]), np.array([0, 0, 0, 1])).tolist()
    [0, 0, 2, 3]
    """
    places = np.arange(len(keys[0]))
    new = np.zeros(len(places), np.bool_)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.maximum.accumulate(np.where(new, places, 0))
