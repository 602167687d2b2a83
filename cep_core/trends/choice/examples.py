"""Small queries and logs, each of which reaches one kernel: compiled before the first night, and used by tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa


@dataclass(frozen=True)
class Example:
    """A query over events of types A and B. There is one event at each moment; it has an integer x."""

    query: str
    events: int = 300
    large: bool = False
    """Whether the values of x are close to the largest 64-bit integer."""

    def log(self) -> pa.Table:
        """The events, the same at every call.

        >>> Example("RETURN COUNT(*) PATTERN A WITHIN 9", events=3).log().column("x").to_pylist()
        [47, 51, 75]
        """
        random = np.random.default_rng(1)
        x = random.integers(0, 100, self.events) + (2**63 - 100 if self.large else 0)
        return pa.table(
            {
                "event_type": pa.array(random.choice(["A", "B"], self.events)),
                "ts": pa.array(np.arange(self.events)),
                "x": pa.array(x),
            }
        )
