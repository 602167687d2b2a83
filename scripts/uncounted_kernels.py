"""Compile kernels without counting who holds an array, where nothing depends on the counts.

Numba counts the holders of each array, and frees an array with its last holder. A kernel's caller holds all arguments
until the kernel returns. So a kernel that makes no array and returns none can leave the counts as they are: whatever it
adds, it takes away again. LLVM removes most of that counting later, but until then a tuple of thirty arrays costs sixty
calls wherever the kernel names it. Measured: `docs/decisions/0018-where-test-time-goes.md`.

Assumes the version of Numba in `requirements.txt`.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir, lowering, types

HANDED_ON = {"static_getitem", "getitem", "getattr", "cast", "exhaust_iter"}
"""What a kernel does with a tuple or an array to get one that it contains, or a part of it: nothing new is made, unless
an array is the index."""
PUT_TOGETHER = {"build_tuple", "phi"}
ARRAYS = (types.containers.BaseTuple, types.Array)
PLAIN = (ir.Del, ir.Jump, ir.Branch, ir.Return, ir.StaticRaise)
"""Statements that hold no array longer than the variables do."""


def leave_counting() -> None:
    """Change the compiler of this process. Call it before anything is compiled."""
    lower_all = lowering.Lower.lower

    def lower(kernel: Any) -> None:
        if not _only_passes_arrays_on(kernel):
            lower_all(kernel)
            return
        context = kernel.context
        kernel.context = context.subtarget(enable_nrt=False)
        vars(kernel.context).pop("nrt", None)  # made anew, so that it refuses to make an array
        try:
            lower_all(kernel)
        finally:
            kernel.context = context  # the code by which Python calls the kernel counts

    lowering.Lower.lower = lower


def _only_passes_arrays_on(kernel: Any) -> bool:
    """Whether all arrays of a kernel are its arguments, or parts of them, and it returns none."""
    if kernel.generator_info or _is_counted(kernel, kernel.fndesc.restype):
        return False
    statements = (statement for block in kernel.func_ir.blocks.values() for statement in block.body)
    return all(_passes_on(kernel, statement) for statement in statements)


def _passes_on(kernel: Any, statement: Any) -> bool:
    if isinstance(statement, ir.Assign):
        counted = _is_counted(kernel, kernel.typeof(statement.target.name))
        return not counted or _is_part_of_arguments(kernel, statement.value)
    if isinstance(statement, ir.SetItem | ir.StaticSetItem):
        return not _is_counted(kernel, kernel.typeof(statement.value.name))
    return isinstance(statement, PLAIN)


def _is_part_of_arguments(kernel: Any, value: Any) -> bool:
    if isinstance(value, ir.Arg | ir.Var):
        return True
    if not isinstance(value, ir.Expr):
        return False
    if value.op in HANDED_ON:
        indexed = value.op == "getitem" and _is_counted(kernel, kernel.typeof(value.index.name))
        return isinstance(kernel.typeof(value.value.name), ARRAYS) and not indexed
    if value.op == "call":
        return isinstance(kernel.typeof(value.func.name), types.NamedTupleClass)
    return value.op in PUT_TOGETHER


def _is_counted(kernel: Any, type_: Any) -> bool:
    return bool(kernel.context.data_model_manager[type_].contains_nrt_meminfo())
