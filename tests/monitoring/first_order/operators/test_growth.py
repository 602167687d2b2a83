"""What operators cost, in lines of their kernels that are carried out: rows count, lengths and values do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np
import pytest

from cep_core.arrays import Ints
from cep_core.events.schema import AttributeType
from cep_core.language.temporal.formulas import Aggregation, Truth
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.terms import Variable
from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.arrays.setting import TermSetting
from cep_core.monitoring.first_order.arrays.texts import Texts
from cep_core.monitoring.first_order.choice.aggregation import aggregated
from cep_core.monitoring.first_order.operators.conjunction import star, triangle
from cep_core.monitoring.first_order.operators.difference import difference
from cep_core.monitoring.first_order.operators.normal import merged
from cep_core.monitoring.first_order.operators.since import since
from cep_core.monitoring.first_order.operators.timeline import Timeline
from cep_core.monitoring.first_order.operators.windows import once
from tests.monitoring.kernel_steps import Steps, kernel_steps

ENGINE = "cep_core.monitoring.first_order"


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[Steps]:
    with kernel_steps(ENGINE, monkeypatch) as counted:
        yield counted


def runs(begin: Ints, length: int, **columns: Ints) -> Relation:
    return Relation(tuple(columns), tuple(columns.values()), begin, begin + length)


def line(points: int) -> Timeline:
    return Timeline(np.arange(points))


def test_lengths_of_runs_and_intervals_cost_nothing(steps: Steps) -> None:
    points = np.arange(50)
    log = line(4000)
    short, long = (runs(points * 60, length, x=points) for length in (1, 1000))
    witnesses = runs(points * 60, 30, x=points)
    calls: list[Callable[[Relation, int], Relation]] = [
        lambda body, high: once(body, Interval(0, high), log),
        lambda body, high: once(body, Interval(2, high), log),
        lambda body, high: since(body, witnesses, Interval(0, high), log, negated=False),
        lambda body, high: since(body, witnesses, Interval(0, high), log, negated=True),
        lambda body, high: difference(body, witnesses),
        lambda body, high: star([body, witnesses]),
    ]
    for call in calls:
        costs = []
        for body, high in product((short, long), (3, 3000)):
            bound = partial(call, body, high)
            bound()  # makes the tables of the interval, O(points)
            costs.append(steps(bound))
        assert max(costs) < 1.5 * min(costs) + 500


def test_points_are_passed_once_for_each_interval(steps: Steps) -> None:
    body = runs(np.arange(9), 3)
    few, many = (steps(partial(once, body, Interval(2, high), line(points))) for points, high in ((400, 3), (800, 600)))
    assert many < 2.2 * few


def test_twice_the_rows_cost_twice(steps: Steps) -> None:
    def costs(rows: int) -> list[int]:
        log, points = line(1000), np.arange(rows)
        flicker = runs(2 * points, 1)
        long = runs(0 * points, 2 * rows, x=points)
        early = runs(points, 1, x=0 * points)
        late = runs(points + rows, 1, x=0 * points)
        return [
            steps(lambda: merged(runs(points // 3, 5, x=points % 7))),
            steps(lambda: star([early, late])),
            steps(lambda: difference(runs(0 * points[:1], 2 * rows), flicker)),
            steps(lambda: since(flicker, long, Interval(0, 5), log, negated=False)),
            steps(lambda: since(flicker, long, Interval(2, 5), log, negated=False)),
            steps(lambda: since(flicker, long, Interval(2, 5), log, negated=True)),
        ]

    for few, many in zip(costs(100), costs(200), strict=True):
        assert many < 2.6 * few + 500


def test_triangles_of_heavy_values_keep_no_pairs(steps: Steps) -> None:
    """The classic log on which every plan of pairs makes N**2 rows: one heavy value for each variable."""

    def cost(rows: int) -> float:
        light, heavy, begin = np.arange(1, rows), np.zeros(rows - 1, np.int64), np.zeros(2 * rows - 2, np.int64)
        first, second = np.concatenate([heavy, light]), np.concatenate([light, heavy])
        parts = [runs(begin, 5, **{pair[0]: first, pair[1]: second}) for pair in ("ab", "bc", "ca")]
        return steps(lambda: triangle(parts))

    assert cost(400) < 1.2 * 4**1.5 * cost(100)


@pytest.mark.parametrize("function", ["SUM", "AVG", "MIN", "MED"])
def test_aggregations_cost_their_runs(steps: Steps, function: str) -> None:
    """Twice the runs cost little more than twice, whatever their lengths and values, also where all overlap."""
    aggregation = Aggregation(Variable("r"), function, Variable("x"), (), Truth(True))
    setting = TermSetting(Texts(), np.arange(10), {"x": AttributeType.FLOAT})

    def cost(rows: int, length: int, size: float) -> int:
        values = np.random.default_rng(1).permutation(rows) * size
        body = Relation(("x",), (values,), np.arange(rows), np.arange(rows) + length)
        return steps(lambda: aggregated(body, aggregation, setting))

    short, long, large = cost(100, 1, 1.0), cost(100, 10**9, 1.0), cost(100, 10**9, 1e300)
    assert max(short, long, large) < 3 * min(short, long, large)
    assert cost(200, 10**9, 1.0) < 2.6 * long
