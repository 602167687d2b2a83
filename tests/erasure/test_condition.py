"""The condition of an erasure: what is written is what is read, and everything else is refused with a caret."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from jobs.erasure.condition import Value, read_condition
from jobs.exits import WrongWorkload

KINDS = {
    "passenger": AttributeType.INT,
    "name": AttributeType.STRING,
    "fare": AttributeType.FLOAT,
    "paid": AttributeType.BOOL,
}
SCHEMA = LogSchema({"Trip": {name: Attribute(name, kind) for name, kind in KINDS.items()}})

values: dict[str, st.SearchStrategy[Value]] = {
    "passenger": st.integers(-(1 << 63), (1 << 63) - 1),
    "name": st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    "fare": st.floats(allow_nan=False, allow_infinity=False),
    "paid": st.booleans(),
}


def written(value: Value) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value).lower() if isinstance(value, bool) else repr(value)


@given(st.fixed_dictionaries({}, optional=values), st.sampled_from([" and ", " AND\n"]), st.sampled_from(["=", " == "]))
def test_what_is_written_is_read(chosen: dict[str, Value], joined: str, equals: str) -> None:
    text = joined.join(f"{name}{equals}{written(value)}" for name, value in chosen.items())
    if not chosen.keys() - {"paid"}:
        with pytest.raises(WrongWorkload, match=r"expected a column|names nobody"):
            read_condition(text, SCHEMA)
        return
    condition = read_condition(text, SCHEMA)
    assert condition.values == chosen
    rows = pa.table({name: pa.array([chosen.get(name), None]) for name in chosen})
    assert condition.fits(rows).tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pasenger = 17", "unknown column 'pasenger'\n    pasenger = 17\n    ^^^^^^^^ did you mean 'passenger'?"),
        ("passenger = '17'", "'passenger' is int, not a string"),
        ("passenger = 1.5", "a whole number of 64 bits"),
        ("passenger = 9223372036854775808", "a whole number of 64 bits"),
        ("name = Ann", "put the value in quotes: name = 'Ann'"),
        ("name = 'Ann", "without its closing quote"),
        ('name = "O\'Hare" AND passenger = 1', "put the value in quotes: name = 'O''Hare'"),
        ("passenger > 3", "expected '='\n    passenger > 3\n              ^ an erasure is of exact values"),
        ("passenger = 1 OR passenger = 2", "run the command once for each value"),
        ("passenger = 1 AND passenger = 2", "'passenger' stands twice"),
        ("passenger = 1 AND", "expected a column"),
        ("passenger =", "'passenger' is int"),
        ("event_type = 'Trap' AND passenger = 1", "unknown event type"),
        ("event_type = 'Trip'", "names nobody"),
        ("paid = yes AND passenger = 1", "true or false"),
        ("", "expected a column"),
    ],
)
def test_what_is_no_condition_is_refused(text: str, message: str) -> None:
    with pytest.raises(WrongWorkload) as refused:
        read_condition(text, SCHEMA)
    assert message in str(refused.value)
