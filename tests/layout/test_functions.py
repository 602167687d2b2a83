"""Functions are small: at most 8 parameters and about 60 lines, or a written reason."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_PARAMETERS, MOST_LINES = 8, 70
"""Lines count without the docstring. 60 is the aim, so nobody has to cut a function for one line more."""

FRONT_DOOR = "a front door: each parameter is a setting with a default and a name"
ONE_LOOP = (
    "a kernel with one loop over events: Numba compiles it as a whole, and cut in parts it was measured as slower"
)
INLINED = "a part of a kernel that Numba inlines: what it reads are the kernel's own arrays"
WRITTEN_OUT = "a reference that spells a definition out in one place, to be read beside the paper"
DRAWING = "a drawing: marks, axes and words in the order in which they are put on the page"
TOKENS = "a scanner: one loop over bytes, compiled as a whole"

LARGE = {
    "cep_core/events/logs/reading/csv_tokens.py": {"scan_lines": TOKENS},
    "cep_core/events/logs/reading/monpoly_tokens.py": {"scan": TOKENS},
    "cep_core/matching/imprecise/kernels/passing.py": {"happen": INLINED},
    "cep_core/matching/kernels/latest_beginnings.py": {"_latest_beginnings": ONE_LOOP},
    "cep_core/matching/kernels/one_closure.py": {"_fill": ONE_LOOP},
    "cep_core/monitoring/first_order/kernels/since.py": {"guarded_runs": INLINED},
    "cep_core/policies.py": {"monitor": FRONT_DOOR, "why": FRONT_DOOR},
    "cep_core/matches/why.py": dict.fromkeys(("why_match", "why_none", "why_not_match"), FRONT_DOOR),
    "cep_core/queries.py": dict.fromkeys(("aggregate", "detect", "match", "shed"), FRONT_DOOR),
    "cep_core/shedding/kernels/lifetimes.py": {"settle": INLINED},
    "cep_core/shedding/kernels/meeting.py": {"meet": ONE_LOOP},
    "cep_core/shedding/operator.py": {"process": ONE_LOOP},
    "cep_core/shedding/reference.py": {"replay": WRITTEN_OUT},
    "cep_core/slicing/planner.py": {"make_plan": FRONT_DOOR},
    "cep_core/trends/kernels/block_walk.py": {"walk_block": ONE_LOOP},
    "cep_core/trends/kernels/meeting_points.py": {"_walk": ONE_LOOP},
    "cep_core/trends/kernels/ranked.py": {"count_compared_windows": ONE_LOOP},
    "cep_core/trends/kernels/ring.py": {"_walk": ONE_LOOP},
    "cep_core/trends/kernels/two_state_sums.py": {"_aggregate": ONE_LOOP},
    "cep_core/trends/kernels/window_sums.py": {"_count_windows": ONE_LOOP},
    "cep_core/trends/reference.py": {"matches": WRITTEN_OUT},
    "jobs/reports/figures/along_settings.py": {"along_settings": DRAWING},
    "jobs/reports/figures/timeline.py": {"timeline_figure": DRAWING},
}
"""Functions that may be larger, each with its reason."""


def is_large(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function has too many parameters (`self` is none) or too many lines."""
    positional = [*function.args.posonlyargs, *function.args.args]
    own = len(positional) > 0 and positional[0].arg in ("self", "cls")
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    docstring = ast.get_docstring(function, clean=False)
    lines -= 0 if docstring is None else docstring.count("\n") + 1
    return len(positional) + len(function.args.kwonlyargs) - own > MOST_PARAMETERS or lines > MOST_LINES


def large_functions(file: Path) -> set[str]:
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_large(node)}


def test_large_functions_have_a_reason() -> None:
    """And no reason is left of a function that became small."""
    large: dict[str, set[str]] = {}
    for top in ("cep_core", "jobs", "dags", "scripts", "benchmarks"):
        for file in sorted((ROOT / top).rglob("*.py")):
            if names := large_functions(file):
                large[file.relative_to(ROOT).as_posix()] = names
    assert large == {path: set(reasons) for path, reasons in LARGE.items()}


def test_a_large_function_is_seen() -> None:
    many = ", ".join(f"a{n}" for n in range(9))
    fitting = "\n".join("    pass" for _ in range(MOST_LINES - 1))
    for text, large in (
        (f"def f({many}): pass", True),
        (f"def f(self, {many.removeprefix('a0, ')}): pass", False),
        (f"def f(*, {many}): pass", True),
        (f"def f():\n{fitting}\n    pass", True),
        (f"def f():\n{fitting}", False),
        (f'def f():\n    """One.\n\n    Two.\n    """\n{fitting}', False),
    ):
        [function] = ast.parse(text).body
        assert isinstance(function, ast.FunctionDef)
        assert is_large(function) == large, text
