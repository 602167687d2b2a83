"""Stream statistics and heavy hitters (rows S16, S18), exact and sketched."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.slicing import Frequencies, Statistics, heavy_hitters, heavy_values, statistics_by_interval, statistics_of
from cep_core.slicing.atom_rows import relation_of
from cep_core.slicing.sketch import sketched_statistics
from tests.slicing.laws.random_plans import atoms, event_tables
from tests.slicing.paper import atom, log


def counts(frequencies: Frequencies) -> dict[object, int]:
    return dict(zip(frequencies.values.to_pylist(), frequencies.counts.tolist(), strict=True))


def test_example_6() -> None:
    """S16: A1, A2 at 0, A3 and B7 at 1, A1 at 3, in intervals of length 2 for 2 slices."""
    events = log(("A", 1), ("A", 2), ("A", 3), ("B", 7), ("A", 1)).set_column(1, "ts", pa.array([0, 0, 1, 1, 3]))
    by_interval = statistics_by_interval(events, [atom("A", "x"), atom("B", "x")], 2)
    assert (by_interval[0].rate("A"), by_interval[0].rate("B")) == (1.5, 0.5)
    assert (by_interval[1].rate("A"), by_interval[1].rate("B")) == (0.5, 0.0)
    heavy = {
        (index, kind): heavy_hitters(by_interval[index], Atom(kind), "a", 2).values.to_pylist()
        for index in (0, 1)
        for kind in "AB"
    }
    assert heavy == {(0, "A"): [], (0, "B"): [7], (1, "A"): [1], (1, "B"): []}


def test_exactly_the_threshold_is_light() -> None:
    """S16: a value with exactly rate / slices is not heavy, one event more is."""
    twelve = Statistics({"A": 12}, {(Atom("A"), "a"): Frequencies(pa.array([1, 2, 3]), np.array([5, 4, 3]))})
    assert heavy_hitters(twelve, Atom("A"), "a", 3).values.to_pylist() == [1]


def test_heavy_values_of_a_variable_are_those_of_all_its_attributes() -> None:
    """S18: the union over the attributes that bind the variable, as values of its type, without repetition."""
    events = log(*[("P", 1)] * 5, *[("Q", 2)] * 5, *[("Q", 1)] * 5, ("R", 9))
    own = [atom("P", "x"), atom("Q", "x"), atom("R", "y")]
    kinds = {"x": AttributeType.FLOAT, "y": AttributeType.INT}
    heavy = heavy_values(own, kinds, statistics_of(events, own), 3)
    assert {name: values.to_pylist() for name, values in heavy.items()} == {"x": [1.0, 2.0], "y": [9]}


def test_an_attribute_has_fewer_heavy_values_than_slices() -> None:
    """S18: at most slices - 1 values can be heavier than 1 / slices."""
    events = log(*(("P", value % 9) for value in range(900)), *[("P", 0)] * 100)
    statistics = statistics_of(events, [atom("P", "x")])
    for slices in range(1, 12):
        assert len(heavy_hitters(statistics, Atom("P"), "a", slices).values) < slices


def test_matched_events_leave_out_constants_repetitions_and_nulls() -> None:
    """`matched` counts what an atom matches; `relevant` what any atom matches, once."""
    events = log(("P", 1, 1), ("P", 1, 2), ("P", None, 2), ("Q", 5), ("R", 1))
    own = [atom("P", "x", "x"), atom("P", "x", "y"), atom("Q", "x", a=4)]
    statistics = statistics_of(events, own)
    assert [statistics.matching(atom_) for atom_ in own] == [1, 2, 0]
    assert statistics.relevant == 2
    assert dict(statistics.events) == {"P": 3, "Q": 1}


def test_constants_make_a_relation_of_its_own() -> None:
    """S16: 1 is heavy in the events with b = 7, where it is one of two, and light elsewhere and in the type."""
    events = log(("P", 1, 7), ("P", 2, 7), *(("P", value, 8) for value in range(1, 19)))
    own = [atom("P", "x", b=7), atom("P", "x", b=8), atom("P", "x")]
    statistics = statistics_of(events, own)
    assert [statistics.matching(relation_of(atom_)) for atom_ in own] == [2, 18, 20]
    heavy = [heavy_hitters(statistics, relation_of(atom_), "a", 4).values.to_pylist() for atom_ in own]
    assert heavy == [[1, 2], [], []]


def test_equal_attributes_make_a_relation_of_their_own() -> None:
    """Values of P(x, x) are counted where both are equal; without constants a relation is the event type."""
    events = log(("P", 1, 1), ("P", 1, 2), ("P", 1, 3), ("P", 4, 4))
    own = [atom("P", "x", "x"), atom("P", "y", "z")]
    statistics = statistics_of(events, own)
    assert counts(statistics.frequencies[relation_of(own[0]), "a"]) == {1: 1, 4: 1}
    assert counts(statistics.frequencies[Atom("P"), "a"]) == {1: 3, 4: 1}


@given(event_tables(), st.lists(atoms(), min_size=1, max_size=3), st.integers(0, 12))
@settings(deadline=None)
def test_statistics_add(events: pa.Table, own: list[Atom], border: int) -> None:
    """S16: the statistics of two parts of a log add up to those of the whole."""
    whole = statistics_of(events, own, 2)
    parts = statistics_of(events.slice(0, border), own, 1) + statistics_of(events.slice(border), own, 1)
    assert (parts.events, parts.matched, parts.relevant, parts.span) == (
        whole.events,
        whole.matched,
        whole.relevant,
        whole.span,
    )
    assert {k: counts(f) for k, f in parts.frequencies.items()} == {k: counts(f) for k, f in whole.frequencies.items()}


def sketched(values: list[int], chunk: int, log2_entries: int) -> tuple[Statistics, Statistics]:
    events = pa.table({"event_type": ["P"] * len(values), "ts": range(len(values)), "a": values})
    batches = (events.slice(start, chunk) for start in range(0, len(values), chunk))
    own = [atom("P", "x")]
    return sketched_statistics(batches, own, slices=8, log2_entries=log2_entries), statistics_of(events, own)


def test_sketched_frequencies_keep_their_error_bound() -> None:
    """Bounded memory: counts are upper bounds, off by at most the error told, and no heavy value is missed."""
    values = np.random.default_rng(3).zipf(1.2, 50_000).clip(max=10**9).tolist()
    sketch, exact = sketched(values, 5_000, log2_entries=7)
    kept, truth = sketch.frequencies[Atom("P"), "a"], counts(exact.frequencies[Atom("P"), "a"])
    assert len(kept.counts) <= 0.75 * 2**7 < len(truth)
    assert kept.error <= 3.5 / 2**7 * len(values)
    for value, count in counts(kept).items():
        assert truth[value] <= count <= truth[value] + kept.error
    heavy = {value for value, count in truth.items() if count * 8 > len(values)}
    assert heavy <= set(heavy_hitters(sketch, Atom("P"), "a", 8).values.to_pylist())
    assert (sketch.events, sketch.matched, sketch.relevant) == (exact.events, exact.matched, exact.relevant)


def test_a_sketch_with_room_for_everything_is_exact() -> None:
    """Few distinct values: no error."""
    sketch, exact = sketched([value % 11 for value in range(500)], 100, log2_entries=7)
    assert sketch.frequencies[Atom("P"), "a"].error == 0
    assert counts(sketch.frequencies[Atom("P"), "a"]) == counts(exact.frequencies[Atom("P"), "a"])


def test_a_sketch_too_small_for_the_slices_is_refused() -> None:
    """A sketch that could miss a heavy value is an error before anything is read."""
    with pytest.raises(ValueError, match="more entries"):
        sketched_statistics([], [atom("P", "x")], slices=64, log2_entries=7)
