"""The types of events by their codes, whatever a dictionary holds and whatever its codes are."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.event_types import BLOCK, EventTypes

INDICES = st.sampled_from([pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32()])


@given(st.data(), INDICES, st.integers(0, 200), st.sampled_from([1, BLOCK]))
def test_bits_of_types(data: st.DataObject, kind: pa.DataType, more: int, times: int) -> None:
    """A dictionary may hold a text twice, or more texts than half of its codes; an event may have no type."""
    most = 127 if kind == pa.int8() else 255
    texts = [*data.draw(st.lists(st.sampled_from("ABC"), max_size=4)), *(f"other {k}" for k in range(more)), "A"]
    texts = texts[-most:]
    places = data.draw(st.lists(st.one_of(st.none(), st.integers(0, len(texts) - 1)), max_size=6)) * times
    values = pa.DictionaryArray.from_arrays(pa.array(places, kind), pa.array(texts))
    bits = {name: 1 << bit for bit, name in enumerate(data.draw(st.permutations(["A", "B", "C", "other 150", "D"])))}
    expected = [0 if place is None else bits.get(texts[place], 0) for place in places]
    assert EventTypes(values).bits(bits).tolist() == expected
    assert EventTypes(values.dictionary_decode()).bits(bits).tolist() == expected
