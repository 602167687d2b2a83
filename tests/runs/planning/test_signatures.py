"""Counts of signatures tell what counting the events of some atoms tells, for any of the counted atoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.table import with_type_codes
from cep_core.language.evaluator import Atom
from cep_core.slicing import statistics_of
from cep_core.slicing.atom_rows import AtomRows, rows_matching
from cep_core.slicing.statistics import counted_places, value_counts
from jobs.stages.slicing.counting import signatures
from jobs.stages.slicing.counting.signatures import Signatures
from tests.slicing.laws.random_plans import QUERIES, event_tables


@given(QUERIES, QUERIES, event_tables(), st.integers(0, 12), st.sampled_from([1, 2, 62]), st.booleans())
def test_counts_of_signatures_are_those_of_events(
    asked: Sequence[Atom], further: Sequence[Atom], events: pa.Table, begin: int, word: int, coded: bool
) -> None:
    """Counted in two pieces, with others beside them, in one number or several, types as texts or as codes."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(signatures, "WORD", word)
        counted = Signatures.over([*further, *asked])
        for piece in (events.slice(0, begin), events.slice(begin)):
            piece = with_type_codes(piece) if coded else piece
            counted.add(AtomRows(piece))
    assert counted.covers(asked)
    assert counted.total == events.num_rows
    expected = statistics_of(events, asked, 7)
    frequencies = {
        (relation, name): value_counts(events[name], rows_matching(relation, events))
        for relation, name in counted_places(asked)
    }
    statistics = counted.statistics(asked, frequencies, 7)
    assert replace(statistics, frequencies={}) == replace(expected, frequencies={})
    assert statistics.frequencies.keys() == expected.frequencies.keys()


def test_atoms_are_counted_whatever_their_variables_are_called() -> None:
    """Plans that queries share call variables otherwise than each query does; an atom with constants is another."""
    counted = Signatures.over([Atom("A", (("x", "v"), ("y", "v")))])
    assert counted.covers([Atom("A", (("x", "w"), ("y", "w")))])
    assert not counted.covers([Atom("A", (("x", "v"), ("y", "w")))])
    assert not counted.covers([Atom("A", (("x", "v"), ("y", "v")), (("z", 1),))])
