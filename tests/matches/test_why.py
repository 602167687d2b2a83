"""Asking why of matches: listed matches are matches, no other events are, and removing an obstacle gives its number."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.matches.bound_events import VARIABLES
from tests.matching.worlds.drawing import worlds
from tests.matching.worlds.world import World

STRATEGIES = ("skip_till_any_match", "skip_till_next_match", "strict_contiguity", "partition_contiguity")


@settings(deadline=None)
@given(world=worlds(STRATEGIES, negated=True), rows=st.sets(st.integers(0, 9), min_size=1, max_size=4))
def test_listed_matches_are_matches_and_no_other_events_are(world: World, rows: set[int]) -> None:
    """Under every strategy, with negations and windows that slide."""
    ties = "ordered" if world.ordered else "concurrent"
    try:
        matches = cep.match(world.text, world.table, ties=ties)
    except cep.QueryError:
        reject()
    bound_sets = set()
    names = matches.schema.metadata[VARIABLES].decode().split(",")
    for row, match in enumerate(matches.slice(0, 20).to_pylist()):
        reasons = cep.why_match(world.text, world.table, matches, row, ties=ties)
        assert reasons.holds
        assert all(each.holds for each in reasons.conditions)
        values = {name: match[name] if isinstance(match[name], list) else [match[name]] for name in names}
        bound = {name: tuple(seqs) for name, seqs in values.items() if seqs and seqs != [None]}
        assert {name: tuple(seqs) for name, seqs in reasons.binding.items()} == bound
    for match in matches.to_pylist():
        values = [match[name] if isinstance(match[name], list) else [match[name]] for name in names]
        bound_sets.add(frozenset(seq for seqs in values for seq in seqs if seq is not None))
    present = sorted(rows & set(range(len(world.events))))
    if world.slide is None:
        for seqs in [present, *([sorted(next(iter(bound_sets)))] if bound_sets else [])]:
            if seqs:
                reasons = cep.why_not_match(world.text, world.table, seqs, ties=ties)
                assert reasons.holds == (frozenset(seqs) in bound_sets), (world.text, seqs, str(reasons))


LOG = pa.table({"event_type": list("ABCBB"), "ts": [0, 1, 2, 3, 9], "x": [5, 4, 9, 6, 7], "user": [1, 1, 1, 2, 1]})
QUERY = "PATTERN SEQ(A a, NOT C, B b) WHERE [user] AND b.x > a.x WITHIN 4"


def test_each_obstacle_is_what_its_removal_gives() -> None:
    """Every condition of the query, once."""
    without = {
        "b.x > a.x": "PATTERN SEQ(A a, NOT C, B b) WHERE [user] WITHIN 4",
        "[user]": "PATTERN SEQ(A a, NOT C, B b) WHERE b.x > a.x WITHIN 4",
        "NOT C C": "PATTERN SEQ(A a, B b) WHERE [user] AND b.x > a.x WITHIN 4",
        "WITHIN": "PATTERN SEQ(A a, NOT C, B b) WHERE [user] AND b.x > a.x WITHIN 100",
    }
    rows = cep.why_none(QUERY, LOG).to_pylist()
    assert {row["without"]: row["matches"] for row in rows} == {
        condition: Decimal(cep.match(text, LOG).num_rows) for condition, text in without.items()
    }
    assert [row["matches"] for row in rows] == sorted((row["matches"] for row in rows), reverse=True)
    assert all(row["exact"] for row in rows)


def test_times_that_are_time_stamps_and_frames_of_other_kinds() -> None:
    """Windows of an answer are time-stamps then; obstacles come in the log's kind."""
    log = pl.DataFrame(
        {
            "kind": list("ABB"),
            "at": [datetime(2026, 1, 1, 9, minute, tzinfo=UTC) for minute in (0, 4, 12)],
            "x": [1, 2, 3],
        }
    )
    named = {"ts": "at", "type": "kind"}
    query = "PATTERN SEQ(A a, B b) WITHIN 10 minutes SLIDE 5 minutes"
    matches = cep.match(query, log, **named)
    assert [str(cep.why_match(query, log, matches, row, **named)).splitlines()[0] for row in range(len(matches))] == [
        "a match: a = 0; b = 1"
    ] * len(matches)
    assert isinstance(cep.why_none(query, log, **named), pl.DataFrame)


def test_of_a_query_with_confidence() -> None:
    """The orders that its events may have are weighed as `match` weighs them."""
    log = pa.table({"event_type": ["A", "B"], "ts": [1, 2], "ts_lo": [1, 2], "ts_hi": [2, 3]})
    query = "PATTERN SEQ(A a, B b) WITHIN 9 WITH CONFIDENCE > 0"
    matches = cep.match(query, log)
    reasons = cep.why_match(query, log, matches)
    assert reasons.confidence == pytest.approx(matches["confidence"][0].as_py()) == pytest.approx(0.75)


def test_a_strategy_that_takes_other_events_says_which() -> None:
    """Every condition holds, but the run took an earlier event."""
    log = pa.table({"event_type": list("ABB"), "ts": range(3), "user": [1, 1, 1]})
    query = "PATTERN SEQ(A a, B b) WHERE skip_till_next_match { [user] } WITHIN 9"
    reasons = cep.why_not_match(query, log, [0, 2])
    assert not reasons.holds
    assert reasons.note.endswith("the run from event 0 took 0, 1")
    assert reasons.to_dict()["binding"] == {"a": (0,), "b": (2,)}


def test_what_a_notebook_shows() -> None:
    """Explanations and reasons keep their lines; what a query says is no markup."""
    for shown in (cep.explain(QUERY), cep.why_not_match(QUERY, LOG, [0, 1])):
        page = shown._repr_html_()
        assert re.sub("&[a-z]+;", "", page).count("<") == page.count("<") == 2
        assert "&gt;" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"row": 7}, "no row 7: there are 1 matches"),
        ({"matches": cep.match("PATTERN SEQ(A z) WITHIN 4", LOG)}, "no column 'a': they are not of this query"),
        (
            {"matches": cep.match("PATTERN SEQ(A a, B b) WITHIN 9", LOG, collapsed=True)},
            "a compact row is many matches",
        ),
        (
            {"events": LOG.slice(2)},
            "event 0 is no 'A', as variable a asks for: the matches are of another log or query",
        ),
        ({"events": LOG.slice(4)}, "events that this log does not have"),
    ],
)
def test_wrong_questions_are_refused(arguments: dict[str, object], message: str) -> None:
    """With what is wrong."""
    query = "PATTERN SEQ(A a, B b) WITHIN 2"
    asked = {"events": LOG, "matches": cep.match(query, LOG), **arguments}
    with pytest.raises(ValueError, match=re.escape(message)):
        cep.why_match(query, **asked)


def test_why_of_a_policy_names_why_of_a_match() -> None:
    """Who asks the policies' `why` about a match is told its name."""
    with pytest.raises(TypeError, match=r"cep\.why_match"):
        cep.why(QUERY, LOG, cep.match(QUERY, LOG), (0, 0))
