"""The type of each event as a code, so that the events of a type are found by one comparison of small numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import njit

from cep_core.arrays import Flags, Ints, read_only

SAMPLED, FEWEST_SAMPLED = 64, 1 << 12
"""One event in so many tells how frequent a type is, and at least so many events, or all."""
BLOCK = 1 << 13
"""Codes that stay near the processor from one pass to the next."""


_LAST: list[tuple[pa.Array, tuple[str | None, ...]]] = []


def names_of(dictionary: pa.Array) -> tuple[str | None, ...]:
    """The texts of a dictionary of event types. Those of the last one are kept, as most tables have the same types: to
    compare texts takes a tenth of making them."""
    for known, names in _LAST:
        if known.equals(dictionary):
            return names
    names = tuple(dictionary.to_pylist())
    _LAST[:] = [(pa.array(names, dictionary.type), names)]  # a copy: the table's memory is not kept
    return names


class EventTypes:
    """The types of n events. A column of texts is encoded once; one that is encoded in the table is taken as it is."""

    def __init__(self, values: pa.Array) -> None:
        encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
        places = encoded.indices
        self._lacking = bool(places.null_count)
        if self._lacking:
            places = places.cast(pa.int64()).fill_null(-1)
        self._codes = places.to_numpy(zero_copy_only=False)
        self._names = names_of(encoded.dictionary)
        self._masks: dict[str, Flags] = {}

    @property
    def codes(self) -> Ints:
        """[n] the place of each event's type among `written`."""
        codes = self._codes.astype(np.int64)
        return np.where(codes < 0, len(self._names), codes) if self._lacking else codes

    @property
    def written(self) -> list[str | None]:
        """The types by code: one may stand there twice. The last one is None, for events without a type."""
        return [*self._names, None]

    @property
    def names(self) -> list[str]:
        """The types that may occur, each once."""
        return [name for name in dict.fromkeys(self._names) if name is not None]

    def of(self, name: str) -> Flags:
        """[n] whether the event has the type."""
        if name not in self._masks:
            masks = [self._codes == code for code, written in enumerate(self._names) if written == name]
            first, *others = masks or [np.zeros(len(self._codes), np.bool_)]
            self._masks[name] = reduce(np.logical_or, others, first)  # a dictionary may hold a text twice
        return self._masks[name]

    def about(self, name: str) -> int:
        """About how many events have the type, by a look at some; exactly, of a few thousand events."""
        every = min(max(len(self._codes) // FEWEST_SAMPLED, 1), SAMPLED)
        some = self._codes[::every]
        counts = [np.count_nonzero(some == code) for code, written in enumerate(self._names) if written == name]
        return every * int(sum(counts))

    def bits(self, of_types: Mapping[str, int]) -> npt.NDArray[np.uint8]:
        """[n] the bits of each event's type; 0 for other types.

        >>> EventTypes(pa.array(["A", "C", None, "B"])).bits({"A": 1, "B": 2}).tolist()
        [1, 0, 0, 2]
        """
        codes = self._codes if self._codes.dtype.itemsize in (1, 4) else self._codes.astype(np.int32)
        wanted = [
            (code, of_types[name]) for code, name in enumerate(self._names) if name is not None and name in of_types
        ]
        signed = codes.view(np.int8 if codes.dtype.itemsize == 1 else np.int32)
        of = np.array([code for code, _ in wanted]).astype(signed.dtype)
        return _bits_of_codes(read_only(signed), of, np.array([bits for _, bits in wanted], np.uint8))

    def among(self, names: Collection[str]) -> Flags:
        """[n] whether the event has one of the types.

        >>> EventTypes(pa.array(["A", "C", None, "B"])).among(["A", "B"]).tolist()
        [True, False, False, True]
        """
        is_wanted = np.array([*(written in names for written in self._names), False])  # place -1: no type
        return is_wanted[self._codes]


@njit(cache=True)
def _bits_of_codes(codes: npt.NDArray[Any], wanted: npt.NDArray[Any], bits: npt.NDArray[np.uint8]) -> Any:
    """[n] the bits of each code: a pass for each wanted one, many codes at a time. `codes` is read-only.

    Every row is written: many processors have no store for some rows of many, so code with a branch would go row by
    row there, which takes 65 times as long.
    """
    found = np.zeros(codes.shape[0], np.uint8)
    for begin in range(0, codes.shape[0], BLOCK):
        block, found_there = codes[begin : begin + BLOCK], found[begin : begin + BLOCK]
        for place in range(wanted.shape[0]):
            code, own = wanted[place], bits[place]
            for row in range(block.shape[0]):
                found_there[row] |= own if block[row] == code else np.uint8(0)
    return found
