"""The parser's errors in terms of the language: the word at the error, the words expected, and a hint."""

from __future__ import annotations

import re
from difflib import get_close_matches

from lark import UnexpectedInput
from lark.exceptions import UnexpectedToken

from cep_core.language.errors import Position, QueryError, lines_of
from cep_core.language.temporal.text.words import Vocabulary

_WORD = re.compile(r"\w[\w\-/:'\"]*")


def explained(error: UnexpectedInput, text: str, path: str, vocabulary: Vocabulary) -> QueryError:
    """The error at the first word that does not fit. `text` is the whole policy."""
    ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    if ended:
        lines = lines_of(text.rstrip())
        return QueryError(
            "the formula ends too early" + _expectation(error, vocabulary),
            Position(len(lines), len(lines[-1]) + 1),
            text=text,
            path=path,
            hint=_unclosed(text),
        )
    place = error.pos_in_stream or 0
    regexp = _refused(vocabulary)
    refused = regexp.match(text, max(place - 1, 0)) if text[place : place + 1] in ("|", ">") else None
    refused = refused or regexp.match(text, place)
    if refused is not None:
        at = _position(text, refused.start(), len(refused[0]))
        message = f"'{refused[0]}' is not supported: {vocabulary.refused[refused[0]]}"
        return QueryError(message, at, text=text, path=path, hint=vocabulary.left_out)
    word = _WORD.match(text, place)
    shown = word[0] if word is not None else text[place : place + 1]
    at = _position(text, place, len(shown))
    hint = _hint(text, place, shown, vocabulary)
    return QueryError(f"unexpected '{shown}'{_expectation(error, vocabulary)}", at, text=text, path=path, hint=hint)


def _refused(vocabulary: Vocabulary) -> re.Pattern[str]:
    words = [re.escape(word) if not word.isalpha() or word in "▷◁" else rf"\b{word}\b" for word in vocabulary.refused]
    return re.compile("|".join(words))


def _position(text: str, place: int, length: int) -> Position:
    before = text[:place]
    return Position(before.count("\n") + 1, place - (before.rfind("\n") + 1) + 1, length)


def _expectation(error: UnexpectedInput, vocabulary: Vocabulary) -> str:
    """The words that could stand at the error, if they are few."""
    accepted = set(error.accepts or ()) if isinstance(error, UnexpectedToken) else set()
    spoken = sorted({vocabulary.expected[name] for name in accepted if name in vocabulary.expected})
    if not spoken or len(accepted) > 4:
        return ""
    return ", expected " + " or ".join(spoken)


def _unclosed(text: str) -> str:
    missing = text.count("(") - text.count(")")
    return f"is a ')' missing? {missing} of '(' stay open" if missing > 0 else ""


def _hint(text: str, place: int, shown: str, vocabulary: Vocabulary) -> str:
    """What the author may have meant: a word of the language, or the end of a text or comment."""
    if text.startswith(("!=", "<>"), place) or text.startswith("<>", place - 1):
        return "write NOT x = y"
    if text.startswith("=>", place) or text.startswith("=>", place - 1):
        return "write IMPLIES, or >="
    if shown in vocabulary.symbols:
        return vocabulary.symbols[shown]
    if shown in "'\"":
        return "is the text closed by the same quote?"
    if shown in vocabulary.keywords:
        return f"{shown} is a word of the language, not a name"
    for word in reversed(list(_WORD.finditer(text, 0, place + len(shown)))[-2:]):
        nearest = get_close_matches(word[0].upper(), vocabulary.keywords, n=1, cutoff=0.65)
        if nearest and len(word[0]) > 1 and word[0] not in vocabulary.keywords:
            return f"did you mean '{nearest[0]}'?"
    if text.startswith("(*", max(place - 1, 0)):
        return "is the comment closed by '*)'?"
    return ""
