"""What the front door (`cep_core.compile`) needs from a language: functions that parse, bind and explain its texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from cep_core.events.schema import LogSchema
from cep_core.language.bound_query import BoundQuery
from cep_core.language.explanation import Explanation


class Bind(Protocol):
    """Resolves names and checks types: (parsed text, schema, text, path) -> bound query. Raises QueryError.

    With `whole_log` False, queries that depend on where the log starts are refused. `aggregates`: the caller's own
    functions by name.
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
    """A query language. Only the language itself and its engines look inside its parsed texts and bound queries."""

    name: str
    suffix: str
    """The suffix of the files that contain its texts."""
    parse: Callable[[str, str], Any]
    """(text, path) -> parsed text. Raises QueryError."""
    mentioned: Callable[[Any], LogSchema]
    """The schema that a parsed text assumes: the event types that it reads and the attributes that it names."""
    bind: Bind
    explain: Callable[[Any, Sequence[str]], Explanation]
    """(bound query, the engine's description of its algorithm) -> how the query is understood and will be evaluated."""
    warnings: Callable[[Any], list[str]]
    """Parts of a bound query that are valid but may surprise its author."""
    spans_without_unit: Callable[[Any], tuple[str, ...]]
    """The spans of time of a parsed text that are bare numbers, as written: they count the log's unit."""
    order_of_ties: Callable[[Any], str] = lambda query: ""
    """The part of a bound query that makes the order of events of equal time matter; empty if there is none."""
    conditions: Callable[[Any], tuple[str, ...]] = lambda query: ()
    """The named conditions of the schema that a bound query uses."""
    settings: tuple[str, ...] = ("max_matches",)
    """The keys that a query may have in `queries` of workload.yaml."""
    beside: tuple[str, ...] = ()
    """The suffixes of the further tables that a query may fill (`cep_core.language.evaluator.ResultTable`)."""
