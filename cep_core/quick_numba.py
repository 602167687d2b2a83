"""Numba imported without two libraries that it only looks for, and without what it needs only to compile.

A third of the first call of a process:

Numba imports `coverage` to trace kernels if a test run measures them, and all of `scipy.linalg` to see whether there is
a BLAS. No kernel here needs either. While Numba's two modules that look for them run, the libraries are hidden, unless
they are imported already. Afterwards they are there as before: a kernel of yours that calls `numpy.dot` compiles, and
imports SciPy then.

Before Numba loads a compiled kernel from its cache, it imports and registers everything that it can compile. A kernel
of this project that is in the cache needs of all that only Numba's memory of arrays. What is not in the cache is
registered for by the compiler itself, when it begins.

A checkout whose kernels were compiled at set-up has them in one folder. They are looked for there, however the process
was started, unless `NUMBA_CACHE_DIR` names another one. Kernels that another version of the project compiled are
compiled anew, whatever that version called its classes.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

CACHING = "numba.core.caching"
"""The module of Numba that loads compiled kernels."""
OWN = "cep_core.", "jobs."
"""The packages whose kernels are loaded so."""
COMPILED = Path(__file__).parents[1] / ".cache/numba"
"""Where set-up compiles the kernels of a checkout."""
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


class _Loading(Loader):
    """Runs Numba's module that loads kernels, and changes it."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        change_loading(module)


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in LOOKS_FOR and fullname != CACHING:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            hidden = LOOKS_FOR.get(fullname)
            spec.loader = _Hiding(spec.loader, hidden) if hidden else _Loading(spec.loader)
        return spec


def install() -> None:
    """Change what Numba does when it is imported, or what is left of that."""
    if "NUMBA_CACHE_DIR" not in os.environ and (COMPILED / ".compiled").exists():
        os.environ["NUMBA_CACHE_DIR"] = str(COMPILED)
        if "numba.core.config" in sys.modules:
            sys.modules["numba.core.config"].reload_config()
    if CACHING in sys.modules:
        change_loading(sys.modules[CACHING])
    if "numba" not in sys.modules and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def change_loading(caching: Any) -> None:
    """Change how Numba's module `caching` loads compiled kernels."""
    load_without_compiler(caching)
    pass_over_outdated(caching)


def pass_over_outdated(caching: Any) -> None:
    """Let an index of kernels that names a class which no longer exists count as one of an older source.

    Numba compares an index's source with today's only after it has looked up the classes of all signatures, so a class
    that another version renamed would end each call that needs a kernel of this index.
    """
    of_numba = caching.IndexDataCacheFile._load_index

    def load_index(file: Any) -> Any:
        try:
            return of_numba(file)
        except (AttributeError, ImportError):
            return {}

    caching.IndexDataCacheFile._load_index = load_index


def load_without_compiler(caching: Any) -> None:
    """Let compiled kernels of this project be loaded without what only the compiler needs.

    `caching`: Numba's module. Its `Cache.load_overload` refreshes the compiler's context, and then loads; a compiler
    refreshes it as well when it begins.
    """
    of_numba = caching.Cache.load_overload

    def load_overload(cache: Any, signature: Any, context: Any) -> Any:
        if not cache._py_func.__module__.startswith(OWN):
            return of_numba(cache, signature, context)
        from numba.core.runtime import rtsys

        rtsys.initialize(context)
        with cache._guard_against_spurious_io_errors():
            return cache._load_overload(signature, context)

    caching.Cache.load_overload = load_overload


@contextmanager
def nothing_collected() -> Iterator[None]:
    """No garbage is looked for: what imports make stays."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


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
