"""The edits between two texts, each alone."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from cep_core.language.patterns.syntax import WrittenQuery
from cep_core.language.patterns.text.parsing import parse
from cep_core.language.patterns.text.printing import print_query
from jobs.questions.changes.single_edits import single_edits
from tests.counts import few
from tests.language.strategies import queries


def plain(query: WrittenQuery) -> tuple[WrittenQuery, frozenset[object]]:
    """A query whose conditions stand in no order."""
    return replace(query, conditions=()), frozenset(query.conditions)


@few(12)
@given(queries(), queries())
def test_every_difference_is_an_edit(before: WrittenQuery, after: WrittenQuery) -> None:
    """Each edit's text is a query; the edits of one clause after the other lead from the one text to the other."""
    target, now = parse(print_query(after)), parse(print_query(before))
    edits = single_edits(print_query(now), print_query(target))
    assert (plain(now) == plain(target)) == (not edits)
    assert len({edit.text for edit in edits}) == len(edits)
    for _ in edits:
        [first, *_] = single_edits(print_query(now), print_query(target))
        now = parse(first.text)
    assert plain(now) == plain(target)
