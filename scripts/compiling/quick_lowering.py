"""Spare LLVM the instructions of a kernel whose results nobody reads.

More than a quarter of the instructions that Numba writes are such. LLVM removes them, but only after it has read them,
and has taken apart each store of an array, which is seven words. Each function below says what Numba does without it;
after LLVM has removed the rest, the same is left. Measured: `docs/decisions/0018-where-test-time-goes.md`.

Assumes the version of Numba in `requirements.txt`: names with an underscore are Numba's own.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba.core import cgutils, lowering, types
from numba.core.runtime.context import NRTContext
from numba.np import arrayobj

from compiling.uncounted_kernels import is_counted


def quicken_lowering() -> None:
    """Change the compiler of this process. Call it before anything is compiled."""
    _look_for_holders_where_they_are()
    _leave_what_is_not_counted()
    _read_parts_of_values()
    _describe_arrays_once()


def _look_for_holders_where_they_are() -> None:
    """To count an array, Numba takes all seven parts out of it, and asks each for memory that is counted. Here only
    parts whose type may have such memory are taken out."""

    def holders(runtime: Any, builder: Any, type_: Any, value: Any) -> list[tuple[Any, Any]]:
        context = runtime._context
        if not is_counted(context, type_):
            return []
        model = context.data_model_manager[type_]
        own = [(type_, model.get_nrt_meminfo(builder, value))] if model.has_nrt_meminfo() else []
        parts = [(kind, part) for kind, part in model.traverse(builder) if is_counted(context, kind)]
        return own + [holder for kind, part in parts for holder in holders(runtime, builder, kind, part(value))]

    NRTContext.get_meminfos = holders


def _leave_what_is_not_counted() -> None:
    """Where a variable ends, or gets another value, Numba loads the old value to count one holder less, and writes
    zeros, so that it is not counted twice. Numbers, and whatever a kernel without counting has, need neither."""
    store, delete = lowering.Lower.storevar, lowering.Lower.delvar

    def is_plain(kernel: Any, name: str) -> bool:
        counted = kernel.context.enable_nrt and is_counted(kernel.context, kernel.typeof(name))
        return not (counted or kernel._disable_sroa_like_opt)

    def storevar(kernel: Any, value: Any, name: str, argidx: Any = None) -> None:
        if argidx is not None or name in kernel._singly_assigned_vars or not is_plain(kernel, name):
            store(kernel, value, name, argidx)
            return
        kernel._alloca_var(name, kernel.typeof(name))
        kernel.builder.store(value, kernel.getvar(name))

    def delvar(kernel: Any, name: str) -> None:
        if not is_plain(kernel, name):
            delete(kernel, name)
        elif name not in kernel._blk_local_varmap:
            kernel._singly_assigned_vars.discard(name)
            kernel._alloca_var(name, kernel.typeof(name))

    lowering.Lower.storevar, lowering.Lower.delvar = storevar, delvar


def _read_parts_of_values() -> None:
    """To read a part of an array, Numba writes the array into memory of its own, after zeros, and reads the part there.
    Here the part is taken out of the array. An array whose parts are written, or whose place is asked for, goes into
    memory as before: where the value came from, so that every later place sees it."""
    of_numba: Any = cgutils.ValueStructProxy
    make, read, ask, load = of_numba.__init__, of_numba.__getitem__, of_numba.__getattr__, of_numba._getvalue

    def make_of_value(proxy: Any, context: Any, builder: Any, value: Any = None, ref: Any = None) -> None:
        if value is None or ref is not None or type(proxy._fe_type) is not types.Array:
            make(proxy, context, builder, value, ref)
            return
        proxy._context, proxy._builder, proxy._kept = context, builder, value
        proxy._datamodel = context.data_model_manager[proxy._fe_type]
        proxy._be_type = proxy._get_be_type(proxy._datamodel)
        assert proxy._be_type == value.type
        block = builder.basic_block
        proxy._after = block, block.instructions[-1] if block.instructions else None
        proxy._was_read = False

    def part(proxy: Any, index: int) -> Any:
        if not _is_kept(proxy):
            return read(proxy, index)
        proxy._was_read = True
        return proxy._builder.extract_value(proxy._kept, index)

    def value_of(proxy: Any) -> Any:
        if not _is_kept(proxy):
            return load(proxy)
        proxy._was_read = True
        return proxy._kept

    def attribute(proxy: Any, name: str) -> Any:
        if name in ("_value", "_outer_ref") and _is_kept(proxy):
            assert not proxy._was_read, "a part that was read may be written later"
            put_into_memory(proxy)
            return proxy._value
        return ask(proxy, name)

    def put_into_memory(proxy: Any) -> None:
        builder, (block, last) = proxy._builder, proxy._after
        with builder.goto_entry_block():
            builder.position_at_start(builder.function.entry_basic_block)
            memory = builder.alloca(proxy._be_type)
        with builder.goto_block(block):
            if last is None:
                builder.position_at_start(block)
            else:
                builder.position_after(last)
            builder.store(proxy._kept, memory)
        proxy._value = proxy._outer_ref = memory

    of_numba.__init__, of_numba.__getitem__, of_numba.__getattr__ = make_of_value, part, attribute
    of_numba._getvalue = value_of
    reshape = arrayobj._attempt_nocopy_reshape

    def reshape_copy(context: Any, builder: Any, type_: Any, array: Any, *more: Any) -> Any:
        """Asks for places in an array whose parts were read. It only reads there, so it gets a copy of the array."""
        return reshape(context, builder, type_, context.make_array(type_)(context, builder, array._getvalue()), *more)

    arrayobj._attempt_nocopy_reshape = reshape_copy


def _is_kept(proxy: Any) -> bool:
    """Whether the value of an array has not been put into memory."""
    known = vars(proxy)
    return "_kept" in known and "_value" not in known


def _describe_arrays_once() -> None:
    """For each array that it takes apart, Numba makes a class anew. It reads the lengths in memory, one by one."""
    make = arrayobj.make_array

    @cache
    def array_class(type_: Any) -> Any:
        made = make(type_)
        lengths = made.shape.fget
        made.shape = property(
            lambda array: array[array._datamodel.get_field_position("shape")] if _is_kept(array) else lengths(array)
        )
        return made

    arrayobj.make_array = array_class
