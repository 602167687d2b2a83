"""The examples of the documentation say what the engine says."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["example.md"])
def test_a_page_is_what_a_reader_would_see(page: str) -> None:
    """Every line after `>>>` is run in order, and prints what the page says."""
    result = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert result.attempted > 5
    assert result.failed == 0
