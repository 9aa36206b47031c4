"""What a run returns: named NumPy arrays with units. Files, tables and figures of them are made when asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import written_whole
from tegotae.errors import FileError, InputError
from tegotae.extras import FIGURES, NETCDF, require

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)  # arrays have no single answer to ==
class Variable:
    """One recorded quantity: its dimensions, values, unit and meaning.

    Example:
        >>> import numpy as np
        >>> Variable(("time",), np.zeros(3), "N", "force on the mover").unit
        'N'
    """

    dims: tuple[str, ...]
    values: NDArray[Any]
    unit: str
    meaning: str = ""


class Event(NamedTuple):
    """Something that happened at one moment of a run.

    Args:
        time: when [s].
        element: the name of what changed.
        kind: what it did, such as "touch", "release", "stick" or "slip".

    Example:
        >>> Event(0.14, "floor", "touch").kind
        'touch'
    """

    time: float
    element: str
    kind: str


class Result(Mapping[str, NDArray[Any]]):
    """What a run returns. `result.force` and `result["force"]` are plain arrays.

    Time is the end of each tick [s]; units stand in `result.variables["force"].unit`.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> brake = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0))
        >>> result = brake.run(np.full(10, 0.1), period=1e-3)
        >>> sorted(result)
        ['deflection', 'force', 'friction', 'slip_velocity', 'time', 'velocity']
        >>> result.variables["force"].unit
        'N'
    """

    def __init__(self, variables: Mapping[str, Variable], *, title: str, about: Mapping[str, Any] | None = None):
        self.variables = dict(variables)
        self.title = title
        self.about = dict(about or {})

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.variables:
            raise KeyError(self._missing(name))
        return self.variables[name].values

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def __getattr__(self, name: str) -> NDArray[Any]:
        variables: dict[str, Variable] = self.__dict__.get("variables", {})
        if name in variables:
            return variables[name].values
        raise AttributeError(self._missing(name))

    def _missing(self, name: str) -> str:
        way = "; ask the run for them with events=True" if name == "events" else ""
        return f"this result has no {name!r}; it recorded {', '.join(self.__dict__.get('variables', {}))}{way}"

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.variables]

    def __repr__(self) -> str:
        shape = " x ".join(f"{n} {d}" for d, n in self.sizes.items())
        rows = [f"  {name} [{v.unit or '-'}] {v.meaning}".rstrip() for name, v in self.variables.items()]
        return "\n".join([f"Result of {self.title}: {shape}", *rows])

    @property
    def sizes(self) -> dict[str, int]:
        """How long each dimension is, such as `{"time": 1000}`."""
        return {d: n for v in self.variables.values() for d, n in zip(v.dims, v.values.shape, strict=True)}

    def with_events(self, events: Iterable[Event]) -> Result:
        """The same result with a table of events, kept and exported with it.

        Example:
            >>> import numpy as np
            >>> run = Result({"time": Variable(("time",), np.zeros(1), "s")}, title="drop")
            >>> run.with_events([Event(0.14, "floor", "touch")]).events
            [Event(time=0.14, element='floor', kind='touch')]
        """
        table = list(events)
        columns = {
            "event_time": Variable(("event",), np.array([e.time for e in table], dtype=np.float64), "s", "when"),
            "event_element": Variable(("event",), np.array([e.element for e in table], dtype=np.str_), "", "who"),
            "event_kind": Variable(("event",), np.array([e.kind for e in table], dtype=np.str_), "", "what"),
        }
        return Result({**self.variables, **columns}, title=self.title, about=self.about)

    @property
    def events(self) -> list[Event]:
        """What happened when, if the run located events."""
        if "event_time" not in self.variables:
            return self.__getattr__("events")  # type: ignore[return-value]  # says what there is instead
        columns = (self["event_time"], self["event_element"], self["event_kind"])
        return [Event(float(t), str(who), str(what)) for t, who, what in zip(*columns, strict=True)]

    @cached_property
    def dataset(self) -> xarray.Dataset:
        """The same arrays as an xarray.Dataset (extra `netcdf`), units in the attributes; no copy is made."""
        require("Result.dataset", "xarray")
        import xarray

        content = {
            name: (v.dims, v.values, {"units": v.unit, "long_name": v.meaning}) for name, v in self.variables.items()
        }
        coordinates = {name: content.pop(name) for name in ("time",) if name in content}
        return xarray.Dataset(content, coords=coordinates, attrs={"title": self.title, **self.about})

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write netCDF (extra `netcdf`; readable by every netCDF-4 tool) and return its path; all or nothing."""
        require("Result.save", *NETCDF)
        with written_whole(path) as beside:
            self.dataset.to_netcdf(beside, engine="h5netcdf")
        return Path(path)

    def to_parquet(self, path: str | os.PathLike[str]) -> Path:
        """Write Parquet (extra `parquet`): one row a tick (and batch member), one column a quantity and axis."""
        require("Result.to_parquet", "polars")
        import polars

        sizes = self.sizes
        rows = [d for d in ("batch", "time") if d in sizes]
        shape = tuple(sizes[d] for d in rows)
        columns: dict[str, NDArray[Any]] = {}
        if "batch" in rows:
            columns["batch"] = np.repeat(np.arange(shape[0]), int(np.prod(shape[1:])))
        for name, v in self.variables.items():
            own = tuple(d for d in v.dims if d in rows)
            spread = [d for d in v.dims if d not in rows]
            if not own:
                continue
            values = np.expand_dims(v.values, tuple(i for i, d in enumerate(rows) if d not in own))
            values = np.broadcast_to(values, shape + values.shape[len(rows) :])
            if not spread:
                columns[name] = values.ravel()
            else:
                flat = values.reshape(int(np.prod(shape)), -1)
                for i in range(flat.shape[1]):
                    columns[f"{name}_{i}"] = flat[:, i]
        with written_whole(path) as beside:
            polars.DataFrame(columns).write_parquet(beside)
        return Path(path)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """A figure of the run (extra `plot`): what went in, what came out, and their loop. Saved if a path is given."""
        require("Result.plot", *FIGURES)
        from tegotae import figures

        figure = figures.of_result(self)
        if path is not None:
            figures.save(figure, path)
        return figure


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result that `save` wrote (extra `netcdf`).

    Example:
        >>> import numpy as np, tegotae as tg, tempfile, os
        >>> folder = tempfile.mkdtemp()
        >>> slider = tg.FrictionAdmittance(mass=1.0, law=tg.Coulomb(4.0))
        >>> file = slider.run(np.full(10, 5.0), period=1e-3).save(os.path.join(folder, "run.nc"))
        >>> round(float(tg.load(file).velocity[-1]), 6)
        0.01
    """
    file = Path(path)
    if not file.is_file():
        raise FileError(
            f"Cannot load {file}: there is no such file.\n  Check the path; `save` returns the one it wrote."
        )
    require("tegotae.load", *NETCDF)
    import xarray

    try:
        with xarray.open_dataset(file, engine="h5netcdf") as opened:
            data = opened.load()
    except Exception as error:
        # xarray and HDF5 raise many kinds of errors for a damaged file; the cause stays attached.
        raise FileError(
            f"Cannot load {file}: it is not a readable netCDF file ({error}).\n"
            "  If the writing program was interrupted, run it again."
        ) from error
    if "time" not in data.coords:
        raise InputError(f"load: {file} holds no 'time'.\n  Load files that a Result's `save` wrote.")
    attributes = dict(data.attrs)
    title = str(attributes.pop("title", file.stem))
    variables = {
        str(name): Variable(
            tuple(str(d) for d in v.dims),
            v.values,
            str(v.attrs.get("units", "")),
            str(v.attrs.get("long_name", "")),
        )
        for name, v in data.variables.items()
    }
    return Result(variables, title=title, about=attributes)
