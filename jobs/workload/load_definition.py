"""What makes a day of events out of files: a hash of it is stored with each loaded day.

It changes with events.sql, the columns and options of the sources, the row rules, the schedule, and the declared time
and event types. It does not change with where files lie, with queries, with the gate, or with titles.
"""

from __future__ import annotations

import hashlib
import json

from jobs.workload.declaration import Workload


def load_definition(workload: Workload) -> str:
    """16 hex digits over everything that decides which events a file's rows become."""
    sources = [
        [
            name,
            of.format,
            list(of.columns.items()),
            sorted(of.options.items()),
            of.header,
            of.missing,
            of.slack,
            list(of.order),
            *([of.time] if of.time else []),  # days that were loaded before sources had it keep their hash
        ]
        for name, of in workload.sources.items()
    ]
    rules = [[rule.name, rule.source, rule.holds, rule.reason] for rule in workload.expectations.rows]
    time = [workload.schedule, workload.time.unit, workload.time.zone, workload.time.ties.value, workload.time.points]
    types = {
        event_type: sorted([of.name, of.type.value, of.nullable] for of in attributes.values())
        for event_type, attributes in workload.schema.types.items()
    }
    defined = [workload.events_sql, sources, rules, time, sorted(types.items())]
    return hashlib.sha256(json.dumps(defined).encode()).hexdigest()[:16]
