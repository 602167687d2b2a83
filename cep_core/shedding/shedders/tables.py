"""Rules that drop the partial matches with the lowest utility in a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cep_core.shedding.arrays.rules import LOWEST, Rules, guarded
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.model.utility import UtilityTable
from cep_core.shedding.training.operator_model import Model

ROWS = 4_096
"""Most rows of a pattern's table; for longer windows it has a row for every bs-th number of events left."""


def sizes_of(model: Model, bin_size: int | None) -> list[int]:
    """bs for each pattern: the given one, else the smallest for which the table has at most `ROWS` rows."""
    return [max(1, min(pattern.left, bin_size or -(-pattern.left // ROWS))) for pattern in model.patterns]


def by_table(model: Model, detector: Detector, seed: int, tables: Sequence[UtilityTable]) -> Rules:
    """Rules that drop the lowest utility in `tables`, one for each pattern."""
    return guarded(detector, LOWEST, seed)._replace(
        gain=np.concatenate([table.gain.ravel() for table in tables]),
        price=np.concatenate([table.price.ravel() for table in tables]),
        table_at=np.cumsum([0, *(table.gain.size for table in tables)]).astype(np.int64),
        bin=np.array([table.size for table in tables], np.int64),
        rate=np.array([pattern.rate for pattern in model.patterns], np.float64),
    )
