"""The parsed text of a function, found by where its code says that it stands."""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from collections.abc import Callable
from functools import cache
from types import CodeType
from typing import Any

from tegotae.compile.backend import BEGAN
from tegotae.compile.translate.types import Refused, SubsetError
from tegotae.compile.translate.webs import Webs

Definition = ast.FunctionDef | ast.Lambda


# By file: its lines as `linecache` has them, and its text.
_texts: dict[str, tuple[list[str], str]] = {}
_webs: dict[CodeType, tuple[Definition, Webs]] = {}


def text_of(function: Callable[..., Any]) -> str:
    """The text of the file that a function stands in, as it was when Python loaded the function."""
    code = function.__code__
    name = code.co_filename
    linecache.checkcache(name)  # a module that was edited may have been loaded again
    lines = linecache.getlines(name, function.__globals__)
    if name not in _texts or _texts[name][0] is not lines:
        _texts[name] = lines, "".join(lines) or _given_to_python(code)
    text = _texts[name][1]
    if not text:
        raise _without_source(function, "its text cannot be read")
    if _edited(name) and not any(_alike(code, other) for other in _codes(text)):
        raise SubsetError(
            f"{name}: kernel {function.__name__!r}: its file was edited after Python loaded it.\n"
            "  Load it again (importlib.reload), or start a new process."
        )
    return text


def definition_of(function: Callable[..., Any]) -> tuple[Definition, Webs]:
    """The function as a tree, and the webs of its names."""
    code = function.__code__
    if code.co_flags & inspect.CO_COROUTINE:
        raise Refused(None, "an async function is outside the subset.", "Kernels do not wait.")
    if code not in _webs:
        try:
            found = _index(text_of(function)).get((code.co_name, code.co_firstlineno), [])
        except SyntaxError as error:
            raise _without_source(function, f"its text is not Python ({error})") from None
        if len(found) > 1:  # of lambdas inside one another, the last to begin
            found = sorted((node for node in found if _holds(node, code)), key=lambda node: _body_of(node)[0])[-1:]
        if len(found) != 1:
            raise _without_source(function, "its text is not where Python says it is")
        _webs[code] = found[0], Webs(found[0])
    return _webs[code]


def _edited(name: str) -> bool:
    """Whether a file may be younger than the functions that Python made of it."""
    held = linecache.cache.get(name)
    return held is not None and len(held) == 4 and held[1] is not None and held[1] >= BEGAN


@cache
def _codes(text: str) -> list[CodeType]:
    """Of every function in a text."""
    try:
        found = [compile(text, "<kernels>", "exec", dont_inherit=True)]
    except SyntaxError:  # half an edit
        return []
    for code in found:
        found += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    return found


def _alike(one: CodeType, other: CodeType) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in _COMPARED)


_COMPARED = ("co_name", "co_firstlineno", "co_code", "co_consts", "co_names", "co_varnames", "co_freevars")


def _given_to_python(code: CodeType) -> str:
    """The program of ``python -c``, if the function stands in it."""
    words = sys.orig_argv
    text = words[words.index("-c") + 1] if "-c" in words[:-1] and code.co_filename == "<string>" else ""
    return text if text and code in _codes(text) else ""


@cache
def _index(text: str) -> dict[tuple[str, int], list[Definition]]:
    """The functions in a text by name and first line."""
    functions: dict[tuple[str, int], list[Definition]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            first = node.decorator_list[0] if node.decorator_list else node
            functions.setdefault((node.name, first.lineno), []).append(node)
        elif isinstance(node, ast.Lambda):
            functions.setdefault(("<lambda>", node.lineno), []).append(node)
    return functions


def _holds(node: Definition, code: CodeType) -> bool:
    """Whether the code, of one of several lambdas on a line, lies within this one."""
    begin, end = _body_of(node)
    places = [place for place in code.co_positions() if None not in place and place[2:] != (0, 0)]
    return bool(places) and all(
        begin <= (line, column) and (end_line, end_column) <= end for line, end_line, column, end_column in places
    )


def _body_of(node: Definition) -> tuple[tuple[int, int], tuple[int, int]]:
    body = node.body
    assert isinstance(body, ast.expr)
    return (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)


def _without_source(function: Callable[..., Any], why: str) -> SubsetError:
    return SubsetError(
        f"{function.__code__.co_filename}: kernel {function.__name__!r}: {why}, so it cannot be compiled.\n"
        "  Write it in a file or a notebook cell, or set TEGOTAE_BACKEND=numba (pip install 'tegotae[numba]')."
    )
