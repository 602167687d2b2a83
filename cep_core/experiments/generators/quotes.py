"""Stock quotes for pSPICE's Q1 and Q2: a seeded generator of the shape of the paper's data, and a reader of trades.

The paper (section IV-A) streams quotes of 500 companies. Four of them are leading: each of their quotes opens a window.
The generator has as many companies. The queries name ten of them, and the first four of these lead. The ten are quoted
more often than the others, like large companies. A quote rises, falls or stays. The probability that it rises drifts
with the mood of the market, so that rising quotes come in bunches, as on an exchange.

Quotes arrive at an even pace and `ts` is their number, because an experiment sets the rate (section IV-B).

Cost: O(quotes) array operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from cep_core.arrays import Ints

NAMED = 10
"""How many companies Q1 and Q2 name; their numbers start at 0."""

LEADING = 4
"""How many of these lead, the first ones: each of their quotes opens a window."""


@dataclass(frozen=True)
class Market:
    """What to generate."""

    seed: int
    quotes: int = 60_000
    companies: int = 500
    liquid: float = 1.6
    """How many times more often a named company is quoted than another one."""
    unchanged: float = 0.04
    """Share of quotes that neither rise nor fall."""
    mood: float = 0.04
    """Standard deviation, around one half, of the probability that a quote rises."""
    memory: int = 2_000
    """Number of quotes after which the market has lost most of its mood."""


def generate_quotes(market: Market) -> pa.Table:
    """`event_type` (Quote), `ts`, `seq`, `company` (number) and `change`: 1 rises, -1 falls, 0 neither.

    >>> log = generate_quotes(Market(seed=1, quotes=1000))
    >>> log.num_rows, sorted(set(log["change"].to_pylist())), max(log["company"].to_pylist()) < 500
    (1000, [-1, 0, 1], True)
    """
    random = np.random.default_rng(market.seed)
    count = market.quotes
    frequency = np.ones(market.companies)
    frequency[:NAMED] = market.liquid
    company = np.searchsorted(np.cumsum(frequency / frequency.sum())[:-1], random.random(count), side="right")
    chance = np.clip(0.5 + market.mood * _mood(random, count, market.memory), 0.0, 1.0)
    change = np.where(random.random(count) < chance, 1, -1)
    change[random.random(count) < market.unchanged] = 0
    return _table(np.arange(count), company, change)


def read_trades(path: Path) -> pa.Table:
    """Real trades in the same columns, e.g. of `nasdaq_2004`: CSV with `name` and `price`, in order of time.

    Companies are numbered by how often they are traded, the rarest first, so that the leading ones open few windows. A
    trade rises or falls compared with the previous trade of the same company.
    """
    trades = csv.read_csv(path)
    trade_counts = pc.value_counts(trades["name"]).to_pylist()
    rarest_first = [row["values"] for row in sorted(trade_counts, key=lambda row: (row["counts"], row["values"]))]
    company = pc.index_in(trades["name"], pa.array(rarest_first)).to_numpy().astype(np.int64)
    price = trades["price"].to_numpy()
    change = np.zeros(len(price), np.int64)
    for number in range(len(rarest_first)):
        rows = np.flatnonzero(company == number)
        change[rows[1:]] = np.sign(np.diff(price[rows]))
    return _table(np.arange(len(price)), company, change)


def _mood(random: np.random.Generator, count: int, memory: int) -> npt.NDArray[np.float64]:
    """A slow random walk that returns to 0, of standard deviation 1. It takes 100 steps in the length of its memory."""
    step = max(1, memory // 100)
    memory_factor = np.exp(-step / memory)
    shocks = random.standard_normal(count // step + 2) * np.sqrt(1 - memory_factor**2)
    walk = np.empty(len(shocks))
    mood = random.standard_normal()
    for place, shock in enumerate(shocks):
        mood = memory_factor * mood + shock
        walk[place] = mood
    return np.repeat(walk, step)[:count]


def _table(ts: Ints, company: Ints, change: Ints) -> pa.Table:
    kind = pa.repeat("Quote", len(ts))
    return pa.table({"event_type": kind, "ts": ts, "seq": ts, "company": company.astype(np.int64), "change": change})
