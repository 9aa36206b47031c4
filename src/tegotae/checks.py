"""What arguments must satisfy, said once: every failure names the owner, the argument, its value and a remedy."""

from __future__ import annotations

import math
import operator
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae.errors import FileError, InputError
from tegotae.reals import MOST as MOST
from tegotae.reals import is_real as is_real
from tegotae.reals import len_of as len_of
from tegotae.reals import memory as memory
from tegotae.reals import reals as reals
from tegotae.reals import shown as shown

Array = NDArray[np.float64]
Kind = TypeVar("Kind")
LARGEST, SMALLEST = 1e150, 1e-250  # beyond them squares and inverses are not finite
SHORTEST, LONGEST = 1e-15, 1e9  # s, a period
_FEW = 20  # rows: more are a record that somebody measured
_LONG = 10**7  # things in a list
_HOLDS = {">": operator.gt, ">=": operator.ge, "<=": operator.le, "<": operator.lt}


def refuse(owner: str, problem: str, remedy: str) -> NoReturn:
    """Raise the one kind of message this package has: what is wrong, then the way out."""
    raise InputError(f"{owner}: {problem}\n  {remedy}")


def number(owner: str, name: str, value: object, unit: str, remedy: str = "Give one finite number.") -> float:
    """A finite float, or an error that says which argument is not one.

    Its size is at most 1e150: the square of a larger one is not finite, and no machine in SI units has it.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iuf" and value is not np.ma.masked:
        value = value[()]
    if not is_real(value):
        refuse(owner, f"{name}={shown(value)} is not a number{_in(unit)}.", remedy)
    try:
        result = float(cast(float, value))
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        refuse(owner, f"{name}={result} {unit}".rstrip() + " is not finite.", remedy)
    if abs(result) > LARGEST:
        refuse(owner, f"{name}={result} {unit}".rstrip() + f" is larger than {LARGEST:g}.", remedy)
    return result


def positive(owner: str, name: str, value: object, unit: str, remedy: str) -> float:
    """A number > 0, and not so small that its inverse is none."""
    result = number(owner, name, value, unit, remedy)
    inside(owner, f"{name}={result} {unit}", result, remedy, {">": 0.0})
    return result


def at_least_zero(owner: str, name: str, value: object, unit: str, remedy: str) -> float:
    """A number >= 0."""
    result = number(owner, name, value, unit, remedy)
    inside(owner, f"{name}={result} {unit}", result, remedy, {">=": 0.0})
    return result


def inside(owner: str, subject: str, value: float, remedy: str, limits: Mapping[str, float]) -> None:
    """Refuse a number out of range, such as {">": 0.0, "<=": 1.0}; above 0 it must have an inverse."""
    for sign, limit in limits.items():
        if not _HOLDS[sign](value, limit):
            refuse(owner, f"{subject.rstrip()} must be {sign} {limit:g}.", remedy)
    if limits.get(">") == 0.0 and value < SMALLEST:
        refuse(owner, f"{subject.rstrip()} is smaller than {SMALLEST:g}.", remedy)


def whole(owner: str, name: str, value: object, least: int, remedy: str) -> int:
    """A whole number >= least that an index can hold."""
    no_count = isinstance(value, (bool, np.timedelta64)) or not isinstance(value, (int, np.integer))
    if no_count or int(cast(int, value)) < least:
        refuse(owner, f"{name}={shown(value)} must be a whole number >= {least}.", remedy)
    value = int(cast(int, value))
    if value > MOST:
        refuse(owner, f"{name}={shown(value)} is more than {MOST}.", remedy)
    return value


def flag(owner: str, name: str, value: object) -> bool:
    """True or False, and nothing that only behaves like them."""
    if not isinstance(value, (bool, np.bool_)):
        refuse(owner, f"{name}={shown(value)} is neither True nor False.", f"Give {name}=True or {name}=False.")
    return bool(value)


def text(owner: str, name: str, value: object, remedy: str) -> str:
    """A text, also an empty one."""
    if not isinstance(value, str):
        refuse(owner, f"{name}={shown(value)} is not a text.", remedy)
    return str(value)


def choice(owner: str, name: str, value: object, choices: Iterable[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        refuse(owner, f"{name}={shown(value)} is not known.", f"Choose one of {', '.join(map(repr, choices))}.")
    return value


def texts(owner: str, name: str, value: object, remedy: str) -> tuple[str, ...]:
    """A list of texts; one text alone is not a list of its letters."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        refuse(owner, f"{name}={shown(value)} is not a list of names.", remedy)
    found = tuple(_listed(owner, name, value, remedy))
    for one in found:
        if not isinstance(one, str):
            refuse(owner, f"{name} holds {shown(one)}, which is not a name.", remedy)
    return found


