"""Spare Numba's compiler the analyses of a function whose answers nobody reads.

Numba looks at a function's variables anew after each of its passes. What is asked of these analyses for the kernels of
this project is less: none of them is a generator, and none is compiled as Python's objects. Each function below says
what Numba does without it; the same code comes out. What was measured: `docs/decisions/0018-where-test-time-goes.md`.

Assumes the version of Numba in `requirements.txt`: names with an underscore are Numba's own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from llvmlite.binding import ffi
from numba.core import ir, postproc, ssa, transforms
from numba.core.annotations.type_annotations import TypeAnnotation


def quicken_analysis() -> None:
    """Change the compiler of this process. Call it before anything is compiled."""
    _find_lifetimes_when_asked()
    _list_variables_at_once()
    _rename_where_named()
    _leave_annotations()
    ffi.lib._lock._cblist.clear()  # Numba tells of each of 70,000 calls of LLVM that it begins and ends


def _find_lifetimes_when_asked() -> None:
    """After each of nine passes, Numba finds out which variables live where. It needs that once, before it writes where
    they die: it is found when it is asked for. What lives at a block's beginning matters for generators alone."""
    process = postproc.PostProcessor.run

    def run(of_function: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        function = of_function.func_ir
        if function.is_generator:
            process(of_function, emit_dels, extend_lifetimes)
            return
        function.blocks = transforms.canonicalize_cfg(function.blocks)
        function.variable_lifetime = postproc.VariableLifetime(function.blocks)
        function.generator_info = None
        if emit_dels:
            of_function._insert_var_dels(extend_lifetimes=extend_lifetimes)

    postproc.PostProcessor.run = run


def _list_variables_at_once() -> None:
    """Numba makes a list of the variables of each part of a statement, and joins the lists."""

    def collect(values: Any, found: list[Any]) -> None:
        for value in values:
            kind = type(value)
            if kind is ir.Var:
                found.append(value)
            elif kind is tuple or kind is list:
                collect(value, found)
            elif kind is dict:
                collect(value.values(), found)
            elif isinstance(value, ir.Inst):
                found.extend(value.list_vars())

    def of_statement(statement: Any) -> list[Any]:
        found: list[Any] = []
        collect(statement.__dict__.values(), found)
        return found

    def of_expression(expression: Any) -> list[Any]:
        found: list[Any] = []
        collect(expression._kws.values(), found)
        return found

    ir.Stmt.list_vars, ir.Expr.list_vars = of_statement, of_expression


def _rename_where_named() -> None:
    """A variable that is assigned more than once becomes several. For each, Numba goes through all statements of the
    function twice, and offers a message about each to a log. Only blocks that name the variable change."""
    reconstruct, rewrite = ssa._run_ssa, ssa._run_block_rewrite
    naming: list[dict[str, set[Any]]] = []

    def run(blocks: Any) -> Any:
        named: dict[str, set[Any]] = defaultdict(set)
        for label, block in blocks.items():
            for statement in block.body:
                for variable in statement.list_vars():
                    named[variable.name].add(label)
        naming.append(named)
        try:
            return reconstruct(blocks)
        finally:
            naming.pop()

    def rewrite_blocks(blocks: Any, states: Any, handler: Any) -> Any:
        named = naming[-1][states["varname"]]
        changing = {label: block for label, block in blocks.items() if label in named}
        changed = rewrite(changing, states, handler)
        return {label: changed.get(label, block) for label, block in blocks.items()}

    def statements(states: Any, block: Any, handler: Any) -> Iterator[Any]:
        for statement in block.body:
            handle: Callable[..., Any] = handler.on_assign if isinstance(statement, ir.Assign) else handler.on_other
            yield handle(states, statement)

    ssa._run_ssa, ssa._run_block_rewrite, ssa._run_ssa_block_pass = run, rewrite_blocks, statements


def _leave_annotations() -> None:
    """Numba stores the source of a kernel with each, and beside every line the types of its variables, for people who
    ask a kernel for it. Nobody asks a kernel of the cache."""
    annotation: Any = TypeAnnotation
    annotation.__str__ = lambda annotation: ""
