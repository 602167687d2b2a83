"""A shed run over the day: how late its events were, what it dropped and what it missed, part by part of log time.

Parts have equal length. An event counts in the part where it happened, not where the virtual clock has moved it,
because readers ask which hours were lost. A missed match counts where its last event happened.

Cost: O(events + matches log matches).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cep_core.arrays import Ints
from cep_core.shedding.operator_run import OperatorRun


@dataclass(frozen=True)
class Period:
    """Part [begin, end) of log time. Latencies are in virtual nanoseconds, and 0 if nothing happened."""

    begin: int
    end: int
    events: int
    dropped: int
    late: int
    """Events with a latency above the bound."""
    mean_latency: float
    worst_latency: int
    missed: tuple[int, ...]
    """Missed matches by pattern, unweighted."""


def periods_of(
    run: OperatorRun, unshed: OperatorRun, ts: Ints, interval: tuple[int, int], bound: int, parts: int
) -> list[Period]:
    """The judged interval in equal parts. A shorter interval gets parts of one moment.

    `ts`: log time of every event of the run, ascending. `unshed`: the same events with nothing dropped.
    """
    begin, end = interval
    edges = begin + (end - begin) * np.arange(min(parts, end - begin) + 1) // min(parts, end - begin)
    cuts = np.searchsorted(ts, edges)
    account = run.account
    missed = [_missed_by_event(run, unshed, q, len(ts)) for q in range(len(run.stream.start))]
    periods = []
    for low, high, since, until in zip(cuts[:-1], cuts[1:], edges[:-1], edges[1:], strict=True):
        latency = account.latency[low:high]
        periods.append(
            Period(
                int(since),
                int(until),
                len(latency),
                int(account.dropped[low:high].sum()),
                int((latency > bound).sum()),
                int(latency.sum()) / len(latency) if len(latency) else 0.0,
                int(latency.max(initial=0)),
                tuple(int(own[low:high].sum()) for own in missed),
            )
        )
    return periods


def _missed_by_event(run: OperatorRun, unshed: OperatorRun, q: int, events: int) -> Ints:
    """[n] missed matches of pattern q by the event that would have completed them."""
    (patterns, _, keys), (unshed_patterns, completing, unshed_keys) = run.match_columns(), unshed.match_columns()
    of_pattern = unshed_patterns == q
    missed = ~np.isin(unshed_keys[of_pattern], keys[patterns == q])
    return np.bincount(completing[of_pattern][missed], minlength=events)


def weighted(counts: Sequence[int], weights: Sequence[float]) -> float:
    """The sum of matches over all patterns, weighted."""
    return sum(weight * count for weight, count in zip(weights, counts, strict=True))
