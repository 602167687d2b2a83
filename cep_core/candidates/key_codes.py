"""Codes of the values of keys. Texts that the table holds as codes, and integers close together, are only counted."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints, read_only
from cep_core.candidates.grouping import FEW, SPARSE, first_codes
from cep_core.language.patterns.values.exact_order import equal_codes
from cep_core.language.patterns.values.expressions import plain


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
    if len(columns) == 1:
        stored = columns[0]
        if pa.types.is_dictionary(stored.type) and _is_plain(stored.dictionary, len(stored)):
            codes, rows = first_codes(_places(stored.indices), 0, len(stored.dictionary))
            return [codes], stored.dictionary.take(stored.indices.take(pa.array(rows)))
        if pa.types.is_integer(stored.type) and len(stored) > stored.null_count:
            ends = pc.min_max(stored)
            low, size = ends["min"].as_py(), ends["max"].as_py() - ends["min"].as_py() + 1
            if size <= _room(len(stored)) and low > -(2**63) and low + size <= 2**63:
                whole = stored.cast(pa.int64()).fill_null(low - 1)
                codes, rows = first_codes(read_only(whole.to_numpy(zero_copy_only=False)), low, size)
                return [codes], whole.take(pa.array(rows))
    return equal_codes([plain(stored) for stored in columns])


def _room(rows: int) -> int:
    return max(FEW, SPARSE * rows)


def _is_plain(dictionary: pa.Array, rows: int) -> bool:
    """Whether each place in a dictionary of texts stands for another text, and there are not too many to see."""
    if len(dictionary) > _room(rows) or dictionary.null_count:
        return False
    return pc.count_distinct(dictionary).as_py() == len(dictionary)


def _places(indices: pa.Array) -> Ints:
    """Places in a dictionary as int64, -1 for null."""
    whole = indices.cast(pa.int64())
    return read_only((whole.fill_null(-1) if whole.null_count else whole).to_numpy(zero_copy_only=False))
