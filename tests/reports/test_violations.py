"""What a policy's page says of a day: the number of violations, whose they are, the first ones, and when."""

from __future__ import annotations

from datetime import date

import pyarrow as pa

from jobs.reports.answers.answer import Answer
from jobs.reports.answers.concentration import concentration, leaders
from jobs.reports.answers.tallies import Totals
from jobs.reports.answers.violations import answer, by_period, late_note, listing, valued
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import Magnitude

DAY = date(1970, 1, 1)
ROWS = pa.table(
    {
        "ts": [7_200, 3_600, 3_600, 90_000],
        "offset": [0, 1, 0, 0],
        "machine": ["a", "b", "a", "a"],
        "load": [5, 7, 7, 9],
        "day": [DAY] * 4,
        "run_id": ["run"] * 4,
    }
)


def answered(rows: pa.Table, totals: Totals, named: dict[str, str]) -> Answer:
    return answer(rows, totals, DAY, concentration(rows, valued(rows), named))


def test_a_day_without_violations_reads_well() -> None:
    said = answer(ROWS.slice(0, 0), Totals(0, 0, False), DAY, None)
    assert said.sentence == "There was no violation on 1 January 1970."
    assert (said.headline, said.caveat) == (Magnitude.of(0), "")


def test_the_sentence_names_who_has_the_most() -> None:
    said = answered(ROWS, Totals(4, 4, False), {})
    assert said.sentence == "There were 4 violations on 1 January 1970; machine a had the most, 3."
    single = answered(ROWS.slice(0, 1), Totals(1, 1, False), {})
    assert single.sentence == "There was 1 violation on 1 January 1970."


def test_who_has_as_many_is_counted_and_one_violation_each_is_not_the_most() -> None:
    tied = ROWS.set_column(2, "machine", pa.array(["a", "b", "b", "a"]))
    said = answered(tied, Totals(4, 4, False), {})
    assert said.sentence == "There were 4 violations on 1 January 1970; machine a and 1 other had the most, 2 each."
    alone = ROWS.set_column(2, "machine", pa.array(["a", "b", "c", "d"]))
    assert answered(alone, Totals(4, 4, False), {}).sentence == "There were 4 violations on 1 January 1970."


def test_columns_have_the_titles_of_their_attributes() -> None:
    """A number is no one's name, however few values it has; two columns of one title keep their variables."""
    same = ROWS.set_column(3, "load", pa.array([5, 5, 5, 7]))
    named = {"machine": "milling machine"}
    assert answered(same, Totals(4, 4, False), named).sentence.endswith("; milling machine a had the most, 3.")
    titles = {"machine": "unit", "load": "unit"}
    assert [heading.title for heading in listing(ROWS, Clock(), titles, (0, 86_400)).headings][2:] == [
        "unit machine",
        "unit load",
    ]


def test_a_cut_listing_says_so() -> None:
    said = answered(ROWS, Totals(5_000, 5_000, True), {})
    assert "; machine a had the most, 3 of the 4 listed." in said.sentence
    assert said.caveat == "Only the first 4 of 5,000 violations are listed."


def test_the_first_violations_are_listed() -> None:
    """In order of time, point and values; points are numbered only where a stamp has several."""
    table = listing(ROWS, Clock(), {}, (0, 86_400))
    assert [heading.title for heading in table.headings] == ["time", "point", "machine", "load"]
    assert [row[1:] for row in table.cells] == [["0", "a", "7"], ["1", "b", "7"], ["0", "a", "5"], ["0", "a", "9"]]
    assert table.rows[0] == [3_600, 0, "a", 7]
    assert [heading.title for heading in listing(ROWS.slice(0, 1), Clock(), {}, (0, 86_400)).headings][1] == "machine"


def test_violations_are_counted_where_they_happened() -> None:
    """One that became certain today, but lies outside of today, is in no hour of it."""
    assert by_period(ROWS, (0, 86_400)) == {1: Magnitude.of(2), 2: Magnitude.of(1)}


def test_the_column_that_concentrates_most_is_told() -> None:
    """Numbers of violations that differ much between the values of one column, though another has fewer values."""
    rows = pa.table(
        {
            "ts": range(8),
            "offset": [0] * 8,
            "hall": list("ababbaab"),
            "machine": ["m", "m", "m", "m", "m", "n", "o", "p"],
        }
    )
    concentrated = concentration(rows, valued(rows), {})
    assert concentrated is not None
    assert (concentrated.column, concentrated.counts) == ("machine", {"m": 5, "n": 1, "o": 1, "p": 1})
    table = leaders(concentrated, None, Clock(), cut=True)
    assert [heading.title for heading in table.headings][:3] == ["machine", "listed violations", "share"]
    assert table.cells[0] == ["m", "5", "62 %", "0", "a moment"]


def test_violations_before_the_day_are_told() -> None:
    assert late_note(ROWS, (0, 86_400), Clock()) == ""
    said = late_note(ROWS, (7_000, 86_400), Clock())
    assert said.startswith("2 of these violations lie before this operating day, the earliest at 1 Jan 01:00: ")
