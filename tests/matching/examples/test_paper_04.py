"""SASE++'s queries and claims, each on a log made by hand or on random words."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

import cep_core as cep
from tests.language.paper_queries import QUERIES as PAPER
from tests.matching.examples.letters import log, total


def made(*events: tuple[object, ...], names: tuple[str, ...]) -> pa.Table:
    """A log from (type, ts, attributes...) rows."""
    return pa.table(dict(zip(("event_type", "ts", *names), map(list, zip(*events, strict=True)), strict=True)))


def under(query: str, strategy: str) -> str:
    """A printed query with a strategy, which none of them names."""
    head, condition = query.replace("//option 1", "").replace("//option 2", "").split("Where", 1)
    condition, rest = condition.split("Within", 1)
    return f"{head}Where {strategy} {{ {condition} }} Within{rest}"


JOBS = made(
    ("JobStart", 0, 1, None),
    ("JobStart", 1, 2, None),
    ("Mapper", 2, 1, 10),
    ("Mapper", 3, 2, 30),
    ("Mapper", 4, 1, 20),
    ("Reducer", 5, 1, 8),
    ("JobEnd", 6, 2, None),
    ("Mapper", 7, 1, 60),
    ("JobEnd", 8, 1, None),
    names=("job_id", "period"),
)


def test_k25_q1_and_q2_run_times_per_job() -> None:
    """Average and longest run time of a job's mappers, and of its reducers; a job without one has no row."""
    mappers = cep.match(under(PAPER["8"], "skip_till_next_match"), JOBS)
    rows = [tuple(row.values())[-2:] for row in mappers.to_pylist()]
    assert rows == [(30.0, 30), (30.0, 60)]
    reducers = cep.match(under(PAPER["9"], "skip_till_next_match"), JOBS)
    assert [tuple(row.values())[-2:] for row in reducers.to_pylist()] == [(8.0, 8)]


def test_k6_brackets_are_the_long_form() -> None:
    """Q2's [job_id] says what Q1's two equalities say."""
    long = PAPER["8"].replace("Mapper", "Reducer")
    assert cep.match(long, JOBS).equals(cep.match(PAPER["9"], JOBS))


def test_k25_q4_queued_bytes() -> None:
    """When a job's data began to queue, until when, and how much of it there is."""
    events = made(
        ("JobStart", 0, 1, None),
        ("DataIO", 5, 1, 100),
        ("DataIO", 7, 2, 9),
        ("DataIO", 9, 1, -30),
        names=("task_id", "size"),
    )
    table = cep.match(under(PAPER["11"].replace("timestamp", "ts"), "skip_till_next_match"), events)
    assert [tuple(row.values())[-3:] for row in table.to_pylist()] == [(0, 9, 70)]


CLUSTER = made(
    ("Balance", 0, 1, None),
    ("ReducerStart", 1, 1, None),
    ("LoadStd", 2, 1, 3),
    ("Imbalance", 3, 1, None),
    ("LoadStd", 4, 1, 2),
    ("Imbalance", 5, 1, None),
    ("LoadStd", 6, 1, 4),
    ("ReducerEnd", 7, 1, None),
    ("Balance", 8, 1, None),
    names=("task_id", "val"),
)


def test_k25_q5_and_q6_tasks_that_unbalance_the_cluster() -> None:
    """Q5: each choice of imbalances while the reducer ran; Q6: each rising choice of loads, by either option."""
    imbalances = cep.match(PAPER["12"], CLUSTER)
    assert sorted(imbalances.column("c").to_pylist()) == [[3], [3, 5], [5]]
    rising, over_all = (cep.match(PAPER[name], CLUSTER) for name in ("13", "14"))
    assert sorted(rising.column("b").to_pylist()) == [[2], [2, 6], [4], [4, 6], [6]]
    assert over_all.column("b").to_pylist() == rising.column("b").to_pylist()


@pytest.mark.parametrize(
    ("name", "states"), [("13", ["a", "b[1]", "b[i]", "c", "F"]), ("11", ["a", "b[1]", "b[i]", "F"])]
)
def test_k11_explain_draws_the_automaton(name: str, states: list[str]) -> None:
    """l + k + 1 states with the edges of Fig. 1, as text and as Mermaid."""
    explanation = cep.explain(PAPER[name])
    drawn = explanation.to_dict()["automaton"]
    assert [state["state"] for state in drawn["states"]] == states
    assert "b[i]: take LoadStd -> b[i], ignore any -> b[i], proceed -> c" in str(explanation) or name == "11"
    assert drawn["mermaid"].splitlines()[0] == "stateDiagram-v2"


