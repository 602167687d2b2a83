"""Databases and passwords of Airflow belong to who set it up: nobody else may read them, whatever the umask is."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path

from tests.environment.test_machine import program

MIGRATES = 'touch "$AIRFLOW_HOME/airflow.db"'
SERVES = """
case "$1" in
    api-server) echo '{"admin": "a secret"}' > "$AIRFLOW_HOME/simple_auth_manager_passwords.json.generated" ;;
    scheduler) touch "$AIRFLOW_HOME/of_a_task" ;;
esac
exec sleep 30"""

PYTHON = """
case "$*" in
    *secrets*) echo 0123 ;;
    *) until [ -f "$AIRFLOW_HOME/of_a_task" ] && [ -f "$AIRFLOW_HOME"/simple*.generated ]; do sleep 0.05; done ;;
esac"""
"""Makes the key, and finds the server healthy as soon as both have written."""


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


def environment(folder: Path, home: Path, port: int) -> dict[str, str]:
    return {"PATH": f"{folder}:{os.environ['PATH']}", "AIRFLOW_HOME": str(home), "PORT": str(port)}


def test_the_template_of_the_database_is_the_owners_alone(root: Path, tmp_path: Path) -> None:
    """Set-up migrates a database under any umask; connections with their passwords end up in its copies."""
    program(tmp_path / "bin", "python", MIGRATES)
    template = tmp_path / "cache" / "airflow.db"
    subprocess.run(
        ["bash", "-c", f"umask 022; exec {root}/scripts/migrate_airflow.sh {template}"],
        env=environment(tmp_path / "bin", tmp_path, 0),
        check=True,
        capture_output=True,
    )
    assert mode(template) == 0o600


def test_what_the_server_writes_is_the_owners_alone(root: Path, tmp_path: Path) -> None:
    """Folder, database, log and passwords, also where they were open before; a task's files keep the caller's umask."""
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "airflow.db").touch(0o644)
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    program(tmp_path / "bin", "airflow", SERVES)
    program(tmp_path / "bin", "python", PYTHON)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        ["bash", "-c", f"umask 022; exec {root}/scripts/serve_airflow.sh"],
        cwd=tmp_path,
        env=environment(tmp_path / "bin", home, port),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    line = server.stdout.readline()
    server.send_signal(signal.SIGTERM)
    server.communicate(timeout=20)
    assert line.startswith("airflow "), line
    assert mode(home) == 0o700
    names = ("airflow.db", "server.log", "simple_auth_manager_passwords.json.generated")
    assert {name: mode(home / name) for name in names} == dict.fromkeys(names, 0o600)
    assert mode(home / "of_a_task") == 0o644
