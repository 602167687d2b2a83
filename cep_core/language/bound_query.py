"""What a bound query of any language provides: its kind, its log's schema, and the place of its head.

Only the engines read more of it: the parsed form, which differs from language to language.
"""

from __future__ import annotations

from typing import Protocol

from cep_core.events.schema import LogSchema
from cep_core.language.errors import Position

AGGREGATION = "aggregation"
"""The kind of queries that aggregate over all trends of a window."""
MATCHING = "matching"
"""The kind of queries that list matches."""
POLICY = "policy"
"""The kind of policies, whose results are their violations."""


class BoundQuery(Protocol):
    """A parsed text with its names resolved and its types checked against a log's schema."""

    @property
    def text(self) -> str:
        """The query as written."""

    @property
    def path(self) -> str:
        """The file of the query, as errors name it."""

    @property
    def schema(self) -> LogSchema:
        """The schema of the log that the query reads."""

    @property
    def kind(self) -> str:
        """The kind of its results, which decides the engine, the reports and the commands."""

    @property
    def head(self) -> Position:
        """The place in the text that decides the kind; an error about the kind points to it."""
