"""A large group, or no groups at all, on several cores gives the same rows as on one core."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import cep_core as cep
from cep_core.trends.choice import cores

QUERIES = (
    "PATTERN A+ WITHIN 20",
    "PATTERN (SEQ(A+, B))+ WITHIN 60 SLIDE 7",
    "PATTERN SEQ(A, B, A a2) WITHIN 60 SLIDE 3",
    "PATTERN (SEQ(A+, NOT C, B))+ WITHIN 40 SLIDE 10",
    "PATTERN A+ WHERE A.x < NEXT(A).x WITHIN 40 SLIDE 10",
    "PATTERN A+ WHERE A.x < NEXT(A).x AND A.y >= NEXT(A).y GROUP-BY g WITHIN 40",
    "PATTERN A+ WITHIN 200 SLIDE 50",
)


@pytest.mark.parametrize("query", QUERIES)
def test_cores_change_nothing(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts have few vertices; the log has ties and large numbers."""
    monkeypatch.setattr(cores, "FEWEST_VISITS", 20)
    random = np.random.default_rng(7)
    n = 1500
    log = pa.table(
        {
            "event_type": random.choice(list("AAABBC"), n),
            "ts": np.sort(random.integers(0, 2 * n, n)),
            "x": random.integers(0, 30, n),
            "y": random.integers(0, 30, n),
            "g": random.choice(["hot"] * 9 + ["cold"], n),
        }
    )
    text = f"RETURN {'g, ' if 'GROUP' in query else ''}COUNT(*), SUM(A.x), MIN(A.x) {query}"
    single_core = cep.aggregate(text, log, cores=1, exact=True)
    assert single_core.num_rows > 10
    assert cep.aggregate(text, log, cores=3, exact=True).equals(single_core)


def test_a_hot_group_is_split_by_time() -> None:
    """Tumbling and sliding windows of one partition: parts cover all ranges and overlap by at most a quarter."""
    n = 1_000_000
    for size, slide in ((40, 40), (6_000, 100)):
        windows = cores.Windows(
            *(np.zeros(0, dtype=np.int64),) * 3,
            first=np.arange(0, n - size, slide),
            last=np.arange(size, n, slide),
            opener=np.arange(len(range(size, n, slide))),
        )
        bounds = cores.part_bounds(windows, threads=2)
        assert len(bounds) > 4
        visits = [windows.last[b - 1] - windows.first[a] for a, b in pairwise(bounds.tolist())]
        assert sum(visits) < 1.25 * n
        assert max(visits) < 2 * n / (len(bounds) - 1)
