"""What is loaded when it is first used: services of higher layers, and names of a package.

A lower layer asks a higher one for a service by name: a block for what runs it, a result for what draws it. So no
module of physics imports what stands on it. Only the package itself (`tegotae/__init__.py`), which stands above all of
them, says where a service is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

_HOMES: dict[str, str] = {}


def provide(name: str, home: str) -> None:
    """Say where a service is: "module:attribute", or a module, not loaded before it is asked for."""
    _HOMES[name] = home


def service(name: str) -> Any:
    """What was provided under a name.

    Example:
        >>> from tegotae.on_demand import service
        >>> service("batch").__name__
        'Batch'
    """
    module, _, attribute = _HOMES[name].partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


def loaded_on_first_use(
    package: str, modules: Mapping[str, str], parts: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package.

    Args:
        package: its `__name__`.
        modules: module inside it -> the public names that it defines, parted by spaces.
        parts: modules inside it that are names of its own.

    Example:
        >>> get, names = loaded_on_first_use("tegotae.friction", {"laws": "Coulomb Viscous"})
        >>> get("Coulomb").__name__
        'Coulomb'
    """
    home = {name: module for module, names in modules.items() for name in names.split()}

    def get(name: str) -> Any:
        if name in parts:
            return import_module(f"{package}.{name}")  # which also sets it there
        if name not in home:
            raise AttributeError(f"{package} has no {name!r}; it offers {', '.join(sorted([*home, *parts]))}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted({*vars(sys.modules[package]), *home, *parts})
