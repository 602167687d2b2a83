"""Parsers from grammars, whose tables are stored beside Python's compiled modules.

Tables of an LALR(1) parser take 0.08 CPU-seconds to make for the language of patterns, and 0.01 to read. What is stored
says of which grammar, options and versions it is; if it is of others, or is damaged, the tables are made and stored
again. Where nothing can be written, they are made in each process.
"""

from __future__ import annotations

from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from lark import Lark


def parser_of(grammar: str, path: Path, **options: Any) -> Lark:
    """The parser of a grammar's text, with the places of all that it parses. `path`: the file that the text is of."""
    stored = Path(cache_from_source(str(path))).with_suffix(".tables")
    return Lark(grammar, parser="lalr", propagate_positions=True, cache=str(stored), **options)
