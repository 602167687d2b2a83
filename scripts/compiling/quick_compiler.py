"""Spare Numba's compiler the work that is in vain when kernels are compiled into the cache.

It changes how long the compiler takes, not what a kernel computes: `compile_kernels.py` is the only program that uses
it, in processes that end when all kernels are compiled. Each function below says what Numba does without it. What
was measured: `docs/decisions/0018-where-test-time-goes.md`.

Assumes the version of Numba in `requirements.txt`: names with an underscore are Numba's own.
"""

from __future__ import annotations

import gc
import weakref
from functools import cache
from typing import Any

from llvmlite.binding import parse_bitcode
from numba import _dynfunc
from numba.core import base, callwrapper, codegen, cpu, typed_passes
from numba.core.dispatcher import Dispatcher
from numba.core.environment import lookup_environment
from numba.core.targetconfig import ConfigStack, TargetConfig
from numba.core.types.functions import BaseFunction
from numba.core.types.misc import unliteral
from numba.core.typing import context as typing_context
from numba.core.typing.templates import builtin_registry
from numba.np import arrayobj

from compiling.quick_analysis import quicken_analysis
from compiling.quick_lowering import quicken_lowering
from compiling.uncounted_kernels import leave_counting

DOORS = {"wrapper"}
"""Numba's name for a module of the code by which Python calls a kernel."""


def quicken_compiler() -> None:
    """Change the compiler of this process. Call it before anything is compiled."""
    _compare_stored_options()
    _look_for_new_functions()
    _resolve_calls_once()
    _compile_once_for_all_numbers()
    _say_less_about_shapes()
    _make_machine_code_for_python_only()
    _set_known_environments()
    _leave_declarations()
    _leave_doors()
    leave_counting()
    quicken_analysis()
    quicken_lowering()
    cpu.CPUContext.create_cfunc_wrapper = _no_door
    gc.disable()  # nothing that the compiler makes is garbage before it ends


def _compare_stored_options() -> None:
    """For every call that it types, Numba looks its options up as a key, and compares all thirty of them by reading
    each through a property. Only those that differ from their defaults matter."""

    def equal(options: Any, others: Any) -> bool:
        same = type(options) is type(others)
        return same and (options._values == others._values or _chosen(options) == _chosen(others))

    TargetConfig.__eq__ = equal
    TargetConfig.__hash__ = lambda options: hash(type(options))


def _chosen(options: Any) -> dict[str, Any]:
    """The options that differ from their defaults."""
    return {name: value for name, value in options._values.items() if value != options.options[name].default}


def _look_for_new_functions() -> None:
    """For each function that it compiles, and for each of its own methods, Numba imports forty modules again and asks
    all of them for functions that were declared since. Here it counts what is declared, and asks if the number grew."""

    def after_declarations(refresh: Any, *kinds: str) -> Any:
        known: dict[int, int] = {}

        def look(context: Any) -> None:
            registries = context._registries
            while (declared := sum(len(getattr(of, kind)) for of in registries for kind in kinds)) != known.get(
                id(registries)
            ):
                known[id(registries)] = declared
                refresh(context)

        return look

    refresh_types = after_declarations(typing_context.BaseContext.refresh, "functions", "attributes", "globals")
    refresh_code = after_declarations(
        base.BaseContext.refresh, "functions", "getattrs", "setattrs", "casts", "constants"
    )

    def refresh(context: Any) -> None:
        refresh_code(context)
        context.typing_context.refresh()

    typing_context.BaseContext.refresh, base.BaseContext.refresh = refresh_types, refresh
    base._has_loc = cache(base._has_loc)  # the same few functions are asked for their parameters at every call


def _resolve_calls_once() -> None:
    """For every call of one of its own functions, Numba tries one signature after another, and formats a message for
    each that does not fit. The same function, with arguments of the same types and the same options, has the same
    signature: of fifteen such calls fourteen repeat one before. Types that inference has not finished are not kept."""
    of_numba: Any = BaseFunction
    resolve = of_numba.get_call_type
    resolved: dict[Any, tuple[Any, Any]] = {}

    def call_type(function: Any, context: Any, types: Any, named: Any) -> Any:
        options = ConfigStack.top_or_none()
        chosen = None if options is None else tuple(sorted(_chosen(options).items()))
        key = id(function), id(context), types, tuple(named.items()), chosen
        if key not in resolved:
            signature = resolve(function, context, types, named)
            used = (*types, *named.values(), signature.return_type)
            if not all(type_.is_precise() for type_ in used):
                return signature
            resolved[key] = function, signature  # kept with the function, so that no other one gets its identity
        return resolved[key][1]

    of_numba.get_call_type = call_type


def _compile_once_for_all_numbers() -> None:
    """The type of a number that is written in a call is that of all such numbers, as it always is for inner kernels:
    see `cep_core/inner_kernels.py`."""
    dispatcher: Any = Dispatcher
    template_of = dispatcher.get_call_template

    def call_template(called: Any, types: Any, named: Any) -> Any:
        if called.py_func.__module__.startswith(("cep_core.", "jobs.")):
            types = tuple(map(unliteral, types))
            named = {name: unliteral(type_) for name, type_ in dict(named).items()}
        return template_of(called, types, named)

    dispatcher.get_call_template = call_template


