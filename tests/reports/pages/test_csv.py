"""The CSV beside a figure: what a log holds stays text in a spreadsheet, numbers stay numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.reports.figures.drawing.figure import csv_text
from jobs.reports.words.values import Cell

SIGNS = st.sampled_from("=+-@\t\r\n\x00 ＝'\"")


CELLS: st.SearchStrategy[Cell] = st.sampled_from([None, 1, 1.0, True, 0, -5, 2**70, 1e300, "1", "=1", "a", "b,", ""])


def cells(text: str) -> list[str]:
    """The cells of the one row below the header."""
    _, row = csv.reader(io.StringIO(text))
    return row


@given(st.one_of(st.text(), st.builds(lambda sign, rest: sign + rest, SIGNS, st.text())))
def test_no_text_begins_a_formula(text: str) -> None:
    """Whatever an attribute holds, nothing evaluates it and nothing leaves its cell."""
    first, second = cells(csv_text(["who", "n"], [[text, -3]]))
    assert second == "-3"
    assert first.isprintable() or not first.isascii()
    assert not any(ord(letter) < 32 for letter in first)
    if first.lstrip()[:1] in set("=+-@＝＋－＠"):
        float(first)  # a number, which an exact count is as text


@pytest.mark.parametrize("number", ["-12345678901234567890", "+1", "1e5", "-0.5", "7"])
def test_numbers_as_text_stay_numbers(number: str) -> None:
    """Exact counts have more digits than a float and come as text."""
    assert cells(csv_text(["who", "n"], [[number, 1]])) == [number, "1"]


def one_by_one(rows: Sequence[Sequence[Cell]]) -> str:
    """The definition: each cell for itself."""
    lines = io.StringIO()
    for row in rows:
        shown = [csv_text([cell], []).removesuffix("\n") if isinstance(cell, str) else cell for cell in row]
        texts = [next(csv.reader([text]), [""])[0] if isinstance(text, str) else text for text in shown]
        csv.writer(lines, lineterminator="\n").writerow(texts)
    return lines.getvalue()


@given(st.lists(st.lists(st.one_of(CELLS, st.text(SIGNS, max_size=3)), max_size=4).map(tuple), max_size=6))
def test_a_text_is_written_alike_wherever_it_stands(rows: list[tuple[Cell, ...]]) -> None:
    """Beside numbers that equal each other, in rows of any length, and again."""
    header = ["who", "n"]
    assert csv_text(header, rows) == one_by_one([header, *rows])


def test_plain_text_stays_as_it_is() -> None:
    """Names, lists and times are not touched."""
    plain = ["N14228", "LGA to ATL", "2013-03-08 12:00", "a, b", 'the "one"', "É"]
    assert cells(csv_text(list("abcdef"), [plain])) == plain