def several(owner: str, name: str, value: object, kind: Callable[..., Kind], remedy: str) -> tuple[Kind, ...]:
    """A list of things of one kind."""
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes, Mapping)):
        refuse(owner, f"{name}={shown(value)} is not a list.", remedy)
    found = tuple(_listed(owner, name, value, remedy))
    for place, one in enumerate(found):
        instance(owner, f"{name}[{place}]", one, kind, remedy)
    return found


def is_list(value: object) -> bool:
    """Whether it has a first, a second and so on; a text is none."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _listed(owner: str, name: str, value: Iterable[Any], remedy: str) -> Iterable[Any]:
    """What can be walked through to its end."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        refuse(owner, f"{name}={shown(value)} is not a list.", remedy)
    if isinstance(value, Sized) and len_of(value) > _LONG:
        refuse(owner, f"{name}={shown(value)} is too long a list.", remedy)
    return value


def instance(
    owner: str, name: str, value: object, kind: Callable[..., Kind], remedy: str, *others: Callable[..., Kind]
) -> Kind:
    """A thing of one kind or of others, which may be abstract classes; a class is not one of its things."""
    kinds = cast("tuple[type, ...]", (kind, *others))
    if not isinstance(value, kinds):
        wanted = " or ".join(each.__name__ for each in kinds)
        refuse(owner, f"{name}={shown(value)} is not {'an' if wanted[0] in 'AEIOU' else 'a'} {wanted}.", remedy)
    return cast(Kind, value)


def mapping(owner: str, name: str, value: object, remedy: str) -> Mapping[str, Any]:
    """Names and what they stand for; None stands for none."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        refuse(owner, f"{name}={shown(value)} is not a dict.", remedy)
    for key in value:
        if not isinstance(key, str):
            refuse(owner, f"{name} has the key {shown(key)}, which is not a name.", remedy)
    return value


def function(owner: str, name: str, value: object, remedy: str) -> Callable[..., Any]:
    """Something that can be called, and is not a class."""
    if not callable(value) or isinstance(value, type):
        refuse(owner, f"{name}={shown(value)} is not a function.", remedy)
    return cast("Callable[..., Any]", value)


def fits_in_memory(owner: str, what: str, count: float, remedy: str) -> None:
    """Refuse so many numbers of 8 bytes that would take more than a quarter of this machine's memory, beforehand."""
    wanted, there = 8.0 * count, memory() / 4
    if not wanted <= there:
        refuse(owner, f"{what} would take {wanted:.3g} bytes; it may take {there:.3g}, a quarter of memory.", remedy)


def ticks_of(owner: str, name: str, duration: object, period: float, columns: int = 1) -> int:
    """How many ticks of a period make a duration [s]; at least one, and so many that `columns` numbers of each fit."""
    remedy = "Give how long it runs in seconds, such as 1.0; every= and record= keep less of a long run."
    count = positive(owner, name, duration, "s", remedy) / period
    subject = f"{name}={duration} s at period={period:g} s is {count:.3g} ticks; their record"
    fits_in_memory(owner, subject, count * columns, remedy)
    return max(1, round(count))


def just_above(value: float, digits: int = 4) -> str:
    """The value rounded up to so many digits: a bound that holds as printed."""
    return _rounded(value, digits, math.ceil)


def just_below(value: float, digits: int = 4) -> str:
    """The value rounded down to so many digits."""
    return _rounded(value, digits, math.floor)


def _rounded(value: float, digits: int, rounding: Callable[[float], int]) -> str:
    if value == 0.0 or not math.isfinite(value):
        return f"{value:g}"
    unit = 10.0 ** (math.floor(math.log10(abs(value))) + 1 - digits)
    return f"{rounding(value / unit) * unit:.{digits}g}"


def period_of(owner: str, period: object) -> float:
    """A sampling period > 0 [s], between a femtosecond and a thousand million seconds: others are slips of the hand."""
    remedy = "Give the length of a tick in seconds, such as period=1e-3."
    result = positive(owner, "period", period, "s", remedy)
    if not SHORTEST <= result <= LONGEST:
        refuse(owner, f"period={result} s leaves the range of numbers, {SHORTEST:g} to {LONGEST:g} s.", remedy)
    return result


