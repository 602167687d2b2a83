"""What evaluation of a policy did on a log: the rows in and out of each subformula, as `explain` prints them.

Cost: that of the evaluation. With `-- for each` the rows of all sub-logs are added.
"""

from __future__ import annotations

from collections.abc import Sequence

from cep_core.events.logs.point_log import PointLog
from cep_core.language.explanation import Section
from cep_core.language.first_order.bind.positions import by_position
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.temporal.formulas import Formula
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.first_order.evaluation import satisfied
from cep_core.monitoring.shared.sub_logs import sub_logs


def row_counts(policy: Policy, log: PointLog) -> Section:
    """The section `rows`: each subformula that was evaluated, operands first. Raises EvaluationError.

    A row is a valuation that holds for a run of time-points. Equal subformulas are evaluated once.
    """
    counts: dict[Formula, tuple[list[int], int]] = {}

    def add(part: Formula, rows_in: Sequence[int], rows_out: int) -> None:
        before, out = counts.get(part, ([0] * len(rows_in), 0))
        counts[part] = [old + new for old, new in zip(before, rows_in, strict=True)], out + rows_out

    for own in (own for _, own in sub_logs(log, policy.for_each)) if policy.for_each else (log,):
        try:
            satisfied(policy.core, own, policy.types, recorder=add)
        except EvaluationError as error:
            raise error.of_text(policy.text, policy.path) from None
    facts = [
        {"formula": formula_text(by_position(part, policy.schema)), "in": rows_in, "out": rows_out}
        for part, (rows_in, rows_out) in counts.items()
    ]
    return Section("rows", tuple(map(_line, facts)), facts)


def _line(fact: dict[str, object]) -> str:
    """The rows of one subformula.

    >>> _line({"formula": "P(x) AND Q(x)", "in": [3, 1200], "out": 2})
    'P(x) AND Q(x): 3 and 1,200 in, 2 out'
    """
    rows_in = fact["in"]
    assert isinstance(rows_in, list)
    numbers = " and ".join(f"{number:,}" for number in rows_in) or "none"
    return f"{fact['formula']}: {numbers} in, {fact['out']:,} out"
