"""Where alerts go: the section `alerts.places`. A webhook, a mailbox, or a notifier of Airflow.

A secret stands in the environment, and workload.yaml names it (`${env:NAME}`). What is plainly a secret there is
refused: whoever reads the file could use it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jobs.workload.files.problems import DeclaredSection, Problems, brief, nearest
from jobs.workload.names import RULE, is_name
from jobs.workload.secrets import problems_in

SERVER = "${env:TRENDMILL_SMTP}"
"""The mail server, if a mailbox names none."""

_REFERENCE = re.compile(r"\$\{(env|conn):[^}]*\}")
_DEFAULTED = re.compile(r"\$\{env:[^}:]*:-[^}]+\}")
_PASSWORD = re.compile(r"://[^/@\s]*:[^/@\s]*@")
_SECRET_NAME = re.compile(r"(?i)passw|secret|token|api_?key|webhook|authorization|credential")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")
_CONNECTION = re.compile(r"[A-Za-z0-9_.-]{1,200}")


@dataclass(frozen=True)
class Webhook:
    """An address that takes a POST of JSON. `address`: with references to the environment."""

    name: str
    address: str


@dataclass(frozen=True)
class Mailbox:
    """Addresses of people, and the server that takes mail for them, as `smtp://user:password@host:port`."""

    name: str
    to: tuple[str, ...]
    sender: str
    server: str = SERVER


@dataclass(frozen=True)
class Notifier:
    """A notifier of Airflow that uses a connection. `path`: its class; empty: that of the connection's type."""

    name: str
    connection: str
    path: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)


Place = Webhook | Mailbox | Notifier


def read_places(problems: Problems, where: str, value: object) -> dict[str, Place]:
    """The places by name."""
    places: dict[str, Place] = {}
    for name, declared in problems.mapping(where, value).items():
        at = f"{where}.{name}"
        if not is_name(name):
            problems.add(at, f"cannot name a place: {RULE}")
        kinds = [kind for kind in _READERS if kind in problems.mapping(at, declared)]
        if len(kinds) != 1:
            given = f"found {' and '.join(kinds)}" if kinds else "found none of them"
            problems.add(at, f"expected one of {', '.join(_READERS)}, {given}")
            continue
        places[name] = _READERS[kinds[0]](problems, at, declared, name)
    return places


def _webhook(problems: Problems, where: str, value: object, name: str) -> Webhook:
    section = problems.section(where, value, ("webhook",))
    address = section.text("webhook")
    if address and (not _REFERENCE.search(address) or _DEFAULTED.search(address) or _PASSWORD.search(_bare(address))):
        problems.add(
            section.at("webhook"),
            "whoever knows a webhook's address can post there, so it is a secret: "
            "write ${env:NAME}, or ${env:NAME:-} for none, and set NAME in the environment of the night",
        )
    _check_references(section, "webhook")
    return Webhook(name, address)


def _mailbox(problems: Problems, where: str, value: object, name: str) -> Mailbox:
    section = problems.section(where, value, ("mail",), ("from", "server"))
    declared = section.items.get("mail")
    to = (declared,) if isinstance(declared, str) else section.texts("mail")
    if not to and declared is not None:
        problems.add(section.at("mail"), "expected an address such as duty@example.com, or a list of them")
    for address in (*to, *([section.text("from")] if "from" in section.items else [])):
        if not _REFERENCE.search(address) and not re.fullmatch(r"[^@\s<>,;]+@[^@\s<>,;]+", address):
            problems.add(
                section.at("mail" if address in to else "from"),
                f"expected an address such as duty@example.com, found {brief(address)}",
            )
        for problem in problems_in(address):
            problems.add(section.at("mail"), problem)
    server = section.text("server", SERVER)
    if _PASSWORD.search(_bare(server)) or (_DEFAULTED.search(server) and "@" in server):
        problems.add(
            section.at("server"),
            "a password stands plainly in the file: write ${env:NAME} and set NAME in the environment of the night",
        )
    elif not _REFERENCE.search(server) and not server.startswith(("smtp://", "smtps://")):
        problems.add(section.at("server"), f"expected smtp://host:port or smtps://host:port, found {brief(server)}")
    _check_references(section, "server")
    return Mailbox(name, to, section.text("from"), server)


def _notifier(problems: Problems, where: str, value: object, name: str) -> Notifier:
    section = problems.section(where, value, ("airflow",), ("notifier", "arguments"))
    connection, path = section.text("airflow"), section.text("notifier")
    if connection and not _CONNECTION.fullmatch(connection):
        problems.add(section.at("airflow"), f"expected the id of a connection of Airflow, found {brief(connection)}")
    if path and not _DOTTED.fullmatch(path):
        expected = "expected the path of a notifier's class, such as my_company.notifiers.Pager"
        problems.add(section.at("notifier"), f"{expected}, found {brief(path)}")
    arguments = problems.mapping(section.at("arguments"), section.items.get("arguments"))
    for at, key, text in _texts(section.at("arguments"), "", arguments):
        plainly = _SECRET_NAME.search(key) and not key.endswith("conn_id") and not _REFERENCE.search(text)
        if text and (plainly or _PASSWORD.search(_bare(text))):
            problems.add(at, "looks like a secret: write ${env:NAME} and set NAME in the environment of the night")
        for problem in problems_in(text):
            problems.add(at, problem)
    return Notifier(name, connection, path, arguments)


def _check_references(section: DeclaredSection, key: str) -> None:
    for problem in problems_in(section.text(key)):
        section.problems.add(section.at(key), problem)


def _texts(where: str, key: str, value: object) -> Iterator[tuple[str, str, str]]:
    """Every text of arguments, with its place and the nearest key."""
    if isinstance(value, Mapping):
        for inner, item in value.items():
            yield from _texts(f"{where}.{inner}", str(inner), item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(where, key, item)
    elif isinstance(value, str):
        yield where, key, value


def _bare(text: str) -> str:
    """A text without its references, so that what is left is written plainly.

    >>> _bare("smtp://${env:USER}:${env:WORD}@mail"), _bare("smtp://me:word@mail")
    ('smtp://@mail', 'smtp://me:word@mail')
    """
    return re.sub(r":(?=@)", "", _REFERENCE.sub("", text))


_READERS: dict[str, Callable[[Problems, str, object, str], Place]] = {
    "webhook": _webhook,
    "mail": _mailbox,
    "airflow": _notifier,
}


def unknown_place(name: str, places: Mapping[str, Place]) -> str:
    """What is said of a place that is not declared."""
    return f"unknown place {brief(name)}; {nearest(name, places)}"
