"""Policies beside labels: reading, scoring, and the pattern that says what a policy says. Point 16's experiment."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.labelled_sequences import BLOCKS, CONTAINERS, FOLDER, main, matches, violations
from cep_core.experiments.label_scores import score
from cep_core.experiments.labelled_sequences import LabelledSequences, read_sequences, sequences_of

ROOT = Path(__file__).parents[2]
STAND_INS = ROOT.parent / "shared" / "data"

templates = st.sampled_from([2, 5, 7, 9, 11, 21, 22, 26, 30])
drawn_sequences = st.lists(st.lists(templates, min_size=1, max_size=12), min_size=1, max_size=6)


def _sequences(drawn: list[list[int]], *, abnormal: bool = True) -> LabelledSequences:
    return sequences_of((f"blk,{' '.join(map(str, one))}" for one in drawn), abnormal=abnormal)


@given(drawn_sequences)
def test_the_pattern_beside_a_policy_has_the_same_verdicts(drawn: list[list[int]]) -> None:
    sequences = _sequences(drawn)
    forbidden = violations(BLOCKS.policies["deleted is not used at once"], sequences.trace(BLOCKS.atoms))
    assert matches(BLOCKS, sequences).tolist() == np.flatnonzero(forbidden).tolist()


@given(drawn_sequences)
def test_policies_say_what_their_names_say(drawn: list[list[int]]) -> None:
    """Each policy against a sentence of plain Python about the list."""
    sequences = _sequences(drawn)
    trace = sequences.trace(BLOCKS.atoms)
    flat = {name: violations(text, trace).tolist() for name, text in BLOCKS.policies.items()}
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


def test_missing_files_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["labelled_sequences.py", "--folder", str(tmp_path)])
    main()
    assert "HDFS blocks: left out, since hdfs_train.gz, hdfs_test_abnormal.gz is not in" in capsys.readouterr().out


@pytest.mark.skipif(not (STAND_INS / FOLDER).is_dir(), reason="the labelled sequences of HDFS and Hadoop are not here")
def test_the_longest_sequence_is_one_heavy_value() -> None:
    """One container has a quarter of all events; its verdicts are those of the definition."""
    folder = STAND_INS / FOLDER
    sequences = read_sequences([], [folder / CONTAINERS.abnormal[0]])
    sizes = np.diff(sequences.starts)
    assert sizes.max() == 99_001
    broken = violations(CONTAINERS.policies["what starts stops"], sequences.trace(CONTAINERS.atoms))
    for index in (int(sizes.argmax()), *range(0, len(sizes), 40)):
        own = sequences.templates[sequences.starts[index] : sequences.starts[index + 1]]
        stops = np.flatnonzero(np.isin(own, CONTAINERS.atoms["stopped"]))
        last = stops[-1] if len(stops) else -1
        meant = np.isin(own, CONTAINERS.atoms["started"]) & (np.arange(len(own)) > last)
        assert broken[sequences.starts[index] : sequences.starts[index + 1]].tolist() == meant.tolist()
