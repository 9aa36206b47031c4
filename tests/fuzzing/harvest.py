"""Well-formed calls of everything public, taken from the examples that docstrings show, and from `wellformed`.

An example is run, and every call that it makes by itself into tegotae is kept: what was called, with which arguments.
"""

from __future__ import annotations

import contextlib
import dataclasses
import doctest
import importlib
import inspect
import io
import linecache
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

_EXAMPLE = "<example "
_LATER = dataclasses._HAS_DEFAULT_FACTORY  # type: ignore[attr-defined]  # stands for a default that is made inside
# Called by Python rather than by name, and still with arguments of the user.
_SPOKEN = {"__init__", "__new__", "__call__", "__getitem__", "__setitem__"}


@dataclass(frozen=True)
class Call:
    """A call that is well-formed.

    `name` says what it calls, such as "Mass.run"; `owner` is the object or class whose method it is, or None.
    """

    name: str
    owner: Any
    attribute: str
    function: Callable[..., Any] | None
    arguments: dict[str, Any]
    signature: inspect.Signature

    @property
    def annotations(self) -> dict[str, str]:
        """Argument -> what it is said to be."""
        return {name: str(parameter.annotation) for name, parameter in self.signature.parameters.items()}

    def made(self, owner: Any, arguments: dict[str, Any]) -> Any:
        """Call it on this owner with these arguments."""
        args: list[Any] = []
        keywords: dict[str, Any] = {}
        for name, parameter in self.signature.parameters.items():
            if name not in arguments:
                continue
            if parameter.kind is parameter.VAR_POSITIONAL:
                args += arguments[name]
            elif parameter.kind is parameter.VAR_KEYWORD:
                keywords |= arguments[name]
            elif parameter.kind is parameter.POSITIONAL_ONLY or (
                any(p.kind is p.VAR_POSITIONAL for p in self.signature.parameters.values())
                and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
            ):
                args.append(arguments[name])
            else:
                keywords[name] = arguments[name]
        if self.attribute == "=":
            return setattr(owner, self.name.rpartition(".")[2], *keywords.values())
        function = self.function if self.function is not None else getattr(owner, self.attribute)
        return function(*args, **keywords)


def examples_of(module: str) -> list[tuple[str, str]]:
    """(name, source) of each docstring with an example in a module."""
    found = doctest.DocTestFinder().find(importlib.import_module(module), module)
    return [(test.name, "".join(e.source for e in test.examples)) for test in found if test.examples]


def calls_in(module: str, name: str, source: str) -> list[Call]:
    """Run an example where its module's names are known; the calls that it makes into tegotae, each once."""
    kept: dict[str, Call] = {}
    place = f"{_EXAMPLE}{name}>"

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_back is None or frame.f_back.f_code.co_filename != place:
            return
        call = _read(frame)
        if call is not None and (call.name not in kept or len(call.arguments) > len(kept[call.name].arguments)):
            kept[call.name] = call

    code = compile(source, place, "exec")
    space = dict(vars(importlib.import_module(module)))
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)  # kernels are read again
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.setprofile(watch)
        try:
            exec(code, space)
        finally:
            sys.setprofile(None)
    return list(kept.values())


def _read(frame: FrameType) -> Call | None:
    code = frame.f_code
    if code.co_flags & inspect.CO_GENERATOR or not code.co_argcount + code.co_kwonlyargcount:
        return None
    first = code.co_varnames[0]
    given = {name: value for name, value in frame.f_locals.items() if value is not _LATER}
    if code.co_name in ("__init__", "__new__") or first in ("self", "cls"):
        return _method(code, given.pop(first, None), given)
    if not str(frame.f_globals.get("__name__", "")).startswith("tegotae") or code.co_name.startswith(("_", "<")):
        return None
    function = frame.f_globals.get(code.co_name)
    if getattr(function, "__code__", None) is not code:
        return None
    return Call(f"{function.__module__}.{code.co_name}", None, "", function, given, inspect.signature(function))


def _method(code: CodeType, owner: Any, given: dict[str, Any]) -> Call | None:
    own = owner if inspect.isclass(owner) else type(owner)
    name = code.co_name
    if not str(own.__module__).startswith("tegotae") or (name.startswith("_") and name not in _SPOKEN):
        return None
    if name in ("__init__", "__new__"):
        if own.__name__.startswith("_"):
            return None
        return Call(_called(own), own, "", own, given, inspect.signature(own))
    member = inspect.getattr_static(own, name, None)
    label = f"{_called(own)}.{name}"
    if isinstance(member, property):
        if member.fset is None or member.fset.__code__ is not code:
            return None
        signature = inspect.signature(member.fset)
        rest = list(signature.parameters.values())[1:]
        return Call(label, owner, "=", None, given, signature.replace(parameters=rest))
    if not given:
        return None
    return Call(label, owner, name, None, given, inspect.signature(getattr(owner, name)))


def _called(own: type) -> str:
    return f"{own.__module__}.{own.__qualname__}"


def simple_methods(calls: list[Call]) -> Iterator[Call]:
    """Methods of the objects in calls that nobody called, and that may be called with nothing."""
    known = {call.name for call in calls}
    for call in calls:
        for thing in (call.owner, *call.arguments.values()):
            own = type(thing)
            if inspect.isclass(thing) or not str(own.__module__).startswith("tegotae"):
                continue
            for name in dir(own):
                label = f"{_called(own)}.{name}"
                member = inspect.getattr_static(own, name)
                if name.startswith("_") or label in known or not inspect.isfunction(member):
                    continue
                signature = inspect.signature(getattr(thing, name))
                known.add(label)
                if signature.parameters and all(
                    p.default is not p.empty or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
                    for p in signature.parameters.values()
                ):
                    yield Call(label, thing, name, None, {}, signature)
