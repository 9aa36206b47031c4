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

from tegotae import checks
from tegotae.errors import FileError
from tegotae.extras import FIGURES, require
from tegotae.on_demand import service

if TYPE_CHECKING:
    import pandas
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
        self.variables: dict[str, Variable] = dict(
            checks.mapping("Result", "variables", variables, "Give a dict of Variables by name.")
        )
        for name, variable in self.variables.items():
            checks.instance("Result", f"variables[{name!r}]", variable, Variable, "Give a Variable(...).")
            if "\0" in name:  # where some kinds of files end a name
                checks.refuse("Result", f"variables has the name {name!r}.", "Use a plain word, such as 'force'.")
        self.title = checks.text("Result", "title", title, "Give a few words.")
        self.about = dict(checks.mapping("Result", "about", about, "Give a dict, or None."))

    def __getitem__(self, name: str) -> NDArray[Any]:
        if not isinstance(name, str) or name not in self.variables:
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
        remedy = "; ask the run for them with events=True" if isinstance(name, str) and name == "events" else ""
        recorded = ", ".join(self.__dict__.get("variables", {}))
        return f"this result has no {checks.shown(name)}; it recorded {recorded}{remedy}"

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.variables]

    def __repr__(self) -> str:
        shape = " x ".join(f"{n} {d}" for d, n in self.sizes.items())
        labels = {name: f"{name} [{v.unit}]" if v.unit else name for name, v in self.variables.items()}
        rows = [f"  {labels[name]} {v.meaning}".rstrip() for name, v in self.variables.items()]
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
        table = checks.several("Result", "events", events, Event, "Give a list of Event(time, element, kind).")
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
        """Write a file, all or nothing, and return its path. Its suffix says how.

        `.nc` (netCDF, extra `netcdf`) and `.mat` (MATLAB) hold all, and `tegotae.load` reads them back. `.csv` and
        `.parquet` (extra `parquet`) are tables: one row a tick (and batch member), one column a quantity, numbered
        where it has several numbers a tick; the header of a `.csv` has the units.

        Example:
            >>> import numpy as np, os, tempfile, tegotae as tg
            >>> run = tg.Mass(mass=2.0).run(np.full(2, 4.0), period=0.5)
            >>> print(run.save(os.path.join(tempfile.mkdtemp(), "run.csv")).read_text().splitlines()[0])
            time [s],force [N],velocity [m/s],position [m]
        """
        from tegotae import result_files

        target = checks.path_of("Result.save", path)
        kind = result_files.format_of(target)
        require("Result.save", *kind.needs)
        with checks.written_whole(path) as beside:
            result_files.write(kind, self, beside)
        return target

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas.DataFrame (extra `pandas`): a row a tick, the columns of a `.csv`; units in `frame.attrs["units"]`.

        Example:
            >>> import numpy as np, tegotae as tg
            >>> frame = tg.Mass(mass=2.0).run(np.full(2, 4.0), period=0.5).to_pandas()
            >>> float(frame.velocity.iloc[-1]), frame.attrs["units"]["velocity"]
            (2.0, 'm/s')
        """
        require("Result.to_pandas", "pandas")
        import pandas

        from tegotae import result_files

        table = result_files.table_with_warning(self, 3)
        frame = pandas.DataFrame(table.columns)
        frame.attrs |= {"title": self.title, "units": table.units}
        return frame

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """A figure of the run (extra `plot`): what went in, what came out, and their loop. Saved if a path is given."""
        require("Result.plot", *FIGURES)
        figure: Figure = service("figure of a result")(self)
        if path is not None:
            service("save a figure")(figure, path)
        return figure


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result that `save` wrote as `.nc` (extra `netcdf`) or `.mat`; tables hold only a part of one.

    Example:
        >>> import numpy as np, tegotae as tg, tempfile, os
        >>> folder = tempfile.mkdtemp()
        >>> slider = tg.FrictionAdmittance(mass=1.0, law=tg.Coulomb(4.0))
        >>> file = slider.run(np.full(10, 5.0), period=1e-3).save(os.path.join(folder, "run.mat"))
        >>> round(float(tg.load(file).velocity[-1]), 6)
        0.01
    """
    from tegotae import result_files

    file = checks.path_of("load", path)
    try:
        there = file.is_file()
    except OSError as error:  # a name too long, a folder that may not be entered
        raise FileError(f"Cannot load {file!s:.80}: {error.strerror}.\n  Choose another file.") from error
    if not there:
        problem = "it is a folder" if file.is_dir() else "there is no such file"
        raise FileError(f"Cannot load {file}: {problem}.\n  Check the path; `save` returns the one it wrote.")
    variables, title, about = result_files.read(file)
    return Result({name: Variable(*parts) for name, parts in variables.items()}, title=title, about=about)
