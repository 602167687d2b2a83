"""`explain` tells how a query is understood, as text and as data."""

from __future__ import annotations

import json

import pytest

from cep_core import explain
from cep_core.language.errors import QueryError
from tests.language.paper_queries import QUERIES as PAPER
from tests.language.sample_queries import QUERIES, SCHEMA


@pytest.mark.parametrize("name", QUERIES)
def test_sample_queries_are_explained(name: str) -> None:
    """Every pattern query of the sample workload, by the engine that evaluates it; the facts are plain data."""
    explanation = explain(QUERIES[name], schema=SCHEMA)
    facts = explanation.to_dict()
    assert json.loads(json.dumps(facts)) == facts
    assert facts["algorithm"]
    for section in facts:
        assert f"{section}\n" in str(explanation)


@pytest.mark.parametrize("number", PAPER)
def test_queries_of_the_papers_are_explained_without_a_log(number: str) -> None:
    """The schema is what the query mentions."""
    assert explain(PAPER[number]).to_dict()["query"]["kind"]


def test_template_and_negations_of_gretas_running_example() -> None:
    """pred(A) = {A, B}, pred(B) = {A}, mid empty; SEQ(C, D) between A and B, E between C and D."""
    text = "RETURN COUNT(*) PATTERN (SEQ(A+, NOT SEQ(C, NOT E, D), B))+ WITHIN 10"
    facts = explain(text).to_dict()
    template = facts["template"]
    assert template["predecessors"] == {"A": ["A", "B"], "B": ["A"]}
    assert template["mid"] == []
    assert template["mermaid"].splitlines()[1:] == [
        "    [*] --> A",
        "    A --> A",
        "    A --> B",
        "    B --> A",
        "    B --> [*]",
    ]
    assert [
        (part["pattern"], part["previous"], part["following"], part["inside"]) for part in facts["pattern"]["negated"]
    ] == [
        ("SEQ(C, NOT E, D)", ["A"], ["B"], None),
        ("E", ["C"], ["D"], 0),
    ]


def test_nfa_of_papers_q6() -> None:
    """States a, b[1], b[i], c, F."""
    drawn = explain(PAPER["13"]).to_dict()["automaton"]
    assert [state["state"] for state in drawn["states"]] == ["a", "b[1]", "b[i]", "c", "F"]
    edges = {state["state"]: [(e["kind"], e["target"]) for e in state["edges"]] for state in drawn["states"]}
    assert edges["b[i]"] == [("take", "b[i]"), ("ignore", "b[i]"), ("proceed", "c")]
    assert "s2 --> s3: proceed" in drawn["mermaid"]


def test_predicates_show_their_class_and_place() -> None:
    """Equivalence, vertex, edge and match predicates, each with paper 04's class."""
    text = """PATTERN SEQ(A a, B+ b[], C c)
    WHERE [x] AND a.y > 1 AND b[1].y > a.y AND b[i].y > b[i-1].y AND c.y < max(b[..i].y) WITHIN 5"""
    rows = {row["text"]: (row["class"], row["consistency"]) for row in explain(text).to_dict()["predicates"]}
    assert rows == {
        "a.x = b.x = c.x": ("equivalence", "both"),
        "a.y > 1": ("vertex", "both"),
        "b[1].y > a.y": ("edge", "inconsistent"),
        "b.y > b[i-1].y": ("edge", "inconsistent"),
        "c.y < max(b[..i].y)": ("match", "false"),
    }


def test_exponential_output_is_warned_of() -> None:
    """A closure under skip-till-any-match lists every subset; aggregation and the other strategies do not."""
    assert "exponential" in str(explain("PATTERN A+ WITHIN 5"))
    assert "exponential" not in str(explain("PATTERN A+ WHERE skip_till_next_match WITHIN 5"))
    assert "exponential" not in str(explain("RETURN COUNT(*) PATTERN A+ WITHIN 5"))


def test_wrong_queries_are_refused() -> None:
    """Explaining binds: a mistake is told as anywhere else."""
    with pytest.raises(QueryError, match="unknown event type"):
        explain("PATTERN Departur WITHIN 5", schema=SCHEMA)
    with pytest.raises(ValueError, match="language"):
        explain("PATTERN A WITHIN 5", language="sql")
