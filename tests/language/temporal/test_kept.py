"""What is derived from a node is kept with it, and nothing else changes."""

from __future__ import annotations

import pickle
from dataclasses import replace

from cep_core.language.temporal.formulas import Formula, Not, Predicate
from cep_core.language.temporal.kept import kept
from cep_core.language.temporal.terms import Variable


def test_a_node_is_looked_at_once() -> None:
    seen: list[Formula] = []

    @kept
    def depth(formula: Formula) -> int:
        seen.append(formula)
        return 1 + depth(formula.body) if isinstance(formula, Not) else 0

    p = Predicate("P", (Variable("x"),))
    formula = Not(Not(p))
    assert depth(formula) == 2
    assert depth(Not(formula)) == 3
    assert len(seen) == 4
    changed = replace(formula, body=p)
    assert depth(changed) == 1, "a changed copy is another node"


def test_comparisons_hashes_and_texts_stay() -> None:
    @kept
    def nothing(formula: Formula) -> None:
        del formula

    p, q = (Predicate("P", (Variable("x"),)) for _ in range(2))
    nothing(p)
    assert p == q
    assert hash(p) == hash(q)
    assert repr(p) == repr(q)
    assert pickle.loads(pickle.dumps(p)) == q
