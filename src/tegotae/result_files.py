"""A result as a file. The suffix says the format; what a format cannot hold is told when it is left out.

`.nc` (netCDF) and `.mat` (MATLAB) hold all of a result, and `tegotae.load` reads them back. `.csv` and `.parquet` are
tables for other programs: one row a tick (and batch member), one column a quantity, numbered where it has several
numbers a tick (`force_0`, `force_1`; `position_3_1` for axis 1 of node 3).
"""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.errors import FileError, InputError, LeftOutWarning, TegotaeError
from tegotae.extras import NETCDF, require

if TYPE_CHECKING:
    from tegotae.result import Result

_CARD = "tegotae"  # the variable of a .mat file that describes the others


# What a file held: name -> (dimensions, values, unit, meaning), the title, and what stood beside them.
Content = tuple[dict[str, tuple[tuple[str, ...], NDArray[Any], str, str]], str, dict[str, Any]]


class RowTable(NamedTuple):
    """A result row by row: column -> values, column -> unit, and the names of what has no row a tick."""

    columns: dict[str, NDArray[Any]]
    units: dict[str, str]
    left_out: list[str]


class Format(NamedTuple):
    """One kind of file: its name in words, the modules it takes, and what writes and reads it.

    Tables are not read: they hold only a part of a result.
    """

    what: str
    needs: tuple[str, ...]
    write: Callable[[Result, Path], None]
    read: Callable[[Path], Content] | None


def format_of(path: Path) -> Format:
    """By the suffix, in small or capital letters."""
    if path.suffix.lower() not in FORMATS:
        known = ", ".join(f"{suffix} ({kind.what})" for suffix, kind in FORMATS.items())
        got = f"the suffix {path.suffix!r} means nothing" if path.suffix else "it has no suffix"
        checks.refuse("Result", f"path={str(path)!r:.80}: {got}.", f"Name it {known}.")
    return FORMATS[path.suffix.lower()]


def table_of(result: Result) -> RowTable:
    """One row a tick (and batch member), one column a number; left out is what has no ticks, such as events."""
    sizes = result.sizes
    rows = [dim for dim in ("batch", "time") if dim in sizes]
    shape = tuple(sizes[dim] for dim in rows)
    table = RowTable({}, {}, [])
    if "batch" in rows:
        table.columns["batch"] = np.repeat(np.arange(shape[0]), int(np.prod(shape[1:])))
    for name, variable in result.variables.items():
        axes = [dim for dim in rows if dim in variable.dims]
        if not axes:
            table.left_out.append(name)
            continue
        spread = [dim for dim in variable.dims if dim not in rows]
        values = np.transpose(variable.values, [variable.dims.index(dim) for dim in (*axes, *spread)])
        values = np.expand_dims(values, tuple(i for i, dim in enumerate(rows) if dim not in axes))
        values = np.broadcast_to(values, shape + values.shape[len(rows) :])
        for place in np.ndindex(values.shape[len(rows) :]):
            column = "_".join([name, *map(str, place)])
            if column in table.columns:
                problem = f"two quantities would be called {column!r}."
                checks.refuse("table", problem, "Save it as .nc or .mat: there they differ.")
            table.columns[column] = values[(..., *place)].ravel()
            table.units[column] = variable.unit
    return table


def table_with_warning(result: Result, stacklevel: int) -> RowTable:
    """The table, with a warning where it is not the whole result."""
    table = table_of(result)
    if table.left_out:
        warnings.warn(
            f"{', '.join(table.left_out)} did not fit into the table, which has one row a tick; .nc and .mat hold all.",
            LeftOutWarning,
            stacklevel=stacklevel,
        )
    return table


# ------------------------------------------------------------ tables


def _write_csv(result: Result, path: Path) -> None:
    """Numbers are written so that they are read back as they were; units stand behind the names."""
    table = table_with_warning(result, 4)
    named = [f"{name} [{table.units[name]}]" if table.units.get(name) else name for name in table.columns]
    # Yes and no as 1 and 0, which every reader takes for numbers.
    plain = [column.astype(np.int64) if column.dtype == bool else column for column in table.columns.values()]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(named)
        writer.writerows(zip(*(column.tolist() for column in plain), strict=True))


def _write_parquet(result: Result, path: Path) -> None:
    import polars

    made = io.BytesIO()  # what a disk refuses is then told by the system, not by polars
    polars.DataFrame(table_with_warning(result, 4).columns).write_parquet(made)
    path.write_bytes(made.getvalue())


# ------------------------------------------------------------ netCDF


def _write_netcdf(result: Result, path: Path) -> None:
    # Made in memory: on a full disk HDF5 leaves a file open that it cannot close, and crashes when the program ends.
    path.write_bytes(result.dataset.to_netcdf(engine="h5netcdf"))


def _read_netcdf(path: Path) -> Content:
    import xarray

    with xarray.open_dataset(path, engine="h5netcdf") as opened:
        data = opened.load()
    about = {str(name): value for name, value in data.attrs.items()}
    variables = {}
    for name, v in data.variables.items():
        unit, meaning = (str(v.attrs.get(key, "")) for key in ("units", "long_name"))
        variables[str(name)] = (tuple(str(dim) for dim in v.dims), v.values, unit, meaning)
    return variables, str(about.pop("title", path.stem)), about


