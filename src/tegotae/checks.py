"""What arguments must satisfy, said once: every failure names the owner, the argument, its value and a remedy."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae.errors import FileError, InputError

Array = NDArray[np.float64]


def refuse(owner: str, problem: str, remedy: str) -> NoReturn:
    """Raise the one kind of message this package has: what is wrong, then the way out."""
    raise InputError(f"{owner}: {problem}\n  {remedy}")


def number(owner: str, name: str, value: object, unit: str, remedy: str = "Give one finite number.") -> float:
    """A finite float, or an error that says which argument is not one."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        if isinstance(value, np.ndarray) and value.ndim == 0:
            return number(owner, name, value.item(), unit, remedy)
        refuse(owner, f"{name}={value!r} is not a number{_in(unit)}.", remedy)
    result = float(value)
    if not math.isfinite(result):
        refuse(owner, f"{name}={result} {unit}".rstrip() + " is not finite.", remedy)
    return result


def positive(owner: str, name: str, value: object, unit: str, remedy: str) -> float:
    """A number > 0."""
    result = number(owner, name, value, unit, remedy)
    if result <= 0.0:
        refuse(owner, f"{name}={result} {unit}".rstrip() + " must be > 0.", remedy)
    return result


def at_least_zero(owner: str, name: str, value: object, unit: str, remedy: str) -> float:
    """A number >= 0."""
    result = number(owner, name, value, unit, remedy)
    if result < 0.0:
        refuse(owner, f"{name}={result} {unit}".rstrip() + " must be >= 0.", remedy)
    return result


def whole(owner: str, name: str, value: object, least: int, remedy: str) -> int:
    """A whole number >= least."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or int(value) < least:
        refuse(owner, f"{name}={value!r} must be a whole number >= {least}.", remedy)
    return int(value)


def period_of(owner: str, period: object) -> float:
    """A sampling period > 0 [s]."""
    return positive(owner, "period", period, "s", "Give the length of a tick in seconds, such as period=1e-3.")


def signal(owner: str, name: str, value: ArrayLike, unit: str, dimension: int) -> Array:
    """A record of finite numbers, shape (ticks,) or (ticks, dimension), C-contiguous float64."""
    wanted = "(ticks,) or (ticks, 1)" if dimension == 1 else f"(ticks, {dimension})"
    try:
        given = np.asarray(value)
        if np.iscomplexobj(given):
            raise TypeError("it has complex values")
        record = np.asarray(given, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{owner}: {name} is not an array of numbers ({error}).\n  Give shape {wanted}, in {unit}."
        ) from error
    shape_fits = (record.ndim == 2 and record.shape[1] == dimension) or (record.ndim == 1 and dimension == 1)
    if record.size == 0 and record.ndim <= 2:
        refuse(owner, f"{name} is empty, shape {record.shape}.", "Give at least one tick.")
    if not shape_fits:
        refuse(
            owner,
            f"{name} has shape {np.shape(value)}, but the block has dimension={dimension}.",
            f"Give shape {wanted}, in {unit}.",
        )
    finite(owner, name, record, unit)
    return record


def finite(owner: str, name: str, record: Array, unit: str) -> None:
    """Every value finite; the error names the first that is not."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(record.sum()):  # one quick pass; only a sum that is not finite needs the search
            return
    if not np.isfinite(record).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(record))[0])
        spot = where[0] if len(where) == 1 else where
        refuse(
            owner,
            f"{name}[{spot}]={record[where]} {unit} is not finite.",
            "Repair the record first: interpolate the gap, or cut it there.",
        )


def values(owner: str, name: str, value: Any, unit: str, remedy: str, least: float = 0.0) -> Array:
    """One or several finite numbers, each >= least, as a 1-D array."""
    try:
        result = np.atleast_1d(np.asarray(list(value) if isinstance(value, range) else value, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise InputError(f"{owner}: {name}={value!r} is not made of numbers.\n  {remedy}") from error
    if result.ndim != 1 or result.size == 0:
        refuse(owner, f"{name} has shape {result.shape}.", f"Give one number or a list of numbers [{unit}].")
    finite(owner, name, result, unit)
    if (result < least).any():
        worst = int(np.argmax(result < least))
        refuse(owner, f"{name}[{worst}]={result[worst]} {unit} must be >= {least:g}.", remedy)
    return result


def _in(unit: str) -> str:
    return f" in {unit}" if unit else ""


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write beside the target and rename: a reader sees the old file or the new one, never half of it."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileError(f"Cannot write {target}: the folder {target.parent} does not exist.\n  Create it first.")
    if target.is_dir():
        raise FileError(f"Cannot write {target}: it is a folder.\n  Name a file inside it.")
    beside = target.with_name(f".{target.name}.{os.getpid()}.part{target.suffix}")
    try:
        yield beside
        os.replace(beside, target)
    except PermissionError as error:
        raise FileError(f"Cannot write {target}: {error.strerror}.\n  Choose a folder you may write to.") from error
    finally:
        beside.unlink(missing_ok=True)
