"""The library's names: each is where its module says, and the errors alone do not import the engines."""

from __future__ import annotations

import subprocess
import sys

import pytest

import cep_core


@pytest.mark.parametrize("name", cep_core.__all__)
def test_every_name_is_there(name: str) -> None:
    """A name that is imported on its first use must exist then."""
    assert getattr(cep_core, name).__name__ == name
    assert name in dir(cep_core)


@pytest.mark.parametrize("name", ["nothing"])
def test_other_names_are_not(name: str) -> None:
    """As of any module."""
    with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
        getattr(cep_core, name)


def test_errors_come_without_engines() -> None:
    """Processes that judge a day or choose settings need only the errors."""
    program = "import cep_core.language.errors, sys; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
