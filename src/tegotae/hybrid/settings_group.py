"""What every group of hybrid settings keeps to: types as declared, numbers in their range, text that files can hold."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, get_type_hints

import msgspec
import numpy as np
from msgspec import Meta

from tegotae import checks
from tegotae.errors import InputError
from tegotae.toml_settings import explain, toml_value, unreadable

_BEYOND = 1e15  # nothing that is measured here is as large in its unit
_WAY = "`tegotae hybrid show` prints every name with its unit."


def of(description: str, *, above: float | None = None, least: float | None = None, most: float | None = None) -> Any:
    """What a setting means, and which numbers it may be.

    Args:
        description: with the unit.
        above: it must be larger than this.
        least: it must be so much or more.
        most: it must be so much or less.

    Example:
        >>> of("part that is lost [-]", least=0.0, most=1.0).description
        'part that is lost [-]'
    """
    bounds = {name: bound for name, bound in (("above", above), ("least", least), ("most", most)) if bound is not None}
    return Meta(description=description, extra=bounds)


class SettingsGroup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings that belong together. Unknown names, other types and numbers out of range are errors, however given.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.hybrid.settings import LinkSettings
        >>> try:
        ...     LinkSettings(loss=2.0)
        ... except tg.InputError as error:
        ...     print(error)
        LinkSettings: loss=2.0 must be <= 1: part of the packets that is lost, on either way [-], 0 to 1.
          `tegotae hybrid show` prints every name with its unit.
    """

    def __post_init__(self) -> None:
        own = type(self)
        for name, hint in _hints(own).items():
            given = getattr(self, name)
            value = _of_its_type(own, name, given)
            for meta in getattr(hint, "__metadata__", ()):
                for one in value if isinstance(value, tuple) else (value,):
                    _refuse_out_of_range(own.__name__, name, one, meta)
            if isinstance(value, str | dict):
                toml_value(f"{own.__name__}: {name}", value)  # refused here, not when it is written for the nodes
            if value is not given:
                msgspec.structs.force_setattr(self, name, value)


@lru_cache(maxsize=64)
def _hints(group: type[msgspec.Struct]) -> dict[str, Any]:
    return get_type_hints(group, include_extras=True)


def _of_its_type(group: type[msgspec.Struct], name: str, value: Any) -> Any:
    """As declared: what is read from a file is so already, what a program gives may be of NumPy, or a list."""
    if isinstance(value, np.generic):
        value = value.item()
    if problem := unreadable(value):
        checks.refuse(group.__name__, f"{name}: {problem}.", _WAY)
    try:
        return msgspec.convert(value, _hints(group)[name])
    except (msgspec.ValidationError, OverflowError) as error:
        wrong = msgspec.ValidationError(f"{str(error).partition(' - at')[0]} - at `$.{name}`")
        told = explain(wrong, group, {name: value})
        raise InputError(f"{group.__name__}: {told}.\n  {_WAY}") from error


def _refuse_out_of_range(own: str, name: str, value: Any, meta: Meta) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    bounds: dict[str, float] = meta.extra or {}
    if isinstance(value, float) and not math.isfinite(value):
        problem = "is not finite"
    elif "above" in bounds and value <= bounds["above"]:
        problem = f"must be > {bounds['above']:g}"
    elif "least" in bounds and value < bounds["least"]:
        problem = f"must be >= {bounds['least']:g}"
    elif "most" in bounds and value > bounds["most"]:
        problem = f"must be <= {bounds['most']:g}"
    elif abs(value) > _BEYOND:
        problem = f"must be within +-{_BEYOND:g}"
    else:
        return
    checks.refuse(own, f"{name}={value!r} {problem}: {meta.description}.", _WAY)
