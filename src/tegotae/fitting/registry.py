"""Machines that are fitted to records of their own, by type: a module that fits one registers it here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tegotae import checks
from tegotae.fitting.fits import Fit

Progress = bool | Callable[[str, float], None] | None


class Fitter(NamedTuple):
    """How machines of one type are fitted to records of another; see `register`."""

    machine: type
    record: type
    fit: Callable[[Any, Any, Mapping[str, float], Sequence[str], Progress], Fit]


_FITTERS: list[Fitter] = []


def register(machine: type, record: type, fit: Callable[..., Fit]) -> None:
    """Let `tegotae.fit` fit machines of a type to records of a type.

    Args:
        machine: the type of the machine, such as `PlanarRod`.
        record: the type of what is measured of it, such as `RodRecord`.
        fit: (machine, record, known, free, progress) -> `Fit`.
    """
    _FITTERS.append(Fitter(machine, record, fit))


def registered() -> str:
    """The machines that can be fitted in a way of their own, for errors."""
    return " or ".join(f"a {fitter.machine.__name__}" for fitter in _FITTERS)


def fitter_of(machine: object, record: object) -> Fitter | None:
    """The one that fits a machine to a record; None for machines without one of their own.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.fitting.registry import fitter_of
        >>> fitter_of(tg.Mass(mass=1.0), None) is None
        True
    """
    for own in _FITTERS:
        kind, wanted = own.machine.__name__, f"fit({own.machine.__name__}(…), {own.record.__name__}(…))"
        if machine is own.machine:
            checks.refuse("fit", f"{kind} is a class.", f"Give one whose other numbers are known: {wanted}.")
        if isinstance(machine, own.machine):
            if not isinstance(record, own.record):
                checks.refuse("fit", f"a {kind} without a {own.record.__name__}.", f"Give {wanted}.")
            return own
        if isinstance(record, own.record):
            checks.refuse("fit", f"a {own.record.__name__} without a {kind}.", f"Give {wanted}.")
    return None
