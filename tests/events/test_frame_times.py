"""The times of logs in every kind: time-stamps, their texts, moments that a call names, and numbers of a unit."""

from __future__ import annotations

import warnings
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import cep_core as cep
from cep_core.frames import NamedColumns, read_frame
from cep_core.shedding.arrays.costs import Costs


def test_windows_of_events_stay_positions() -> None:
    """They are no moments, whatever the log's times are."""
    stamps = pa.array([10, 20, 30], pa.timestamp("s"))
    log = pa.table({"event_type": ["A", "B", "B"], "ts": stamps})
    [match] = cep.match("PATTERN SEQ(A a, B b) WITHIN 2 events SLIDE 2 events", log).to_pylist()
    assert (match["first_ts"], match["window_start"], match["window_end"]) == (stamps[0].as_py(), 0, 2)


def test_texts_of_times_are_time_stamps() -> None:
    """As JSON has them, with and without an offset; whole floats are whole numbers. All else is told."""
    query = "PATTERN SEQ(A a, B b) WITHIN 9 seconds"
    for zone, utc in (("", None), ("+01:00", UTC)):
        log = [{"event_type": kind, "ts": f"2024-01-31T08:00:0{at}{zone}"} for at, kind in enumerate("AB")]
        [match] = cep.match(query, log)
        assert match["first_ts"] == datetime(2024, 1, 31, 8 if utc is None else 7, tzinfo=utc)
    assert len(cep.match(query, [{"event_type": kind, "ts": float(at)} for at, kind in enumerate("AB")])) == 1
    for odd, said in ((0.5, "not whole; give .* a finer unit"), ("soon", "no time-stamps such as"), (None, "nulls")):
        with pytest.raises(ValueError, match=f"'at' (holds|has) .*{said}"):
            cep.match(query, [{"event_type": "A", "at": odd}], ts="at")


BERLIN = pa.timestamp("ms", "Europe/Berlin")


@pytest.mark.parametrize(
    ("stamp", "moment", "number"),
    [
        (BERLIN, "2026-07-01 09:30", 1_782_891_000_000),
        (BERLIN, datetime(2026, 7, 1, 9, 30), 1_782_891_000_000),
        (BERLIN, datetime(2026, 7, 1, 7, 30, tzinfo=UTC), 1_782_891_000_000),
        (BERLIN, np.datetime64("2026-07-01T09:30"), 1_782_891_000_000),
        (BERLIN, date(2026, 7, 1), 1_782_856_800_000),
        (BERLIN, 17, 17),
        (pa.timestamp("s"), "2026-07-01 09:30", 1_782_898_200),
        (pa.int64(), np.int64(5), 5),
    ],
)
def test_a_moment_of_a_log(stamp: pa.DataType, moment: object, number: int) -> None:
    """Texts, dates and datetimes without a zone are meant in the log's."""
    log = pa.table({"event_type": ["A"], "ts": pa.array([0], pa.int64()).cast(stamp)})
    assert read_frame(log, NamedColumns(), None).number(moment) == number


@pytest.mark.parametrize(
    ("stamp", "moment", "message"),
    [
        (pa.int64(), "2026-07-01", "is no number"),
        (pa.timestamp("s"), datetime(2026, 7, 1, tzinfo=UTC), "has a zone"),
        (pa.timestamp("s"), datetime(2026, 7, 1, 0, 0, 0, 5), "would lose data"),
        (pa.timestamp("s"), "yesterday", "yesterday"),
    ],
)
def test_a_moment_that_a_log_cannot_hold(stamp: pa.DataType, moment: object, message: str) -> None:
    """Nothing is rounded or guessed."""
    log = pa.table({"event_type": ["A"], "ts": pa.array([0], pa.int64()).cast(stamp)})
    with pytest.raises(ValueError, match=message):
        read_frame(log, NamedColumns(), None).number(moment)


def test_shedding_of_a_frame_between_time_stamps() -> None:
    """The interval may be time-stamps or their text, and the columns may have other names."""
    begin = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())
    plain = pa.table({"event_type": list("AABB") * 50, "ts": range(begin, begin + 200)})
    frame = pa.table({"kind": plain["event_type"], "at": plain["ts"].cast(pa.timestamp("s"))})
    asked: dict[str, Any] = {"costs": Costs(((5, 5),)), "bound": 60, "loads": [2], "seeds": [0]}
    queries = {"ab": "PATTERN SEQ(A a, B b) WITHIN 9 seconds"}
    interval = "2026-01-01 00:01:40", datetime(2026, 1, 1, 0, 3, 20)
    shed = cep.shed(queries, frame, interval, ts="at", type="kind", **asked)
    expected = cep.shed(queries, plain, (begin + 100, begin + 200), **asked)
    assert shed.equals(expected)


@pytest.mark.parametrize(("unit", "scale"), [(None, 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)])
def test_large_numbers_of_an_unnamed_unit_are_warned_of(unit: str | None, scale: int) -> None:
    """Milliseconds since 1970 are no seconds; whoever says the unit, or means seconds, is not warned."""
    log = pa.table({"event_type": ["A", "B"], "ts": [1_706_688_000 * scale, 1_706_688_001 * scale]})
    query = "PATTERN SEQ(A a, B b) WITHIN 9 seconds"
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        cep.match(query, log)
        assert [f"did you mean unit='{unit}'?" in str(warning.message) for warning in warned] == [True] * bool(unit)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cep.match(query, log, unit=unit or "s").num_rows == 1


def test_times_since_a_begin() -> None:
    """Durations come back as such; a frame without rows is a log without events, whatever its types."""
    log = pd.DataFrame({"event_type": ["A", "B"], "ts": pd.to_timedelta([1, 2], unit="s")})
    answer = cep.match("PATTERN SEQ(A a, B b) WITHIN 1 second", log)
    assert list(answer["last_ts"]) == [pd.Timedelta(seconds=2)]
    nothing = pd.DataFrame({"event_type": pd.Series([], dtype=float), "ts": pd.Series([], dtype="int64")})
    assert len(cep.match("PATTERN SEQ(A a, B b) WITHIN 1 second", nothing)) == 0
