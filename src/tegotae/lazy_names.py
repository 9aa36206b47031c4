"""Names of a package whose modules are loaded when a name is first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


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
