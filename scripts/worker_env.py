"""Pack what an executor needs into one archive for `spark.archives`: packages, the project, kernels compiled ahead.

An executor that unpacks it and starts bin/python in it sees no folder of the driver and compiles nothing. It needs
the same Python (as `python3.11` on its PATH, or named by TRENDMILL_PYTHON), and a processor that has what `--cpu` has.

- `lib`: the packages that workers import, without their tests, without Spark's jars, as installed here.
- `project`: `cep_core`, `jobs` and `sql`, each with its machine code in `__pycache__`, where Numba looks if
  NUMBA_CACHE_DIR is not set. It knows a kernel by its source's content, so the archive may be unpacked anywhere.
- bin/python: finds the interpreter and tells it of both.

Takes as long as set-up's compilation of kernels, and half a minute (docs/cluster.md).
"""

from __future__ import annotations

import argparse
import compileall
import gzip
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath
from py_compile import PycInvalidationMode

ROOT = Path(__file__).resolve().parents[1]

IMPORTED = (
    "numba",
    "numpy",
    "pyarrow",
    "pandas",
    "deltalake",
    "hdfs-native",
    "lark",
    "pyyaml",
    "datasketches",
    "pyspark",
)
"""What workers import, and what these need comes with them."""

NAMED = ("delta-spark",)
"""Only so that its version can be told: its code is for the driver."""

PROJECT = ("cep_core", "jobs", "sql")

LEFT_OUT = {"tests", "test", "__pycache__", "include", "jars", "examples", "licenses", "data", "sbin"}
"""Folders of packages that no worker opens. `jars`, `data` and so on are Spark's, which executors have."""

LEFT_OUT_ENDINGS = {".pyi", ".pyx", ".pxd", ".a", ".h", ".hpp", ".c", ".cpp"}

DEFAULT_CPU = {"x86_64": "x86-64-v3"}
"""Processors since 2013 (AVX2). Of other machines, what all of their kind have."""

STARTER = """\
#!/bin/sh
# Python {version} with the packages, the project and the kernels that lie beside this file, compiled for {cpu}.
here=$(cd "$(dirname "$0")/.." && pwd)
python=$(command -v "${{TRENDMILL_PYTHON:-python{version}}}") || {{
    echo "an executor needs Python {version}: install python{version}, or let TRENDMILL_PYTHON name it" >&2
    exit 127
}}
unset NUMBA_CACHE_DIR PYTHONPYCACHEPREFIX PYTHONHOME
export NUMBA_CPU_NAME={cpu} NUMBA_CPU_FEATURES=
export PYTHONPATH="$here/project:$here/lib${{PYTHONPATH:+:$PYTHONPATH}}"
exec "$python" "$@"
"""


def distributions(names: Iterable[str]) -> dict[str, Distribution]:
    """Packages with what they need, by name. What they need on other machines or for an extra stays out."""
    installed: dict[str, Distribution] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in installed:
            continue
        try:
            installed[name] = distribution(name)
        except PackageNotFoundError:
            continue  # a marker of its needs does not hold here
        waiting += [needed for each in installed[name].requires or () if (needed := needed_always(each))]
    return installed


def needed_always(requirement: str) -> str | None:
    """The name of a requirement, None if only an extra asks for it.

    >>> needed_always("llvmlite<0.51,>=0.50.0dev0"), needed_always("boto3; extra == 's3'")
    ('llvmlite', None)
    """
    name = re.match(r"[\w.-]+", requirement)
    return name[0] if name and "extra ==" not in requirement else None


def copy_packages(packages: Iterable[Distribution], into: Path) -> None:
    """The files of packages that workers may open."""
    for each in packages:
        for file in each.files or ():
            place = PurePosixPath(file)
            if ".." in place.parts or LEFT_OUT & set(place.parts[:-1]) or place.suffix in LEFT_OUT_ENDINGS:
                continue
            source, target = Path(str(each.locate_file(file))), into / place
            if source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)


def copy_project(into: Path) -> None:
    """The project's own folders, without what tools left in them, and its version."""
    for name in PROJECT:
        shutil.copytree(ROOT / name, into / name, ignore=shutil.ignore_patterns("__pycache__"))
    own = distribution("trendmill")
    metadata = into / f"trendmill-{own.version}.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(own.read_text("METADATA") or "", encoding="utf-8")


def write_starter(folder: Path, cpu: str) -> Path:
    """The file that executors start as their Python."""
    version = ".".join(platform.python_version_tuple()[:2])
    starter = folder / "bin" / "python"
    starter.parent.mkdir(parents=True)
    starter.write_text(STARTER.format(version=version, cpu=cpu))
    starter.chmod(0o755)
    return starter


def compile_ahead(folder: Path, program: Iterable[str]) -> str:
    """Run a program that calls kernels by the archive's own Python, which leaves their machine code in it."""
    more = {
        "TRENDMILL_PYTHON": sys.executable,
        "TRENDMILL_WORKLOADS": os.environ.get("TRENDMILL_WORKLOADS", str(ROOT / "workloads")),
        "PYTHONPATH": "",
        "PYTHONNOUSERSITE": "1",
    }
    command = [str(folder / "bin" / "python"), "-S", *program]
    environment = {**os.environ, **more}
    done = subprocess.run(command, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


def compile_sources(folder: Path) -> None:
    """Compiled modules beside the sources, which are never looked at again, whatever their times are."""
    for name in ("lib", "project"):
        compileall.compile_dir(folder / name, quiet=2, workers=0, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)


def pack(folder: Path, archive: Path) -> None:
    """All files in the order of their names, with no owner and no times; the archive is there whole or not at all."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    new = archive.with_name(f"{archive.name}.new")
    with (
        new.open("wb") as file,
        gzip.GzipFile("", "wb", 1, file, 0) as packed,
        tarfile.open(fileobj=packed, mode="w") as members,
    ):
        for path in sorted(files_of(folder)):
            member = members.gettarinfo(path, str(path.relative_to(folder)))
            member.uid = member.gid = member.mtime = 0
            member.uname = member.gname = ""
            with path.open("rb") as content:
                members.addfile(member, content)
    new.replace(archive)


def files_of(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpu", default=DEFAULT_CPU.get(platform.machine(), "generic"), help="as LLVM names it")
    parser.add_argument("--into", type=Path, default=Path(os.environ.get("TRENDMILL_CACHE", ".cache")) / "worker-env")
    options = parser.parse_args()
    archive = options.into.absolute() / f"trendmill-{options.cpu}.tar.gz"
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archive.parent) as scratch:
        folder = Path(scratch)
        copy_packages(distributions([*IMPORTED, *NAMED]).values(), folder / "lib")
        copy_project(folder / "project")
        write_starter(folder, options.cpu)
        compile_sources(folder)
        compiled = compile_ahead(folder, [str(ROOT / "scripts" / "compile_kernels.py")])
        pack(folder, archive)
    print(f"{archive}, {archive.stat().st_size / 1e6:,.0f} MB, kernels for {options.cpu} {compiled}")


if __name__ == "__main__":
    main()
