"""Hypothesis strategies of signatures, and of logs that follow them."""

from __future__ import annotations

import math
from functools import cache
from itertools import accumulate

from hypothesis import strategies as st

from cep_core.events.logs.point_log import PointLog
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.testing.choice import chosen
from cep_core.testing.logs import Event, log_of

INT, FLOAT, STRING = AttributeType.INT, AttributeType.FLOAT, AttributeType.STRING

VALUES: dict[AttributeType, list[int | float | str]] = {
    INT: [0, 1, 2, -1],
    FLOAT: [0.0, -0.0, 1.0, 0.1, -2.5],
    STRING: ["a", "b", "ab"],
}
"""Few values, so that events meet each other."""
ENDS: dict[AttributeType, list[int | float | str]] = {
    INT: [0, 1, 2**63 - 1, 2**63 - 2, -(2**63), 2**53, 2**53 + 1],
    FLOAT: [0.0, -0.0, 5e-324, 1.7976931348623157e308, -1.7976931348623157e308, math.inf, -math.inf, math.nan],
    STRING: ["", "a", "\x00", "\uffff", "\U0001f600", "é"],
}
"""The ends of each type's range, and what is close to them."""


def schema_of(**types: str) -> LogSchema:
    """A signature in short: i, f and s for the types of the attributes, whose names are these letters with a number.

    >>> {name: attribute.type.value for name, attribute in schema_of(P="is", Q="").attributes_of("P").items()}
    {'i_1': 'int', 's_2': 'string'}
    """
    kinds = {"i": INT, "f": FLOAT, "s": STRING}
    signature = {}
    for event_type, letters in types.items():
        names = [f"{letter}_{place}" for place, letter in enumerate(letters, 1)]
        signature[event_type] = {name: Attribute(name, kinds[name[0]]) for name in names}
    return LogSchema(signature)


def signatures() -> st.SearchStrategy[LogSchema]:
    """One to three event types, with up to three attributes each."""
    letters = st.sampled_from(["i", "ii", "is", "s", "isf", "f", "iii", ""])
    return st.lists(letters, min_size=1, max_size=3).map(
        lambda types: schema_of(**dict(zip(["P", "Q", "R"], types, strict=False)))
    )


@st.composite
def drawn_points(
    draw: st.DrawFn, schema: LogSchema, *, ends: bool = False, nulls: bool = True, most: int = 6
) -> list[tuple[int, list[Event]]]:
    """Up to `most` time-points, with equal stamps, gaps, and empty points. `ends`: values at the ends of types."""
    types = tuple(
        (event_type, tuple(attribute.type for attribute in schema.attributes_of(event_type).values()))
        for event_type in schema.types
    )
    # Hypothesis likes the first choice: a log without events would say little.
    points = chosen(draw, [most - most // 3, *range(most + 1)])
    contents = draw(_contents(types, ends, nulls, points))
    gaps = draw(_gaps(points))
    first = chosen(draw, [0, 7, -3])
    return list(zip(accumulate(gaps, initial=first), contents, strict=False))


@cache
def _contents(
    types: tuple[tuple[str, tuple[AttributeType, ...]], ...], ends: bool, nulls: bool, points: int
) -> st.SearchStrategy[list[list[Event]]]:
    """The events of so many points. `types`: the event types with the types of their attributes."""
    rows = [
        st.tuples(st.just(event_type), *(_values(kind, ends, nulls) for kind in attributes))
        for event_type, attributes in types
    ]
    row = st.one_of(rows)
    of_size = {size: st.lists(row, min_size=size, max_size=size) for size in range(5)}
    events = st.sampled_from([2, 1, 3, 4, 0]).flatmap(of_size.__getitem__)
    return st.lists(events, min_size=points, max_size=points)


@cache
def _values(kind: AttributeType, ends: bool, nulls: bool) -> st.SearchStrategy[int | float | str | None]:
    values = (ENDS if ends else VALUES)[kind]
    return st.one_of(*[st.sampled_from(values)] * 8, *[st.none()] * nulls)


@cache
def _gaps(points: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.sampled_from([1, 0, 2, 3, 10, 0, 1]), min_size=points, max_size=points)


def drawn_logs(
    schema: LogSchema, *, ends: bool = False, nulls: bool = True, most: int = 6
) -> st.SearchStrategy[PointLog]:
    """The logs of `drawn_points`."""
    return drawn_points(schema, ends=ends, nulls=nulls, most=most).map(lambda points: log_of(points, schema))
