"""What a slice knows of a policy at each point, and the rows that it reports: violations, episodes, edges, sizes.

`monitoring.shared.episodes` says what pieces of episodes and edges are, and merges them; `episode_shares` says it of
sizes. All sub-logs are treated at once. Cost: a few passes over the points, and the rows that are made.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints, distinct
from cep_core.events.logs.time_points import OFFSET
from cep_core.language.totals import Days, parts
from cep_core.monitoring.propositional.arrays.points import SplitTrace, offsets_in_trace
from cep_core.monitoring.shared.episodes import Judged, Runs, at_every_point, pieces

PLACE = " place"
"""The column of a violation's point, as its index in the trace. No attribute has this name."""


@dataclass(frozen=True)
class Judgement:
    """n points of k sub-logs that lie side by side, of which a slice owns some."""

    of: SplitTrace
    violated: Flags
    """[n] Whether the policy is false at a point; also at points that the slice does not own."""
    judged: Flags | None
    """[n] Whether a point ends episodes that it does not belong to; None: all do."""
    owned: Flags
    """[k] The sub-logs that the slice owns."""
    days: Days
    after: int
    """How long after its point a verdict is certain."""

    @cached_property
    def sub_log(self) -> Ints:
        """[n] The number of each point's sub-log."""
        return sub_logs_of_points(self.of.trace.starts)

    @cached_property
    def day(self) -> Ints:
        """[n] The number of the day on which a point's verdict is certain: -1 before the first day that is owned."""
        return certain_days(self.of.trace.stamps, self.days, self.after)

    @cached_property
    def offset(self) -> Ints:
        """[n] The index of each point among those of its stamp in its sub-log."""
        return offsets_in_trace(self.of.trace)

    def violations(self) -> tuple[pa.Table, Ints]:
        """The violations that the slice owns: `ts`, `offset`, the sub-log's values, `PLACE`; how many each day has."""
        points, day, _ = self._own()
        table = pa.table({"ts": self.of.trace.stamps[points], OFFSET: self.offset[points]})
        table = self._with_values(table, self.sub_log[points]).append_column(PLACE, pa.array(points))
        return table, np.bincount(day, minlength=len(parts(self.days)))

    def episodes(self) -> pa.Table:
        """The pieces of episodes in each part of a day: `RUN_COLUMNS`, the sub-log's values, `PLACE` of the first."""
        points, _, part = self._own()
        begins = np.ones(len(points), np.bool_)
        begins[1:] = (np.diff(points) != 1) | (np.diff(part[points]) != 0)
        begin = points[begins]
        end = points[np.append(np.flatnonzero(begins)[1:], len(points))[: len(begin)] - 1] + 1
        number = self.sub_log[begin]
        first, last = (np.searchsorted(part, part[begin], side) for side in ("left", "right"))
        trace = self.of.trace
        table, start = pieces(Runs(number, begin, end, first, last), trace.stamps, self.offset, self._judged_before())
        return self._with_values(table, number[start]).append_column(PLACE, pa.array(begin[start]))

    def edges(self, cut: tuple[bool, bool]) -> pa.Table:
        """The edges of the first and the last part of each sub-log, if they are cut: the values, `ts`, `offset`."""
        starts, part = self.of.trace.starts, self._part
        of_log = np.arange(len(starts) - 1)[self.owned] * self._span
        near = [np.zeros(0, np.int64)]
        for day in dict.fromkeys([0] * cut[0] + [len(parts(self.days)) - 1] * cut[1]):
            first = np.searchsorted(part, of_log + day + 1, side="left")
            last = np.searchsorted(part, of_log + day + 1, side="right")
            near.append(self._edges_between(first[first < last], last[first < last]))
        points = distinct(np.concatenate(near))
        table = pa.table({"ts": self.of.trace.stamps[points], OFFSET: self.offset[points]})
        return self._with_values(table, self.sub_log[points])

    def judged_on_days(self) -> pa.Table:
        """A judging point, if there is one, of each sub-log that the slice owns on each of its days: values, `ts`."""
        points = self._owned_of(np.ones(len(self.sub_log), np.bool_) if self.judged is None else self.judged)
        points = points[np.unique(self._part[points], return_index=True)[1]]
        return self._with_values(pa.table({"ts": self.of.trace.stamps[points]}), self.sub_log[points])

    def _edges_between(self, first: Ints, last: Ints) -> Ints:
        """The edges of the parts [first, last) of sub-logs, which have points."""
        if self.judged is not None:
            judging = np.flatnonzero(self.judged)
            low, high = np.searchsorted(judging, first), np.searchsorted(judging, last)
            return np.concatenate([judging[low[low < high]], judging[high[low < high] - 1]])
        starts, number = self.of.trace.starts, self.sub_log[first]
        before = np.maximum(first - 1, starts[number])
        after = np.minimum(last, starts[number + 1] - 1)
        return np.concatenate([before, first, last - 1, after])

    def sizes(self, counted: Flags, cut: tuple[bool, bool]) -> pa.Table:
        """How many points sub-logs have in parts of days: `ts` of the first one, `points`, the sub-log's values.

        `counted` [n]: which points count beside the violations. Parts without violation are there if they are cut.
        """
        points = self._owned_of(counted | self.violated)
        begins = np.flatnonzero(np.diff(self._part[points], prepend=-1))
        kept = np.zeros(len(begins), np.bool_)
        if len(begins):
            kept = np.logical_or.reduceat(self.violated[points], begins)
        first, sizes = points[begins], np.diff(np.append(begins, len(points)))
        kept |= (cut[0] & (self.day[first] == 0)) | (cut[1] & (self.day[first] == len(parts(self.days)) - 1))
        first = first[kept]
        table = pa.table({"ts": self.of.trace.stamps[first], "points": sizes[kept]})
        return self._with_values(table, self.sub_log[first])

    def _own(self) -> tuple[Ints, Ints, Ints]:
        """The violations that the slice owns as points, their days, and `_part`."""
        points = self._owned_of(self.violated)
        return points, self.day[points], self._part

    def _owned_of(self, points: Flags) -> Ints:
        """Those of some points that the slice owns."""
        return np.flatnonzero(points & self.owned[self.sub_log] & (self.day >= 0) & (self.day < len(parts(self.days))))

    @property
    def _span(self) -> int:
        return len(parts(self.days)) + 2

    @cached_property
    def _part(self) -> Ints:
        """[n] A number for each sub-log and day, ascending."""
        return self.sub_log * self._span + self.day + 1

    def _judged_before(self) -> Judged:
        if self.judged is None:
            return at_every_point
        before = np.append(0, np.cumsum(self.judged))
        return lambda _, points: before[points]

    def _with_values(self, table: pa.Table, sub_log: Ints) -> pa.Table:
        numbers = pa.array(sub_log)
        for name in self.of.values.column_names:
            table = table.append_column(name, self.of.values[name].take(numbers))
        return table


def certain_days(stamps: Ints, days: Days, after: int) -> Ints:
    """[n] The number of the day on which the verdict about each point is certain: -1 before the first day.

    >>> certain_days(np.array([0, 6, 7, 30]), (10, 20, 30), 3).tolist()
    [-1, -1, 0, 2]
    """
    if days is None:
        return np.zeros(len(stamps), np.int64)
    return np.searchsorted(np.array([day - after for day in days], np.int64), stamps, side="right") - 1


def sub_logs_of_points(starts: Ints) -> Ints:
    """[n] The number of each point's sub-log. `starts`: as in `Trace`."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))
