"""What binding resolves, and what it refuses with which hint."""

from __future__ import annotations

import pytest

from cep_core.aggregates.count import COUNT_TRENDS, Count
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.errors import Position, QueryError, QueryErrors
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.bind.inference import schema_mentioned_by
from cep_core.language.patterns.query import Strategy, Window
from cep_core.language.patterns.text.parsing import parse
from cep_core.language.patterns.tree import IsNull, Reference, Which
from tests.language.paper_queries import QUERIES as PAPER
from tests.language.sample_queries import QUERIES, SCHEMA

AT = Position(1, 1)
_TYPES = {"x": AttributeType.INT, "y": AttributeType.FLOAT, "name": AttributeType.STRING, "ok": AttributeType.BOOL}
LOG = LogSchema(
    {event_type: {name: Attribute(name, kind) for name, kind in _TYPES.items()} for event_type in "ABC"}
    | {"Z": {"z": Attribute("z", AttributeType.INT)}}
)


@pytest.mark.parametrize("name", QUERIES)
def test_sample_queries_bind(name: str) -> None:
    """Every pattern query of the sample workload binds against its log."""
    query = bind(QUERIES[name], SCHEMA, f"queries/{name}.cep")
    assert query.aggregation == name.startswith("T")
    assert not query.match_predicates


@pytest.mark.parametrize("number", PAPER)
def test_queries_of_the_papers_bind(number: str) -> None:
    """Every printed query means something over a log that has what it mentions."""
    query = bind(PAPER[number], schema_mentioned_by(parse(PAPER[number])))
    assert query.aggregation == (number in ("1", "2", "3"))


def test_t1_in_full() -> None:
    """The sample workload's first query, resolved."""
    query = bind(QUERIES["T1"], SCHEMA)
    assert query.window == Window(24 * 3600, slide=4 * 3600)
    assert query.group_by == ("carrier",)
    assert {key.name for key in query.key_classes} == {"carrier", "tailnum"}
    assert [item.column for item in query.returns] == [
        "carrier",
        "count",
        "count_D",
        "max_D_delay_min",
        "avg_D_delay_min",
    ]
    assert [item.aggregate for item in query.returns][1:3] == [COUNT_TRENDS, Count()]
    assert [(v.name, v.kleene, v.optional) for v in query.variables] == [("A", True, False), ("D", True, False)]


def _names(pattern: str) -> list[str]:
    return [variable.name for variable in bind(f"PATTERN {pattern} WITHIN 5", LOG).variables]


def test_units_without_a_variable_are_named_by_type() -> None:
    """`A`, then `A_2`; numbering restarts in each branch of OR and AND; AND's second side ends in `_right`."""
    assert _names("SEQ(A, B, A+, A a)") == ["A", "B", "A_2", "a"]
    assert _names("SEQ(A+, B) OR SEQ(A, B+)") == ["A", "B"]
    assert _names("SEQ(A+, B) AND SEQ(A, B+)") == ["A", "B", "A_right", "B_right"]


def test_optional_and_kleene_variables() -> None:
    """A variable that some match lacks is optional; one that may repeat is Kleene."""
    query = bind("PATTERN SEQ(A a, B? b, C* c, A{2} d, NOT Z z, (B e OR C f)) WITHIN 5", LOG)
    flags = {v.name: (v.kleene, v.optional, v.negated) for v in query.variables}
    assert flags == {
        "a": (False, False, False),
        "b": (False, True, False),
        "c": (True, True, False),
        "d": (True, False, False),
        "z": (False, False, True),
        "e": (False, True, False),
        "f": (False, True, False),
    }


def test_type_names_stand_for_their_only_variable() -> None:
    """`Stock.price` of `Stock S+` is S's price; COUNT of a type counts all its variables."""
    query = bind("RETURN COUNT(A), MAX(A.x) PATTERN SEQ(A a, B, A b+) WHERE B.x > 1 WITHIN 5", LOG)
    assert query.returns[0].variables == query.returns[1].variables == ("a", "b")
    assert query.vertex_predicates[0].variable == "B"


def test_conditions_on_a_name_of_both_sides_of_and_hold_on_both() -> None:
    """Each side of AND is judged by the conditions that it has the variables for."""
    query = bind("PATTERN SEQ(A, B b) AND SEQ(A, C c) WHERE A.x > 1 AND c.x > 2 AND b.x = c.x WITHIN 5", LOG)
    assert [p.variable for p in query.vertex_predicates] == ["A", "A_right", "c_right"]


