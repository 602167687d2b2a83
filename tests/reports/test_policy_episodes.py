"""What a policy's page says of episodes: how many there are, where all are known, and the longest."""

from __future__ import annotations

from datetime import date

import pyarrow as pa

from jobs.reports.answers import violations
from jobs.reports.answers.episodes import listing, number_of
from jobs.reports.answers.tallies import Totals
from jobs.reports.words.clock import Clock

DAY = date(1970, 1, 1)
INTERVAL = (0, 86_400)
EPISODES = pa.table(
    {
        "first_ts": [0, 3_600, 3_600],
        "first_offset": [0, 0, 0],
        "last_ts": [0, 7_200, 86_340],
        "last_offset": [0, 1, 0],
        "points": [1, 3, 3],
        "touches_begin": [True, False, False],
        "touches_end": [False, False, True],
        "machine": ["a", "b", "a"],
        "day": [DAY] * 3,
        "run_id": ["run"] * 3,
    }
)


def test_the_number_of_episodes_is_told_where_all_are_listed() -> None:
    assert number_of(EPISODES, 7) == 3
    assert number_of(EPISODES, 8) is None
    assert number_of(EPISODES.slice(0, 0), 0) == 0


def test_the_first_sentence_has_the_number_of_episodes() -> None:
    rows = pa.table({"ts": [0], "offset": [0]})
    said = violations.answer(rows, Totals(7, 7, False), DAY, None, 3)
    assert said.sentence == "There were 7 violations in 3 episodes on 1 January 1970."
    unknown = violations.answer(rows, Totals(3, 3, False), DAY, None)
    assert unknown.sentence == "There were 3 violations on 1 January 1970."


def test_the_longest_come_first() -> None:
    """Equally long ones by time, then values; the file has all columns."""
    table = listing(EPISODES, Clock(), {"machine": "press"}, INTERVAL)
    assert table is not None
    assert [heading.title for heading in table.headings] == ["press", "from", "to", "lasted", "violations", "may go on"]
    assert [[row[0], *row[3:]] for row in table.cells] == [
        ["a", "23 hours", "3", "the day after"],
        ["b", "1 hour", "3", ""],
        ["a", "a moment", "1", "the day before"],
    ]
    assert table.header[:3] == ["machine", "first_ts", "first_offset"]
    assert table.rows[2] == ["a", 0, 0, 0, 0, 1, True, False]


def test_episodes_of_propositional_policies_have_a_share() -> None:
    """In the table it stands beside the violations; in the file it is the last column."""
    table = listing(EPISODES.append_column("share", pa.array([0.005, 0.75, 1.0])), Clock(), {}, INTERVAL)
    assert table is not None
    assert [heading.title for heading in table.headings][4:] == ["violations", "share of points", "may go on"]
    assert [(row[0], row[5]) for row in table.cells] == [("a", "100 %"), ("b", "75 %"), ("a", "0.5 %")]
    assert (table.header[-1], [row[-1] for row in table.rows]) == ("share", [1.0, 0.75, 0.005])


def test_single_points_are_no_listing() -> None:
    assert listing(EPISODES.slice(0, 1), Clock(), {}, INTERVAL) is None
    assert listing(EPISODES.slice(0, 0), Clock(), {}, INTERVAL) is None
