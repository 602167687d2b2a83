"""The words of first-order policies and what they stand for; `temporal.text.words` has those of the operators."""

from __future__ import annotations

from collections.abc import Mapping

from cep_core.language.temporal.formulas import Exists, Forall
from cep_core.language.temporal.text.words import BINARY, CONNECTIVES, REGULAR, UNARY, Vocabulary

QUANTIFIERS: Mapping[str, type[Exists | Forall]] = {"EXISTS": Exists, "FORALL": Forall}
AGGREGATIONS = ("CNT", "SUM", "AVG", "MIN", "MAX", "MED")
FUNCTIONS = ("i2f", "f2i", "i2s", "s2i", "f2s", "s2f", "r2s", "s2r", "YEAR", "MONTH", "DAY_OF_MONTH", "FORMAT_DATE")
REFUSED: Mapping[str, str] = {"LETPAST": "a recursive definition", "FRZ": "the freeze operator", **REGULAR}
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
VOCABULARY = Vocabulary(
    KEYWORDS,
    REFUSED,
    expected={
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
    },
    symbols={
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
    },
    left_out="docs/policies.md says what is left out",
)
