"""A regular expression of a policy's text is checked when the policy is bound, not when the first text meets it."""

from __future__ import annotations

import pytest

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.errors import QueryError
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.text.parsing import parse

SCHEMA = LogSchema({"P": {"a": Attribute("a", AttributeType.STRING)}})


def bind(text: str) -> None:
    bind_written(parse(text, "p.mfotl"), SCHEMA, text, "p.mfotl")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            r'P(x) AND x MATCHES r"\(a"',
            [
                r"p.mfotl:1:20: not a regular expression: \( is not closed by \)",
                r'    P(x) AND x MATCHES r"\(a"',
                r"                       ^^^^^^ as in OCaml's Str: groups are \( \)",
            ],
        ),
        (
            r'P(x) AND x MATCHES r"\(a\)(b)" (y, z)',
            [
                "p.mfotl:1:36: the regular expression has 1 group, and this is for group 2",
                r'    P(x) AND x MATCHES r"\(a\)(b)" (y, z)',
                r"                                       ^ groups are written \( \)",
            ],
        ),
    ],
)
def test_a_wrong_expression_is_refused_with_its_place(text: str, lines: list[str]) -> None:
    with pytest.raises(QueryError) as raised:
        bind(text)
    assert str(raised.value).splitlines() == lines


def test_an_underscore_asks_for_no_group() -> None:
    """MonPoly's own tests ask for a group with `_` where there may be none."""
    bind(r'P(x) AND x MATCHES r"a" (_)')
