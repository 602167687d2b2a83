"""One set of versions: requirements, container image and compose file say the same, and nothing is left open.

`make image` builds the image; the compose file is only checked here, since no container engine runs where this project
is developed.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

PINNED = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[[a-z,]+\])?==([^\s;\\]+)", re.M)


def pins(file: Path) -> dict[str, str]:
    """Package name -> version of a requirements file."""
    return {name.lower().replace("_", "-"): version for name, version in PINNED.findall(file.read_text())}


@pytest.fixture(scope="module")
def compose(root: Path) -> dict[str, Any]:
    loaded = yaml.safe_load((root / "docker" / "compose.yaml").read_text())
    assert isinstance(loaded, dict)
    return loaded


@pytest.mark.parametrize("name", ["requirements.txt", "docker/requirements.txt", "scripts/uv.txt"])
def test_every_package_is_pinned_with_its_hash_and_from_nowhere_in_particular(root: Path, name: str) -> None:
    """Each requirement has a version and at least one sha256; no registry's address is written down."""
    text = (root / name).read_text()
    blocks = re.split(r"\n(?=[A-Za-z0-9])", text.strip())
    for block in blocks:
        if not block.startswith("#"):
            assert PINNED.match(block), block[:80]
            assert "--hash=sha256:" in block, block[:80]
    assert "://" not in text
    assert "--index" not in text


def test_what_is_asked_for_is_what_is_resolved(root: Path) -> None:
    """requirements.txt was made from requirements.in: every pin of the one is a pin of the other."""
    asked, resolved = pins(root / "requirements.in"), pins(root / "requirements.txt")
    assert asked == {name: resolved[name] for name in asked}
    assert asked["pyspark"] == asked["pyspark-client"]


def test_the_published_ranges_contain_the_pins(root: Path) -> None:
    """Who installs an extra by its ranges may get what is tested here."""
    import tomllib

    from packaging.requirements import Requirement

    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    resolved = pins(root / "requirements.txt")
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    for line in [*project["dependencies"], *extras]:
        wanted = Requirement(line)
        assert wanted.specifier.contains(resolved[wanted.name]), line


def test_the_image_is_made_of_the_same_files(root: Path) -> None:
    """Python of the same minor version, packages by the hashed list, jars by the lock, a named user, no latest."""
    text = (root / "docker" / "Dockerfile").read_text()
    assert re.search(r"^FROM python:3\.11-slim-bookworm$", text, re.M)
    assert "--require-hashes" in text
    assert "scripts/fetch_jars.py --into .cache/jars" in text
    assert re.search(r"^USER trendmill$", text, re.M)
    assert "openjdk-17-jre-headless procps tini" in text
    install = "--require-hashes --only-binary :all: --requirement scripts/uv.txt"
    assert install in text
    assert install in (root / "scripts" / "install_packages.sh").read_text()
    for copied in re.findall(r"^COPY --chown=\S+ (.+) \S+$", text, re.M):
        for source in copied.split():
            assert (root / source).exists(), source


def test_compose_pins_its_images_and_publishes_on_loopback_only(compose: dict[str, Any]) -> None:
    """No floating tag; no port on other addresses; secrets come from the environment."""
    for name, service in compose["services"].items():
        assert re.search(r":\d", service["image"]), name
        for port in service.get("ports", ()):
            assert port.startswith("127.0.0.1:"), name
    assert not re.search(r"PASSWORD: [^$]", yaml.safe_dump(compose))


def test_compose_starts_in_order_and_watches_its_services(compose: dict[str, Any]) -> None:
    """Postgres, then one migration, then the long-running services, each with a health check."""
    services = compose["services"]
    assert services["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    for name in ("api-server", "scheduler", "dag-processor"):
        assert services[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
        assert "healthcheck" in services[name], name
        assert {volume.split(":")[0] for volume in services[name]["volumes"]} >= {"lake", "airflow"}
    assert set(compose["volumes"]) == {"postgres", "lake", "reports", "airflow"}


def test_make_and_image_share_airflows_settings(root: Path) -> None:
    """What airflow.env says of how Airflow works, the image says too."""
    image = (root / "docker" / "Dockerfile").read_text()
    for name in ("AIRFLOW__CORE__PARALLELISM", "AIRFLOW__CORE__LOAD_EXAMPLES", "GX_ANALYTICS_ENABLED"):
        value = re.search(rf"^{name}=(.*)$", (root / "airflow.env").read_text(), re.M)
        assert value is not None
        assert f"{name}={value[1]}" in image
