"""pSPICE's queries Q1 to Q4 (section IV-A) over logs of the shapes that `quotes`, `positions` and `buses` give.

They are built as machines, not written in the query language. In that language a window opens with the event that
begins a match, but the windows of Q1 and Q2 open with any quote of a leading company.

Q1  seq(RE1; ...; RE10) or seq(FE1; ...; FE10): ten companies rise, or ten fall, in a given order
Q2  the same with repetition: 14 quotes of ten companies
Q3  seq(STR; any(n, DF1, ..., DFn)): n defenders come close to a striker who has the ball
Q4  any(B1, ..., Bn): n buses are late at the same stop

A query with two halves becomes two patterns of one operator. Cost: linear in events and steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa

from cep_core.experiments.generators.positions import STRIKERS
from cep_core.experiments.generators.quotes import LEADING, NAMED
from cep_core.language.patterns.query import Strategy
from cep_core.shedding.arrays.open_windows import WindowSpec
from cep_core.shedding.arrays.stream import Offered
from cep_core.shedding.machine import Machine, Start

IN_ORDER = tuple(range(NAMED))
"""The companies of Q1."""

REPEATED = (0, 0, 1, 2, 1, 3, 1, 4, 5, 6, 1, 7, 8, 9)
"""The companies of Q2."""

SECOND = 1_000
"""Units of log time."""


def rising_or_falling(quotes: pa.Table, companies: tuple[int, ...], window: int, name: str) -> list[Offered]:
    """Quotes of the companies in this order, all rising or all falling, within `window` quotes of a leading one.

    A window holds one partial match: it waits for the first company, then for the next (pSPICE, Fig. 1).
    """
    company, change = quotes["company"].to_numpy(), quotes["change"].to_numpy()
    named = company[:, None] == np.array(companies)[None, :]
    machine, windows = Machine(len(companies), Strategy.NEXT, Start.ONCE), WindowSpec(window, events=True)
    return [
        Offered(f"{name} {way}", machine, windows, named & (change == sign)[:, None], opening=company < LEADING)
        for way, sign in (("rising", 1), ("falling", -1))
    ]


def in_order(quotes: pa.Table, *, window: int) -> list[Offered]:
    """Q1; `window` in quotes."""
    return rising_or_falling(quotes, IN_ORDER, window, "Q1")


def with_repetition(quotes: pa.Table, *, window: int) -> list[Offered]:
    """Q2; `window` in quotes."""
    return rising_or_falling(quotes, REPEATED, window, "Q2")


def defended(positions: pa.Table, *, n: int, window: int = 15, distance: float = 4.0) -> list[Offered]:
    """Q3: within `window` seconds of a striker having the ball, `n` opponents were within `distance` metres of them."""
    player, team, ball = (positions[name].to_numpy() for name in ("player", "team", "ball"))
    place = np.stack([positions[axis].to_numpy() for axis in ("x", "y")], axis=1)
    patterns = []
    for number, striker in enumerate(STRIKERS):
        striker_rows = np.flatnonzero(player == striker)
        latest = np.searchsorted(striker_rows, np.arange(len(player)), side="right") - 1
        placed = latest >= 0
        striker_place = place[striker_rows[np.maximum(latest, 0)]] if len(striker_rows) else np.full_like(place, np.inf)
        near = placed & (team != number) & (np.hypot(*(place - striker_place).T) <= distance)
        fits = np.repeat(near[:, None], n + 1, axis=1)
        fits[:, 0] = (player == striker) & ball
        machine = Machine(n + 1, Strategy.NEXT, Start.AT_OPENING, groups=((1, n + 1),))
        windows = WindowSpec(window * SECOND, closed=True)
        patterns.append(Offered(f"Q3 team {number + 1}", machine, windows, fits, member=player))
    return patterns


def late_at_one_stop(reports: pa.Table, *, n: int, window: int = 8_000, slide: int = 500) -> list[Offered]:
    """Q4: `n` buses late at the same stop within a window of `window` reports that moves by `slide`.

    The equal stop is a condition on the events, not a partition. So every report meets the partial matches of all
    stops, as in the paper's operator.
    """
    late, stop, bus = (reports[name].to_numpy() for name in ("late", "stop", "bus"))
    machine = Machine(n, Strategy.NEXT, Start.EACH, groups=((0, n),))
    windows = WindowSpec(window, events=True, slide=slide)
    fits = np.repeat(late[:, None], n, axis=1)
    same = {step: [("=", stop, stop)] for step in range(1, n)}
    return [Offered("Q4", machine, windows, fits, member=bus, entering=same)]


QUERIES: Mapping[str, Callable[..., list[Offered]]] = {
    "Q1": in_order,
    "Q2": with_repetition,
    "Q3": defended,
    "Q4": late_at_one_stop,
}
"""By the paper's names; each is called with the log and its parameters."""

TYPE_OF = {"quotes": "company", "positions": "player", "buses": "bus"}
"""By shape of log: the column that is the event's type, as E-BL understands it (section IV-A)."""
