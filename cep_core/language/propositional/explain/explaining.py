"""How a policy is understood: its formula, atoms, what it reads, how it is sliced, its reach."""

from __future__ import annotations

from collections.abc import Sequence

from cep_core.language.explanation import Explanation, Section
from cep_core.language.propositional.explain.surprises import holds_in_silence, warnings_of
from cep_core.language.propositional.facts.atoms import atoms_of
from cep_core.language.propositional.facts.reach import certain_after, reach_of
from cep_core.language.propositional.facts.reads import reads_of
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.propositional.text.printing import formula_text
from cep_core.language.temporal.explaining import reach_section, slicing_section


def explain_policy(policy: PropositionalPolicy, algorithm: Sequence[str]) -> Explanation:
    """The explanation of a bound policy; `algorithm`: the lines in which its engine describes its algorithm."""
    text = formula_text(policy.formula)
    reads = {event_type: list(names) for event_type, names in reads_of(policy).items()}
    sections = [
        _kind(policy),
        Section("formula", (text,), text),
        _atoms(policy),
        Section("reads", tuple(f"{name}({', '.join(names)})" for name, names in reads.items()), reads),
        slicing_section(atoms_of(policy), policy.for_each),
        reach_section(reach_of(policy), certain_after(policy), policy.schema.unit),
        Section("algorithm", tuple(algorithm), list(algorithm)),
    ]
    warnings = warnings_of(policy)
    if warnings:
        sections.append(Section("warnings", tuple(warnings), warnings))
    return Explanation(tuple(section for section in sections if section.lines))


def _kind(policy: PropositionalPolicy) -> Section:
    lines = ["the formula says what must hold: a result is a point at which it is false"]
    if policy.for_each:
        lines.append(f"in each sub-log of events with equal {', '.join(policy.for_each)}")
    silent = holds_in_silence(policy.core)
    lines.append(f"where no atom ever holds, it is {'true' if silent else 'false'}")
    facts = {"silence": silent, "kind": policy.kind, "for_each": list(policy.for_each), "unit": policy.schema.unit}
    return Section("policy", tuple(lines), facts)


def _atoms(policy: PropositionalPolicy) -> Section:
    facts = {
        name: {"event": atom.event_type, "where": condition.condition if condition else None}
        for name, atom in policy.atoms.items()
        for condition in [policy.schema.conditions.get(name)]
    }
    lines = [
        f"{name}: {fact['event']} WHERE {fact['where']}" if fact["where"] else f"{name}: any event of this type"
        for name, fact in facts.items()
    ]
    return Section("atoms", tuple(lines), facts)
