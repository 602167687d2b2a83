"""The hash of a row is XXH64, as Spark computes it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cep_core.arrays import read_only
from jobs.raw.reading.kernels.row_hash import hash_rows

P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MASK = (1 << 64) - 1


def turn(x: int, bits: int) -> int:
    return (x << bits | x >> (64 - bits)) & MASK


def xxh64(data: bytes, seed: int) -> int:
    """The specification, step by step."""

    def mix(lane: int, word: int) -> int:
        return turn((lane + word * P2) & MASK, 31) * P1 & MASK

    def word(at: int, size: int) -> int:
        return int.from_bytes(data[at : at + size], "little")

    place = 0
    h = (seed + P5) & MASK
    if len(data) >= 32:
        lanes = [seed + P1 + P2, seed + P2, seed, seed - P1]
        while place + 32 <= len(data):
            lanes = [mix(lane, word(place + 8 * k, 8)) for k, lane in enumerate(lanes)]
            place += 32
        h = sum(turn(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True)) & MASK
        for lane in lanes:
            h = ((h ^ mix(0, lane)) * P1 + P4) & MASK
    h = (h + len(data)) & MASK
    while place + 8 <= len(data):
        h = (turn(h ^ mix(0, word(place, 8)), 27) * P1 + P4) & MASK
        place += 8
    if place + 4 <= len(data):
        h = (turn(h ^ (word(place, 4) * P1 & MASK), 23) * P2 + P3) & MASK
        place += 4
    for byte in data[place:]:
        h = turn(h ^ (byte * P5 & MASK), 11) * P1 & MASK
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32


def hash_of(data: bytes) -> int:
    text = np.frombuffer(b"x" + data, np.uint8)
    begins, ends = np.array([1], np.int32), np.array([1 + len(data)], np.int32)
    return int(hash_rows(text, read_only(begins), read_only(ends))[0])


def test_known_hashes() -> None:
    """Of the specification with seed 0."""
    assert xxh64(b"", 0) == 0xEF46DB3751D8E999
    assert xxh64(b"abc", 0) == 0x44BC2CF5AD770999


@given(st.binary(max_size=100))
def test_every_length(data: bytes) -> None:
    assert hash_of(data) == xxh64(data, 42)
