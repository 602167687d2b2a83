"""SEQ(A, B+, C) by position lists against the general listing and the definition."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.compile import compile_query
from cep_core.events.table import log_schema_of, order
from cep_core.language.errors import Position
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.automata.automaton import automaton_of
from cep_core.language.patterns.tree import Kleene, Sequence, Unit
from cep_core.matching.arrays.network import ends_at, network_of
from cep_core.matching.arrays.paths import BatchSize
from cep_core.matching.kernels import one_closure
from cep_core.matching.kernels.counting import count_matches
from cep_core.matching.kernels.listing import list_matches
from cep_core.matching.match_path import Path
from cep_core.matching.reference import Step, any_matches

AT = Position(1, 1)
PATTERN = Sequence((Unit("A", "a", AT), Kleene(Unit("B", "b", AT), 1, None, AT), Unit("C", "c", AT)), AT)
AUTOMATON = automaton_of(PATTERN)
COMPARE = {"<": int.__lt__, ">=": int.__ge__, "!=": int.__ne__}
Event = tuple[str, int, int]


@settings(deadline=None)
@given(
    st.lists(st.lists(st.tuples(st.sampled_from("AABBBBC"), st.integers(0, 7), st.integers(0, 2)), max_size=9)),
    st.lists(st.sampled_from(sorted(COMPARE)), max_size=2),
    st.sampled_from([2, 4, 100]),
    st.booleans(),
    st.tuples(st.integers(1, 4), st.integers(9, 12)),
    st.integers(0, 6),
)
def test_position_lists_list_what_the_general_kernel_lists(
    partitions: list[list[Event]], operators: list[str], width: int, ordered: bool, sizes: tuple[int, int], cut: int
) -> None:
    """The same matches in the same order, whatever the batches and however many are wanted; ties and partitions."""
    rows = [event for partition in partitions for event in sorted(partition, key=lambda event: event[1])]
    offsets = np.concatenate([[0], np.cumsum([len(partition) for partition in partitions], dtype=np.int64)])
    offsets = offsets.astype(np.int64)
    m = len(rows)
    ts, x = (np.array([row[k] for row in rows], np.int64) for k in (1, 2))
    fits = np.array([[row[0] == kind for kind in "ABC"] for row in rows], np.bool_).reshape(m, 3)
    tick = np.arange(m) if ordered else ts
    network = network_of(tick, fits, AUTOMATON, {(1, 1): [(name, x, x) for name in operators]})
    ends = np.flatnonzero(fits[:, 2])
    lows = np.array([_low(offsets, ts, int(end), width) for end in ends], np.int64)
    questions, seq = ends_at(ends, lows), 10 + 3 * np.arange(m)
    counts, _ = count_matches(network, questions)

    def extends(path: Path, event: int, step: Step) -> bool:
        assert step.unit is not None
        if rows[event][0] != step.unit.event_type:
            return False
        if not path:
            return True
        last, previous = path[-1]
        first = path[0][0]
        partition = np.searchsorted(offsets, [first, event], side="right")
        near = partition[0] == partition[1] and ts[event] - ts[first] <= width
        compared = step.unit.event_type != "B" or previous != "b"
        good = compared or all(COMPARE[name](int(x[last]), int(x[event])) for name in operators)
        return bool(near and good and tick[event] > tick[last])

    assert int(counts.sum()) == len(any_matches(PATTERN, m, extends))
    most = np.minimum(counts, cut) if cut else counts
    lists = one_closure.positions(network, offsets, seq, questions)
    assert lists is not None
    listed = []
    for batch in one_closure.list_closures(
        network,
        one_closure.ClosureEvents(lists, seq, ts),
        questions,
        most,
        size=BatchSize(*sizes, nodes=0),
    ):
        assert len(batch.jobs) <= sizes[0]
        for k, job in enumerate(batch.jobs.tolist()):
            closure = batch.values[batch.offsets[k] : batch.offsets[k + 1]].tolist()
            assert batch.last_ts[k] == ts[ends[job]]
            assert batch.first_ts[k] == ts[(batch.first[k] - 10) // 3]
            listed.append((job, [int(batch.first[k]), *closure, int(batch.last[k])]))
    expected = [
        (int(paths.jobs[k]), seq[paths.rows[paths.offsets[k] : paths.offsets[k + 1]]].tolist())
        for paths in list_matches(network, seq, questions, most)
        for k in range(len(paths))
    ]
    assert listed == expected


def _low(offsets: np.ndarray, ts: np.ndarray, end: int, width: int) -> int:
    begin = int(offsets[np.searchsorted(offsets, end, side="right") - 1])
    return next(row for row in range(begin, end + 1) if ts[end] - ts[row] <= width)


LOG = order(
    pa.table(
        {"event_type": list("AABABBCBCC"), "ts": [1, 1, 2, 2, 3, 3, 4, 5, 6, 6], "x": [0, 0, 1, 5, 2, 0, 3, 4, 1, 1]}
    )
)
RISING = "PATTERN SEQ(A a, B+ b[], C c) WHERE b[i].x >= b[i-1].x WITHIN 5"


def test_sources_are_put_in_order() -> None:
    """Two operating days, merged the wrong way round, some of it by the general listing."""
    evaluator = compile_query(RISING, log_schema_of(LOG))
    whole = evaluator.merge(evaluator.evaluate(LOG))
    days = [list(evaluator.evaluate(LOG, Ownership(days=day))) for day in ((5, 9), (0, 5))]
    assert evaluator.merge([*days[0], *days[1]], (0, 5, 9)).drop_columns("certain").to_pylist() == (
        whole.drop_columns("certain").to_pylist()
    )


def test_windows_with_slide() -> None:
    """Each window lists its own matches and says which it is."""
    table = cep.match(RISING + " SLIDE 2", LOG)
    assert set(table["window_start"].to_pylist()) == {0, 2}
    assert all(
        row["window_start"] <= row["first_ts"] and row["last_ts"] < row["window_end"] for row in table.to_pylist()
    )


def test_explain_says_which_listing() -> None:
    """The rule is visible: position lists for the shape, depth first over events elsewhere."""
    assert "listing: position lists of a, b, c" in str(cep.explain(RISING))
    assert "listing: depth first" in str(cep.explain("PATTERN SEQ(A a, B+ b[], C c) WHERE c.x > b[last].x WITHIN 5"))
    assert "listing: depth first" in str(cep.explain("PATTERN SEQ(A a, B+ b[], NOT D d, C c) WITHIN 5"))
