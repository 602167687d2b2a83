"""The front door of every language: from a text to the engine that evaluates it.

`LANGUAGES` say which language a text is in, by the suffix of its path; `ENGINES` say which engine takes a bound query,
in order. A language or an engine that joins has its entry here, and workloads, workers, commands and reports take it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from cep_core.events.schema import LogSchema
from cep_core.language.bound_query import AGGREGATION, MATCHING, BoundQuery
from cep_core.language.errors import NotSupportedYet, Position, QueryError
from cep_core.language.evaluator import Evaluator
from cep_core.language.explanation import Explanation
from cep_core.language.language import Language
from cep_core.language.patterns.pattern_language import PATTERNS
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import Conjunction
from cep_core.language.settings import DEFAULTS, Settings

UNNAMED = "<query>"
"""The path of a text that is in no file."""

LANGUAGES: tuple[Language, ...] = (PATTERNS,)
"""The first is that of texts whose path has no language's suffix."""


def tables_beside() -> tuple[str, ...]:
    """The suffixes of the tables that may stand beside a result, of whatever language."""
    return tuple(dict.fromkeys(suffix for language in LANGUAGES for suffix in language.beside))


# An engine brings its compiled kernels: only the one that is used is loaded.


def _trends(query: Query, settings: Settings) -> Evaluator:
    from cep_core.trends.evaluator import TrendEvaluator

    return TrendEvaluator(query, exact=settings.exact)


def _possible_pairs(query: Query, settings: Settings) -> Evaluator:
    from cep_core.matching.imprecise.pair_evaluator import PossiblePairs

    return PossiblePairs(query, settings)


def _possible_matches(query: Query, settings: Settings) -> Evaluator:
    from cep_core.matching.imprecise.evaluator import ImpreciseEvaluator

    return ImpreciseEvaluator(query, settings)


def _pairs(query: Query, settings: Settings) -> Evaluator:
    from cep_core.matching.pairs.evaluator import PairEvaluator

    return PairEvaluator(query, settings)


def _matches(query: Query, settings: Settings) -> Evaluator:
    from cep_core.matching.evaluator import MatchEvaluator

    return MatchEvaluator(query, settings)


def _is_and(query: Query) -> bool:
    return isinstance(query.pattern, Conjunction)


@dataclass(frozen=True)
class Engine:
    """An engine, and which bound queries of its kind it takes."""

    kind: str
    evaluator: Callable[[Any, Settings], Evaluator]
    """Raises NotSupportedYet or QueryError, with the place, for what it does not evaluate."""
    takes: Callable[[Any], bool] = lambda query: True


ENGINES: tuple[Engine, ...] = (
    Engine(AGGREGATION, _trends),
    Engine(MATCHING, _possible_pairs, lambda query: query.confidence is not None and _is_and(query)),
    Engine(MATCHING, _possible_matches, lambda query: query.confidence is not None),
    Engine(MATCHING, _pairs, _is_and),
    Engine(MATCHING, _matches),
)
"""The first one that takes a bound query evaluates it."""


def evaluator_of(query: BoundQuery, settings: Settings = DEFAULTS) -> Evaluator:
    """The evaluator of a bound query."""
    for engine in ENGINES:
        if engine.kind == query.kind and engine.takes(query):
            return engine.evaluator(query, settings)
    message = f"no engine evaluates a query of kind '{query.kind}' yet"
    raise NotSupportedYet(message, query.head, text=query.text, path=query.path)


@dataclass(frozen=True)
class BoundText:
    """A text of any language, bound to a log's schema: all that workloads, commands and reports ask of it."""

    language: Language
    query: Any
    """The bound query; what it holds beside what `BoundQuery` tells is known to its language and its engines."""

    @property
    def text(self) -> str:
        return str(self.query.text)

    @property
    def path(self) -> str:
        return str(self.query.path)

    @property
    def kind(self) -> str:
        """What its results are: aggregation, matching."""
        return str(self.query.kind)

    @property
    def head(self) -> Position:
        """The place that makes it of its kind."""
        head: Position = self.query.head
        return head

    @property
    def warnings(self) -> list[str]:
        """What is legal in it and may surprise."""
        return self.language.warnings(self.query)

    @property
    def order_of_ties(self) -> str:
        """What of it makes the order of events of equal time matter; empty: nothing does."""
        return self.language.order_of_ties(self.query)

    def evaluator(self, settings: Settings = DEFAULTS) -> Evaluator:
        """What evaluates it. Raises NotSupportedYet, with its place, for what no engine evaluates so far."""
        return evaluator_of(self.query, settings)

    def explain(self, settings: Settings = DEFAULTS) -> Explanation:
        """How it is understood and will be evaluated; what no engine evaluates yet has the refusal as its algorithm."""
        try:
            algorithm = self.evaluator(settings).describe()
        except NotSupportedYet as refusal:
            in_file = refusal.path != UNNAMED
            place = f"(line {refusal.line}, column {refusal.column})"
            algorithm = (str(refusal) if in_file else f"{refusal.message} {place}",)
        return self.language.explain(self.query, algorithm)

    def refuse_unless(self, kind: str, hint: str) -> None:
        """Raise QueryError unless it is of this kind; `hint` says what takes which kind."""
        if self.kind != kind:
            message = f"not {_an(kind)} query" if self.kind == MATCHING else f"{_an(self.kind)} query"
            raise QueryError(message, self.head, text=self.text, path=self.path, hint=hint)


def _an(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


@dataclass(frozen=True)
class ParsedText:
    """A text of any language without mistakes of spelling, which no log's schema has been held against yet."""

    language: Language
    text: str
    path: str
    written: Any
    """What the language's parser made of it."""

    @property
    def mentioned(self) -> LogSchema:
        """The schema that it takes for granted: the event types it reads, the attributes it names."""
        return self.language.mentioned(self.written)

    def bind(self, schema: LogSchema, *, whole_log: bool = True, aggregates: Any = None) -> BoundText:
        """Raises QueryError (QueryErrors for several) with every mistake that binding can find.

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
