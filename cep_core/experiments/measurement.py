"""The row of every experiment: one value, measured for one strategy with some parameters and one seed."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pyarrow as pa

SCHEMA = pa.schema(
    [
        ("strategy", pa.string()),
        ("parameters", pa.string()),
        ("seed", pa.int64()),
        ("metric", pa.string()),
        ("value", pa.float64()),
        ("unit", pa.string()),
    ]
)


def measurement(
    strategy: str, parameters: Mapping[str, object], seed: int | None, metric: str, value: float, unit: str
) -> dict[str, object]:
    """A row of `SCHEMA`; the parameters become JSON with sorted keys.

    >>> measurement("pSPICE", {"load": 1.2}, 0, "lost", 0, "share")["parameters"]
    '{"load": 1.2}'
    """
    return {
        "strategy": strategy,
        "parameters": json.dumps(parameters, sort_keys=True),
        "seed": seed,
        "metric": metric,
        "value": float(value),
        "unit": unit,
    }
