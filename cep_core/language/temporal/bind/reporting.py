"""Collecting the faults of a policy, so that its author sees all faults of a class at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from cep_core.language.errors import Position, QueryError, QueryErrors

Report = Callable[[str, Position, str], None]
"""Takes a fault: what is wrong, where, and a hint."""


@dataclass
class Faults:
    """The faults found so far in one policy.

    >>> faults = Faults("P(x)", "p.mfotl")
    >>> faults.report("unknown event type 'P'", Position(1, 1), "known: 'Q'")
    >>> print(faults.noted[0])
    p.mfotl:1:1: unknown event type 'P'
        P(x)
        ^ known: 'Q'
    """

    text: str
    path: str
    noted: list[QueryError] = field(default_factory=list)

    def report(self, message: str, at: Position, hint: str = "") -> None:
        """Note a fault, once for each place and message."""
        if not any(fault.at == at and fault.message == message for fault in self.noted):
            self.noted.append(QueryError(message, at, text=self.text, path=self.path, hint=hint))

    def check(self) -> None:
        """Raise what was found: QueryError for one fault, QueryErrors for several."""
        if self.noted:
            raise self.noted[0] if len(self.noted) == 1 else QueryErrors(self.noted)
