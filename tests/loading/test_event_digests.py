"""A day's digest: what changes it, and what does not."""

from __future__ import annotations

import hashlib
import struct
from datetime import date
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.stages.loading import event_digests
from jobs.stages.loading.event_digests import NO_EVENTS, DigestPart, digest_parts, event_numbers

D1, D2 = date(2024, 1, 1), date(2024, 1, 2)
SCHEMA = pa.schema(
    [
        ("day", pa.date32()),
        ("ts", pa.int64()),
        ("kwh", pa.float64()),
        ("spare", pa.float64()),
        ("meter", pa.string()),
        ("ok", pa.bool_()),
    ]
)
VALUES = {
    "day": st.sampled_from([D1, D2]),
    "ts": st.integers(-2, 2) | st.sampled_from([-(1 << 63), (1 << 63) - 1]),
    "kwh": st.none() | st.sampled_from([0.0, -0.0, 1.0, 2.0, float("inf")]),
    "spare": st.none() | st.sampled_from([0.0, 1.0]),
    "meter": st.none() | st.sampled_from(["", "a", "1"]),
    "ok": st.none() | st.booleans(),
}
rows = st.lists(st.fixed_dictionaries(VALUES), max_size=6)


def table_of(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, SCHEMA)


def digests(table: pa.Table) -> dict[date, str]:
    return {day: str(part) for day, part in digest_parts(table).items()}


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows, and the same with one value drawn again."""
    before = draw(rows.filter(bool))
    after = [dict(row) for row in before]
    name = draw(st.sampled_from(list(VALUES)))
    draw(st.sampled_from(after))[name] = draw(VALUES[name])
    return before, after


@given(edited())
def test_equal_digests_mean_equal_events(edit: tuple[list[dict[str, Any]], list[dict[str, Any]]]) -> None:
    """Of few events, 128 bits meet by chance less often than anybody tries."""

    def of_days(given: list[dict[str, Any]]) -> dict[date, list[str]]:
        return {day: sorted(repr(row) for row in given if row["day"] == day) for day in {row["day"] for row in given}}

    before, after = edit
    first, second = digests(table_of(before)), digests(table_of(after))
    for day in {*first, *second}:
        assert (first.get(day) == second.get(day)) == (of_days(before).get(day) == of_days(after).get(day))


@given(rows, st.randoms(use_true_random=False), st.integers(0, 6))
def test_order_parts_and_empty_columns_change_nothing(rows: list[dict[str, Any]], random: Any, cut: int) -> None:
    """Rows in another order, in two batches, columns in another order, and one more that is null."""
    whole = digests(table_of(rows))
    shuffled = random.sample(rows, len(rows))
    names = random.sample(SCHEMA.names, len(SCHEMA))
    batches = [
        batch
        for part in (shuffled[:cut], shuffled[cut:])
        for batch in table_of(part).select(names).append_column("later", pa.nulls(len(part), pa.int64())).to_batches()
    ]
    parts: dict[date, DigestPart] = {}
    for batch in batches:
        for day, part in digest_parts(pa.Table.from_batches([batch])).items():
            parts[day] = parts.get(day, NO_EVENTS) + part
    assert {day: str(part) for day, part in parts.items()} == whole


def stirred(bits: int) -> int:
    """SplitMix64's finalizer over Python's whole numbers."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ bits >> shift) * factor % (1 << 64)
    return bits ^ bits >> 31


def bits_of(value: Any) -> int:
    if isinstance(value, bytes):
        return int.from_bytes(hashlib.blake2b(value, digest_size=8).digest(), "little")
    if isinstance(value, str):
        return bits_of(value.encode())
    if isinstance(value, float):
        return int.from_bytes(struct.pack("<d", value), "little")
    return int(value) % (1 << 64)


@given(rows, st.integers(1, 4))
def test_a_number_mixes_the_values_of_its_event(given: list[dict[str, Any]], at_once: int) -> None:
    """However many are stirred together. A lake keeps digests, so they must be tomorrow what they are today."""
    of_events = table_of(given).drop_columns(["day"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_digests, "AT_ONCE", at_once)
        numbers = event_numbers(of_events).tolist()
    for row, number in zip(of_events.to_pylist(), numbers, strict=True):
        mixed = [stirred(bits_of(value) ^ bits_of(name)) for name, value in row.items() if value is not None]
        assert number == stirred(sum(mixed) % (1 << 64))
