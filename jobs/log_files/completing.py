"""The events that complete a match, one line for each: time, row of the file, and the attributes in conditions."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from jobs.log_files.matches import LogMatches
from jobs.reports.answers.attributes import mentioned
from jobs.reports.words.values import shown


def completing_lines(matches: LogMatches, rows: pa.Table) -> Iterator[str]:
    """Lines of equal shape for rows of `cep.detect`."""
    query, clock = matches.query, matches.clock
    conditions = mentioned(query)
    attributes: dict[str, list[str]] = {}
    for variable in query.positive:
        keys = [attribute for key in query.key_classes for name, attribute in key.members if name == variable.name]
        attributes.setdefault(variable.event_type, []).extend([*keys, *conditions[variable.name]])
    lines = []
    for row in rows.to_pylist():
        place = matches.row_of(row["last_seq"])
        assert place is not None
        event = matches.event(place)
        named = dict.fromkeys(attributes.get(event["event_type"], ()))
        values = [f"{name} {shown(event[name])}" for name in named if event.get(name) is not None]
        window = [f"window {clock.span(row['window_start'], row['window_end'])}"] if "window_start" in row else []
        details = "; ".join([*window, *([", ".join(values)] if values else [])])
        lines.append((clock.time(row["last_ts"]), f"row {row['last_seq']}", shown(event["event_type"]), details))
    widths = [max(map(len, column)) for column in list(zip(*lines, strict=True))[:3]]
    for line in lines:
        padded = [text.ljust(width) for text, width in zip(line[:3], widths, strict=True)]
        yield "  ".join([*padded, line[3]]).rstrip()
