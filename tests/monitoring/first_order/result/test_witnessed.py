"""Causes of policies with an outermost EXISTS: those of the smallest proof, however the witnesses are shared out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.time_points import offsets_in_stamp
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.evaluator import CERTAIN
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.facts.opening import OpenPolicy, open_policy
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.text.parsing import parse
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.temporal.formulas import Exists, Forall, Formula, Not
from cep_core.language.temporal.walk import free_variables
from cep_core.monitoring.first_order.answering import satisfactions_of, witnesses_of
from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
from cep_core.monitoring.first_order.result.claims import beside, claim_rows, proof_maker
from cep_core.monitoring.first_order.result.satisfactions import Satisfactions
from cep_core.monitoring.first_order.result.verdicts import rows
from cep_core.monitoring.first_order.result.witnessed import Witnesses, smallest_of_slices, witness_fields
from cep_core.monitoring.shared.listing import with_certain
from cep_core.monitoring.shared.why.checker import proves
from cep_core.testing.formulas import safe_formulas
from cep_core.testing.logs import log_of
from cep_core.testing.signatures import drawn_logs, signatures
from tests.monitoring.shared.why.drawing import answer_of, texts_of, with_seq

INT = AttributeType.INT
SCHEMA = LogSchema({name: {key: Attribute(key, INT) for key in ("1", "2")} for name in "PQ"})


def bound(text: str, schema: LogSchema = SCHEMA) -> tuple[Policy, OpenPolicy]:
    policy = bind_written(parse(text, "p.mfotl"), schema, text, "p.mfotl")
    opened = open_policy(policy)
    assert opened is not None
    return policy, opened


def violations_of(policy: Policy, log: PointLog, most: int = 6) -> pa.Table:
    relation, texts = satisfactions_of(policy, log)
    return rows(relation, log, texts, policy.variables, place="offset").slice(0, most)


def causes(
    policy: Policy, opened: OpenPolicy, log: PointLog, violations: pa.Table, parts: int, most: int = 10_000
) -> pa.Table:
    """What slices report that own a part of the witnesses each, merged. Each has the whole log."""
    evaluator = PolicyEvaluator(policy)
    complete = pa.schema([*with_certain(evaluator.cause_schema), *witness_fields(opened)])
    own = opened.policy
    held = Satisfactions(*satisfactions_of(own, log), own.variables)
    batches: list[pa.RecordBatch] = []
    for number in range(parts):
        rows_of_slice = np.flatnonzero(np.arange(held.relation.rows) % parts == number)
        part = Satisfactions(held.relation.of_rows(rows_of_slice), held.texts, held.types)
        of_slice = Witnesses(opened, part)
        for violation in violations.to_pylist():
            claims = of_slice.claims_of(proof_maker(policy, log), violation, most)
            if claims is not None:
                batches += beside(claims, {**violation, CERTAIN: violation["ts"]}, complete).to_batches()
    merged = smallest_of_slices(batches, evaluator.cause_schema, opened, most)
    return pa.Table.from_batches(merged, with_certain(evaluator.cause_schema))


def claims_of(table: pa.Table, violation: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The claims of a violation. To the search, a float that an aggregation of nothing gives is an integer."""
    own = [row for row in table.to_pylist() if all(str(row[name]) == str(violation[name]) for name in violation)]
    names = ("node", "parent", "leaf", "at_ts", "at_offset", "seq", "holds")
    texts = [re.sub(r"\b0\.0\b", "0", f"{row['claim']} {row['valuation']}") for row in own]
    return [(text, *(row[name] for name in names)) for text, row in zip(texts, own, strict=True)]


def projected(formula: Formula, data: st.DataObject) -> Formula:
    """With some of its variables hidden, by one quantifier or two, written in one of several ways."""
    hidden = sorted(data.draw(st.sets(st.sampled_from(free_variables(formula)), min_size=1)))
    for names in data.draw(st.sampled_from([[hidden], [[name] for name in hidden]])):
        negative = Not(Forall(tuple(names), Not(formula)))
        formula = data.draw(st.sampled_from([Exists(tuple(names), formula), negative]))
    return data.draw(st.sampled_from([formula, Not(Not(formula))]))


