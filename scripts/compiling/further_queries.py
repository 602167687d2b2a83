"""Queries and policies beyond those of the workloads, which reach the kernels that no workload's query reaches.

`compile_kernels.py` evaluates each on a small generated log. Assumes the types A, B and C of the logs there: `NUMBERS`
and `OF_POLICIES` are their schemas. Cost: none here; every text costs set-up the kernels that it is the first to reach.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pyarrow as pa

import cep_core as cep
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.matching.choice.answering import ANSWERS
from cep_core.matching.choice.listings import LISTINGS

NUMBERS = LogSchema({name: {"x": Attribute("x", AttributeType.INT)} for name in ("A", "B")})
"""The schema of the logs for the further queries."""

FURTHER_AGGREGATIONS = (
    # 150 events of a type in one window: more trends than a machine word or 38 digits can count.
    "RETURN COUNT(*), SUM(A.x), MIN(A.x) PATTERN A+ WITHIN 1000",
    "RETURN COUNT(*) PATTERN A+ WITHIN 1000 SLIDE 250",
    "RETURN COUNT(*) PATTERN A+ WHERE A.x < NEXT(A).x WITHIN 1000",
    "RETURN COUNT(*) PATTERN A+ WHERE A.x < NEXT(A).x WITHIN 1000 SLIDE 250",
    # Negations that other negations excuse, and listing under strategies with one match for each start.
    "RETURN COUNT(*) PATTERN SEQ(A+, NOT SEQ(B, NOT A n), B b) WITHIN 1000",
    "RETURN COUNT(*) PATTERN (SEQ(A, NOT SEQ(NOT A n, B)))+ WHERE B.x > 3 WITHIN 1000",
    "RETURN COUNT(*), SUM(A.x) PATTERN SEQ(A+, B) WHERE skip_till_next_match WITHIN 1000",
)

PATTERNS_OF_POSSIBLE_WORLDS = (
    # Conditions that look at the order of events.
    "PATTERN SEQ(A a, B+ b[]) WHERE b[i].x > avg(b[..i-1].x) WITHIN 40 WITH CONFIDENCE > 0",
    "PATTERN SEQ(A a, B b) AND B c WITHIN 40 WITH CONFIDENCE > 0",
    "PATTERN SEQ(A a, NOT A n, B b) WITHIN 40 WITH CONFIDENCE > 0",
)

FURTHER_PATTERNS: tuple[tuple[str, Callable[..., pa.Table]], ...] = (
    # Negations in each round of a closure, with and without an event in the round, and a negation with a condition.
    ("PATTERN SEQ(A a, (SEQ(NOT A n, B b))+) WITHIN 40", cep.match),
    ("PATTERN SEQ(A a, (SEQ(NOT A n, B? b)){2}, B c) WHERE skip_till_next_match WITHIN 90", cep.match),
    ("PATTERN SEQ(A a, NOT SEQ(A n, B m), B b) WHERE m.x > n.x AND n.x > a.x WITHIN 90", cep.match),
    # Where the search resumes, and aggregates of the events before one.
    ("PATTERN SEQ(A a, A b) WHERE skip_till_next_match WITHIN 90 AFTER MATCH SKIP PAST LAST EVENT", cep.match),
    ("PATTERN SEQ(A a, B+ b[]) WHERE b[i].x > max(b[..i-1].x) WITHIN 40", cep.match),
    ("PATTERN SEQ(A a, B+ b[]) WHERE b[i].x < sum(b[..i-1].x) WITHIN 40", cep.match),
    ("PATTERN SEQ(A a, B+ b[]) WHERE b[i].y < sum(b[..i-1].y) WITHIN 40", cep.match),
    ("PATTERN SEQ(A a, B+ b[]) WHERE b[i].z < sum(b[..i-1].z) WITHIN 40", cep.match),
    # More matches than a machine word counts: they are counted by residues.
    ("PATTERN A+ WITHIN 2000", partial(cep.match, collapsed=True)),
    # Every way to answer a strategy and to list matches.
    *((choice.example, partial(cep.match, collapsed=True)) for choice in ANSWERS),
    *((choice.example, cep.match) for choice in LISTINGS),
    # Events that complete a match.
    ("PATTERN SEQ(A a, B+ b[]) WHERE b[i].x > b[i-1].x WITHIN 50", cep.detect),
)

FURTHER_POLICIES = (
    # Every operator, joins of several shapes, and aggregations over integers and floats.
    "A(x) AND ONCE[1,5] B(x, y)",
    "(ONCE[0,9] B(x, y)) AND B(y, z) AND EVENTUALLY[0,9] B(z, x)",
    "(ONCE[0,9] B(x, y)) AND B(x, z) AND EVENTUALLY[0,9] B(x, v)",
    "A(x) AND NOT B(x, _) AND NOT EXISTS y. B(y, x)",
    "(NOT A(x)) SINCE[0,9] B(x, y)",
    "A(x) UNTIL[1,9] B(x, _)",
    "(PREV A(x)) OR (NEXT[0,3] A(x)) OR B(x, x)",
    "C(x, f, s) AND C(y, f, s) AND x < y",
    'C(x, f, s) AND s = "a" AND f > 3.5 AND z = x + 1 AND ONCE A(z)',
    *(f"r <- {function} x; y ONCE[0,9] B(x, y)" for function in ("CNT", "SUM", "AVG", "MIN", "MAX", "MED")),
    *(f"r <- {function} f ONCE[0,9] C(x, f, s)" for function in ("SUM", "AVG", "MAX", "MED")),
    "r <- MAX s; x ONCE C(x, f, s)",
)

STREAMED_POLICIES = (
    # A past-only policy, one whose open points wait for their own stamp alone, one with nested operators.
    "b IMPLIES PREV ONCE[1,9] a",
    "a UNTIL[0,5] (a SINCE[2,6] b)",
    "(NEXT a) OR PREV (a UNTIL[0,5] b) OR ((a UNTIL b) SINCE b)",
)

FURTHER_PROPOSITIONAL = (
    # Each kernel, into the past and into the future; with sub-logs of integers and texts.
    "A IMPLIES (ONCE[0,9] B) AND EVENTUALLY[0,9] B",
    "A SINCE[1,9] B",
    "A UNTIL[1,9] (PREV A OR NEXT[0,30] A)",
    "-- for each: x\nA IMPLIES ONCE[0,30] B",
)

OF_POLICIES = "A(int) B(int, int) C(int, float, string)"

POLICIES_ON_MANY_EVENTS = (
    "(ONCE[0,9] B(x=x, y=y)) AND B(x=y, y=z) AND EVENTUALLY[0,9] B(x=z, y=v)",
    "B(x=x, y=y) AND ONCE[0,9] B(x=y, y=x)",
)
"""Events that meet nothing are left out first if there are many; keys are one value or several."""

TRIANGLE = "B(x, y) AND B(y, z) AND B(z, x)"

HUB = "@0 " + " ".join(f"B({i},0) B(0,{i})" for i in range(30))
"""One value that meets all others: no pair of the triangle's parts has few rows in common."""
