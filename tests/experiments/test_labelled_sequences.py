"""Policies beside labels: reading, scoring, their grids, and the pattern that says what a policy says."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.experiments.grids.declared import declared_grid
from cep_core.experiments.grids.label_cell import matches, measure_labels, violations
from cep_core.experiments.grids.label_grid import LabelGrid
from cep_core.experiments.grids.summaries import summary_of
from cep_core.experiments.label_scores import score
from cep_core.experiments.labelled_sequences import LabelledSequences, read_sequences, sequences_of
from jobs.reports.experiments_page import label_section, page_of
from jobs.reports.site import write_pages
from jobs.workload.sections.experiment_grids import load_grids

ROOT = Path(__file__).parents[2]
STAND_INS = ROOT.parent / "shared" / "data"
FOLDER = "hdfs_hadoop_sequences"


def _own(name: str) -> LabelGrid:
    grid = load_grids("nyc_flights", ROOT / "workloads" / "nyc_flights")[name]
    assert isinstance(grid, LabelGrid)
    return grid


BLOCKS, CONTAINERS = _own("hdfs_blocks"), _own("hadoop_containers")
AT_ONCE = "deleted is not used at once"
SMALL = {
    "title": "Doors beside labels",
    "log": {"normal": "n.gz", "abnormal": ["a.gz"]},
    "sequences": "doors",
    "atoms": {"opened": 1, "closed": [2, 3]},
    "policies": {"what opens closes": "opened IMPLIES EVENTUALLY closed", "never closed": "NOT closed"},
    "patterns": {"never closed": "PATTERN SEQ(closed c) WITHIN 1 RETURN c.seq AS at"},
}

templates = st.sampled_from([2, 5, 7, 9, 11, 21, 22, 26, 30])
drawn_sequences = st.lists(st.lists(templates, min_size=1, max_size=12), min_size=1, max_size=6)


def _sequences(drawn: list[list[int]], *, abnormal: bool = True) -> LabelledSequences:
    return sequences_of((f"blk,{' '.join(map(str, tokens))}" for tokens in drawn), abnormal=abnormal)


@given(drawn_sequences)
def test_the_pattern_beside_a_policy_has_the_same_verdicts(drawn: list[list[int]]) -> None:
    sequences = _sequences(drawn)
    forbidden = violations(BLOCKS, AT_ONCE, sequences.trace(BLOCKS.atoms))
    assert matches(BLOCKS, AT_ONCE, sequences).tolist() == np.flatnonzero(forbidden).tolist()


@given(drawn_sequences)
def test_policies_say_what_their_names_say(drawn: list[list[int]]) -> None:
    """Each policy against a sentence of plain Python about the list."""
    sequences = _sequences(drawn)
    trace = sequences.trace(BLOCKS.atoms)
    flat = {name: violations(BLOCKS, name, trace).tolist() for name in BLOCKS.policies}
    place = 0
    for events in drawn:
        for index, event in enumerate(events):
            rest, before = events[index:], events[: index + 1]
            meant = {
                "allocated is received": event == 22 and 9 not in rest,
                "receiving ends": event == 5 and 11 not in rest,
                "stored three times": event == 22 and rest.count(26) < 3,
                "unused after deletion": event in BLOCKS.atoms["used"] and 21 in before,
                "no failure": event == 7,
                "deleted is not used at once": event == 21 and bool(set(rest[1:2]) & set(BLOCKS.atoms["used"])),
            }
            assert {name: flat[name][place] for name in meant} == meant
            place += 1


def test_a_score_counts_sequences_once(tmp_path: Path) -> None:
    for name, lines in (("normal.gz", "a,1 2\nb,2 2 2\n"), ("abnormal.gz", "c,1\nd,1 1 2 2\n")):
        (tmp_path / name).write_bytes(gzip.compress(lines.encode()))
    sequences = read_sequences([tmp_path / "normal.gz"], [tmp_path / "abnormal.gz"])
    assert sequences.starts.tolist() == [0, 2, 5, 6, 10]
    scored = score(sequences.templates == 2, sequences)
    assert (scored.pointed, scored.right, scored.abnormal) == (3, 1, 2)
    assert (scored.precision, scored.recall, scored.f1, scored.first) == (1 / 3, 1 / 2, 0.4, 1.0)
    nothing = score(sequences.templates == 9, sequences)
    assert (nothing.precision, nothing.f1, nothing.first) == (0.0, 0.0, None)


def _small(**changed: object) -> LabelGrid:
    grid = declared_grid("doors", {**SMALL, **changed})
    assert isinstance(grid, LabelGrid)
    return grid


def _written(folder: Path) -> Path:
    (folder / "n.gz").write_bytes(gzip.compress(b"a,1 2\nb,1 3 4\n"))
    (folder / "a.gz").write_bytes(gzip.compress(b"c,4 1\nd,4\n"))
    return folder


def test_a_grid_beside_labels_is_measured_and_told(tmp_path: Path) -> None:
    """Two of four doors are abnormal: one stays open, of the other nothing is known. A grid goes to another process."""
    grid = _small()
    assert grid.log.missing(tmp_path) == ["n.gz", "a.gz"]
    copied = pickle.loads(pickle.dumps(grid))
    rows = measure_labels(copied, grid.cells[0], _written(tmp_path)).to_pylist()
    summary = summary_of(rows)
    assert {(row["strategy"], row["metric"]): row["value"] for row in rows} == {
        ("what opens closes", "precision"): 1.0,
        ("what opens closes", "recall"): 0.5,
        ("what opens closes", "f1"): 2 / 3,
        ("what opens closes", "pointed"): 1.0,
        ("what opens closes", "first_violation"): 1.0,
        ("never closed", "precision"): 0.0,
        ("never closed", "recall"): 0.0,
        ("never closed", "f1"): 0.0,
        ("never closed", "pointed"): 2.0,
        ("never closed", "first_violation"): 1.0,
        ("never closed", "pattern_differs"): 0.0,
        ("any of them", "precision"): 1 / 3,
        ("any of them", "recall"): 0.5,
        ("any of them", "f1"): 0.4,
        ("any of them", "pointed"): 3.0,
        ("any of them", "first_violation"): 1.0,
        ("any of them", "sequences"): 4.0,
        ("any of them", "abnormal"): 2.0,
        ("any of them", "events"): 8.0,
    }
    section = label_section(grid, summary)
    assert section.answer == (
        "Of 4 doors 2 were labelled abnormal. A violation of some policy points at 1 of these (50 %) and at 2 of the "
        "others (F1 0.400). The pattern query beside 'never closed' has the same verdicts."
    )
    formula = SMALL["policies"]["what opens closes"]  # type: ignore[index]
    assert section.scores[0] == ["what opens closes", formula, "1.000", "0.500", "0.667", "1", "1"]
    assert section.scores[-1] == ["any of them", "", "0.333", "0.500", "0.400", "3", "1"]
    page = page_of([section, label_section(_small(title="x"), summary_of([]))])
    assert page.content["finding"] == section.answer
    assert page.content["unmeasured"] == [["doors", "x", "0 of 1 cell"]]
    frame = {"workload_name": "w", "workload_title": "w", "trail": [], "pages": []}
    write_pages(tmp_path / "one", [page], frame)
    assert (tmp_path / "one" / "index.html").read_text().count("Of 4 doors 2 were labelled abnormal") == 1
    page = page_of([section, section])
    assert page.content["finding"] == "2 of 2 grids of experiments have been measured."
    write_pages(tmp_path / "two", [page], frame)
    assert (tmp_path / "two" / "index.html").read_text().count("Of 4 doors 2 were labelled abnormal") == 2


def test_a_pattern_that_says_something_else_is_told(tmp_path: Path) -> None:
    """Opening doors instead of closing ones: four events differ, three opened and two closed, none in common."""
    grid = _small(patterns={"never closed": "PATTERN SEQ(opened o) WITHIN 1 RETURN o.seq AS at"})
    rows = measure_labels(grid, grid.cells[0], _written(tmp_path)).to_pylist()
    assert [row["value"] for row in rows if row["metric"] == "pattern_differs"] == [5.0]
    assert "has other verdicts at 5 events." in label_section(grid, summary_of(rows)).answer


def test_a_definition_changes_with_what_the_scores_depend_on() -> None:
    assert _small(title="other", figure="x", sequences="gates").definition == _small().definition
    changed = [
        _small(log={"normal": "n.gz", "abnormal": "b.gz"}),
        _small(atoms={"opened": 1, "closed": 2}),
        _small(policies={**SMALL["policies"], "third": "NOT opened"}),  # type: ignore[dict-item]
        _small(patterns={}),
    ]
    assert len({grid.definition for grid in [_small(), *changed]}) == len(changed) + 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"colour": 1}, "no key 'colour'"),
        ({"log": {"read": "trades"}}, "log: labelled sequences have files `normal` and `abnormal`"),
        ({"log": {"normal": [], "abnormal": "a.gz"}}, "log.normal: expected text"),
        ({"atoms": {"opened": "five"}}, "atoms.opened: expected a whole number"),
        ({"atoms": {}}, "atoms and policies"),
        ({"atoms": {"other": 1}}, "'other' is no name of an atom"),
        ({"policies": {"p": "opened IMPLIES shut"}, "patterns": {}}, "(?s)policies.p: .*shut"),
        ({"policies": {"p": 3}}, "policies.p: expected text"),
        ({"patterns": {"p": "PATTERN SEQ(closed c) WITHIN 1"}}, "patterns: no policy 'p'"),
        ({"patterns": {"never closed": "PATTERN SEQ(closed c WITHIN 1"}}, "patterns.never closed: <query>:1"),
        ({"patterns": {"never closed": "PATTERN SEQ(closed c) WITHIN 1 RETURN c.seq AS it"}}, "it returns no `at`"),
        (
            {
                "atoms": {"opened": 1, "closed": [1, 2]},
                "patterns": {"never closed": "PATTERN SEQ(closed c, opened o) WITHIN 1 RETURN c.seq AS at"},
            },
            "two of its atoms have a common template",
        ),
    ],
)
def test_a_wrong_grid_beside_labels_names_the_key(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _small(**changed)


@pytest.mark.skipif(not (STAND_INS / FOLDER).is_dir(), reason="the labelled sequences of HDFS and Hadoop are not here")
def test_the_longest_sequence_is_one_heavy_value() -> None:
    """One container has a quarter of all events; its verdicts are those of the definition."""
    sequences = read_sequences([], [STAND_INS / CONTAINERS.log.abnormal[0]])
    sizes = np.diff(sequences.starts)
    assert sizes.max() == 99_001
    broken = violations(CONTAINERS, "what starts stops", sequences.trace(CONTAINERS.atoms))
    for index in (int(sizes.argmax()), *range(0, len(sizes), 40)):
        own = sequences.templates[sequences.starts[index] : sequences.starts[index + 1]]
        stops = np.flatnonzero(np.isin(own, CONTAINERS.atoms["stopped"]))
        last = stops[-1] if len(stops) else -1
        meant = np.isin(own, CONTAINERS.atoms["started"]) & (np.arange(len(own)) > last)
        assert broken[sequences.starts[index] : sequences.starts[index + 1]].tolist() == meant.tolist()


@pytest.mark.skipif(not (STAND_INS / FOLDER).is_dir(), reason="the labelled sequences of HDFS and Hadoop are not here")
@pytest.mark.parametrize(
    ("grid", "header", "any_of"),
    [(BLOCKS, "HDFS: {} blocks, {} abnormal", "six"), (CONTAINERS, "Hadoop: {} containers, {} abnormal", "three")],
    ids=["hdfs_blocks", "hadoop_containers"],
)
def test_the_scores_in_the_docs_are_those_of_the_grids(grid: LabelGrid, header: str, any_of: str) -> None:
    """Row by row, by the formula, and of all policies together; the pattern beside a policy has its verdicts."""
    text = (ROOT / "docs" / "policies.md").read_text()
    summary = summary_of(measure_labels(grid, grid.cells[0], STAND_INS).to_pylist())
    *single, together = label_section(grid, summary).scores
    rows = [(f"| `{row[1]}`", row) for row in single]
    for begin, row in [*rows, (f"| any of the {any_of} |", together)]:
        [line] = [line for line in text.splitlines() if line.startswith(begin) and row[2] in line]
        assert line.split(" | ")[1:] == [*row[2:6], f"{row[6]} |"], row[0]
    [of_all] = summary.along("f1", "any of them")
    assert f"| {header.format(*(f'{of_all[name]:,.0f}' for name in ('sequences', 'abnormal')))} |" in text
    assert all(summary.along("f1", name)[0]["pattern_differs"] == 0 for name in grid.patterns)
