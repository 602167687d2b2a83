"""Codes of the values of keys. Texts that the table holds as codes, and integers close together, are only counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints, read_only
from cep_core.candidates.grouping import first_codes, room
from cep_core.events.chunks import taken
from cep_core.language.patterns.values.exact_order import equal_codes
from cep_core.language.patterns.values.expressions import plain

FEW = 64
"""Texts that Python compares in less time than a call of Arrow takes."""


class KeyCodes(NamedTuple):
    """[n] the values of a key as small integers: equal ones for equal values."""

    codes: Ints
    """[n] `low` or more; less: null. Read-only."""
    low: int
    size: int
    """One more than the largest code, without `low`."""
    stored: pa.Array
    """[n] the values."""
    by_code: pa.Array | None = None
    """The value of each code, if values were hashed: the form in which it is compared."""

    def at(self, rows: Ints) -> pa.Array:
        """The values at these rows, as they are compared; no key is null there."""
        if self.by_code is not None:
            return taken(self.by_code, self.codes[rows])
        return plain(taken(self.stored, rows))


def codes_of(stored: pa.Array, rows: int) -> KeyCodes | None:
    """The codes of a column that need no hashing, for about so many rows: places in a dictionary, close integers."""
    if pa.types.is_dictionary(stored.type):
        if not _is_plain(stored.dictionary, rows):
            return None
        return KeyCodes(_places(stored.indices), 0, len(stored.dictionary), stored)
    if not pa.types.is_integer(stored.type) or len(stored) == stored.null_count:
        return None
    low, high = _ends(stored)
    size = high - low + 1
    if size > room(rows) or low <= -(2**63) or low + size > 2**63:
        return None
    whole = stored.cast(pa.int64())
    known = whole.fill_null(low - 1) if whole.null_count else whole
    return KeyCodes(read_only(known.to_numpy(zero_copy_only=False)), low, size, stored)


def _ends(stored: pa.Array) -> tuple[int, int]:
    """The least number of a column and the greatest."""
    if not stored.null_count:  # NumPy takes a fifth of Arrow's time
        numbers = stored.to_numpy()
        return int(numbers.min()), int(numbers.max())
    ends = pc.min_max(stored)
    return ends["min"].as_py(), ends["max"].as_py()


def hashed(stored: pa.Array) -> KeyCodes:
    """The codes of a column of any kind."""
    (codes,), values = equal_codes([plain(stored)])
    return KeyCodes(read_only(codes), 0, len(values), stored, values)


def key_codes(columns: Sequence[pa.Array]) -> tuple[list[Ints], pa.Array]:
    """Codes from 0 for the values of columns as they are stored, equal for equal values, -1 for null; their values.

    As `equal_codes`: codes are numbers in the order of first occurrence, column after column.

    >>> codes, values = key_codes([pa.array([7, None, 5, 7], pa.int32())])
    >>> codes[0].tolist(), values.to_pylist()
    ([0, -1, 1, 0], [7, 5])
    >>> codes, values = key_codes([pa.array(["b", "a", "b"]).dictionary_encode()])
    >>> codes[0].tolist(), values.to_pylist()
    ([0, 1, 0], ['b', 'a'])
    """
    if len(columns) == 1 and (close := codes_of(columns[0], len(columns[0]))) is not None:
        codes, rows = first_codes(close.codes, close.low, close.size)
        return [codes], close.at(rows)
    return equal_codes([plain(stored) for stored in columns])


def _is_plain(dictionary: pa.Array, rows: int) -> bool:
    """Whether each place in a dictionary of texts stands for another text, and there are not too many to see."""
    if len(dictionary) > room(rows) or dictionary.null_count:
        return False
    if len(dictionary) <= FEW:
        return len(set(dictionary.to_pylist())) == len(dictionary)
    return pc.count_distinct(dictionary).as_py() == len(dictionary)


def _places(indices: pa.Array) -> Ints:
    """Places in a dictionary as int64, -1 for null."""
    if not indices.null_count:
        return read_only(indices.to_numpy(zero_copy_only=False).astype(np.int64, copy=False))
    return read_only(indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False))
