"""A run of the operator over a stream, stretch by stretch."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cep_core.arrays import Ints
from cep_core.shedding.arrays.account import Account, empty_account, with_room_for
from cep_core.shedding.arrays.pool import (
    LIVE,
    MATCHES,
    MET,
    NEED,
    NODES,
    NOW,
    PEAK,
    Pool,
    copied,
    empty_pool,
    with_room,
)
from cep_core.shedding.arrays.rules import RECORD, UNTRACKED, WITHOUT, Rules
from cep_core.shedding.arrays.stream import Stream
from cep_core.shedding.kernels.lifetimes import settle_alive
from cep_core.shedding.model.observations import Observations, observations_of
from cep_core.shedding.operator import process

MOST_ALIVE = 5_000_000
"""Most partial matches that may be alive at once: about a gigabyte."""

MOST_RECORDED = 20_000_000
"""Most partial matches that a recording run may number."""


class TooManyPartialMatches(Exception):
    """The operator needs more partial matches than fit into memory."""


@dataclass
class OperatorRun:
    """A run of an operator. `advance` processes a stretch of events under some rules, and may be called again."""

    stream: Stream
    arrival: Ints
    tracked: int = UNTRACKED
    """Whether partial matches are numbered (`RECORD`), or found again by their numbers (`REPLAY`)."""

    def __post_init__(self) -> None:
        self.pool: Pool = empty_pool(self.stream)
        self.account: Account = empty_account(self.stream, recorded=self.tracked == RECORD)
        self.at = 0

    def advance(self, stop: int, rules: Rules = WITHOUT) -> None:
        """Processes the events up to `stop`. Raises TooManyPartialMatches."""
        rules = rules._replace(tracked=self.tracked)
        while self.at < stop:
            self.at = process(self.stream, self.arrival, self.pool, self.account, rules, self.at, stop)
            if self.at < stop:
                need = int(self.pool.counter[NEED])
                self._check_bearable(need)
                self.pool = with_room(self.pool, need)
                self.account = with_room_for(self.account, self.matches + need, self.nodes + need)

    def _check_bearable(self, need: int) -> None:
        alive, numbered = int(self.pool.counter[LIVE]) + need, self.nodes + need
        if alive > MOST_ALIVE or numbered > MOST_RECORDED:
            raise TooManyPartialMatches(
                f"event {self.at:,} of {self.stream.events:,} may bring {alive:,} partial matches alive, {numbered:,} "
                f"in all; at most {MOST_ALIVE:,} and {MOST_RECORDED:,} can be replayed"
            )

    def resumed(self, arrival: Ints) -> OperatorRun:
        """A copy that continues from this event with other arrivals. Its operator is idle and its clock is at 0."""
        copy = replace(self, arrival=arrival)
        copy.pool = copied(self.pool)
        copy.pool.counter[NOW] = 0
        copy.account = Account._make(column.copy() for column in self.account)
        copy.at = self.at
        return copy

    @property
    def matches(self) -> int:
        return int(self.pool.counter[MATCHES])

    @property
    def peak(self) -> int:
        """The most partial matches that were alive at once."""
        return int(self.pool.counter[PEAK])

    @property
    def met(self) -> int:
        """Meetings of an event and a partial match."""
        return int(self.pool.counter[MET])

    @property
    def nodes(self) -> int:
        """Partial matches that a recording run has numbered."""
        return int(self.pool.counter[NODES])

    def spent_by_node(self) -> Ints:
        """By numbered partial match: the cost of its meetings, also for those still alive."""
        spent = self.account.spent[: self.nodes].copy()
        settle_alive(self.stream, self.pool, spent)
        return spent

    def observations(self, q: int) -> Observations:
        """What the partial matches of pattern q were seen to do so far."""
        own = slice(int(self.stream.at[q]), int(self.stream.at[q + 1]))
        return observations_of(self.account.moves[own], self.account.births[own], self.stream.state_cost[own])

    def match_columns(self) -> tuple[Ints, Ints, Ints]:
        """Pattern, completing event and key of each match, in order of completion."""
        account, count = self.account, self.matches
        return account.match_pattern[:count], account.match_event[:count], account.match_key[:count]
