"""Hypothesis strategies: random propositional formulas as written, and their text in symbols with full brackets."""

from __future__ import annotations

from hypothesis import strategies as st

from cep_core.language.propositional.text.words import BINARY_SYMBOLS, CONNECTIVE_SYMBOLS, UNARY_SYMBOLS
from cep_core.language.temporal.formulas import Formula, Not, Predicate, Truth
from cep_core.language.temporal.text.printing import interval_text
from cep_core.language.temporal.text.words import BINARY, CONNECTIVES, UNARY
from tests.language.first_order.text.written_formulas import intervals

NAMES = ("a", "P0", "late_run", "U", "S", "E5", "a.b", "x-5", "ANDx", "it's", "größe", "3rd")

propositions: st.SearchStrategy[Formula] = st.recursive(
    st.one_of(st.builds(Predicate, st.sampled_from(NAMES)), st.builds(Truth, st.booleans())),
    lambda parts: st.one_of(
        st.builds(Not, parts),
        *(st.builds(kind, parts, parts) for kind in CONNECTIVES.values()),
        *(st.builds(kind, intervals(), parts) for kind in dict.fromkeys(UNARY.values())),
        *(st.builds(kind, intervals(), parts, parts) for kind in BINARY.values()),
    ),
    max_leaves=6,
)


def in_symbols(formula: Formula, draw: st.DataObject) -> str:
    """The formula with a symbol for each operator that has one, every operand in brackets, as Hydra prints."""

    def sign(words: dict[str, type[Formula]]) -> str:
        return draw.draw(st.sampled_from([word for word, kind in words.items() if kind is type(formula)]))

    match formula:
        case Predicate():
            return formula.event_type
        case Truth():
            return draw.draw(st.sampled_from(["true", "⊤"] if formula.value else ["false", "⊥"]))
        case Not():
            return f"{draw.draw(st.sampled_from(['!', '¬', '~', 'NOT ']))}({in_symbols(formula.body, draw)})"
        case _ if type(formula) in CONNECTIVES.values():
            word = sign({**CONNECTIVE_SYMBOLS})
            return f"({in_symbols(formula.left, draw)}) {word} ({in_symbols(formula.right, draw)})"
        case _ if type(formula) in BINARY.values():
            word = sign({**BINARY, **BINARY_SYMBOLS}) + interval_text(formula.interval)
            return f"({in_symbols(formula.left, draw)}) {word} ({in_symbols(formula.right, draw)})"
        case _:
            word = sign({**UNARY, **UNARY_SYMBOLS}) + interval_text(formula.interval)
            return f"{word} ({in_symbols(formula.body, draw)})"
