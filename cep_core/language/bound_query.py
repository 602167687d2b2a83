"""What every bound query tells, whatever its language: its kind, its log's schema, the place of its head.

The engines look further, at what their language made of the text; nobody else does.
"""

from __future__ import annotations

from typing import Protocol

from cep_core.events.schema import LogSchema
from cep_core.language.errors import Position

AGGREGATION = "aggregation"
"""The kind of queries that aggregate over all trends of a window."""
MATCHING = "matching"
"""The kind of queries that list matches."""


class BoundQuery(Protocol):
    """A parsed text with its names resolved and its types checked against a log's schema."""

    @property
    def text(self) -> str:
        """The query as written."""

    @property
    def path(self) -> str:
        """Where it is written, as errors name it."""

    @property
    def schema(self) -> LogSchema:
        """The log that it asks."""

    @property
    def kind(self) -> str:
        """What its results are. Engines, reports and commands are chosen by it."""

    @property
    def head(self) -> Position:
        """The place that makes it of its kind: an error about the kind points there."""
