"""The first lines of a policy: comments that say what the formula is about.

`-- policy: must hold` and `-- for each: x, y` stand before the formula, each at most once. To MonPoly, and below the
formula's first word, they would be comments without meaning; so there they are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from cep_core.language.errors import Position, QueryError, lines_of
from cep_core.language.hints import did_you_mean

_DIRECTIVE = re.compile(r"\s*--\s*(policy|for\s+each)\s*:(.*)", re.IGNORECASE)
_MUST_HOLD = "must hold"
_NAME = re.compile(r"\w[\w\-/:'\"]*")


@dataclass(frozen=True)
class Heading:
    """What the first lines say."""

    must_hold: bool = False
    for_each: tuple[str, ...] = ()


def heading_of(text: str, formula_line: int, path: str) -> Heading:
    """The heading of a policy whose formula begins in a line. Raises QueryError for a line that says nothing sensible.

    >>> heading_of("-- policy: must hold\\n-- for each: x, y\\nP(x)", 3, "p.mfotl")
    Heading(must_hold=True, for_each=('x', 'y'))
    """
    lines: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(lines_of(text), start=1):
        match = _DIRECTIVE.fullmatch(line)
        if match is None:
            continue

        def refuse(message: str, hint: str = "", line: str = line, number: int = number) -> NoReturn:
            column = len(line) - len(line.lstrip()) + 1
            at = Position(number, column, len(line.strip()))
            raise QueryError(message, at, text=text, path=path, hint=hint)

        key, value = " ".join(match[1].lower().split()), match[2].strip()
        if number > formula_line:
            refuse(f"'-- {key}:' stands before the formula", "move it to the first lines")
        if key in lines:
            refuse(f"a second '-- {key}:'")
        if key == "policy":
            if value.lower().rstrip(".") != _MUST_HOLD:
                hint = did_you_mean(value, [_MUST_HOLD])
                refuse(f"unknown kind of policy '{value}'", hint or "leave the line out: results are violations")
            lines[key] = (_MUST_HOLD,)
            continue
        names = tuple(name.strip() for name in value.split(","))
        if not all(_NAME.fullmatch(name) for name in names):
            refuse("names of attributes are needed", "as in '-- for each: x, y'")
        if len(set(names)) < len(names):
            refuse("an attribute is named twice")
        lines[key] = names
    return Heading("policy" in lines, lines.get("for each", ()))
