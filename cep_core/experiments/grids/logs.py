"""The logs of an experiment by name: seeded generators of this project, and files that may be missing.

A file is a stand-in for the paper's data: `trades` of companies, or a `match` of soccer. A seed selects one stretch of
the trades, or one of the files of matches. So the spread over seeds is the spread over parts of the data. `OwnDays` are
a workload's own log; there seeds change only random draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from cep_core.experiments.generators.buses import City, generate_reports
from cep_core.experiments.generators.positions import FootballMatch, generate_positions, read_match
from cep_core.experiments.generators.quotes import Market, generate_quotes, read_trades

GENERATORS: Mapping[str, tuple[Callable[..., Any], Callable[..., pa.Table]]] = {
    "quotes": (Market, generate_quotes),
    "positions": (FootballMatch, generate_positions),
    "buses": (City, generate_reports),
}
READERS: Mapping[str, tuple[str, Callable[[Path], pa.Table]]] = {
    "trades": ("quotes", read_trades),
    "match": ("positions", read_match),
}


@dataclass(frozen=True)
class LogSource:
    """Where an experiment's log comes from.

    `name`: a generator with its `parameters`, or a reader with `files` below a folder of stand-ins. `events`: how many
    events of a file an experiment takes; None: all.
    """

    name: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    events: int | None = None

    def __post_init__(self) -> None:
        if self.name not in GENERATORS and self.name not in READERS:
            raise ValueError(f"no log '{self.name}'; there are {', '.join([*GENERATORS, *READERS])}")
        if (self.name in READERS) != bool(self.files):
            raise ValueError(f"'{self.name}' {'needs files' if self.name in READERS else 'reads no files'}")
        if self.name in GENERATORS:
            GENERATORS[self.name][0](seed=0, **self.parameters)

    @property
    def shape(self) -> str:
        """Which columns the log has: the name of the generator with the same columns."""
        return READERS[self.name][0] if self.name in READERS else self.name

    @property
    def days(self) -> list[date]:
        """The workload's own days that it reads: none."""
        return []

    def missing(self, folder: Path) -> list[str]:
        """The files that are not below `folder`."""
        return [file for file in self.files if not (folder / file).is_file()]

    def read(self, folder: Path, seed: int) -> pa.Table:
        """The log of one seed. Raises FileNotFoundError."""
        if self.name in GENERATORS:
            settings, generate = GENERATORS[self.name]
            return generate(settings(seed=seed, **self.parameters))
        log = READERS[self.name][1](folder / self.files[seed % len(self.files)])
        if self.events is None or self.events >= log.num_rows:
            return log
        stretches = max(1, log.num_rows // self.events)
        return log.slice(seed // len(self.files) % stretches * self.events, self.events).combine_chunks()


@dataclass(frozen=True)
class OwnDays:
    """Operating days of the workload that declares a grid: those that train, then those that are judged.

    >>> days = OwnDays(date(2013, 2, 26), date(2013, 3, 7), date(2013, 3, 8), date(2013, 3, 8))
    >>> len(days.training), len(days.judged), days.of_training(3)[0].isoformat()
    (10, 1, '2013-03-05')
    """

    train_from: date
    train_to: date
    judge_from: date
    judge_to: date

    def __post_init__(self) -> None:
        if not self.train_from <= self.train_to < self.judge_from <= self.judge_to:
            raise ValueError("the days that train come before those that are judged, and each period's first day first")

    @property
    def training(self) -> list[date]:
        return _days(self.train_from, self.train_to)

    @property
    def judged(self) -> list[date]:
        return _days(self.judge_from, self.judge_to)

    @property
    def days(self) -> list[date]:
        """All days that are read."""
        return [*self.training, *self.judged]

    def of_training(self, most: float | None) -> list[date]:
        """The last training days. `most`: at most this many; None: all."""
        return self.training if most is None else self.training[-int(most) :]


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]
