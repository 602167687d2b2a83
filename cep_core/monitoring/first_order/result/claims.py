"""The claims of a proof of one violation, as rows (`monitoring.shared.causes`).

The formula is the policy's as written, LET unfolded. Cost: that of the proof, for the events in the violation's reach;
a proof with too many claims is told in part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.time_points import OFFSET, offsets_in_stamp
from cep_core.events.schema import AttributeType
from cep_core.language.first_order.bind.positions import by_position
from cep_core.language.first_order.bind.unfolding import substituted
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.temporal.formulas import Aggregation, Formula
from cep_core.language.temporal.terms import Constant
from cep_core.language.temporal.walk import operands, with_operands
from cep_core.monitoring.shared.causes import MOST_CLAIMS, cause_rows
from cep_core.monitoring.shared.scalars import Value, plain
from cep_core.monitoring.shared.why.large_proofs import proof_in_part
from cep_core.monitoring.shared.why.proof import AnyOther, ProofTree, Valuation
from cep_core.monitoring.shared.why.proving import ProofMaker


def proof_maker(policy: Policy, log: PointLog) -> ProofMaker:
    """The maker of a policy's proofs on a log."""
    return ProofMaker(log, frozenset(name for name, kind in policy.types.items() if kind is AttributeType.STRING))


def claims_of(policy: Policy, maker: ProofMaker, violation: Mapping[str, Any], most: int = MOST_CLAIMS) -> pa.Table:
    """The claims of the smallest proof of a violation, all or in part. `violation`: `ts`, `offset`, free variables."""
    point, valuation = place_of(policy.variables, maker, violation)
    return claim_rows(policy, maker, proof_in_part(maker, policy.unfolded, point, valuation, True, most))


def place_of(variables: Iterable[str], maker: ProofMaker, violation: Mapping[str, Any]) -> tuple[int, dict[str, Value]]:
    """The point of a violation in the maker's log, and the values of the variables."""
    point = int(maker.reader.log.stamps.searchsorted(violation["ts"])) + violation[OFFSET]
    return point, {name: plain(violation[name]) for name in variables}


def claim_rows(policy: Policy, maker: ProofMaker, tree: ProofTree) -> pa.Table:
    """`CLAIM_COLUMNS` of a tree."""

    def text(formula: Formula, valuation: Valuation) -> str:
        return formula_text(by_position(with_values(formula, valuation), policy.schema))

    stamps = maker.reader.log.stamps
    return cause_rows(tree, stamps, offsets_in_stamp(stamps), text)


def beside(claims: pa.Table, violation: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    """The claims of a violation as rows of a schema that has the columns of both."""
    columns = {name: pa.repeat(value, claims.num_rows) for name, value in violation.items()}
    columns |= dict(zip(claims.column_names, claims.columns, strict=True))
    return pa.table([columns[name] for name in schema.names], names=schema.names).cast(schema)


def with_values(formula: Formula, valuation: Valuation) -> Formula:
    """A formula with values in the place of variables that have one; an aggregation keeps its own names."""
    if isinstance(formula, Aggregation):
        return formula
    if operands(formula):
        return with_operands(formula, lambda part: with_values(part, valuation))
    values = {name: Constant(value) for name, value in valuation.items() if not isinstance(value, AnyOther)}
    return substituted(formula, values)
