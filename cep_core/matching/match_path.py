"""A match, or a prefix of one, as a path: in explanations and reference implementations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cep_core.events.by_seq import BySeq
from cep_core.language.patterns.query import Query

Path = tuple[tuple[int, str], ...]
"""(row of the log, variable) steps in time order."""


def path_of(query: Query, by_seq: BySeq, listed: Mapping[str, Any]) -> Path:
    """The path of a listed match, whose variables hold a `seq` or a list of them.

    Raises ValueError for events that the log lacks.
    """
    steps: list[tuple[int, str]] = []
    for variable in query.positive:
        bound = listed[variable.name]
        seqs = [] if bound is None else bound if isinstance(bound, list) else [bound]
        steps += [(int(row), variable.name) for row in by_seq.rows(seqs)]
    return tuple(sorted(steps))
