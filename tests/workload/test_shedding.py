"""Load shedding in workload.yaml: what it declares, what is refused and where, what check and explain tell."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from jobs.cli import main
from jobs.workload.compiled import compile_questions, compile_workload
from jobs.workload.content import store
from jobs.workload.declaration import load_workload, read_workload

SAMPLE = Path(__file__).resolve().parents[2] / "workloads" / "nyc_flights"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the sample's definition, to be broken."""
    return store(SAMPLE, tmp_path).rename(tmp_path / "nyc_flights")


def declare(folder: Path, *, shedding: object = None, **queries: object) -> None:
    """Replaces what the workload says about its queries, and about shedding if anything."""
    path = folder / "workload.yaml"
    declared = yaml.safe_load(path.read_text()) | {"queries": queries}
    declared |= {} if shedding is None else {"shedding": shedding}
    path.write_text(yaml.safe_dump(declared, sort_keys=False))


def line_of(folder: Path, text: str) -> int:
    lines = (folder / "workload.yaml").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_the_sample_asks_for_two_queries_in_one_operator() -> None:
    """Costs are committed: the queries' states beside what they share."""
    workload = load_workload(SAMPLE)
    assert list(workload.shed_queries) == ["city_sweep", "doubling"]
    assert workload.shedding is not None
    assert workload.shedding.bound == 1_000_000
    assert workload.shedding.bounds == tuple(1_000_000 * n for n in (1, 2, 5, 10, 20))
    costs = workload.shedding.costs_of(workload.shed_queries)
    assert [len(own) for own in costs.states] == [4, 4]
    assert costs.event == 2_000
    assert set(workload.shed_queries) <= set(compile_workload(workload))


def test_defaults(folder: Path) -> None:
    """Bound, the cost of an event and the costs of a query's states are all that must be said."""
    declare(folder, shedding={"bound": "2s", "costs": {"event": 7}}, contagion={"shedding": {"costs": [1, 2, 3, 4]}})
    workload = load_workload(folder)
    assert workload.shedding is not None
    assert (workload.shedding.bound, workload.shedding.buffer) == (2_000_000_000, 0)
    assert workload.shedding.loads == (1.2, 1.4, 1.6, 1.8, 2.0)
    assert (workload.shedding.busiest_hours, workload.shedding.bounds) == (3, ())
    assert workload.shed_queries["contagion"].weight == 1


def test_settings_of_shedding_change_no_result(folder: Path) -> None:
    """They are no part of what a query's table depends on."""
    before = {name: query.definition for name, query in compile_workload(load_workload(folder)).items()}
    path = folder / "workload.yaml"
    path.write_text(
        path.read_text().replace("bound: 1ms", "bound: 3ms").replace("costs: [100, 100", "weight: 2, costs: [99, 100")
    )
    assert {name: query.definition for name, query in compile_workload(load_workload(folder)).items()} == before


def test_every_mistake_is_told_with_its_line(folder: Path) -> None:
    """All at once, with the nearest known name."""
    declare(
        folder,
        shedding={
            "bound": "20 minutes",
            "bufer": "1ms",
            "costs": {"event": -1, "lokup": 2},
            "loads": [1.2, 0],
            "busiest_hours": 24,
            "bounds": ["1ms", "0ms", "2 hours"],
            "seeds": ["a"],
            "training_days": 1.5,
        },
        contagion={"shedding": {"costs": [100, 0], "weight": "much"}},
        destination_collapse={"shedding": {"weigth": 2}},
        snowball={"shedding": {"costs": [1, 2], "weight": 0}},
    )
    problems = read_workload(folder)[1]
    for text, message in (
        ("bound:", "shedding.bound: expected a span of virtual time such as 2s, 10ms or 500us, found '20 minutes'"),
        ("bufer:", "shedding: unknown key 'bufer'; did you mean 'buffer'?"),
        ("event: -1", "shedding.costs.event: expected a whole number from 0 to 1,000,000,000,000, found -1"),
        ("lokup:", "shedding.costs: unknown key 'lokup'; did you mean 'lookup'?"),
        ("loads:", "shedding.loads: expected a list of numbers above 0, at most 100, found [1.2, 0]"),
        ("busiest_hours:", "shedding.busiest_hours: expected a whole number from 0 to 23, found 24"),
        ("bounds:", "shedding.bounds: expected a span of virtual time such as 2s, 10ms or 500us, found '0ms'"),
        ("bounds:", "shedding.bounds: expected a span of virtual time such as 2s, 10ms or 500us, found '2 hours'"),
        ("seeds:", "shedding.seeds: expected a list of whole numbers from 0 to 4,294,967,295, found ['a']"),
        ("training_days:", "shedding.training_days: expected a whole number from 0 to 3,660, found 1.5"),
        ("contagion:", "costs: expected a list of whole numbers from 1 to 1,000,000,000,000, found [100, 0]"),
        ("weigth:", "queries.destination_collapse.shedding: unknown key 'weigth'; did you mean 'weight'?"),
        ("destination_collapse:", "queries.destination_collapse.shedding: 'costs' is missing"),
        ("weight: 0", "queries.snowball.shedding.weight: expected a number above 0, at most 1,000,000,000, found 0"),
    ):
        own = [problem for problem in problems if message in problem]
        assert own, (message, problems)
        line = int(own[0].split(":")[1])
        assert 0 <= line - line_of(folder, text) <= 2, own


