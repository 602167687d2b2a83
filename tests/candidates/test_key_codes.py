"""Keys that a table holds as codes, or that are close together, have the codes that hashing gives them."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cep_core.candidates.candidates import Candidates, candidates
from cep_core.candidates.key_codes import key_codes
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.values.exact_order import equal_codes
from cep_core.language.patterns.values.expressions import plain

ENDS = st.sampled_from((-(2**63), 2**63 - 1, 0, -1, 10**9))
TEXTS = st.lists(st.one_of(st.none(), st.sampled_from(("", "a", "b", "long text"))), max_size=12)
LOG = LogSchema(
    {name: {a: Attribute(a, AttributeType.STRING, nullable=True) for a in ("x", "y")} for name in ("A", "B", "C")}
)
QUERIES = (
    "PATTERN SEQ(A, B+) WITHIN 9",
    "PATTERN SEQ(A a, NOT C c, B+ b[]) WHERE [x] WITHIN 9",
    "PATTERN SEQ(A a, B? b, C c) WHERE [x, y] WITHIN 9",
    "PATTERN SEQ(A a, B b, A c) WHERE a.x = b.y AND b.y = c.x WITHIN 9",
    "PATTERN SEQ(A a, B b) WHERE partition_contiguity [x] AND a.y = 'a' WITHIN 9",
)


@st.composite
def encoded(draw: st.DrawFn, texts: st.SearchStrategy[list[str | None]]) -> pa.DictionaryArray:
    """A dictionary array, whose dictionary may hold texts twice, texts that do not occur, and a null."""
    dictionary = pa.array(draw(texts), pa.string())
    places = st.none() if not len(dictionary) else st.one_of(st.none(), st.integers(0, len(dictionary) - 1))
    kind = draw(st.sampled_from((pa.int8(), pa.uint16(), pa.int32())))
    return pa.DictionaryArray.from_arrays(pa.array(draw(st.lists(places, max_size=12)), kind), dictionary)


@given(encoded(TEXTS))
def test_texts_in_a_dictionary_have_the_codes_of_the_texts(stored: pa.DictionaryArray) -> None:
    """The same numbers, and the same text for each."""
    _are_alike([stored])


@given(
    st.lists(st.one_of(st.none(), st.integers(-3, 3)), max_size=12),
    ENDS,
    st.sampled_from((pa.int8(), pa.int32(), pa.int64(), pa.uint64())),
)
def test_close_integers_have_the_codes_of_hashing(offsets: list[int | None], middle: int, kind: pa.DataType) -> None:
    """Of any width, also at the ends of 64 bits; null is -1."""
    low, high = (0 if kind == pa.uint64() else -(2 ** (kind.bit_width - 1))), 2 ** min(63, kind.bit_width - 1) - 1
    values = [None if k is None else min(max(middle + k, low), high) for k in offsets]
    _are_alike([pa.array(values, kind)])


def _are_alike(columns: list[pa.Array]) -> None:
    codes, values = key_codes(columns)
    hashed, hashed_values = equal_codes([plain(column) for column in columns])
    assert [part.tolist() for part in codes] == [part.tolist() for part in hashed]
    assert values.to_pylist() == hashed_values.to_pylist()


@given(st.sampled_from(QUERIES), st.data())
def test_encoded_columns_make_the_same_candidates(text: str, data: st.DataObject) -> None:
    """Event types and keys as dictionaries, in one piece or in two with dictionaries of their own."""
    types = data.draw(encoded(st.just(["A", "B", "C", "A"])))
    keys = [
        data.draw(st.lists(st.sampled_from((None, "a", "b")), min_size=len(types), max_size=len(types))) for _ in "xy"
    ]
    x, y = (pa.array(values, pa.string()) for values in keys)
    plainly = pa.table(
        {"event_type": types.dictionary_decode(), "ts": range(len(types)), "seq": range(len(types)), "x": x, "y": y}
    )
    cut = data.draw(st.integers(0, len(types)))
    pieces = [pa.chunked_array([part.dictionary_encode() for part in (a[:cut], a[cut:])]) for a in (x, y)]
    coded = plainly.set_column(0, "event_type", types).set_column(3, "x", pieces[0]).set_column(4, "y", pieces[1])
    query = bind(text, LOG)
    assert _shown(candidates(query, coded)) == _shown(candidates(query, plainly))


def _shown(chosen: Candidates) -> list[object]:
    """Everything that an engine reads."""
    numbers = (chosen.rows, chosen.offsets, chosen.ts, chosen.seq, chosen.pos, chosen.rank, *chosen.variables.values())
    return [*(array.tolist() for array in numbers), chosen.keys.to_pylist(), chosen.table(["seq"]).to_pylist()]
