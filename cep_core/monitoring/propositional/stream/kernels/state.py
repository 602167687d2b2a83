"""The arrays that the streaming kernels work on, and the numbers of their columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cep_core.arrays import Bits, Ints

Codes = npt.NDArray[np.int8]

# ---------------------------------------------------------------- programs

CONSTANT, LEAF, NOT, AND, OR, PREV, NEXT, SINCE, UNTIL = range(9)
"""Kinds of nodes."""
KIND, LEFT, RIGHT, NEAR, FAR = range(5)
"""Columns of a program [nodes, 5], operands before operators. LEFT of a constant is its value, of a leaf its bit.

NEAR and FAR, the bounds of an interval, are words without a sign; no upper bound is 2^64 - 1.
"""

# ---------------------------------------------------------------- diagrams

FALSE, TRUE = 0, 1
"""The two constant diagrams. As codes of verdicts they are the same numbers."""
NODE, BEGAN, HIGH, LOW, CHAIN, SEEN, IMAGE, MET, CLASS = range(9)
"""Columns of the table of diagrams.

A variable is a node of the program as it stands at the next point, and the stamp at which it began. CHAIN: the next
diagram in the same bucket. IMAGE: what the diagram became in pass SEEN. CLASS: the class that had it in pass MET.
"""
SIZE, PASS, NO_ROOM, USED, ENOUGH = range(5)
"""Places in `Diagrams.counts`: the number of diagrams, that of the current pass, whether there was no room, how many
buckets are used, a power of two, and the size from which on diagrams that nobody needs are dropped."""


class Diagrams(NamedTuple):
    """Reduced ordered decision diagrams. Diagrams 0 and 1 are the constants; equal functions have equal numbers."""

    table: Ints
    buckets: Ints
    cache: Ints
    """[size, 4] Three operands of if-then-else and the result."""
    stack: Ints
    """[., 4] Operands of if-then-else that wait for those of a part, and the result of the part where it is true."""
    path: Ints
    """Diagrams that wait for their parts to be rewritten."""
    counts: Ints


# ---------------------------------------------------------------- open points

DIAGRAM, TS, OFFSET, FIRST, LAST = range(5)
"""Columns of classes: an open point that stands for its class, in order of time. FIRST, LAST: ends of its members."""
BEGIN, COUNT, SINCE_TS = range(3)
"""Columns of groups: the classes BEGIN .. BEGIN + COUNT are of stamp SINCE_TS."""


class Open(NamedTuple):
    """Open points, and what past operators over future ones keep."""

    classes: Ints
    members: Ints
    """[., 2] Points of the naive mode, which keeps them all: offset, and the next member of its class or -1."""
    groups: Ints
    """Earlier stamps of a flat program that have open classes."""
    head: Ints
    """[nodes] Of each UNTIL of a flat program the first group that still waits for it."""
    held: Ints
    """[nodes] Of each PREV its operand's diagram at the last point."""
    past_ts: Ints
    """[nodes, .] Of each SINCE the stamps at which its right side may have held."""
    past_diagram: Ints
    """[nodes, .] Under which condition it did, and the left side has held since."""
    past_count: Ints


class Workspace(NamedTuple):
    """What a step works with."""

    diagram: Ints
    """Of each active class its diagram."""
    origin: Ints
    """And its place before the step."""
    value: Ints
    """[nodes] The diagram of each node at the current point."""
    script: Ints
    """[., 3] What the step told: code, place of the class, place of the equal class."""
    touched: Ints
    """The groups that a step has to look at."""


class Told(NamedTuple):
    """Verdicts in the order in which they are told. Codes: FALSE, TRUE, EQUAL."""

    ts: Ints
    offset: Ints
    code: Codes
    equal_ts: Ints
    equal_offset: Ints
    begins: Ints
    """[sub-logs that begin] How many verdicts were told before each of them."""


EQUAL = 2

# ---------------------------------------------------------------- known steps


class Known(NamedTuple):
    """Steps within a stamp that were taken before. Entries of earlier epochs do not count."""

    pool: Ints
    """Lists of diagrams, one after the other: a state is the diagrams of the active classes."""
    states: Ints
    """[., 3] Begin and length of a state's list; whether its last diagram is of a point that is no class yet."""
    buckets: Ints
    """[., 2] Epoch, and state."""
    entries: Ints
    """[., 5] Epoch, state, letter, the place of the step's record in `scripts`, and its form."""
    scripts: Ints
    counts: Ints


STATES, POOLED, SCRIPTED, EPOCH, ENTERED, USED_BUCKETS, FORGOTTEN_AT = range(7)
"""Places in `Known.counts`: numbers of states, of numbers in `pool` and in `scripts`; the epoch; the number of entries;
how many buckets are used, a power of two, and in proportion the other tables; the stamp at which an epoch ended."""


class MonitorState(NamedTuple):
    """All of it. `at`: single numbers; `masks`: which letters leave earlier stamps as they are."""

    program: Ints
    diagrams: Diagrams
    open: Open
    scratch: Workspace
    verdicts: Told
    known: Known
    masks: Bits
    at: Ints


(
    ACTIVE,  # the first active class: of a flat program the classes of the current stamp, else all
    CLASSES,  # number of active classes
    WAITS,  # 1 if the last point is no class yet; it stands behind the active classes
    GROUPS,  # number of groups
    DIRTY,  # number of groups, listed in `touched`, whose classes may have become equal
    NOW,  # stamp of the last point
    PLACE,  # its offset
    STARTED,  # whether the sub-log has a point
    VERDICTS,  # number of verdicts told
    LOGS,  # number of sub-logs that have begun in the block
    SCRIPT,  # length of the script
    MEMBERS,  # number of members
    LIMIT,  # diagrams allowed
    CURRENT,  # number of the state, -1 if it has none
    MODE,
    FLAT,
    QUIET,  # whether the last step left earlier stamps as they were
) = range(17)
"""Places in `MonitorState.at`."""

NAIVE, LOCAL, GLOBAL = range(3)
"""Modes."""
REQUIRED, FORBIDDEN = range(2)
"""Places in `MonitorState.masks`: bits that such a letter must have, and must not have."""
