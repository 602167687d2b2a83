"""The binding of given events that is nearest to a match: of those that the pattern allows, the least failing."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import Conjunction
from cep_core.matching.match_path import Path
from cep_core.matching.why.pair_verdicts import PairJudge
from cep_core.matching.why.verdicts import Judge, Verdict


def judge_of(query: Query, events: pa.Table) -> Judge | PairJudge:
    """The judge of a query's bindings. `events` are in (ts, seq) order and have a column `pos`."""
    return PairJudge(query, events) if isinstance(query.pattern, Conjunction) else Judge(query, events)


def nearest_binding(judge: Judge | PairJudge, rows: Sequence[int]) -> tuple[Path, tuple[Verdict, ...]] | None:
    """The binding of exactly these rows with the fewest conditions that fail, and its verdicts; None if there is none.

    Raises ValueError for more events than two sides of an AND can be tried on.
    """
    judged = [(path, judge.verdicts(path)) for path in judge.bindings(rows)]
    return min(judged, key=lambda pair: sum(not verdict.holds for verdict in pair[1]), default=None)
