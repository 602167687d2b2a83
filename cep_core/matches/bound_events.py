"""The events of listed matches, a row for each: what was bound, in which place, with all columns of the event.

Cost: a sort of the log's `seq`, and a search and a take for each event of a match.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from cep_core.arrays import Ints
from cep_core.events.by_seq import BySeq
from cep_core.events.table import in_order
from cep_core.frames import Frame, NamedColumns, arrow_table, read_frame
from cep_core.language.hints import did_you_mean

VARIABLES = b"variables"
"""The key under which the metadata of matches name the columns that hold events."""


def events_of(
    matches: object,
    events: Frame,
    *,
    variables: Sequence[str] | None = None,
    ts: str | None = None,
    type: str | None = None,
    seq: str | None = None,
) -> Frame:
    """The events of each match: `match` (the row of `matches`, from 0), `variable`, `position` (from 1), and the
    event's columns, in the order of matches, variables and positions.

    `matches`: what `cep.match` gave for `events`, or some of its rows; of a compact result, the events that some match
    binds. `variables`: the columns that hold events; an Arrow table and a pandas frame say it themselves. `events`,
    `ts`, `type`, `seq`: as for `match`. Raises ValueError for matches that name events which the log lacks.

    >>> import cep_core as cep
    >>> log = pa.table({"event_type": list("ABB"), "ts": range(3), "x": [7, 8, 9]})
    >>> matches = cep.match("PATTERN SEQ(A a, B+ b[]) WITHIN 9 RETURN max(b[].x) AS most", log)
    >>> cep.events_of(matches.slice(2), log).select(["match", "variable", "position", "x"]).to_pylist()
    [{'match': 0, 'variable': 'a', 'position': 1, 'x': 7}, {'match': 0, 'variable': 'b', 'position': 1, 'x': 9}]
    """
    listed = arrow_table(matches)
    names = variables_of(matches, listed) if variables is None else list(variables)
    for name in names:
        if name not in listed.column_names:
            raise ValueError(f"matches have no column '{name}'; {did_you_mean(name, listed.column_names)}")
    log = read_frame(events, NamedColumns(ts, type, seq), None)
    bound = [bound_by(listed[name], place) for place, name in enumerate(names)]
    match, place, position, seqs = (np.concatenate(column) for column in zip(*bound, strict=True))
    order = np.lexsort((position, place, match))
    rows = in_order(log.events)
    answer = {
        "match": pa.array(match[order]),
        "variable": pa.DictionaryArray.from_arrays(pa.array(place[order]), pa.array(names)).cast(pa.string()),
        "position": pa.array(position[order]),
    }
    bound_rows = rows.take(pa.array(BySeq(rows).rows(seqs[order])))
    answer |= {name: bound_rows[name] for name in bound_rows.column_names if name not in answer}
    return cast(Frame, log.back(pa.table(answer)))


def variables_of(matches: object, listed: pa.Table) -> list[str]:
    """The columns that hold events, as matches say it. Raises ValueError for matches that do not."""
    attributes = getattr(matches, "attrs", None)
    known = attributes.get(VARIABLES.decode()) if isinstance(attributes, dict) else None
    known = known or (listed.schema.metadata or {}).get(VARIABLES, b"").decode()
    if not known:
        may = [field.name for field in listed.schema if _may_hold_events(field)]
        raise ValueError(f"matches of this kind do not say which columns hold events; give those of variables={may}")
    return str(known).split(",")


def _may_hold_events(field: pa.Field) -> bool:
    """Whether a column of matches may be a variable's, or a whole number of RETURN."""
    stored = field.type.value_type if kinds.is_list(field.type) or kinds.is_large_list(field.type) else field.type
    return kinds.is_integer(stored) and field.name not in ("first_ts", "last_ts", "window_start", "window_end")


def bound_by(column: pa.ChunkedArray, place: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Of a variable's column: for each event its match, the variable's place, its position, its `seq`."""
    whole = column.combine_chunks()
    if kinds.is_list(whole.type) or kinds.is_large_list(whole.type):
        counts = whole.value_lengths().fill_null(0).to_numpy().astype(np.int64)
        seqs = whole.flatten().to_numpy()
    else:
        counts = whole.is_valid().to_numpy(zero_copy_only=False).astype(np.int64)
        seqs = whole.drop_null().to_numpy()
    match = np.repeat(np.arange(len(whole)), counts)
    starts = np.cumsum(counts) - counts
    position = np.arange(len(seqs)) - np.repeat(starts, counts) + 1
    return match, np.full(len(seqs), place), position, seqs.astype(np.int64)
