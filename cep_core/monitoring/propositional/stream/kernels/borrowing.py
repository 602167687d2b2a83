"""Arrays without counts of their users, so that small functions may pass many of them around.

A compiled function counts the users of every array that it passes on, one atomic addition for each, which would take
most of a step's time. The caller's own arrays stay counted and outlive the call.
"""

from __future__ import annotations

from typing import Any

from numba.extending import intrinsic

from cep_core.inner_kernels import inner
from cep_core.monitoring.propositional.stream.kernels.state import (
    Diagrams,
    Known,
    MonitorState,
    Open,
    Told,
    Workspace,
)


@intrinsic
def _uncounted(typing: Any, array: Any) -> Any:
    """The same array; whoever holds it must not outlive the caller."""

    def generated(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        borrowed = context.make_array(signature.args[0])(context, builder, value=arguments[0])
        borrowed.meminfo = borrowed.meminfo.type(None)
        return borrowed._getvalue()

    return array(array), generated


@inner
def borrowed_state(state: MonitorState) -> MonitorState:
    """The state with arrays that are not counted."""
    diagrams, kept, work, told, known = state.diagrams, state.open, state.scratch, state.told, state.known
    return MonitorState(
        _uncounted(state.program),
        Diagrams(
            _uncounted(diagrams.table),
            _uncounted(diagrams.buckets),
            _uncounted(diagrams.cache),
            _uncounted(diagrams.stack),
            _uncounted(diagrams.path),
            _uncounted(diagrams.counts),
        ),
        Open(
            _uncounted(kept.classes),
            _uncounted(kept.members),
            _uncounted(kept.groups),
            _uncounted(kept.head),
            _uncounted(kept.held),
            _uncounted(kept.past_ts),
            _uncounted(kept.past_diagram),
            _uncounted(kept.past_count),
        ),
        Workspace(
            _uncounted(work.diagram),
            _uncounted(work.origin),
            _uncounted(work.value),
            _uncounted(work.script),
            _uncounted(work.touched),
        ),
        Told(
            _uncounted(told.ts),
            _uncounted(told.offset),
            _uncounted(told.code),
            _uncounted(told.equal_ts),
            _uncounted(told.equal_offset),
            _uncounted(told.begins),
        ),
        Known(
            _uncounted(known.pool),
            _uncounted(known.states),
            _uncounted(known.buckets),
            _uncounted(known.entries),
            _uncounted(known.scripts),
            _uncounted(known.counts),
        ),
        _uncounted(state.masks),
        _uncounted(state.at),
    )
