"""Diagrams over the next point become diagrams over the point after it (paper 02, figure 3; `subst`, `progress`).

A diagram's variables are NEXT and UNTIL as they stand at the next point. Two things are learnt one after the other: the
next point's stamp, which ends what waited too long, then its letter. Skewed subformulas exist as variables with the
stamp at which they began, so only those of open stamps do; one of an UNTIL without upper bound that has waited for its
lower bound forgets its stamp. A flat program writes stamp 0, since a class's variables begin at its own stamp.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cep_core.arrays import Ints
from cep_core.inner_kernels import borrowing
from cep_core.monitoring.propositional.stream.kernels.diagrams import both, either, if_then_else, made
from cep_core.monitoring.propositional.stream.kernels.state import (
    BEGAN,
    FALSE,
    FAR,
    HIGH,
    IMAGE,
    KIND,
    LEFT,
    LOW,
    NEAR,
    NEXT,
    NODE,
    PASS,
    RIGHT,
    SEEN,
    TRUE,
    Diagrams,
)

ENDLESS = np.uint64(2**64 - 1)
_UNCHANGED = -1


class NextPoint(NamedTuple):
    """What is known of the next point. `letter_too`: not only its stamp `now`, but the value of every node there.

    `gap`: the time to it from the last point. `is_flat`: of the program. `closing`: it is the end of a closed log.
    """

    now: int
    gap: np.uint64
    letter_too: bool
    is_flat: bool
    closing: bool


@borrowing
def distance(earlier: int, later: int) -> np.uint64:
    """The time from a stamp to another, as a word without a sign."""
    return np.uint64(later) - np.uint64(earlier)


@borrowing
def is_inside(program: Ints, node: int, time: np.uint64) -> bool:
    """Whether a time is in a node's interval."""
    return bool(np.uint64(program[node, NEAR]) <= time <= np.uint64(program[node, FAR]))


@borrowing
def going_on(diagrams: Diagrams, program: Ints, node: int, began: int, waited: np.uint64, step: NextPoint) -> int:
    """The variable of an UNTIL that goes on after the current point."""
    if step.closing:
        return FALSE
    if np.uint64(program[node, FAR]) == ENDLESS and waited >= np.uint64(program[node, NEAR]):
        return made(diagrams, program.shape[0] + node, 0, TRUE, FALSE)
    return made(diagrams, node, 0 if step.is_flat else began, TRUE, FALSE)


@borrowing
def _becomes(
    diagrams: Diagrams, program: Ints, value: Ints, node: int, began: int, waited: np.uint64, step: NextPoint
) -> int:
    """What is known of a variable after a step."""
    if program[node, KIND] == NEXT:
        if not is_inside(program, node, step.gap):
            return FALSE
        return value[program[node, LEFT]] if step.letter_too else _UNCHANGED
    if waited > np.uint64(program[node, FAR]):
        return FALSE
    if not step.letter_too:
        return _UNCHANGED
    left, right = value[program[node, LEFT]], value[program[node, RIGHT]]
    rest = FALSE
    if left != FALSE:
        rest = both(diagrams, left, going_on(diagrams, program, node, began, waited, step))
    return either(diagrams, right, rest) if waited >= np.uint64(program[node, NEAR]) else rest


@borrowing
def rewritten(diagrams: Diagrams, program: Ints, value: Ints, f: int, waited: np.uint64, step: NextPoint) -> int:
    """A diagram after a step; kept until the next pass begins. `waited`: of a flat program, since the class's stamp.

    Parts first, without recursion.
    """
    table, path, number = diagrams.table, diagrams.path, diagrams.counts[PASS]
    if f <= TRUE:
        return f
    path[0] = f
    depth = 1
    while depth:
        d = path[depth - 1]
        high, low = table[d, HIGH], table[d, LOW]
        if table[d, SEEN] == number:
            depth -= 1
        elif high > TRUE and table[high, SEEN] != number:
            path[depth] = high
            depth += 1
        elif low > TRUE and table[low, SEEN] != number:
            path[depth] = low
            depth += 1
        else:
            high = high if high <= TRUE else table[high, IMAGE]
            low = low if low <= TRUE else table[low, IMAGE]
            image = _rewritten_root(diagrams, program, value, d, high, low, waited, step)
            table[d, SEEN] = number
            table[d, IMAGE] = image
            depth -= 1
    return table[f, IMAGE]


@borrowing
def _rewritten_root(
    diagrams: Diagrams, program: Ints, value: Ints, d: int, high: int, low: int, waited: np.uint64, step: NextPoint
) -> int:
    """A diagram whose parts are rewritten."""
    table = diagrams.table
    node, began = table[d, NODE], table[d, BEGAN]
    if node >= program.shape[0]:  # an UNTIL that has forgotten its stamp
        time = np.uint64(program[node - program.shape[0], NEAR])
        becomes = _becomes(diagrams, program, value, node - program.shape[0], began, time, step)
    else:
        time = step.gap if step.closing else waited if step.is_flat else distance(began, step.now)
        becomes = _becomes(diagrams, program, value, node, began, time, step)
    if becomes == _UNCHANGED:
        return made(diagrams, node, began, high, low)
    return if_then_else(diagrams, becomes, high, low)