def numbers(owner: str, name: str, value: ArrayLike, remedy: str = "Give one number a direction.") -> Array:
    """Numbers as an array of one dimension or more, or an error of our own."""
    try:
        return np.atleast_1d(reals(value))
    except (TypeError, ValueError, OverflowError, MemoryError) as error:
        raise InputError(f"{owner}: {name}={shown(value)} is not made of numbers ({error}).\n  {remedy}") from error


def array(owner: str, name: str, value: ArrayLike, unit: str, remedy: str = "") -> Array:
    """Numbers as a C-contiguous float64 array of any shape, or an error of our own."""
    try:
        return reals(value)
    except (TypeError, ValueError, OverflowError, MemoryError) as error:
        remedy = remedy or f"Give numbers{_in(unit)}."
        raise InputError(f"{owner}: {name} is not an array of numbers ({error}).\n  {remedy}") from error


def finite_array(owner: str, name: str, value: ArrayLike, unit: str, last: int | None = None) -> Array:
    """Finite numbers of any shape, or with so many along the last axis."""
    given = array(owner, name, value, unit)
    if last is not None and (given.ndim == 0 or given.shape[-1] != last):
        refuse(owner, f"{name} has shape {given.shape}.", f"Give {last} numbers{_in(unit)} along the last axis.")
    _in_range(owner, name, given, unit)
    return given


def vector(owner: str, name: str, value: ArrayLike, unit: str, size: int) -> Array:
    """So many finite numbers; one alone may come without brackets."""
    given = array(owner, name, value, unit, f"Give {size} numbers{_in(unit)}.")
    given = given.reshape(1) if given.ndim == 0 else given
    if given.shape != (size,):
        refuse(owner, f"{name} has shape {given.shape}.", f"Give {size} numbers{_in(unit)}.")
    _in_range(owner, name, given, unit)
    return given


def _in_range(owner: str, name: str, given: Array, unit: str) -> None:
    """Finite, and as small as a number alone has to be; records of a run may be larger, and are told when they were."""
    finite(owner, name, given, unit)
    if given.size and float(np.abs(given).max()) > LARGEST:
        refuse(owner, f"{name} has values larger than {LARGEST:g}.", f"Give numbers{_in(unit)} of a real machine.")


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
        problem = f"{name} has shape {np.shape(value)}, but the block has dimension={dimension}."
        refuse(owner, problem, f"Give shape {wanted}, in {unit}.")
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
    if not is_finite(record):
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(record))[0])
        spot = ", ".join(map(str, where))
        problem = f"{name}{f'[{spot}]' if spot else ''}={record[where]} {unit}".rstrip() + " is not finite."
        remedy = "Repair the record first: interpolate the gap, or cut it there."
        refuse(owner, problem, remedy if record.size > _FEW else "Give finite numbers.")


def is_finite(record: Array) -> bool:
    """Whether every value is finite."""
    with np.errstate(over="ignore", invalid="ignore"):  # one quick pass; only a sum that is not needs the search
        return bool(np.isfinite(record.sum()) or np.isfinite(record).all())


def values(owner: str, name: str, value: Any, unit: str, remedy: str, least: float = 0.0) -> Array:
    """One or several finite numbers, each >= least, as a 1-D array."""
    result = numbers(owner, name, value, remedy)
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
        refuse(owner, f"path={shown(path)} is not a path.", "Give the name of a file.")
    return Path(path)


def read_bounded(path: str | os.PathLike[str], most: int, remedy: str) -> bytes:
    """All of a file that has no more than so many bytes; a device never ends, and would fill the memory."""
    with open(path, "rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise FileError(f"Cannot read {path}: it has more than {most} bytes.\n  {remedy}")
    return content


def target_of(path: str | os.PathLike[str]) -> Path:
    """Where a file will really be written, links followed; refused if it cannot be."""
    place = Path()
    try:
        place = Path(os.path.realpath(path))
        if not place.parent.is_dir():
            raise FileError(f"Cannot write {path}: the folder {place.parent} does not exist.\n  Create it first.")
        there = os.stat(place)
    except FileNotFoundError:
        there = None
    except TypeError as error:
        raise InputError(f"Cannot write path={shown(path)}: it is not a path.\n  Give the name of a file.") from error
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
