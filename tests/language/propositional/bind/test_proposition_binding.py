"""Atoms, intervals and sub-logs of propositional policies, and what a workload refuses."""

from __future__ import annotations

import pytest

from cep_core.compile import bind_text, parse_text
from cep_core.events.schema import Attribute, AttributeType, LogSchema, NamedCondition
from cep_core.language.errors import QueryError, QueryErrors
from cep_core.language.evaluator import Atom, Reach
from cep_core.language.propositional.facts.atoms import atoms_of
from cep_core.language.propositional.facts.reach import certain_after, reach_of
from cep_core.language.propositional.facts.reads import reads_of
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.temporal.formulas import And, Eventually, Not, Once, Or, Predicate, Prev, Since, Truth, Until
from cep_core.language.temporal.walk import walk


def _attributes(**types: AttributeType) -> dict[str, Attribute]:
    return {name: Attribute(name, kind) for name, kind in types.items()}


SCHEMA = LogSchema(
    {
        "Departure": _attributes(origin=AttributeType.STRING, delay=AttributeType.INT),
        "Weather": _attributes(origin=AttributeType.STRING, wind=AttributeType.FLOAT),
        "Tick": {},
    },
    conditions={
        "late": NamedCondition("Departure", "delay >= 60"),
        "storm": NamedCondition("Weather", "wind > 30 AND origin != 'LGA'"),
    },
)


def bound(text: str, *, whole_log: bool = True) -> PropositionalPolicy:
    policy = bind_text(text, SCHEMA, "p.mtl", whole_log=whole_log).query
    assert isinstance(policy, PropositionalPolicy)
    return policy


def test_atoms_are_event_types_or_named_conditions() -> None:
    policy = bound("late IMPLIES (ONCE[0,3h] storm) OR Weather OR late")
    assert list(policy.atoms) == ["late", "storm", "Weather"]
    assert policy.atoms["late"].event_type == "Departure"
    assert policy.atoms["storm"].attributes == ("wind", "origin")
    assert policy.atoms["Weather"].condition is None
    assert reads_of(policy) == {"Departure": ("delay",), "Weather": ("origin", "wind")}
    assert atoms_of(policy) == (Atom("Departure"), Atom("Weather"))


def test_for_each_splits_every_type_that_has_the_attributes() -> None:
    policy = bound("-- for each: origin\nlate IMPLIES EVENTUALLY[0,5] NOT late")
    own = (("origin", "origin"),)
    assert atoms_of(policy) == (Atom("Departure", own), Atom("Weather", own))
    assert reads_of(policy) == {"Departure": ("origin", "delay"), "Weather": ("origin",)}


def test_a_leading_always_is_stripped_and_sugar_is_removed() -> None:
    policy = bound("ALWAYS[0,*) ALWAYS (late IMPLIES HISTORICALLY[0,5] storm)")
    assert policy.formula == bound("late IMPLIES HISTORICALLY[0,5] storm").formula
    core = (Predicate, Truth, Not, And, Or, Prev, Once, Eventually, Since, Until)
    assert all(isinstance(part, core) for part in walk(policy.core))
    assert isinstance(bound("ALWAYS[0,5] late").core, Not)


@pytest.mark.parametrize(
    ("text", "reach", "after"),
    [
        ("late", Reach(), 0),
        ("late IMPLIES EVENTUALLY[0,3h] (ALWAYS[0,30m] (NOT late))", Reach(time=12600), 12600),
        ("late IMPLIES ONCE[0,3h] storm", Reach(time=10800), 0),
        ("PREV late", Reach(time=0, points=1), 0),
        ("-- for each: origin\nPREV late", Reach(time=None), 0),
        ("ONCE[10,20] EVENTUALLY[0,15] late", Reach(time=25), 5),
    ],
)
def test_reach_counts_from_the_moment_of_certainty(text: str, reach: Reach, after: int) -> None:
    policy = bound(text)
    assert (reach_of(policy), certain_after(policy)) == (reach, after)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lat IMPLIES late", "'lat' is neither an event type nor a named condition"),
        ("late IMPLIES ONCE[0,1500ms] late", "unexpected"),
        ("-- for each: orign\nlate", "no event type has the attribute 'orign'"),
        ("-- for each: origin\nlate AND Tick", "Tick lacks 'origin'"),
        ("late IMPLIES ONCE(3,4] x AND y", "neither an event type"),
    ],
)
def test_faults_name_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        bound(text)


def test_all_unknown_names_are_told_at_once() -> None:
    with pytest.raises(QueryErrors) as refused:
        bound("lat AND strm")
    assert [error.hint for error in refused.value.errors] == ["did you mean 'late'?", "did you mean 'storm'?"]


@pytest.mark.parametrize(
    "text", ["EVENTUALLY late", "late UNTIL storm", "NEXT late", "ALWAYS ((ALWAYS late) OR storm)"]
)
def test_a_workload_refuses_what_no_run_can_decide(text: str) -> None:
    bound(text)
    with pytest.raises(QueryError, match="without an upper bound: no run can decide it"):
        bound(text, whole_log=False)


def test_a_wrong_condition_is_told_at_its_atom() -> None:
    schema = LogSchema({"A": {}}, conditions={"big": NamedCondition("A", "size > 3")})
    with pytest.raises(QueryError, match="the condition of 'big', 'size > 3': unknown attribute 'size' of A"):
        bind_text("A OR big", schema, "p.mtl")


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("late IMPLIES storm", ""),
        ("EVENTUALLY[0,5] Tick", "silence is a violation"),
        ("TRUE UNTIL[0,5] TRUE", "names no atom"),
        ("late IMPLIES PREV NOT late", "time.points"),
    ],
)
def test_what_may_surprise_is_told(text: str, warning: str) -> None:
    warnings = bind_text(text, SCHEMA, "p.mtl").warnings
    assert (warning in " ".join(warnings)) if warning else not warnings


def test_the_schema_that_a_text_assumes_binds_it() -> None:
    parsed = parse_text("-- for each: plane\nlate IMPLIES ONCE[0,5] rain", "p.mtl")
    policy = parsed.bind(parsed.mentioned).query
    assert list(policy.atoms) == ["late", "rain"]
