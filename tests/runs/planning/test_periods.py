"""A run over many days is planned in periods where the log drifts (S33, B8)."""

from __future__ import annotations

from itertools import pairwise
from unittest import mock

import numpy as np
import pyarrow as pa

from cep_core.language.evaluator import Atom
from cep_core.slicing import Plan
from jobs.stages.day_blocks import cut_at, edges_of
from jobs.stages.slicing.planning import WORTH_CHANGING
from tests.runs.planning.worlds import DAY, planning

ATOM = (Atom("A", (("k", "x"), ("j", "y"))), Atom("B", (("k", "x"),)), Atom("C", (("j", "y"),)))


def events(drifts: bool, days: int = 4, count: int = 2000) -> pa.Table:
    """B is frequent in the first half of the days and C in the second, if the log drifts; else both always."""
    parts = []
    for day in range(days):
        n = np.arange(count)
        often, seldom = ("B", "C") if day < days / 2 else ("C", "B")
        kinds = np.where(n % 20 == 0, "A", np.where(n % 20 == 1, seldom, often))
        if not drifts:
            kinds = np.where(n % 20 == 0, "A", np.where(n % 2, "B", "C"))
        parts.append(
            pa.table({"event_type": kinds, "ts": day * DAY + n, "k": (n * 7919) % 4001, "j": (n * 104729) % 3989})
        )
    return pa.concat_tables(parts)


def planned(drifts: bool, days: int = 4) -> list[Plan]:
    from cep_core.events.schema import AttributeType

    types = {"k": AttributeType.INT, "j": AttributeType.INT}
    made = planning({"q": ATOM}, events(drifts, days), days, slices=9, types=types)
    return made.plans()


def test_a_log_that_drifts_is_planned_in_periods() -> None:
    """The first half is sliced by x, the second by y; one plan for both would have to do both."""
    plans = planned(drifts=True)
    assert [plan.period for plan in plans] == [(0, 2 * DAY), (2 * DAY, 4 * DAY)]
    assert plans[0].cubes[0].shares != plans[1].cubes[0].shares
    assert "one of 2 periods: their largest slices hold" in plans[0].decisions[-1]
    assert len({plan.plan_id for plan in plans}) == 2


def test_a_steady_log_has_one_plan() -> None:
    [plan] = planned(drifts=False)
    assert plan.period is None


def test_periods_that_cannot_gain_are_not_counted() -> None:
    """By one key the largest slice of all days has hardly more than its share, whatever the days are."""
    made = planning({"q": (Atom("B", (("k", "x"),)), Atom("C", (("k", "x"),)))}, events(drifts=True), 4, slices=9)
    with mock.patch.object(made.counted, "statistics", wraps=made.counted.statistics) as statistics:
        [plan] = made.plans()
    assert plan.predicted is not None
    assert plan.predicted.maximum_load * (1 - WORTH_CHANGING) < 1 / 9
    assert {len(call.args[0]) for call in statistics.call_args_list} == {4}


def test_a_day_alone_has_one_plan() -> None:
    [plan] = planned(drifts=True, days=1)
    assert plan.period is None


def test_each_day_belongs_to_one_plan() -> None:
    plans = planned(drifts=True)
    days = [(day * DAY, (day + 1) * DAY) for day in range(4)]
    assert [[plan.covers(day) for plan in plans].count(True) for day in days] == [1] * 4
    blocks = list(cut_at(edges_of(plans, "q"), tuple(day * DAY for day in range(5))))
    assert blocks == [(0, DAY, 2 * DAY), (2 * DAY, 3 * DAY, 4 * DAY)]
    assert not edges_of(plans, "another")
    assert all(first[-1] == second[0] for first, second in pairwise(blocks))