def drawn_policy(data: st.DataObject) -> tuple[Policy, OpenPolicy, PointLog]:
    """A policy with an outermost EXISTS that is stripped, its open form, and a log for both."""
    schema = data.draw(signatures())
    formula = data.draw(safe_formulas(schema, depth=data.draw(st.integers(0, 2)), sugar=True))
    assume(free_variables(formula))
    text = formula_text(projected(formula, data))
    assume(open_policy(bind_written(parse(text, "p.mfotl"), schema, text)) is not None)
    policy, opened = bound(text, schema)
    log = data.draw(drawn_logs(schema, most=6))
    return policy, opened, log


@given(st.data())
def test_the_smallest_proof_of_a_witness_is_that_of_the_policy(data: st.DataObject) -> None:
    """As the search over all values finds it; the checker accepts it; for any share of the witnesses."""
    policy, opened, log = drawn_policy(data)
    log = with_seq(log) if data.draw(st.booleans()) else log
    answer_of(policy, log)  # leaves out what has no value
    violations = violations_of(policy, log)
    table = causes(policy, opened, log, violations, data.draw(st.integers(1, 3)))
    maker = proof_maker(policy, log)
    for violation in violations.to_pylist():
        point = int(log.stamps.searchsorted(violation["ts"])) + violation["offset"]
        tree = maker.proof(policy.unfolded, point, {name: violation[name] for name in policy.variables}, True)
        assert tree is not None
        assert proves(tree, log, texts_of(policy))
        expected = beside(claim_rows(policy, maker, tree), violation, PolicyEvaluator(policy).cause_schema)
        assert claims_of(table, violation) == claims_of(expected, violation)


@given(st.data())
def test_witnesses_are_those_of_the_open_policy(data: st.DataObject) -> None:
    """Asked for at some violations, the engine finds what the whole relation of the open policy has there."""
    policy, opened, log = drawn_policy(data)
    answer_of(policy, log)
    violations = violations_of(policy, log, data.draw(st.integers(1, 4)))
    assume(violations.num_rows)
    own = opened.policy
    whole = Witnesses(opened, Satisfactions(*satisfactions_of(own, log), own.variables))
    asked = Witnesses(opened, witnesses_of(opened, log, violations))
    offsets = offsets_in_stamp(log.stamps)
    for violation in violations.to_pylist():
        point = int(log.stamps.searchsorted(violation["ts"])) + violation["offset"]
        assert offsets[point] == violation["offset"]
        visible = {name: violation[name] for name in policy.variables}
        witnesses = asked.of(point, visible, 100)
        assert witnesses
        assert repr(witnesses) == repr(whole.of(point, visible, 100))


LOG = log_of([(1, [("Q", n, 9) for n in (1, 2, 4)]), (2, [("Q", 3, 9)]), (3, [("P", n, 9) for n in (4, 3, 2, 1)])])
"""At the last point 3 is the nearest witness; 1, 2 and 4 are equally far."""


@pytest.mark.parametrize("parts", [1, 2, 4])
@pytest.mark.parametrize(
    ("text", "witness"),
    [
        ("EXISTS x. P(x, y) AND ONCE Q(x, y)", 1),
        ("EXISTS x. P(x, y) AND ONCE[0,1] Q(x, y)", 3),
        ("EXISTS x. P(x, y) AND x > 2 AND ONCE Q(x, y)", 4),
        ("EXISTS x. P(x, y) AND NOT ONCE[0,1] Q(x, y)", 1),
        ("NOT FORALL x. P(x, y) IMPLIES NOT ONCE[1,2] (Q(x, y) AND x > 1)", 2),
    ],
)
def test_the_earliest_of_equally_small_ones_then_the_first_values(text: str, witness: int, parts: int) -> None:
    policy, opened = bound(text)
    table = causes(policy, opened, LOG, violations_of(policy, LOG), parts)
    [event] = [row for row in table.to_pylist() if row["leaf"] == "event" and row["claim"].startswith("P")]
    assert event["claim"] == f"P({witness}, 9)"


def claims(most: int, parts: int) -> Sequence[str]:
    policy, opened = bound("EXISTS x. P(x, y) AND ONCE[0,1] Q(x, y) OR P(x, y) AND x = 1")
    table = causes(policy, opened, LOG, violations_of(policy, LOG), parts, most)
    return table["claim"].to_pylist()


@pytest.mark.parametrize("parts", [1, 2])
def test_proofs_are_too_large_together(parts: int) -> None:
    """All witnesses' claims count, in whatever slices, and each counts its own."""
    needed = next(most for most in range(100) if len(claims(most, 1)) > 1)
    assert len(claims(needed, parts)) > 1
    assert len(claims(needed - 1, parts)) == 1
