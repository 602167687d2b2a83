"""Counts in LANES lanes side by side, added as one vector.

Arrays of lanes are C-contiguous [n, S, LANES]; numbers[i, s] is the vector of one node. Compiled code calls these
functions; each becomes the vector instructions themselves. The compiler does not vectorise additions in a row, and a
loop over the lanes costs more than the additions. The type decides how to add: int64 stops at LIMIT, uint64 is a
residue of `modulus` (0: of 2**64), float64 is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 16
LIMIT = 1 << 61
"""Counts below this are exact. Two counts that reach it still add without wrapping a 64-bit integer."""

Made = tuple[Any, Callable[..., Any]]
"""A signature, and the function that generates the code."""


@intrinsic
def add_lanes(context: Any, into: Any, i: Any, s: Any, more: Any, j: Any, t: Any, modulus: Any) -> Made:
    """into[i, s] += more[j, t]."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target = _pointer(context, builder, signature.args[0], args[0], args[1], args[2])
        addend = _pointer(context, builder, signature.args[3], args[3], args[4], args[5])
        total = _plus(builder, signature.args[0], _load(builder, target), _load(builder, addend), args[6])
        builder.store(total, target, align=8)
        return context.get_dummy_value()

    return types.void(into, types.intp, types.intp, more, types.intp, types.intp, types.uint64), generate


@intrinsic
def clear_lanes(context: Any, numbers: Any, i: Any, s: Any) -> Made:
    """numbers[i, s] = 0."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target = _pointer(context, builder, signature.args[0], *args)
        builder.store(ir.Constant(_vector(signature.args[0]), None), target, align=8)
        return context.get_dummy_value()

    return types.void(numbers, types.intp, types.intp), generate


@intrinsic
def any_lane(context: Any, numbers: Any, i: Any, s: Any) -> Made:
    """Whether numbers[i, s] has a lane other than 0."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = _load(builder, _pointer(context, builder, signature.args[0], *args))
        zeros = ir.Constant(vector.type, None)
        if signature.args[0].dtype == types.float64:
            differs = builder.fcmp_unordered("!=", vector, zeros)
        else:
            differs = builder.icmp_unsigned("!=", vector, zeros)
        mask = ir.IntType(LANES)
        return builder.icmp_unsigned("!=", builder.bitcast(differs, mask), ir.Constant(mask, 0))

    return types.boolean(numbers, types.intp, types.intp), generate


@intrinsic
def insert_lanes(context: Any, trees: Any, c: Any, place: Any, more: Any, j: Any, t: Any, modulus: Any) -> Made:
    """Add more[j, t] at a place of the Fenwick tree trees[c]. Places are 1..n; other places add nothing."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        value = _load(builder, _pointer(context, builder, signature.args[3], args[3], args[4], args[5]))
        kept = cgutils.unpack_tuple(builder, _fields(context, builder, kind, args[0]).shape, 3)[1]
        zero = ir.Constant(args[2].type, 0)

        def inside(at: Any) -> Any:
            return builder.and_(builder.icmp_signed(">", at, zero), builder.icmp_signed("<", at, kept))

        with _while(builder, args[2], inside) as (at, go_on):
            target = _pointer(context, builder, kind, args[0], args[1], at)
            builder.store(_plus(builder, kind, _load(builder, target), value, args[6]), target, align=8)
            go_on(builder.add(at, builder.and_(at, builder.neg(at))))
        return context.get_dummy_value()

    return types.void(trees, types.intp, types.intp, more, types.intp, types.intp, types.uint64), generate


@intrinsic
def sum_lanes(context: Any, into: Any, i: Any, s: Any, trees: Any, c: Any, place: Any, modulus: Any) -> Made:
    """into[i, s] += the sum of the Fenwick tree trees[c] over the places 1..place."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        target = _pointer(context, builder, kind, args[0], args[1], args[2])
        total = cgutils.alloca_once_value(builder, _load(builder, target))
        zero, unit = ir.Constant(args[5].type, 0), ir.Constant(args[5].type, 1)
        with _while(builder, args[5], lambda at: builder.icmp_signed(">", at, zero)) as (at, go_on):
            cell = _load(builder, _pointer(context, builder, signature.args[3], args[3], args[4], at))
            builder.store(_plus(builder, kind, builder.load(total), cell, args[6]), total)
            go_on(builder.and_(at, builder.sub(at, unit)))
        builder.store(builder.load(total), target, align=8)
        return context.get_dummy_value()

    return types.void(into, types.intp, types.intp, trees, types.intp, types.intp, types.uint64), generate


def _vector(kind: Any) -> ir.VectorType:
    return ir.VectorType(ir.DoubleType() if kind.dtype == types.float64 else ir.IntType(64), LANES)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, i: Any, s: Any) -> Any:
    """The address of array[i, s], as a vector."""
    if kind.ndim != 3 or kind.layout != "C":
        raise TypeError(f"lanes are of a C-contiguous array of 3 dimensions, not {kind}")
    fields = _fields(context, builder, kind, array)
    states = cgutils.unpack_tuple(builder, fields.shape, 3)[1]
    node = builder.add(builder.mul(i, states), s)
    first = builder.gep(fields.data, [builder.mul(node, ir.Constant(node.type, LANES))])
    return builder.bitcast(first, _vector(kind).as_pointer())


def _fields(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """The data, shape and so on of an array."""
    from numba.np.arrayobj import make_array  # with it comes all that Numba knows of arrays: only to compile a kernel

    return make_array(kind)(context, builder, array)


def _load(builder: Any, pointer: Any) -> Any:
    return builder.load(pointer, align=8)


def _plus(builder: Any, kind: Any, left: Any, right: Any, modulus: Any) -> Any:
    if kind.dtype == types.float64:
        return builder.fadd(left, right)
    total = builder.add(left, right)
    if kind.dtype == types.int64:
        limit = ir.Constant(total.type, [LIMIT] * LANES)
        return builder.select(builder.icmp_signed("<", total, limit), total, limit)
    first_lane = builder.insert_element(ir.Constant(total.type, ir.Undefined), modulus, ir.Constant(ir.IntType(32), 0))
    broadcast = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    modulus_vector = builder.shuffle_vector(first_lane, ir.Constant(total.type, ir.Undefined), broadcast)
    reaches = builder.icmp_unsigned(">=", total, modulus_vector)  # modulus 0: the sum wraps by itself
    return builder.sub(total, builder.select(reaches, modulus_vector, ir.Constant(total.type, None)))


@contextmanager
def _while(builder: Any, start: Any, holds: Callable[[Any], Any]) -> Iterator[tuple[Any, Callable[[Any], None]]]:
    """A loop over places. Its body gets a place and must give the next one to `go_on`."""
    place = cgutils.alloca_once_value(builder, start)
    test, body = builder.append_basic_block("places"), builder.append_basic_block("place")
    after = builder.append_basic_block("after")
    builder.branch(test)
    builder.position_at_end(test)
    at = builder.load(place)
    builder.cbranch(holds(at), body, after)
    builder.position_at_end(body)

    def go_on(then: Any) -> None:
        builder.store(then, place)
        builder.branch(test)

    yield at, go_on
    builder.position_at_end(after)
