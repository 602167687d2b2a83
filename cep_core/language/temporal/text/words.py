"""The operators' words in both policy languages. A name is printed as the first word that stands for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cep_core.language.temporal.formulas import (
    Always,
    And,
    Binary,
    Equiv,
    Eventually,
    Historically,
    Implies,
    Next,
    Once,
    Or,
    Prev,
    Release,
    Since,
    Trigger,
    Unary,
    Until,
)

UNARY: Mapping[str, type[Unary]] = {
    "PREV": Prev,
    "PREVIOUS": Prev,
    "NEXT": Next,
    "ONCE": Once,
    "HISTORICALLY": Historically,
    "PAST_ALWAYS": Historically,
    "EVENTUALLY": Eventually,
    "SOMETIMES": Eventually,
    "ALWAYS": Always,
    "FUTURE_ALWAYS": Always,
}
BINARY: Mapping[str, type[Binary]] = {"SINCE": Since, "UNTIL": Until, "TRIGGER": Trigger, "RELEASE": Release}
CONNECTIVES: Mapping[str, type[And | Or | Implies | Equiv]] = {"AND": And, "OR": Or, "IMPLIES": Implies, "EQUIV": Equiv}
REGULAR: Mapping[str, str] = {
    "|>": "a regular expression over the future",
    "▷": "a regular expression over the future",
    "FORWARD": "a regular expression over the future",
    "MATCHF": "a regular expression over the future",
    "<|": "a regular expression over the past",
    "◁": "a regular expression over the past",
    "BACKWARD": "a regular expression over the past",
    "MATCHP": "a regular expression over the past",
}
"""Regular operators of other monitors, which both languages leave out."""


@dataclass(frozen=True)
class Vocabulary:
    """What a language's errors of syntax speak of."""

    keywords: tuple[str, ...]
    """Words that name nothing in a log."""
    refused: Mapping[str, str]
    """Words of other languages that this one leaves out, with what they are."""
    expected: Mapping[str, str]
    """The grammar's terminals as a reader knows them."""
    symbols: Mapping[str, str]
    """Hints for symbols of other languages."""
    left_out: str
    """The hint at a refused word."""
