"""What MonPoly and VeriMon accept and refuse, with their flags: their own suites, where these are (checklist F9)."""

from __future__ import annotations

import csv
import io
import tarfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cep_core.events.logs.signature import parse_signature
from cep_core.language.errors import QueryError
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.safety.refusals import UnsafeFormula
from cep_core.language.first_order.text.parsing import parse

SUITES = Path(__file__).resolve().parents[5] / "shared" / "conformance"
pytestmark = pytest.mark.skipif(not SUITES.exists(), reason="the conformance suites are not beside the repository")


@dataclass(frozen=True)
class Case:
    name: str
    formula: str
    signature: str
    said: str
    """accepted, unsafe, or refused for another fault."""
    rewrite: bool

    def answer(self, *, rewrite: bool) -> str:
        try:
            bind_written(parse(self.formula, self.name), parse_signature(self.signature), rewrite=rewrite)
        except UnsafeFormula:
            return "unsafe"
        except QueryError:
            return "refused"
        return "accepted"


class Suite:
    """The files of a suite, from its archive."""

    def __init__(self, name: str) -> None:
        with tarfile.open(SUITES / f"{name}.txz") as archive:
            files = {
                member.name.split("/", 1)[-1]: archive.extractfile(member) for member in archive if member.isfile()
            }
            self.texts = {name: file.read().decode() for name, file in files.items() if file is not None}

    def index(self) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.texts["index.tsv"]), delimiter="\t"))

    def case(self, folder: str, said: str, *, rewrite: bool) -> Case:
        formula, signature = (self.texts[f"{folder}/{name}"] for name in ("formula.mfotl", "sig"))
        return Case(folder, formula, signature, said, rewrite)


def monpoly_cases() -> Iterator[Case]:
    suite = Suite("monpoly")
    said = {"reject_unsafe": "unsafe", "reject_other(type/parse)": "refused"}
    for row in suite.index():
        if row["usable_as"] != "state_restore":
            rewrite = "-no_rw" not in row["flags"].split()
            yield suite.case(f"cases/{row['id']}", said.get(row["usable_as"], "accepted"), rewrite=rewrite)


def other_cases() -> Iterator[Case]:
    suite = Suite("staticmon_fixtures")
    for row in suite.index():
        case = suite.case(f"{row['suite']}/{row['id']}", "accepted", rewrite=True)
        if not {"FRZ", "LETPAST"} & set(case.formula.replace("(", " ").split()):
            yield case
    suite = Suite("misc_mfotl")
    for row in suite.index():
        said = {"ok": "accepted", "not_monitorable": "unsafe"}.get(row["monpoly"], "refused")
        yield suite.case(row["id"], said, rewrite=True)


def test_monpolys_suite_is_accepted_and_refused_as_there() -> None:
    """Also where MonPoly was run without rewriting, ours makes nothing safe that its check refuses."""
    cases = list(monpoly_cases())
    different = {
        f"{case.name}, rewrite={rewrite}": f"{answer}, not {case.said}"
        for case in cases
        for rewrite in {True, case.rewrite}
        if (answer := case.answer(rewrite=rewrite)) != case.said
    }
    assert different == {}
    assert Counter((case.said, case.rewrite) for case in cases if case.said == "unsafe") == {
        ("unsafe", False): 104,
        ("unsafe", True): 60,
    }
    suite = Suite("monpoly")
    checked = [row["flags"].split() for row in suite.index() if row["usable_as"] == "accept_safe"]
    assert Counter("-no_rw" in flags for flags in checked) == {True: 161, False: 3}


def test_other_suites_are_accepted_and_refused_as_there() -> None:
    cases = list(other_cases())
    assert len(cases) > 450
    assert {case.name: case.said for case in cases} == {case.name: case.answer(rewrite=True) for case in cases}
