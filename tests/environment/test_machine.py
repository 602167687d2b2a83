"""A machine that lacks something is told so in one sentence: no Java, an old one, no Python, no disk, a taken port."""

from __future__ import annotations

import doctest
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def program(folder: Path, name: str, text: str) -> Path:
    """An executable shell script."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/bash\n{text}\n")
    file.chmod(0o755)
    return file


def java(folder: Path, version: str, home: Path) -> Path:
    """A `java` that tells this version and home, as `java -XshowSettings:properties -version` does."""
    properties = f"    java.home = {home}\n    java.specification.version = {version}"
    return program(folder, "java", f"cat >&2 <<'END'\nProperty settings:\n{properties}\nEND")


def run_script(root: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=root,
        capture_output=True,
        text=True,
        env={"HOME": "/nowhere", **environment},
        check=False,
    )


@pytest.fixture
def find_java(script: Any) -> ModuleType:
    module = script("find_java")
    assert isinstance(module, ModuleType)
    return module


def test_a_new_enough_java_is_linked(root: Path, tmp_path: Path) -> None:
    """Java 17 or newer on PATH is used as it is: its home is linked where every later step looks."""
    home = tmp_path / "jdk-21"
    java(home / "bin", "21", home)
    done = run_script(root, "scripts/find_java.py", "--into", str(tmp_path / "jdk"), PATH=f"{home}/bin:/usr/bin:/bin")
    assert (done.returncode, done.stdout) == (0, f"using Java 21 at {home}\n")
    assert (tmp_path / "jdk").resolve() == home


def test_java_home_comes_before_path(root: Path, tmp_path: Path) -> None:
    """The more deliberate choice wins."""
    named, on_path = tmp_path / "named", tmp_path / "found"
    java(named / "bin", "17", named)
    java(on_path / "bin", "21", on_path)
    path = f"{on_path}/bin:/usr/bin:/bin"
    done = run_script(root, "scripts/find_java.py", "--into", str(tmp_path / "jdk"), JAVA_HOME=str(named), PATH=path)
    assert done.stdout == f"using Java 17 at {named}\n"


@pytest.mark.parametrize(
    ("version", "major", "why"),
    [("11", 11, "too old for Spark, which needs 17"), ("1.8", 8, "too old"), ("26", 26, "newer than Spark runs on")],
)
def test_a_java_that_spark_does_not_know_is_left_for_the_packaged_one_and_named(
    root: Path, tmp_path: Path, version: str, major: int, why: str
) -> None:
    """Says which Java is too old or too new, and what is used instead."""
    java(tmp_path / "old" / "bin", version, tmp_path / "old")
    path = f"{tmp_path}/old/bin:/usr/bin:/bin"
    done = run_script(root, "scripts/find_java.py", "--into", str(tmp_path / "jdk"), PATH=path)
    assert done.returncode == 0
    assert f"Java {major} at {tmp_path}/old/bin/java is {why}" in done.stdout
    assert done.stdout.endswith("using the Java 17 that came with the Python packages\n")
    assert done.stdout.count("\n") == 1


def test_the_packaged_java_starts_with_sparks_options(root: Path, tmp_path: Path) -> None:
    """Without any Java on PATH, the wrapper drops the one module that the packaged Java lacks, and Java starts."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "bash").symlink_to(shutil.which("bash") or "/bin/bash")
    done = run_script(root, "scripts/find_java.py", "--into", str(tmp_path / "jdk"), PATH=str(tools))
    assert done.stdout == "there is no Java on PATH; using the Java 17 that came with the Python packages\n"
    command = [str(tmp_path / "jdk" / "bin" / "java"), "--add-modules=jdk.incubator.vector", "-version"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert 'version "17.' in answer.stderr


def test_no_java_at_all_is_one_sentence(find_java: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where PyPI has no Java for the platform either."""
    monkeypatch.setattr(find_java, "packaged_java", lambda: None)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(
        SystemExit, match=r"^there is no Java on PATH; install OpenJDK 17 \(headless\) or set JAVA_HOME"
    ):
        find_java.choose()


def test_a_chosen_java_replaces_an_earlier_choice(find_java: ModuleType, tmp_path: Path) -> None:
    """A link gives way to a wrapper and the other way round."""
    home = tmp_path / "home"
    home.mkdir()
    chosen = tmp_path / "jdk"
    for choice in (find_java.Java("java", home, 17), tmp_path / "packaged" / "java", find_java.Java("java", home, 17)):
        find_java.install(chosen, choice)
    assert chosen.resolve() == home


def test_too_little_disk_is_one_sentence(root: Path, tmp_path: Path) -> None:
    """Told before anything is downloaded."""
    done = run_script(root, "scripts/check_disk.py", "--folder", str(tmp_path), "--gigabytes", "9000000")
    assert done.returncode == 1
    assert done.stderr.startswith(f"Trendmill needs 9000000.0 GB of free disk in {tmp_path} and finds ")
    assert done.stderr.count("\n") == 1


def test_a_taken_port_is_one_sentence(root: Path) -> None:
    """Names the port and the way round."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        done = run_script(root, "scripts/check_port.py", str(port))
    assert done.returncode == 1
    assert done.stderr == f"Port {port} is taken by another program; choose a free one: make airflow PORT={port + 1}\n"
    assert run_script(root, "scripts/check_port.py", str(port)).returncode == 0


def test_no_python_is_one_sentence(root: Path, tmp_path: Path) -> None:
    """An old Python, a shim that does not work: both are passed over."""
    tools = tmp_path / "bin"
    program(tools, "python3", 'exec "$REAL" -c "raise SystemExit(1)"')
    program(tools, "python3.11", "echo 'no such version' >&2; exit 127")
    path = f"{tools}:{_only('bash', tmp_path / 'tools')}"
    done = subprocess.run(
        ["bash", "scripts/find_python.sh"], cwd=root, capture_output=True, text=True, check=False,
        env={"PATH": path, "REAL": sys.executable},
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("Trendmill needs Python 3.11 or newer and found none on PATH;")
    assert done.stderr.count("\n") == 1


def test_the_named_python_comes_first(root: Path) -> None:
    """make PYTHON=/path/to/python"""
    environment = {"PATH": os.environ["PATH"], "PYTHON": sys.executable}
    done = subprocess.run(
        ["bash", "scripts/find_python.sh"], cwd=root, capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == sys.executable


@pytest.mark.parametrize("name", ["check_disk", "fetch_jars"])
def test_the_examples_in_the_docstrings_hold(script: Any, name: str) -> None:
    """Scripts are not collected as tests, so their doctests are run here."""
    assert doctest.testmod(script(name)).failed == 0


def _only(name: str, folder: Path) -> Path:
    """A folder for PATH that holds a single program."""
    folder.mkdir(exist_ok=True)
    (folder / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    return folder
