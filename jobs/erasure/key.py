"""The key of the hashes that stand for erased values. It is kept apart from the lake: who has the lake alone cannot
find a value by trying all of them.

It is the text in TRENDMILL_ERASURE_KEY, or that of a file (TRENDMILL_ERASURE_KEY_FILE, default ./erasure.key), which
the first erasure makes and only its owner can read. Whoever loads days needs it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from jobs import places
from jobs.exits import WrongWorkload

KEY, FILE = "TRENDMILL_ERASURE_KEY", "TRENDMILL_ERASURE_KEY_FILE"
SHORTEST = 32
"""The fewest characters of a key."""


def key_file() -> Path:
    """Where the key lies, unless the environment holds it."""
    return Path(os.environ.get(FILE, "erasure.key"))


def where() -> str:
    """Where the key is, in words."""
    return f"the environment's {KEY}" if KEY in os.environ else str(key_file().absolute())


def erasure_key(*, make: bool = False) -> bytes | None:
    """The key; None if there is none. `make`: then one is made. Raises WrongWorkload for one that is none."""
    text = os.environ.get(KEY)
    if text is None:
        path = key_file()
        if not path.exists():
            return _made(path) if make else None
        text = path.read_text(encoding="ascii")
    if len(text.strip()) < SHORTEST:
        raise WrongWorkload(f"the key of erasures ({where()}) is shorter than {SHORTEST} characters")
    return text.strip().encode()


def _made(path: Path) -> bytes:
    if path.absolute().is_relative_to(places.lake().absolute()):
        raise WrongWorkload(f"{path} lies in the lake: a key beside its hashes hides nothing; set {FILE}")
    text = secrets.token_hex(32)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    return text.encode()


def key_id(key: bytes) -> str:
    """Names a key without telling it."""
    return hmac.digest(key, b"which key is this", hashlib.sha256).hex()[:16]
