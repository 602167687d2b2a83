"""What is valid in a policy but may surprise its author."""

from __future__ import annotations

from cep_core.language.propositional.explain.fixed import fixed_truth
from cep_core.language.propositional.explain.unsatisfied import is_never_met
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.temporal.formulas import And, Formula, Next, Not, Or, Predicate, Prev, Since, Truth, Until
from cep_core.language.temporal.walk import operands, walk


def warnings_of(policy: PropositionalPolicy) -> list[str]:
    """What holds or fails whatever happens, silence that breaks the policy, atoms that never hold, merged points.

    That a policy holds on the empty log is no surprise: each one about what must follow an event does.
    """
    warnings = []
    fixed = fixed_truth(policy.core)
    if not policy.atoms:
        warnings.append("the formula names no atom: no event changes its verdicts")
    elif fixed is not None:
        warnings.append(f"the policy {'holds at' if fixed else 'is violated by'} every point, whatever happens")
    elif not holds_in_silence(policy.core):
        warnings.append("a point without any of the atoms breaks the policy: silence is a violation")
    warnings += [
        f"no event can meet the condition of '{name}'"
        for name, atom in policy.atoms.items()
        if atom.condition is not None and is_never_met(atom.condition)
    ]
    if any(isinstance(part, Prev | Next) for part in walk(policy.core)):
        warnings.append(
            "PREV and NEXT look at the neighbouring time-point; with time.points by_timestamp, events of one time are "
            "one point, and by_event tells them apart"
        )
    return warnings


def holds_in_silence(formula: Formula) -> bool:
    """Whether a core formula holds where no atom ever holds, far from both ends of the log."""
    match formula:
        case Truth():
            return formula.value
        case Predicate():
            return False
        case Not():
            return not holds_in_silence(formula.body)
        case And():
            return holds_in_silence(formula.left) and holds_in_silence(formula.right)
        case Or():
            return holds_in_silence(formula.left) or holds_in_silence(formula.right)
        case Since() | Until():
            return holds_in_silence(formula.right)
        case _:
            return holds_in_silence(operands(formula)[0])
