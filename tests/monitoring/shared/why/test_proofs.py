"""Laws of proofs: the checker accepts a tree for what the definition says, and for nothing else (checklist B5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st

from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.language.temporal.formulas import And, Comparison, Exists, Formula, Not, Once, Predicate, Since
from cep_core.language.temporal.interval import ANY_TIME, Interval
from cep_core.language.temporal.reach import future_reach, past_reach
from cep_core.language.temporal.terms import Constant, Variable
from cep_core.monitoring.shared.why.checker import proves
from cep_core.monitoring.shared.why.proof import AnyOther, ProofTree
from cep_core.monitoring.shared.why.proving import ProofMaker
from cep_core.testing.logs import log_of
from cep_core.testing.signatures import drawn_logs
from tests.monitoring.shared.why.drawing import (
    answer_of,
    drawn_policy,
    texts_of,
    verdicts,
    with_seq,
    without_event,
)
from tests.monitoring.shared.why.smallest import smallest

DEPTHS = st.sampled_from([2, 3, 1])


@given(st.data())
def test_every_verdict_has_a_proof_and_its_contrary_has_none(data: st.DataObject) -> None:
    policy, log = drawn_policy(data, data.draw(DEPTHS))
    maker = ProofMaker(log, texts_of(policy))
    for point, valuation, holds in verdicts(policy, log):
        tree = maker.proof(policy.unfolded, point, valuation, holds)
        assert tree is not None
        assert proves(tree, log, texts_of(policy))
        assert maker.proof(policy.unfolded, point, valuation, not holds) is None
        assert not proves(replace(tree, holds=not holds), log, texts_of(policy))


@given(st.data())
def test_a_changed_tree_is_refused(data: st.DataObject) -> None:
    """Without a child, with a leaf of the other sign or of another event, or about fewer values."""
    policy, log = drawn_policy(data, data.draw(DEPTHS))
    maker = ProofMaker(log, texts_of(policy))
    for point, valuation, holds in verdicts(policy, log, most=4):
        tree = maker.proof(policy.unfolded, point, valuation, holds)
        assert tree is not None
        for changed in islice(changes(tree), 300):
            assert not proves(changed, log, texts_of(policy))


def changes(tree: ProofTree) -> Iterator[ProofTree]:
    """The tree with one change each."""
    if tree.is_leaf:
        yield replace(tree, holds=not tree.holds)
        yield replace(tree, seq=-1)
    for name, reading in tree.valuation.items():
        if isinstance(reading, AnyOther):
            wider = AnyOther(reading.excluded | {"a value"})
            yield replace(tree, valuation={**tree.valuation, name: wider})
    for place, child in enumerate(tree.children):
        siblings = tree.children[:place], tree.children[place + 1 :]
        yield replace(tree, children=siblings[0] + siblings[1])
        for changed in changes(child):
            yield replace(tree, children=(*siblings[0], changed, *siblings[1]))


@given(st.data())
def test_a_tree_of_another_log_is_accepted_only_if_its_verdict_is_the_same(data: st.DataObject) -> None:
    """An event too many or too few: the checker goes by its own log."""
    policy, log = drawn_policy(data, data.draw(DEPTHS))
    made_on, checked_on = log, without_event(log, data)
    if data.draw(st.booleans()):
        made_on, checked_on = checked_on, made_on
    answer = answer_of(policy, checked_on)
    maker = ProofMaker(made_on, texts_of(policy))
    for point, valuation, holds in verdicts(policy, made_on):
        tree = maker.proof(policy.unfolded, point, valuation, holds)
        assert tree is not None
        if proves(tree, checked_on, texts_of(policy)):
            assert ((point, tuple(valuation[name] for name in policy.variables)) in answer) == holds


@given(st.data())
def test_no_proof_has_fewer_leaves_or_as_many_earlier_ones(data: st.DataObject) -> None:
    policy, log = drawn_policy(data, data.draw(DEPTHS), most=3)
    maker = ProofMaker(log, texts_of(policy))
    for point, valuation, holds in verdicts(policy, log, most=4):
        tree = maker.proof(policy.unfolded, point, valuation, holds)
        assert tree is not None
        assert list(tree.points) == [leaf.point for leaf in sorted(tree.leaves(), key=lambda leaf: leaf.point)]
        least = smallest(policy.unfolded, log, maker.covering, point, valuation, holds, texts_of(policy))
        assert (tree.size, list(tree.points)) == least


P = Predicate("P", (Variable("x"),), ("1",))
Q = Predicate("Q", (Variable("x"), Variable("y")), ("1", "2"))
EXISTS_Q = Exists(("y",), Q)


def tree_of(formula: Formula, log: PointLog, point: int, holds: bool, **valuation: int) -> ProofTree:
    tree = ProofMaker(log).proof(formula, point, valuation, holds)
    assert tree is not None
    assert proves(tree, log)
    return tree


def test_a_since_fails_by_its_last_gap() -> None:
    """The gap at the third point is enough; nothing before it is told."""
    log = log_of([(1, [("Q", 1, 2)]), (2, [("P", 1)]), (3, []), (4, [("P", 1)])])
    tree = tree_of(Since(ANY_TIME, P, EXISTS_Q), log, 3, False, x=1)
    assert [(leaf.formula, leaf.point) for leaf in tree.leaves()] == [(P, 2), (Q, 2), (Q, 3)]


def test_values_in_reach_and_any_other_cover_a_quantifier() -> None:
    log = log_of([(1, [("Q", 1, 2), ("Q", 1, 5), ("Q", 7, 9)])])
    tree = tree_of(Exists(("y",), And(Q, Comparison("<", Variable("y"), Constant(2)))), log, 0, False, x=1)
    assert [child.valuation["y"] for child in tree.children] == [2, 5, AnyOther(frozenset({2, 5}))]
    assert tree_of(EXISTS_Q, log, 0, False, x=3).size == 1


def test_any_other_value_is_checked_against_the_events() -> None:
    """An event that has one of the values that are meant, though not all, is no absence."""
    log = log_of([(1, [("Q", 1, 2)])])
    for excluded, is_so in (({2}, True), ({2, 3}, True), ({3}, False), (set[int](), False)):
        absence = ProofTree(Q, 0, {"x": 1, "y": AnyOther(frozenset(excluded))}, holds=False)
        assert proves(absence, log) == is_so
        assert not proves(replace(absence, holds=True), log)
        cover = ProofTree(EXISTS_Q, 0, {"x": 1}, False, (absence,))
        assert not proves(cover, log)


def test_an_event_is_told_by_its_number() -> None:
    log = with_seq(log_of([(1, [("P", 2), ("P", 1), ("P", 1)])]))
    tree = tree_of(P, log, 0, True, x=1)
    assert tree.seq == 101
    assert proves(replace(tree, seq=102), log)
    assert not proves(replace(tree, seq=100), log)
    assert not proves(replace(tree, seq=None), log)


def test_only_events_in_reach_are_read() -> None:
    """A verdict costs as much in a long log as in a short one."""
    log = log_of([(stamp, [("P", stamp % 7), ("Q", stamp % 5, 3)]) for stamp in range(2000)])
    maker = ProofMaker(log)
    late = And(P, Not(Once(Interval(2, 4), And(P, EXISTS_Q))))
    for holds in (True, False):
        maker.proof(late, 1000, {"x": 1000 % 7}, holds)
    assert {point for _, point in maker.reader.read} <= {1000, *range(996, 999)}


@given(st.data())
def test_events_that_are_found_by_value_prove_the_same(data: st.DataObject) -> None:
    policy, log = drawn_policy(data, data.draw(DEPTHS))
    for point, valuation, holds in verdicts(policy, log, most=6):
        trees = []
        for many in (0, 1000):
            often = patch("cep_core.monitoring.shared.why.value_index.OFTEN", many)
            with patch("cep_core.monitoring.shared.why.reading.MANY", many), often:
                trees.append(ProofMaker(log, texts_of(policy)).proof(policy.unfolded, point, valuation, holds))
        assert trees[0] == trees[1]


@given(st.data())
def test_what_is_out_of_reach_changes_no_proof(data: st.DataObject) -> None:
    policy, log = drawn_policy(data, data.draw(DEPTHS), seq=False)
    past, future = past_reach(policy.plain), future_reach(policy.plain)
    assume(past.time is not None and future is not None)
    back = (past.time or 0) * (past.points + 1)
    far = int(log.stamps[-1]) + back + (future or 0) + 1 if log.points else 0
    far_log = data.draw(drawn_logs(policy.schema))
    longer = joined(log, far_log, far)
    for point, valuation, holds in verdicts(policy, log, most=6):
        tree = ProofMaker(log, texts_of(policy)).proof(policy.unfolded, point, valuation, holds)
        assert ProofMaker(longer, texts_of(policy)).proof(policy.unfolded, point, valuation, holds) == tree


def joined(log: PointLog, appended: PointLog, first: int) -> PointLog:
    """The log, then another one that begins at a stamp."""
    stamps = appended.stamps - appended.stamps[:1] + first if appended.points else appended.stamps
    events = dict(log.events)
    for name, later in appended.events.items():
        later = replace(later, point=later.point + log.points)
        if name in events:
            joint = events[name]
            columns = {key: pa.concat_arrays([column, later.columns[key]]) for key, column in joint.columns.items()}
            later = TypedEvents(np.concatenate([joint.point, later.point]), columns)
        events[name] = replace(later, seq=None)
    return PointLog(np.concatenate([log.stamps, stamps]), events)
