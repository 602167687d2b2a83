"""Streams whose behaviour is known: independent letters, so that a pattern is a Markov chain by construction."""

from __future__ import annotations

import numpy as np

from cep_core.language.patterns.query import Strategy
from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.open_windows import WindowSpec
from cep_core.shedding.arrays.stream import Offered
from cep_core.shedding.machine import Machine, Start
from cep_core.shedding.replaying import Scenario


def sequence(
    letters: np.ndarray, wanted: str, size: int, *, opening: np.ndarray | None = None, weight: float = 1.0
) -> Offered:
    """seq(A; B; ...) under next-match, one instance a window; a window of `size` events opens with `opening`."""
    fits = letters[:, None] == np.array(list(wanted))[None, :]
    machine = Machine(len(wanted), Strategy.NEXT, Start.AT_OPENING if opening is None else Start.ONCE)
    return Offered(wanted, machine, WindowSpec(size, events=True), fits, weight=weight, opening=opening)


def planted(
    seed: int,
    count: int = 12_000,
    *,
    wanted: str = "ABC",
    alphabet: str = "ABCDEFGH",
    size: int = 60,
    each: int = 4,
    per_match: int = 50,
    bound: int = 40_000,
    **costs: int,
) -> Scenario:
    """Independent letters; a window opens with every `each`-th event. The first half trains, the second is judged."""
    rng = np.random.default_rng(seed)
    letters = rng.choice(list(alphabet), count)
    opening = np.arange(count) % each == 0
    pattern = sequence(letters, wanted, size, opening=opening)
    priced = {"event": 20, "lookup": 1, "drop": 1, "draw": 1} | costs
    return Scenario(
        [pattern],
        np.arange(count, dtype=np.int64),
        count // 2,
        count,
        Costs(((per_match,) * len(wanted),), **priced),
        np.searchsorted(np.array(list(alphabet)), letters).astype(np.int64),
        bound,
    )
