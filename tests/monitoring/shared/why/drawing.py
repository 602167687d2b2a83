"""Policies, logs and verdicts drawn for tests of proofs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
from hypothesis import assume, event
from hypothesis import strategies as st

from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.events.schema import AttributeType
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.text.parsing import parse
from cep_core.language.first_order.text.printing import formula_text
from cep_core.monitoring.first_order.reference import satisfactions
from cep_core.monitoring.shared.scalars import Value
from cep_core.monitoring.shared.why.proof import Valuation
from cep_core.testing.formulas import safe_formulas
from cep_core.testing.signatures import drawn_logs, signatures

Verdict = tuple[int, Valuation, bool]


def drawn_policy(data: st.DataObject, depth: int, most: int = 6, *, seq: bool = True) -> tuple[Policy, PointLog]:
    """A policy with every operator, as an author writes it, and a log of up to `most` points, with or without `seq`."""
    schema = data.draw(signatures())
    text = formula_text(data.draw(safe_formulas(schema, depth=depth, sugar=True)))
    policy = bind_written(parse(text, "drawn.mfotl"), schema, text, "drawn.mfotl")
    log = data.draw(drawn_logs(schema, most=most))
    return policy, with_seq(log) if seq and data.draw(st.booleans()) else log


def with_seq(log: PointLog) -> PointLog:
    """The log with a number for each event."""
    events, first = {}, 100
    for name, typed in log.events.items():
        events[name] = replace(typed, seq=np.arange(first, first + len(typed.point)))
        first += len(typed.point)
    return PointLog(log.stamps, events)


def without_event(log: PointLog, data: st.DataObject) -> PointLog:
    """The log without one of its events."""
    types = [name for name, typed in log.events.items() if len(typed.point)]
    assume(types)
    name = data.draw(st.sampled_from(types))
    typed = log.events[name]
    rows = np.delete(np.arange(len(typed.point)), data.draw(st.integers(0, len(typed.point) - 1)))
    columns = {key: column.take(pa.array(rows)) for key, column in typed.columns.items()}
    seq = None if typed.seq is None else typed.seq[rows]
    return PointLog(log.stamps, {**log.events, name: TypedEvents(typed.point[rows], columns, seq)})


def texts_of(policy: Policy) -> frozenset[str]:
    return frozenset(name for name, kind in policy.types.items() if kind is AttributeType.STRING)


def answer_of(policy: Policy, log: PointLog) -> set[tuple[int, tuple[Value, ...]]]:
    """What the definition says. Examples in which a term has no value are left out."""
    try:
        return satisfactions(policy.formula, log, policy.types)
    except ArithmeticError:
        event("a term has no value")
        assume(False)
        raise


def verdicts(policy: Policy, log: PointLog, most: int = 12) -> list[Verdict]:
    """What the definition says at some points, of valuations that satisfy the formula there or elsewhere."""
    answer = answer_of(policy, log)
    valuations: list[tuple[Value, ...]] = sorted({values for _, values in answer}, key=repr)[:4]
    if not policy.variables:
        valuations = [()]
    places = [(point, values) for values in valuations for point in range(log.points)]
    step = max(len(places) // most, 1)
    chosen = [(p, dict(zip(policy.variables, v, strict=True)), (p, v) in answer) for p, v in places[::step]]
    event(f"holds: {any(holds for *_, holds in chosen)}, fails: {not all(holds for *_, holds in chosen)}")
    return chosen
