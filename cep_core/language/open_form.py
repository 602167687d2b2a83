"""A query before its results are projected, for slicing by variables that its results do not have.

A slice may be cut by the value of a variable that the query hides by EXISTS; then several slices may find one result.
They give pieces of results, with the values by which the pieces belong together, and these are gathered into what one
slice would have given (`docs/semantics.md` 6).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from cep_core.language.evaluator import Atom


@dataclass(frozen=True)
class OpenForm:
    """A query before its results are projected: it may be sliced by variables that its results do not have.

    An evaluator with an attribute `opened` that is not None also evaluates this form, where `Ownership.variables` name
    some of the `hidden` variables. `evaluate` then gives pieces, batches marked `PIECES` with columns for the `visible`
    variables: several slices may report one result. Pieces with equal visible values are brought together, and
    `gather` makes of them what `evaluate` makes of the other form. Batches for further tables may come with the pieces;
    they are merged as they are.
    """

    atoms: tuple[Atom, ...]
    reads: Mapping[str, tuple[str, ...]]
    visible: tuple[str, ...]
    hidden: tuple[str, ...]


PIECES = "_pieces"
"""The suffix that marks batches for `gather`."""


class Gather(Protocol):
    """Partial results from pieces with the same visible values of all slices, for the days of one block.

    `points`: as in `Evaluator.evaluate`, of all that these days read.
    """

    def __call__(
        self, pieces: Sequence[pa.RecordBatch], days: tuple[int, ...] | None, points: pa.Table
    ) -> Iterator[pa.RecordBatch]: ...


def opened_by(evaluator: object, variables: Collection[str]) -> OpenForm | None:
    """The other form of a query, if slicing by these variables asks for it."""
    opened: OpenForm | None = getattr(evaluator, "opened", None)
    return opened if opened is not None and not set(variables).isdisjoint(opened.hidden) else None
