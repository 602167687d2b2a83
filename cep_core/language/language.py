"""What a language brings to the front door (`cep_core.compile`): how its texts are read, and what it says of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from cep_core.events.schema import LogSchema
from cep_core.language.bound_query import BoundQuery
from cep_core.language.explanation import Explanation


class Bind(Protocol):
    """Resolves names and checks types: (parsed text, schema, text, path) -> bound query. Raises QueryError.

    `whole_log` False refuses what depends on where the log starts. `aggregates`: functions of the caller's own by name.
    """

    def __call__(
        self,
        written: Any,
        schema: LogSchema,
        text: str = "",
        path: str = "<query>",
        *,
        whole_log: bool = True,
        aggregates: Any = None,
    ) -> BoundQuery: ...


@dataclass(frozen=True)
class Language:
    """A language that queries are written in. Parsed texts and bound queries are its own: only it looks inside."""

    name: str
    suffix: str
    """Of the files that hold its texts."""
    parse: Callable[[str, str], Any]
    """(text, path) -> parsed text. Raises QueryError."""
    mentioned: Callable[[Any], LogSchema]
    """The schema that a parsed text takes for granted: the types it reads, the attributes it names."""
    bind: Bind
    explain: Callable[[Any, Sequence[str]], Explanation]
    """(bound query, what its engine says of itself) -> how it is understood and will be evaluated."""
    warnings: Callable[[Any], list[str]]
    """What is legal in a bound query and may surprise."""
    order_of_ties: Callable[[Any], str]
    """What of a bound query makes the order of events of equal time matter; empty: nothing does."""
    beside: tuple[str, ...] = ()
    """The suffixes of the tables that may stand beside a result (`cep_core.language.evaluator.ResultTable`)."""
