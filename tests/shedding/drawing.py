"""Random patterns over random events, with bursts of equal stamps, for the laws of the operator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from cep_core.language.patterns.query import Strategy
from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.open_windows import WindowSpec
from cep_core.shedding.arrays.stream import Offered
from cep_core.shedding.machine import Machine, Start

SEEDS = st.integers(0, 2**32)
STARTS = {
    Strategy.NEXT: (Start.AT_OPENING, Start.ONCE, Start.EACH),
    Strategy.ANY: (Start.AT_OPENING, Start.EACH),
}


@dataclass(frozen=True)
class World:
    """Patterns over events at `ts`."""

    patterns: list[Offered]
    ts: np.ndarray
    costs: Costs
    ordered: bool


def draw_pattern(rng: np.random.Generator, count: int, name: str) -> Offered:
    """A pattern with any of what patterns can have."""
    selection = (Strategy.NEXT, Strategy.ANY)[rng.integers(2)]
    start = STARTS[selection][rng.integers(len(STARTS[selection]))]
    steps = int(rng.integers(1, 5))
    letters = rng.integers(0, 4, count)
    wanted = rng.integers(0, 4, steps)
    grouped = steps > 2 and rng.random() < 0.4
    groups = ((1, steps),) if grouped else ()
    fits = letters[:, None] == wanted[None, :]
    if grouped:
        fits[:, 1:] = (letters != wanted[0])[:, None]
    loops = frozenset({int(rng.integers(0, steps - 1))}) if steps > 1 and not grouped and rng.random() < 0.5 else ()
    slide = int(rng.integers(2, 8)) if start is not Start.AT_OPENING and rng.random() < 0.7 else None
    windows = WindowSpec(int(rng.integers(3, 14)), bool(rng.integers(2)), slide, closed=bool(rng.integers(2)))
    values = rng.integers(0, 5, count)
    tests = {int(rng.integers(1, steps)): [("<=", values, values)]} if steps > 1 and rng.random() < 0.5 else {}
    kills = (rng.random((count, steps)) < 0.08) if rng.random() < 0.4 else None
    return Offered(
        name,
        Machine(steps, selection, start, frozenset(loops), groups),
        windows,
        fits,
        weight=float(rng.integers(1, 4)),
        partition=rng.integers(-1, 3, count) if rng.random() < 0.5 else None,
        opening=rng.random(count) < 0.4 if start is not Start.AT_OPENING and rng.random() < 0.5 else None,
        kills=kills,
        member=rng.integers(0, 3, count) if grouped else None,
        entering=tests,
        repeating={step: [("<", values, values)] for step in loops} if rng.random() < 0.5 else {},
    )


def draw_world(seed: int, count: int) -> World:
    """One to three patterns over `count` events."""
    rng = np.random.default_rng(seed)
    ts = np.cumsum(rng.choice([0, 0, 1, 2, 5], count)).astype(np.int64)
    patterns = [draw_pattern(rng, count, f"q{number}") for number in range(int(rng.integers(1, 4)))]
    states = tuple(tuple(int(c) for c in rng.integers(1, 9, p.machine.steps)) for p in patterns)
    costs = Costs(states, event=3, window=2, lookup=1, sort=1, drop=2, draw=1, event_window=int(rng.integers(3)))
    return World(patterns, ts, costs, bool(rng.integers(2)))
