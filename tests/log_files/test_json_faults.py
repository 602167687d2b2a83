"""What is wrong with a line of a JSON file is told by the line's number and in words, plain or compressed."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.cli import main
from jobs.log_files.reading.json_rows import line_fault
from tests.counts import few

GOOD = '{"event_type": "A", "ts": 1}'
WRONG = {
    "not json": "Expecting value after character 0",
    f"{GOOD} {{}}": "Extra data after character 29",
    "[1]": "found [1]",
    '{"event_type": "A", "ts": 1, "ts": 7}': "the key 'ts' is given twice",
    '{"event_type": "A", "ts": ': "Expecting value after character 25",
}


@pytest.mark.parametrize("wrong", [wrong for wrong in WRONG if not wrong.endswith("{}")])  # Arrow reads two as two rows
@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz"])
def test_a_command_names_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: str, suffix: str) -> None:
    file = tmp_path / f"log.{suffix}"
    text = f"{GOOD}\n\n{wrong}\n{GOOD}\n".encode()
    file.write_bytes(gzip.compress(text) if suffix.endswith("gz") else text)
    assert main(["match", "-e", "PATTERN SEQ(A a, A b) WITHIN 5", str(file)]) == 1
    assert f"{file}: line 3 is not one JSON object: {WRONG[wrong]}" in capsys.readouterr().err


@few(50)
@given(
    good=st.lists(st.sampled_from(["", "  ", GOOD, '{"x": {"x": [1, {"x": 2}]}}', "{}"]), max_size=5), data=st.data()
)
def test_the_first_wrong_line_is_found(good: list[str], data: st.DataObject) -> None:
    """And none in lines that are right; a key may come again within another object."""
    assert line_fault(line.encode() + b"\n" for line in good) is None
    place = data.draw(st.integers(0, len(good)))
    wrong = data.draw(st.sampled_from(list(WRONG)))
    lines = [*good[:place], wrong, *good[place:], "not json"]
    assert str(line_fault(line.encode() + b"\n" for line in lines)).startswith(
        f"line {place + 1} is not one JSON object"
    )
