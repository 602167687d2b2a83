"""The answer to a query on one day: one sentence, and one number that is compared from day to day."""

from __future__ import annotations

from dataclasses import dataclass

from jobs.reports.words.quantities import Magnitude


@dataclass(frozen=True)
class Answer:
    """The answer to a query's question on one day.

    `sentence` can be read without the rest. Days are compared by the number `headline`; `unit` says what it counts.
    `caveat` is empty or says what a reader must know first, such as that the listing is cut.
    """

    sentence: str
    headline: Magnitude
    unit: str
    caveat: str = ""
