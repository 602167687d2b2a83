"""Semi-joins on the events of atoms: what is left out meets nothing, and little that meets nothing is left."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.language.temporal.interval import Interval
from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.operators import reduction
from cep_core.monitoring.first_order.operators.conjunction import star, triangle
from cep_core.monitoring.first_order.operators.normal import merged
from cep_core.monitoring.first_order.operators.reduction import events_of, reduced
from cep_core.monitoring.first_order.operators.timeline import Timeline
from cep_core.monitoring.first_order.operators.windows import eventually, once
from tests.monitoring.first_order.operators.drawn import KINDS, POINTS, intervals, satisfactions_of, timelines
from tests.monitoring.first_order.valuations import Satisfactions, satisfactions, setting_of


def scanned(variables: str, satisfied: Satisfactions) -> Relation:
    """A row for each satisfaction, by point."""
    rows = sorted(satisfied, key=lambda row: row[0])
    columns = tuple(np.array([row[1][place] for row in rows], np.int64) for place in range(len(variables)))
    point = np.array([row[0] for row in rows], np.int64)
    return Relation(tuple(variables), columns, point, point + 1)


@pytest.mark.parametrize("names", [("xy", "xz", "xw"), ("xy", "yz", "zw"), ("xy", "yz", "zx"), ("xy", "xy", "zw")])
@given(st.data())
def test_joins_of_what_is_left_are_the_same(names: tuple[str, ...], data: st.DataObject) -> None:
    line = data.draw(timelines())
    past, future = (data.draw(intervals().filter(lambda interval: not interval.is_empty)) for _ in range(2))
    rows = [scanned(variables, data.draw(satisfactions_of(variables))) for variables in names]
    first, second, third = (events_of(part, POINTS) for part in rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reduction, "FEWEST", data.draw(st.sampled_from([1, 3, 100])))
        fewer = reduced([first.later(past, line), second, third.sooner(future, line).later(past, line)], POINTS)

    def joined(parts: list[Relation]) -> Satisfactions:
        before = once(parts[0], past, line)
        after = once(eventually(parts[2], future, line), past, line)
        if names[2] == "zx":
            joined = triangle([before, merged(parts[1]), after])
        else:
            joined = star([star([before, merged(parts[1])]), after])
        return satisfactions(joined.of_variables(sorted(joined.variables)), setting_of({}), KINDS)

    assert joined(fewer) == joined(rows)
    assert all(some.rows <= every.rows for some, every in zip(fewer, rows, strict=True))


def test_rows_that_meet_nothing_are_left_out() -> None:
    points = np.arange(3000)
    line = Timeline(points)
    p, q, r = (Relation(("x",), (points * factor,), points, points + 1) for factor in (2, 3, 5))
    fewer = reduced([events_of(p, 3000).later(Interval(0, 2500), line), events_of(q, 3000), events_of(r, 3000)], 3000)
    keys = [set(part.columns[0].tolist()) for part in fewer]
    assert keys[0] >= {0, 30, 60}
    assert sum(map(len, keys)) < 1500  # of 9000; about 600 would be exact
