"""What is found in the text of a log, as places and numbers, and the names of event types that are looked for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.events.logs.reading.value_columns import Bytes
from cep_core.inner_kernels import borrowing

GOOD, FULL, UNEXPECTED, NO_POINT, UNKNOWN, ARITY, STAMP, BACK, COMMAND, ENDS, POINT, TWO_STAMPS = range(12)
"""How a scan ends: at the end of the text, with no room for more, or at a fault."""
_HASH = np.uint64(1099511628211)


class Names(NamedTuple):
    """The event types of a schema. A name is found by its hash; its type by the number of arguments.

    `slots`: hash table of name numbers, -1 for none. `words`, `starts`: all names, one after another. `types`:
    [names, arguments] the event type, -1 for none.
    """

    slots: Ints
    words: Bytes
    starts: Ints
    types: Ints


class Tokens(NamedTuple):
    """What a scan writes.

    `stamps` [points]. `types`, `points`, `firsts` [events]: the event's type, point and first value. `starts`, `ends`
    [values]: places in the text. `complete`, `seen`: a place in the text and the numbers of points, events and values
    before it, up to the last complete point and up to the fault.
    """

    stamps: Ints
    types: Ints
    points: Ints
    firsts: Ints
    starts: Ints
    ends: Ints
    complete: Ints
    seen: Ints


def tokens_for(points: int, events: int, values: int) -> Tokens:
    """Room for so many points, events and values."""
    sizes = (points, events, events, events, values, values, 4, 4)
    return Tokens(*(np.zeros(size, np.int64) if size == 4 else np.empty(size, np.int64) for size in sizes))


def names_of(arities: dict[tuple[str, int], int]) -> Names:
    """The table of (name, number of arguments) to event type."""
    words = list(dict.fromkeys(name for name, _ in arities))
    codes = [word.encode() for word in words]
    types = np.full((max(len(words), 1), max((n for _, n in arities), default=0) + 1), -1, np.int64)
    for (name, arguments), event_type in arities.items():
        types[words.index(name), arguments] = event_type
    slots = np.full(1 << max(2 * len(words), 1).bit_length(), -1, np.int64)
    for number, code in enumerate(codes):
        place = int(_hash(np.frombuffer(code, np.uint8), 0, len(code))) % len(slots)
        while slots[place] >= 0:
            place = (place + 1) % len(slots)
        slots[place] = number
    starts = np.cumsum([0, *(len(code) for code in codes)], dtype=np.int64)
    return Names(slots, np.frombuffer(b"".join(codes), np.uint8), starts, types)


@njit(cache=True, nogil=True)
def _hash(text: Bytes, start: int, end: int) -> np.uint64:
    value = np.uint64(14695981039346656037)
    for i in range(start, end):
        value = (value ^ np.uint64(text[i])) * _HASH
    return value ^ (value >> np.uint64(32))


@borrowing
def name_number(text: Bytes, start: int, end: int, slots: Ints, words: Bytes, starts: Ints) -> int:
    """The number of a name, -1 for none. `slots`, `words`, `starts` are those of `Names`."""
    size = np.uint64(len(slots))
    place = _hash(text, start, end) % size
    while True:
        number = slots[place]
        if number < 0:
            return -1
        first = starts[number]
        if starts[number + 1] - first == end - start:
            i = 0
            while i < end - start and words[first + i] == text[start + i]:
                i += 1
            if i == end - start:
                return number
        place = (place + np.uint64(1)) % size


@borrowing
def set_progress(progress: Ints, place: int, points: int, events: int, values: int) -> None:
    """Writes `complete` or `seen`."""
    progress[0] = place
    progress[1] = points
    progress[2] = events
    progress[3] = values
