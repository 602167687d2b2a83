"""The causes that propositional policies list: proofs of violations, one for each of the longest episodes."""

from __future__ import annotations

from hypothesis import event, given

from cep_core.events.logs.time_points import with_points
from cep_core.language.evaluator import Ownership, of_table
from cep_core.language.settings import Settings
from cep_core.language.temporal.formulas import Always, Eventually, Implies, Not, Predicate
from cep_core.language.temporal.interval import Interval
from cep_core.monitoring.propositional.arrays.points import split_trace_of
from cep_core.monitoring.propositional.evaluator import PropositionalEvaluator
from cep_core.monitoring.propositional.reference import truth
from cep_core.monitoring.propositional.result.explaining import COMPARED
from cep_core.monitoring.shared.causes import WHY
from cep_core.monitoring.shared.why.checker import proves
from cep_core.monitoring.shared.why.proving import ProofMaker
from cep_core.testing.unsliced import unsliced
from tests.counts import few
from tests.monitoring.propositional.worlds import DAYS, Row, World, basis, events_of, policy_of, worlds

P = Predicate("p")


def test_causes_name_the_events_that_break_a_policy() -> None:
    """A late departure, and for each stretch of points that might have been quiet the one that breaks its quiet."""
    rows = [("P", 10 * n, 1, "x", 9, 0) for n in range(1, 4)]
    late = Predicate("r")
    quiet = Always(Interval(0, 10), Not(late))
    evaluator = PropositionalEvaluator(policy_of(Implies(late, Eventually(Interval(0, 10), quiet)), ("k",)))
    events, points = with_points(events_of(rows))
    table_rows = unsliced(evaluator, events, points, (0, 31), WHY).to_pylist()
    claims = [tuple(row[name] for name in ("node", "parent", "claim", "at_ts", "holds", "seq")) for row in table_rows]
    assert {(row["ts"], row["k"]) for row in table_rows} == {(10, 1)}
    assert claims == [
        (0, None, "r IMPLIES (EVENTUALLY[0,10] ALWAYS[0,10] NOT r)", 10, False, None),
        (1, 0, "r", 10, True, 0),
        (2, 0, "EVENTUALLY[0,10] ALWAYS[0,10] NOT r", 10, False, None),
        (3, 2, "ALWAYS[0,10] NOT r", 10, False, None),
        (4, 3, "NOT r", 10, False, None),
        (5, 4, "r", 10, True, 0),
        (6, 2, "ALWAYS[0,10] NOT r", 20, False, None),
        (7, 6, "NOT r", 20, False, None),
        (8, 7, "r", 20, True, 1),
    ]


def shared_by_definition(world: World, episode: Row) -> tuple[int, int]:
    """For how many points of an episode its first proof is the same, and of how many."""
    split = split_trace_of(world.policy, world.events, world.points)
    [number] = [n for n, (values, *_) in enumerate(world.logs()) if values == episode[7:-1]]
    [(_, points, holds, _)] = [log for log in world.logs() if log[0] == episode[7:-1]]
    names = [tuple(row.values()) for row in split.values.to_pylist()]
    maker = ProofMaker(split.log(names.index(episode[7:-1]) if names else number, world.events))
    first, last = points.index(episode[:2]), points.index(episode[2:4])
    proofs = [maker.proof(world.policy.formula, n, {}, False) for n in range(first, last + 1) if not holds[n]]
    bases = [basis(tree) for tree in proofs if tree is not None][:COMPARED]
    return bases.count(bases[0]), len(bases)


@few(40)
@given(worlds())
def test_the_longest_episodes_are_explained_once(world: World) -> None:
    """One explanation for an episode, and the number of its points for which it is the same."""
    evaluator = PropositionalEvaluator(world.policy, Settings(explained=2))
    claims = unsliced(evaluator, world.events, world.points, DAYS, WHY).to_pylist()
    tops = [
        (row["ts"], row["offset"], *(row[name] for name in world.policy.for_each)) for row in claims if not row["node"]
    ]
    longest = [
        sorted(of_day, key=lambda row: (row[0] - row[2], -row[4], *row[:2], *row[7:-1]))[:2]
        for of_day in world.episodes()
    ]
    event("shared" if any(row["same_for"] > 1 for row in claims) else "alone")
    assert sorted(tops) == sorted((*row[:2], *row[7:-1]) for of_day in longest for row in of_day)
    counts = {
        top: (row["same_for"], row["compared"])
        for top, row in zip(tops, [r for r in claims if not r["node"]], strict=True)
    }
    for row in [row for of_day in longest for row in of_day]:
        assert counts[(*row[:2], *row[7:-1])] == shared_by_definition(world, row)


def test_pieces_of_all_sub_logs_are_told_together() -> None:
    """A part of a day may have a piece for each of a hundred thousand sub-logs, and the merge reads each batch."""
    events, points = with_points(events_of([("P", ts, ts, "x", 9, 0) for ts in range(50)]))
    evaluator = PropositionalEvaluator(policy_of(Not(P), ("k",)), Settings(explained=1))
    batches = list(of_table(evaluator.evaluate(events, Ownership(days=(0, 50)), points), WHY))
    kinds = [(batch.schema.metadata or {}).get(b"kind") for batch in batches]
    assert [kinds.count(kind) for kind in (b"points", b"claims", b"bases")] == [1, 0, 0]
    assert sum(batch.num_rows for batch, kind in zip(batches, kinds, strict=True) if kind == b"points") == 50


@given(worlds())
def test_the_checker_accepts_each_proof(world: World) -> None:
    split = split_trace_of(world.policy, world.events, world.points)
    for number in range(len(split.trace.starts) - 1):
        log = split.log(number, world.events)
        holds = truth(world.policy.formula, split.trace)[split.trace.starts[number] :]
        for point in range(min(log.points, 4)):
            tree = ProofMaker(log).proof(world.policy.formula, point, {}, bool(holds[point]))
            assert tree is not None
            assert proves(tree, log, frozenset())
