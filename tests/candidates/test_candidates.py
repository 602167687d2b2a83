"""Candidates by columns equal candidates by enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cep_core as cep
from cep_core.candidates.candidates import Candidates, candidates
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.bind.naming import always_bound
from cep_core.language.patterns.query import Query

_INT = AttributeType.INT


def _has(*names: str) -> dict[str, Attribute]:
    return {name: Attribute(name, AttributeType.FLOAT if name == "f" else _INT) for name in names}


LOG = LogSchema({"A": _has("x", "y", "f"), "B": _has("x", "y", "f"), "C": _has("x"), "D": _has("v")})

QUERIES = [
    "PATTERN SEQ(A, B+) WITHIN 5",
    "PATTERN SEQ(A a, B+ b[]) WHERE [x] AND a.y > 0 WITHIN 5",
    "PATTERN SEQ(A a, B b) WHERE [x, y] WITHIN 5",
    "PATTERN SEQ(A a, B b, A c) WHERE a.x = b.y AND b.y = c.x WITHIN 5",
    "PATTERN SEQ(C, A+ a[]) WHERE [a.y, x] WITHIN 5",
    "PATTERN SEQ(D, A a, C c, B b) WHERE a.x = c.x AND b.y = a.y WITHIN 5",
    "PATTERN SEQ(A a, C c, B b) WHERE a.x = c.x AND a.f = b.x WITHIN 5",
    "PATTERN SEQ(A a, NOT C c, D, B? b) WHERE [x] WITHIN 5",
    "PATTERN SEQ(A a, A b, C+) WHERE a.x = b.y AND b.x > 0 WITHIN 5",
    "PATTERN (SEQ(A, (B OR C), D))+ WHERE [x] AND B.y < 2 WITHIN 5",
    "PATTERN SEQ(A a, B b, C c) WHERE a.x = b.x AND b.y = c.x WITHIN 5",
]


@st.composite
def logs(draw: st.DrawFn) -> pa.Table:
    n = draw(st.integers(0, 12))
    keys = st.lists(st.one_of(st.integers(0, 2), st.none()), min_size=n, max_size=n)
    floats = st.lists(st.sampled_from((0.0, -0.0, 1.0, float("nan"), None)), min_size=n, max_size=n)
    return pa.table(
        {
            "event_type": pa.array(draw(st.lists(st.sampled_from("ABCD"), min_size=n, max_size=n)), pa.string()),
            "ts": pa.array(sorted(draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))), pa.int64()),
            "seq": pa.array(range(n), pa.int64()),
            "x": pa.array(draw(keys), pa.int64()),
            "y": pa.array(draw(keys), pa.int64()),
            "f": pa.array(draw(floats), pa.float64()),
            "v": pa.array(draw(keys), pa.int64()),
        }
    )


@given(st.sampled_from(QUERIES), logs())
def test_candidates_are_those_of_enumeration(text: str, events: pa.Table) -> None:
    """Each key that every mandatory variable can carry has exactly the events consistent with it, in order."""
    query = bind(text, LOG)
    assert _as_dict(candidates(query, events)) == _enumerated(query, events)


@given(st.sampled_from(QUERIES[1:]), logs(), st.integers(0, 1))
def test_slices_own_disjoint_partitions_that_make_up_the_whole(text: str, events: pa.Table, odd: int) -> None:
    """What two slices own by the first key class is, together, what one slice has."""
    query = bind(text, LOG)
    name = query.key_classes[0].name

    def owns(parity: int) -> Ownership:
        def of(keys: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
            return np.array(
                [int(value) % 2 == parity if value == value else parity == 0 for value in keys[name].to_pylist()],
                dtype=bool,
            )

        return Ownership((name,), of)

    whole = _as_dict(candidates(query, events))
    parts = [_as_dict(candidates(query, events, owns(parity))) for parity in (odd, 1 - odd)]
    assert not parts[0].keys() & parts[1].keys()
    assert parts[0] | parts[1] == whole


def test_an_accident_is_in_the_partition_of_every_vehicle_of_its_segment() -> None:
    """GRETA's Q3: an event that lacks part of the key is repeated in each partition that it fits."""
    schema = LogSchema({"Accident": _has("segment"), "Position": _has("vehicle", "segment")})
    query = bind("PATTERN SEQ(NOT Accident A, Position P+) WHERE [P.vehicle, segment] WITHIN 5", schema)
    events = pa.table(
        {
            "event_type": ["Position", "Accident", "Position", "Position"],
            "ts": [1, 2, 3, 4],
            "seq": [0, 1, 2, 3],
            "vehicle": [7, None, 8, 7],
            "segment": [1, 1, 1, 2],
        }
    )
    candidates_ = candidates(query, events)
    assert candidates_.keys.to_pylist() == [
        {"segment": 1, "vehicle": 7},
        {"segment": 1, "vehicle": 8},
        {"segment": 2, "vehicle": 7},
    ]
    assert [
        candidates_.rows[a:b].tolist() for a, b in zip(candidates_.offsets, candidates_.offsets[1:], strict=False)
    ] == [
        [0, 1],
        [1, 2],
        [3],
    ]
    assert candidates_.variables["A"].tolist() == [False, True, True, False, False]


