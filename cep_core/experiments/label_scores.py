"""How well violations of policies tell abnormal sequences from normal ones: precision, recall, F1.

A policy points at a sequence if it is false at some event of it. Scores are over sequences, each counted once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cep_core.experiments.labelled_sequences import LabelledSequences
from cep_core.monitoring.propositional.arrays.trace import Bits


@dataclass(frozen=True)
class LabelScore:
    """What a policy pointed at. `first`: the median position of the first violation in those sequences; None: none."""

    pointed: int
    right: int
    abnormal: int
    first: float | None

    @property
    def precision(self) -> float:
        """The share of abnormal sequences among those pointed at; 0 if there is none."""
        return self.right / self.pointed if self.pointed else 0.0

    @property
    def recall(self) -> float:
        """The share of the abnormal sequences that is pointed at."""
        return self.right / self.abnormal if self.abnormal else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall.

        >>> LabelScore(pointed=4, right=3, abnormal=6, first=0.0).f1
        0.6
        """
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def score(violated: Bits, sequences: LabelledSequences) -> LabelScore:
    """The score of a policy that is false at the events where `violated` is true.

    >>> from cep_core.experiments.labelled_sequences import sequences_of
    >>> score(np.array([False, True, True, False]), sequences_of(["a,1 2 2", "b,1"], abnormal=True))
    LabelScore(pointed=1, right=1, abnormal=2, first=1.0)
    """
    places = np.flatnonzero(violated)
    owners = np.searchsorted(sequences.starts, places, side="right") - 1
    pointed, first = np.unique(owners, return_index=True)
    positions = places[first] - sequences.starts[pointed]
    return LabelScore(
        len(pointed),
        int(sequences.abnormal[pointed].sum()),
        int(sequences.abnormal.sum()),
        float(np.median(positions)) if len(pointed) else None,
    )
