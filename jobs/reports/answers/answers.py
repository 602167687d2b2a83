"""What a query's results of one day come to: one sentence, and one number that is followed from day to day."""

from __future__ import annotations

from dataclasses import dataclass

from jobs.reports.words.quantities import Magnitude


@dataclass(frozen=True)
class Answer:
    """The answer to a query's question on one day.

    `sentence` stands alone. `headline` is the number by which days are compared, `unit` what it counts; `caveat` says
    what a reader must know before believing the sentence (a cut listing), or is empty.
    """

    sentence: str
    headline: Magnitude
    unit: str
    caveat: str = ""
