"""The image's bill of materials: what licences are read from, and that the same parts give the same bytes."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

POM = b"""<project xmlns="http://maven.apache.org/POM/4.0.0"><licenses><license><name>MIT</name></license></licenses></project>"""


@pytest.fixture(scope="module")
def contents() -> ModuleType:
    """docker/contents.py, which is run in the image."""
    file = Path(__file__).parents[2] / "docker" / "contents.py"
    spec = importlib.util.spec_from_file_location("contents", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Format: https://x\n\nLicense: Expat\n text\nLicense: GPL-2+\n", ["Expat", "GPL-2+"]),
        ("Licensed as in /usr/share/common-licenses/GPL-3.\nLicense: all of this\n", ["GPL-3"]),
    ],
)
def test_debians_copyright_files(contents: ModuleType, tmp_path: Path, text: str, named: list[str]) -> None:
    """Those for machines name licences; others point to common ones."""
    (tmp_path / "copyright").write_text(text)
    assert contents.debian_licences(tmp_path / "copyright") == named


@pytest.mark.parametrize(
    ("files", "purl", "licence"),
    [
        ({"META-INF/maven/org.x/some-lib/pom.xml": POM}, "pkg:maven/org.x/some-lib@1.2.0", "MIT"),
        ({"META-INF/MANIFEST.MF": b"Bundle-License: BSD\r\n"}, "pkg:maven/some-lib@1.2.0", "BSD"),
        ({"META-INF/maven/org.x/another/pom.xml": POM}, "pkg:maven/some-lib@1.2.0", "not told"),
    ],
)
def test_a_jars_licence(contents: ModuleType, tmp_path: Path, files: dict[str, bytes], purl: str, licence: str) -> None:
    """From its own metadata, not from those of a library that it has in itself."""
    file = tmp_path / "some-lib-1.2.0.jar"
    with zipfile.ZipFile(file, "w") as jar:
        for name, content in files.items():
            jar.writestr(name, content)
    with zipfile.ZipFile(file) as jar:
        component = contents.of_jar(file, jar)
    assert component["purl"] == purl
    assert component["licenses"] == [{"license": {"name": licence}}]


def test_the_bill_of_this_environment(contents: ModuleType) -> None:
    """Each package once, in order, with its version; the same bytes each time."""
    packages = [each["purl"] for each in contents.of_python()]
    assert any(purl.startswith("pkg:pypi/numba@") for purl in packages)
    assert packages == [each["purl"] for each in contents.of_python()]