# ------------------------------------------------------------ MATLAB


def _write_mat(result: Result, path: Path) -> None:
    """Every variable under a name that MATLAB allows, and a struct that tells names, dimensions, units and meanings."""
    from scipy.io import savemat
    from scipy.io.matlab import MatWriteError

    keys = dict(zip(result.variables, _matlab_names(result.variables), strict=True))
    cards = np.empty(
        len(keys), dtype=[(n, object) for n in ("name", "key", "dims", "unit", "meaning", "shape", "kind")]
    )
    content: dict[str, Any] = {}
    for i, (name, v) in enumerate(result.variables.items()):
        kind = "text" if v.values.dtype.kind in "UO" else v.values.dtype.str
        cards[i] = (name, keys[name], ",".join(v.dims), v.unit, v.meaning, np.array(v.values.shape), kind)
        content[keys[name]] = v.values.astype(object) if kind == "text" else v.values
    about = json.dumps(result.about, default=lambda value: np.asarray(value).tolist())
    content[_CARD] = {"title": result.title, "about": about, "variables": cards}
    try:
        savemat(path, content, appendmat=False, oned_as="column", do_compression=True)
    except MatWriteError as error:
        raise FileError(
            f"Cannot write it as MATLAB ({error}).\n  Save it as .nc, or record less (every=...)."
        ) from error


def _matlab_names(names: Iterable[str]) -> list[str]:
    """Letters, digits and underscores, at most 63, none twice."""
    taken = [_CARD]
    for name in names:
        bare = re.sub(r"[^A-Za-z0-9_]", "_", name)[:56]
        bare = bare if re.match("[A-Za-z]", bare) else f"x{bare}"
        numbered = (f"{bare}_{i}" if i else bare for i in range(len(taken) + 1))
        taken.append(next(key for key in numbered if key not in taken))
    return taken[1:]


def _read_mat(path: Path) -> Content:
    from scipy.io import loadmat

    data = loadmat(path, appendmat=False, squeeze_me=True)
    if _CARD not in data:
        raise InputError(f"load: {path} holds no result.\n  Load files that a Result's `save` wrote.")
    head = data[_CARD]
    variables = {}
    for card in np.atleast_1d(head["variables"].item()):
        kind, shape = str(card["kind"]), tuple(np.atleast_1d(card["shape"]).astype(int).tolist())
        values = np.asarray(data[str(card["key"])])
        if kind == "text":
            words = [_word(word) for word in values.ravel()] or [""] * int(np.prod(shape))
            values = np.array(words, dtype=np.str_)
        else:
            values = values.astype(kind)
        dims = tuple(_word(card["dims"]).split(",")) if len(shape) else ()
        variables[_word(card["name"])] = (dims, values.reshape(shape), _word(card["unit"]), _word(card["meaning"]))
    return variables, _word(head["title"].item()), json.loads(_word(head["about"].item()))


def _word(value: Any) -> str:
    """An empty text comes back as an empty array."""
    return str(value) if np.size(value) else ""


FORMATS: dict[str, Format] = {
    ".nc": Format("netCDF", NETCDF, _write_netcdf, _read_netcdf),
    ".csv": Format("a table as text", (), _write_csv, None),
    ".parquet": Format("a table", ("polars",), _write_parquet, None),
    ".mat": Format("MATLAB", (), _write_mat, _read_mat),
}


def write(kind: Format, result: Result, path: Path) -> None:
    """The file, or an error that says what this kind of file cannot hold."""
    try:
        kind.write(result, path)
    except (TegotaeError, OSError, MemoryError):
        raise
    except Exception as error:
        # The writers raise many kinds of errors for names and values that they do not know; the cause stays attached.
        raise InputError(
            f"Result: {kind.what} does not hold all of it ({error}).\n"
            "  Use plain words for names, and numbers, texts or lists of them for values."
        ) from error


def read(path: Path) -> Content:
    """What `save` wrote, if it is a kind that holds all of a result."""
    kind = format_of(path)
    if kind.read is None:
        whole = ", ".join(suffix for suffix, each in FORMATS.items() if each.read is not None)
        remedy = f"Load {whole}; tables are read by pandas, polars, csv or tegotae.load_record."
        checks.refuse("load", f"{path} is a table, which holds only a part of a result.", remedy)
    require("tegotae.load", *kind.needs)
    try:
        content = kind.read(path)
    except InputError:
        raise
    except Exception as error:
        # The readers raise many kinds of errors for a damaged file; the cause stays attached.
        raise FileError(
            f"Cannot load {path}: it is not a readable {kind.what} file ({error}).\n"
            "  If the writing program was interrupted, run it again."
        ) from error
    if "time" not in content[0]:
        raise InputError(f"load: {path} holds no 'time'.\n  Load files that a Result's `save` wrote.")
    return content
