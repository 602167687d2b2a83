"""The workload `data_usage`: its bundle is what its script makes, and its policies find what is planted, no more."""

from __future__ import annotations

import gzip
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pytest

import cep_core as cep
from cep_core.language.evaluator import of_table
from cep_core.slicing import make_plan, split, statistics_of
from jobs.analysis.folder import check_folder
from jobs.cli import main

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "workloads" / "data_usage"
BY_SUB_LOG = {"delete_in_both": 108_000, "delete_in_order": 108_000, "one_at_a_time": 86_400}
"""The propositional policies, and how far they look back."""
Week = tuple[Any, dict[str, set[tuple[Any, ...]]]]
"""A log's columns, and by policy the violations that are planted in it."""
POLICIES = ("bulk_reading", "custom", "delete", "insert")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """What makes the log: the script's own modules."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return import_module("data_usage.usage_log")
    finally:
        sys.path.pop(0)


@pytest.fixture(scope="module")
def week(script: ModuleType) -> Week:
    """The columns of the bundled week, and what is planted in it."""
    made: Week = script.generate(script.Usage())
    return made


@pytest.fixture(scope="module")
def bundle() -> pa.Table:
    """The bundled week, as the events that `events.sql` makes of it."""
    as_written = pyarrow.csv.ConvertOptions(strings_can_be_null=True)
    days = [pyarrow.csv.read_csv(path, convert_options=as_written) for path in sorted((FOLDER / "data").glob("*.gz"))]
    return pa.concat_tables(days).rename_columns({"event": "event_type"})


SIGNATURE = """
select(user: string, db: string, participant: string, data: string)
insert(user: string, db: string, participant: string, data: string)
delete(user: string, db: string, participant: string, data: string)
script_start(script: string)
script_end(script: string)
"""


def file_of(policy: str) -> Path:
    return FOLDER / "policies" / f"{policy}.mfotl"


def violations(policy: str | Path, log: pa.Table) -> list[tuple[Any, ...]]:
    """The rows of `cep.monitor`, without `tp`."""
    table = cep.monitor(policy, SIGNATURE, log)
    assert isinstance(table, pa.Table)
    return [tuple(row.values()) for row in table.drop_columns(["tp"]).to_pylist()]


def test_the_script_makes_the_bundle(script: ModuleType, week: Week, tmp_path: Path) -> None:
    """Same seed, same script: same content of every file, and of each day as many events as were asked for."""
    script.write_days(script.Usage(), week[0], tmp_path)
    committed = sorted(path.name for path in (FOLDER / "data").iterdir())
    assert sorted(path.name for path in tmp_path.iterdir()) == committed
    for name in committed:
        made = gzip.decompress((tmp_path / name).read_bytes())
        assert made == gzip.decompress((FOLDER / "data" / name).read_bytes())
        assert made.count(b"\n") == 1 + 20_000
    assert len(committed) == 7


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_finds_exactly_what_is_planted(policy: str, week: Week, bundle: pa.Table) -> None:
    """Deadlines that are met or missed by a second are among what is planted."""
    planted = week[1]
    violated = violations(file_of(policy), bundle)
    assert set(violated) == planted[policy]
    assert len(violated) == len(planted[policy]) >= 20


@pytest.mark.parametrize("policy", ["custom", "delete", "insert"])
def test_a_policy_is_sliced_by_its_data(policy: str, bundle: pa.Table) -> None:
    """X5: paper 01's three policies are split by the data alone, without copies, nearly evenly and as predicted."""
    atoms = check_folder(FOLDER).compiled[policy].evaluator.atoms
    names = sorted({name for atom in atoms for _, name in atom.variables})
    for slices, at_most in ((4, 0.29), (16, 0.11)):
        plan = make_plan({policy: atoms}, names, statistics_of(bundle, atoms), slices, "seed")
        assert plan.predicted is not None
        assert [dict(zip(names, cube.shares, strict=True))["data"] for cube in plan.cubes] == [slices]
        rows, owners = split(plan, bundle)
        assert len(rows) == len(set(rows.tolist()))
        assert np.bincount(owners).max() / len(rows) == pytest.approx(plan.predicted.maximum_load)
        assert plan.predicted.maximum_load < at_most


@pytest.mark.parametrize("policy", POLICIES)
def test_a_busier_log_holds_exactly_what_is_planted_too(policy: str, script: ModuleType) -> None:
    """Its events share their seconds."""
    columns, planted = script.generate(script.Usage(seed=7, rate=60_000, days=3))
    log = script.as_text(columns).rename_columns({"event": "event_type"})
    assert set(violations(file_of(policy), log)) == planted[policy]
    assert planted[policy]


