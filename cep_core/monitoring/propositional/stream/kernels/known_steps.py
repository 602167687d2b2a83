"""Steps within a stamp that were taken before are looked up (an automaton that is made while it runs).

What a step does depends on the diagrams of the active classes and on the letter alone, as long as earlier stamps stay
as they are and no time passes; unless the program is flat, also on what PREV and SINCE keep, on the stamp, and in local
mode on which of the classes are of one stamp. Such lists are numbered; a table says of a number and a letter what is
told, which classes are kept, and the next number. While steps are known, diagrams are not written to the classes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cep_core.arrays import Ints
from cep_core.inner_kernels import borrowing
from cep_core.monitoring.propositional.stream.kernels.state import (
    ACTIVE,
    CLASSES,
    DIAGRAM,
    ENTERED,
    EPOCH,
    EQUAL,
    FLAT,
    FORGOTTEN_AT,
    KIND,
    LOCAL,
    MODE,
    NOW,
    OFFSET,
    PLACE,
    POOLED,
    PREV,
    SCRIPT,
    SCRIPTED,
    SINCE,
    STATES,
    TS,
    USED_BUCKETS,
    VERDICTS,
    WAITS,
    Known,
    Open,
    Told,
    Workspace,
)

LONGEST = 64
"""Longer lists of diagrams get no number."""
ANY, TRUTH_AGAIN, EQUAL_AGAIN = range(3)
"""Forms of steps. In the last two the state stays: the current point is told, or the last one as equal to a class."""
_LEAST, _MOST = 1 << 9, 1 << 13
"""How many buckets of states are used: at first, and at most. There are twice as many entries."""


def shapes_of_known_steps() -> list[tuple[int, ...]]:
    """The shapes of the tables."""
    return [(8 * _MOST,), (_MOST // 2, 3), (_MOST, 2), (2 * _MOST, 5), (32 * _MOST,)]


def no_known_steps(arrays: Sequence[Ints]) -> Known:
    """Tables without entries, in arrays of zeros."""
    pool, states, buckets, entries, scripts = arrays
    return Known(pool, states, buckets, entries, scripts, np.array([0, 0, 0, 1, 0, _LEAST, 0], np.int64))


@borrowing
def forget(known: Known) -> None:
    """Begins a new epoch."""
    counts = known.counts
    counts[EPOCH] += 1
    counts[STATES] = 0
    counts[POOLED] = 0
    counts[SCRIPTED] = 0
    counts[ENTERED] = 0


@borrowing
def _make_room(known: Known, now: int) -> None:
    """Forgets all if one of the tables is nearly full. If one stamp fills them, four times as much of them is used.

    Lists of diagrams of earlier stamps do not come again, so that tables for those of a stamp are as good as large
    ones, and near to the processor.
    """
    counts = known.counts
    room = counts[USED_BUCKETS]
    if (
        4 * counts[STATES] < room
        and 2 * counts[ENTERED] < 3 * room
        and counts[POOLED] + LONGEST <= 8 * room
        and counts[SCRIPTED] < 31 * room
    ):
        return
    if counts[FORGOTTEN_AT] == now and room < known.buckets.shape[0]:
        counts[USED_BUCKETS] = 4 * room
    counts[FORGOTTEN_AT] = now
    forget(known)


@borrowing
def _listed(program: Ints, kept: Open, at: Ints, into: Ints) -> int:
    """Writes all that later steps depend on; gives its length, -1 if it is too long."""
    length = at[CLASSES] + at[WAITS]
    if length > LONGEST:
        return -1
    for i in range(length):
        into[i] = kept.classes[at[ACTIVE] + i, DIAGRAM]
    for n in range(program.shape[0]):
        if program[n, KIND] == PREV:
            if length + 1 > LONGEST:
                return -1
            into[length] = kept.held[n]
            length += 1
        elif program[n, KIND] == SINCE:
            count = kept.past_count[n]
            if length + 1 + 2 * count > LONGEST:
                return -1
            into[length] = count
            length += 1
            for entry in range(count):
                into[length] = kept.past_ts[n, entry]
                into[length + 1] = kept.past_diagram[n, entry]
                length += 2
    if not at[FLAT]:  # new variables begin at the current stamp
        if length + 2 > LONGEST:
            return -1
        into[length] = at[NOW]
        into[length + 1] = _stamps_end(kept.classes, at) if at[MODE] == LOCAL else 0
        length += 2
    return length


@borrowing
def _stamps_end(classes: Ints, at: Ints) -> np.int64:
    """After which active classes another stamp follows, as bits; the last one is followed by the current stamp.

    Equal classes of one stamp join, and those of two stamps do not.
    """
    ends, last = np.int64(0), at[ACTIVE] + at[CLASSES] + at[WAITS] - 1
    for place in range(at[ACTIVE], last + 1):
        following = at[NOW] if place == last else classes[place + 1, TS]
        ends |= np.int64(classes[place, TS] != following) << np.int64(place - at[ACTIVE])
    return ends


@borrowing
def number_of(program: Ints, kept: Open, at: Ints, known: Known) -> int:
    """The number of the current list of diagrams, a new one if need be; -1 if it is too long."""
    counts, pool, states = known.counts, known.pool, known.states
    _make_room(known, at[NOW])
    begin = counts[POOLED]
    length = _listed(program, kept, at, pool[begin : begin + LONGEST])
    if length < 0:
        return -1
    mixed = at[WAITS]
    for i in range(begin, begin + length):
        mixed = (mixed ^ pool[i]) * 0x9E3779B97F4A7C1
        mixed ^= mixed >> 29
    last_bucket = counts[USED_BUCKETS] - 1
    bucket = mixed & last_bucket
    while known.buckets[bucket, 0] == counts[EPOCH]:
        number = known.buckets[bucket, 1]
        if states[number, 1] == length and states[number, 2] == at[WAITS]:
            place = states[number, 0]
            same = 0
            while same < length and pool[place + same] == pool[begin + same]:
                same += 1
            if same == length:
                return number
        bucket = (bucket + 1) & last_bucket
    number = counts[STATES]
    known.buckets[bucket, 0] = counts[EPOCH]
    known.buckets[bucket, 1] = number
    states[number, 0] = begin
    states[number, 1] = length
    states[number, 2] = at[WAITS]
    counts[STATES] = number + 1
    counts[POOLED] = begin + length
    return number


@borrowing
def restore(program: Ints, kept: Open, at: Ints, known: Known, number: int) -> None:
    """Writes the diagrams of a list to where a step reads them."""
    place = known.states[number, 0]
    for i in range(at[CLASSES] + at[WAITS]):
        kept.classes[at[ACTIVE] + i, DIAGRAM] = known.pool[place]
        place += 1
    for n in range(program.shape[0]):
        if program[n, KIND] == PREV:
            kept.held[n] = known.pool[place]
            place += 1
        elif program[n, KIND] == SINCE:
            kept.past_count[n] = known.pool[place]
            place += 1
            for entry in range(kept.past_count[n]):
                kept.past_ts[n, entry] = known.pool[place]
                kept.past_diagram[n, entry] = known.pool[place + 1]
                place += 2


@borrowing(forceinline=True)
def entry_of(known: Known, number: int, letter: int) -> int:
    """The place of a step's entry, or where it is to be written."""
    entries, epoch, last = known.entries, known.counts[EPOCH], 2 * known.counts[USED_BUCKETS] - 1
    mixed = (letter ^ (number << 32)) * 0x9E3779B97F4A7C1
    place = (mixed >> 40) & last
    while entries[place, 0] == epoch and (entries[place, 1] != number or entries[place, 2] != letter):
        place = (place + 1) & last
    return place


