"""One record a strategy: whoever adds a strategy writes its file and a line in the table, and nothing else."""

from __future__ import annotations

import ast
import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from cep_core.drawing.tones import DARK, Look
from cep_core.experiments import slicing_strategies
from cep_core.experiments.grids.grid import grid_of
from cep_core.experiments.shedding_rows import compare_shedding
from cep_core.experiments.slicing_rows import compare_strategies
from cep_core.shedding import strategies
from cep_core.shedding.shedders.nothing import UNSHED
from cep_core.shedding.shedders.partition import ByPartition
from cep_core.shedding.shedders.pspice import PSPICE, PSpice
from cep_core.shedding.shedders.strategy import Origin, SheddingStrategy
from jobs.reports.comparisons.shedding_answer import answer
from jobs.reports.comparisons.shedding_rows import shedding_of
from jobs.reports.figures.drawing.palette import COLOURS, strategy_look
from tests.shedding.worlds import planted
from tests.slicing.paper import TRIANGLE
from tests.slicing.test_prediction import uniform

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class InTens(PSpice):
    """What a file of a new strategy holds: the class, then its record."""

    bin_size: int | None = 10

    @property
    def name(self) -> str:
        return "pSPICE in tens"


TENS = SheddingStrategy(InTens().name, "as pSPICE, with a row for every tenth event", "ink", "H", Origin.OWN, InTens)


def texts_of(source: Path) -> set[str]:
    """Every string constant of a file."""
    nodes = ast.walk(ast.parse(source.read_text(encoding="utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_no_two_strategies_look_alike() -> None:
    """Names tell strategies apart, and so do colour and marker; a dark page has its own tone of each colour."""
    records = [*slicing_strategies.STRATEGIES, *strategies.STRATEGIES]
    assert len({record.name for record in records}) == len(records)
    assert len({(record.colour, record.marker) for record in records}) == len(records)
    assert {record.colour for record in records} <= set(COLOURS)
    assert set(COLOURS.values()) <= set(DARK)
    assert strategy_look("a new one") == strategy_look("a new one")


def test_a_record_and_its_shedder_have_one_name() -> None:
    """Rows bear the shedder's name, pages look it up in the table; `Clairvoyance` is not looked at for a name."""
    for record in strategies.STRATEGIES:
        shedder = record.make(None) if record.out_of_reach else record.make()
        assert shedder.name == record.name
        assert record.drops
        assert strategies.strategy_named(record.name) is record


WORDS = (UNSHED.name, ByPartition().name)
"""`none` is a word of other things as well, and the other name is made of another strategy's."""


@pytest.mark.parametrize(
    "name",
    [
        strategy.name
        for strategy in (*strategies.STRATEGIES, *slicing_strategies.STRATEGIES)
        if strategy.name not in WORDS
    ],
)
def test_a_name_is_written_in_one_file(name: str, sources: dict[Path, set[str]]) -> None:
    """The file of its record: everybody else asks the record."""
    files = [path.relative_to(ROOT).as_posix() for path, texts in sources.items() if name in texts]
    assert len(files) == 1
    assert files[0].startswith(("cep_core/shedding/shedders/", "cep_core/experiments/slicing_strategies.py"))


@pytest.fixture(scope="module")
def sources() -> dict[Path, set[str]]:
    paths = [path for folder in ("cep_core", "jobs", "dags", "scripts") for path in (ROOT / folder).rglob("*.py")]
    return {path: texts_of(path) for path in paths}


def test_a_new_shedding_strategy_is_one_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its line in the table it is allowed in grids, measured at night, drawn and told of."""
    place = strategies.place_of(PSPICE.name) + 1
    monkeypatch.setattr(
        strategies, "STRATEGIES", (*strategies.STRATEGIES[:place], TENS, *strategies.STRATEGIES[place:])
    )
    declared = {
        "title": "t",
        "log": {"generate": "quotes", "quotes": 900},
        "queries": {"Q1": {}},
        "axes": {"window": [50], "load": [1.2]},
        "strategies": [TENS.name],
        "seeds": 1,
        "bound_ms": 5,
        "costs": {},
    }
    assert grid_of("g", declared).strategies == (TENS.name,)
    rows = compare_shedding(planted(1, 1_500), loads=(1.5,), seeds=(0, 1)).to_pylist()
    runs = Counter(row["strategy"] for row in rows if row["metric"] == "lost")
    assert runs[TENS.name] == runs[PSPICE.name] == 1
    assert runs["PM-BL"] == 2
    compared = shedding_of(rows)
    assert compared is not None
    assert compared.strategies == [strategy.name for strategy in strategies.STRATEGIES]
    assert TENS.name in [outcome.strategy for outcome in compared.attainable]
    assert answer(compared)
    assert strategy_look(TENS.name) == Look(COLOURS["ink"], "H")


def test_a_strategy_that_knows_the_future_is_no_rival(monkeypatch: pytest.MonkeyPatch) -> None:
    """The record alone says that nobody can use it."""
    own = {record.name: record for record in strategies.STRATEGIES}
    beyond = replace(own["trend counts"], origin=Origin.OUT_OF_REACH, make=lambda known: own["trend counts"].make())
    monkeypatch.setattr(
        strategies,
        "STRATEGIES",
        tuple(beyond if strategy.name == beyond.name else strategy for strategy in strategies.STRATEGIES),
    )
    rows = compare_shedding(planted(1, 1_500), loads=(1.5,), seeds=(0,)).to_pylist()
    compared = shedding_of(rows)
    assert compared is not None
    assert beyond.name in compared.strategies
    assert beyond.name not in [outcome.strategy for outcome in compared.attainable]


def test_a_new_slicing_strategy_is_one_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its line in the table it is measured and drawn; where it does not apply it has no rows."""
    single_slice = slicing_strategies.SlicingStrategy(
        "all in one", "ink", "H", lambda log: slicing_strategies.StrategyCut({}, 1, log.keyed((), 1))
    )
    never = slicing_strategies.SlicingStrategy("never", "ink", "p", lambda log: None)
    monkeypatch.setattr(slicing_strategies, "STRATEGIES", (*slicing_strategies.STRATEGIES, single_slice, never))
    events = uniform(200)
    plan = slicing_strategies.make_plan(
        {"q": TRIANGLE}, ("x1", "x2", "x3"), slicing_strategies.statistics_of(events, TRIANGLE), 4, "s"
    )
    rows = compare_strategies(plan, events, 4, "s").to_pylist()
    maxima = {row["strategy"]: row["value"] for row in rows if row["metric"] == "maximum load"}
    assert maxima["all in one"] == 1.0
    assert "never" not in maxima
    assert json.loads(next(row["parameters"] for row in rows if row["strategy"] == "all in one")) == {}
    assert strategy_look("all in one") == Look(COLOURS["ink"], "H")


def test_the_handbook_names_every_strategy() -> None:
    """docs/semantics.md 7 says what each does."""
    text = (ROOT / "docs" / "semantics.md").read_text(encoding="utf-8")
    assert [record.name for record in strategies.STRATEGIES if f"`{record.name}`" not in text] == []
