"""Positions of soccer players for pSPICE's Q3: a seeded generator of the shape of the paper's data, and a reader.

The paper (section IV-A) uses a real-time locating system: sensors tell where each player is, and who has the ball. The
generator moves two teams of eleven. Players keep their formation, which shifts with the ball. Some of the nearest
opponents close in on the player with the ball. The ball is passed to players nearby, sometimes to the wrong team. Every
player reports at each tick. The order of players differs from tick to tick, and reports arrive at an even pace, as from
sensors.

Cost: O(ticks) steps of array operations over 22 players.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from cep_core.arrays import Floats

LENGTH, WIDTH = 105.0, 68.0
"""A pitch, in metres."""

TEAM = 11
"""Players of a team. The players of the second team are numbered from this number on."""

FORMATION = np.array(
    [[5, 34], [20, 10], [18, 26], [18, 42], [20, 58], [36, 12], [34, 28], [34, 40], [36, 56], [52, 30], [50, 40]], float
)
"""The formation 4-4-2 of a team that plays from left to right."""

STRIKERS = (9, TEAM + 9)
"""The striker of each team."""


@dataclass(frozen=True)
class FootballMatch:
    """What to generate."""

    seed: int
    seconds: int = 1_200
    rate: int = 4
    """Reports of a player in a second."""
    hold: float = 2.5
    """Seconds that a player keeps the ball, on average."""
    lost: float = 0.3
    """The probability that a pass goes to the other team."""
    wanted: float = 5.0
    """How many times more likely a pass goes to a striker than to another player at the same distance."""
    more: float = 0.7
    """The probability that one more opponent closes in on the player with the ball."""


def generate_positions(match: FootballMatch) -> pa.Table:
    """`event_type` (Position), `ts` in ms, `seq`, `player`, `team` (0 or 1), `x`, `y` in metres, `ball`: has it.

    >>> log = generate_positions(FootballMatch(seed=1, seconds=10))
    >>> log.num_rows, log["ts"][-1].as_py(), sum(log["ball"].to_pylist())
    (880, 9988, 40)
    """
    random = np.random.default_rng(match.seed)
    ticks, players = match.seconds * match.rate, 2 * TEAM
    home = np.concatenate([FORMATION, [LENGTH, WIDTH] - FORMATION])
    place = home + random.normal(0, 2, home.shape)
    team = np.repeat([0, 1], TEAM)
    holder = int(random.integers(players))
    track, held = np.empty((ticks, players, 2)), np.empty(ticks, np.int64)
    closing_in = 1
    for tick in range(ticks):
        held[tick], track[tick] = holder, place
        goal = home + 0.6 * (place[holder] - [LENGTH / 2, WIDTH / 2])
        away = np.hypot(*(place - place[holder]).T)
        pressing = np.argsort(np.where(team == team[holder], np.inf, away), kind="stable")[:closing_in]
        goal[pressing] = place[holder]
        goal[holder, 0] += 15.0 if team[holder] == 0 else -15.0
        stride = goal - place
        stride_length = np.maximum(np.hypot(*stride.T), 1e-9)[:, None]
        place = place + stride / stride_length * np.minimum(stride_length, 5.0 / match.rate) * random.uniform(
            0.3, 1.0, (players, 1)
        )
        place = np.clip(place + random.normal(0, 0.5, place.shape), 0, [LENGTH, WIDTH])
        if random.random() < 1 / (match.hold * match.rate):
            mates = (team == team[holder]) != (random.random() < match.lost)
            likelihood = np.where(mates, np.exp(-away / 15.0), 0.0)
            likelihood[list(STRIKERS)] *= match.wanted
            likelihood[holder] = 0.0
            holder = int(random.choice(players, p=likelihood / likelihood.sum()))
            closing_in = min(TEAM - 1, int(random.geometric(1 - match.more)))
    order = np.argsort(random.random((ticks, players)), axis=1)
    rows = (np.repeat(np.arange(ticks), players), order.ravel())
    ts = np.arange(ticks * players) * 1000 // (match.rate * players)
    return _table(ts, order.ravel(), team[order.ravel()], track[rows], held[rows[0]] == rows[1])


def read_match(path: Path) -> pa.Table:
    """The events of a real match in the same columns, e.g. of `soccer_metrica`: who did something with the ball, and
    where.

    Each row with a player and a place is one event of that player. In a pass, a shot, a loss or a recovery the player
    has the ball. Players are numbered in the order of their names.
    """
    rows = csv.read_csv(path, convert_options=csv.ConvertOptions(null_values=["", "NaN"], strings_can_be_null=True))
    rows = rows.filter(pc.and_(rows["From"].is_valid(), rows["Start X"].is_valid()))
    names = sorted(set(rows["From"].to_pylist()))
    player = np.array([names.index(name) for name in rows["From"].to_pylist()], np.int64)
    team = np.array([int(name == "Away") for name in rows["Team"].to_pylist()], np.int64)
    place = np.stack([rows["Start X"].to_numpy() * LENGTH, rows["Start Y"].to_numpy() * WIDTH], axis=1)
    ball = pc.is_in(rows["Type"], pa.array(["PASS", "SHOT", "BALL LOST", "RECOVERY"])).to_numpy()
    ts = np.round(rows["Start Time [s]"].to_numpy() * 1000).astype(np.int64)
    order = np.argsort(ts, kind="stable")
    return _table(ts[order], player[order], team[order], place[order], ball[order])


def _table(
    ts: npt.NDArray[np.int64],
    player: npt.NDArray[np.int64],
    team: npt.NDArray[np.int64],
    place: Floats,
    ball: npt.NDArray[np.bool_],
) -> pa.Table:
    count = len(ts)
    return pa.table(
        {
            "event_type": pa.repeat("Position", count),
            "ts": ts,
            "seq": np.arange(count),
            "player": player,
            "team": team,
            "x": place[:, 0],
            "y": place[:, 1],
            "ball": ball,
        }
    )