@borrowing
def _form(at: Ints, scratch: Workspace, stays: bool) -> int:
    """Whether the step, taken again and again, does the same to one point after the other."""
    kept = at[CLASSES] + at[WAITS]
    if not stays or at[SCRIPT] != 1:
        return ANY
    code, place = scratch.script[0, 0], scratch.script[0, 1]
    for i in range(at[CLASSES]):
        if scratch.origin[i] != i:
            return ANY
    if not at[WAITS] and code != EQUAL and place == kept:
        return TRUTH_AGAIN
    if at[WAITS] and code == EQUAL and place == kept - 1 and scratch.origin[kept - 1] == kept:
        return EQUAL_AGAIN
    return ANY


@borrowing
def record(known: Known, at: Ints, scratch: Workspace, number: int, letter: int, following: int) -> None:
    """Keeps the step that was just taken. A quarter of the entries stays free, so that looking one up ends soon."""
    counts, scripts = known.counts, known.scripts
    lines, kept = at[SCRIPT], at[CLASSES] + at[WAITS]
    begin = counts[SCRIPTED]
    if begin + 4 + 3 * lines + kept > scripts.shape[0] or 2 * counts[ENTERED] >= 3 * counts[USED_BUCKETS]:
        return
    place = entry_of(known, number, letter)
    counts[ENTERED] += known.entries[place, 0] != counts[EPOCH]
    known.entries[place, 0] = counts[EPOCH]
    known.entries[place, 1] = number
    known.entries[place, 2] = letter
    known.entries[place, 3] = begin
    known.entries[place, 4] = _form(at, scratch, number == following)
    scripts[begin] = lines
    scripts[begin + 1] = kept
    scripts[begin + 2] = at[WAITS]
    scripts[begin + 3] = following
    begin += 4
    for i in range(lines):
        for column in range(3):
            scripts[begin] = scratch.script[i, column]
            begin += 1
    for i in range(kept):
        scripts[begin] = scratch.origin[i]
        begin += 1
    counts[SCRIPTED] = begin


