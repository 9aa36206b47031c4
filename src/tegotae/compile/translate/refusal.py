"""What lies outside the subset is refused, with its place and the way to write it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tegotae.errors import TegotaeError


class SubsetError(TegotaeError):
    """A kernel that cannot be translated.

    Example:
        >>> from tegotae.compile import SubsetError
        >>> issubclass(SubsetError, Exception)
        True
    """


class Refused(Exception):  # noqa: N818 - it never leaves the translator
    """Raised where the trouble is seen; it becomes a `SubsetError` where the kernel's file is known."""

    def __init__(self, node: ast.AST | None, what: str, remedy: str):
        super().__init__(what)
        self.node, self.what, self.remedy = node, what, remedy

    def located(self, function: Callable[..., Any]) -> SubsetError:
        """The same, with the file, the line and the kernel's name."""
        code = function.__code__
        line = getattr(self.node, "lineno", code.co_firstlineno)
        return SubsetError(f"{code.co_filename}:{line}: kernel {function.__name__!r}: {self.what}\n  {self.remedy}")
