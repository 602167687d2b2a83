"""Any value of any column can be shown: nothing in it reaches beyond its place."""

from __future__ import annotations

import math
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from jobs.reports.words.quantities import Magnitude, quantity
from jobs.reports.words.values import LONGEST, keyed, named, shown


@given(st.text(max_size=200))
def test_texts_have_no_invisible_letters(text: str) -> None:
    """Control, format, surrogate and separator characters are written out; the isolates around a text are ours."""
    text_shown = shown(text)
    inner = text_shown.removeprefix("\u2068").removesuffix("\u2069")
    assert all(unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for letter in inner)
    text_shown.encode("utf-8")


@given(st.text(alphabet=st.characters(categories=["L", "N"]), max_size=LONGEST))
def test_ordinary_texts_stay_as_they_are(text: str) -> None:
    """Letters and digits of any script are shown as they are."""
    assert shown(text).removeprefix("\u2068").removesuffix("\u2069") == text


def test_long_texts_are_cut() -> None:
    """With an ellipsis in the last place."""
    assert shown("x" * 1000) == "x" * (LONGEST - 1) + "…"


def test_right_to_left_texts_are_isolated() -> None:
    """So that the words after them keep their place."""
    assert keyed(("name", "dest"), ("\u05d0\u05d1", "JFK")) == "name \u2068\u05d0\u05d1\u2069, dest JFK"


@given(st.integers())
def test_integers_print_their_size(value: int) -> None:
    """Written out with separators, or with two digits of their power of ten."""
    text = quantity(Magnitude.of(value)).replace(",", "").replace("−", "-")
    assert abs(float(text) - value) <= 0.051 * abs(value)


@given(st.floats(-1e300, 1e300) | st.just(math.nan))
def test_floats_print_their_size(value: float) -> None:
    """Three significant digits or more; not a number is shown as no value."""
    text = quantity(value).replace(",", "").replace("−", "-")
    if math.isnan(value):
        assert text == "–"
    else:
        assert abs(float(text) - value) <= 0.051 * abs(value)


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_key_stands_as_in_the_log(value: int) -> None:
    """A zip code or the number of a machine has no marks at thousands: readers look for it in their log."""
    assert keyed(("zip",), (value,)) == f"zip {value}"
    assert named(["zip code"], [value]) == f"zip code {value}"


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1), st.booleans())
def test_numbers_that_are_names_are_told_apart(number: int, next_number: int, as_float: bool) -> None:
    """Whole numbers may be the names of machines or blocks: two of them never look alike, nor one as another."""
    if as_float:
        number, next_number = number >> 11, next_number >> 11
    values: list[int | float] = [float(n) if as_float else n for n in (number, next_number)]
    texts = [shown(value) for value in values]
    assert [int(text.replace(",", "")) for text in texts] == [number, next_number]
