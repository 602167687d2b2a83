"""What the engines' Numba does not import, and that nothing else misses it."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from numba.core.caching import IndexDataCacheFile

FIRST = """
import sys
import numpy as np
import pyarrow as pa
import cep_core as cep
log = pa.table({"event_type": np.array(["A", "B"]), "ts": np.arange(2)})
print(cep.aggregate("RETURN COUNT(*) PATTERN SEQ(A, B) WITHIN 9", log)["count"].to_pylist())
print([name for name in ("scipy.linalg", "coverage", *sys.argv[1:]) if name in sys.modules])
"""
DOT = """
from numba import njit
print(njit(lambda left, right: np.dot(left, right))(np.ones(3), np.ones(3)), "scipy.linalg" in sys.modules)
import coverage, scipy.linalg
print(scipy.linalg.norm([3, 4]))
"""


def test_a_first_call_imports_neither_library(root: Path) -> None:
    """Nor, with its kernels compiled by a call before, what only the compiler needs. A kernel that needs a BLAS
    compiles all the same."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    for program, compiler in ((FIRST, ()), (FIRST + DOT, ("numba.np.linalg", "numba.typed.typeddict"))):
        done = subprocess.run(
            [sys.executable, "-c", program, *compiler],
            env=environment,
            cwd=root,
            check=True,
            capture_output=True,
            text=True,
        )
        said = done.stdout.splitlines()
        assert said[:2] == ["[Decimal('1')]", "[]"]
    assert said[2:] == ["3.0 True", "5.0"]


def test_kernels_are_looked_for_where_set_up_compiled_them(root: Path, tmp_path: Path) -> None:
    """However the process was started, also if Numba was imported before; a folder of the caller's is kept."""
    bare = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    compiled = root / ".cache/numba"
    set_up = str(compiled) if (compiled / ".compiled").exists() else ""
    program = "import cep_core, cep_core.arrays, numba; print(numba.config.CACHE_DIR)"
    for begin, environment, expected in (
        ("", bare, set_up),
        ("import numba; ", bare, set_up),
        ("", bare | {"NUMBA_CACHE_DIR": str(tmp_path)}, str(tmp_path)),
    ):
        done = subprocess.run(
            [sys.executable, "-c", begin + program],
            env=environment,
            cwd=root,
            check=True,
            capture_output=True,
            text=True,
        )
        assert done.stdout.strip() == expected


def test_an_index_that_names_a_class_of_another_version_counts_as_outdated(tmp_path: Path) -> None:
    """It is read as empty, and written again."""
    import_module("cep_core.arrays")  # changes Numba
    former = ModuleType("former_version")
    exec("class Renamed: pass", vars(former))
    sys.modules[former.__name__] = former
    index = IndexDataCacheFile(str(tmp_path), "kernel", ("source", 1))
    index.save(former.Renamed, "code")
    assert index.load(former.Renamed) == "code"
    del sys.modules[former.__name__]
    assert index.load("signature") is None
    index.save("signature", "new code")
    assert index.load("signature") == "new code"
