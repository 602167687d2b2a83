"""Why a pair is a match of `P AND Q`: each side's conditions, those on both, and one window around them.

The conditions of a side are judged on that side's events alone, as `verdicts` judges any match; equivalences and the
window are judged on both together.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from cep_core.language.patterns.query import Query
from cep_core.language.patterns.sides import alone, crossing, names_of
from cep_core.language.patterns.tree import Conjunction
from cep_core.matching.absences import bound_by
from cep_core.matching.reference import Path
from cep_core.matching.verdicts import Judge, Kind, Verdict


class PairJudge:
    """Judges pairs of an AND over a log; `events` in (ts, seq) order with `pos`."""

    def __init__(self, query: Query, events: pa.Table) -> None:
        assert isinstance(query.pattern, Conjunction)
        self._crossing = crossing(query)
        self._both = Judge(query, events)
        self._sides = tuple(
            (names_of(pattern), Judge(alone(query, pattern), events))
            for pattern in (query.pattern.left, query.pattern.right)
        )

    def verdicts(self, path: Path, window_start: int | None = None) -> tuple[Verdict, ...]:
        """A verdict for each condition that applies; `path`: the events of both sides in the order of time."""
        return (
            *self._both.equivalences(bound_by(path)),
            *(verdict for names, judge in self._sides for verdict in self._of_side(names, judge, path, window_start)),
            *self._both.judged(self._crossing, bound_by(path)),
            self._both.window(path, window_start),
        )

    def _of_side(self, names: frozenset[str], judge: Judge, path: Path, window_start: int | None) -> Iterator[Verdict]:
        own = tuple(step for step in path if step[1] in names)
        for verdict in judge.verdicts(own, window_start):
            if verdict.kind not in (Kind.EQUIVALENCE, Kind.WINDOW):
                yield verdict
