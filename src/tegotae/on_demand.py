"""What is loaded when it is first used: services of higher layers, and names of a package.

A lower layer asks a higher one for a service by name: a block for what runs it, a result for what draws it. So no
module of physics imports what stands on it. Only the package itself (`tegotae/__init__.py`), which stands above all of
them, says where a service is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import get_data, resolve_name
from typing import Any

_HOMES: dict[str, str] = {}


def provide(name: str, home: str) -> None:
    """Say where a service is: "module:attribute", or a module, not loaded before it is asked for."""
    _HOMES[name] = home
    service.cache_clear()


@cache
def service(name: str) -> Any:
    """What was provided under a name, found once: runs and live blocks ask for theirs each time.

    Example:
        >>> from tegotae.on_demand import service
        >>> service("batch").__name__
        'Batch'
    """
    return resolve_name(_HOMES[name])


def loaded_on_first_use(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package: what it imports for type checkers alone is loaded when it is asked for.

    So its block `if TYPE_CHECKING:` is the one list of what there is, and where. A module that it imports from itself
    is a name of its own.

    Args:
        package: its `__name__`.

    Example:
        >>> get, names = loaded_on_first_use("tegotae.hybrid")
        >>> get("Command").__name__, "Command" in names()
        ('Command', True)
    """

    @cache
    def homes() -> dict[str, str]:
        """Name -> module that defines it."""
        import ast

        body = ast.parse(get_data(package, "__init__.py") or b"").body
        blocks = [node for node in body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
        imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
        return {each.name: str(node.module) for node in imports for each in node.names}

    def get(name: str) -> Any:
        if name not in homes():
            raise AttributeError(f"{package} has no {name!r}; it offers {', '.join(sorted(homes()))}")
        if homes()[name] == package:
            return import_module(f"{package}.{name}")  # which also sets it there
        value = getattr(import_module(homes()[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted({*sys.modules[package].__all__, *homes()})
