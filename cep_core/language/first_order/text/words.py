"""The words of the language and what they stand for. A name is printed as the first word that stands for it."""

from __future__ import annotations

from collections.abc import Mapping

from cep_core.language.temporal.formulas import (
    Always,
    And,
    Binary,
    Equiv,
    Eventually,
    Exists,
    Forall,
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
QUANTIFIERS: Mapping[str, type[Exists | Forall]] = {"EXISTS": Exists, "FORALL": Forall}
AGGREGATIONS = ("CNT", "SUM", "AVG", "MIN", "MAX", "MED")
FUNCTIONS = ("i2f", "f2i", "i2s", "s2i", "f2s", "s2f", "r2s", "s2r", "YEAR", "MONTH", "DAY_OF_MONTH", "FORMAT_DATE")
REFUSED: Mapping[str, str] = {
    "LETPAST": "a recursive definition",
    "FRZ": "the freeze operator",
    "|>": "a regular expression over the future",
    "▷": "a regular expression over the future",
    "FORWARD": "a regular expression over the future",
    "MATCHF": "a regular expression over the future",
    "<|": "a regular expression over the past",
    "◁": "a regular expression over the past",
    "BACKWARD": "a regular expression over the past",
    "MATCHP": "a regular expression over the past",
}
"""What MonPoly and its relatives know and this language leaves out."""
KEYWORDS = (
    *UNARY,
    *BINARY,
    *CONNECTIVES,
    *QUANTIFIERS,
    *AGGREGATIONS,
    *FUNCTIONS,
    *(word for word in REFUSED if word.isalpha() and word.isascii()),
    *("NOT", "TRUE", "FALSE", "LET", "IN", "MATCHES", "SUBSTRING", "MOD"),
)
"""Words that name neither an event type nor a variable."""
