"""The generator of paper 01's synthetic streams (row X11): measured rates, matches and skew are those asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow.compute as pc
import pytest

from cep_core.experiments.generators.joins import FORMULAS, JoinStream, generate
from tests.slicing.laws.conjunctive import Query, evaluate

BASE = JoinStream("star", seed=1, event_rate=2000, duration=20)


@pytest.mark.parametrize("formula", FORMULAS)
def test_rates_are_those_asked_for(formula: str) -> None:
    """X11: event, index and relative rates."""
    stream = replace(BASE, formula=formula, index_rate=50, rate_p=0.2, rate_q=0.3)
    events = generate(stream)
    assert events.num_rows == 40_000
    assert np.bincount(events["ts"].to_numpy()).tolist() == [2000] * 20
    assert len(pc.unique(events["point"])) == 20 * 50
    counts = {row["values"]: row["counts"] / 40_000 for row in pc.value_counts(events["event_type"]).to_pylist()}
    assert counts == pytest.approx({"P": 0.2, "Q": 0.3, "R": 0.5}, abs=0.01)


@pytest.mark.parametrize("formula", FORMULAS)
def test_matches_are_planted(formula: str) -> None:
    """X11: with one match a unit of time, about `duration` matches lie in the log, and nearly none without."""
    atoms = FORMULAS[formula]
    stream = JoinStream(formula, seed=4, event_rate=20, duration=40, window=5, rate_p=0.3, rate_q=0.3, matches=1.0)
    query = Query(atoms[::-1], (), 2 * stream.window)
    planted = len(evaluate(query, generate(stream)))
    assert 15 <= planted <= 45
    assert len(evaluate(query, generate(replace(stream, matches=0.0)))) == 0


def test_most_p_are_followed_by_a_matching_q() -> None:
    """Paper 01, section 7.1: P events have a partner Q in the window, R events have none."""
    events = generate(replace(BASE, rate_p=0.1, rate_q=0.45))
    of = {kind: events.filter(pc.equal(events["event_type"], kind))["first"].to_numpy() for kind in "PQR"}
    assert np.isin(of["P"], of["Q"]).mean() > 0.6
    assert np.isin(of["P"], of["R"]).mean() < 0.05


def test_zipf_values_follow_their_exponent() -> None:
    """X11: with exponent 2 the value k has a share of about 6 / (pi k)^2; fresh values of R are moved."""
    events = generate(replace(BASE, rate_p=1 / 3, rate_q=1 / 3, zipf={"a": 2.0}))
    of = {kind: events.filter(pc.equal(events["event_type"], kind))["first"].to_numpy() for kind in "PQR"}
    for value in (1, 2, 3):
        assert (of["P"] == value).mean() == pytest.approx(6 / (np.pi * value) ** 2, abs=0.02)
    assert (of["R"] == 1_000_001).mean() == pytest.approx(6 / np.pi**2, abs=0.03)
    assert max(of["P"]) <= 10**9


@pytest.mark.parametrize(
    ("formula", "columns"),
    [("star", ("Pa Qa Ra", "Pb")), ("linear", ("Pb Qb", "Qc")), ("triangle", ("Qb Pb", "Qc"))],
)
def test_each_variable_has_its_own_exponent(formula: str, columns: tuple[str, str]) -> None:
    """X11: in every event that has a variable, the value 1 has the share of the variable's exponent, 1 / zeta."""
    zeta = {1.5: 2.612, 3.0: 1.202}
    exponents = {columns[0][1]: 1.5, columns[1][1]: 3.0}
    shared = replace(BASE, formula=formula, rate_p=1 / 3, rate_q=1 / 3, zipf=exponents, shift=0)
    events = generate(shared)
    for kind, variable in (text for part in columns for text in part.split()):
        [atom] = (atom for atom in FORMULAS[formula] if atom.event_type == kind)
        [column] = (name for name, own in atom.variables if own == variable)
        values = events.filter(pc.equal(events["event_type"], kind))[column].to_numpy()
        assert (values == 1).mean() == pytest.approx(1 / zeta[exponents[variable]], abs=0.03)
        uniform = [name for name, own in atom.variables if own not in exponents]
        for name in uniform:  # uniform: nothing is frequent
            assert len(pc.unique(events.filter(pc.equal(events["event_type"], kind))[name])) > 0.99 * len(values)


def test_the_seed_decides_everything() -> None:
    """The same stream is the same log."""
    assert generate(BASE) == generate(BASE)
    assert generate(BASE) != generate(replace(BASE, seed=2))
