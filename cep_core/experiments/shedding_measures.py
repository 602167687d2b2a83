"""The measures of every run that sheds (`docs/semantics.md` 7): each has a name, a value and a unit."""

from __future__ import annotations

from collections.abc import Iterator

from cep_core.shedding.result_quality import QUANTILES, Quality


def measures_of(quality: Quality, retrained: int) -> Iterator[tuple[str, float, str]]:
    """Name, value and unit, always in the same order; `choice` only if something was dropped."""
    yield "matches", sum(quality.matches), "matches"
    yield "lost", quality.lost, "share"
    yield "false_negatives", quality.false_negatives, "weighted matches"
    yield "false_positives", quality.false_positives, "weighted matches"
    for share, latency in zip(QUANTILES, quality.latencies, strict=True):
        yield f"latency_p{round(100 * share)}", latency, "virtual ns"
    yield "late_events", quality.late, "share"
    yield "late_time", quality.late_time, "share"
    yield "overhead", quality.overhead, "share"
    yield "dropped", quality.dropped, "partial matches or events"
    yield "drops", quality.drops, "events"
    if quality.drops:
        yield "choice", quality.choices / quality.drops, "share"
    yield "retrained", retrained, "times"
