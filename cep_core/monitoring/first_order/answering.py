"""The satisfactions of a policy on a log of points: its own, those of a part of it, and the witnesses of some of them.

Where a formula can do without points at which none of its events is, and these are many, they are not looked at. Cost:
that of the operators (`evaluation`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from cep_core.events.chunks import one_array
from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.events.logs.time_points import OFFSET
from cep_core.language.first_order.facts.opening import OpenPolicy
from cep_core.language.first_order.facts.reach import certain_after
from cep_core.language.first_order.facts.reads import atoms_looked_at, reads_of
from cep_core.language.first_order.policy import Policy
from cep_core.language.temporal.formulas import And, Formula, Predicate
from cep_core.language.temporal.terms import Variable
from cep_core.language.temporal.walk import walk
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.first_order.arrays.occupied import has_events, occupied_points
from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.arrays.texts import Texts
from cep_core.monitoring.first_order.plan.silence import ignores_silence
from cep_core.monitoring.first_order.result.satisfactions import Satisfactions
from cep_core.monitoring.first_order.stretches import satisfied_in_stretches

_VIOLATED = "(violated)"
"""An event type that no log has."""


def looked_at_by(policy: Policy) -> dict[str, tuple[str, ...]]:
    """The columns of each event type that a policy's log needs; `seq` and `ts` where an atom names them."""
    columns: dict[str, dict[str, None]] = {name: dict.fromkeys(own) for name, own in reads_of(policy).items()}
    for atom in atoms_looked_at(policy):
        columns.setdefault(atom.event_type, {}).update(dict.fromkeys(atom.names or ()))
    return {name: tuple(own) for name, own in columns.items()}


def satisfactions_of(policy: Policy, log: PointLog) -> tuple[Relation, Texts]:
    """The relation of a policy on a log, its columns in the order of `policy.variables`, and its dictionary of texts.

    Raises EvaluationError, with the policy's line, where a term has no value.
    """
    relation, texts = satisfied_part(policy, policy.core, log)
    return relation.of_variables(tuple(policy.variables)), texts


def satisfied_part(
    policy: Policy, formula: Formula, log: PointLog, texts: Texts | None = None
) -> tuple[Relation, Texts]:
    """The relation of a part of a policy, in columns of its own order. Raises as `satisfactions_of`."""
    types = {part.event_type for part in walk(formula) if isinstance(part, Predicate)}
    try:
        if not ignores_silence(formula) or 2 * np.count_nonzero(has_events(log, types)) > log.points:
            return satisfied_in_stretches(formula, policy.plain, log, policy.types, texts)
        own = occupied_points(log, types)
        relation, texts = satisfied_in_stretches(formula, policy.plain, own.log, policy.types, texts)
        return own.in_whole(relation), texts
    except EvaluationError as error:
        raise error.of_text(policy.text, policy.path) from None


def witnesses_of(opened: OpenPolicy, log: PointLog, violations: pa.Table) -> Satisfactions:
    """The satisfactions of an open policy that are witnesses of some violations of the closed one, in order.

    Violations are joined as events of their own, so that they are what the plan begins with. Only what comes before the
    last one is certain is looked at. Cost: at most that of the open policy, and mostly that of the closed one.
    """
    own = opened.policy
    visible = [name for name in own.variables if name not in opened.hidden]
    ts = violations["ts"].to_numpy()
    read, after = log, certain_after(own)
    if len(ts) and after is not None:
        read = log.between(0, int(np.searchsorted(log.stamps, int(ts[-1]) + after, "right")))
    point = np.searchsorted(log.stamps, ts) + violations[OFFSET].to_numpy()
    columns = {name: one_array(violations[name]) for name in visible}
    marked = replace(read, events={**read.events, _VIOLATED: TypedEvents(point, columns)})
    violated = Predicate(_VIOLATED, tuple(map(Variable, visible)), tuple(visible))
    relation, texts = satisfied_part(own, And(violated, own.core), marked)
    return Satisfactions(relation.of_variables(tuple(own.variables)), texts, own.variables)
