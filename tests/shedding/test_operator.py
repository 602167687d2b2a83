"""The operator's kernels against the operator in plain Python, and against matches found by trying everything."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.candidates.keys import OPERATORS, compares
from cep_core.language.patterns.query import Strategy
from cep_core.shedding.arrays.costs import Costs, uniform_costs
from cep_core.shedding.arrays.open_windows import WindowSpec
from cep_core.shedding.arrays.pool import OWN, WORTH
from cep_core.shedding.arrays.rules import EVENTS, LOWEST, RECORD, REPLAY, Rules, guarded
from cep_core.shedding.arrays.stream import Offered, stream_of
from cep_core.shedding.hindsight.clairvoyance import Clairvoyance
from cep_core.shedding.kernels.drawing import chained, chance
from cep_core.shedding.kernels.dropping import share_to_drop, share_wanted
from cep_core.shedding.kernels.lifetimes import spent_in_state
from cep_core.shedding.machine import Machine, Start
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.model.regression import CONSTANT, LINEAR, Latency
from cep_core.shedding.model.utility import UtilityTable
from cep_core.shedding.operator_run import OperatorRun
from cep_core.shedding.reference import Foresight, PartialMatch, replay
from cep_core.shedding.result_quality import quality_of
from cep_core.shedding.shedders.clairvoyant import Clairvoyant
from cep_core.shedding.shedders.events import spread_over_types
from cep_core.shedding.shedders.look_ahead import GreedyLookAhead
from tests.shedding.drawing import draw_world

SEEDS = st.integers(0, 2**32)


def key_of(pattern: Offered, q: int, window: int, bound: tuple[tuple[int, int], ...]) -> int:
    """What the kernels call a match."""
    key = chained(chained(0, q), window)
    if pattern.machine.selection is Strategy.ANY:
        bound_events = bound
    else:
        bound_events = bound[:1] if pattern.machine.start is not Start.ONCE else ()
    for event, step in bound_events:
        key = chained(key, event * 128 + step)
    return key


def by_tables(rules: Rules, tables: list[UtilityTable]) -> Rules:
    return rules._replace(
        gain=np.concatenate([table.gain.ravel() for table in tables]),
        price=np.concatenate([table.price.ravel() for table in tables]),
        table_at=np.cumsum([0, *(table.gain.size for table in tables)]),
        bin=np.array([table.size for table in tables]),
    )


def run_of(world, arrival, rules=None) -> OperatorRun:
    run = OperatorRun(stream_of(world.patterns, world.ts, world.costs, ordered=world.ordered), arrival)
    run.advance(len(world.ts)) if rules is None else run.advance(len(world.ts), rules)
    return run


@settings(max_examples=150, deadline=None)
@given(SEEDS, st.integers(0, 40))
def test_unshed_run_is_the_plain_one(seed, count):
    world = draw_world(seed, count)
    arrival = 7 * np.arange(count)
    expected = replay(world.patterns, world.ts, world.costs, arrival, ordered=world.ordered)
    run = run_of(world, arrival)
    assert run.account.latency.tolist() == expected.latency
    assert run.account.held.tolist() == expected.held
    pattern, _, keys = run.match_columns()
    identified = [(q, key_of(world.patterns[q], q, window, bound)) for q, window, bound in expected.matches]
    assert sorted(zip(pattern.tolist(), keys.tolist(), strict=True)) == sorted(identified)
    moves = np.zeros_like(run.account.moves)
    for q, state, to in expected.moves:
        moves[run.stream.at[q] + state, to] += 1
    assert run.account.moves.tolist() == moves.tolist()


@settings(max_examples=150, deadline=None)
@given(SEEDS, st.integers(1, 40), st.integers(5, 60), st.booleans())
def test_shed_run_is_the_plain_one(seed, count, bound, by_partition):
    """Same drops, same latencies, with utilities that tie often; victims from everywhere or from the partition."""
    world = draw_world(seed, count)
    rng = np.random.default_rng(seed)
    arrival = 5 * np.arange(count)
    tables = [
        UtilityTable(*(rng.integers(1, 4, (4, pattern.machine.states)).astype(float) for _ in range(2)), size=2)
        for pattern in world.patterns
    ]
    detector = Detector(bound, Latency(LINEAR, 3.0, 4.0), Latency(LINEAR, 0.0, 0.5), buffer=2)

    def utility(partial_match: PartialMatch, clock: int) -> float:
        return tables[partial_match.pattern].at(partial_match.state, (partial_match.end - clock + 1) * 0.5)

    plain = replay(
        world.patterns,
        world.ts,
        world.costs,
        arrival,
        ordered=world.ordered,
        detector=detector,
        utility=utility,
        by_partition=by_partition,
    )
    rules = by_tables(guarded(detector, LOWEST, seed=0), tables)._replace(
        rate=np.full(len(tables), 0.5), everywhere=not by_partition
    )
    run = run_of(world, arrival, rules)
    assert run.account.held.tolist() == plain.held
    assert run.account.dropped.tolist() == run.account.asked.tolist() == plain.dropped
    candidates = run.account.met.tolist() if by_partition else plain.held
    assert run.account.candidates.tolist() == [
        n if gone else 0 for n, gone in zip(candidates, plain.dropped, strict=True)
    ]
    quality = quality_of(run, run, bound, [1.0] * len(world.patterns))
    assert quality.drops == sum(gone > 0 for gone in plain.dropped)
    assert quality.choices == sum(0 < gone < n for n, gone in zip(candidates, plain.dropped, strict=True))
    assert run.account.latency.tolist() == plain.latency
    pattern, _, keys = run.match_columns()
    identified = [(q, key_of(world.patterns[q], q, window, bound)) for q, window, bound in plain.matches]
    assert sorted(zip(pattern.tolist(), keys.tolist(), strict=True)) == sorted(identified)
    whole = run_of(world, arrival)
    before = set(whole.match_columns()[2].tolist())
    assert set(keys.tolist()) <= before, "shedding partial matches invents nothing (L4)"


@settings(max_examples=80, deadline=None)
@given(SEEDS, st.integers(1, 30), st.integers(5, 60), st.integers(0, 9))
def test_clairvoyant_run_is_the_plain_one(seed, count, bound, buffer):
    """Useful work only, and of that the least worth goes where it alone is too much."""
    world = draw_world(seed, count)
    arrival = 5 * np.arange(count)
    stream = stream_of(world.patterns, world.ts, world.costs, ordered=world.ordered)
    whole = OperatorRun(stream, arrival, tracked=RECORD)
    whole.advance(count)
    unshed = replay(world.patterns, world.ts, world.costs, arrival, ordered=world.ordered)
    clairvoyant = Clairvoyant(Clairvoyance(whole))
    for latest in (bound, 10**9):
        plain = replay(
            world.patterns,
            world.ts,
            world.costs,
            arrival,
            ordered=world.ordered,
            foresight=Foresight(unshed, world.patterns, world.costs, latest, buffer),
        )
        run = OperatorRun(stream, arrival, tracked=REPLAY)
        run.advance(count, clairvoyant.knowledge._replace(bound=latest, buffer=buffer))
        assert run.account.dropped.tolist() == plain.dropped
        assert run.account.latency.tolist() == plain.latency
        pattern, _, keys = run.match_columns()
        identified = [(q, key_of(world.patterns[q], q, window, bound)) for q, window, bound in plain.matches]
        assert sorted(zip(pattern.tolist(), keys.tolist(), strict=True)) == sorted(identified)
    assert sorted(keys.tolist()) == sorted(whole.match_columns()[2].tolist()), "in time, it loses nothing"
    useful = int((run.account.work - stream.fixed_cost).sum())
    assert useful == int(clairvoyant.known.useful.sum()), "and does exactly the useful work"


@settings(max_examples=150, deadline=None)
@given(SEEDS, st.integers(1, 40), st.floats(0, 1.2))
def test_a_run_that_events_leave_is_the_plain_one(seed, count, wanted):
    """Each event leaves each window with a probability of its type's; the same meetings are missing on both sides."""
    world = draw_world(seed, count)
    costs = replace(world.costs, draw=0)
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, count)
    lack, wanted_at, scale_at = spread_over_types(rng.integers(0, 3, 3).astype(float), rng.dirichlet(np.ones(3)))
    # A constant f that always asks for the same share.
    asking = Detector(100, Latency(CONSTANT, 50 * (1 + wanted), 0.0), Latency(CONSTANT, 0.0, 0.0))
    rules = guarded(asking, EVENTS, seed=7)._replace(lack=lack, wanted_at=wanted_at, scale_at=scale_at)
    arrival = 10**6 * np.arange(count)
    share = share_wanted(rules, 0, 0)
    probability = [share_to_drop(rules, number, share) if share else 0.0 for number in range(3)]

    def leaves(event: int, window: int) -> bool:
        return bool(chance(7, event, window) < probability[kind[event]])

    plain = replay(world.patterns, world.ts, costs, arrival, ordered=world.ordered, leaves=leaves)
    run = OperatorRun(stream_of(world.patterns, world.ts, costs, ordered=world.ordered, kind=kind), arrival)
    run.advance(count, rules)
    assert run.account.dropped.tolist() == plain.dropped
    assert run.account.latency.tolist() == plain.latency
    pattern, _, keys = run.match_columns()
    identified = [(q, key_of(world.patterns[q], q, window, bound)) for q, window, bound in plain.matches]
    assert sorted(zip(pattern.tolist(), keys.tolist(), strict=True)) == sorted(identified)
    moves = np.zeros_like(run.account.moves)
    for q, state, to in plain.moves:
        moves[run.stream.at[q] + state, to] += 1
    assert run.account.moves.tolist() == moves.tolist()


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 30), st.integers(0, 30))
def test_a_run_goes_on_where_it_stopped(seed, count, stop):
    world = draw_world(seed, count)
    arrival = 4 * np.arange(count)
    whole = run_of(world, arrival)
    parts = OperatorRun(whole.stream, arrival)
    parts.advance(min(stop, count))
    parts.advance(count)
    assert parts.account.latency.tolist() == whole.account.latency.tolist()
    assert parts.match_columns()[2].tolist() == whole.match_columns()[2].tolist()


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


