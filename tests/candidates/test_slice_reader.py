"""What queries read of a slice together is what each reads alone; tests of one attribute are what they say."""

from __future__ import annotations

import gc

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cep_core.candidates.candidates import candidates
from cep_core.candidates.slice_reader import read_together
from cep_core.compile import compile_query
from cep_core.events.table import log_schema_of, order
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.values.comparing import COMPARE
from cep_core.language.patterns.values.expressions import holds
from tests.candidates.test_candidates import LOG as NUMBERS
from tests.candidates.test_candidates import QUERIES, logs
from tests.candidates.test_key_codes import LOG as TEXTS
from tests.candidates.test_key_codes import TEXTS as SOME_TEXTS
from tests.candidates.test_key_codes import encoded

RANKED = "PATTERN SEQ(A, B) WHERE partition_contiguity [x] WITHIN 50"
ENDS = (-(2**63), -(2**53), -1, 0, 2, 2**53, 2**53 + 1, 2**63 - 1)
OPERATORS = st.sampled_from(("=", "!=", "<", "<=", ">", ">="))


@given(logs(), st.permutations([*QUERIES, RANKED]), st.integers(0, 5))
def test_what_queries_read_together_is_what_each_reads_alone(events: pa.Table, texts: list[str], begin: int) -> None:
    """In any order of queries, over all events of a table or some."""
    part = read_together(events.slice(begin))
    for text in texts[:4]:
        query = bind(text, NUMBERS)
        together, alone = candidates(query, part), candidates(query, events.slice(begin))
        assert together.keys.to_pylist() == alone.keys.to_pylist()
        for name in ("rows", "offsets", "rank"):
            assert getattr(together, name).tolist() == getattr(alone, name).tolist(), (text, name)
        assert {n: m.tolist() for n, m in together.variables.items()} == {
            n: m.tolist() for n, m in alone.variables.items()
        }


VALUES = {
    pa.int64(): st.sampled_from((None, *ENDS)),
    pa.float64(): st.sampled_from((None, 0.0, -0.0, -1.5, float("nan"), float("inf"))),
    pa.string(): st.sampled_from((None, "", "a", "B", "ä")),
    pa.bool_(): st.sampled_from((None, True, False)),
}


@given(st.data(), st.sampled_from(sorted(VALUES, key=str)), st.booleans())
def test_a_column_compared_with_itself(data: st.DataObject, kind: pa.DataType, encodes: bool) -> None:
    """Queries of a shared slice find what each finds alone, whatever values other events have."""
    rows = data.draw(st.lists(st.tuples(st.sampled_from("AAB"), VALUES[kind]), min_size=1, max_size=9))
    values = pa.array([value for _, value in rows], kind)
    stored = values.dictionary_encode() if encodes and kind == pa.string() else values
    events = order(pa.table({"event_type": [of for of, _ in rows], "ts": range(len(rows)), "x": stored}))
    shared, schema = read_together(events.slice(0)), log_schema_of(events)
    operator = data.draw(st.sampled_from(("=", "!=") if kind == pa.bool_() else ("=", "!=", "<", ">=")))
    evaluator = compile_query(f"PATTERN SEQ(A a, A b) WHERE a.x {operator} b.x AND b.ts - a.ts < 3 WITHIN 5", schema)
    assert evaluator.merge(evaluator.evaluate(shared)).equals(evaluator.merge(evaluator.evaluate(events)))


@given(st.data(), OPERATORS)
def test_a_number_compared_with_a_constant(data: st.DataObject, operator: str) -> None:
    """Integers and doubles, with NULL and NaN, beside constants that may be no double."""
    whole = data.draw(st.lists(st.one_of(st.none(), st.sampled_from(ENDS)), max_size=12))
    real = st.sampled_from((None, 0.0, -0.0, 2.0, -1.5, float("nan"), float("inf"), 2.0**53))
    values = {
        "x": pa.array(whole, pa.int64()),
        "f": pa.array([data.draw(real) for _ in whole], pa.float64()),
    }
    name = data.draw(st.sampled_from(("x", "f")))
    constant = data.draw(st.sampled_from((*ENDS[1:], 0.5, 2.0)))
    _check_candidates(f"PATTERN A a WHERE a.{name} {operator} {constant} WITHIN 5", values, len(whole))


