"""A name for each match: a hash of its binding, the same wherever and whenever the match is found.

Two matches are the same iff every variable is bound to the same events (`docs/semantics.md` 3), so variables and `seq`
are all that is hashed: neither the window in which a match is judged nor what the query returns of it.
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
