"""Kernels that other kernels call: ready to be linked into a loop, without machine code of their own.

Numba turns every function that it compiles into machine code, and wraps it for Python and for C, also if only other
compiled functions call it. These link in its optimised code, and machine code is made of the whole once more: in a loop
whose kernels call each other ten levels deep, ten times, all but the last for nothing. A kernel made here stops before
that. The loop is the same; the first run waits for it a third less.
"""

# mypy: disallow-untyped-calls=False
# (of numba's compiler only the outside has types)

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, cast

import llvmlite.binding as llvm  # type: ignore[import-untyped]
import numba
from llvmlite import ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

# Numba keeps what a compiled function needs of Python under names that begin so, one for each function.
ENVIRONMENT = "_ZN08NumbaEnv"
WITHOUT_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class Linked(JITCodeLibrary):
    """The optimised code of one kernel, to be linked into others; it has no address of its own."""

    def _finalize_final_module(self) -> None:
        """Instead of machine code, only the environments are made: numba fills them in as soon as this returns."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        engine, module = self._codegen._engine, self.create_ir_module("environments")
        for name in (variable.name for variable in self._final_module.global_variables):
            if name.startswith(ENVIRONMENT) and not engine.is_symbol_defined(name):
                own = ir.GlobalVariable(module, ir.IntType(8).as_pointer(), name)
                own.linkage, own.initializer = "common", ir.Constant(own.value_type, None)
        if module.globals:
            engine.add_module(llvm.parse_assembly(str(module)))
            engine.finalize_object()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Nothing: see `Kernel.__call__`."""
        self._ensure_finalized()
        return 0


class LinkedCompiler(Compiler):
    """Numba's compiler, with what it makes put into a `Linked`."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """Compile `function`."""
        self.state.library = Linked(self.state.targetctx.codegen(), function.__qualname__)
        return super().compile_extra(function)


class Kernel(CPUDispatcher):
    """What compiled code calls by linking it in; called from Python, it is compiled once more, as a whole."""

    def __init__(self, function: Callable[..., Any], names: Any = None, options: Any = None):
        super().__init__(function, names, {**(options or {}), **WITHOUT_WRAPPERS}, LinkedCompiler)

    def __call__(self, *args: Any) -> Any:
        """Call it from Python."""
        return self.whole(*args)

    @cached_property
    def whole(self) -> CPUDispatcher:
        """The same, with machine code and a wrapper of its own."""
        options = {name: value for name, value in self.targetoptions.items() if name not in WITHOUT_WRAPPERS}
        return CPUDispatcher(self.py_func, targetoptions=options)


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator as numba's njit, for functions that compiled code calls."""

    def make(function: Callable[..., Any]) -> Callable[..., Any]:
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            return function
        return Kernel(function, options={"nopython": True, "boundscheck": None, **options})

    return make


def loop(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator as numba's njit, for functions that Python calls."""
    decorator: Any = numba.njit  # its types lack no_cfunc_wrapper
    return cast(
        Callable[[Callable[..., Any]], Callable[..., Any]],
        decorator(no_cfunc_wrapper=True, **options),
    )