@given(
    st.lists(st.tuples(OPERATORS, st.sampled_from(ENDS[1:])), min_size=1, max_size=9),
    st.lists(st.tuples(st.sampled_from("AAB"), st.sampled_from(ENDS)), max_size=12),
    st.sampled_from((1, 40)),
    st.sampled_from((1, 50)),
)
def test_variables_of_one_type_with_tests_of_their_own(
    tests: list[tuple[str, int]], rows: list[tuple[str, int]], times: int, rare: int
) -> None:
    """Each variable takes the events that pass its test, one takes all of the type, however frequent the type is; also
    where the tests are more than a byte has bits."""
    variables = ", ".join(f"A v{number}" for number in range(len(tests)))
    conditions = " AND ".join(f"v{number}.x {operator} {constant}" for number, (operator, constant) in enumerate(tests))
    query = bind(f"PATTERN SEQ({variables}, A any, B b) WHERE {conditions} WITHIN 5", NUMBERS)
    rows = rows * times + [("C", 0)] * len(rows) * times * (rare - 1)
    types, values = [of for of, _ in rows], [value for _, value in rows]
    columns = {"event_type": pa.array(types, pa.string()), "ts": range(len(rows)), "seq": range(len(rows))}
    chosen = candidates(query, pa.table({**columns, "x": pa.array(values, pa.int64())}))
    for number, (operator, constant) in enumerate(tests):
        passing = [row for row, (of, x) in enumerate(rows) if of == "A" and COMPARE[operator](x, constant)]
        assert chosen.rows[chosen.variables[f"v{number}"]].tolist() == passing
    assert chosen.rows[chosen.variables["any"]].tolist() == [row for row, of in enumerate(types) if of == "A"]
    assert chosen.rows[chosen.variables["b"]].tolist() == [row for row, of in enumerate(types) if of == "B"]


@given(encoded(SOME_TEXTS), st.sampled_from(("", "a", "z")), OPERATORS)
def test_a_text_compared_with_a_constant(stored: pa.DictionaryArray, constant: str, operator: str) -> None:
    """Also a text that the dictionary has not, or twice."""
    _check_candidates(f"PATTERN A a WHERE a.x {operator} '{constant}' WITHIN 5", {"x": stored}, len(stored), texts=True)


def _check_candidates(text: str, values: dict[str, pa.Array], n: int, *, texts: bool = False) -> None:
    """The candidates are the events of the type for which the whole condition holds, whatever share they are."""
    query = bind(text, TEXTS if texts else NUMBERS)
    (predicate,) = query.vertex_predicates
    for types in (["A"] * n, ["B" if row % 5 else "A" for row in range(n)]):
        events = pa.table({"event_type": pa.array(types, pa.string()), "ts": range(n), "seq": range(n), **values})
        expected = [row for row in np.flatnonzero(holds(predicate.expression, events)) if types[row] == "A"]
        assert candidates(query, events).rows.tolist() == expected


def test_what_was_read_of_a_table_goes_with_it() -> None:
    """A reader is kept as long as its table, and no longer."""
    from cep_core.candidates import slice_reader

    gc.collect()
    before = len(slice_reader._SHARED)
    events = read_together(pa.table({"event_type": ["A"], "ts": [1], "seq": [0], "x": [1]}))
    candidates(bind("PATTERN A WHERE [x] WITHIN 5", NUMBERS), events)
    assert len(slice_reader._SHARED) == before + 1
    del events
    assert len(slice_reader._SHARED) == before
