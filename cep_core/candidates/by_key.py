"""Partitions of events that all carry the whole key, as nearly all queries have them: two passes over codes.

The first pass numbers the keys in the order of their first candidates, counts these, and gathers the roles that occur
under each key. A key may have a match only if its roles satisfy the pattern, without order and time. The second pass
puts each candidate where its key's go on. Nothing is hashed or sorted, and no column is taken, if keys are codes or
close integers and most events are candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import numpy as np
import pyarrow as pa
from numba import njit

from cep_core.arrays import Flags, Ints, read_only
from cep_core.candidates.grouping import dense, room
from cep_core.candidates.key_codes import KeyCodes, codes_of, hashed
from cep_core.candidates.marked_rows import Bytes, marked
from cep_core.candidates.roles import Roles
from cep_core.candidates.selection import Selection
from cep_core.candidates.slice_reader import FEW, SliceReader
from cep_core.events.arrow_types import ARROW_TYPES, in_type
from cep_core.language.patterns.tree import Alternative, AnyOf, Conjunction, Kleene, Not, Pattern, Unit
from cep_core.language.patterns.tree import Sequence as Seq

Owns = Callable[[pa.Table], Flags]
Partitioned = tuple[Ints, Ints, pa.Table, Roles]
"""The rows of the candidates by partition, the partitions' offsets, their keys, and the candidates' roles."""


def by_key(pattern: Pattern, selection: Selection, reader: SliceReader, roles: Roles, owns: Owns | None) -> Partitioned:
    """The candidates of each key under which a match may be. `roles`: [n] in one byte, of all events.

    `selection.attributes`: the attribute of each class.
    """
    assert selection.attributes is not None
    (column,) = roles.bytes
    candidates = int(np.count_nonzero(column))
    read: Ints | None = None
    if not reader.is_shared and FEW * candidates < len(column):
        read, column = marked(column)
    keys = [_key(reader, name, read, candidates) for name in selection.attributes]
    codes, low, size, column = _one_code(keys, column)
    number, first, seen, counts = keys_seen(codes, low, size, read_only(column))
    has = {name: seen & np.uint8(1 << bit) != 0 for name, bit in roles.bits.items()}
    kept = np.flatnonzero(may_match(pattern, has) & reduce(np.logical_or, [has[name] for name in selection.positive]))
    table = pa.Table.from_arrays(
        [
            in_type(key.at(first[kept]), ARROW_TYPES[of.type], safe=False)
            for key, of in zip(keys, selection.classes, strict=True)
        ],
        names=[of.name for of in selection.classes],
    )
    if owns is not None:
        owned = np.flatnonzero(owns(table))
        if len(owned) < len(kept):
            kept, table = kept[owned], table.take(pa.array(owned))
    offsets = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(counts[kept], out=offsets[1:])
    partition = np.full(len(first), -1, np.int64)
    partition[kept] = np.arange(len(kept))
    rows, placed = rows_by_key(codes, low, read_only(column), number, partition, offsets)
    return rows if read is None else read[rows], offsets, table, Roles([placed], roles.bits)


def _key(reader: SliceReader, name: str, read: Ints | None, candidates: int) -> KeyCodes:
    """The codes of a key in the rows that are read."""
    if read is None:
        return reader.key_codes(name, candidates)
    stored = reader.column(name).take(pa.array(read))
    return codes_of(stored, candidates) or hashed(stored)


def _one_code(keys: Sequence[KeyCodes], column: Bytes) -> tuple[Ints, int, int, Bytes]:
    """One code for each row's key, the least code, the number of codes; and the roles, none where a part is null."""
    (first, *others) = keys
    if not others:
        return first.codes, first.low, first.size, column
    known = reduce(np.logical_and, [key.codes >= key.low for key in keys])
    if not known.all():
        column = column * known.view(np.uint8)
    codes, size = np.where(known, first.codes - first.low, 0), first.size
    for key in others:
        codes, size = codes * key.size + np.where(known, key.codes - key.low, 0), size * key.size
        if size > room(len(codes)):
            codes, size = dense(codes, size)
    return read_only(codes), 0, size, column


def may_match(pattern: Pattern, has: Mapping[str, Flags]) -> Flags:
    """Whether a key's events could be those of a match. `has[v]` tells which keys have an event for a variable."""
    match pattern:
        case Unit():
            return has[pattern.variable]
        case Seq():
            return reduce(np.logical_and, [may_match(element, has) for element in pattern.elements])
        case Kleene() if pattern.least > 0:
            return may_match(pattern.body, has)
        case Alternative():
            return reduce(np.logical_or, [may_match(option, has) for option in pattern.options])
        case AnyOf():
            return reduce(np.logical_or, [may_match(unit, has) for unit in pattern.units])
        case Conjunction():
            return may_match(pattern.left, has) & may_match(pattern.right, has)
        case Kleene() | Not():
            return np.ones(len(next(iter(has.values()))), np.bool_)


@njit(cache=True)
def keys_seen(codes: Ints, low: int, size: int, column: Bytes) -> tuple[Ints, Ints, Bytes, Ints]:
    """The keys of candidates, numbered in order of first occurrence: [size] the number of each code, or -1.

    Then for each key: its first row, the roles that occur under it, and how many candidates it has. A row is a
    candidate if its byte is not 0 and its code is not less than `low`. `codes` and `column` are read-only.
    """
    # Rows that are no candidates are counted under a code of their own: which rows these are, no processor foresees.
    counts, seen = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.uint8)
    counts[size] = 1
    most = min(size, codes.shape[0])
    first, code_of = np.empty(most, np.int64), np.empty(most, np.int64)
    n = 0
    for row in range(codes.shape[0]):
        code, role = codes[row] - low, column[row]
        own = np.uint64(size if (role == 0) | (code < 0) else code)
        if counts[own] == 0:
            first[n], code_of[n] = row, code
            n += 1
        counts[own] += 1
        seen[own] |= role
    number, seen_by_key, counts_by_key = np.full(size, -1, np.int64), np.empty(n, np.uint8), np.empty(n, np.int64)
    for key in range(n):
        code = code_of[key]
        number[code], seen_by_key[key], counts_by_key[key] = key, seen[code], counts[code]
    return number, first[:n], seen_by_key, counts_by_key


@njit(cache=True)
def rows_by_key(
    codes: Ints, low: int, column: Bytes, number: Ints, partition: Ints, offsets: Ints
) -> tuple[Ints, Bytes]:
    """The candidates' rows by partition, and their roles. `partition`: of each key by its number; -1: none.

    A partition has one key and a key one code, so the place of the next row is kept by code. All other rows have one
    place, after the last candidate, where each takes the place of the one before.
    """
    size, end = number.shape[0], offsets[-1]
    place = np.full(size + 1, end, np.uint64)  # unsigned, as Numba looks whether a place is negative
    for code in range(size):
        if number[code] >= 0 and partition[number[code]] >= 0:
            place[code] = offsets[partition[number[code]]]
    rows, placed = np.empty(end + 1, np.int64), np.empty(end + 1, np.uint8)
    for row in range(codes.shape[0]):
        code, role = codes[row] - low, column[row]
        own = np.uint64(size if (role == 0) | (code < 0) else code)
        at = place[own]
        rows[at] = row << 8 | np.int64(role)  # in one place: two would be two misses of the cache
        place[own] = at + np.uint64(at < np.uint64(end))
    for candidate in range(end):
        placed[candidate] = np.uint8(rows[candidate] & 255)
        rows[candidate] >>= 8
    return rows[:end], placed[:end]
