"""What a load says of days that got no event: they are empty days in the lake, and what to do if they should not be.

A file without `{day}` does not tell which days it is of, so a day of which it has no row looks like one on which
nothing happened: a Sunday, or a day whose rows are in another file.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date


def empty_days(days: Sequence[date]) -> str | None:
    """What to say of days without events, in the order of days; None if there are none.

    >>> print(empty_days([date(2013, 2, 15)]))
    no event on 2013-02-15: no row of the files that were read gave one; if other files have it, name them in `path`
    >>> print(empty_days([date(2013, 2, 15), date(2013, 2, 17), date(2013, 2, 18)]).partition(":")[0])
    no event on 3 days, 2013-02-15 to 2013-02-18
    >>> empty_days([])
    """
    if not days:
        return None
    which = f"{days[0]}" if len(days) == 1 else f"{len(days)} days, {days[0]} to {days[-1]}"
    return (
        f"no event on {which}: no row of the files that were read gave one; if other files have "
        f"{'it' if len(days) == 1 else 'them'}, name them in `path`"
    )
