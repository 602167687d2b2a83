"""Proofs that are too large: what is told of them is proven, and what is not told is so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.text.parsing import parse
from cep_core.language.first_order.text.printing import formula_text
from cep_core.monitoring.first_order.result.claims import proof_maker
from cep_core.monitoring.shared.why import large_proofs
from cep_core.monitoring.shared.why.checker import proves
from cep_core.monitoring.shared.why.large_proofs import proof_in_part
from cep_core.monitoring.shared.why.proof import ProofTree
from cep_core.testing.formulas import safe_formulas
from cep_core.testing.signatures import drawn_logs, signatures
from tests.monitoring.first_order.result.test_witnessed import violations_of
from tests.monitoring.shared.why.drawing import answer_of, texts_of


def nodes(tree: ProofTree) -> Iterator[ProofTree]:
    yield tree
    for child in tree.children:
        yield from nodes(child)


@given(st.data(), st.integers(0, 15))
def test_what_is_told_is_proven(data: st.DataObject, most: int) -> None:
    schema = data.draw(signatures())
    formula = data.draw(safe_formulas(schema, depth=data.draw(st.integers(1, 3)), sugar=True))
    text = formula_text(formula)
    policy, log = bind_written(parse(text, "p.mfotl"), schema, text), data.draw(drawn_logs(schema, most=6))
    answer_of(policy, log)  # leaves out what has no value
    violations = violations_of(policy, log, 2).to_pylist()
    assume(violations)
    maker = proof_maker(policy, log)
    for row in violations:
        point = int(log.stamps.searchsorted(row["ts"])) + row["offset"]
        values = {name: row[name] for name in policy.variables}
        whole = maker.proof(policy.unfolded, point, values, True)
        assert whole is not None
        tree = proof_in_part(maker, policy.unfolded, point, values, True, most)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(large_proofs, "least_claims", lambda *_: 0)
            assert proof_in_part(maker, policy.unfolded, point, values, True, most) == tree
        untold = [node for node in nodes(tree) if node.untold]
        assert proves(tree, log, texts_of(policy)) == (not untold)
        assert maker.small_proof(policy.unfolded, point, values, True, most) in (None, tree)
        for node in untold:
            assert not node.children
            assert maker.proof(node.formula, node.point, node.valuation, node.holds) is not None
        for node in nodes(tree):
            if not any(below.untold for below in nodes(node)):
                assert proves(node, log, texts_of(policy))
