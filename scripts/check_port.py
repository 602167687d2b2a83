"""Refuse to start a server, in one sentence, if another program uses the loopback port."""

from __future__ import annotations

import argparse
import socket
import sys


def is_free(port: int) -> bool:
    """Whether a server may listen on this port of the loopback address."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    port = parser.parse_args().port
    if not is_free(port):
        sys.exit(f"Port {port} is taken by another program; choose a free one: make airflow PORT={port + 1}")


if __name__ == "__main__":
    main()
