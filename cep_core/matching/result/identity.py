"""Gives each match an id: a hash of its binding, which is the same in every run and every slice.

Two matches are the same iff every variable is bound to the same events (`docs/semantics.md` 3). So the hash covers
only the variables and the `seq` of their events. It covers neither the window of the match nor its RETURN items.
Cost: linear in the events bound.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import pyarrow as pa

MATCH_ID = "match_id"


def match_ids(matches: pa.Table, variables: Sequence[str]) -> pa.Array:
    """16 hex digits for each row of a matching result; `variables`: its columns that hold bound events.

    >>> rows = pa.table({"a": [1, 1], "b": [[2, 3], [2]], "last_ts": [9, 9]})
    >>> match_ids(rows, ["a", "b"]).to_pylist()
    ['efbd0040190fb087', '0855bfc20eb6cfaa']
    """
    columns = [matches.column(name).to_pylist() for name in variables]
    bindings = zip(*columns, strict=True) if columns else [()] * matches.num_rows
    return pa.array([_digest(dict(zip(variables, bound, strict=True))) for bound in bindings], pa.string())


def _digest(binding: dict[str, object]) -> str:
    text = json.dumps(binding, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
