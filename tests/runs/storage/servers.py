"""Servers of storages on this machine, and the variables by which all clients find them."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

from jobs import places

HERE = Path(__file__).parent
INSTALLED = places.project() / ".cache" / "storage"
"""What `make storage` makes: an environment with an S3 server, and the jar of an HDFS."""
PYTHON = INSTALLED / "bin" / "python"
JARS = INSTALLED / "jars"
PATIENCE = 120.0
KEYS = {"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}


@dataclass(frozen=True)
class Storage:
    """The place below which lakes lie, and the variables of whoever works there."""

    root: str
    variables: dict[str, str] = field(default_factory=dict)


@contextmanager
def s3(_: Path) -> Iterator[Storage]:
    """A bucket in memory."""
    command = [str(PYTHON), str(HERE / "s3_server.py"), "bucket"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        try:
            yield Storage("s3://bucket", {**KEYS, "AWS_ENDPOINT_URL": address, "AWS_ALLOW_HTTP": "true"})
        finally:
            server.terminate()


@contextmanager
def hdfs(folder: Path) -> Iterator[Storage]:
    """A name node and a data node, whose files lie in a folder."""
    spark = find_spec("pyspark")
    assert spark is not None
    assert spark.origin is not None
    classes = f"{JARS}/*:{Path(spark.origin).parent}/jars/*"
    java, settings = Path(os.environ["JAVA_HOME"]) / "bin" / "java", folder / "settings.xml"
    command = [str(java), "-Xmx512m", "-cp", classes, "org.apache.hadoop.mapreduce.MiniHadoopClusterManager"]
    command += ["-nomr", "-format", "-datanodes", "1", "-writeConfig", str(settings)]
    command += ["-D", f"hdfs.minidfs.basedir={folder / 'blocks'}", "-D", "dfs.replication=1"]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, cwd=folder, stdout=log, stderr=log) as server:
        try:
            yield Storage(_address(settings, server))
        finally:
            server.terminate()


def _address(settings: Path, server: subprocess.Popen[bytes]) -> str:
    """The address that a name node writes to a file, once it and its data node answer."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and server.poll() is None:
        time.sleep(0.1)
        if settings.is_file() and settings.read_text().rstrip().endswith("</configuration>"):
            chosen = {each.findtext("name"): each.findtext("value") for each in ElementTree.parse(settings).getroot()}
            return str(chosen["fs.defaultFS"])
    raise RuntimeError(f"HDFS did not start: {(settings.parent / 'log').read_text()}")
