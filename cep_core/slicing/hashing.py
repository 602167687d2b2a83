"""64-bit keys for values, and seeded hash functions from keys to coordinates, over whole Arrow columns.

Paper 01, section 5.3, draws for every variable a random function with codomain [share]. Here it is MurmurHash3's 64-bit
finaliser of key XOR seed, scaled to the share; the key of a string is its MurmurHash64A. Values are first coerced to
the one type of their variable, so that values which compare equal get the same key. Two different values may share a
key. Their events then go to the same slices, which never changes a result.

Cost: a few passes over the column; strings are hashed once for each distinct value.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.chunks import one_array
from cep_core.events.schema import AttributeType

Keys = npt.NDArray[np.uint64]


def common_type(types: list[pa.DataType]) -> AttributeType:
    """The one type to which values of these Arrow types are coerced before they are compared or hashed.

    >>> common_type([pa.int64(), pa.float64()])
    <AttributeType.FLOAT: 'float'>
    """
    value_types = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in types]
    if value_types and all(pa.types.is_boolean(kind) for kind in value_types):
        return AttributeType.BOOL
    if all(pa.types.is_integer(kind) or pa.types.is_boolean(kind) for kind in value_types):
        return AttributeType.INT
    if all(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind) for kind in value_types
    ):
        return AttributeType.FLOAT
    return AttributeType.STRING


def coerce(values: pa.Array | pa.ChunkedArray, kind: AttributeType) -> pa.Array:
    """`values` as one array of the Arrow type of `kind`; integers become the nearest floats, as in a comparison."""
    array = one_array(values)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    target = ARROW_TYPES[kind]
    return array if array.type == target else array.cast(target, safe=kind is not AttributeType.FLOAT)


def keys_of(values: pa.Array | pa.ChunkedArray, kind: AttributeType) -> tuple[Keys, npt.NDArray[np.bool_]]:
    """64-bit keys of the values, coerced to `kind`, and which of them are not null (the key of a null is 0).

    >>> keys_of(pa.array([1, 2, None]), AttributeType.INT)
    (array([1, 2, 0], dtype=uint64), array([ True,  True, False]))
    """
    array = coerce(values, kind)
    valid = np.ones(len(array), np.bool_) if array.null_count == 0 else np.asarray(array.is_valid())
    if kind is AttributeType.STRING:
        encoded = array.dictionary_encode()
        codes = encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)
        keys = _murmur64(encoded.dictionary)[codes] if len(encoded.dictionary) else np.zeros(len(array), np.uint64)
    elif kind is AttributeType.FLOAT:
        numbers = pc.fill_null(array, 0.0).to_numpy(zero_copy_only=False) + 0.0  # -0.0 equals 0.0
        keys = np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64)
    else:
        whole = array.cast(pa.int64())
        keys = pc.fill_null(whole, 0).to_numpy(zero_copy_only=False).view(np.uint64)
    return (keys if valid.all() else np.where(valid, keys, np.uint64(0))), valid


def coordinates(keys: Keys, seed: int | None, share: int) -> npt.NDArray[np.int64]:
    """The hash function with this seed and codomain 0..share-1. Without a seed: the key modulo the share.

    The modulus is the hash function of the paper's examples; use it with integers only.

    >>> coordinates(np.array([0, 1, 7], np.uint64), None, 4)
    array([0, 1, 3])
    """
    if share == 1:
        return np.zeros(len(keys), np.int64)
    if seed is None:
        return keys.view(np.int64) % share
    mixed = _finalise(keys ^ np.uint64(seed))
    return (((mixed >> np.uint64(32)) * np.uint64(share)) >> np.uint64(32)).view(np.int64)


def seed_of(*parts: object) -> int:
    """A 63-bit seed that depends only on the text of the parts; it is the same on every machine."""
    digest = hashlib.blake2b("\x1f".join(str(part) for part in parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


def _finalise(keys: Keys) -> Keys:
    """MurmurHash3's fmix64."""
    mixed = keys ^ (keys >> np.uint64(33))
    mixed *= np.uint64(0xFF51AFD7ED558CCD)
    mixed ^= mixed >> np.uint64(33)
    mixed *= np.uint64(0xC4CEB9FE1A85EC53)
    mixed ^= mixed >> np.uint64(33)
    return mixed


def _murmur64(strings: pa.StringArray) -> Keys:
    """MurmurHash64A with seed 0 of the UTF-8 bytes of each string; one step takes eight bytes of all strings."""
    factor, shift = np.uint64(0xC6A4A7935BD1E995), np.uint64(47)
    raw = strings.cast(pa.large_binary())
    _, offsets, data = raw.buffers()
    bounds = np.frombuffer(offsets, np.int64)[raw.offset : raw.offset + len(raw) + 1]
    starts, lengths = bounds[:-1], np.diff(bounds)
    padded = (data.to_pybytes() if data is not None else b"") + bytes(8)
    words = np.ndarray((len(padded) - 7,), np.dtype("<u8"), padded, strides=(1,))  # a word begins at every byte
    hashes: Keys = lengths.astype(np.uint64) * factor
    for word in range(int(lengths.max(initial=0)) // 8):
        rows = np.flatnonzero(lengths >= 8 * (word + 1))
        block = words[starts[rows] + 8 * word] * factor
        block ^= block >> shift
        hashes[rows] = (hashes[rows] ^ (block * factor)) * factor
    remainders = lengths % 8
    rows = np.flatnonzero(remainders)
    mask = (np.uint64(1) << (8 * remainders[rows]).astype(np.uint64)) - np.uint64(1)
    hashes[rows] = (hashes[rows] ^ (words[starts[rows] + lengths[rows] - remainders[rows]] & mask)) * factor
    hashes ^= hashes >> shift
    hashes *= factor
    hashes ^= hashes >> shift
    return hashes