def _say_less_about_shapes() -> None:
    """An assignment to a slice raises if the shapes differ. On CPUs, Numba's message tells both shapes: 3,000
    instructions that join texts, in each kernel with such an assignment. Here it is the short message that Numba has
    for other targets. Only a mistake in a kernel can raise it."""
    [template] = (
        template
        for template in builtin_registry.functions
        if getattr(template, "_overload_func", None) is arrayobj.ol_raise_with_shape_context_cpu
    )
    template._overload_func = staticmethod(arrayobj.ol_raise_with_shape_context_generic)


def _make_machine_code_for_python_only() -> None:
    """Numba makes machine code of every function that it compiles. Nobody runs that of inner kernels and of Numba's
    own functions, since every kernel contains all that it calls. Here these are kept as LLVM's code. Whoever compiles
    another kernel that calls them gets them from the cache as before. Numba would also optimise them as a whole module,
    with all that they call; each kernel that contains them is optimised so in any case."""
    lower, finish, get_executable = (
        typed_passes.NativeLowering.run_pass,
        codegen.JITCodeLibrary._finalize_final_module,
        cpu.CPUContext.get_executable,
    )
    keep_machine_code, read = codegen.JITCodeLibrary.serialize_using_object_code, codegen.JITCodeLibrary._unserialize
    inner: weakref.WeakSet[Any] = weakref.WeakSet()
    optimise = codegen.CPUCodeLibrary._optimize_final_module

    def optimise_module(library: Any) -> None:
        if library not in inner:
            optimise(library)

    def lower_function(lowering: Any, state: Any) -> Any:
        if state.library is None:
            state.library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
            state.library.enable_object_caching()
        if state.flags.no_cpython_wrapper:
            inner.add(state.library)
        return lower(lowering, state)

    def finish_module(library: Any) -> None:
        if library in inner:
            library._finalize_dynamic_globals()
            library._verify_declare_only_symbols()
            library._finalized = True
        else:
            finish(library)

    def executable(context: Any, library: Any, function: Any, environment: Any) -> Any:
        if library not in inner:
            made = get_executable(context, library, function, environment)
            _set_environments(library)
            return made
        library._ensure_finalized()
        name = function.qualname.split(".")[-1]
        return _dynfunc.make_function(function.lookup_module(), name, "", 0, environment, (library,))

    def serialize(library: Any) -> Any:
        return library.serialize_using_bitcode() if library in inner else keep_machine_code(library)

    def unserialize(generator: Any, stored: Any) -> Any:
        name, kind, code = stored
        if kind != "bitcode":
            return read(generator, stored)
        library = generator.create_library(name)
        inner.add(library)
        library._final_module = parse_bitcode(code)
        finish_module(library)
        return library

    typed_passes.NativeLowering.run_pass = lower_function
    codegen.CPUCodeLibrary._optimize_final_module = optimise_module
    codegen.JITCodeLibrary._finalize_final_module = finish_module
    codegen.JITCodeLibrary.serialize_using_object_code = serialize
    codegen.JITCodeLibrary._unserialize = unserialize
    cpu.CPUContext.get_executable = executable


def _set_environments(library: Any) -> None:
    """The names that its inner functions look up, for instance exceptions, belong to the kernel that contains them."""
    for variable in library._final_module.global_variables:
        environment = lookup_environment(variable.name) if variable.name.startswith("_ZN08NumbaEnv") else None
        if environment is not None:
            library.codegen.set_env(variable.name, environment)


def _set_known_environments() -> None:
    """A name without an address is declared alone, or belongs to an inner kernel that another process has compiled:
    nothing looks it up here. Numba would write to address 0."""
    set_environment = codegen.JITCPUCodegen.set_env

    def set_known(of_process: Any, name: str, environment: Any) -> None:
        if of_process._engine.get_global_value_address(name):
            set_environment(of_process, name, environment)

    codegen.JITCPUCodegen.set_env = set_known


def _leave_declarations() -> None:
    """Numba prepares a round of optimisations for each function of a module, and most are only declared there. The
    code by which Python calls a kernel is optimised with the kernel, so it needs no round before."""

    def optimise(library: Any, module: Any) -> None:
        module.data_layout = library.codegen._data_layout
        if module.name in DOORS:
            return
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = library.codegen._function_pass_manager()
                passes.run(function, builder)

    codegen.CPUCodeLibrary._optimize_functions = optimise


def _leave_doors() -> None:
    """The code by which Python calls a kernel takes each array of each tuple apart, once a call: to optimise it gains
    nothing and takes as long as to optimise the kernel. It calls the kernel, and does not contain it."""
    build = callwrapper.PyCallWrapper.build

    def build_plainly(door: Any) -> None:
        build(door)
        for function in door.module.functions:
            if not function.is_declaration:
                function.attributes.add("noinline")
                function.attributes.add("optnone")

    callwrapper.PyCallWrapper.build = build_plainly


def _no_door(*arguments: Any) -> None:
    """In place of the code by which C calls a kernel. Nothing does."""