def test_spans_are_counted_in_the_logs_unit() -> None:
    """10 minutes are 600 s, 600000 ms; bare numbers are the log's unit."""
    assert bind("PATTERN A WITHIN 10 minutes", LOG).window.size == 600
    assert bind("PATTERN A WITHIN 10 minutes", LogSchema(LOG.types, unit="ms")).window.size == 600_000
    assert bind("PATTERN A WITHIN 10", LogSchema(LOG.types, unit="tick")).window.size == 10
    assert bind("PATTERN A WITHIN 3 EVENTS", LOG).window == Window(3, events=True)


def test_strategy_defaults_to_any() -> None:
    """Paper 03's queries name none."""
    assert bind("PATTERN A WITHIN 5", LOG).strategy is Strategy.ANY
    assert bind("PATTERN A WHERE STRICT_CONTIGUITY WITHIN 5", LOG).strategy is Strategy.STRICT


def test_columns_are_named_by_what_they_show() -> None:
    """Delta allows no brackets or blanks in names."""
    text = "RETURN avg(b[].y), b[b.len].ts, a.x / 2 AS half, b[1].y, a.(x, name) PATTERN SEQ(A a, B+ b[]) WITHIN 5"
    types = {item.column: item.type for item in bind(text, LOG).returns}
    assert types == {
        "avg_b_y": AttributeType.FLOAT,
        "b_last_ts": AttributeType.INT,
        "half": AttributeType.FLOAT,
        "b_1_y": AttributeType.FLOAT,
        "a_x": AttributeType.INT,
        "a_name": AttributeType.STRING,
    }


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("PATTERN Aa WITHIN 5", "unknown event type 'Aa'", "did you mean 'A'?"),
        ("PATTERN A a WHERE a.nam = 'b' WITHIN 5", "unknown attribute 'nam' of A", "did you mean 'name'?"),
        ("PATTERN SEQ(A one, B two) WHERE onee.x = 1 WITHIN 5", "unknown variable 'onee'", "did you mean 'one'?"),
        ("PATTERN SEQ(A a, B b) WHERE x = 1 WITHIN 5", "'x' of which variable?", "write a.x or b.x"),
        ("PATTERN A a WHERE a.name = IBM WITHIN 5", "unknown attribute 'IBM' of A", ""),
        ("PATTERN SEQ(A a, B b) WHERE a.name = IBM WITHIN 5", "'IBM' of which variable?", "text is quoted: 'IBM'"),
        ("PATTERN A a WHERE a.name < 3 WITHIN 5", "text cannot be compared with a number", ""),
        ("PATTERN A a WHERE a.name + 1 = 3 WITHIN 5", "arithmetic takes numbers, not text", ""),
        ("PATTERN A a WHERE a.ok < TRUE WITHIN 5", "truth values have no order for '<'", "write = or !="),
        ("PATTERN A a WHERE a.x LIKE 'a%' WITHIN 5", "LIKE takes text, not int", ""),
        ("PATTERN A a WHERE a.x WITHIN 5", "a condition is needed, not a number", "compare it"),
        ("PATTERN A a WHERE a.x IN (1, 'b') WITHIN 5", "a number cannot be compared with text", ""),
        ("PATTERN A a WHERE 1 = 2 WITHIN 5", "the condition mentions no event", ""),
        ("PATTERN A a WHERE 0 BETWEEN 3 AND a.x WITHIN 5", "the condition mentions no event", ""),
        ("PATTERN SEQ(A a, B b) WHERE b[i-1].x = 1 WITHIN 5", "b[i-1] needs a variable under a quantifier", "single"),
        ("PATTERN SEQ(A a, B b) WHERE max(b[].x) = 1 WITHIN 5", "an aggregate needs a variable under", "single"),
        ("PATTERN SEQ(A a, B a) WITHIN 5", "variable 'a' is bound twice", "each unit has a variable of its own"),
        ("PATTERN A a OR B a WITHIN 5", "variable 'a' is not the same in every branch", "another name"),
        ("PATTERN NOT A WITHIN 5", "a negation cannot be the whole pattern", "SEQ(A, NOT B)"),
        ("PATTERN (NOT A)+ WITHIN 5", "a negation cannot be the whole pattern", "SEQ(A, NOT B)"),
        ("PATTERN SEQ(NOT A, NOT B) WITHIN 5", "a pattern of negations only", "at least one event"),
        ("PATTERN A OR NOT B WITHIN 5", "NOT stands only as an element of SEQ", "SEQ(A, NOT B, C)"),
        ("PATTERN SEQ(A, NOT (B OR C)) WITHIN 5", "NOT takes an event type or a SEQ", "NOT SEQ(B, C)"),
        ("PATTERN A* WITHIN 5", "the pattern may match nothing", "at least one element"),
        ("PATTERN SEQ(A, B AND C) WITHIN 5", "AND joins whole patterns only", "ANY(A, B)"),
        ("PATTERN A WHERE [w] WITHIN 5", "no event type of the pattern has the attribute 'w'", "known"),
        ("PATTERN A WHERE partition_contiguity WITHIN 5", "partition contiguity needs a partition", "add [x]"),
        ("PATTERN SEQ(A, Z) WHERE partition_contiguity [x] WITHIN 5", "Z lacks the partition attribute 'x'", "ranks"),
        ("PATTERN A GROUP-BY x WITHIN 5", "GROUP-BY without an aggregate", "COUNT(*)"),
        ("RETURN x, COUNT(*) PATTERN A WITHIN 5", "'x' is not grouped", "add GROUP-BY x"),
        ("RETURN a.x + 1, COUNT(*) PATTERN A a WITHIN 5", "an aggregation returns groups and aggregates", "matching"),
        ("RETURN avg(A[].x), COUNT(*) PATTERN A+ WITHIN 5", "an aggregation returns groups and", "matching"),
        ("RETURN COUNT(*), COUNT(*) PATTERN A WITHIN 5", "two columns named 'count'", "AS name"),
        ("RETURN COUNT(*) AS n, COUNT(A) AS n_log10 PATTERN A WITHIN 5", "two columns named 'n_log10'", "AS name"),
        ("RETURN COUNT(*) AS x PATTERN A GROUP-BY x WITHIN 5", "two columns named 'x'", "AS name"),
        ("RETURN x, x AS y, COUNT(*) PATTERN A GROUP-BY x WITHIN 5", "'x' is returned twice", ""),
        ("RETURN COUNT(*) AS certain PATTERN A WITHIN 5", "two columns named 'certain'", "AS name"),
        ("RETURN a.x AS window_end PATTERN A a WITHIN 5 SLIDE 5", "two columns named 'window_end'", "AS name"),
        ("PATTERN SEQ(A first_ts, B b) WITHIN 5", "every result has a column 'first_ts'", "otherwise"),
        ("PATTERN A match_count WITHIN 5", "every result has a column 'match_count'", "otherwise"),
        ("RETURN COUNT(*) PATTERN A WITHIN 4e9 SLIDE 1", "each event would be in 4,000,000,000 windows", "SLIDE"),
        ("RETURN COUNT(Q) PATTERN A WITHIN 5", "unknown variable or event type 'Q'", ""),
        ("RETURN COUNT(B) PATTERN SEQ(A, NOT B) WITHIN 5", "'B' is negated: no trend contains it", ""),
        ("RETURN SUM(A.name) PATTERN A WITHIN 5", "sum over all trends takes numbers, 'name' is string", ""),
        ("RETURN b.x PATTERN SEQ(A a, B+ b[]) WITHIN 5", "'b' is a list of events", "b[last].x"),
        ("RETURN max(b[..i].x) PATTERN SEQ(A a, B+ b[]) WITHIN 5", "a prefix has no meaning in RETURN", "max(b[].x)"),
        ("RETURN NEXT(A).x PATTERN A+ WITHIN 5", "RETURN knows the whole match", "A[last].x"),
        ("PATTERN A WITHIN 5 SLIDE 2 EVENTS", "WITHIN and SLIDE count different things", "both in time"),
        ("PATTERN A WITHIN 1 ms", "the span is not a whole number of 's', the log's unit", ""),
        ("PATTERN A WITHIN 5 AFTER MATCH SKIP PAST LAST EVENT", "AFTER MATCH SKIP needs a strategy", "skip_till_next"),
        ("RETURN COUNT(*) PATTERN A WITHIN 5 AFTER MATCH SKIP TO NEXT EVENT", "AFTER MATCH SKIP belongs to", ""),
        ("PATTERN SEQ(A, NOT B, C) WHERE strict_contiguity WITHIN 5 AFTER MATCH SKIP TO LAST B", "'B' is negated", ""),
        ("RETURN b.x PATTERN SEQ(A, NOT B b, C) WITHIN 5", "'b' is negated: a match has none", ""),
        ("PATTERN A WITHIN 5 ms", "the span is not a whole number of 's', the log's unit", ""),
        ("PATTERN A WITHIN 0.5", "the span is not a whole number", ""),
        ("PATTERN A WITHIN 9000000000000000000 days", "the span does not fit 64 bits", ""),
        ("PATTERN SEQ(A a, A b) WHERE A.x > 1 WITHIN 5", "'A' has several variables", "name one of 'a', 'b'"),
        ("PATTERN SEQ(A a, NOT (NOT B), C) WITHIN 5", "NOT takes an event type", ""),
        ("PATTERN SEQ(A a, NOT SEQ(NOT B), C) WITHIN 5", "a negation of negations only", ""),
        ("PATTERN SEQ(A, B) WHERE A.x > NEXT(A).x WITHIN 5", "'A' never directly follows 'A'", "neighbours"),
        ("PATTERN SEQ(A, C, B) AND SEQ(A, C, C, B) WHERE A.x > NEXT(B).x WITHIN 5", "never directly follows", "neighb"),
        ("PATTERN SEQ(A, NOT B b, NOT C c, A) WHERE b.x = c.x WITHIN 5", "compares two negated elements", ""),
        ("RETURN COUNT(*) PATTERN SEQ(A a, B+ b) WHERE a.x < b.x WITHIN 5", "not a condition on", "matching query"),
        ("RETURN COUNT(*) PATTERN A+ WHERE A[1].x > 5 WITHIN 5", "not a condition on an event", "matching query"),
        ("RETURN COUNT(*) PATTERN A+ WHERE max(A[].x) > 5 WITHIN 5", "not a condition on an event", "matching query"),
    ],
)  # fmt: skip
def test_refusals(text: str, message: str, hint: str) -> None:
    """Each refusal names what was found and, where it can, the way out."""
    with pytest.raises(QueryError) as caught:
        bind(text, LOG)
    errors = caught.value.errors if isinstance(caught.value, QueryErrors) else (caught.value,)
    assert any(message in error.message and hint in error.hint for error in errors), str(caught.value)


