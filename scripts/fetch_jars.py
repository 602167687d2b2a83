"""Fetch the jars that `jars.lock` names into a folder, once. Afterwards no network is needed.

Needs only Java and the installed pyspark, whose jars include Apache Ivy and its command line. Each jar comes without
its dependencies, because Spark has them already (docs/decisions/0001). An Ivy settings file names a mirror
(--ivy-settings or IVY_SETTINGS). Jars that somebody copied into the folder are accepted if their sha256 sums agree with
the lock.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path


@dataclass(frozen=True)
class LockedJar:
    """One line of the lock: Maven coordinate and sha256 sum."""

    group: str
    artifact: str
    version: str
    sha256: str

    @property
    def file_name(self) -> str:
        return f"{self.artifact}-{self.version}.jar"


def read_lock(text: str) -> list[LockedJar]:
    """The jars of a lock file; blank lines and lines that start with # are skipped.

    >>> read_lock("# coordinate  sum\\nio.delta:delta-storage:4.4.0  c467")
    [LockedJar(group='io.delta', artifact='delta-storage', version='4.4.0', sha256='c467')]
    """
    rows = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    jars = []
    for coordinate, sha256 in rows:
        group, artifact, version = coordinate.split(":")
        jars.append(LockedJar(group, artifact, version, sha256))
    return jars


def is_intact(file: Path, sha256: str) -> bool:
    """Whether the file exists and has this sum."""
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == sha256


def ivy_jar() -> Path:
    """Apache Ivy, as the installed pyspark ships it."""
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        sys.exit("pyspark is not installed here; run `make env` first.")
    return next((Path(spec.origin).parent / "jars").glob("ivy-*.jar"))


def fetch(jar: LockedJar, folder: Path, java: Path, settings: str | None) -> None:
    """Download one jar into the folder. It appears there whole and with the locked sum, or not at all."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        command = [
            *(
                str(java),
                "-jar",
                str(ivy_jar()),
                "-cache",
                f"{scratch}/cache",
                "-warn",
                "-notransitive",
                "-types",
                "jar",
            ),
            *("-confs", "default", "-dependency", jar.group, jar.artifact, jar.version),
            *("-retrieve", f"{scratch}/[artifact]-[revision].[ext]"),
            *(("-settings", settings) if settings else ()),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        fetched = Path(scratch, jar.file_name)
        if done.returncode or not fetched.is_file():
            last = (done.stdout + done.stderr).strip().splitlines()[-1:] or ["no message"]
            sys.exit(
                f"cannot fetch {jar.group}:{jar.artifact}:{jar.version} ({last[0].strip()}); check the network, name a "
                f"mirror with IVY_SETTINGS, or copy {jar.file_name} into {folder} by hand."
            )
        if not is_intact(fetched, jar.sha256):
            sys.exit(f"{jar.file_name} is not the file that jars.lock names (its sha256 differs); nothing was kept.")
        fetched.replace(folder / jar.file_name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lock", type=Path, default=Path(__file__).parents[1] / "jars.lock")
    parser.add_argument("--into", type=Path, default=Path(".cache/jars"))
    parser.add_argument("--java", type=Path, default=Path(".cache/jdk/bin/java"))
    parser.add_argument("--ivy-settings", default=os.environ.get("IVY_SETTINGS"))
    options = parser.parse_args()
    options.into.mkdir(parents=True, exist_ok=True)
    jars = read_lock(options.lock.read_text())
    for jar in jars:
        if not is_intact(options.into / jar.file_name, jar.sha256):
            fetch(jar, options.into, options.java, options.ivy_settings)
    for stranger in set(options.into.glob("*.jar")) - {options.into / jar.file_name for jar in jars}:
        stranger.unlink()  # a jar of an earlier lock would be on Spark's classpath beside its successor
    print(", ".join(jar.file_name for jar in jars))


if __name__ == "__main__":
    main()
