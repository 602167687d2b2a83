"""What is said of logs without events is so on every log without events."""

from __future__ import annotations

from hypothesis import event, given

from cep_core.language.temporal.formulas import Formula
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.plan.silence import without_events
from cep_core.monitoring.propositional.reference import truth
from cep_core.testing.propositional_formulas import propositional_formulas
from cep_core.testing.traces import drawn_traces


@given(propositional_formulas(depth=3, unbounded_future=True), drawn_traces(rate=2, logs=2))
def test_the_truth_at_every_point(formula: Formula, trace: Trace) -> None:
    silent = Trace(trace.stamps, {name: holds & False for name, holds in trace.atoms.items()}, trace.starts)
    said = without_events(formula)
    event(str(said))
    if said is not None:
        assert set(truth(formula, silent).tolist()) <= {said}
