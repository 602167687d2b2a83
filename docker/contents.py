"""What the image ships, as a bill of materials (CycloneDX 1.5, JSON): packages of Python and Debian, and Spark's jars.

Run in the image, at the end of its build. Each component has its version and its licence, as its own metadata say it.
The same parts give the same bytes: no time and no name of a machine is in them. `--licences FILE` prints how many
components of a stored bill have each licence.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path
from signal import SIG_DFL, SIGPIPE, signal
from typing import Any
from xml.etree import ElementTree

Component = dict[str, Any]

JARS = (".venv/lib/python3.11/site-packages/pyspark/jars", ".cache/jars")
COPYRIGHTS = Path("/usr/share/doc")
UNKNOWN = "not told"
LONGEST = 100
"""Characters of a licence's name. What is longer is its text."""


def component(kind: str, name: str, version: str, licences: list[str]) -> Component:
    """A component by its package URL; `kind`: pypi, deb/debian or maven, with its group."""
    entries = [{"license": {"name": licence}} for licence in licences or [UNKNOWN]]
    purl = f"pkg:{kind}/{name}@{version}"
    return {"type": "library", "name": name, "version": version, "purl": purl, "licenses": entries}


def of_python() -> Iterator[Component]:
    for package in distributions():
        yield component("pypi", package.metadata["Name"].lower(), package.version, python_licences(package))


def python_licences(package: Distribution) -> list[str]:
    """The licence expression, else what classifiers say, else a short text."""
    metadata = package.metadata
    if expression := metadata.get("License-Expression"):
        return [expression]
    of_classifiers = [
        text.rpartition(" :: ")[2] for text in metadata.get_all("Classifier") or () if text.startswith("License :: ")
    ]
    text = (metadata.get("License") or "").strip()
    return of_classifiers or ([text] if text and len(text) <= LONGEST and "\n" not in text else [])


def of_debian() -> Iterator[Component]:
    listed = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${Version}\n"], capture_output=True, text=True, check=True
    )
    for line in listed.stdout.splitlines():
        name, version = line.split()
        yield component("deb/debian", name, version, debian_licences(COPYRIGHTS / name / "copyright"))


def debian_licences(copyright_file: Path) -> list[str]:
    """The names in a copyright file that machines can read; of another one, the common licences that it points to."""
    if not copyright_file.is_file():
        return []
    text = copyright_file.read_text(encoding="utf-8", errors="replace")
    machines = text.startswith("Format")
    named = (machines and re.findall(r"^License: *(\S.*)$", text, re.M)) or re.findall(
        r"/usr/share/common-licenses/([\w.-]*\w)", text
    )
    return sorted({name.strip() for name in named if len(name) <= LONGEST}) or [f"the text in {copyright_file}"]


def of_jars() -> Iterator[Component]:
    for folder in JARS:
        for file in sorted(Path(folder).glob("*.jar")):
            with zipfile.ZipFile(file) as jar:
                yield of_jar(file, jar)


def of_jar(file: Path, jar: zipfile.ZipFile) -> Component:
    """A jar by its name, with the group that its Maven metadata give, if they are those of this jar."""
    match = re.fullmatch(r"(.+?)-(\d[\w.+-]*)", file.stem)
    name, version = match.groups() if match else (file.stem, "")
    poms = [
        entry for entry in jar.namelist() if re.fullmatch(rf"META-INF/maven/[^/]+/{re.escape(name)}/pom\.xml", entry)
    ]
    group = f"/{poms[0].split('/')[2]}" if poms else ""
    licences = pom_licences(jar.read(poms[0])) if poms else []
    if not licences and group.startswith("/org.apache."):
        licences = ["Apache-2.0"]  # all that the foundation publishes is; the licence stands in a parent's metadata
    if not licences and "META-INF/MANIFEST.MF" in jar.namelist():
        manifest = jar.read("META-INF/MANIFEST.MF").decode("utf-8", "replace").replace("\r\n", "\n").replace("\n ", "")
        licences = re.findall(r"^Bundle-License: *(.+)$", manifest, re.M)
    return component(f"maven{group}", name, version, licences)


def pom_licences(pom: bytes) -> list[str]:
    elements = ElementTree.fromstring(pom).iterfind(".//{*}licenses/{*}license/{*}name")
    return [name.text.strip() for name in elements if name.text]


def bill() -> Component:
    components = sorted([*of_python(), *of_debian(), *of_jars()], key=lambda each: str(each["purl"]))
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "components": components}


def by_licence(stored: Component) -> Counter[str]:
    """How many components have each licence, or several together."""
    return Counter(
        " / ".join(sorted({entry["license"]["name"] for entry in each["licenses"]})) for each in stored["components"]
    )


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--licences"]:
        signal(SIGPIPE, SIG_DFL)  # `| head` ends it quietly
        for licence, number in by_licence(json.loads(Path(arguments[1]).read_text())).most_common():
            print(f"{number:4}  {licence}")
        return
    json.dump(bill(), sys.stdout, indent=1)


if __name__ == "__main__":
    main(sys.argv[1:])
