"""`trendmill` without a command: what to begin with."""

from __future__ import annotations

import shlex

import pytest

from jobs.cli import COMMANDS, FIRST_STEPS, main, parser_of


def test_first_steps_are_commands_that_can_be_typed(capsys: pytest.CaptureFixture[str]) -> None:
    """Each is understood by the parser of its command."""
    assert main([]) == 2
    assert capsys.readouterr().err.strip() == FIRST_STEPS
    steps = [line.split("   ")[0] for line in FIRST_STEPS.splitlines()[1:]]
    assert len(steps) == 3
    for step in steps:
        program, command, *arguments = shlex.split(step)
        assert program == "trendmill"
        assert command in COMMANDS
        parser_of(command).parse_args([command, *arguments])


def test_a_misspelt_command_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """With the one that is like it."""
    assert main(["mtach", "q.cep", "log.csv"]) == 2
    assert capsys.readouterr().err == "trendmill: no command 'mtach'; did you mean 'match'?\n"
