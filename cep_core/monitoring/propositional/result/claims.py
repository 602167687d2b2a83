"""The claims of proofs of violations, as rows (`monitoring.shared.causes`).

A propositional formula is a first-order one without variables, over the events for which its atoms hold. Cost: that of
the proofs, for the events in each violation's reach; a proof with too many claims is told by its first one. Violations
of one sub-log share the claims that they have in common.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.events.logs.time_points import offsets_in_stamp
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.propositional.text.printing import formula_text
from cep_core.language.temporal.formulas import Formula
from cep_core.monitoring.propositional.arrays.points import SplitTrace
from cep_core.monitoring.propositional.result.judgement import PLACE
from cep_core.monitoring.shared.causes import MOST_CLAIMS, cause_rows
from cep_core.monitoring.shared.why.proof import ProofTree, Valuation
from cep_core.monitoring.shared.why.proving import ProofMaker


def claims_of(
    policy: PropositionalPolicy, split: SplitTrace, events: pa.Table, violations: pa.Table, most: int = MOST_CLAIMS
) -> list[pa.Table]:
    """For each violation its columns, without `PLACE`, and those of the claims of its smallest proof."""
    starts = split.trace.starts
    makers: dict[int, tuple[ProofMaker, Ints]] = {}
    tables = []
    for violation in violations.to_pylist():
        place = violation.pop(PLACE)
        number = int(np.searchsorted(starts, place, side="right")) - 1
        if number not in makers:
            log = split.log(number, events)
            makers[number] = ProofMaker(log), offsets_in_stamp(log.stamps)
        (maker, offsets), point = makers[number], place - int(starts[number])
        tree = maker.small_proof(policy.formula, point, {}, False, most)
        root = ProofTree(policy.formula, point, {}, False)
        claims = cause_rows(tree or root, maker.reader.log.stamps, offsets, _text)
        columns = {name: pa.repeat(value, claims.num_rows) for name, value in violation.items()}
        tables.append(pa.table(columns | dict(zip(claims.column_names, claims.columns, strict=True))))
    return tables


def _text(formula: Formula, _: Valuation) -> str:
    """A claim has no values."""
    return formula_text(formula)
