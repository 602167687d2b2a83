"""Infers one type for each variable of a resolved formula, as MonPoly does, and reports what contradicts itself.

Types are int, float, string and regexp; arithmetic, SUM, AVG and MED take numbers of either type, and both sides of an
operator have the same type. Parameters of a definition have one type for all its calls. Unification by union-find over
names, which are apart: almost linear. A variable that nothing determines is an int.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from cep_core.events.schema import AttributeType
from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.temporal.bind.reporting import Report
from cep_core.language.temporal.formulas import (
    Aggregation,
    Comparison,
    Exists,
    Forall,
    Formula,
    Let,
    Matches,
    Predicate,
)
from cep_core.language.temporal.terms import Arithmetic, Call, Constant, Minus, Regexp, Term, Variable
from cep_core.language.temporal.walk import walk


class TermType(Enum):
    """The type of a term, as far as it is known."""

    ANY = "of any type"
    NUMBER = "a number"
    INT = "int"
    FLOAT = "float"
    STRING = "string"
    REGEXP = "a regexp"


_OF_CONSTANTS = {int: TermType.INT, float: TermType.FLOAT, str: TermType.STRING}
OF_ATTRIBUTES = {
    AttributeType.INT: TermType.INT,
    AttributeType.FLOAT: TermType.FLOAT,
    AttributeType.STRING: TermType.STRING,
    AttributeType.BOOL: TermType.INT,
}
"""The type of an attribute's values in formulas: a bool is 0 or 1."""
ATTRIBUTE_TYPES = {
    TermType.ANY: AttributeType.INT,
    TermType.NUMBER: AttributeType.INT,
    TermType.INT: AttributeType.INT,
    TermType.FLOAT: AttributeType.FLOAT,
    TermType.STRING: AttributeType.STRING,
}
"""What the values of a variable are stored as; a regexp is none of them."""
_FUNCTIONS = {
    "i2f": (TermType.INT, TermType.FLOAT),
    "f2i": (TermType.FLOAT, TermType.INT),
    "i2s": (TermType.INT, TermType.STRING),
    "s2i": (TermType.STRING, TermType.INT),
    "f2s": (TermType.FLOAT, TermType.STRING),
    "s2f": (TermType.STRING, TermType.FLOAT),
    "r2s": (TermType.REGEXP, TermType.STRING),
    "s2r": (TermType.STRING, TermType.REGEXP),
    "YEAR": (TermType.FLOAT, TermType.INT),
    "MONTH": (TermType.FLOAT, TermType.INT),
    "DAY_OF_MONTH": (TermType.FLOAT, TermType.INT),
    "FORMAT_DATE": (TermType.FLOAT, TermType.STRING),
}
"""Argument and value of each function."""

Known = TermType | str
"""A type, or the name of a variable that has the type."""
AttributeTypes = Callable[[str, str], Known]
"""(event type, attribute) -> its type."""


def meet(left: TermType, right: TermType) -> TermType | None:
    """The type that is both; None if there is none.

    >>> meet(TermType.NUMBER, TermType.FLOAT), meet(TermType.INT, TermType.FLOAT)
    (<TermType.FLOAT: 'float'>, None)
    """
    if left is right or right is TermType.ANY:
        return left
    if left is TermType.ANY:
        return right
    for narrow, wide in ((left, right), (right, left)):
        if wide is TermType.NUMBER and narrow in (TermType.INT, TermType.FLOAT):
            return narrow
    return None


