"""What the slicer is told of a pattern query: atoms and reach (`docs/semantics.md` 2 and 6)."""

from __future__ import annotations

import pytest

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.errors import QueryError
from cep_core.language.evaluator import Atom, Reach
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.bind.inference import schema_mentioned_by
from cep_core.language.patterns.facts.atoms import atoms_of
from cep_core.language.patterns.facts.reach import reach_of, waits_for_window
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.text.parsing import parse
from tests.language.sample_queries import QUERIES, SCHEMA


def _bind(text: str) -> Query:
    return bind(text, schema_mentioned_by(parse(text)))


def _slicing(pattern: str, where: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The members of each class that slices."""
    query = _bind(f"PATTERN {pattern} WHERE {where} WITHIN 5")
    return [(key.name, list(key.members)) for key in query.key_classes if key.slices]


def test_atoms_of_the_sample_queries() -> None:
    """T1 slices by aircraft and airline; T3's weather knows the airport; S1 has nothing in common."""
    flights = (("tailnum", "tailnum"), ("carrier", "carrier"))
    assert atoms_of(bind(QUERIES["T1"], SCHEMA)) == (Atom("Arrival", flights), Atom("Departure", flights))
    origin = (("origin", "origin"),)
    assert atoms_of(bind(QUERIES["T3"], SCHEMA)) == (Atom("Weather", origin), Atom("Departure", origin))
    assert atoms_of(bind(QUERIES["S1"], SCHEMA)) == (Atom("Departure"),)


def test_a_diversion_breaks_partition_contiguity_so_it_is_read() -> None:
    """All types with every partition attribute are atoms, in the pattern or not."""
    atoms = atoms_of(bind(QUERIES["S2"], SCHEMA))
    assert [atom.event_type for atom in atoms] == ["Arrival", "Cancellation", "Departure", "Diversion"]
    assert {atom.variables for atom in atoms} == {(("flight", "flight"), ("origin", "origin"), ("dest", "dest"))}


def test_an_attribute_that_part_of_the_types_have_broadcasts_the_others() -> None:
    """GRETA's Q3: Position binds vehicle and segment, Accident the segment alone."""
    text = "PATTERN SEQ(NOT Accident A, Position P+) WHERE [P.vehicle, segment] WITHIN 5"
    variables = {atom.event_type: dict(atom.variables) for atom in atoms_of(_bind(text))}
    assert variables == {
        "Accident": {"segment": "segment"},
        "Position": {"segment": "segment", "vehicle": "vehicle"},
    }


def test_constants_narrow_an_atom_except_where_a_rank_counts_the_others() -> None:
    """An event with another status is irrelevant, unless its place in the partition matters."""
    where = "[x] AND a.status = 'late' AND 3 = a.y AND a.z > 1"
    (atom, _) = atoms_of(_bind(f"PATTERN SEQ(A a, B b) WHERE {where} WITHIN 5"))
    assert atom.constants == (("status", "late"), ("y", 3))
    (atom, *_) = atoms_of(_bind(f"PATTERN SEQ(A a, B b) WHERE partition_contiguity {{ {where} }} WITHIN 5"))
    assert atom.constants == ()


@pytest.mark.parametrize(
    ("pattern", "where", "expected"),
    [
        ("SEQ(A a, B b)", "a.x = b.y", [("x", [("a", "x"), ("b", "y")])]),
        ("SEQ(A a, B+ b[])", "a.x = b[i].y", [("x", [("a", "x"), ("b", "y")])]),
        ("SEQ(A a, B+ b[])", "b[i].x = b[i-1].x", [("x", [("b", "x")])]),
        ("SEQ(A a, B+ b[])", "skip_till_next_match b[i].x = b[i-1].x", []),
        ("SEQ(A a, B+ b[])", "skip_till_next_match a.x = b[i].x", [("x", [("a", "x"), ("b", "x")])]),
        ("SEQ(A a, B+ b[])", "strict_contiguity b[i].x = b[i-1].x", []),
        ("SEQ(A+ a[], B b)", "a[i].tail = a[i-1].head", []),
        ("SEQ(A a, B+ b[], C c)", "b[1].x = c.x", []),
        ("SEQ(A a, B b)", "(a.x = b.y OR a.z > 1)", []),
        ("SEQ(A a, B? b, C? c)", "b.x = c.x", []),
        ("SEQ(A a, B? b)", "a.x = b.x", [("x", [("a", "x"), ("b", "x")])]),
        ("A a OR B b", "[a.x]", []),
        ("A a OR B b", "[x]", [("x", [("a", "x"), ("b", "x")])]),
        ("SEQ(A a, B b, C c)", "a.x = b.y AND c.z = b.y", [("x", [("a", "x"), ("b", "y"), ("c", "z")])]),
        (
            "SEQ(A a, B b)",
            "a.x = b.x AND a.y = b.y",
            [("x", [("a", "x"), ("b", "x")]), ("y", [("a", "y"), ("b", "y")])],
        ),
        (
            "SEQ(A a, B b, A c)",
            "a.x = b.x AND b.z = c.x",
            [("x", [("a", "x"), ("b", "x")]), ("z", [("b", "z"), ("c", "x")])],
        ),
        ("SEQ(A a, B? b, C c)", "a.x = b.x AND b.x = c.x", []),
        ("SEQ(A a, NOT B b, C c)", "a.x = b.x AND b.x = c.x", []),
        ("SEQ(A a, B? b, C c)", "[x] AND b.x = c.x", [("x", [("a", "x"), ("b", "x"), ("c", "x")])]),
        ("SEQ(A a, B? b, C c)", "[a.x] AND a.x = b.y", [("x", [("a", "x"), ("b", "y")])]),
        ("SEQ(A a, NOT C c, B b)", "a.x = c.x", [("x", [("a", "x"), ("c", "x")])]),
        ("SEQ(A a, NOT SEQ(C c, D d), B b)", "c.x = d.x", []),
        ("SEQ(A a, B b)", "partition_contiguity { [x] AND a.y = b.y }", [("x", [("a", "x"), ("b", "x")])]),
    ],
)
def test_what_binds_a_slicing_variable(
    pattern: str, where: str, expected: list[tuple[str, list[tuple[str, str]]]]
) -> None:
    """Positive, mandatory, and first where a run's choices depend on it; never under OR."""
    assert _slicing(pattern, where) == expected


def test_a_dropped_condition_asks_nothing_of_a_null() -> None:
    """`a.x = b.x` is dropped without b, and says nothing of a NULL a.x: then x is no key, unless it is never NULL."""
    for nullable, classes in ((True, 0), (False, 1)):
        x = {"x": Attribute("x", AttributeType.INT, nullable)}
        for pattern in ("SEQ(A a, B? b)", "SEQ(A a, NOT B b, A c)", "SEQ(B, A+ b)"):
            condition = "b[i].x = b[i-1].x" if "+" in pattern else "a.x = b.x"
            query = bind(f"PATTERN {pattern} WHERE {condition} WITHIN 5", LogSchema({"A": x, "B": x}))
            assert len(query.key_classes) == classes


def test_an_equality_that_cannot_slice_is_still_a_condition() -> None:
    """What no class carries is judged like any other predicate."""
    query = _bind("PATTERN SEQ(A a, B? b, C? c) WHERE b.x = c.x WITHIN 5")
    assert not query.key_classes
    assert len(query.edge_predicates) + len(query.match_predicates) == 1


def test_grouped_attributes_keep_classes_of_their_own() -> None:
    """GROUP BY x, y with a.x = b.y: two groups, and the equality as a predicate."""
    text = "RETURN COUNT(*) PATTERN SEQ(A a, B b) WHERE a.x = b.y GROUP-BY x, y WITHIN 5"
    query = _bind(text)
    assert [key.name for key in query.key_classes] == ["x", "y"]
    assert len(query.edge_predicates) == 1


def test_keys_have_the_common_type() -> None:
    """An integer key beside a float one is hashed as a float."""
    text = "PATTERN SEQ(A a, B b) WHERE a.x = b.y AND a.x > 1 AND b.y > 0.5 WITHIN 5"
    assert [key.type.value for key in _bind(text).key_classes] == ["float"]


@pytest.mark.parametrize(
    ("text", "reach", "waits"),
    [
        ("RETURN COUNT(*) PATTERN A+ WITHIN 10 SLIDE 3", Reach(time=10), False),
        ("PATTERN SEQ(A, B+, C) WITHIN 10", Reach(time=10), False),
        ("PATTERN SEQ(A, B+) WITHIN 10", Reach(time=10), False),
        ("PATTERN SEQ(A, B+) WHERE skip_till_next_match WITHIN 10", Reach(time=10), True),
        ("PATTERN SEQ(A, B?) WHERE strict_contiguity WITHIN 10", Reach(time=10), True),
        ("PATTERN SEQ(A, B{2}) WHERE strict_contiguity WITHIN 10", Reach(time=10), False),
        ("PATTERN SEQ(A, B+, C) WHERE skip_till_next_match WITHIN 10", Reach(time=10), False),
        ("PATTERN SEQ(A, NOT B) WITHIN 10", Reach(time=10), True),
        ("PATTERN SEQ(NOT B, A) WITHIN 10", Reach(time=10), False),
        ("PATTERN SEQ(NOT B, A, NOT C) WITHIN 10", Reach(time=20), True),
        ("PATTERN SEQ(NOT B, A, C+) WHERE skip_till_next_match WITHIN 10", Reach(time=20), True),
        ("PATTERN SEQ(NOT B, A, NOT C) WITHIN 10 SLIDE 10", Reach(time=10), True),
        ("PATTERN SEQ(A, B*, C?) WHERE skip_till_next_match WITHIN 10", Reach(time=10), True),
        ("PATTERN SEQ(A, B, NOT C) OR SEQ(D, E) WITHIN 10", Reach(time=10), True),
        ("PATTERN SEQ(A, B) AND SEQ(NOT C, D, E+) WHERE skip_till_next_match WITHIN 10", Reach(time=20), True),
        ("PATTERN (SEQ(NOT C, A?, B, NOT D))+ WITHIN 10", Reach(time=20), True),
        ("PATTERN SEQ((A OR B?), NOT C, D) WITHIN 10", Reach(time=10), False),
        ("PATTERN SEQ((A OR B?), ANY(C, D)) WHERE skip_till_next_match WITHIN 10", Reach(time=10), False),
        ("PATTERN SEQ(A, B) WITHIN 7 EVENTS", Reach(events=7), False),
        ("PATTERN A WHERE skip_till_next_match WITHIN 10 AFTER MATCH SKIP TO NEXT EVENT", Reach(time=None), False),
    ],
)
def test_reach(text: str, reach: Reach, waits: bool) -> None:
    """A window's width, twice that where a leading NOT meets a certainty that waits for `first.ts + w`."""
    query = _bind(text)
    assert reach_of(query) == reach
    assert waits_for_window(query) == waits


@pytest.mark.parametrize(
    "text",
    [
        "RETURN COUNT(*) PATTERN A+ WITHIN 10 EVENTS",
        "PATTERN SEQ(A, B) WHERE partition_contiguity [x] WITHIN 10 EVENTS",
        "PATTERN SEQ(A, B) WHERE strict_contiguity WITHIN 10 AFTER MATCH SKIP PAST LAST EVENT",
    ],
)
def test_a_workload_refuses_what_depends_on_where_the_log_starts(text: str) -> None:
    """On a whole log the same query is legal."""
    schema = schema_mentioned_by(parse(text))
    bind(text, schema)
    with pytest.raises(QueryError, match="depends on"):
        bind(text, schema, whole_log=False)
