"""The known name nearest to a misspelt one, for the hint of an error."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint with the known name most similar to `name`, ignoring case.

    Without a similar name: all known names if they are few, else nothing.

    >>> did_you_mean("sped", ["speed", "vehicle"])
    "did you mean 'speed'?"
    >>> did_you_mean("Speed", ["speed"])
    "did you mean 'speed'?"
    >>> did_you_mean("altitude", ["speed", "vehicle"])
    "known: 'speed', 'vehicle'"
    """
    names = sorted(set(known))
    by_folded = {candidate.casefold(): candidate for candidate in names}
    nearest = get_close_matches(name.casefold(), list(by_folded), n=1, cutoff=0.6)
    if nearest:
        return f"did you mean '{by_folded[nearest[0]]}'?"
    if 0 < len(names) <= 12:
        return "known: " + ", ".join(f"'{candidate}'" for candidate in names)
    return ""
