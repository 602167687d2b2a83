"""Proofs of verdicts of propositional policies (B5): one for each, accepted by the checker, with fewest leaves."""

from __future__ import annotations

import numpy as np
from hypothesis import event, given

from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.sugar import without_sugar
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.evaluation import truths
from cep_core.monitoring.shared.why.checker import proves
from cep_core.monitoring.shared.why.proving import ProofMaker
from cep_core.testing.propositional_formulas import propositional_formulas
from cep_core.testing.traces import drawn_traces
from tests.monitoring.shared.why.smallest import smallest


@given(propositional_formulas(sugar=True, depth=3), drawn_traces(stamps=3, rate=1))
def test_every_verdict_has_a_smallest_proof_and_its_contrary_has_none(formula: Formula, trace: Trace) -> None:
    log = PointLog(trace.stamps, {name: TypedEvents(np.flatnonzero(of), {}) for name, of in trace.atoms.items()})
    maker = ProofMaker(log)
    for point, holds in enumerate(truths(without_sugar(formula), trace).tolist()):
        event("holds" if holds else "does not hold")
        tree = maker.proof(formula, point, {}, holds)
        assert tree is not None
        assert proves(tree, log, frozenset())
        assert maker.proof(formula, point, {}, not holds) is None
        least = smallest(formula, log, maker.covering, point, {}, holds, frozenset())
        assert least == (tree.size, list(tree.points))
