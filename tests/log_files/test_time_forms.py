"""Times of a written form: equal to Python's own reading of the same form, over random moments and forms."""

from __future__ import annotations

import re
from datetime import datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.exits import WrongWorkload
from jobs.log_files.times.forms import TimeForm

_DATES = ["%Y-%m-%d", "%y%m%d", "%d/%b/%Y", "%m.%d.%Y", "[%b %d %Y]", "%Y%m%d"]
_CLOCKS = ["%H:%M:%S", "%H%M%S", "%H:%M", "%I:%M:%S %p", "%H:%M:%S.%f", "%S,%f of %H:%M", "%H"]
_FORMS = st.builds(
    "{}{}{}".format, st.sampled_from(_DATES), st.sampled_from(["T", " ", ":", "%%", ""]), st.sampled_from(_CLOCKS)
)
_MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2068, 12, 31))


@given(_FORMS, st.lists(_MOMENTS | st.none(), min_size=1, max_size=4))
def test_a_form_reads_what_it_writes(form: str, moments: list[datetime | None]) -> None:
    """Each moment is written by Python in the form, and read by both; nulls stay."""
    texts = [None if moment is None else moment.strftime(form) for moment in moments]
    expected = [None if text is None else datetime.strptime(text, form) for text in texts]
    assert TimeForm(form).read(pa.chunked_array([texts], pa.string()), "t").to_pylist() == expected


@given(_FORMS, _MOMENTS, st.integers(0, 40), st.sampled_from("0789x:- Z"))
def test_a_text_of_another_form_is_shown(form: str, moment: datetime, place: int, letter: str) -> None:
    """One letter is changed: the form is read as Python reads it, or refused with the text, never guessed."""
    text = moment.strftime(form)
    place %= len(text)
    text = text[:place] + letter + text[place + 1 :]
    try:
        expected = datetime.strptime(text, form)
    except ValueError:
        expected = None
    texts = pa.chunked_array([[text]])
    # Python also takes one digit for two, and other blanks and letters: such a text is refused here
    if expected is None or expected.strftime(form) != text:
        with pytest.raises(WrongWorkload, match=re.escape(f"'{text}'")):
            TimeForm(form).read(texts, "t")
    else:
        assert TimeForm(form).read(texts, "t").to_pylist() == [expected]


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("%Y-%m", "a date needs a year, a month and a day"),
        ("%Y%m%d %Y", "%Y stands twice"),
        ("%b %d %H:%M", "if the file has no year, write one in front of it there"),
        ("%a %d.%m.%Y", "%a, a weekday, is not read: remove it from the file"),
        ("%Q", "%Q is not known"),
        ("soon", "it has no directive"),
        ("%I:%M", "%I needs %p"),
        ("%M:%S", "neither a date nor an hour"),
    ],
)
def test_a_wrong_form_is_told(form: str, said: str) -> None:
    with pytest.raises(WrongWorkload, match=said):
        TimeForm(form)


def test_days_that_do_not_exist_are_refused() -> None:
    """The message shows the text itself, wherever it stands."""
    texts = ["28.02.2023", "29.02.2024", None, "29.02.2023", "01.03.2023"]
    with pytest.raises(WrongWorkload, match=r"'29\.02\.2023'"):
        TimeForm("%d.%m.%Y").read(pa.chunked_array([texts]), "t")


def test_offsets_and_nanoseconds() -> None:
    """A zone's offset gives a moment; parts of a microsecond keep their digits."""
    [moment] = TimeForm("%Y-%m-%dT%H:%M:%S%z").read(pa.chunked_array([["2025-06-20T09:01:50+02:00"]]), "t").to_pylist()
    assert moment.isoformat() == "2025-06-20T07:01:50+00:00"
    fine = TimeForm("%Y-%m-%d %H:%M:%S.%f").read(pa.chunked_array([["2025-06-20 09:01:50.123456789"]]), "t")
    assert fine.type == pa.timestamp("ns")
    assert fine.cast(pa.int64()).to_pylist()[0] % 1_000_000_000 == 123456789
