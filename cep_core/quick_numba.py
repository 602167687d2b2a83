"""Numba imported without two libraries that it only looks for: a fifth of the first call of a process.

Numba imports `coverage` to trace kernels if a test run measures them, and all of `scipy.linalg` to see whether there is
a BLAS. No kernel here needs either. While Numba's two modules that look for them run, the libraries are hidden, unless
they are imported already. Afterwards they are there as before: a kernel of yours that calls `numpy.dot` compiles, and
imports SciPy then.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import ModuleType

LOOKS_FOR = {"numba.misc.coverage_support": "coverage", "numba.np.arraymath": "scipy.linalg"}
"""Modules of Numba, and what each of them imports only to see whether it is there."""


class _Hiding(Loader):
    """Runs a module while a library that it looks for is hidden."""

    def __init__(self, loader: Loader, library: str) -> None:
        self._loader = loader
        self._library = library

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        with _hidden(self._library):
            self._loader.exec_module(module)
        if hasattr(module, "_HAVE_BLAS"):
            vars(module)["_HAVE_BLAS"] = find_spec("scipy") is not None


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in LOOKS_FOR:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Hiding(spec.loader, LOOKS_FOR[fullname])
        return spec


def install() -> None:
    """Hide the libraries when Numba is imported, if it is not yet."""
    if "numba" not in sys.modules and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


@contextmanager
def _hidden(library: str) -> Iterator[None]:
    """Imports of a library that is not imported yet fail."""
    if library in sys.modules:
        yield
        return
    sys.modules[library] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[library]