def test_loads_are_over_the_day_and_over_as_many_hours_as_asked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bounds are tried beside them, each once; `explain` says over what the loads are."""
    own = {"contagion": {"shedding": {"costs": [1, 2, 3, 4]}}}
    shared = {"bound": "2ms", "costs": {"event": 7}, "loads": [1.4]}
    for more, sentence in (
        ({"busiest_hours": 1, "bounds": ["1ms", "20ms"]}, "loads 140% over the day and over its busiest hour;"),
        ({"busiest_hours": 0}, "loads 140% over the day; latency bound 2 ms, safety buffer 0 ns of virtual time\n"),
        ({}, "loads 140% over the day and over its busiest 3 hours in a row;"),
    ):
        declare(folder, shedding={**shared, **more}, **own)
        assert main(["explain", str(folder), "contagion"]) == 0
        assert sentence in (shown := capsys.readouterr().out)
        assert ("also with bounds of 1 ms, 20 ms at one load" in shown) == ("bounds" in more)
    workload = load_workload(folder)
    assert workload.shedding is not None
    declare(folder, shedding={**shared, "bounds": ["1ms", "1000us"]}, **own)
    [problem] = read_workload(folder)[1]
    assert "shedding.bounds: expected different spans of virtual time" in problem


def test_a_query_needs_what_is_shared(folder: Path) -> None:
    """A query asks, the workload says nothing."""
    path = folder / "workload.yaml"
    path.write_text(path.read_text().partition("\nshedding:")[0])
    problems = read_workload(folder)[1]
    where = (
        f"workload.yaml:{line_of(folder, 'shedding: {costs: [100, 100, 100, 100]}')}:15: queries.city_sweep.shedding"
    )
    message = f"{where}: the workload has no section 'shedding', which says what the queries share: bound, costs"
    assert [problem for problem in problems if problem.startswith(message)]


@pytest.mark.parametrize(
    ("query", "place", "message"),
    [
        ("knock_on", "queries/knock_on.cep:3:", "shedding an aggregation is not supported yet"),
        ("nothing_but_late", "queries/nothing_but_late.cep:2:", "skip_till_next_match and skip_till_any_match only"),
        ("climb_then_cancel", "queries/climb_then_cancel.cep:2:", "WITH CONFIDENCE is not supported yet"),
        ("contagion", "workload.yaml:", "3 costs for 4 states"),
    ],
)
def test_what_no_operator_can_replay_is_refused_with_its_place(
    folder: Path, query: str, place: str, message: str
) -> None:
    """Found by `trendmill check`, before Spark starts."""
    shared = {"bound": "2ms", "costs": {"event": 7}}
    declare(folder, shedding=shared, **{query: {"shedding": {"costs": [1, 1, 1]}}})
    [problem] = compile_questions(load_workload(folder))[1]
    assert problem.startswith(place)
    assert message in problem


def test_check_and_explain_tell_what_shedding_will_do(capsys: pytest.CaptureFixture[str]) -> None:
    """Which queries share the operator, its states and costs, loads, bound, training."""
    assert main(["check", str(SAMPLE)]) == 0
    assert "shedding: each night: what an operator would have missed that is too slow for city_sweep, doubling" in (
        capsys.readouterr().out
    )
    assert main(["explain", str(SAMPLE), "city_sweep"]) == 0
    printed = capsys.readouterr().out
    assert "5 states of a partial match; meeting one costs 100, 100, 100, 100 virtual ns" in printed
    assert (
        "over the day and over its busiest 3 hours in a row; latency bound 1 ms, safety buffer 50 us of virtual time"
        in printed
    )
    assert main(["explain", str(SAMPLE), "snowball"]) == 0
    assert "shedding" not in capsys.readouterr().out
