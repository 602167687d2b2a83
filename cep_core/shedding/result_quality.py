"""The quality that shedding has cost, compared with a run over the same events that dropped nothing.

False negatives are matches of the unshed run that are missing; false positives are matches that it did not have. Both
are weighted by pattern (pSPICE, section II-B: QoR = sum of w * FN). Under
skip-till-any-match two matches are the same if they have the same binding. Where each start has one match, they are the
same if they have the same pattern, window and start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cep_core.arrays import Ints
from cep_core.shedding.operator_run import OperatorRun

QUANTILES = (0.5, 0.95, 0.99, 1.0)


@dataclass(frozen=True)
class Quality:
    """The quality of one run, over some events of the stream."""

    matches: tuple[int, ...]
    """By pattern, of the unshed run."""
    missed: tuple[int, ...]
    invented: tuple[int, ...]
    weights: tuple[float, ...]
    latencies: tuple[int, ...]
    """At `QUANTILES`, virtual nanoseconds."""
    late: float
    """Share of the events whose latency exceeds the bound."""
    late_time: float
    """Share of the time, by arrivals, in which events are late."""
    overhead: float
    """Shedding's share of all virtual work."""
    dropped: int
    drops: int
    """Events at which partial matches had to be dropped."""
    choices: int
    """Of those, the events at which not all candidates had to be dropped."""

    @property
    def false_negatives(self) -> float:
        """Weighted."""
        return sum(weight * count for weight, count in zip(self.weights, self.missed, strict=True))

    @property
    def false_positives(self) -> float:
        """Weighted."""
        return sum(weight * count for weight, count in zip(self.weights, self.invented, strict=True))

    @property
    def lost(self) -> float:
        """Weighted share of the matches that are missing; 0 if there are no matches."""
        weighted = sum(weight * count for weight, count in zip(self.weights, self.matches, strict=True))
        return self.false_negatives / weighted if weighted else 0.0


def quality_of(run: OperatorRun, unshed: OperatorRun, bound: int, weights: Sequence[float], begin: int = 0) -> Quality:
    """Judges a run from event `begin` on, by the matches completed there."""
    patterns = range(len(weights))
    shed_matches, unshed_matches = _matches_from(run, begin), _matches_from(unshed, begin)
    missed, invented = [], []
    for q in patterns:
        shed_keys, unshed_keys = (
            np.sort(shed_matches[1][shed_matches[0] == q]),
            np.sort(unshed_matches[1][unshed_matches[0] == q]),
        )
        missed.append(len(np.setdiff1d(unshed_keys, shed_keys, assume_unique=True)))
        invented.append(len(np.setdiff1d(shed_keys, unshed_keys, assume_unique=True)))
    account, arrival = run.account, run.arrival[begin : run.at]
    latency = account.latency[begin : run.at]
    late, ordered = latency > bound, np.sort(latency)
    gaps = np.diff(arrival)
    spent = int(account.shed_work[begin : run.at].sum())
    work = spent + int(account.work[begin : run.at].sum())
    asked, candidates = account.asked[begin : run.at], account.candidates[begin : run.at]
    return Quality(
        matches=tuple(int((unshed_matches[0] == q).sum()) for q in patterns),
        missed=tuple(missed),
        invented=tuple(invented),
        weights=tuple(weights),
        latencies=tuple(_quantile(ordered, share) for share in QUANTILES),
        late=float(late.mean()) if len(late) else 0.0,
        late_time=float(gaps[late[:-1]].sum() / gaps.sum()) if gaps.sum() else float(late.any()),
        overhead=spent / work if work else 0.0,
        dropped=int(account.dropped[begin : run.at].sum()),
        drops=int((asked > 0).sum()),
        choices=int(((asked > 0) & (asked < candidates)).sum()),
    )


def _matches_from(run: OperatorRun, begin: int) -> tuple[Ints, Ints]:
    pattern, event, key = run.match_columns()
    kept = event >= begin
    return pattern[kept], key[kept]


def _quantile(ordered: Ints, share: float) -> int:
    """The least value that at least this share of all values does not exceed."""
    return int(ordered[max(0, int(np.ceil(share * len(ordered))) - 1)]) if len(ordered) else 0
