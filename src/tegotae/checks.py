"""What arguments must satisfy, said once: every failure names the owner, the argument, its value and a remedy."""

from __future__ import annotations

import math
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae.errors import FileError, InputError

Array = NDArray[np.float64]
_FEW = 20  # rows: more are a record that somebody measured


def refuse(owner: str, problem: str, remedy: str) -> NoReturn:
    """Raise the one kind of message this package has: what is wrong, then the way out."""
    raise InputError(f"{owner}: {problem}\n  {remedy}")


def number(owner: str, name: str, value: object, unit: str, remedy: str = "Give one finite number.") -> float:
    """A finite float, or an error that says which argument is not one."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        if isinstance(value, np.ndarray) and value.ndim == 0:
            return number(owner, name, value.item(), unit, remedy)
        refuse(owner, f"{name}={value!r} is not a number{_in(unit)}.", remedy)
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
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


def just_above(value: float, digits: int = 4) -> str:
    """The value rounded up to so many digits: a bound that holds as printed."""
    return _rounded(value, digits, math.ceil)


def just_below(value: float, digits: int = 4) -> str:
    """The value rounded down to so many digits."""
    return _rounded(value, digits, math.floor)


def _rounded(value: float, digits: int, way: Callable[[float], int]) -> str:
    if value == 0.0 or not math.isfinite(value):
        return f"{value:g}"
    unit = 10.0 ** (math.floor(math.log10(abs(value))) + 1 - digits)
    return f"{way(value / unit) * unit:.{digits}g}"


def period_of(owner: str, period: object) -> float:
    """A sampling period > 0 [s]."""
    return positive(owner, "period", period, "s", "Give the length of a tick in seconds, such as period=1e-3.")


def numbers(owner: str, name: str, value: ArrayLike) -> Array:
    """Numbers as a 1-D array, or an error of our own."""
    try:
        return np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"{owner}: {name}={value!r} is not made of numbers.\n  Give one number a direction."
        ) from error


def array(owner: str, name: str, value: ArrayLike, unit: str, remedy: str = "") -> Array:
    """Numbers as a C-contiguous float64 array of any shape, or an error of our own."""
    try:
        if np.ma.isMaskedArray(value) and np.ma.is_masked(value):
            raise TypeError("some of its values are masked")
        given = np.asarray(value)
        if np.iscomplexobj(given):
            raise TypeError("it has complex values")
        return np.asarray(given, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        way = remedy or f"Give numbers{_in(unit)}."
        raise InputError(f"{owner}: {name} is not an array of numbers ({error}).\n  {way}") from error


def signal(owner: str, name: str, value: ArrayLike, unit: str, dimension: int) -> Array:
    """A record of finite numbers, shape (ticks,) or (ticks, dimension), C-contiguous float64.

    One that may not be written is copied: loops ship for arrays as they mostly are.
    """
    wanted = "(ticks,) or (ticks, 1)" if dimension == 1 else f"(ticks, {dimension})"
    record = array(owner, name, value, unit, f"Give shape {wanted}, in {unit}.")
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
    return record if record.flags.writeable else record.copy()


def held(owner: str, name: str, value: ArrayLike, unit: str, ticks: int) -> Array:
    """A record of so many ticks, or one number that holds throughout."""
    record = array(owner, name, value, unit, f"Give a number or {ticks} of them, in {unit}.")
    if record.shape not in ((), (ticks,)):
        refuse(owner, f"{name} has shape {record.shape}, but there are {ticks} ticks.", f"Give one number or {ticks}.")
    record = np.full(ticks, float(record)) if record.ndim == 0 else record
    finite(owner, name, record, unit)
    return record


def finite(owner: str, name: str, record: Array, unit: str) -> None:
    """Every value finite; the error names the first that is not."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(record.sum()):  # one quick pass; only a sum that is not finite needs the search
            return
    if not np.isfinite(record).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(record))[0])
        spot = ", ".join(map(str, where))
        way = "Repair the record first: interpolate the gap, or cut it there."
        refuse(
            owner,
            f"{name}[{spot}]={record[where]} {unit}".rstrip() + " is not finite.",
            way if len(record) > _FEW else "Give finite numbers.",
        )


def values(owner: str, name: str, value: Any, unit: str, remedy: str, least: float = 0.0) -> Array:
    """One or several finite numbers, each >= least, as a 1-D array."""
    try:
        listed = list(value) if isinstance(value, Iterable) and not isinstance(value, (str, np.ndarray)) else value
        result = np.atleast_1d(np.asarray(listed, dtype=np.float64))
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


def path_of(owner: str, path: object) -> Path:
    """A path as it was given, or an error of our own."""
    if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
        refuse(owner, f"{path!r:.80} is not a path.", "Give the name of a file.")
    return Path(path)


def target_of(path: str | os.PathLike[str]) -> Path:
    """Where a file will really be written, links followed; refused if it cannot be."""
    try:
        place = Path(os.path.realpath(path))
        if not place.parent.is_dir():
            raise FileError(f"Cannot write {path}: the folder {place.parent} does not exist.\n  Create it first.")
        there = os.stat(place)
    except FileNotFoundError:
        there = None
    except TypeError as error:
        raise InputError(f"Cannot write {path!r}: it is not a path.\n  Give the name of a file.") from error
    except ValueError as error:  # a NUL inside
        raise FileError(f"Cannot write {path!s:.80}: {error}.\n  Choose another name.") from error
    except FileError:
        raise
    except OSError as error:  # a name too long, a link to itself, a folder that may not be entered
        raise FileError(f"Cannot write {path!s:.80}: {error.strerror}.\n  Choose another name.") from error
    if there is not None and stat.S_ISDIR(there.st_mode):
        raise FileError(f"Cannot write {path}: it is a folder.\n  Name a file inside it.")
    if there is not None and not stat.S_ISREG(there.st_mode):
        raise FileError(f"Cannot write {path}: it is a device, a pipe or a socket.\n  Name a regular file.")
    for one in (place.parent, place) if there is not None else (place.parent,):
        if not os.access(one, os.W_OK):
            raise FileError(f"Cannot write {path}: {one} is read-only.\n  Choose a place you may write to.")
    return place


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write beside the target and rename: a reader sees the old file or the new one, never half of it."""
    target = target_of(path)
    suffix = target.suffix if len(target.suffix) < 16 else ""  # some writers look at it
    beside = target.with_name(f".tegotae-{os.getpid()}-{secrets.token_hex(4)}.part{suffix}")
    try:
        yield beside
        if target.exists():
            beside.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(beside, target)
    except FileError:
        raise
    except OSError as error:
        raise FileError(
            f"Cannot write {path}: {error.strerror or error}.\n  Choose a folder with room that you may write to."
        ) from error
    finally:
        beside.unlink(missing_ok=True)
