"""Packages that only parts of tegotae need: looked for before the work begins, and named where they are missing."""

from __future__ import annotations

from importlib.util import find_spec
from typing import NamedTuple

from tegotae.errors import MissingExtraError


class Source(NamedTuple):
    """Where an optional module comes from: the package as `pip` knows it, and the extra of tegotae that brings it."""

    package: str
    extra: str


# Module -> where it comes from, as in pyproject.toml.
SOURCES = {
    "numba": Source("numba", "numba"),
    "ziglang": Source("ziglang", "compiler"),
    "sympy": Source("sympy", "inclusion"),
    "matplotlib": Source("matplotlib", "plot"),
    "PIL": Source("pillow", "plot"),
    "xarray": Source("xarray", "netcdf"),
    "h5netcdf": Source("h5netcdf", "netcdf"),
    "h5py": Source("h5py", "netcdf"),
    "pandas": Source("pandas", "pandas"),
    "polars": Source("polars", "parquet"),
    "yourdfpy": Source("yourdfpy", "robots"),
    "zenoh": Source("eclipse-zenoh", "hybrid"),
    "mcap": Source("mcap", "hybrid"),
    "viser": Source("viser", "hybrid"),
    "sksundae": Source("scikit-sundae", "cvode"),
}

NETCDF = ("xarray", "h5netcdf", "h5py")  # what a netCDF file takes
FIGURES = ("matplotlib", "PIL")  # what a figure or a film takes


def require(what: str, *modules: str, instead: str = "") -> None:
    """Refuse what cannot be done here, before any of it is done; whoever calls this imports the modules afterwards.

    Args:
        what: what needs them, as the subject of a sentence.
        modules: it cannot do without, of those in `SOURCES`.
        instead: what can be done without them.

    Example:
        >>> require("Result.to_pandas", "pandas")
    """
    missing = [SOURCES[module] for module in modules if find_spec(module) is None]
    if not missing:
        return
    *others, last = (source.package for source in missing)
    extras = ",".join(dict.fromkeys(source.extra for source in missing))
    named, are = (f"{', '.join(others)} and {last}", "are") if others else (last, "is")
    raise MissingExtraError(
        f"{what} needs {named}, which {are} not installed.\n"
        f"  pip install 'tegotae[{extras}]'{f', or {instead}.' if instead else ''}"
    )
