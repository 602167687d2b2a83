"""MonPoly's signatures."""

from __future__ import annotations

import pytest

from cep_core.events.logs.errors import SignatureError
from cep_core.events.logs.signature import parse_signature
from cep_core.events.schema import Attribute, AttributeType


def test_forms() -> None:
    schema = parse_signature(
        "# a log\npublish (author:string, file : int)   approve(int,:float)\nT() (* no\n more *) T();\n"
        "M(r:regexp, b:bool)"
    )
    assert {
        name: {a: kind.type.value for a, kind in attributes.items()} for name, attributes in schema.types.items()
    } == {
        "publish": {"author": "string", "file": "int"},
        "approve": {"1": "int", "2": "float"},
        "T": {},
        "M": {"r": "string", "b": "bool"},
    }
    assert schema.types["publish"]["file"] == Attribute("file", AttributeType.INT, nullable=False)
    assert parse_signature("").types == {}


def test_a_name_with_several_numbers_of_arguments_is_several_types() -> None:
    schema = parse_signature("P(int) Q(int) P(string,int) P()")
    assert list(schema.types) == ["P/1", "Q", "P/2", "P/0"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("P(int)\nQ", 2, "a declaration is needed"),
        ("P(int", 1, "a declaration is needed"),
        ("P(int)\n\nQ(x: number)", 3, "unknown type 'number' of 'Q': use int, float, string, bool, regexp"),
        ("P(x y)", 1, "'x y' is no attribute of 'P'"),
        ("P(int,)", 1, "'' is no attribute of 'P'"),
        ("P(x:int, x:int)", 1, "'P' has two attributes 'x'"),
        ("P(int)\nP(string)", 2, "'P' is declared twice with different attributes"),
    ],
)
def test_faults(text: str, line: int, message: str) -> None:
    with pytest.raises(SignatureError) as caught:
        parse_signature(text, "my.sig")
    assert message in caught.value.message
    assert (caught.value.path, caught.value.line, caught.value.text) == ("my.sig", line, text.splitlines()[line - 1])
