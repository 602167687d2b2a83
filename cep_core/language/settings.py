"""What is asked of an evaluator beside its query: plain values, so that they travel to workers with the text."""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.language.budget import UNLIMITED, Budget


@dataclass(frozen=True)
class Settings:
    """An engine takes what concerns it and leaves the rest."""

    max_matches: int | None = None
    """So many matches are listed of each operating day; None: all."""
    exact: bool = False
    """All digits of an aggregation's counts and sums."""
    collapsed: bool = False
    """A row for all matches that end at one event, instead of a row for each match."""
    supersets: bool = False
    """Collapsed rows that would cost a listing hold what may be in a match."""
    budget: Budget = UNLIMITED
    """Of the work that is not polynomial in the events."""


DEFAULTS = Settings()