def test_an_event_of_two_partitions_beside_one_of_none() -> None:
    """Of two C one has no partner and one has two, so that there are as many places as events."""
    log = pa.table(
        {
            "event_type": ["C", "A", "A", "B", "B", "C"],
            "ts": range(6),
            "k": [0, 1, 2, 1, 2, 0],
            "g": ["x", "-", "-", "y", "y", "y"],
        }
    )
    matches = cep.match("PATTERN SEQ(A a, B b, C c) WHERE a.k = b.k AND b.g = c.g WITHIN 9", log)
    assert matches.select(["a", "b", "c"]).to_pylist() == [{"a": 1, "b": 3, "c": 5}, {"a": 2, "b": 4, "c": 5}]


def test_partition_contiguity_ranks_all_types_with_the_partition_attributes() -> None:
    """A C between A and B counts in the rank though no variable can bind it; a D, which has no x, does not."""
    query = bind("PATTERN SEQ(A, B) WHERE partition_contiguity [x] WITHIN 50", LOG)
    events = pa.table(
        {
            "event_type": ["A", "D", "B", "A", "C", "B"],
            "ts": list(range(6)),
            "seq": list(range(6)),
            "x": [1, None, 1, 1, 1, 1],
            "pos": [10, 11, 12, 13, 14, 15],
        }
    )
    candidates_ = candidates(query, events)
    assert candidates_.rows.tolist() == [0, 2, 3, 5]
    assert candidates_.rank.tolist() == [0, 1, 2, 4]
    assert candidates_.pos.tolist() == [10, 12, 13, 15]


def test_without_candidates_there_is_no_partition() -> None:
    """An empty log has no groups."""
    events = pa.table(
        {"event_type": pa.array([], pa.string()), "ts": pa.array([], pa.int64()), "seq": pa.array([], pa.int64())}
    )
    assert candidates(bind("PATTERN A WITHIN 5", LOG), events).partitions == 0


def test_ownership_of_an_unknown_variable_is_an_error() -> None:
    """A plan for other queries must not be applied silently."""
    query = bind("PATTERN A WHERE [x] WITHIN 5", LOG)
    events = pa.table({"event_type": ["A"], "ts": [1], "seq": [0], "x": [1]})
    with pytest.raises(ValueError, match="own"):
        candidates(query, events, Ownership(("w",), lambda keys: np.ones(keys.num_rows, dtype=bool)))


Found = dict[tuple[object, ...], list[tuple[int, frozenset[str]]]]


def _as_dict(cut: Candidates) -> Found:
    """Each key's events with the variables that they may bind."""
    keys = [tuple(_comparable(v) for v in row.values()) for row in cut.keys.to_pylist()] or [()] * cut.partitions
    result: Found = {}
    for key, start, end in zip(keys, cut.offsets, cut.offsets[1:], strict=False):
        entries = []
        for m in range(start, end):
            assert cut.ts[m] >= 0
            entries.append((int(cut.rows[m]), frozenset(n for n, mask in cut.variables.items() if mask[m])))
        result[key] = entries
    assert len(result) == cut.partitions
    return result


def _enumerated(query: Query, events: pa.Table) -> Found:
    rows = events.to_pylist()
    classes = [key for key in query.key_classes if key.slices]
    carried: dict[str, list[tuple[int, dict[int, object]]]] = {v.name: [] for v in query.variables}
    for variable in query.variables:
        for number, row in enumerate(rows):
            key = _key(query, variable.name, row)
            if row["event_type"] == variable.event_type and key is not None and _passes(query, variable.name, row):
                carried[variable.name].append((number, key))
    values = [
        sorted({key[k] for v in query.positive for _, key in carried[v.name] if k in key}, key=str)
        for k in range(len(classes))
    ]
    mandatory = always_bound(query.pattern)
    result: Found = {}
    for full in product(*values):
        fits = {
            name: [number for number, key in own if all(full[k] == value for k, value in key.items())]
            for name, own in carried.items()
        }
        numbers = sorted({number for own in fits.values() for number in own})
        if (not classes and numbers) or (classes and all(fits[name] for name in mandatory) and _either(query, fits)):
            result[full] = [(n, frozenset(name for name, own in fits.items() if n in own)) for n in numbers]
    return result


def _either(query: Query, fits: dict[str, list[int]]) -> bool:
    """The one query with OR: a branch must be there too."""
    return "OR" not in query.text or bool(fits["B"] or fits["C"])


def _key(query: Query, variable: str, row: dict[str, object]) -> dict[int, object] | None:
    key: dict[int, object] = {}
    classes = [key_class for key_class in query.key_classes if key_class.slices]
    for k, key_class in enumerate(classes):
        for member, attribute in key_class.members:
            if member != variable:
                continue
            value = row[attribute]
            if value is None:
                return None
            value = _comparable(float(value) if key_class.type is AttributeType.FLOAT else value)
            if key.setdefault(k, value) != value:
                return None
    return key


def _comparable(value: object) -> object:
    return "NaN" if value != value else value


def _passes(query: Query, variable: str, row: dict[str, object]) -> bool:
    tests = {
        "a.y > 0": ("a", "y", lambda v: v > 0),
        "b.x > 0": ("b", "x", lambda v: v > 0),
        "B.y < 2": ("B", "y", lambda v: v < 2),
    }
    for text, (name, attribute, test) in tests.items():
        if text in query.text and name == variable and (row[attribute] is None or not test(row[attribute])):
            return False
    return True
