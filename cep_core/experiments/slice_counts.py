"""What other numbers of slices would cost: the planner runs again on the same events, and nothing is evaluated.

It shows how many workers are worth having. The predicted maximum load falls with the number of slices until one value,
or the reach of time ranges, fills a slice alone. Cost: one planning for each number of slices.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from cep_core.language.evaluator import Reach
from cep_core.slicing import Plan, make_plan, statistics_of
from cep_core.slicing.ranges import read_from
from cep_core.slicing.slicing_plan import Prediction

SLICE_COUNTS = (2, 4, 8, 16)


def predicted_loads(
    plan: Plan,
    events: pa.Table,
    seed_text: str,
    reach: Reach,
    interval: tuple[int, int] | None,
    counts: Sequence[int] = SLICE_COUNTS,
) -> dict[int, Prediction]:
    """By number of slices: what the best plan for the same queries on the same variables would cost.

    `events`: those that `plan` slices, in time order; `reach`, `interval`: as given to `make_plan`.
    """
    stamps = events["ts"].to_numpy()
    if interval is not None:
        first, after = np.searchsorted(stamps, [read_from(interval[0], reach, stamps), interval[1]])
        events, stamps = events.slice(int(first), int(after - first)), stamps[first:after]
    statistics = statistics_of(events, plan.atoms)
    queries = dict.fromkeys(plan.queries, plan.atoms)
    types = dict(zip(plan.variables, plan.types, strict=True))
    predictions = {}
    for slices in counts:
        planned = make_plan(
            queries, plan.variables, statistics, slices, seed_text, reach, interval, types=types, stamps=stamps
        )
        assert planned.predicted is not None
        predictions[slices] = planned.predicted
    return predictions
