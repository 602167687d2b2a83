"""Causes of a day's first violations: which are told, what a row says, that the checker accepts the proofs."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from cep_core.compile import bind_text
from cep_core.events.logs.time_points import point_log_of, with_points
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.settings import Settings
from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
from cep_core.monitoring.first_order.result.claims import claims_of, proof_maker
from cep_core.monitoring.first_order.violation_causes import REFUTES
from cep_core.monitoring.shared.causes import CLAIM_COLUMNS, WHY
from cep_core.monitoring.shared.why.checker import proves
from cep_core.testing.unsliced import unsliced

_OWN = {"plane": Attribute("plane", AttributeType.STRING), "gate": Attribute("gate", AttributeType.INT)}
SCHEMA = LogSchema({"Left": _OWN, "Landed": _OWN})
LATE = "-- Who left and did not land?\nLeft(plane=p) AND NOT EVENTUALLY[0,5] Landed(plane=p)"
EVENTS = [
    (1, "Left", "a"),
    (1, "Left", "b"),
    (3, "Landed", "a"),
    (8, "Left", "c"),
    (9, "Left", "a"),
    (12, "Landed", "x"),
]
DAYS = (0, 10, 20)


def log(events: list[tuple[int, str, str]] = EVENTS) -> pa.Table:
    names = ("ts", "event_type", "plane")
    columns = {name: [event[place] for event in events] for place, name in enumerate(names)}
    return pa.table({**columns, "seq": pa.array(range(100, 100 + len(events))), "gate": [7] * len(events)})


def evaluator(text: str = LATE, **settings: int) -> PolicyEvaluator:
    made = bind_text(text, SCHEMA, "late.mfotl", whole_log=False).evaluator(Settings(**settings))
    assert isinstance(made, PolicyEvaluator)
    return made


def causes(made: PolicyEvaluator, days: tuple[int, ...] | None = DAYS) -> pa.Table:
    return unsliced(made, *with_points(log()), days, WHY)


def test_a_row_is_a_claim() -> None:
    table = causes(evaluator())
    rows = [row for row in table.to_pylist() if row["p"] == "b"]
    assert {(row["ts"], row["offset"]) for row in rows} == {(1, 0)}
    assert [(row["node"], row["parent"], row["claim"], row["at_ts"], row["holds"], row["seq"]) for row in rows] == [
        (0, None, 'Left(plane="b") AND NOT (EVENTUALLY[0,5] Landed(plane="b"))', 1, True, None),
        (1, 0, 'Left(plane="b")', 1, True, 101),
        (2, 0, 'NOT (EVENTUALLY[0,5] Landed(plane="b"))', 1, True, None),
        (3, 2, 'EVENTUALLY[0,5] Landed(plane="b")', 1, False, None),
        (4, 3, 'Landed(plane="b")', 1, False, None),
        (5, 3, 'Landed(plane="b")', 3, False, None),
    ]
    assert {row["valuation"] for row in rows} == {json.dumps({"p": "b"})}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, [(1, "b"), (8, "c"), (9, "a")]),
        ({"explained": 1}, [(1, "b"), (8, "c")]),
        ({"explained": 0}, []),
        ({"max_violations": 1}, [(1, "b"), (8, "c")]),
    ],
)
def test_the_first_violations_of_each_day_are_told(settings: dict[str, int], expected: list[tuple[int, str]]) -> None:
    """By the day in which they become certain: those at 8 and 9 on the second. Not more than are listed."""
    rows = causes(evaluator(**settings)).to_pylist()
    assert [(row["ts"], row["p"]) for row in rows if row["node"] == 0] == expected


def test_sub_logs_tell_their_own_points() -> None:
    text = "-- for each: plane\n-- Who left twice?\nLeft(gate=g) AND PREV Left(gate=h)"
    table = causes(evaluator(text), None)
    assert table.num_rows == 0
    text = "-- for each: plane\n-- Who left after it landed?\nLeft(gate=g) AND PREV Landed(gate=h)"
    rows = causes(evaluator(text), None).to_pylist()
    assert [(row["plane"], row["at_ts"], row["seq"]) for row in rows if row["seq"]] == [("a", 9, 104), ("a", 3, 102)]


def test_the_checker_accepts_what_is_told() -> None:
    policy = evaluator().policy
    whole = point_log_of(log(), evaluator().looked_at)
    maker = proof_maker(policy, whole)
    for row in causes(evaluator()).to_pylist():
        if row["node"] == 0:
            point = int(np.searchsorted(whole.stamps, row["ts"]))
            tree = maker.proof(policy.unfolded, point, {"p": row["p"]}, True)
            assert tree is not None
            assert proves(tree, whole, frozenset(["p"]))


def test_texts_as_codes_narrow_as_texts_do() -> None:
    made = evaluator()
    violation = {"ts": 1, "offset": 0, "p": "b"}
    for coded in (False, True):
        maker = proof_maker(made.policy, point_log_of(log(), made.looked_at, coded=coded))
        assert claims_of(made.policy, maker, violation).num_rows == 6
        atom = made.policy.unfolded.left  # type: ignore[union-attr]
        assert maker.reader.points_of(atom, {"p": "c"}, (0, 9)) == [2]


def test_a_proof_with_too_many_claims_is_told_in_part() -> None:
    made = evaluator()
    maker = proof_maker(made.policy, point_log_of(log(), made.looked_at))
    violation = {"ts": 1, "offset": 0, "p": "b"}
    few = claims_of(made.policy, maker, violation, most=2)
    assert few.column_names == list(CLAIM_COLUMNS)
    assert few.select(["parent", "leaf", "claim"]).to_pylist() == [
        {"parent": None, "leaf": None, "claim": 'Left(plane="b") AND NOT (EVENTUALLY[0,5] Landed(plane="b"))'},
        {"parent": 0, "leaf": "event", "claim": 'Left(plane="b")'},
        {"parent": 0, "leaf": "untold", "claim": 'NOT (EVENTUALLY[0,5] Landed(plane="b"))'},
    ]
    [none] = claims_of(made.policy, maker, violation, most=0).to_pylist()
    assert (none["leaf"], none["parent"], none["holds"]) == ("untold", None, True)
    assert claims_of(made.policy, maker, violation).num_rows == 6


def test_a_proof_that_is_known_to_be_too_large_is_not_begun() -> None:
    """It has a claim about every point in reach: nothing of these points is read."""
    made = evaluator()
    for most, begun in ((2, False), (3, True)):
        maker = proof_maker(made.policy, point_log_of(log(), made.looked_at))
        assert claims_of(made.policy, maker, {"ts": 1, "offset": 0, "p": "b"}, most).num_rows == (6 if begun else 3)
        assert any(kind == "Landed" for kind, _ in maker.reader.read) == begun


def test_explain_says_where_causes_come_from() -> None:
    text = "NOT (EXISTS q. Left(gate=q))"
    assert REFUTES in evaluator(f"-- Who left?\n{text}").describe()
    for policy, explained in ((text, 0), ("EXISTS q. Left(plane=p, gate=q)", 10), ("Left(plane=p, gate=q)", 10)):
        assert REFUTES not in evaluator(f"-- Who left?\n{policy}", explained=explained).describe()
