"""A web server and a mail server of this machine, which keep what they are sent."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any


@dataclass
class Received:
    """What a server was sent. `status`: what it answers; `refused`: addresses that it takes no mail for."""

    address: str
    status: int = 200
    refused: tuple[str, ...] = ()
    bodies: list[dict[str, Any]] = field(default_factory=list)
    mails: list[EmailMessage] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def web_server() -> Iterator[Received]:
    """A server that takes a POST of JSON. At `/elsewhere` it redirects to itself. When it refuses, it names the end of
    the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/elsewhere":
                self.send_response(302)
                self.send_header("Location", received.address)
            else:
                received.headers.append(dict(self.headers))
                received.bodies.append(json.loads(body))
                self.send_response(received.status)
            answer = b"ok" if received.status == 200 else f"no {self.path.rpartition('/')[2]}".encode()
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            """Nothing is printed."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        received = Received(f"http://127.0.0.1:{server.server_port}/hook/s3cret")
        with _serving(server):
            yield received


@contextmanager
def mail_server() -> Iterator[Received]:
    """A server that speaks as much SMTP as it takes to be sent a mail, without encryption."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 here")
            taken = 0
            for line in iter(self.rfile.readline, b""):
                words = line.decode().strip()
                if words.upper().startswith("RCPT"):
                    good = not any(address in words for address in received.refused)
                    taken += good
                    self._say("250 ok" if good else "550 nobody here")
                elif words.upper() == "DATA":
                    self._say("354 go on")
                    lines = []
                    while (text := self.rfile.readline()) != b".\r\n":
                        lines.append(text)
                    mail = message_from_bytes(b"".join(lines), policy=policy.default)
                    assert isinstance(mail, EmailMessage)
                    received.mails.append(mail)
                    self._say("250 taken")
                else:
                    self._say("221 bye" if words.upper() == "QUIT" else "250 ok")

        def _say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        received = Received(f"smtp://127.0.0.1:{server.server_address[1]}")
        with _serving(server):
            yield received


@contextmanager
def _serving(server: socketserver.TCPServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
