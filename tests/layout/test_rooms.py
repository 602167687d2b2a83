"""The floor plan: few and short files in a room, a name for one thing, and every path in CONTRIBUTING.md is there."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOUSE = ("cep_core", "jobs", "dags", "tests", "benchmarks", "scripts")
MOST = 15
"""Files beside each other that a person can look over."""

LONGEST = 300
"""Lines of a file, at most."""

CROWDED = {"jobs/commands": "one file for each subcommand, so that a command line loads only its own"}
"""Folders that may hold more files, each with its reason."""

ROOMS = {"plan", "arrays", "kernels", "choice", "result", "why"}
"""Rooms of an engine (docs/engines.md)."""

OWN_ROOMS = {
    "trends": set[str](),
    "matching": {"judging", "pairs", "imprecise"},
    "shedding": {"model", "training", "hindsight", "shedders"},
    "monitoring/first_order": {"operators"},
}
"""Rooms that only one engine has, for an idea that no other engine knows."""

VAGUE = {"utils", "util", "helpers", "helper", "manager", "common", "misc", "tools", "base"}


def sources(top: str) -> list[Path]:
    return [file for file in sorted((ROOT / top).rglob("*.py")) if "__pycache__" not in file.parts]


def folders(top: str) -> list[Path]:
    return sorted({file.parent for file in sources(top)})


@pytest.mark.parametrize("top", HOUSE)
def test_few_files_stand_beside_each_other(top: str) -> None:
    crowded = {}
    for folder in folders(top):
        count = sum(file.name != "__init__.py" for file in folder.glob("*.py"))
        name = folder.relative_to(ROOT).as_posix()
        if count > MOST and name not in CROWDED:
            crowded[name] = count
        assert name not in CROWDED or count > MOST, f"{name} is no longer crowded: take it off the list"
    assert not crowded, "cut these folders into rooms, or give a reason in CROWDED"


@pytest.mark.parametrize("top", HOUSE)
def test_a_file_is_read_in_one_go(top: str) -> None:
    lines = {file: file.read_text(encoding="utf-8").count("\n") for file in sources(top)}
    long = {file.relative_to(ROOT).as_posix(): count for file, count in lines.items() if count > LONGEST}
    assert not long, "give an idea of these files a file of its own"


@pytest.mark.parametrize("engine", OWN_ROOMS)
def test_every_engine_has_the_same_rooms(engine: str) -> None:
    rooms = {file.parent.name for file in (ROOT / "cep_core" / engine).glob("*/__init__.py")}
    assert rooms <= ROOMS | OWN_ROOMS[engine]
    assert rooms >= OWN_ROOMS[engine]
    assert (ROOT / "cep_core" / engine / "reference.py").exists()


@pytest.mark.parametrize("top", HOUSE)
def test_names_say_something(top: str) -> None:
    assert not [file for file in sources(top) if {*file.stem.split("_"), file.parent.name} & VAGUE]


@pytest.mark.parametrize("top", ["cep_core", "jobs", "dags", "scripts", "benchmarks"])
def test_every_module_says_what_it_is(top: str) -> None:
    silent = [file for file in sources(top) if file.read_text() and not ast.get_docstring(ast.parse(file.read_text()))]
    assert not silent


def test_a_class_of_an_engine_has_a_name_of_its_own() -> None:
    """The trees of two languages name the same operator alike: what uses a tree is about one language."""
    names: Counter[str] = Counter()
    trees = {ROOT / "cep_core/language/temporal" / name for name in ("formulas.py", "terms.py")}
    for file in set(sources("cep_core")) - trees:
        classes = [node.name for node in ast.parse(file.read_text()).body if isinstance(node, ast.ClassDef)]
        names.update(name for name in classes if not name.startswith("_"))
    assert not {name: count for name, count in names.items() if count > 1}


def paths_named() -> set[str]:
    """The paths in CONTRIBUTING.md that begin at the repository; `<name>` stands for a file that will be written."""
    named = re.findall(r"`([\w./<>-]+)`", (ROOT / "CONTRIBUTING.md").read_text())
    tops = {entry.name for entry in ROOT.iterdir() if entry.is_dir()}
    return {path for path in named if path.split("/")[0] in tops and "/" in path}


@pytest.mark.parametrize("path", sorted(paths_named()))
def test_what_the_recipes_name_is_there(path: str) -> None:
    there = re.sub(r"<\w+>.*", "", path)
    assert (ROOT / there).exists()


def test_every_task_has_its_recipe_and_every_question_its_file() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    recipes = set(re.findall(r"^### To add an? (.+)$", text, re.M))
    assert recipes >= {
        "selection strategy",
        "aggregate",
        "kernel",
        "shedder",
        "report figure",
        "command",
        "table column",
        "input format",
        "language",
    }
    table = text.split("## Fifteen tasks")[1].split("## Recipes")[0]
    assert len(re.findall(r"^\| [A-Z]", table, re.M)) == 15


def test_every_engine_with_kernels_is_compiled_ahead() -> None:
    """`scripts/compile_kernels.py` has a function for each package that has a folder of kernels, or for its rooms."""
    folders = [folder.relative_to(ROOT / "cep_core") for folder in (ROOT / "cep_core").rglob("kernels")]
    tree = ast.parse((ROOT / "scripts" / "compile_kernels.py").read_text())
    [engines] = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["ENGINES"]
    ]
    assert isinstance(engines, ast.Tuple)
    compiled = tuple(ast.unparse(function).removeprefix("compile_") for function in engines.elts)
    assert [folder for folder in folders if not "_".join(folder.parts).startswith(compiled)] == []
    assert Path("trends", "kernels") in folders