def test_all_errors_of_a_query_are_told_together() -> None:
    """Three mistakes, three places, in text order."""
    with pytest.raises(QueryErrors) as caught:
        bind("PATTERN SEQ(A a, Bee b)\nWHERE a.nope > 1\n  AND a.name > 2 WITHIN 5", LOG, "q.cep")
    assert [error.line for error in caught.value.errors] == [1, 2, 3]
    assert str(caught.value).count("q.cep:") == 3


def test_one_mistake_is_told_once() -> None:
    """What is wrong with an unknown event type is its name, not its attributes."""
    with pytest.raises(QueryError) as caught:
        bind("RETURN MAX(Aa.x), COUNT(*) PATTERN Aa a+ WHERE [x] AND a.y > 1 WITHIN 5", LOG)
    assert not isinstance(caught.value, QueryErrors)
    assert caught.value.message == "unknown event type 'Aa'"


def test_the_printed_error_of_the_manual() -> None:
    """`docs/language.md` 4 shows this error."""
    schema = LogSchema({"Position": {"speed": Attribute("speed", AttributeType.FLOAT)}})
    text = "RETURN COUNT(*)\nPATTERN Position P+\nWHERE P.sped > NEXT(P).speed WITHIN 5"
    with pytest.raises(QueryError) as caught:
        bind(text, schema, "queries/jams.cep")
    assert str(caught.value) == (
        "queries/jams.cep:3:9: unknown attribute 'sped' of Position\n"
        "    WHERE P.sped > NEXT(P).speed WITHIN 5\n"
        "            ^^^^ did you mean 'speed'?"
    )


