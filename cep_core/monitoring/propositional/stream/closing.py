"""The points of a trace as the monitor takes them: sub-logs one after the other, each with an end if the log is closed.

The end of a closed log is an empty point later than any interval reaches; it gets no verdict (`docs/semantics.md` 5).
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Ints, distinct
from cep_core.monitoring.propositional.arrays.trace import Bits as Column
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.stream.kernels.points import FIRST_POINT, LAST_POINT
from cep_core.monitoring.propositional.stream.kernels.state import Codes


def with_ends(trace: Trace, *, closed: bool) -> tuple[Ints, dict[str, Column], Codes]:
    """Stamps, atoms and flags of all points, those of ends included. Sub-logs without points have no end.

    >>> trace = Trace(np.array([4, 4, 1]), {"a": np.array([True, False, True])}, np.array([0, 2, 3]))
    >>> stamps, atoms, flags = with_ends(trace, closed=True)
    >>> stamps.tolist(), atoms["a"].tolist(), flags.tolist()
    ([4, 4, 4, 1, 1], [True, False, False, True, False], [1, 0, 2, 1, 2])
    """
    starts = distinct(trace.starts[:-1][np.diff(trace.starts) > 0])
    flags = np.zeros(trace.points, np.int8)
    flags[starts] = FIRST_POINT
    if not closed:
        return trace.stamps, trace.atoms, flags
    ends = np.append(starts[1:], trace.points) if len(starts) else starts
    stamps = np.insert(trace.stamps, ends, trace.stamps[ends - 1])
    atoms = {name: np.insert(column, ends, False) for name, column in trace.atoms.items()}
    return stamps, atoms, np.insert(flags, ends, LAST_POINT)
