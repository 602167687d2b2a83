"""Compile kernels without counting who holds an array, where nothing depends on the counts.

Numba counts the holders of each array, and frees an array with its last holder. A kernel's caller holds all arguments
until the kernel returns. So a variable that only ever has arguments, or arrays within them, need not count: it could
not free anything. LLVM removes most of that counting later, but until then a tuple of thirty arrays costs sixty calls
wherever the kernel names it. Arrays that the kernel makes, and those that it returns, are counted as before.
Measured: `docs/decisions/0018-where-test-time-goes.md`.

Assumes the version of Numba in `requirements.txt`.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir, lowering, types

HANDED_ON = {"static_getitem", "getitem", "getattr", "cast", "exhaust_iter"}
"""What a kernel does with a tuple or an array to get one that it contains, or a part of it: nothing new is made, unless
an array is the index."""
ARRAYS = (types.containers.BaseTuple, types.Array)


def leave_counting() -> None:
    """Change the compiler of this process. Call it before anything is compiled."""
    lower_all, lower_statement = lowering.Lower.lower, lowering.Lower.lower_inst

    def lower(kernel: Any) -> None:
        kernel.of_arguments = set() if kernel.generator_info else _of_arguments(kernel)
        kernel.uncounted = kernel.context.subtarget(enable_nrt=False)
        vars(kernel.uncounted).pop("nrt", None)  # made anew, so that it refuses to make an array
        lower_all(kernel)

    def lower_inst(kernel: Any, statement: Any) -> None:
        if isinstance(statement, ir.Del) and statement.value in kernel.of_arguments:
            return
        if not (isinstance(statement, ir.Assign) and statement.target.name in kernel.of_arguments):
            lower_statement(kernel, statement)
            return
        counted, kernel.context = kernel.context, kernel.uncounted
        try:
            lower_statement(kernel, statement)
        finally:
            kernel.context = counted

    lowering.Lower.lower, lowering.Lower.lower_inst = lower, lower_inst


def _of_arguments(kernel: Any) -> set[str]:
    """The variables that would count, and whose every value is an argument or a part of arguments.

    What is returned gets a holder more, so its variable counts. A variable that has another one's value may leave
    counting only with it, so variables are taken out until all that are left stand on arguments alone.
    """
    values: dict[str, list[Any]] = {}
    returned = set()
    for block in kernel.func_ir.blocks.values():
        for statement in block.body:
            if isinstance(statement, ir.Assign):
                values.setdefault(statement.target.name, []).append(statement.value)
            elif isinstance(statement, ir.Return):
                returned.add(statement.value.name)
    left = {name for name in values if name not in returned and _counts(kernel, name)}
    while True:
        fits = {name for name in left if all(_is_part_of_arguments(kernel, value, left) for value in values[name])}
        if fits == left:
            return left
        left = fits


def _is_part_of_arguments(kernel: Any, value: Any, known: set[str]) -> bool:
    if isinstance(value, ir.Arg):
        return True
    if isinstance(value, ir.Var):
        return value.name in known
    if not isinstance(value, ir.Expr):
        return False
    if value.op in HANDED_ON:
        indexed = value.op == "getitem" and _counts(kernel, value.index.name)
        return isinstance(kernel.typeof(value.value.name), ARRAYS) and value.value.name in known and not indexed
    if value.op == "call":
        named = isinstance(kernel.typeof(value.func.name), types.NamedTupleClass)
        return named and all(_stands(kernel, item, known) for item in (*value.args, *dict(value.kws).values()))
    return value.op == "build_tuple" and all(_stands(kernel, item, known) for item in value.items)


def _stands(kernel: Any, item: Any, known: set[str]) -> bool:
    """Whether an item of a tuple holds no array that the kernel has made."""
    return item.name in known or not _counts(kernel, item.name)


def _counts(kernel: Any, name: str) -> bool:
    return is_counted(kernel.context, kernel.typeof(name))


def is_counted(context: Any, type_: Any) -> bool:
    """Whether a value of this type holds memory that is counted. Each type is looked through once."""
    model = context.data_model_manager[type_]
    if not hasattr(model, "is_counted"):
        model.is_counted = model.contains_nrt_meminfo()
    return bool(model.is_counted)
