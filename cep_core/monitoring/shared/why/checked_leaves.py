"""What the checker of proofs asks of a leaf: whether an event is what an atom means, and whether a test holds.

With `AnyOther` values a leaf must be so for every value that is meant. Three answers: yes for all of them, no for all
of them, not sure. Nothing of the engine or of the maker of proofs is used. Cost: the terms of the leaf.
"""

from __future__ import annotations

from cep_core.language.temporal import formulas as f
from cep_core.language.temporal.terms import Term, Variable
from cep_core.language.temporal.walk import variables_of
from cep_core.monitoring.shared.scalars import Value, compares, groups_in, plain, value_of
from cep_core.monitoring.shared.why.proof import AnyOther, Valuation


def fits(atom: f.Predicate, event: dict[str, Value | None], valuation: Valuation) -> bool | None:
    """Whether an event is what an atom means; None if it is so for some of the values that are meant."""
    sure, seen = True, dict[str, Value]()
    for name, term in zip(atom.names or (), atom.arguments, strict=True):
        value = event[name]
        if value is None:
            return False
        value = plain(value)
        meant = valuation[term.name] if isinstance(term, Variable) else None
        if isinstance(meant, AnyOther) and isinstance(term, Variable):
            if value in meant.excluded or not compares("=", seen.setdefault(term.name, value), value):
                return False
            sure = False
        elif (values := _known(valuation, term)) is None:
            sure = False
        elif not compares("=", value_of(term, values), value):
            return False
    return True if sure else None


def _known(valuation: Valuation, *terms: Term) -> dict[str, Value] | None:
    """The values of the terms' variables; None if one of them stands for many."""
    values = {name: valuation[name] for term in terms for name in variables_of(term)}
    known = {name: value for name, value in values.items() if not isinstance(value, AnyOther)}
    return known if len(known) == len(values) else None


def truth(test: f.Comparison | f.Matches, valuation: Valuation) -> bool | None:
    """Whether a test holds for all values that are meant (True), for none (False), or neither is sure (None)."""
    if isinstance(test, f.Comparison):
        known = _known(valuation, test.left, test.right)
        if known is not None:
            return compares(test.operator, value_of(test.left, known), value_of(test.right, known))
        return _equal(test.left, test.right, valuation) if test.operator == "=" else None
    known = _known(valuation, test.text, test.regexp)
    if known is None:
        return None
    groups = groups_in(str(value_of(test.text, known)), str(value_of(test.regexp, known)))
    pairs = (
        [] if groups is None else [(t, group) for t, group in zip(test.groups, groups, strict=False) if t is not None]
    )
    agree = [groups is not None, *(group is not None and _equals(t, group, valuation) for t, group in pairs)]
    return False if False in agree else None if None in agree else True


def _equal(left: Term, right: Term, valuation: Valuation) -> bool | None:
    if left == right and isinstance(left, Variable):
        return True
    for term, constant in ((left, right), (right, left)):
        known = _known(valuation, constant)
        if known is not None:
            return _equals(term, value_of(constant, known), valuation)
    return None


def _equals(term: Term, value: Value, valuation: Valuation) -> bool | None:
    meant = valuation[term.name] if isinstance(term, Variable) else None
    if isinstance(meant, AnyOther):
        return False if value in meant.excluded else None
    known = _known(valuation, term)
    return None if known is None else compares("=", value_of(term, known), value)
