"""Leaves of proofs: an event or its absence for an atom, and tests of values.

Values may stand for many (`AnyOther`): a leaf is made only if it is the same for all of them. Cost: the events of the
atom's type at its point.
"""

from __future__ import annotations

from cep_core.language.temporal.formulas import Comparison, Matches, Predicate
from cep_core.language.temporal.terms import Term, Variable
from cep_core.monitoring.shared.scalars import Value, compares, groups_in, value_of
from cep_core.monitoring.shared.why.proof import AnyOther, ProofTree, Valuation, is_beside_equation
from cep_core.monitoring.shared.why.reading import LogReader, known_values


def leaf(
    reader: LogReader, atom: Predicate | Comparison | Matches, point: int, valuation: Valuation, holds: bool
) -> ProofTree | None:
    """The proof that an atom or a test holds, or does not; None if it is not so, or a term has no value."""
    if not isinstance(atom, Predicate):
        return ProofTree(atom, point, valuation, holds) if _truth(atom, valuation) is holds else None
    if any(map(is_beside_equation, valuation.values())):
        return None
    try:
        events = list(reader.meant(atom, point, valuation))
    except ArithmeticError:
        return None
    if not holds:
        return None if events else ProofTree(atom, point, valuation, holds)
    for event, given in events:
        if given == {}:
            seq = event.get("seq")
            return ProofTree(atom, point, valuation, holds, (), seq if isinstance(seq, int) else None)
    return None


def _truth(test: Comparison | Matches, valuation: Valuation) -> bool | None:
    """Whether a test holds for the values that are meant; None: not the same for all, or a term has no value."""
    try:
        if isinstance(test, Matches):
            return _match(test, valuation)
        known = known_values(valuation, test.left, test.right)
        if known is not None:
            return compares(test.operator, value_of(test.left, known), value_of(test.right, known))
        if test.operator != "=":
            return None
        if isinstance(test.left, Variable) and test.left == test.right:
            return True
        for term, equal in ((test.left, test.right), (test.right, test.left)):
            known = known_values(valuation, equal)
            if known is not None:
                return _differs(term, value_of(equal, known), valuation)
    except ArithmeticError:
        pass
    return None


def _match(test: Matches, valuation: Valuation) -> bool | None:
    known = known_values(valuation, test.text, test.regexp)
    if known is None:
        return None
    groups = groups_in(str(value_of(test.text, known)), str(value_of(test.regexp, known)))
    if groups is None:
        return False
    answer: bool | None = True
    for term, group in zip(test.groups, groups, strict=False):
        if term is None:
            continue
        known = known_values(valuation, term)
        if group is None or (known is not None and not compares("=", value_of(term, known), group)):
            return False
        if known is None:
            if _differs(term, group, valuation) is False:
                return False
            answer = None
    return answer


def _differs(term: Term, value: Value, valuation: Valuation) -> bool | None:
    """False if a term that stands for many values is never this one; None if it may be."""
    reading = valuation[term.name] if isinstance(term, Variable) else None
    return False if isinstance(reading, AnyOther) and value in reading.excluded else None
