"""Stored tables of a parser are used, belong to one grammar, and are never missed."""

from __future__ import annotations

from importlib.util import cache_from_source
from pathlib import Path

import pytest
from lark import Lark
from lark.exceptions import UnexpectedInput
from lark.load_grammar import GrammarBuilder

from cep_core.language.grammar import parser_of

GRAMMAR = 'start: "a" B*\nB: "b"\n'


@pytest.fixture(params=["", "damaged", "nowhere"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Of a grammar: with nothing stored, with a damaged file, and with no place where tables could be stored."""
    grammar = tmp_path / "grammar.lark"
    stored = Path(cache_from_source(str(grammar))).with_suffix(".tables")
    if request.param == "nowhere":
        stored.parent.parent.mkdir(parents=True, exist_ok=True)
        stored.parent.write_text("no folder")
    else:
        stored.parent.mkdir(parents=True)
        if request.param:
            parser_of(GRAMMAR, grammar)
            stored.write_bytes(stored.read_bytes()[:200])
    return grammar


def test_each_parser_is_that_of_its_grammar(path: Path) -> None:
    for _ in range(2):
        parser = parser_of(GRAMMAR, path)
        assert said(parser) == ["start b b", "1:3", "1:1"]
        assert parser.get_terminal("B").pattern.value == "b"
    changed = parser_of(GRAMMAR.replace('"b"', '"c"'), path)
    assert said(changed) == ["1:2", "1:2", "1:1"]


def said(parser: Lark) -> list[str]:
    """What each text is, or where it does not fit."""
    answers = []
    for text in ("abb", "aba", "b"):
        try:
            tree = parser.parse(text)
            answers.append(" ".join([tree.data, *map(str, tree.children)]))
        except UnexpectedInput as error:
            answers.append(f"{error.line}:{error.column}")
    return answers


def test_stored_tables_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grammar = tmp_path / "grammar.lark"
    Path(cache_from_source(str(grammar))).parent.mkdir(parents=True)
    parser_of(GRAMMAR, grammar)
    monkeypatch.setattr(GrammarBuilder, "build", None)
    assert said(parser_of(GRAMMAR, grammar)) == ["start b b", "1:3", "1:1"]
    with pytest.raises(TypeError):
        parser_of(GRAMMAR + "C: B\n", grammar)