def test_skip_names_a_variable() -> None:
    """TO FIRST and TO LAST take a variable, or a type with one."""
    text = "PATTERN SEQ(A a, B+) WHERE skip_till_next_match WITHIN 5 AFTER MATCH SKIP TO LAST "
    assert bind(text + "B", LOG).skip_variable == "B"
    assert bind(text + "A", LOG).skip_variable == "a"


def test_spans_in_a_log_without_a_time_unit() -> None:
    """Seconds mean nothing where time is counted in ticks."""
    with pytest.raises(QueryError, match="a span in seconds over a log counted in 'tick'"):
        bind("PATTERN A WITHIN 5 seconds", LogSchema(LOG.types, unit="tick"))


def test_an_attribute_that_some_types_lack_is_warned_of() -> None:
    """`[x]` leaves types without x unconstrained, and says so."""
    query = bind("PATTERN SEQ(A, Z) WHERE [x] WITHIN 5", LOG)
    assert "[x] does not constrain Z" in query.warnings[0]


def test_the_lakes_own_columns_are_no_names_in_a_workload() -> None:
    """A notebook may call a column `day`; a table of the lake has one already."""
    text = "RETURN a.x AS day PATTERN SEQ(A a, B run_id) WITHIN 5"
    assert bind(text, LOG).returns[0].column == "day"
    with pytest.raises(QueryErrors) as refused:
        bind(text, LOG, whole_log=False)
    assert [error.column for error in refused.value.errors] == [8, 36]


def test_the_only_variable_of_a_pattern_may_be_asked_for_its_absence() -> None:
    """`a IS NULL` means the variable, as beside others; the attribute where the variable has one of this name."""
    assert [p.expression for p in bind("PATTERN A a WHERE a IS NULL WITHIN 5", LOG).match_predicates] == [
        IsNull(None, "a", AT)
    ]
    (named,) = bind("PATTERN A x WHERE x IS NULL WITHIN 5", LOG).vertex_predicates
    assert named.expression == IsNull(Reference("x", "x", Which.EACH, AT), None, AT)