STEP = "a[i].tail = a[i-1].head"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("PATTERN SEQ(A, B, C) WITHIN 9", "AC0"),
        ("PATTERN SEQ(A, B+, C) WITHIN 9", "regular"),
        ("PATTERN SEQ(A, B+ b[], C) WHERE b[i].x > 5 WITHIN 9", "regular"),
        (f"PATTERN A+ a[] WHERE strict_contiguity {{ {STEP} }} WITHIN 9", "NC1"),
        (f"PATTERN A+ a[] WHERE partition_contiguity {{ [k] AND {STEP} }} WITHIN 9", "NC1"),
        (f"PATTERN A+ a[] WHERE skip_till_next_match {{ {STEP} }} WITHIN 9", "DSPACE[log n]"),
        (f"PATTERN A+ a[] WHERE {STEP} WITHIN 9", "NSPACE[log n]"),
    ],
)
def test_k13_explain_names_the_class(query: str, name: str) -> None:
    """Theorems 3.1 to 3.4: closure, values carried along, and strategy decide."""
    facts = cep.explain(query).to_dict()["complexity"]
    assert facts["class"] == name
    assert facts["cause"]


@pytest.mark.parametrize(
    ("language", "of_class"),
    [
        ("temporal logic without data", "first-order logic"),
        ("CQL,", "ThC0"),
        ("SQL-TS", "NC1"),
        ("Cayuga", "DSPACE[log n]"),
        ("XSeq,", "MSO"),
    ],
)
def test_k15_the_docs_place_other_languages(language: str, of_class: str) -> None:
    """Section 3.3, in a table beside the classes that `explain` names."""
    page = Path(__file__).resolve().parents[3] / "docs" / "matching_limits.md"
    (row,) = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {language}")]
    assert of_class in row.split("|")[2] + row.split("|")[3]


@pytest.mark.parametrize(
    ("query", "formula"),
    [
        ("PATTERN SEQ(A, B, C) WHERE skip_till_next_match { 1 = 1 } WITHIN 9", "x: a run for each start event"),
        ("PATTERN SEQ(A, B, C) WITHIN 9", "(x^4 - 1) / (x - 1)"),
        ("PATTERN SEQ(A, B+, C) WITHIN 9", "(x^3 - 1) / (x - 1) * 2^(x)"),
        ("PATTERN SEQ(A, B+, C+) WITHIN 9", "(x^2 - 1) / (x - 1) * 2^(2x)"),
    ],
)
def test_k16_explain_predicts_the_runs(query: str, formula: str) -> None:
    """Table 3, for an engine that goes run by run."""
    assert cep.explain(query).to_dict()["complexity"]["runs"] == formula


def test_k14_more_a_than_b_is_no_regular_language() -> None:
    """Lemma 3.1's companion: a strictly contiguous closure with an aggregate tells words with more a's than b's."""
    rng = random.Random(4)
    query = """PATTERN X+ x[] WHERE strict_contiguity { x[1].n = 1 AND sum(x[].sign) > 0 AND x[last].n = x[1].length }
               WITHIN 100"""
    seen = set()
    for _ in range(30):
        word = [rng.choice([1, -1]) for _ in range(rng.randint(1, 9))]
        events = log("X" * len(word), sign=word, n=list(range(1, len(word) + 1)), length=[len(word)] * len(word))
        assert (cep.match(query, events).num_rows == 1) == (sum(word) > 0), word
        seen.add(sum(word) > 0)
    assert seen == {True, False}


