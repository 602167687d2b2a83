"""Grids of shedding experiments: what their logs are, which cells they have, and that a cell is a function."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from cep_core.experiments.generators.buses import City, generate_reports
from cep_core.experiments.generators.positions import STRIKERS, TEAM, FootballMatch, generate_positions, read_match
from cep_core.experiments.generators.quotes import LEADING, NAMED, Market, generate_quotes, read_trades
from cep_core.experiments.grids.cells import measure_cell
from cep_core.experiments.grids.declared import declared_grid
from cep_core.experiments.grids.grid import CAUSES, Grid, grid_of
from cep_core.experiments.grids.logs import LogSource
from cep_core.experiments.grids.paper_queries import QUERIES
from cep_core.shedding.arrays.costs import uniform_costs
from cep_core.shedding.arrays.stream import stream_of
from cep_core.shedding.operator_run import OperatorRun

SMALL = {
    "title": "Q1 in small",
    "log": {"generate": "quotes", "quotes": 4_000, "companies": 20},
    "queries": {"Q1": {}},
    "axes": {"window": [150, 300], "load": [1.3, 1.6]},
    "strategies": ["none", "pSPICE", "PM-BL", "E-BL"],
    "seeds": 2,
    "bound_ms": 5,
    "costs": {"state": 1_000, "event": 8_000, "lookup": 5, "sort": 1, "drop": 50, "draw": 10},
}


def small(**changed: object) -> Grid:
    return grid_of("small", {**SMALL, **changed})


GENERATED = {
    "quotes": lambda seed: generate_quotes(Market(seed, quotes=3_000)),
    "positions": lambda seed: generate_positions(FootballMatch(seed, seconds=30)),
    "buses": lambda seed: generate_reports(City(seed, reports=3_000)),
}


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_log_is_a_function_of_its_seed(name):
    generate = GENERATED[name]
    assert generate(3).equals(generate(3))
    assert not generate(3).equals(generate(4))


def test_xl1_the_generated_logs_have_the_papers_shape():
    """500 companies of which ten are quoted more often; 22 players of whom one has the ball; 911 buses."""
    quotes = generate_quotes(Market(1, quotes=60_000))
    counts = np.bincount(quotes["company"].to_numpy(), minlength=500)
    assert len(counts) == 500
    assert counts.min() > 0
    assert counts[:NAMED].min() > 1.2 * counts[NAMED:].mean()
    positions = generate_positions(FootballMatch(1, seconds=60))
    assert set(positions["player"].to_pylist()) == set(range(2 * TEAM))
    ball = positions.filter(positions["ball"])
    assert ball.num_rows == 60 * 4 == positions.num_rows // (2 * TEAM)
    assert set(STRIKERS) <= set(ball["player"].to_pylist())
    reports = generate_reports(City(1))
    assert len(set(reports["bus"].to_pylist())) == 911


def test_xl1_windows_open_with_leading_companies_strikers_and_every_500_reports():
    quotes = generate_quotes(Market(1, quotes=5_000))
    rising, falling = QUERIES["Q1"](quotes, window=500)
    opened = rising.opened(quotes["ts"].to_numpy())
    assert set(quotes["company"].to_numpy()[opened.at]) <= set(range(LEADING))
    assert not (rising.fits & falling.fits).any()
    positions = generate_positions(FootballMatch(1, seconds=60))
    for striker, pattern in zip(STRIKERS, QUERIES["Q3"](positions, n=2), strict=True):
        at = pattern.opened(positions["ts"].to_numpy()).at
        assert set(positions["player"].to_numpy()[at]) == {striker}
        assert positions["ball"].to_numpy()[at].all()
    reports = generate_reports(City(1, reports=20_000))
    [buses] = QUERIES["Q4"](reports, n=3)
    opened = buses.opened(reports["ts"].to_numpy())
    assert set(np.diff(opened.at)) == {500}
    open_at_the_end = [(at, end) for at, end in zip(opened.at, opened.end, strict=True) if end >= 19_999]
    assert len(open_at_the_end) == 16


def test_xl1_the_machines_have_the_papers_states():
    """Q1 11, Q2 15, Q3 n + 2."""
    quotes, positions = generate_quotes(Market(1, quotes=100)), generate_positions(FootballMatch(1, seconds=5))
    assert [query.machine.states for query in QUERIES["Q1"](quotes, window=50)] == [11, 11]
    assert [query.machine.states for query in QUERIES["Q2"](quotes, window=50)] == [15, 15]
    assert [query.machine.states for query in QUERIES["Q3"](positions, n=4)] == [6, 6]


def matches_of(patterns, ts) -> list[int]:
    """How many matches of each pattern an operator at ease finds."""
    run = OperatorRun(stream_of(patterns, ts, uniform_costs([query.machine.states for query in patterns], 1)), ts * 0)
    run.advance(len(ts))
    return np.bincount(run.match_columns()[0], minlength=len(patterns)).tolist()


def test_q1_finds_a_sequence_that_was_put_there():
    """Companies 0 to 9 rise in order after two quotes of leading ones; a third leading quote comes too late."""
    company = [1, 0, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0]
    quotes = pa.table({"company": company, "change": [-1, *[1] * 11, 1]})
    assert matches_of(QUERIES["Q1"](quotes, window=13), np.arange(13)) == [2, 0]
    assert matches_of(QUERIES["Q1"](quotes, window=11), np.arange(13)) == [1, 0]
    assert matches_of(QUERIES["Q1"](quotes, window=10), np.arange(13)) == [0, 0]


def test_q3_wants_different_defenders_near_the_striker_who_has_the_ball():
    striker, rival = STRIKERS
    rows = [
        (0, striker, 0, 50.0, True),
        (1, rival, 1, 52.0, False),
        (2, rival, 1, 52.0, False),
        (3, TEAM, 1, 90.0, False),
        (4, TEAM + 1, 1, 49.0, False),
        (20_000, TEAM + 2, 1, 49.0, False),
    ]
    ts, player, team, x, ball = (list(column) for column in zip(*rows, strict=True))
    positions = pa.table({"ts": ts, "player": player, "team": team, "x": x, "y": [0.0] * 6, "ball": ball})
    assert matches_of(QUERIES["Q3"](positions, n=2), np.array(ts)) == [1, 0]
    assert matches_of(QUERIES["Q3"](positions, n=3), np.array(ts)) == [0, 0]


def test_q4_wants_different_buses_late_at_one_stop():
    reports = pa.table({"bus": [1, 1, 2, 3, 4], "stop": [7, 7, 8, 7, 7], "late": [True, True, True, False, True]})
    [matches] = matches_of(QUERIES["Q4"](reports, n=2, window=10, slide=10), np.arange(5))
    assert matches == 2, "bus 1 twice, then bus 4"


def test_trades_are_read(tmp_path):
    """Rarest company first; against the trade before."""
    file = tmp_path / "trades.csv"
    file.write_text("name,price\nB,1.0\nA,5.0\nB,2.0\nB,2.0\nA,4.0\nB,1.5\n")
    trades = read_trades(file)
    assert trades["company"].to_pylist() == [1, 0, 1, 1, 0, 1]
    assert trades["change"].to_pylist() == [0, 0, 1, 0, -1, -1]


def test_a_match_is_read(tmp_path):
    file = tmp_path / "match.csv"
    file.write_text(
        "Team,Type,From,Start Time [s],Start X,Start Y\n"
        "Away,PASS,Player2,1.0,0.5,0.5\nHome,CHALLENGE,Player1,0.5,NaN,NaN\nHome,CHALLENGE,Player1,0.04,0,1\n"
    )
    match = read_match(file)
    assert match["ts"].to_pylist() == [40, 1000]
    assert match["team"].to_pylist() == [0, 1]
    assert match["ball"].to_pylist() == [False, True]
    assert match["y"].to_pylist() == [68.0, 34.0]


def test_seeds_of_a_file_take_its_stretches(tmp_path):
    file = tmp_path / "trades.csv"
    file.write_text("name,price\n" + "A,1.0\n" * 9)
    source = LogSource("trades", files=("trades.csv",), events=4)
    assert [source.read(tmp_path, seed)["seq"][0].as_py() for seed in range(3)] == [0, 4, 0]
    assert source.missing(tmp_path) == []
    assert source.missing(tmp_path / "elsewhere") == ["trades.csv"]


def test_a_cell_is_a_function_of_its_grid(tmp_path):
    """Same seed, same bytes; another seed is another log."""
    grid = small()
    rows_of_first, again, rows_of_second = (
        measure_cell(grid, cell, tmp_path) for cell in (grid.cells[0], grid.cells[0], grid.cells[1])
    )
    assert rows_of_first.equals(again)
    assert not rows_of_first.equals(rows_of_second)
    of_all = set(rows_of_first["metric"].to_pylist()) - {"model_time", "model_share", "choice"}
    rows = rows_of_first.to_pylist()
    choices = sum(row["metric"] == "choice" for row in rows)
    assert choices == sum(row["metric"] == "drops" and row["value"] > 0 for row in rows) > 0
    assert rows_of_first.num_rows == 4 * 2 * len(of_all) + 2 * 2 + choices  # at two loads; only pSPICE builds a model
    assert set(rows_of_first["parameters"].to_pylist()) == {f'{{"load": {load}, "window": 150}}' for load in (1.3, 1.6)}


def test_a_definition_changes_with_what_the_numbers_depend_on():
    """Further seeds, windows or relations leave what is known as it is; another cost does not."""
    grid = small()
    same = [
        small(seeds=5),
        small(axes={"window": [900], "load": [1.3, 1.6]}),
        small(title="x", relations={"keeps_the_bound": ""}),
    ]
    assert {compared.definition for compared in same} == {grid.definition}
    changed = [
        small(bound_ms=6),
        small(train=0.5),
        small(costs={**SMALL["costs"], "event": 1}),
        small(log={**SMALL["log"], "quotes": 5_000}),
        small(strategies=["none"]),
        small(axes={"window": [150], "load": [1.3]}),
        replace(grid, over_time=True),
    ]
    assert len({compared.definition for compared in [grid, *changed]}) == len(changed) + 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"colour": 1}, "no key 'colour'"),
        ({"queries": {"Q9": {}}}, "queries: no 'Q9'"),
        ({"queries": {"Q1": {"n": 3}}}, "queries.Q1: no 'n'"),
        ({"axes": {"load": [1.2]}}, "neither it nor an axis gives window"),
        ({"axes": {"window": [9]}}, "an axis `load`"),
        ({"axes": {"window": [9], "load": []}}, "values on every axis"),
        ({"strategies": ["best"]}, "strategies: no 'best'"),
        ({"log": {"generate": "weather"}}, "no log 'weather'"),
        ({"log": {"read": "trades"}}, "needs files"),
        ({"log": {"generate": "quotes", "cows": 1}}, "cows"),
        ({"relations": {"wins": ""}}, "relations: no 'wins'"),
        ({"relations": {"keeps_the_bound": "it may not"}}, "relations.keeps_the_bound: why may it not hold"),
        ({"relations": {"keeps_the_bound": {"because": "luck", "why": "it may not"}}}, "because: no 'luck'"),
        ({"costs": {"state": 1, "lunch": 1}}, "costs: no 'lunch'"),
        ({"bound_ms": 0}, "the bound is positive"),
        ({"seeds": ["many"]}, "a seed is a whole number"),
    ],
)
def test_a_wrong_grid_names_the_key(changed, message):
    with pytest.raises(ValueError, match=message):
        small(**changed)


def test_the_projects_own_grids_make_sense():
    yaml = pytest.importorskip("yaml")
    files = sorted((Path(__file__).parents[2] / "workloads").glob("*/experiments/*.yaml"))
    declared = [declared_grid(file.stem, yaml.safe_load(file.read_text())) for file in files]
    grids = [grid for grid in declared if isinstance(grid, Grid)]
    assert {query for grid in grids for query in grid.queries} == {*QUERIES, "contagion", "destination_collapse"}


def test_the_experiments_in_the_docs_count_their_relations():
    """Each is asked once, where it does not agree its cause is told, and the summary at the top has counted right."""
    yaml = pytest.importorskip("yaml")
    root = Path(__file__).parents[2]
    text = (root / "docs" / "experiments.md").read_text()
    files = (root / "workloads" / "nyc_flights" / "experiments").glob("*.yaml")
    declared = (declared_grid(file.stem, yaml.safe_load(file.read_text())) for file in files)
    grids = {grid.name: grid for grid in declared if isinstance(grid, Grid)}
    asked = sum(len(grid.relations) for grid in grids.values())
    again = sum(len(grid.relations) for grid in grids.values() if "event_window" in grid.prices)
    section = {grid.title: text.split(f"### {grid.title}\n")[1].split("\n#")[0] for grid in grids.values()}
    agreements = {title: part.count("- **Agrees**") for title, part in section.items()}
    agree = sum(agreements[grid.title] for grid in grids.values())
    agree_again = sum(agreements[grid.title] for grid in grids.values() if "event_window" in grid.prices)
    first = "".join(section[grid.title] for grid in grids.values() if "event_window" not in grid.prices)
    causes = [first.count(f"* ({cause})") for cause in CAUSES]
    assert asked == text.count("- **Agrees**") + text.count("- **Does not agree**")
    assert agree - agree_again + sum(causes) == asked - again
    assert (
        f"Of {asked - again} relations {agree - agree_again} agree; of the others "
        f"{causes[0]} depend on the cost model, {causes[1]} on our data, {causes[2]} on the set-up."
    ) in text
    assert f"{agree_again} of them agree then, so {agree} of all {asked} agree." in text
