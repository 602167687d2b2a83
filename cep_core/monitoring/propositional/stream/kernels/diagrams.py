"""Reduced ordered decision diagrams in arrays (Bryant; paper 02, section 5.4): equal functions are one diagram.

Order of variables: outer operators first, then earlier stamps. So the chains that nested operators over many stamps
give share their tails. Making a diagram is a look-up in a hash table; if-then-else is cached. When there is no room,
the count NO_ROOM is set and FALSE is returned: whoever steps must look at it before telling anything.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cep_core.arrays import Ints
from cep_core.inner_kernels import borrowing, inner
from cep_core.monitoring.propositional.stream.kernels.state import (
    BEGAN,
    CHAIN,
    CLASS,
    ENOUGH,
    FALSE,
    HIGH,
    IMAGE,
    LOW,
    NO_ROOM,
    NODE,
    PASS,
    SEEN,
    SIZE,
    TRUE,
    USED,
    Diagrams,
)

_CACHE = 1 << 13
_FEW = 1 << 12
"""So many diagrams, and their buckets, stay near the processor. Fewer are not worth the work of dropping others."""
_OPEN = -1


def diagram_shapes(room: int) -> list[tuple[int, ...]]:
    """The shapes of the arrays for so many diagrams."""
    return [(room, CLASS + 1), (1 << (room - 1).bit_length(),), (_CACHE, 4), (room, 4), (room,)]


def empty_diagrams(arrays: Sequence[Ints]) -> Diagrams:
    """No diagrams but the constants, in arrays of zeros."""
    table, buckets, cache, stack, path = arrays
    table[:2, NODE] = -1
    used = min(4 * _FEW, len(buckets))
    return Diagrams(table, buckets, cache, stack, path, np.array([2, 0, 0, used, _FEW], np.int64))


@borrowing
def _mixed(a: int, b: int, c: int, d: int) -> int:
    mixed = a * 0x9E3779B1 + b * 0x85EBCA6B
    mixed = (mixed ^ (mixed >> 15)) * 0xC2B2AE35 + c * 0x27D4EB2F
    mixed = (mixed ^ (mixed >> 13)) * 0x165667B1 + d * 0x2545F491
    return (mixed ^ (mixed >> 16)) & 0x7FFFFFFF


@borrowing
def made(diagrams: Diagrams, node: int, began: int, high: int, low: int) -> int:
    """The diagram: if the variable holds then `high` else `low`."""
    if high == low:
        return high
    table = diagrams.table
    bucket = _mixed(node, began, high, low) & (diagrams.counts[USED] - 1)
    d = diagrams.buckets[bucket]
    while d:
        if table[d, HIGH] == high and table[d, LOW] == low and table[d, NODE] == node and table[d, BEGAN] == began:
            return d
        d = table[d, CHAIN]
    d = diagrams.counts[SIZE]
    if d == table.shape[0]:
        diagrams.counts[NO_ROOM] = 1
        return FALSE
    diagrams.counts[SIZE] = d + 1
    table[d, NODE] = node
    table[d, BEGAN] = began
    table[d, HIGH] = high
    table[d, LOW] = low
    table[d, CHAIN] = diagrams.buckets[bucket]
    diagrams.buckets[bucket] = d
    return d


@borrowing
def _first(table: Ints, a: int, b: int) -> int:
    """Of two diagrams the one whose variable comes first."""
    if a <= TRUE:
        return b
    if b <= TRUE:
        return a
    if table[a, NODE] != table[b, NODE]:
        return a if table[a, NODE] > table[b, NODE] else b
    return a if table[a, BEGAN] <= table[b, BEGAN] else b


@borrowing
def _place(diagrams: Diagrams, f: int, g: int, h: int) -> int:
    return _mixed(f, g, h, 1) & (diagrams.cache.shape[0] - 1)


@borrowing
def _plain(diagrams: Diagrams, f: int, g: int, h: int) -> int:
    """If-then-else where it needs no work, else _OPEN."""
    if f == TRUE:
        return g
    if f == FALSE:
        return h
    if g == h:
        return g
    if g == TRUE and h == FALSE:
        return f
    cache, place = diagrams.cache, _place(diagrams, f, g, h)
    if cache[place, 0] == f and cache[place, 1] == g and cache[place, 2] == h:
        return cache[place, 3]
    return _OPEN


@borrowing
def _part(table: Ints, f: int, top: int, side: int) -> int:
    """What is left of a diagram where the variable of `top` is true (side HIGH) or false (LOW)."""
    if table[f, NODE] == table[top, NODE] and table[f, BEGAN] == table[top, BEGAN]:
        return table[f, side]
    return f


@borrowing
def if_then_else(diagrams: Diagrams, f: int, g: int, h: int) -> int:
    """The diagram that is `g` where `f` holds and `h` elsewhere. Depth first, without recursion."""
    table, stack, cache = diagrams.table, diagrams.stack, diagrams.cache
    depth = 0
    while True:
        result = _plain(diagrams, f, g, h)
        if result == _OPEN:
            if depth == stack.shape[0]:
                diagrams.counts[NO_ROOM] = 1
                return FALSE
            stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = f, g, h, _OPEN
            depth += 1
            top = _first(table, f, _first(table, g, h))
            f, g, h = _part(table, f, top, HIGH), _part(table, g, top, HIGH), _part(table, h, top, HIGH)
            continue
        while True:
            if depth == 0:
                return result
            f, g, h, high = stack[depth - 1, 0], stack[depth - 1, 1], stack[depth - 1, 2], stack[depth - 1, 3]
            top = _first(table, f, _first(table, g, h))
            if high == _OPEN:
                stack[depth - 1, 3] = result
                f, g, h = _part(table, f, top, LOW), _part(table, g, top, LOW), _part(table, h, top, LOW)
                break
            result = made(diagrams, table[top, NODE], table[top, BEGAN], high, result)
            if diagrams.counts[NO_ROOM]:
                return FALSE
            place = _place(diagrams, f, g, h)
            cache[place, 0], cache[place, 1], cache[place, 2], cache[place, 3] = f, g, h, result
            depth -= 1


@borrowing
def both(diagrams: Diagrams, f: int, g: int) -> int:
    return if_then_else(diagrams, f, g, FALSE)


@borrowing
def either(diagrams: Diagrams, f: int, g: int) -> int:
    return if_then_else(diagrams, f, TRUE, g)


@borrowing
def negated(diagrams: Diagrams, f: int) -> int:
    return if_then_else(diagrams, f, FALSE, TRUE)


@borrowing
def begin_pass(diagrams: Diagrams) -> int:
    """Forgets what diagrams became, and which class had them."""
    diagrams.counts[PASS] += 1
    return diagrams.counts[PASS]


@inner
def keep_only(diagrams: Diagrams, roots: Ints) -> int:
    """Drops the diagrams that no root uses and renumbers the rest; IMAGE is the new number. Gives how many are left.

    The next time is when there are four times as many. Cost: O(diagrams), so amortised O(1) for each that is made.
    """
    size = diagrams.counts[SIZE]
    table = diagrams.table
    live = np.zeros(size, np.bool_)
    for root in roots:
        live[root] = True
    for d in range(size - 1, TRUE, -1):  # a diagram's parts have smaller numbers
        if live[d]:
            live[table[d, HIGH]] = True
            live[table[d, LOW]] = True
    number = int(np.count_nonzero(live))
    diagrams.buckets[: diagrams.counts[USED]] = 0
    diagrams.cache[:] = 0
    diagrams.counts[SIZE] = 2
    diagrams.counts[ENOUGH] = max(4 * number, _FEW)
    diagrams.counts[USED] = 1
    while diagrams.counts[USED] < min(4 * diagrams.counts[ENOUGH], diagrams.buckets.shape[0]):
        diagrams.counts[USED] *= 2
    image = np.zeros(size, np.int64)
    image[TRUE] = TRUE
    for d in range(2, size):
        if live[d]:
            high, low = image[table[d, HIGH]], image[table[d, LOW]]
            image[d] = made(diagrams, table[d, NODE], table[d, BEGAN], high, low)
    table[:size, SEEN : CLASS + 1] = 0
    table[:size, IMAGE] = image
    return diagrams.counts[SIZE]