@borrowing
def repeat_run(known: Known, classes: Ints, verdicts: Told, at: Ints, entry: int, now: int, points: int) -> None:
    """Takes a known step after which the state stays, once for each of some points."""
    begin, first, verdict, place = known.entries[entry, 3] + 4, at[ACTIVE], at[VERDICTS], at[PLACE]
    code = known.scripts[begin]
    verdicts.ts[verdict : verdict + points] = now
    verdicts.code[verdict : verdict + points] = code
    if code == EQUAL:
        earlier = first + known.scripts[begin + 2]
        verdicts.equal_ts[verdict : verdict + points] = classes[earlier, TS]
        verdicts.equal_offset[verdict : verdict + points] = classes[earlier, OFFSET]
        last = first + known.scripts[begin + 1]
        offset = classes[last, OFFSET]
        classes[last, OFFSET] = place + points
    else:
        offset = place + 1
    for i in range(points):
        verdicts.offset[verdict + i] = offset + i
    at[VERDICTS] = verdict + points
    at[PLACE] = place + points


@borrowing(forceinline=True)
def repeat(known: Known, classes: Ints, verdicts: Told, at: Ints, entry: int, now: int) -> int:
    """Takes a known step; gives the number of the list that follows."""
    scripts, begin = known.scripts, known.entries[entry, 3]
    first = at[ACTIVE]
    current = first + at[CLASSES] + at[WAITS]
    at[PLACE] += 1
    classes[current, TS] = now
    classes[current, OFFSET] = at[PLACE]
    place, verdict = begin + 4, at[VERDICTS]
    for _ in range(scripts[begin]):
        code, member = scripts[place], first + scripts[place + 1]
        verdicts.ts[verdict] = classes[member, TS]
        verdicts.offset[verdict] = classes[member, OFFSET]
        verdicts.code[verdict] = code
        if code == EQUAL:
            earlier = first + scripts[place + 2]
            verdicts.equal_ts[verdict] = classes[earlier, TS]
            verdicts.equal_offset[verdict] = classes[earlier, OFFSET]
        verdict += 1
        place += 3
    at[VERDICTS] = verdict
    for i in range(scripts[begin + 1]):
        origin = scripts[place + i]
        if origin != i:
            classes[first + i, TS] = classes[first + origin, TS]
            classes[first + i, OFFSET] = classes[first + origin, OFFSET]
    at[WAITS] = scripts[begin + 2]
    at[CLASSES] = scripts[begin + 1] - at[WAITS]
    return scripts[begin + 3]
