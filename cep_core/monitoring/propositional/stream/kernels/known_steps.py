"""Steps within a stamp that were taken before are looked up (an automaton that is made while it runs).

What a step does depends on the diagrams of the active classes and on the letter alone, as long as earlier stamps stay
as they are and no time passes; unless the program is flat, also on what PREV and SINCE keep, on the stamp, and in local
mode on which of the classes are of one stamp. Such lists are numbered (`diagram_lists`); a table says of a number and a
letter what is told, which classes are kept, and the next number. While steps are known, diagrams are not written to the
classes.
"""

from __future__ import annotations

from cep_core.arrays import Ints
from cep_core.inner_kernels import borrowing
from cep_core.monitoring.propositional.stream.kernels.state import (
    ACTIVE,
    CLASSES,
    ENTERED,
    EPOCH,
    EQUAL,
    OFFSET,
    PLACE,
    SCRIPT,
    SCRIPTED,
    TS,
    USED_BUCKETS,
    VERDICTS,
    WAITS,
    Known,
    Told,
    Workspace,
)

ANY, TRUTH_AGAIN, EQUAL_AGAIN = range(3)
"""Forms of steps. In the last two the state stays: the current point is told, or the last one as equal to a class."""


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