def test_the_seed_decides_everything(script: ModuleType) -> None:
    small = script.Usage(seed=3, rate=2_000, days=2)
    (first, planted), (again, same) = script.generate(small), script.generate(small)
    assert script.as_text(first) == script.as_text(again)
    assert planted == same
    assert script.as_text(first) != script.as_text(script.generate(script.Usage(4, 2_000, 2))[0])


@pytest.mark.parametrize(
    ("policy", "written", "changed"),
    [
        ("insert", "[0,30h)", "[0,30h]"),
        ("insert", "[0,30h)", "[0,107998]"),
        ("insert", ' AND NOT data = "[unknown]"', ""),
        ("insert", ' OR delete(u, "db1", v, data)', ""),
        ("insert", 'insert(u, "db2"', 'insert(u, "db1"'),
        ("delete", "[0,30h)", "[0,30h]"),
        ("delete", "[0,30h)", "[0,107998]"),
        ("delete", ' AND NOT data = "[unknown]"', ""),
        ("delete", ' (NOT (ONCE[0,30h) (EXISTS u, v. insert(u, "db1", v, data))))', " TRUE"),
        ("delete", 'delete(u, "db2"', 'delete(u, "db1"'),
        ("custom", "[0,*)", "[0,1d]"),
        ("bulk_reading", "n >= 60", "n >= 61"),
    ],
)
def test_the_log_tells_a_policy_from_one_that_is_a_little_different(
    policy: str, written: str, changed: str, bundle: pa.Table
) -> None:
    """Planted and usual events lie close to each bound, and every exception of a policy occurs."""
    text = file_of(policy).read_text()
    assert written in text
    assert violations(text.replace(written, changed), bundle) != violations(text, bundle)


@pytest.mark.parametrize(
    ("policy", "asked", "due", "sign"),
    [
        ("delete_in_both", "db1", "db2", 1),
        ("delete_in_order", "db2", "db1", -1),
    ],
)
def test_what_users_delete_counted_by_a_loop(policy: str, asked: str, due: str, sign: int, bundle: pa.Table) -> None:
    """Deletions of a user for which that user has no other in the other database within 30 hours."""
    deletions: dict[tuple[str, str], list[int]] = {}
    for row in bundle.filter(pc.equal(bundle["event_type"], "delete")).to_pylist():
        deletions.setdefault((row["user"], row["db"]), []).append(row["ts"])
    expected = {
        (ts, 0, user)
        for (user, db), stamps in deletions.items()
        for ts in stamps
        if db == asked and not any(0 <= sign * (deleted - ts) <= 108_000 for deleted in deletions.get((user, due), []))
    }
    evaluator = check_folder(FOLDER).compiled[policy].evaluator
    rows = evaluator.merge(of_table(evaluator.evaluate(bundle)))
    assert {tuple(row.values())[:3] for row in rows.to_pylist()} == expected
    assert rows.num_rows == len(expected) == {"delete_in_both": 181, "delete_in_order": 35}[policy]


def test_scripts_that_start_again_counted_by_a_loop(bundle: pa.Table) -> None:
    """A start after a start, no end between them and no half day without an event of that script."""
    kinds: dict[str, dict[int, set[str]]] = {}
    for row in bundle.filter(pc.is_valid(bundle["script"])).to_pylist():
        kinds.setdefault(row["script"], {}).setdefault(row["ts"], set()).add(row["event_type"])
    expected = set()
    for script, points in kinds.items():
        started = before = None  # the start that still runs, and the last point
        for ts, own in sorted(points.items()):
            runs = started is not None and before is not None and ts - before <= 43_200 >= before - started
            if runs and "script_start" in own:
                expected.add((ts, 0, script))
            started = ts if "script_start" in own else None if "script_end" in own else started
            before = ts
    evaluator = check_folder(FOLDER).compiled["one_at_a_time"].evaluator
    rows = evaluator.merge(of_table(evaluator.evaluate(bundle)))
    assert {tuple(row.values())[:3] for row in rows.to_pylist()} == expected
    assert len(expected) == rows.num_rows == 568


def test_the_folder_has_no_problem(capsys: pytest.CaptureFixture[str]) -> None:
    """All are policies of the workload, only `custom` reads the whole past, and `check` says what that costs."""
    reach = {name: query.evaluator.reach.time for name, query in check_folder(FOLDER).compiled.items()}
    assert reach == {"bulk_reading": 3_599, "custom": None, "delete": 215_998, "insert": 107_999, **BY_SUB_LOG}
    assert main(["check", str(FOLDER)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("no problem found")
    costly = [line for line in lines if "each day reads all days before it, and late data makes all later days" in line]
    assert costly == [line for line in lines if line.startswith("    looks back to 2010-08-23: ")]
    assert len(costly) == 1