def test_memory_follows_the_partial_matches_alive():
    n = 200_000
    pattern = Offered(
        "a", Machine(2, Strategy.NEXT, Start.AT_OPENING), WindowSpec(50), np.ones((n, 2), bool) & [True, False]
    )
    run = OperatorRun(stream_of([pattern], np.arange(n), uniform_costs([3], 1)), np.arange(n))
    run.advance(n)
    assert run.peak == 50
    assert len(run.pool.state) <= 8 * 1024


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 40), st.integers(0, 40))
def test_look_ahead_knows_what_is_still_to_come(seed, count, stop):
    """In a run that drops nothing, what is left of worth and cost is used up exactly, wherever one looks."""
    world = draw_world(seed, count)
    stream = stream_of(world.patterns, world.ts, world.costs, ordered=world.ordered)
    whole = OperatorRun(stream, 5 * np.arange(count), tracked=RECORD)
    whole.advance(count)
    assert int(whole.account.worth.sum()) == whole.matches
    assert int(whole.spent_by_node().sum()) == int((whole.account.work - stream.fixed_cost).sum())
    known = GreedyLookAhead(Clairvoyance(whole)).knowledge
    begun = OperatorRun(stream, 5 * np.arange(count), tracked=REPLAY)
    begun.advance(min(stop, count), known)
    roots = whole.account.parent[: whole.nodes] < 0
    assert int(known.worth[roots].sum()) == whole.matches
    expected = whole.matches - begun.matches - int(known.worth[unopened(begun, whole)].sum())
    alive = rows_alive(begun)
    assert int(begun.pool.body[alive, WORTH].sum()) == expected
    begun.advance(count, known)
    pool = begun.pool
    assert all(pool.body[r, WORTH] == 0 for r in rows_alive(begun))
    for q in range(len(stream.start)):
        for g in range(stream.segment[q], stream.segment[q + 1]):
            for r in range(pool.begin[g], pool.begin[g] + pool.length[g]):
                assert pool.body[r, OWN] == spent_in_state(stream, pool, q, g, r)


def rows_alive(run: OperatorRun) -> list[int]:
    pool = run.pool
    return [r for begin, length in zip(pool.begin, pool.length, strict=True) for r in range(begin, begin + length)]


def unopened(begun: OperatorRun, whole: OperatorRun) -> np.ndarray:
    """The nodes of windows that open after the events processed so far."""
    first = whole.stream.window_first
    later = [w for q in range(len(first)) for w in range(first[q, begun.at], first[q, -1])]
    return whole.account.root[np.array(later, np.int64)]
