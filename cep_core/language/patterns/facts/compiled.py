"""What all evaluators of pattern queries share: atoms, reach, and refusals that point into the query's text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property

from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import Atom, Reach
from cep_core.language.patterns.facts.atoms import atoms_of
from cep_core.language.patterns.facts.reach import reach_of
from cep_core.language.patterns.facts.reads import reads_of
from cep_core.language.patterns.query import Query


class CompiledQuery:
    """The part of `cep_core.language.evaluator.Evaluator` that follows from the query alone.

    A match needs events, and no pattern counts time-points.
    """

    reads_points = False
    speaks_of_silence = False

    def __init__(self, query: Query) -> None:
        self.query = query

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The event types that the query reads, with the attributes that bind its slicing variables."""
        return atoms_of(self.query)

    @cached_property
    def reach(self) -> Reach:
        """How far back from the moment of certainty a result can depend on events."""
        return reach_of(self.query)

    @property
    def reads(self) -> Mapping[str, tuple[str, ...]]:
        """The attributes of each event type that evaluation looks at."""
        return reads_of(self.query)


@contextmanager
def refusals_in(query: Query) -> Iterator[None]:
    """Adds the query's text to a NotSupportedYet raised inside, so that the error can show its place."""
    try:
        yield
    except NotSupportedYet as refusal:
        message, at, hint = refusal.message, refusal.at, refusal.hint
        raise NotSupportedYet(message, at, text=query.text, path=query.path, hint=hint) from None
