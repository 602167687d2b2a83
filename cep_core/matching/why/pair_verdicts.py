"""Explains why a pair is a match of `P AND Q`: the conditions of each side, those on both sides, and the window.

The conditions of one side are judged on the events of that side alone, in the same way as `verdicts` judges any match.
Equivalences and the window are judged on the events of both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import pyarrow as pa

from cep_core.language.patterns.bind.and_sides import alone, crossing, names_of
from cep_core.language.patterns.bind.naming import RIGHT
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import Conjunction
from cep_core.matching.match_path import Path
from cep_core.matching.why.absences import bound_by
from cep_core.matching.why.verdicts import Judge, Kind, Verdict

MOST = 10
"""The largest number of events that are tried as two matches."""


class PairJudge:
    """Judges pairs of an AND over a log. `events` are in (ts, seq) order and have a column `pos`."""

    def __init__(self, query: Query, events: pa.Table) -> None:
        assert isinstance(query.pattern, Conjunction)
        self._crossing = crossing(query)
        self._whole = Judge(query, events)
        self._sides = tuple(
            (names_of(pattern), Judge(alone(query, pattern), events))
            for pattern in (query.pattern.left, query.pattern.right)
        )

    def verdicts(self, path: Path, window_start: int | None = None) -> tuple[Verdict, ...]:
        """A verdict for each condition that applies; `path`: the events of both sides in time order."""
        window_start = self._whole.window_start(path) if window_start is None else window_start
        return (
            *self._whole.equivalences(bound_by(path)),
            *(verdict for names, judge in self._sides for verdict in self._of_side(names, judge, path, window_start)),
            *self._whole.judged(self._crossing, bound_by(path)),
            self._whole.window(path, window_start),
        )

    def bindings(self, rows: Sequence[int], most: int = 100) -> list[Path]:
        """The ways in which the two sides can bind exactly these events, without conditions; at most `most` of them.

        An event is in both sides only if there is no way without sharing it. Cost: 2^n subsets of n events, 3^n if
        events are shared. Raises ValueError for more than MOST events.
        """
        if len(rows) > MOST:
            raise ValueError(f"{len(rows)} events are too many to try as two matches; at most {MOST}")
        by_side = [{part: judge.bindings(part, most) for part in _parts(rows)} for _, judge in self._sides]
        for shared in range(len(rows) + 1):
            pairs = [
                tuple(sorted((*left, *right)))
                for part, left_paths in by_side[0].items()
                for rest, right_paths in by_side[1].items()
                if left_paths and right_paths
                if len(part) + len(rest) == len(rows) + shared and {*part, *rest} == set(rows)
                for left in left_paths
                for right in right_paths
                if {*left} != {(row, name.removesuffix(RIGHT)) for row, name in right}
            ]
            if pairs:
                return list(dict.fromkeys(pairs))[:most]
        return []

    def _of_side(self, names: frozenset[str], judge: Judge, path: Path, window_start: int | None) -> Iterator[Verdict]:
        own = tuple(step for step in path if step[1] in names)
        for verdict in judge.verdicts(own, window_start):
            if verdict.kind not in (Kind.EQUIVALENCE, Kind.WINDOW):
                yield verdict


def _parts(rows: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every non-empty subset of the rows, in their order."""
    for size in range(1, len(rows) + 1):
        yield from combinations(rows, size)
