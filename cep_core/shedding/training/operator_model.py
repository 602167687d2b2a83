"""What shedding knows about an operator: the chain of each pattern, the rate of events, and the latency functions.

The model is learned from a run that was not overloaded (pSPICE, section IV-B: it is built before the rate is raised).
It needs the number of events left in a window. In a window by number without partitions this is known. In a window by
time, or if a partial match meets only the events of its partition, it is the clock left times the rate at which partial
matches met events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cep_core.arrays import Floats
from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.stream import Offered
from cep_core.shedding.model.observations import Observations
from cep_core.shedding.model.regression import Latency, fit_latency
from cep_core.shedding.operator_run import OperatorRun

SAMPLES = 2_000
"""(n, latency) pairs that the latency functions are fitted to, at most."""

LONGEST = 200_000
"""The most events left that a table covers; beyond that, the last row is used."""


@dataclass(frozen=True)
class PatternModel:
    """What is learned about one pattern."""

    observations: Observations
    rate: float
    """Events met in a unit of the window's clock."""
    left: int
    """The number of events that a partial match is expected to meet in a whole window."""
    weight: float
    repetition: npt.NDArray[np.int64]
    """By type of event: how many steps of the pattern it fits."""


@dataclass(frozen=True)
class Seen:
    """How long events took, depending on a number of partial matches."""

    processing: Latency
    """f: the latency of an event, by that number."""
    counts: npt.NDArray[np.int64]
    """Sampled numbers, from which a shedder's own g is fitted."""


@dataclass(frozen=True)
class Model:
    """What is learned about all patterns of an operator."""

    patterns: tuple[PatternModel, ...]
    held: Seen
    """By the number of partial matches alive in the whole operator."""
    met: Seen
    """By the number of partial matches that the event meets."""
    shares: Floats
    """By type of event: its share of all (event, window) pairs."""
    costs: Costs


def model_of(run: OperatorRun, patterns: Sequence[Offered], costs: Costs, types: int) -> Model:
    """Learns from all events that a run has processed. `types`: how many types of events there are."""
    stream, account, done = run.stream, run.account, run.at
    models = []
    for q, pattern in enumerate(patterns):
        observations = run.observations(q)
        rate = _rate(pattern, observations.count, int(account.alive[q]))
        repetition = np.zeros(types, np.int64)
        for step in range(pattern.machine.steps):
            repetition[np.unique(stream.kind[:done][pattern.fits[:done, step]])] += 1
        events_left = min(LONGEST, max(1, round(pattern.windows.size * rate)))
        models.append(PatternModel(observations, rate, events_left, pattern.weight, repetition))
    pairs = np.bincount(stream.kind[:done], stream.open_windows[:, :done].sum(axis=0), minlength=types)
    return Model(
        tuple(models),
        _seen(account.held[:done], account.work[:done]),
        _seen(account.met[:done], account.work[:done]),
        pairs / max(1.0, float(pairs.sum())),
        costs,
    )


def _seen(counts: npt.NDArray[np.int64], work: npt.NDArray[np.int64]) -> Seen:
    """From the number of partial matches at each event and what the event cost."""
    done = len(counts)
    pick = np.unique(np.linspace(0, done - 1, min(done, SAMPLES)).astype(np.int64)) if done else np.zeros(0, np.int64)
    # Events with the most partial matches decide whether the bound holds, and an even pick may miss them.
    widest = np.argsort(counts, kind="stable")[-SAMPLES // 10 :]
    pick = np.unique(np.concatenate([pick, widest]))
    return Seen(fit_latency(counts[pick], work[pick]), counts[pick])


def _rate(pattern: Offered, met: int, alive: int) -> float:
    if pattern.windows.events and pattern.partition is None:
        return 1.0
    return met / alive if alive and met else 1.0
