"""The operator's matches against those found by trying everything, and against the numbers that the papers give."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.candidates.keys import OPERATORS, compares
from cep_core.language.patterns.query import Strategy
from cep_core.shedding.arrays.costs import Costs, uniform_costs
from cep_core.shedding.arrays.open_windows import WindowSpec
from cep_core.shedding.arrays.stream import Offered, stream_of
from cep_core.shedding.machine import Machine, Start
from cep_core.shedding.operator_run import OperatorRun
from tests.shedding.drawing import SEEDS, draw_world
from tests.shedding.test_operator import key_of


def declared(pattern: Offered, ts: np.ndarray, ordered: bool) -> set[tuple[int, tuple[int, ...]]]:
    """(window, events) of every match under skip-till-any-match, by trying all combinations of its window's events."""
    opened = pattern.opened(ts)
    tick = list(range(len(ts))) if ordered else ts.tolist()
    parts, matches = pattern.parts(), set()
    for window, (opening, end) in enumerate(zip(opened.at.tolist(), opened.end.tolist(), strict=True)):
        inside = [i for i in range(opening, len(ts)) if opened.clock[i] <= end]
        for events in combinations(inside, pattern.machine.steps):
            chosen = [parts[i] for i in events]
            groups = pattern.machine.groups
            pairs = [(i, j, any(b <= s < e - 1 for b, e in groups)) for s, (i, j) in enumerate(pairwise(events))]
            if (
                all(pattern.fits[i, step] for step, i in enumerate(events))
                and len(set(chosen)) == 1
                and chosen[0] >= 0
                and all(tick[i] < tick[j] + within for i, j, within in pairs)
                and (pattern.machine.start is not Start.AT_OPENING or events[0] == opening)
                and all(
                    compares(OPERATORS[name], int(left[events[step - 1]]), int(right[events[step]]))
                    for step, tests in pattern.entering.items()
                    for name, left, right in tests
                )
                and all(
                    len({int(pattern.member[i]) for i in events[begin:end]}) == end - begin for begin, end in groups
                )
            ):
                matches.add((window, events))
    return matches


@settings(max_examples=80, deadline=None)
@given(SEEDS, st.integers(0, 16))
def test_l01_l02_matches_of_each_window_alone(seed, count):
    """Any-match in windows by time, count, predicate and slide: exactly the combinations that the definition allows."""
    world = draw_world(seed, count)
    for pattern in world.patterns:
        machine = pattern.machine
        if machine.selection is not Strategy.ANY or machine.loops or pattern.kills is not None:
            continue
        costs = uniform_costs([machine.states], 1)
        run = OperatorRun(stream_of([pattern], world.ts, costs, ordered=world.ordered), np.zeros(count, np.int64))
        run.advance(count)
        expected = declared(pattern, world.ts, world.ordered)
        keys = {
            key_of(pattern, 0, window, tuple((event, step) for step, event in enumerate(events)))
            for window, events in expected
        }
        assert set(run.match_columns()[2].tolist()) == keys
        assert run.matches == len(expected)


def test_l01_sixteen_windows_of_8000_events_are_open_at_a_slide_of_500():
    n = 20_000
    pattern = Offered(
        "any", Machine(1, Strategy.NEXT, Start.ONCE), WindowSpec(8000, events=True, slide=500), np.zeros((n, 1), bool)
    )
    run = OperatorRun(stream_of([pattern], np.arange(n), Costs(((1,),))), np.arange(n))
    run.advance(n)
    assert run.account.met[10_000:].tolist() == [16] * 10_000
    assert run.stream.open_windows[0, 10_000:].tolist() == [16] * 10_000


def test_l03_states_of_the_papers_queries():
    assert Machine(3).states == 4  # q_e
    assert Machine(10).states == 11  # Q1
    assert Machine(14).states == 15  # Q2
    assert Machine(1 + 5, groups=((1, 6),)).states == 5 + 2  # Q3 with n = 5


def test_l02_any_takes_distinct_members_in_any_order():
    """seq(S; any(2, D1, D2, D3)): each order counts, the same defender twice does not."""
    letters = np.array(list("S112S321"))
    fits = np.stack([letters == "S", letters != "S", letters != "S"], axis=1)
    member = np.array([0 if letter == "S" else int(letter) for letter in letters])
    machine = Machine(3, Strategy.NEXT, Start.AT_OPENING, groups=((1, 3),))
    pattern = Offered("Q3", machine, WindowSpec(10), fits, member=member)
    run = OperatorRun(stream_of([pattern], np.arange(8), uniform_costs([4], 1)), np.arange(8))
    run.advance(8)
    assert run.match_columns()[1].tolist() == [3, 6]
    every = Offered(
        "Q3", Machine(3, Strategy.ANY, Start.AT_OPENING, groups=((1, 3),)), WindowSpec(10), fits, member=member
    )
    run = OperatorRun(stream_of([every], np.arange(8), uniform_costs([4], 1)), np.arange(8))
    run.advance(8)
    # From the first S the ordered pairs of different numbers among 1 1 2 3 2 1, from the second among 3 2 1.
    pairs = [(a, b) for a, b in combinations("112321", 2) if a != b]
    assert run.matches == len(pairs) + 3
