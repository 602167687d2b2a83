"""A PostgreSQL server of its own on the loopback address, in a temporary folder, for as long as a block runs.

PostgreSQL refuses to run as root, so then the user `postgres` runs it, whom Debian's package makes.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

USER = "postgres"


def programs() -> Path | None:
    """The folder with `initdb` and `pg_ctl` of the newest version that Debian's packages installed; None: none is."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: float(folder.parent.name))
    complete = [folder for folder in versions if (folder / "initdb").is_file() and (folder / "pg_ctl").is_file()]
    return complete[-1] if complete else None


@contextmanager
def postgres_server() -> Iterator[str]:
    """The address of an empty database for Airflow, as SQLAlchemy writes it, while the block runs."""
    folder_of_programs = programs()
    assert folder_of_programs is not None
    folder = Path(tempfile.mkdtemp(prefix="trendmill-postgres-"))
    root = os.geteuid() == 0
    port, password = _free_port(), secrets.token_hex(16)
    (folder / "password").write_text(password)
    if root:
        for path in (folder, folder / "password"):
            shutil.chown(path, USER)

    def run(program: str, *arguments: str) -> None:
        command = [str(folder_of_programs / program), "--pgdata", str(folder / "data"), *arguments]
        user = {"user": USER, "group": USER, "extra_groups": []} if root else {}
        with (folder / f"{program}.log").open("ab") as log:
            subprocess.run(command, cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL, check=True, **user)

    options = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={folder}"
    run("initdb", "--username", "airflow", "--auth", "scram-sha-256", "--pwfile", str(folder / "password"), "--no-sync")
    run("pg_ctl", "start", "--wait", "--options", options, "--log", str(folder / "server.log"))
    try:
        yield f"postgresql+psycopg2://airflow:{password}@127.0.0.1:{port}/postgres"
    finally:
        run("pg_ctl", "stop", "--mode", "fast", "--wait")
        shutil.rmtree(folder)


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
