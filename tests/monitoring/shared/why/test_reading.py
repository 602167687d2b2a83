"""Which points an atom with a known value may mean, whatever the kinds of the value and of the column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.language.temporal.formulas import Predicate
from cep_core.language.temporal.terms import Variable
from cep_core.monitoring.shared.scalars import compares
from cep_core.monitoring.shared.why.reading import LogReader
from cep_core.monitoring.shared.why.value_index import OFTEN, ValueIndex
from tests.ends import REAL, WHOLE

WHOLES = st.integers(-2, 2) | st.sampled_from(WHOLE)
REALS = st.sampled_from((-0.0, 0.0, 0.5, 1.0)) | st.sampled_from(REAL)
TEXTS = st.sampled_from(("", "a", "b"))


KINDS = (
    (WHOLES, pa.int64(), WHOLES | REALS),
    (REALS, pa.float64(), WHOLES | REALS),
    (TEXTS, pa.string(), TEXTS),
    (TEXTS, pa.dictionary(pa.int32(), pa.string()), TEXTS),
)
"""What a column has, its type, and what is asked of it."""


@given(st.sampled_from(KINDS), st.booleans(), st.data())
def test_events_with_other_values_are_left_out(
    kind: tuple[st.SearchStrategy[Any], pa.DataType, st.SearchStrategy[Any]], by_index: bool, data: st.DataObject
) -> None:
    """Else a claim would be looked at in the whole log, and not in a slice that lacks these events."""
    of_column, column, asked = kind
    values, value = data.draw(st.lists(st.none() | of_column, max_size=6)), data.draw(asked)
    events = TypedEvents(np.arange(len(values)), {"x": pa.array(values, column)})
    index = ValueIndex({("P", "x"): OFTEN if by_index else 0})
    reader = LogReader(PointLog(np.arange(len(values)), {"P": events}), index=index)
    points = reader.points_of(Predicate("P", (Variable("v"),), ("x",)), {"v": value}, (0, len(values)))
    assert points == [n for n, own in enumerate(values) if own is not None and compares("=", own, value)]
