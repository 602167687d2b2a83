"""Keys and hash functions: equal values of a class share a key, coordinates are even and reproducible."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.events.schema import AttributeType
from cep_core.slicing.hashing import common_type, coordinates, keys_of, seed_of
from cep_core.slicing.reference import coordinate, key_of, murmur64

INT, FLOAT, STRING, BOOL = AttributeType.INT, AttributeType.FLOAT, AttributeType.STRING, AttributeType.BOOL


@given(st.lists(st.text(max_size=40), max_size=6), st.integers(0, 3))
@settings(deadline=None)
def test_string_keys_are_murmurhash64a(texts: list[str], offset: int) -> None:
    """The vectorised hash equals the byte-wise one, also on a slice of an array."""
    keys, valid = keys_of(pa.array(texts, pa.string()).slice(offset), STRING)
    assert keys.tolist() == [murmur64(text.encode()) for text in texts[offset:]]
    assert valid.all()


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=6), st.integers(0, 2**63 - 1), st.integers(1, 1000))
@settings(deadline=None)
def test_coordinates_equal_the_scalar_hash(values: list[int], seed: int, share: int) -> None:
    """Column at a time equals value at a time, with a seed and with the modulus."""
    keys, _ = keys_of(pa.array(values, pa.int64()), INT)
    assert coordinates(keys, seed, share).tolist() == [coordinate(key_of(v, INT), seed, share) for v in values]
    assert coordinates(keys, None, share).tolist() == [value % share for value in values]


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        (pa.array([1, -7]), pa.array([1.0, -7.0]), FLOAT),
        (pa.array([0.0]), pa.array([-0.0]), FLOAT),
        (pa.array([2**53 + 1]), pa.array([2.0**53]), FLOAT),
        (pa.array([float("nan")]), pa.array([-float("nan")]), FLOAT),
        (pa.array([3], pa.int32()), pa.array([3], pa.int64()), INT),
        (pa.array([True, False]), pa.array([1, 0]), INT),
        (pa.array(["JFK"]), pa.array(["JFK"]).dictionary_encode(), STRING),
        (pa.array(["JFK"]), pa.array(["JFK"], pa.large_string()), STRING),
        (pa.array([17]), pa.array(["17"]), STRING),
        (pa.array(["a", "b"]), pa.chunked_array([["a"], ["b"]]), STRING),
    ],
)
def test_equal_values_share_a_key(left: pa.Array, right: pa.Array, kind: AttributeType) -> None:
    """Values are coerced to the type of their class before they are hashed."""
    assert keys_of(left, kind)[0].tolist() == keys_of(right, kind)[0].tolist()


@pytest.mark.parametrize("kind", [INT, FLOAT, STRING])
def test_nulls_have_key_0_and_are_marked(kind: AttributeType) -> None:
    """A null is not a value: it is told apart by the mask."""
    keys, valid = keys_of(pa.array([None, 5, None]), kind)
    assert valid.tolist() == [False, True, False]
    assert keys[[0, 2]].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ([pa.int64(), pa.int32()], INT),
        ([pa.int64(), pa.float64()], FLOAT),
        ([pa.string(), pa.int64()], STRING),
        ([pa.bool_()], BOOL),
        ([pa.bool_(), pa.int64()], INT),
        ([pa.dictionary(pa.int32(), pa.string())], STRING),
    ],
)
def test_common_type(types: list[pa.DataType], expected: AttributeType) -> None:
    """The type of a class is the widest of its members'."""
    assert common_type(types) is expected


@pytest.mark.parametrize("values", [range(40_000), range(0, 40_000 * 4096, 4096)])
@pytest.mark.parametrize("share", [2, 3, 16])
def test_coordinates_are_even_and_independent_between_seeds(values: range, share: int) -> None:
    """S15, S23: every coordinate, and every pair of coordinates of two seeds, is hit about equally often."""
    keys, _ = keys_of(pa.array(values), INT)
    first, second = (coordinates(keys, seed_of("log", name), share) for name in "xy")
    pairs = np.bincount(first * share + second, minlength=share * share) / len(keys)
    assert np.abs(pairs * share * share - 1).max() < 0.35
    assert np.abs(np.bincount(first) / len(keys) * share - 1).max() < 0.1


def test_seeds_depend_on_the_text_alone() -> None:
    """The same text gives the same seed, on every machine and forever; it fits a signed 64-bit column."""
    assert seed_of("flights", "x", 4) == seed_of("flights", "x", 4) != seed_of("flights", "x", 5)
    assert seed_of("flights", "x", 4) == 2113764516989651041
    assert 0 <= seed_of("") < 2**63
