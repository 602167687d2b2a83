"""`cep.plot`: a row for each match, every event where it happened, and axes that people can read."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cep_core as cep
from cep_core.drawing.moments import labels_of, moment_ticks

QUERY = "PATTERN SEQ(A a, B+ b[]) WITHIN 9 seconds"
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))


def words(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter() if element.tag.endswith("text")]


def test_rows_key_and_numbers() -> None:
    """At most so many matches; without a label a row is named by its time."""
    log = pa.table({"event_type": list("ABBAB"), "ts": [1000, 1002, 1003, 1005, 1006], "who": list("xxxyy")})
    matches = cep.match(QUERY, log)
    whole = cep.plot(matches, log)
    assert whole.matches == matches.num_rows > 3
    assert {"A", "B", "s since 1,000", "1,000", "1,005"} <= set(words(whole.svg))
    labelled = cep.plot(matches, log, label="who", most=3)
    assert labelled.matches == 3
    assert words(labelled.svg).count("x") == 3


def test_time_stamps_and_matches_of_pandas() -> None:
    """Full minutes of the log's own zone; a frame says itself which columns hold events."""
    at = pd.date_range("2026-03-01 09:00", periods=40, freq="1s", tz="Europe/Berlin")
    log = pd.DataFrame({"kind": ["A", "B"] * 20, "at": at})
    named = {"ts": "at", "type": "kind"}
    picture = cep.plot(cep.match("PATTERN SEQ(A a, B b) WITHIN 30 s", log, **named), log, **named)
    assert picture.matches == 20
    assert {"09:00:00", "1 Mar 2026", "09:00:10"} <= set(words(picture.svg))


def test_short_matches_begin_at_the_left() -> None:
    """Far from each other they would be dots."""
    log = pa.table({"event_type": list("ABAB"), "ts": [0, 2, 900, 903]})
    drawn = words(cep.plot(cep.match("PATTERN SEQ(A a, B b) WITHIN 9", log), log).svg)
    assert {"seconds since the match's first event", "0", "3", "900"} <= set(drawn)


def test_nothing_to_draw_and_an_unknown_label(tmp_path: Path) -> None:
    """Refused; a picture can be kept as a file."""
    log = pa.table({"event_type": list("AB"), "ts": [0, 2]})
    with pytest.raises(ValueError, match="there is no match to draw"):
        cep.plot(cep.match("PATTERN SEQ(B a, A b) WITHIN 9", log), log)
    with pytest.raises(ValueError, match="no column 'tail'"):
        cep.plot(cep.match(QUERY, log), log, label="tail")
    picture = cep.plot(cep.match(QUERY, log), log)
    picture.save(tmp_path / "matches.svg")
    assert (tmp_path / "matches.svg").read_text() == picture.svg == picture._repr_svg_()


@given(first=MOMENTS, seconds=st.integers(1, 3 * 10**9), most=st.integers(1, 9))
def test_ticks_are_round_few_and_inside(first: datetime, seconds: int, most: int) -> None:
    """Never more than there is room for, in order; some where there are seconds enough to be round."""
    last = first + timedelta(seconds=seconds)
    ticks = moment_ticks(first, last, most)
    assert ticks == sorted(set(ticks))
    assert len(ticks) <= most
    assert all(first <= tick <= last and tick.microsecond == 0 for tick in ticks)
    if most > 3 and seconds > 9:
        assert ticks
    assert len(labels_of(ticks)) == len(ticks)
