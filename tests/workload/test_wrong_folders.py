"""`trendmill check` on wrong folders: exit code 0 or 2 in bounded time, never a traceback, each problem with its place.

Every key misspelt, every value of another kind, every file of another content or none; what is known to be wrong is
refused. Spark's own parser, which is asked where the quick one cannot read, is left out but in the named cases.
"""

from __future__ import annotations

import io
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.analysis import statement
from jobs.cli import main
from tests.workload.machines_folder import FILES, YAML_FILES, write_folder
from tests.workload.named_mistakes import NAMED
from tests.workload.wrong_folders import Wrong, contents, emptied, misspelt_keys, values_of_another_kind, yaml_contents

pytestmark = pytest.mark.long

PROBLEM = re.compile(r"  (?P<file>[^:]+)(?::(?P<line>\d+):(?P<column>\d+))?: \S.*")
PATIENCE = 120
"""Seconds after which a check counts as one that never ends."""


@contextmanager
def ending() -> Iterator[None]:
    """What never ends fails, and does not keep the other tests waiting."""

    def fail(*_: object) -> None:
        raise AssertionError(f"no end after {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def machines(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "machines")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQL that the quick parser cannot read is wrong, without asking Spark's own."""
    monkeypatch.setattr(statement, "syntax_error", lambda *_: ("syntax error", 1, 1))


def check(folder: Path) -> tuple[int, str]:
    """The exit code and what is told; asserts what holds for every folder."""
    with ending(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as stream:
        code = main(["check", str(folder)])
    printed = stream.getvalue()
    assert code in (0, 2), printed
    assert "Traceback" not in printed
    printed.encode()  # no half of a character, which no terminal shows
    if code == 2:
        head, *lines = printed.splitlines()
        assert re.fullmatch(r"trendmill: workload '\w+' has \d+ problems?:", head), head
        heads = [number for number, line in enumerate(lines) if not line.startswith("      ")]
        assert int(re.findall(r"has (\d+)", head)[0]) == len(heads), printed
        for number in heads:
            problem = PROBLEM.fullmatch(lines[number])
            assert problem, lines[number]
            assert len(lines[number]) < 1_500
            if problem["line"] and number + 1 < len(lines) and number + 1 not in heads:
                assert "^" in lines[number + 2], printed
    return code, printed


def test_the_folder_as_it_should_be_is_right(machines: Path) -> None:
    """Nothing is refused that is not wrong."""
    code, printed = check(machines)
    assert code == 0, printed


@pytest.mark.parametrize("wrong", NAMED, ids=str)
def test_a_known_mistake_is_told(wrong: Wrong, machines: Path) -> None:
    """With words that help, and without a list of what only follows from it."""
    wrong.change(machines)
    code, printed = check(machines)
    assert code == 2
    for words in wrong.messages:
        assert words in printed, printed
    assert int(re.findall(r"has (\d+) problem", printed)[0]) <= 4, printed


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("file", FILES)
def test_a_file_that_is_none_is_refused(file: str, machines: Path) -> None:
    """Of no text, too much, another kind, or a link to nowhere."""
    ways = [*contents(file), *(yaml_contents(file) if file in YAML_FILES else ())]
    for wrong in ways:
        emptied(machines)
        wrong.change(write_folder(machines))
        code, printed = check(machines)
        assert code == 2, wrong
        assert f"  {file}" in printed, (wrong, printed)
        for words in wrong.messages:
            assert words in printed, (wrong, printed)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("ways", [misspelt_keys, values_of_another_kind])
def test_a_misspelt_key_and_a_value_of_another_kind_are_refused(
    ways: Callable[[], Iterator[Wrong]], machines: Path
) -> None:
    """Every one in every YAML file, with its line."""
    accepted = []
    for wrong in ways():
        emptied(machines)
        wrong.change(write_folder(machines))
        code, _ = check(machines)
        if code != 2:
            accepted.append(wrong.name)
    assert accepted == []


def test_the_mistakes_of_all_files_are_told_at_once(machines: Path) -> None:
    """What cannot be parsed in one file hides nothing in the others."""
    for file, old, new in (
        ("workload.yaml", "title: Machines", "title: [Machines"),
        ("events.sql", "FROM steps", "FRM steps"),
        ("expectations.yaml", "severity: warn", "severity: wrn"),
        ("queries/chains.cep", "PATTERN", "PATTRN"),
        ("queries/climbs.cep", "WITHIN 20 hours", "WITHIN 20 ours"),
        ("experiments/rates.yaml", "seeds: 2", "seeds: two"),
    ):
        (machines / file).write_text(FILES[file].replace(old, new))
    code, printed = check(machines)
    assert code == 2
    for file in FILES:
        assert f"  {file}:" in printed, file
    assert "has 6 problems" in printed


SCALARS = st.one_of(
    st.sampled_from(["", "~", "''", ".nan", "-.inf", "1e999", "0x_", "2013-02-31", "1:99:99", "!!int x", "*x", "<<"]),
    st.integers(-(10**30), 10**30).map(str),
    st.sampled_from(
        ["9" * 5_000, "x" * 5_000, '"\\0"', '"\\uD800"', '"\\x7f"', "'{{ x }}'", "'$(x)'", "[[]]", "{{}: x}"]
    ),
    st.text(max_size=8).map(lambda text: f'"{text}"'),
)


@pytest.mark.usefixtures("quick")
@settings(max_examples=40)
@given(data=st.data())
def test_any_change_ends_in_a_verdict(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Random words for random words, lines taken out, twice or cut short, bytes turned."""
    folder = write_folder(tmp_path_factory.mktemp("any") / "machines")
    for _ in range(data.draw(st.integers(1, 3))):
        file = data.draw(st.sampled_from(sorted(FILES)))
        content = (folder / file).read_bytes()
        words = [word.span() for word in re.finditer(rb"[\w.]+|[^\s\w]", content)] or [(0, 0)]
        start, end = data.draw(st.sampled_from(words))
        way = data.draw(st.sampled_from(["word", "cut", "line out", "line twice", "byte"]))
        line_start, line_end = content.rfind(b"\n", 0, start) + 1, content.find(b"\n", end) + 1 or len(content)
        if way == "word":
            content = content[:start] + data.draw(SCALARS).encode("utf-8", "replace") + content[end:]
        elif way == "cut":
            content = content[:end]
        elif way == "line out":
            content = content[:line_start] + content[line_end:]
        elif way == "line twice":
            content = content[:line_end] + content[line_start:line_end] + content[line_end:]
        else:
            content = content[:start] + bytes([data.draw(st.integers(0, 255))]) + content[start + 1 :]
        (folder / file).write_bytes(content)
    check(folder)
