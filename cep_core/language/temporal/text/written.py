"""A parsed first-order policy, before its names are resolved."""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.language.errors import Position
from cep_core.language.temporal.formulas import Formula


@dataclass(frozen=True)
class WrittenPolicy:
    """`must_hold` and `for_each` come from the first lines, `-- policy: must hold` and `-- for each: x, y`."""

    formula: Formula
    head: Position
    """The place of the formula."""
    must_hold: bool = False
    for_each: tuple[str, ...] = ()
