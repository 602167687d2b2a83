"""The edits that lie between two texts of a pattern query, each alone: the former text with one edit and no other.

An edit is a condition that is new, left out or altered, or another clause that differs. Two conditions are one altered
condition if they differ in numbers, texts and comparisons only, or else if they are about the same variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cep_core.language.patterns.syntax import WrittenQuery
from cep_core.language.patterns.text.parsing import parse
from cep_core.language.patterns.text.printing import print_expression, print_query
from cep_core.language.patterns.tree import Expression

_CLAUSES = (
    ("pattern",),
    ("strategy",),
    ("equivalences",),
    ("returns", "group_by"),
    ("within", "slide"),
    ("skip",),
    ("confidence",),
)
"""The parts of a query besides its conditions; those of one line are edited together."""

_LITERAL = re.compile(r"'(?:[^']|'')*'|\b\d+(?:\.\d+)?|!=|<=|>=|[<>=]")
_VARIABLE = re.compile(r"\b([A-Za-z_]\w*)(?:\[[^\]]*\])?\.")


@dataclass(frozen=True)
class SingleEdit:
    """`said`: the edit in a line; `text`: the former text with it alone."""

    said: str
    text: str


def single_edits(before: str, after: str) -> list[SingleEdit]:
    """All edits, in the order of a query's clauses; none if the texts differ in layout only. Raises QueryError.

    >>> text = "PATTERN SEQ(A a, B b) WHERE a.x > 3 AND b.x > a.x WITHIN 5 hours"
    >>> for edit in single_edits(text, text.replace("> 3", ">= 4").replace("5 hours", "6 hours")):
    ...     print(edit.said, "|", edit.text.splitlines()[-1])
    a.x > 3 -> a.x >= 4 | WITHIN 5 hours
    WITHIN 5 hours -> WITHIN 6 hours | WITHIN 6 hours
    """
    old, new = parse(before), parse(after)
    return [SingleEdit(said, print_query(alone)) for said, alone in [*_of_conditions(old, new), *_of_clauses(old, new)]]


def _of_clauses(old: WrittenQuery, new: WrittenQuery) -> Iterator[tuple[str, WrittenQuery]]:
    for names in _CLAUSES:
        if any(getattr(old, name) != getattr(new, name) for name in names):
            alone = replace(old, **{name: getattr(new, name) for name in names})
            yield _said(*(replace(query, conditions=()) for query in (old, alone))), alone


def _of_conditions(old: WrittenQuery, new: WrittenQuery) -> Iterator[tuple[str, WrittenQuery]]:
    left_out = [condition for condition in old.conditions if condition not in new.conditions]
    joined = [condition for condition in new.conditions if condition not in old.conditions]
    altered: dict[Expression, Expression] = {}
    for alike in (_shape, _variables):
        for condition in left_out:
            partner = next((added for added in joined if alike(added) == alike(condition)), None)
            if condition not in altered and partner is not None:
                altered[condition] = partner
                joined.remove(partner)
    for condition in left_out:
        place = old.conditions.index(condition)
        rest = old.conditions[:place], old.conditions[place + 1 :]
        if condition in altered:
            said = f"{print_expression(condition)} -> {print_expression(altered[condition])}"
            yield said, replace(old, conditions=(*rest[0], altered[condition], *rest[1]))
        else:
            yield f"without {print_expression(condition)}", replace(old, conditions=(*rest[0], *rest[1]))
    for condition in joined:
        yield f"with {print_expression(condition)}", replace(old, conditions=(*old.conditions, condition))


def _shape(condition: Expression) -> str:
    """A condition without what an alteration changes."""
    return _LITERAL.sub("?", print_expression(condition))


def _variables(condition: Expression) -> frozenset[str]:
    return frozenset(_VARIABLE.findall(_LITERAL.sub("?", print_expression(condition))))


def _said(old: WrittenQuery, new: WrittenQuery) -> str:
    """The lines of two texts that differ."""
    lines: Sequence[list[str]] = [print_query(query).splitlines() for query in (old, new)]
    gone, come = ([line for line in lines[side] if line not in lines[1 - side]] for side in (0, 1))
    if gone and come:
        return f"{', '.join(gone)} -> {', '.join(come)}"
    return f"with {', '.join(come)}" if come else f"without {', '.join(gone)}"
