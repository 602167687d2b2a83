"""Events as a slice holds them: no attribute has a value that the evaluator does not say it looks at."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from cep_core.language.evaluator import Evaluator

OF_THE_LOG = ("event_type", "ts", "seq", "pos", "offset")


def only_read(evaluator: Evaluator, events: pa.Table) -> pa.Table:
    """The events with every other value replaced by null."""
    for place, name in enumerate(events.column_names):
        if name in OF_THE_LOG:
            continue
        carriers = [event_type for event_type, attributes in evaluator.reads.items() if name in attributes]
        carried = pc.is_in(events["event_type"], pa.array(carriers, pa.string()))
        kept = pc.if_else(carried, events[name], pa.scalar(None, events[name].type))
        events = events.set_column(place, events.schema.field(name).with_nullable(True), kept)
    return events
