"""The settings of an evaluator. They are plain values, so that they can be sent to workers together with the text."""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.language.budget import UNLIMITED, Budget


@dataclass(frozen=True)
class Settings:
    """An engine uses the settings that concern it and ignores the others."""

    max_matches: int | None = None
    """The most matches that are listed for each operating day; None means all."""
    exact: bool = False
    """Whether an aggregation returns all digits of its counts and sums."""
    collapsed: bool = False
    """Whether one row stands for all matches that end at the same event, instead of a row for each match."""
    supersets: bool = False
    """Collapsed rows whose exact events would need a listing of matches hold all events that may be in one."""
    budget: Budget = UNLIMITED
    """The budget of the work that is not polynomial in the number of events."""
    max_violations: int | None = None
    """The most violations of a policy that are listed for each operating day; None means all."""
    explained: int = 10
    """The number of violations whose causes are told for each operating day: its first ones."""


DEFAULTS = Settings()
