"""Random aggregation queries: patterns with conditions, keys, groups, items and windows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from hypothesis import assume
from hypothesis import strategies as st

from cep_core.events.schema import Ties
from cep_core.language.errors import NotSupportedYet
from cep_core.language.patterns.bind.binding import bind
from cep_core.testing.choice import chosen
from cep_core.trends.evaluator import TrendEvaluator
from tests.trends.random_logs import NO_EVENTS, schema_of
from tests.trends.written_patterns import CONDITIONS, EXCUSES, MORE, NEGATIONS, NEIGHBOURS, PATTERNS

ITEMS = (
    "COUNT(*)",
    "COUNT(A)",
    "SUM(A.x)",
    "MIN(A.x)",
    "MAX(A.y)",
    "AVG(A.x)",
    "STDDEV(A.x)",
    "SUM(A.y)",
    "AVG(A.y)",
    "MIN(A.ts)",
    "MAX(A.s)",
    "MIN(A.s)",
)


QUARTER = st.integers(0, 3)


@cache
def several(choices: tuple[str, ...], most: int) -> st.SearchStrategy[list[str]]:
    """One or more of the choices, each once."""
    return st.lists(st.sampled_from(choices), min_size=1, max_size=most, unique=True)


@st.composite
def queries(draw: st.DrawFn, patterns: Sequence[str] = PATTERNS + NEGATIONS + EXCUSES + MORE) -> str:
    """The text of an aggregation query."""
    pattern = chosen(draw, patterns)
    conditions = [
        chosen(draw, texts) for name, texts in CONDITIONS.items() if name in pattern and single(pattern, name)
    ]
    conditions = [text for text in conditions if draw(QUARTER) == 0]
    most = 0
    for edge in NEIGHBOURS.get(pattern, ()):
        if draw(st.booleans()):
            compared = draw(several(tuple(edge), 3))
            conditions, most = conditions + compared, max(most, len(compared))
    mandatory = not any(word in pattern for word in ("*", "?", "OR", "{0", "ANY"))
    if mandatory and draw(st.booleans()):
        conditions.append("[k]")
    if not mandatory and single(pattern, "A") and draw(st.booleans()):
        conditions.append("[A.k]")  # does not apply to a trend without an event of A
    group = "GROUP-BY g" if mandatory and draw(st.booleans()) else ""
    if not mandatory and single(pattern, "A") and " AND " not in pattern and draw(st.booleans()):
        group = "GROUP-BY A.g"  # null for a trend without an event of A
    size = draw(st.integers(1, 12))
    slide = chosen(draw, ["", f"SLIDE {draw(st.integers(1, size))}", f"SLIDE {size + 2}"])
    items = draw(several(ITEMS, 4))
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    events = chosen(draw, ["", "", "", " EVENTS"])
    window = f"WITHIN {size}{events}" + (f" {slide}{events}" if slide else "")
    text = f"RETURN {', '.join(items)} PATTERN {pattern} {where} {group} {window}"
    assume(most < 3 or few_alternatives(text))
    return text


def few_alternatives(text: str) -> bool:
    """Whether the conditions on one edge have no more alternatives than an aggregation takes."""
    try:
        TrendEvaluator(bind(text, schema_of(NO_EVENTS, Ties.CONCURRENT)))
    except NotSupportedYet as refusal:
        return "so many alternatives" not in str(refusal)
    return True


def single(pattern: str, name: str) -> bool:
    """Whether the type has exactly one variable in the pattern. Otherwise its name is ambiguous."""
    return pattern.count(name) - (1 if name == "A" and "AND" in pattern else 0) == 1
