"""The program itself, as a digest: driver and executors compare it, and so does who keeps what the program made."""

from __future__ import annotations

import hashlib
from functools import cache

from jobs import places

PACKAGES = ("cep_core", "jobs")
"""The program's own code."""


@cache
def code_digest() -> str:
    """A digest of the program's code, in hexadecimal digits. Cost: a read of all its files, once a process."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for file in sorted((places.project() / package).rglob("*.py")):
            content = file.read_bytes()
            digest.update(f"{file.relative_to(places.project())} {len(content)} ".encode())
            digest.update(content)
    return digest.hexdigest()