def test_k14_the_word_problem_of_s5_as_a_path() -> None:
    """Lemma 3.1: a product of permutations is the identity on 1 iff the path of states from 1 ends in 1."""
    rng = random.Random(6)
    query = """PATTERN E+ e[] WHERE skip_till_next_match { e[1].tail = 1 AND e[i].tail = e[i-1].head
               AND e[last].head % 5 = 1 AND e[last].final = 1 } WITHIN 1000"""
    seen = set()
    for _ in range(12):
        word = [rng.sample(range(5), 5) for _ in range(rng.randint(2, 6))]
        steps = [(k, v, permutation[v]) for k, permutation in enumerate(word) for v in range(5)]
        events = log(
            "E" * len(steps),
            tail=[5 * k + v for k, v, _ in steps],
            head=[5 * (k + 1) + image for k, _, image in steps],
            final=[int(k == len(word) - 1) for k, _, _ in steps],
        )
        value = 1
        for permutation in word:
            value = permutation[value]
        assert (cep.match(query, events).num_rows == 1) == (value == 1)
        seen.add(value == 1)
    assert seen == {True, False}


def test_k14_deterministic_reachability_under_skip_till_next() -> None:
    """Lemma 3.2: with one edge from each vertex, sorted by tail, the run from 1 is the path, which ends in n or not."""
    rng = random.Random(8)
    seen = set()
    for _ in range(20):
        n = rng.randint(3, 9)
        head_of = {v: rng.randint(v + 1, n) for v in range(1, n) if rng.random() < 0.85}
        vertex = 1
        while vertex in head_of:
            vertex = head_of[vertex]
        events = log("E" * len(head_of) + "X", tail=[*head_of, 0], head=[*head_of.values(), 0])
        query = f"""PATTERN E+ a[] WHERE skip_till_next_match {{ a[1].tail = 1 AND a[i].tail = a[i-1].head
                    AND a[last].head = {n} }} WITHIN 1000"""
        assert (cep.match(query, events).num_rows == 1) == (vertex == n)
        seen.add(vertex == n)
    assert seen == {True, False}


def test_k4_aggregates_in_where_and_return() -> None:
    """Each of them over a prefix and over the whole closure, against plain Python on every match."""
    x = [4, 1, 3, 2]
    events = log("BBBB", x=x)
    query = """RETURN max(b[].x) AS most, min(b[].x) AS least, count(b[].x) AS n, sum(b[].x) AS total,
                      avg(b[].x) AS mean
               PATTERN B+ b[] WHERE sum(b[..i-1].x) >= b[i].x AND count(b[].x) > 1 WITHIN 9"""
    table = cep.match(query, events)
    chosen = [[k for k in range(4) if mask >> k & 1] for mask in range(1, 16)]
    wanted = [
        rows
        for rows in chosen
        if len(rows) > 1 and all(sum(x[r] for r in rows[:i]) >= x[rows[i]] for i in range(1, len(rows)))
    ]
    assert sorted(table.column("b").to_pylist()) == sorted(wanted)
    for row in table.to_pylist():
        values = [x[k] for k in row["b"]]
        assert (row["most"], row["least"], row["n"]) == (max(values), min(values), len(values))
        assert (row["total"], row["mean"]) == (sum(values), sum(values) / len(values))


def test_k5_negation_first_middle_and_last() -> None:
    """A NOT inside lies between its neighbours; first and last it looks from last - W and up to first + W."""
    events = log("NANBN", [0, 5, 6, 7, 12])
    assert cep.match("PATTERN SEQ(A, NOT N, B) WITHIN 7", events).num_rows == 0
    assert cep.match("PATTERN SEQ(NOT N, A, B) WITHIN 6", events).num_rows == 1
    assert cep.match("PATTERN SEQ(NOT N, A, B) WITHIN 7", events).num_rows == 0
    assert cep.match("PATTERN SEQ(A, B, NOT N) WITHIN 6", events).num_rows == 1
    assert cep.match("PATTERN SEQ(A, B, NOT N) WITHIN 7", events).num_rows == 0


def test_k1_the_core_language() -> None:
    """seq, +, ~ or !, union, ~seq(..), seq(..)+, in the paper's own spelling."""
    events = log("ABABC")
    assert cep.match("Pattern seq(A a, ~B, C c) Within 10", events).num_rows == 0
    assert cep.match("Pattern seq(A a, !seq(A, B), C c) Within 10", events).column("a").to_pylist() == [2]
    assert total(cep.match("Pattern seq(A, B)+ Within 10", events)) == 4
    assert total(cep.match("Pattern seq(A, B) ∪ seq(B, C) Within 10", events)) == 3 + 2
