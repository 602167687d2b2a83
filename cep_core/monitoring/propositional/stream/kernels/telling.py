"""Verdicts of classes, and points that join a class or leave it (paper 02, figure 3; `add`).

Of the naive mode a class is the list of its members, which are all told when it is decided, the earliest first.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import borrowing, inner
from cep_core.monitoring.propositional.stream.kernels.state import (
    EQUAL,
    FIRST,
    LAST,
    MEMBERS,
    MODE,
    NAIVE,
    OFFSET,
    TS,
    VERDICTS,
    Codes,
    Open,
    Told,
)


@borrowing
def _tell(verdicts: Told, at: Ints, ts: int, offset: int, code: int, equal_ts: int, equal_offset: int) -> None:
    number = at[VERDICTS]
    verdicts.ts[number] = ts
    verdicts.offset[number] = offset
    verdicts.code[number] = code
    verdicts.equal_ts[number] = equal_ts
    verdicts.equal_offset[number] = equal_offset
    at[VERDICTS] = number + 1


@borrowing
def new_point(kept: Open, at: Ints, place: int, ts: int, offset: int) -> None:
    """A point that is not decided, at a place of the table of classes."""
    classes = kept.classes
    classes[place, TS] = ts
    classes[place, OFFSET] = offset
    if at[MODE] == NAIVE:
        member = at[MEMBERS]
        kept.members[member, 0] = offset
        kept.members[member, 1] = -1
        classes[place, FIRST] = member
        classes[place, LAST] = member
        at[MEMBERS] = member + 1


@borrowing
def tell_truth(kept: Open, verdicts: Told, at: Ints, place: int, code: int) -> None:
    """A class is true or false."""
    classes = kept.classes
    ts = classes[place, TS]
    if at[MODE] != NAIVE:
        _tell(verdicts, at, ts, classes[place, OFFSET], code, 0, 0)
        return
    member = classes[place, FIRST]
    while member >= 0:
        _tell(verdicts, at, ts, kept.members[member, 0], code, 0, 0)
        member = kept.members[member, 1]


@borrowing
def tell_equal(kept: Open, verdicts: Told, at: Ints, place: int, earlier: int) -> None:
    """A class is equal to an earlier one, which stands for both from now on."""
    classes = kept.classes
    if at[MODE] != NAIVE:
        offset, equal_offset = classes[place, OFFSET], classes[earlier, OFFSET]
        _tell(verdicts, at, classes[place, TS], offset, EQUAL, classes[earlier, TS], equal_offset)
        return
    kept.members[classes[earlier, LAST], 1] = classes[place, FIRST]
    classes[earlier, LAST] = classes[place, LAST]


@borrowing
def in_order(verdicts: Told, begin: int, end: int) -> None:
    """Puts truths that the naive mode told in one go in order of time. They came class by class, stamps in order."""
    while begin < end:
        stop = begin + 1
        is_sorted = True
        while stop < end and verdicts.ts[stop] == verdicts.ts[begin]:
            is_sorted = is_sorted and verdicts.offset[stop - 1] < verdicts.offset[stop]
            stop += 1
        if not is_sorted:
            _sort(verdicts.offset[begin:stop], verdicts.code[begin:stop])
        begin = stop


@inner
def _sort(offsets: Ints, codes: Codes) -> None:
    """By offset, in place."""
    order = np.argsort(offsets, kind="mergesort")
    sorted_offsets, sorted_codes = offsets[order], codes[order]
    offsets[:] = sorted_offsets
    codes[:] = sorted_codes


@njit(cache=True)
def gather_members(classes: Ints, members: Ints) -> int:
    """Moves the members of these classes to the front of their table, and drops the others; gives their number."""
    before = members.copy()
    number = 0
    for place in range(classes.shape[0]):
        member = classes[place, FIRST]
        classes[place, FIRST] = number
        while member >= 0:
            members[number, 0] = before[member, 0]
            members[number, 1] = number + 1
            member = before[member, 1]
            number += 1
        members[number - 1, 1] = -1
        classes[place, LAST] = number - 1
    return number


@borrowing
def move(kept: Open, place: int, origin: int) -> None:
    """A class takes another's place."""
    for column in range(LAST + 1):
        kept.classes[place, column] = kept.classes[origin, column]
