"""`cep.why_mtl`: the causes of a verdict, one explanation for an episode, points that hold, sub-logs (B5)."""

from __future__ import annotations

from itertools import takewhile

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import event, given

import cep_core as cep
from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.language.temporal.formulas import Formula, Implies
from cep_core.monitoring.propositional.arrays.points import SplitTrace
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.reference import truth
from cep_core.monitoring.propositional.stream.verdicts import Truths
from cep_core.monitoring.propositional.why.causes import TraceCauses
from cep_core.monitoring.shared.why.proving import ProofMaker
from cep_core.testing.propositional_formulas import propositional_formulas
from cep_core.testing.traces import drawn_traces
from tests.monitoring.propositional.worlds import basis, policy_of

QUIET = "late IMPLIES EVENTUALLY[0,3] (ALWAYS[0,1] (NOT late))"
DELAYS = "@1 late\n@2 late\n@3 late\n@4 late\n@5 late\n@6\n@9 late\n@11\n@20\n"


def test_which_event_breaks_the_quiet_of_which_points() -> None:
    causes = cep.why_mtl(QUIET, DELAYS, (1, 0))
    assert causes.is_violation
    assert not causes.holds
    assert causes.is_proof
    assert str(causes).splitlines() == [
        "late IMPLIES (EVENTUALLY[0,3] ALWAYS[0,1] NOT late) does not hold at 1",
        "  late at 1",
        "  EVENTUALLY[0,3] ALWAYS[0,1] NOT late does not hold at 1",
        "    ALWAYS[0,1] NOT late does not hold at 1",
        "      late at 1",
        "    ALWAYS[0,1] NOT late does not hold at 2",
        "      late at 2",
        "    ALWAYS[0,1] NOT late does not hold at 3",
        "      late at 3",
        "    ALWAYS[0,1] NOT late does not hold at 4",
        "      late at 4",
    ]


def test_one_explanation_for_an_episode() -> None:
    log = "@1 used\n@2 deleted\n" + "".join(f"@{ts} {'used' if ts % 2 else ''}\n" for ts in range(3, 20)) + "@30 used\n"
    causes = cep.why_mtl("used IMPLIES NOT ONCE[0,20] deleted", log, (5, 0))
    assert causes.sharing is not None
    assert causes.sharing.at == tuple((ts, 0) for ts in range(3, 20, 2))
    assert str(causes).splitlines()[-1] == "the same for 9 points, first at 3, last at 19"
    assert causes.to_dict()["same_for"] == 9


def test_points_of_one_stamp_share_what_they_wait_for() -> None:
    """What the streaming engine tells as equal has one explanation."""
    formula, log = "a IMPLIES EVENTUALLY[0,5] b", "@1 a\n@1 a\n@1 a c\n@2\n@9\n"
    verdicts = cep.monitor_mtl(formula, log).to_pylist()
    assert [(row["ts"], row["offset"], row["equal_offset"]) for row in verdicts[:2]] == [(1, 1, 0), (1, 2, 0)]
    causes = cep.why_mtl(formula, log, (1, 0), end="closed")
    assert causes.sharing is not None
    assert causes.sharing.at == ((1, 0), (1, 1), (1, 2))


def test_why_not() -> None:
    causes = cep.why_mtl(QUIET, DELAYS, (9, 0))
    assert causes.holds
    assert causes.is_proof
    assert causes.sharing is None
    assert str(causes).splitlines()[-1] == "      no late at 11"


def test_a_sub_log_is_asked_by_its_values() -> None:
    table = pa.table({"event_type": ["a", "b", "a", "a"], "ts": [1, 2, 3, 4], "seq": [7, 8, 9, 10], "x": [1, 1, 2, 2]})
    formula = "a IMPLIES EVENTUALLY[0,1] b"
    causes = cep.why_mtl(formula, table, (3, 0), {"x": 2}, for_each="x", end="closed")
    assert causes.to_dict()["children"][0] == {
        "formula": "a",
        "ts": 3,
        "offset": 0,
        "holds": True,
        "valuation": {},
        "seq": 9,
        "children": [],
    }
    assert cep.why_mtl(formula, table, (1, 0), {"x": 1}, for_each="x").holds
    with pytest.raises(ValueError, match="no event has x = 3"):
        cep.why_mtl(formula, table, (3, 0), {"x": 3}, for_each="x")
    with pytest.raises(ValueError, match="that make sub-logs are x; values are given for none"):
        cep.why_mtl(formula, table, (3, 0), for_each="x")
    with pytest.raises(ValueError, match="what holds at 4 is not decided yet"):
        cep.why_mtl(formula, table, (4, 0), {"x": 2}, for_each="x")
    with pytest.raises(ValueError, match="the log has 1 point at 3, none of offset 1"):
        cep.why_mtl(formula, table, (3, 1), {"x": 2}, for_each="x")


@given(propositional_formulas(sugar=True, depth=2), drawn_traces(stamps=4, rate=2))
def test_points_share_an_explanation_if_their_proofs_rest_on_the_same(formula: Formula, trace: Trace) -> None:
    holds = truth(formula, trace)
    decided = Truths(np.arange(trace.points), np.zeros(trace.points, np.int64), holds)
    causes = TraceCauses(policy_of(formula), SplitTrace(trace, pa.table({})), None, decided)
    maker = ProofMaker(
        PointLog(trace.stamps, {name: TypedEvents(np.flatnonzero(of), {}) for name, of in trace.atoms.items()})
    )
    judges = truth(formula.left, trace) if isinstance(formula, Implies) else np.ones(trace.points, np.bool_)
    judging = np.flatnonzero(judges).tolist()
    offsets = [int(np.count_nonzero(trace.stamps[:n] == trace.stamps[n])) for n in range(trace.points)]
    for place in np.flatnonzero(~holds).tolist():
        explained = causes.causes((int(trace.stamps[place]), offsets[place]), {})
        assert explained.is_proof
        own = maker.proof(formula, place, {}, False)
        assert own is not None
        before = takewhile(lambda n: not holds[n], [n for n in reversed(judging) if n < place])
        after = takewhile(lambda n: not holds[n], [n for n in judging if n > place])
        episode = sorted([*before, place, *after])
        proofs = [maker.proof(formula, n, {}, False) for n in episode]
        alike = [n for n, tree in zip(episode, proofs, strict=True) if tree is not None and basis(tree) == basis(own)]
        event("shared" if len(alike) > 1 else "alone")
        assert explained.sharing is not None
        assert explained.sharing.at == tuple((int(trace.stamps[n]), offsets[n]) for n in alike)
        assert (explained.sharing.points, explained.sharing.looked_at) == (len(episode), len(episode))
