"""The parser's errors in terms of the language: the word at the error, the words expected, and a hint."""

from __future__ import annotations

import re
from difflib import get_close_matches

from lark import UnexpectedInput
from lark.exceptions import UnexpectedToken

from cep_core.language.errors import Position, QueryError
from cep_core.language.first_order.text.words import KEYWORDS, REFUSED

_WORD = re.compile(r"\w[\w\-/:'\"]*")
_REFUSED = re.compile("|".join(re.escape(w) if not w.isalpha() or w in "▷◁" else rf"\b{w}\b" for w in REFUSED))
_SYMBOLS = {
    "!": "write NOT",
    "¬": "write NOT",
    "~": "write NOT",
    "&": "write AND",
    "∧": "write AND",
    "∨": "write OR",
    "|": "write OR",
    "→": "write IMPLIES",
    "↔": "write EQUIV",
    "∃": "write EXISTS x. ...",
    "∀": "write FORALL x. ...",
}
_EXPECTED = {
    "NAME": "a name",
    "NUMBER": "a number",
    "SPAN": "a number with a unit",
    "AGGREGATION": "one of CNT, SUM, AVG, MIN, MAX, MED",
    "RPAR": "')'",
    "RSQB": "']'",
    "COMMA": "','",
    "DOT": "'.'",
    "LPAR": "'('",
    "EQUAL": "'='",
    "_IN": "IN",
}


def explained(error: UnexpectedInput, text: str, path: str) -> QueryError:
    """The error at the first word that does not fit. `text` is the whole policy."""
    ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    if ended:
        lines = text.rstrip().split("\n")
        return QueryError(
            "the formula ends too early" + _expectation(error),
            Position(len(lines), len(lines[-1]) + 1),
            text=text,
            path=path,
            hint=_unclosed(text),
        )
    place = error.pos_in_stream or 0
    refused = _REFUSED.match(text, max(place - 1, 0)) if text[place : place + 1] in ("|", ">") else None
    refused = refused or _REFUSED.match(text, place)
    if refused is not None:
        at = _position(text, refused.start(), len(refused[0]))
        message = f"'{refused[0]}' is not supported: {REFUSED[refused[0]]}"
        return QueryError(message, at, text=text, path=path, hint="docs/policies.md says what is left out")
    word = _WORD.match(text, place)
    shown = word[0] if word is not None else text[place : place + 1]
    at = _position(text, place, len(shown))
    hint = _hint(text, place, shown)
    return QueryError(f"unexpected '{shown}'{_expectation(error)}", at, text=text, path=path, hint=hint)


def _position(text: str, place: int, length: int) -> Position:
    before = text[:place]
    return Position(before.count("\n") + 1, place - (before.rfind("\n") + 1) + 1, length)


def _expectation(error: UnexpectedInput) -> str:
    """The words that could stand at the error, if they are few."""
    accepted = set(error.accepts or ()) if isinstance(error, UnexpectedToken) else set()
    spoken = sorted({_EXPECTED[name] for name in accepted if name in _EXPECTED})
    if not spoken or len(accepted) > 4:
        return ""
    return ", expected " + " or ".join(spoken)


def _unclosed(text: str) -> str:
    missing = text.count("(") - text.count(")")
    return f"is a ')' missing? {missing} of '(' stay open" if missing > 0 else ""


def _hint(text: str, place: int, shown: str) -> str:
    """What the author may have meant: a word of the language, or the end of a text or comment."""
    if text.startswith(("!=", "<>"), place) or text.startswith("<>", place - 1):
        return "write NOT x = y"
    if text.startswith("=>", place) or text.startswith("=>", place - 1):
        return "write IMPLIES, or >="
    if shown in _SYMBOLS:
        return _SYMBOLS[shown]
    if shown in "'\"":
        return "is the text closed by the same quote?"
    if shown in KEYWORDS:
        return f"{shown} is a word of the language, not a name"
    for word in reversed(list(_WORD.finditer(text, 0, place + len(shown)))[-2:]):
        nearest = get_close_matches(word[0].upper(), KEYWORDS, n=1, cutoff=0.65)
        if nearest and len(word[0]) > 1 and word[0] not in KEYWORDS:
            return f"did you mean '{nearest[0]}'?"
    if text.startswith("(*", max(place - 1, 0)):
        return "is the comment closed by '*)'?"
    return ""
