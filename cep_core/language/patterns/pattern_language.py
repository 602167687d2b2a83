"""Pattern queries as a language of the front door."""

from __future__ import annotations

from cep_core.language.language import Language
from cep_core.language.patterns.bind.binding import bind_written
from cep_core.language.patterns.bind.inference import schema_mentioned_by
from cep_core.language.patterns.explain.explaining import explain_query, warnings_of
from cep_core.language.patterns.query import Query, Strategy
from cep_core.language.patterns.text.parsing import parse
from cep_core.language.patterns.text.printing import spans_without_unit


def order_of_ties(query: Query) -> str:
    """The selection strategy, if events of equal time follow each other under it; else empty.

    >>> from cep_core.language.patterns.bind.inference import schema_mentioned_by
    >>> written = parse("PATTERN SEQ(A a, B b) WHERE skip_till_next_match WITHIN 5", "<query>")
    >>> order_of_ties(bind_written(written, schema_mentioned_by(written)))
    'skip_till_next_match'
    """
    return "" if query.strategy is Strategy.ANY else query.strategy.value


PATTERNS = Language(
    "cep",
    ".cep",
    parse,
    schema_mentioned_by,
    bind_written,
    explain_query,
    warnings_of,
    spans_without_unit,
    order_of_ties,
    settings=("max_matches", "exact_counts", "shedding"),
    beside=("_compact",),
)
