"""The two Delta jars: exactly the locked files, fetched whole or not at all, and never fetched twice."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest

JAVA = """#!/bin/bash
# stands for `java -jar ivy.jar ... -dependency GROUP ARTIFACT VERSION -retrieve PATTERN`
echo "$*" >> "$(dirname "$0")/asked"
while [ $# -gt 0 ]; do
    case "$1" in
        -dependency) artifact=$3; version=$4 ;;
        -retrieve) pattern=$2 ;;
    esac
    shift
done
printf 'jar of %s' "$artifact" > "$(dirname "$pattern")/$artifact-$version.jar"
"""


@pytest.fixture
def java(tmp_path: Path) -> Path:
    file = tmp_path / "java"
    file.write_text(JAVA)
    file.chmod(0o755)
    return file


def lock(artifact: str, content: str) -> str:
    return f"io.delta:{artifact}:4.4.0  {hashlib.sha256(content.encode()).hexdigest()}"


def fetch_all(script: Any, text: str, folder: Path, java: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run scripts/fetch_jars.py with this lock."""
    locked = folder.parent / "jars.lock"
    locked.write_text(text)
    arguments = ["fetch_jars", "--lock", str(locked), "--into", str(folder), "--java", str(java)]
    monkeypatch.setattr("sys.argv", arguments)
    script("fetch_jars").main()


def test_a_jar_is_fetched_once(script: Any, tmp_path: Path, java: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time nothing is asked of the network; a jar that left the lock leaves the folder."""
    folder = tmp_path / "jars"
    folder.mkdir()
    (folder / "old-1.0.jar").write_text("a jar of an earlier lock")
    for _ in range(2):
        fetch_all(script, lock("delta-storage", "jar of delta-storage"), folder, java, monkeypatch)
    assert [file.name for file in folder.iterdir()] == ["delta-storage-4.4.0.jar"]
    assert len((tmp_path / "asked").read_text().splitlines()) == 1


def test_another_file_is_refused(script: Any, tmp_path: Path, java: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum that differs: one sentence, and no file stays behind."""
    with pytest.raises(SystemExit, match=r"delta-storage-4.4.0.jar is not the file that jars.lock names"):
        fetch_all(script, lock("delta-storage", "something else"), tmp_path / "jars", java, monkeypatch)
    assert list((tmp_path / "jars").iterdir()) == []


def test_a_damaged_jar_is_fetched_again(
    script: Any, tmp_path: Path, java: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in the folder counts only with the locked sum."""
    folder = tmp_path / "jars"
    folder.mkdir()
    (folder / "delta-storage-4.4.0.jar").write_text("half a jar")
    fetch_all(script, lock("delta-storage", "jar of delta-storage"), folder, java, monkeypatch)
    assert (folder / "delta-storage-4.4.0.jar").read_text() == "jar of delta-storage"


def test_without_a_network_the_way_round_is_told(
    script: Any, tmp_path: Path, java: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence with the three ways on: network, mirror, by hand."""
    java.write_text("#!/bin/bash\necho 'unresolved dependency' >&2; exit 1\n")
    with pytest.raises(SystemExit) as stopped:
        fetch_all(script, lock("delta-storage", "x"), tmp_path / "jars", java, monkeypatch)
    assert re.search(r"unresolved dependency.*network.*IVY_SETTINGS.*by hand", str(stopped.value))


def test_the_lock_agrees_with_the_packages(root: Path) -> None:
    """Jar and wheel of Delta have one version; its Spark is the Spark that is installed."""
    requirements = (root / "requirements.in").read_text()
    delta = re.search(r"^delta-spark==(\S+)", requirements, re.M)
    spark = re.search(r"^pyspark\[connect\]==(\d+\.\d+)", requirements, re.M)
    assert delta is not None
    assert spark is not None
    jars = (root / "jars.lock").read_text()
    assert f"io.delta:delta-spark_{spark[1]}_2.13:{delta[1]} " in jars
    assert f"io.delta:delta-storage:{delta[1]} " in jars
