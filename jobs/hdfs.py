"""HDFS as one of Arrow's file systems, by the package `hdfs-native`: a client without Java.

Arrow's own way to HDFS loads Hadoop's native library, which only a machine with a whole Hadoop has. delta-rs reaches
HDFS by the same client, and Spark by its own jars. All of them read the settings of HADOOP_CONF_DIR.

Two things that storages of objects do and this client does not by itself: a listing tells when each file changed, and
a move takes the place of a file that is there.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pyarrow.fs as fs
from hdfs_native.fsspec import HdfsFileSystem


def hdfs(authority: str) -> fs.FileSystem:
    """The file system of a name node, `name:port`, or of a service that the settings of Hadoop name."""
    address = urlsplit(f"hdfs://{authority}")
    return fs.PyFileSystem(fs.FSSpecHandler(_Files(address.hostname, address.port)))


class _Files(HdfsFileSystem):
    def info(self, path: str, **_: Any) -> dict[str, Any]:
        return _with_time(super().info(path))

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        listed = super().ls(path, detail)
        return [each if isinstance(each, str) else _with_time(each) for each in listed]

    def mv(self, path1: str, path2: str, **_: Any) -> None:
        super().mv(path1, path2, overwrite=True)


def _with_time(info: dict[str, Any]) -> dict[str, Any]:
    return {**info, "mtime": info["modification_time"] / 1000}
