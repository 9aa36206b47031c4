"""What a lower layer asks of a higher one, by name: a block of what runs it, a result of what draws it.

So no module of physics imports what stands on it. Only the package itself (`tegotae/__init__.py`), which stands above
all of them, says where a service is; it is loaded when it is first asked for.
"""

from importlib import import_module
from typing import Any

_HOMES: dict[str, str] = {}


def provide(name: str, home: str) -> None:
    """Say where a service is: "module:attribute", or a module, not loaded before it is asked for."""
    _HOMES[name] = home


def service(name: str) -> Any:
    """What was provided under a name.

    Example:
        >>> from tegotae.services import service
        >>> service("batch").__name__
        'Batch'
    """
    module, _, attribute = _HOMES[name].partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found
