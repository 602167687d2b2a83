"""Documents, docstrings and comments name files, modules and functions that exist.

Only names between backticks, and links of Markdown, count. The front of a path may be left out (`trends/evaluator.py`),
its end may not. Decisions (docs/decisions) are held to the same rule: a reader wants to open the file. A decision about
a file that is gone names it without backticks.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROSE = ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "workloads/*/README.md")
CODE = ("cep_core", "jobs", "dags", "scripts", "benchmarks", "sql")
HOUSE = (*CODE, "tests", "docs", "workloads", "docker", ".ci")
SUFFIXES = (".py", ".sql", ".md", ".sh", ".yaml", ".toml", ".txt", ".lark", ".env", ".lock")
MADE = ("/", "_work", "reports", "lake", ".cache", ".venv", "home", "target")
"""How paths begin that a set-up or a run makes, on a machine or in the lake."""
MADE_FILES = {"index.html", "run.json", "lease.json"}


@cache
def tree() -> frozenset[str]:
    """Every file and folder of the project, and every tail of its path."""
    files = [path for top in HOUSE for path in (ROOT / top).rglob("*") if "__pycache__" not in path.parts]
    files += [path for path in ROOT.iterdir() if path.is_file()]
    paths = [path.relative_to(ROOT).parts for path in [*files, *(ROOT / top for top in HOUSE)]]
    return frozenset("/".join(parts[first:]) for parts in paths for first in range(len(parts)))


@cache
def defined() -> dict[str, frozenset[str]]:
    """By the name of a module: the functions, classes and constants that modules of this name define."""
    names: dict[str, set[str]] = {}
    for path in (path for top in ("cep_core", "jobs", "dags") for path in (ROOT / top).rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.setdefault(path.stem, set()).add(node.name)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names.setdefault(path.stem, set()).update(ast.unparse(target) for target in targets)
    return {module: frozenset(own) for module, own in names.items()}


def wrong_path(path: str) -> bool:
    """Whether a text between backticks is a path that leads nowhere.

    >>> wrong_path("trends/evaluator.py"), wrong_path("trends/no_such_file.py"), wrong_path("a/b")
    (False, True, True)
    """
    path = path.rstrip("/.,;:")
    if not re.fullmatch(r"[\w./-]+", path) or not ("/" in path or path.endswith(SUFFIXES)):
        return False
    if path.startswith(MADE) or path.rpartition("/")[2] in MADE_FILES:
        return False
    if re.fullmatch(r"docs/decisions/\d{4}", path):
        return not any(known.startswith(path.removeprefix("docs/")) for known in tree())
    return path.removeprefix("./") not in tree()


def wrong_name(name: str) -> bool:
    """Whether a text between backticks names a module, or a function of a module, that is somewhere else.

    >>> wrong_name("jobs.lake.write"), wrong_name("jobs.logs"), wrong_name("write.start_session")
    (False, True, True)
    """
    if re.fullmatch(r"(cep_core|jobs|dags)(\.\w+)+", name):
        path = name.replace(".", "/")
        parent, _, last = path.rpartition("/")
        is_module = path in tree() or f"{path}.py" in tree()
        return not is_module and last not in defined().get(parent.rpartition("/")[2], ())
    module, _, function = name.rstrip("()").partition(".")
    everywhere = {own for names in defined().values() for own in names if "_" in own}
    return module in defined() and function in everywhere and function not in defined()[module]


def quoted(text: str) -> list[str]:
    """The words between backticks.

    >>> quoted("run `scripts/run.sh trendmill`, see ``jobs/cli.py``")
    ['scripts/run.sh', 'trendmill', 'jobs/cli.py']
    """
    return [word for code in re.findall(r"`+([^`\n]+)`+", text) for word in code.split()]


@pytest.mark.parametrize("page", sorted({str(p.relative_to(ROOT)) for pattern in PROSE for p in ROOT.glob(pattern)}))
def test_a_document_names_what_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []
    assert [word for word in quoted(text) if wrong_path(word) or wrong_name(word)] == []


@pytest.mark.parametrize("top", CODE)
def test_docstrings_and_comments_name_what_exists(top: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in sorted((ROOT / top).rglob("*"))
        if path.suffix in (".py", ".sql", ".sh", ".lark")
        for word in quoted(path.read_text(encoding="utf-8"))
        if wrong_path(word) or wrong_name(word)
    ]
    assert wrong == []


def test_a_wrong_name_is_found() -> None:
    """What the move left behind, in each of the ways that names are written."""
    assert all(wrong_path(path) for path in ("jobs/logs", "matching/windows.py", "docs/no_page.md"))
    assert all(wrong_name(name) for name in ("jobs.logs", "cep_core.patterns", "greeting.start_session"))
    assert not any(wrong_path(path) for path in ("jobs/log_files", "kernels/runs.py", "lake/lines", "GROUP-BY", "a.x"))
