"""The front door of every language: from a text to the engine that evaluates it.

`LANGUAGES` lists the languages; the suffix of a text's path tells which one it is in. A new language needs one entry
here, its engine one in `engines.py`, and then workloads, workers, commands and reports can use it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any

from cep_core.engines import evaluator_of
from cep_core.events.schema import LogSchema, NamedCondition
from cep_core.language.bound_query import MATCHING
from cep_core.language.budget import UNLIMITED
from cep_core.language.errors import NotSupportedYet, Position, QueryError
from cep_core.language.evaluator import Evaluator, Ownership
from cep_core.language.explanation import Explanation
from cep_core.language.first_order.first_order_language import FIRST_ORDER
from cep_core.language.language import Language
from cep_core.language.patterns.facts.compiled import refusals_in
from cep_core.language.patterns.pattern_language import PATTERNS
from cep_core.language.propositional.propositional_language import PROPOSITIONAL
from cep_core.language.settings import DEFAULTS, Settings

UNNAMED = "<query>"
"""The path of a text that does not come from a file."""

LANGUAGES: tuple[Language, ...] = (PATTERNS, FIRST_ORDER, PROPOSITIONAL)
"""The first is the language of texts whose path has no known suffix."""

EVENTS_OF_MATCHES = "_events"
"""The suffix of the table of a listing's events, which no engine fills: it is made of a listing and a log."""


def tables_beside() -> tuple[str, ...]:
    """The suffixes of the further tables that queries may fill, over all languages."""
    return tuple(dict.fromkeys([*(suffix for of in LANGUAGES for suffix in of.beside), EVENTS_OF_MATCHES]))


@dataclass(frozen=True)
class BoundText:
    """A text of any language, bound to a log's schema. Workloads, commands and reports need only this interface."""

    language: Language
    query: Any
    """The bound query. Only its language and its engines read more of it than `BoundQuery` offers."""

    @property
    def text(self) -> str:
        return str(self.query.text)

    @property
    def path(self) -> str:
        return str(self.query.path)

    @property
    def kind(self) -> str:
        """The kind of its results: aggregation, matching or policy."""
        return str(self.query.kind)

    @property
    def head(self) -> Position:
        """The place in the text that decides the kind."""
        head: Position = self.query.head
        return head

    @property
    def warnings(self) -> list[str]:
        """Parts of the query that are valid but may surprise its author."""
        return self.language.warnings(self.query)

    @property
    def order_of_ties(self) -> str:
        """The part of the query that makes the order of events of equal time matter; empty if there is none."""
        return self.language.order_of_ties(self.query)

    @property
    def windows_of_events(self) -> bool:
        """Whether windows are of a number of events: `window_start` and `window_end` are positions, not moments."""
        window = getattr(self.query, "window", None)
        return window is not None and bool(window.events)

    @property
    def conditions(self) -> dict[str, NamedCondition]:
        """The named conditions of the schema that the query uses, by name."""
        return {name: self.query.schema.conditions[name] for name in self.language.conditions(self.query)}

    def evaluator(self, settings: Settings = DEFAULTS) -> Evaluator:
        """The query's evaluator.

        Raises NotSupportedYet, with the place, for a query that no engine can evaluate yet. The last evaluator is kept,
        and whoever asks again with equal settings gets it: it never changes, and planning a question takes a fifth of
        the time in which 1,000 events are asked. A listener to spent work would not be told apart, so it gets its own.
        """
        if settings.budget.tell is not UNLIMITED.tell:
            return evaluator_of(self.query, settings)
        kept = self._kept.get(settings)
        if kept is None:
            kept = evaluator_of(self.query, settings)
            self._kept.clear()
            self._kept[settings] = kept
        return kept

    @cached_property
    def _kept(self) -> dict[Settings, Evaluator]:
        """The last evaluator by its settings."""
        return {}

    def evaluator_by_day(self, settings: Settings = DEFAULTS) -> Evaluator:
        """The evaluator of a workload's query, whose results are told by operating day.

        Raises NotSupportedYet, with the place, also for a query of which nobody can tell the days.
        """
        evaluator = self.evaluator(settings)
        if self.kind == MATCHING and self.windows_of_events:
            from cep_core.matching.plan.match_plan import match_plan

            with refusals_in(self.query):
                match_plan(self.query).check_owned(Ownership(days=(0,)))
        return evaluator

    def explain(self, settings: Settings = DEFAULTS) -> Explanation:
        """How the query is understood and will be evaluated.

        If no engine can evaluate it, the refusal is the algorithm.
        """
        try:
            algorithm = self.evaluator(settings).describe()
        except NotSupportedYet as refusal:
            in_file = refusal.path != UNNAMED
            place = f"(line {refusal.line}, column {refusal.column})"
            algorithm = (str(refusal) if in_file else f"{refusal.message} {place}",)
        return self.language.explain(self.query, algorithm)

    def refuse_unless(self, kind: str, hint: str) -> None:
        """Raise QueryError unless the query is of this kind; `hint` says what accepts its kind."""
        if self.kind != kind:
            message = f"not {_an(kind)} query" if self.kind == MATCHING else f"{_an(self.kind)} query"
            raise QueryError(message, self.head, text=self.text, path=self.path, hint=hint)


