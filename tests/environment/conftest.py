"""Loads set-up scripts by path: they are programs that run before anything is installed, not modules of a package."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Protocol

import pytest

ROOT = Path(__file__).resolve().parents[2]


class LoadScript(Protocol):
    def __call__(self, name: str) -> ModuleType: ...


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def script() -> LoadScript:
    """`script("find_java")` is the module of scripts/find_java.py."""

    def load(name: str) -> ModuleType:
        import sys

        spec = spec_from_file_location(f"scripts_{name}", ROOT / "scripts" / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module

    return load
