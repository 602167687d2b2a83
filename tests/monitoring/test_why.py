"""`cep.why`: the causes of a verdict, on texts and on tables."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import cep_core as cep

SIGNATURE = "Begin(plane: string) End(plane: string) Pay(who: string, sum: int)"
LOG = """@100 Begin("n1")("n2")
@190 Pay("a", 3)("a", 9)("b", 4)
@190 End("n2")
@200
@300 Pay("a", 5)
@500
"""
UNENDED = "Begin(p) AND NOT EVENTUALLY[0,120] End(p)"


def lines(causes: object) -> list[str]:
    return str(causes).splitlines()


def test_absences_share_a_line() -> None:
    causes = cep.why(UNENDED, SIGNATURE, LOG, (100, 0), {"p": "n1"})
    assert causes.holds
    assert causes.is_proof
    assert lines(causes) == [
        'Begin(p) AND NOT (EVENTUALLY[0,120] End(p)) holds for p = "n1" at 100',
        '  Begin("n1") at 100',
        "  EVENTUALLY[0,120] End(p) does not hold at 100",
        '    no End("n1") at 4 points, first at 100, last at 200',
    ]


def test_a_valuation_that_is_no_violation_is_explained_too() -> None:
    causes = cep.why(UNENDED, SIGNATURE, LOG, (100, 0), {"p": "n2"})
    assert not causes.holds
    assert lines(causes)[2] == '    End("n2") at 190, offset 1'


def test_an_aggregation_tells_the_rows_that_count() -> None:
    paid = "t <- SUM s; w ONCE[0,120] Pay(w, s)"
    causes = cep.why(paid, SIGNATURE, LOG, (300, 0), {"w": "a", "t": 17})
    assert causes.is_proof
    assert "  rows that count: 3" in lines(causes)
    assert '    Pay("a", 9) at 190, offset 0' in lines(causes)
    many = "@1 " + "".join(f'Pay("a", {number})' for number in range(30)) + " @9"
    printed = lines(cep.why(paid, SIGNATURE, many, (1, 0), {"w": "a", "t": 435}))
    assert printed[1] == "  rows that count: 30"
    assert sum("Pay(w, s) holds" in line for line in printed) == 20
    assert printed[-1] == "  and 10 more"


def test_definitions_are_told_where_they_are_used() -> None:
    formula = "LET Gone(q) = ONCE End(q) IN Begin(p) AND NOT Gone(p)"
    causes = cep.why(formula, SIGNATURE, LOG, (100, 0), {"p": "n1"})
    assert lines(causes)[-1] == '    no End("n1") at 100'


def test_plain_values_can_be_json() -> None:
    events = pa.table({"event_type": ["P", "Q", "P"], "ts": [1, 4, 4], "seq": [7, 8, 9], "x": [5, 6, 6]})
    causes = cep.why("P(x=v) AND NOT EXISTS w. (PREV Q(x=w))", None, events, (4, 0), {"v": 6})
    explained = json.loads(json.dumps(causes.to_dict()))
    assert (explained["ts"], explained["offset"], explained["holds"], explained["valuation"]) == (4, 0, True, {"v": 6})
    assert explained["children"][0]["seq"] == 9
    quantifier = explained["children"][1]["children"][0]
    assert quantifier["children"][0]["valuation"] == {"w": {"any_but": []}}


def test_a_sub_log_is_asked_by_its_values() -> None:
    events = pa.table({"event_type": ["P", "P", "P", "P"], "ts": [1, 2, 3, 4], "x": [5, 6, 7, 8], "k": list("abab")})
    causes = cep.why("P(x=x) AND PREV P(x=z)", None, events, (3, 0), {"x": 7, "z": 5, "k": "a"}, for_each="k")
    assert causes.holds
    with pytest.raises(ValueError, match="no event has k = 'c'"):
        cep.why("P(x=x)", None, events, (3, 0), {"x": 7, "k": "c"}, for_each="k")
    with pytest.raises(ValueError, match="a value is needed for k"):
        cep.why("P(x=x)", None, events, (3, 0), {"x": 7}, for_each="k")


@pytest.mark.parametrize(
    ("at", "valuation", "says"),
    [
        ((101, 0), {"p": "n1"}, "0 points at 101"),
        ((190, 2), {"p": "n1"}, "2 points at 190, none of offset 2"),
        ((500, 0), {"p": "n1"}, "not decided yet"),
        ((100, 0), {"q": "n1"}, "free variables are p; values are given for q"),
        ((100, 0), {}, "values are given for none"),
        ((100, 0), {"p": 3}, "p is of type string, 3 is not"),
    ],
)
def test_questions_without_an_answer(at: tuple[int, int], valuation: dict[str, str | int], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        cep.why(UNENDED, SIGNATURE, LOG, at, valuation)


def test_a_term_without_value_is_told() -> None:
    with pytest.raises(ValueError, match="term without value"):
        cep.why("Pay(w, s) AND 7 / (s - 3) > 1", SIGNATURE, LOG, (190, 0), {"w": "a", "s": 3})


def test_every_violation_of_a_log_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "unended.mfotl"
    path.write_text("-- policy: must hold\nALWAYS FORALL p. (Begin(p) IMPLIES EVENTUALLY[0,120] End(p))\n")
    rows = cep.monitor(path, SIGNATURE, LOG).to_pylist()  # type: ignore[union-attr]
    assert [row["p"] for row in rows] == ["n1"]
    for row in rows:
        causes = cep.why(path, SIGNATURE, LOG, (row["ts"], 0), {"p": row["p"]})
        assert causes.holds
        assert causes.is_proof