def _an(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


@dataclass(frozen=True)
class ParsedText:
    """A parsed text of any language, not yet bound to a log's schema."""

    language: Language
    text: str
    path: str
    written: Any
    """The output of the language's parser."""

    @property
    def mentioned(self) -> LogSchema:
        """The schema that the text assumes: the event types that it reads and the attributes that it names."""
        return self.language.mentioned(self.written)

    @property
    def spans_without_unit(self) -> tuple[str, ...]:
        """The spans of time that are bare numbers, as written: they count the log's unit."""
        return self.language.spans_without_unit(self.written)

    def bind(self, schema: LogSchema, *, whole_log: bool = True, aggregates: Any = None) -> BoundText:
        """The bound text. Raises QueryError (QueryErrors for several) with every mistake that binding can find.

        `whole_log` False refuses what depends on where the log starts: a workload's runs see a part of it.
        `aggregates`: functions of the caller's own by the names that the text calls them by.
        """
        bound = self.language.bind(
            self.written, schema, self.text, self.path, whole_log=whole_log, aggregates=aggregates
        )
        return BoundText(self.language, bound)


def language_of(path: str) -> Language:
    """The language of a text, by the suffix of its path.

    >>> language_of("queries/delays.cep").name, language_of("<query>").name
    ('cep', 'cep')
    """
    suffix = PurePath(path).suffix
    return next((language for language in LANGUAGES if language.suffix == suffix), LANGUAGES[0])


def known_suffixes() -> tuple[str, ...]:
    """The suffixes of the files that some language reads."""
    return tuple(language.suffix for language in LANGUAGES)


def language_named(name: str) -> Language:
    """Raises ValueError for a name that no language has."""
    known = {language.name: language for language in LANGUAGES}
    if name not in known:
        raise ValueError(f"language is {' or '.join(map(repr, known))}, not {name!r}")
    return known[name]


def parse_text(text: str, path: str = UNNAMED, language: Language | None = None) -> ParsedText:
    """A text of a language; None: of the one that its path tells. Raises QueryError."""
    language = language or language_of(path)
    return ParsedText(language, text, path, language.parse(text, path))


def bind_text(text: str, schema: LogSchema, path: str = UNNAMED, *, whole_log: bool = True) -> BoundText:
    """A text, parsed and bound. Raises QueryError (QueryErrors for several)."""
    return parse_text(text, path).bind(schema, whole_log=whole_log)


def compile_query(
    text: str,
    schema: LogSchema,
    *,
    path: str = UNNAMED,
    max_matches: int | None = None,
    exact: bool = False,
    collapsed: bool = False,
    supersets: bool = False,
    whole_log: bool = True,
) -> Evaluator:
    """The evaluator of a text, by the settings that `Settings` explains; `whole_log` as in `ParsedText.bind`.

    Raises QueryError for a wrong text, NotSupportedYet (with its place) for what no engine evaluates so far.
    """
    settings = Settings(max_matches, exact, collapsed, supersets)
    return bind_text(text, schema, path, whole_log=whole_log).evaluator(settings)
