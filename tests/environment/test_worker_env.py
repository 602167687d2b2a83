"""The archive for executors (`make worker-env`): unpacked elsewhere it imports the project and compiles nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
from worker_env import IMPORTED, NAMED, compile_ahead, copy_project, distributions, pack, write_starter

from tests.archives import unpack

CALLS = """
import numpy as np
from cep_core.numbers.group_sums import add_to
sums, groups = np.zeros(2, np.int64), np.array([0, 1, 1])
groups.flags.writeable = False
add_to(sums, groups, groups)
print(sums.tolist(), *(sum(counts.values()) for counts in add_to.stats[1:]))
"""
"""Prints sums, and how often a kernel was found compiled, and how often not."""

IMPORTS = """
import sys
from importlib import import_module
from pathlib import Path
import jobs
home = Path(jobs.__file__).parents[1]
for folder in ("stages", "raw", "quality", "lake", "doctor"):
    for file in sorted((home / "jobs" / folder).rglob("*.py")):
        import_module(".".join(file.relative_to(home).with_suffix("").parts).removesuffix(".__init__"))
print(home, *sorted({name.split(".")[0] for name in sys.modules}))
"""
"""Prints where the project is, and every module that code which runs on executors imports."""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with one compiled kernel, unpacked in another folder; its packages are those of this environment."""
    made, unpacked_again = tmp_path_factory.mktemp("made"), tmp_path_factory.mktemp("other")
    packages = Path(pytest.__file__).parents[1]
    copy_project(made / "project")
    write_starter(made, "generic")
    (made / "lib").symlink_to(packages)
    assert compile_ahead(made, ["-c", CALLS]) == "[0, 2] 0 1"
    (made / "lib").unlink()
    archives = [made.parent / f"{number}.tar.gz" for number in (1, 2)]
    for archive in archives:
        pack(made, archive)
        os.utime(made / "bin" / "python", (1, 1))
    assert archives[0].read_bytes() == archives[1].read_bytes()
    unpack(archives[0], unpacked_again)
    (unpacked_again / "lib").symlink_to(packages)
    return unpacked_again


def started(folder: Path, code: str, **more: str) -> str:
    """What the archive's own Python prints, in an environment that names other folders."""
    environment = {**os.environ, "TRENDMILL_PYTHON": sys.executable, "PYTHONPATH": "", **more}
    command = [str(folder / "bin" / "python"), "-S", "-c", code]
    done = subprocess.run(command, env=environment, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_kernels_are_found_compiled_in_another_folder(unpacked: Path) -> None:
    assert started(unpacked, CALLS) == "[0, 2] 1 0"


def test_what_executors_import_is_packed(unpacked: Path) -> None:
    home, *modules = started(unpacked, IMPORTS).split()
    assert Path(home) == unpacked / "project"
    packed = set(distributions([*IMPORTED, *NAMED]))
    packages = packages_distributions()
    needed = {package.lower().replace("_", "-") for name in modules for package in packages.get(name, ())}
    assert needed - packed <= {"scipy", "pyspark-client", "trendmill"}, "scipy is used only where it is"


def test_an_executor_without_the_interpreter_is_told(unpacked: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        started(unpacked, CALLS, TRENDMILL_PYTHON="python0")
    assert failed.value.returncode == 127
    assert "an executor needs Python" in failed.value.stderr