@dataclass
class Types:
    """The types of variables, found by looking at one formula after the other."""

    attribute_type: AttributeTypes
    report: Report
    written: Callable[[str], str] = str
    """The name as written of a variable, for messages."""
    _parents: dict[str, str] = field(default_factory=dict)
    _types: dict[str, TermType] = field(default_factory=dict)
    _sources: dict[str, str] = field(default_factory=dict)
    """Why a variable's type is known, for hints."""

    def of(self, name: str) -> TermType:
        """The type of a variable, as far as it is known."""
        return self._types.get(self._root(name), TermType.ANY)

    def look(self, formula: Formula) -> None:
        """Learn the types that a resolved formula gives to its variables. Reports contradictions."""
        parameters = {part.name: part.parameters for part in walk(formula) if isinstance(part, Let)}
        for part in walk(formula):
            # first what the schema says, so that a fault is told where a term is used against it
            if isinstance(part, Predicate):
                self._predicate(part, parameters.get(part.event_type))
        for part in walk(formula):
            match part:
                case Comparison():
                    self._comparison(part)
                case Matches():
                    self._expect(part.text, TermType.STRING, "MATCHES takes a string on its left")
                    self._expect(part.regexp, TermType.REGEXP, "MATCHES takes a regexp on its right")
                    for group in part.groups:
                        if group is not None:
                            self._expect(group, TermType.STRING, "a group of MATCHES is a string")
                case Aggregation():
                    self._aggregation(part)
                case Exists() | Forall():
                    for name in part.variables:
                        self._root(name)

    def share(self, name: str, known: Known) -> None:
        """Let a variable have a type, or that of another variable, if it has no other."""
        self._unify(name, known)

    # ------------------------------------------------------------ atoms

    def _predicate(self, atom: Predicate, parameters: tuple[str, ...] | None) -> None:
        if atom.names is None:
            return  # reported before
        for name, argument in zip(atom.names, atom.arguments, strict=True):
            if parameters is not None:
                expected: Known = name
                place = f"{atom.event_type}'s parameter '{self.written(name)}'"
            else:
                expected = TermType.INT if is_built_in(atom) else self.attribute_type(atom.event_type, name)
                place = f"argument {name} of {atom.event_type}"
            said = self._said(expected)
            self._expect(argument, expected, f"{place} is {said}", because=f"{said} as {place}")

    def _comparison(self, part: Comparison) -> None:
        if part.operator == "SUBSTRING":
            for term in (part.left, part.right):
                self._expect(term, TermType.STRING, "SUBSTRING compares strings")
            return
        left = self._term(part.left)
        self._expect(
            part.right,
            left,
            f"{self._shown(part.left)} is {self._said(left)}",
            because=f"compared with {self._shown(part.left)}",
        )

    def _aggregation(self, part: Aggregation) -> None:
        item = part.item.name
        match part.function:
            case "CNT":
                result: Known = TermType.INT
            case "MIN" | "MAX":
                result = item
            case _:
                self._expect(part.item, TermType.NUMBER, f"{part.function} takes numbers")
                result = item if part.function == "SUM" else TermType.FLOAT
        said = self._said(result)
        self._expect(
            part.result, result, f"the result of {part.function} is {said}", because=f"a result of {part.function}"
        )

    # ------------------------------------------------------------ terms

    def _term(self, term: Term) -> Known:
        match term:
            case Variable():
                return term.name
            case Constant():
                return _OF_CONSTANTS[type(term.value)]
            case Regexp():
                return TermType.REGEXP
            case Minus():
                self._expect(term.term, TermType.NUMBER, "a sign stands before a number")
                return self._term(term.term)
            case Call():
                takes, gives = _FUNCTIONS[term.function]
                self._expect(term.argument, takes, f"{term.function} takes {_article(takes)}")
                return gives
            case Arithmetic():
                return self._arithmetic(term)

    def _arithmetic(self, term: Arithmetic) -> Known:
        operand = TermType.INT if term.operator == "MOD" else TermType.NUMBER
        takes = f"{term.operator} takes {'integers' if term.operator == 'MOD' else 'numbers'}"
        if not (self._expect(term.left, operand, takes) and self._expect(term.right, operand, takes)):
            return operand
        left, right = self._term(term.left), self._term(term.right)
        self._expect(
            term.right,
            left,
            f"{self._shown(term.left)} is {self._said(left)}",
            because=f"beside {self._shown(term.left)}",
        )
        return left if isinstance(left, str) else right

    def _expect(self, term: Term, expected: Known, reason: str, *, because: str = "") -> bool:
        """Let a term have a type; report it with the reason, if it has another.

        `because`: what a variable then is, for the hint of a later fault; without it, of what type it is.
        """
        known = self._term(term)
        if self._unify(known, expected):
            if isinstance(known, str):
                self._sources.setdefault(known, because or f"{self._said(expected)} where {reason}")
            return True
        said, wanted = self._type(known), self._type(expected)
        hint = ""
        if isinstance(term, Variable):
            source = self._sources.get(term.name, "")
            hint = f"'{self.written(term.name)}' is {source}" if source else ""
        elif isinstance(term, Constant) and (said, wanted) == (TermType.INT, TermType.FLOAT):
            hint = f"write {term.value}.0"
        elif {said, wanted} == {TermType.INT, TermType.FLOAT}:
            hint = "i2f(...) makes a float of an int, f2i(...) an int of a float"
        self.report(f"{self._shown(term)} is {_article(said)}, but {reason}", term.at, hint)
        return False

    def _shown(self, term: Term) -> str:
        match term:
            case Variable():
                return f"'{self.written(term.name)}'"
            case Constant():
                return f'"{term.value}"' if isinstance(term.value, str) else str(term.value)
            case Regexp():
                return f'r"{term.pattern}"'
            case Call():
                return f"{term.function}(...)"
            case _:
                return "the term"

    # ------------------------------------------------------------ unification

    def _root(self, name: str) -> str:
        root = name
        while self._parents.setdefault(root, root) != root:
            root = self._parents[root]
        while self._parents[name] != root:
            self._parents[name], name = root, self._parents[name]
        return root

    def _type(self, known: Known) -> TermType:
        return known if isinstance(known, TermType) else self.of(known)

    def _said(self, known: Known) -> str:
        return _article(self._type(known))

    def _unify(self, left: Known, right: Known) -> bool:
        common = meet(self._type(left), self._type(right))
        if common is None:
            return False
        roots = [self._root(known) for known in (left, right) if not isinstance(known, TermType)]
        if len(roots) > 1:
            self._parents[roots[1]] = roots[0]
        if roots:
            self._types[roots[0]] = common
        return True


def _article(kind: TermType) -> str:
    return {TermType.INT: "an int", TermType.FLOAT: "a float", TermType.STRING: "a string"}.get(kind, kind.value)
