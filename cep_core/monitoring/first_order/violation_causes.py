"""The causes of a policy's violations as rows: who proves them, and from which events.

A violation is proven once it is known to be told. The slice that owns it proves it. Those of `EXISTS x. ...` are
proven by their witnesses (`witnessed`), each by the slice that owns it. Those of a closed `NOT EXISTS x. ...` have
none: a proof refutes all values of x, and no slice of a policy that is cut by x has all of them. They are proven from
all events in their reach. Cost: that of the proofs, and for witnesses an evaluation of the policy joined with the
violations.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from cep_core.events.logs.point_log import PointLog
from cep_core.language.evaluator import Ownership
from cep_core.language.first_order.facts.opening import OpenPolicy
from cep_core.language.first_order.policy import Policy
from cep_core.monitoring.first_order.answering import witnesses_of
from cep_core.monitoring.first_order.result.claims import beside, claims_of, proof_maker
from cep_core.monitoring.first_order.result.witnessed import Witnesses, witness_fields
from cep_core.monitoring.shared.causes import MOST_CLAIMS
from cep_core.monitoring.shared.sub_logs import Values, sub_log_of
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
        log: PointLog,
        owned: Ownership | None = None,
        most: int = MOST_CLAIMS,
    ) -> list[pa.RecordBatch]:
        """The claims of a proof of each violation, made from the sub-log of its values of `-- for each`.

        `owned`: the witnesses that count; a violation without one has no claims. At most `most` claims are looked at
        for a violation. `violations` with `certain`, in order.
        """
        witnesses = None
        if self.witnessed is not None:
            satisfying = witnesses_of(self.witnessed, log, violations)
            witnesses = Witnesses(self.witnessed, satisfying if owned is None else satisfying.owned_by(owned, {}))
        makers: dict[Values, ProofMaker] = {}
        tables = [self.reported.empty_table()]
        for violation in violations.to_pylist():
            values = tuple(violation[name] for name in self.policy.for_each)
            if values not in makers:
                own = sub_log_of(log, self.policy.for_each, values) if values else log
                makers[values] = proof_maker(self.policy, own)
            maker = makers[values]
            if witnesses is None:
                claims: pa.Table | None = claims_of(self.policy, maker, violation, most)
            else:
                claims = witnesses.claims_of(maker, violation, most)
            if claims is not None:
                tables.append(beside(claims, violation, self.reported))
        return pa.concat_tables(tables).combine_chunks().to_batches()
