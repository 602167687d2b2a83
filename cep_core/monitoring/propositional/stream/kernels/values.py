"""The value of every node of a program at a point, a diagram over the next point (paper 02, figure 3; `progress`)."""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Bits, Ints
from cep_core.inner_kernels import borrowing
from cep_core.monitoring.propositional.stream.kernels.diagrams import begin_pass, both, either, made, negated
from cep_core.monitoring.propositional.stream.kernels.rewriting import (
    ENDLESS,
    NextPoint,
    distance,
    going_on,
    is_inside,
    rewritten,
)
from cep_core.monitoring.propositional.stream.kernels.state import (
    AND,
    CONSTANT,
    FALSE,
    FAR,
    KIND,
    LEAF,
    LEFT,
    NEAR,
    NEXT,
    NOT,
    OR,
    PREV,
    RIGHT,
    SINCE,
    TRUE,
    UNTIL,
    Diagrams,
    Open,
)


@borrowing
def value_nodes(
    diagrams: Diagrams, program: Ints, value: Ints, kept: Open, letter: Bits, is_first: bool, step: NextPoint
) -> None:
    """Fills `value`. `letter`: the words of the point's leaves; `is_first`: of its sub-log."""
    begin_pass(diagrams)
    none = np.uint64(0)
    for n in range(program.shape[0]):
        kind, left, right = program[n, KIND], program[n, LEFT], program[n, RIGHT]
        result = FALSE
        if kind == LEAF:
            result = TRUE if letter[left >> 6] & (np.uint64(1) << np.uint64(left & 63)) else FALSE
        elif kind == CONSTANT:
            result = left
        elif kind == NOT:
            result = negated(diagrams, value[left])
        elif kind == AND:
            result = both(diagrams, value[left], value[right])
        elif kind == OR:
            result = either(diagrams, value[left], value[right])
        elif kind == NEXT:
            result = FALSE if step.closing else made(diagrams, n, 0, TRUE, FALSE)
        elif kind == UNTIL:
            if value[left] != FALSE:
                result = both(diagrams, value[left], going_on(diagrams, program, n, step.now, none, step))
            if np.uint64(program[n, NEAR]) == none:
                result = either(diagrams, value[right], result)
        elif kind == PREV:
            if not is_first and is_inside(program, n, step.gap):
                result = rewritten(diagrams, program, value, kept.held[n], none, step)
        elif kind == SINCE:
            if is_first:
                kept.past_count[n] = 0
            result = _since(diagrams, program, value, kept, n, step)
        value[n] = result
    for n in range(program.shape[0]):
        if program[n, KIND] == PREV:
            kept.held[n] = value[program[n, LEFT]]


@borrowing
def _since(diagrams: Diagrams, program: Ints, value: Ints, kept: Open, n: int, step: NextPoint) -> int:
    """SINCE over operands that may be open: a diagram for each stamp at which the right side may have held."""
    left, right = value[program[n, LEFT]], value[program[n, RIGHT]]
    ts, diagram = kept.past_ts[n], kept.past_diagram[n]
    near, far = np.uint64(program[n, NEAR]), np.uint64(program[n, FAR])
    none = np.uint64(0)
    count, total = 0, FALSE
    for entry in range(kept.past_count[n]):
        time = step.gap if step.closing else distance(ts[entry], step.now)
        if time > far or left == FALSE:
            continue
        since = both(diagrams, left, rewritten(diagrams, program, value, diagram[entry], none, step))
        if since == FALSE:
            continue
        if time >= near:
            total = either(diagrams, since, total)
            if far == ENDLESS and count:  # all that is old enough counts alike
                count -= 1
                since = either(diagrams, since, diagram[count])
        ts[count] = ts[entry]
        diagram[count] = since
        count += 1
    if right != FALSE:
        if near == none:
            total = either(diagrams, right, total)
        if count and (ts[count - 1] == step.now or (near == none and far == ENDLESS)):
            diagram[count - 1] = either(diagrams, right, diagram[count - 1])
        else:
            ts[count] = step.now
            diagram[count] = right
            count += 1
    kept.past_count[n] = count
    return total
