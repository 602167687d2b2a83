"""The words and symbols of propositional policies; `temporal.text.words` has the operators' words.

Symbols are those of Aerial and of paper 02. `U` and `S` are operators only where an operator can stand, so that atoms
may have these names.
"""

from __future__ import annotations

from collections.abc import Mapping

from cep_core.language.temporal import formulas as f
from cep_core.language.temporal.text.words import BINARY, CONNECTIVES, REGULAR, UNARY, Vocabulary

UNARY_SYMBOLS: Mapping[str, type[f.Unary]] = {
    "●": f.Prev,
    "○": f.Next,
    "◯": f.Next,
    "⧫": f.Once,
    "◆": f.Once,
    "■": f.Historically,
    "◇": f.Eventually,
    "□": f.Always,
}
BINARY_SYMBOLS: Mapping[str, type[f.Binary]] = {"U": f.Until, "S": f.Since}
CONNECTIVE_SYMBOLS: Mapping[str, type[f.And | f.Or | f.Implies | f.Equiv]] = {
    "&": f.And,
    "&&": f.And,
    "∧": f.And,
    "|": f.Or,
    "||": f.Or,
    "∨": f.Or,
    "->": f.Implies,
    "=>": f.Implies,
    "→": f.Implies,
    "⇒": f.Implies,
    "<->": f.Equiv,
    "<=>": f.Equiv,
    "↔": f.Equiv,
    "⇔": f.Equiv,
}
NEGATIONS = ("NOT", "!", "¬", "~")
TRUTHS: Mapping[str, bool] = {"TRUE": True, "true": True, "⊤": True, "FALSE": False, "false": False, "⊥": False}
KEYWORDS = (
    *UNARY,
    *BINARY,
    *CONNECTIVES,
    *(word for word in TRUTHS if word.isascii()),
    *("NOT", "INFINITY", "LET", "EXISTS", "FORALL"),
    *(word for word in REGULAR if word.isalpha() and word.isascii()),
)
"""Words that name no atom."""
VOCABULARY = Vocabulary(
    KEYWORDS,
    REGULAR,
    expected={
        "NAME": "a name",
        "NUMBER": "a number",
        "SPAN": "a number with a unit",
        "RPAR": "')'",
        "RSQB": "']'",
        "COMMA": "','",
    },
    symbols={
        "=": "atoms have no arguments; name a condition in the section 'atoms' of workload.yaml",
        "<": "atoms have no arguments; name a condition in the section 'atoms' of workload.yaml",
        ">": "atoms have no arguments; name a condition in the section 'atoms' of workload.yaml",
        "(": "atoms have no arguments; first-order policies (.mfotl) have them",
        "LET": "first-order policies (.mfotl) have definitions",
        "EXISTS": "first-order policies (.mfotl) have quantifiers",
        "FORALL": "first-order policies (.mfotl) have quantifiers",
        "∃": "first-order policies (.mfotl) have quantifiers",
        "∀": "first-order policies (.mfotl) have quantifiers",
    },
    left_out="write a pattern query (.cep), as PATTERN SEQ(a, b+, c) WITHIN 60",
)
