"""The causes of a policy's violations as rows: who proves them, and from which events.

A slice proves its own violations. Those of `EXISTS x. ...` before it projects are proven by their witnesses
(`witnessed`). Those of a closed `NOT EXISTS x. ...` have none: a proof refutes all values of x, and no slice of a
policy that is cut by x has all of them. They are proven once they are known, from all events in their reach. Cost: that
of the proofs, and for witnesses a second evaluation of the policy joined with the violations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from cep_core.events.logs.point_log import PointLog
from cep_core.language.first_order.facts.opening import OpenPolicy
from cep_core.language.first_order.policy import Policy
from cep_core.monitoring.first_order.answering import witnesses_of
from cep_core.monitoring.first_order.result.claims import beside, claims_of, proof_maker
from cep_core.monitoring.first_order.result.witnessed import Witnesses, witness_fields
from cep_core.monitoring.shared.causes import MOST_CLAIMS
from cep_core.monitoring.shared.sub_logs import Values
from cep_core.monitoring.shared.why.proving import ProofMaker

REFUTES = "causes refute all values: they are made once the violations are known, from all events in their reach"
"""What `explain` says of a closed NOT EXISTS."""


@dataclass(frozen=True)
class ViolationCauses:
    """Proofs of a policy's violations. `opened`: before its outermost EXISTS projects; `schema`: with `certain`."""

    policy: Policy
    opened: OpenPolicy | None
    schema: pa.Schema

    @property
    def witnessed(self) -> OpenPolicy | None:
        """The open policy, if its satisfactions are witnesses of violations."""
        return None if self.opened is None or self.opened.negated else self.opened

    @property
    def refutes(self) -> bool:
        """Whether a proof refutes all values of what slices may be cut by."""
        return self.opened is not None and self.opened.negated

    @property
    def reported(self) -> pa.Schema:
        """The columns that a slice reports."""
        further = [] if self.witnessed is None else witness_fields(self.witnessed)
        return pa.schema([*self.schema, *further])

    def batches(
        self,
        violations: pa.Table,
        logs: Mapping[Values, PointLog],
        witnesses: Witnesses | None = None,
        most: int = MOST_CLAIMS,
    ) -> list[pa.RecordBatch]:
        """The claims of a proof of each violation, made from the log of its values of `-- for each`.

        `witnesses`: those that a slice owns, of the open policy; None: all there are. At most `most` claims are looked
        at for a violation. `violations` with `certain`.
        """
        if witnesses is None and self.witnessed is not None and violations.num_rows:
            witnesses = Witnesses(self.witnessed, witnesses_of(self.witnessed, logs[()], violations))
        makers: dict[Values, ProofMaker] = {}
        tables = [self.reported.empty_table()]
        for violation in violations.to_pylist():
            values = tuple(violation[name] for name in self.policy.for_each)
            if values not in makers:
                makers[values] = proof_maker(self.policy, logs[values])
            maker = makers[values]
            if witnesses is None:
                claims = claims_of(self.policy, maker, violation, most)
            else:
                claims = witnesses.claims_of(maker, violation, most)
            tables.append(beside(claims, violation, self.reported))
        return pa.concat_tables(tables).combine_chunks().to_batches()
