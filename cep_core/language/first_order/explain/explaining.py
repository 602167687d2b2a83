"""How a policy is understood: its formula, types, rewriting, what it reads, how it is sliced, its reach."""

from __future__ import annotations

from collections.abc import Sequence

from cep_core.language.explanation import Explanation, Section
from cep_core.language.first_order.bind.positions import by_position
from cep_core.language.first_order.explain.surprises import warnings_of
from cep_core.language.first_order.facts.atoms import atoms_of
from cep_core.language.first_order.facts.reach import certain_after, reach_of
from cep_core.language.first_order.facts.reads import reads_of
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.temporal.explaining import reach_section, slicing_section


def explain_policy(policy: Policy, algorithm: Sequence[str]) -> Explanation:
    """The explanation of a bound policy; `algorithm`: the lines in which its engine describes its algorithm."""
    sections = [
        _kind(policy),
        _formula(policy),
        _variables(policy),
        _rewriting(policy),
        _reads(policy),
        slicing_section(atoms_of(policy), (*policy.for_each, *policy.variables)),
        reach_section(reach_of(policy), certain_after(policy), policy.schema.unit),
        Section("algorithm", tuple(algorithm), list(algorithm)),
    ]
    warnings = warnings_of(policy)
    if warnings:
        sections.append(Section("warnings", tuple(warnings), warnings))
    return Explanation(tuple(section for section in sections if section.lines))


def _kind(policy: Policy) -> Section:
    said = "what must hold, and is negated" if policy.must_hold else "what must not happen"
    lines = [f"the formula says {said}: a result is a violation"]
    if policy.for_each:
        lines.append(f"in each sub-log of events with equal {', '.join(policy.for_each)}")
    facts = {
        "kind": policy.kind,
        "must_hold": policy.must_hold,
        "for_each": list(policy.for_each),
        "unit": policy.schema.unit,
    }
    return Section("policy", tuple(lines), facts)


def _formula(policy: Policy) -> Section:
    text = formula_text(by_position(policy.formula, policy.schema))
    return Section("formula", (text,), text)


def _variables(policy: Policy) -> Section:
    kinds = {name: kind.value for name, kind in policy.variables.items()}
    lines = [f"{name}: {kind}" for name, kind in kinds.items()]
    return Section("variables", tuple(lines or ["none: a result tells the point only"]), kinds)


def _rewriting(policy: Policy) -> Section:
    text = formula_text(by_position(policy.core, policy.schema))
    same = policy.core in (policy.formula, policy.plain)
    return Section("rewriting", ("none: the formula is evaluated as it is",) if same else (text,), text)


def _reads(policy: Policy) -> Section:
    reads = reads_of(policy)
    lines = []
    for event_type, names in reads.items():
        attributes = policy.schema.attributes_of(event_type)
        nullable = [name for name in names if attributes[name].nullable]
        nulls = f"; a null {' or '.join(nullable)} matches no argument" if nullable else ""
        lines.append(f"{event_type}({', '.join(names)}){nulls}")
    return Section("reads", tuple(lines), {event_type: list(names) for event_type, names in reads.items()})
