"""The examples of the documentation say what the engine says."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["example.md", "policies.md"])
def test_a_page_is_what_a_reader_would_see(page: str) -> None:
    """Every line after `>>>` is run in order, and prints what the page says."""
    result = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert result.attempted > 5
    assert result.failed == 0


@pytest.mark.parametrize(
    ("language", "holds"),
    [
        ("temporal logic", "first-order logic"),
        ("CQL", "ThC0"),
        ("SQL-TS", "NC1"),
        ("Cayuga", "DSPACE[log n]"),
        ("XSeq", "MSO"),
        ("SASE+", "NSPACE[log n]"),
    ],
)
def test_k15_other_languages_by_their_class(language: str, holds: str) -> None:
    """SASE++, section 3.3: the manual's table has a row for each language, with its class."""
    [row] = [
        line for line in (DOCS / "matching_limits.md").read_text().splitlines() if line.startswith(f"| {language}")
    ]
    assert holds in row.split("|")[2]
