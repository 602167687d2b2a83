"""The operator's kernels against the operator in plain Python, shed in every way and not at all; what a run keeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.language.patterns.query import Strategy
from cep_core.shedding.arrays.costs import uniform_costs
from cep_core.shedding.arrays.open_windows import WindowSpec
from cep_core.shedding.arrays.rules import EVENTS, LOWEST, RECORD, REPLAY, Rules, guarded
from cep_core.shedding.arrays.stream import Offered, stream_of
from cep_core.shedding.hindsight.clairvoyance import Clairvoyance
from cep_core.shedding.kernels.drawing import chained, chance
from cep_core.shedding.kernels.dropping import share_to_drop, share_wanted
from cep_core.shedding.machine import Machine, Start
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.model.regression import CONSTANT, LINEAR, Latency
from cep_core.shedding.model.utility import UtilityTable
from cep_core.shedding.operator_run import OperatorRun
from cep_core.shedding.reference import Foresight, PartialMatch, replay
from cep_core.shedding.result_quality import quality_of
from cep_core.shedding.shedders.clairvoyant import Clairvoyant
from cep_core.shedding.shedders.events import spread_over_types
from tests.shedding.drawing import SEEDS, draw_world


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


def test_memory_follows_the_partial_matches_alive():
    n = 200_000
    pattern = Offered(
        "a", Machine(2, Strategy.NEXT, Start.AT_OPENING), WindowSpec(50), np.ones((n, 2), bool) & [True, False]
    )
    run = OperatorRun(stream_of([pattern], np.arange(n), uniform_costs([3], 1)), np.arange(n))
    run.advance(n)
    assert run.peak == 50
    assert len(run.pool.state) <= 8 * 1024
