"""Columns of numbers from a text file, as spreadsheets and loggers write them, converted to SI by their header.

Separators may be commas, semicolons or tabs, decimals may have a point or a comma, names may carry a unit in brackets.
What is not understood is refused by name: a number in the wrong unit looks like any other number.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import FileError

_LENGTHS = {"m": 1.0, "dm": 1e-1, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "nm": 1e-9, "km": 1e3, "metre": 1.0, "meter": 1.0}
_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0, "sec": 1.0, "second": 1.0}
_FORCES = {"N": 1.0, "mN": 1e-3, "uN": 1e-6, "kN": 1e3, "MN": 1e6, "cN": 1e-2, "newton": 1.0}
_SPEEDS = {f"{length}/{time}": m / s for length, m in _LENGTHS.items() for time, s in _TIMES.items()}
_UNITS: Mapping[str, Mapping[str, float]] = {"s": _TIMES, "m": _LENGTHS, "m/s": _SPEEDS, "N": _FORCES}
_COMMON = {"s": "s, ms, us, ns, min", "m": "m, cm, mm, um, nm", "m/s": "m/s, cm/s, mm/s, um/s", "N": "N, mN, kN"}


@dataclass(frozen=True)
class Columns:
    """What a file holds.

    Args:
        file: its path.
        values: bare name in small letters -> numbers as written, NaN where a cell is none.
        units: bare name -> what stood in brackets behind it, "" for nothing.
    """

    file: Path
    values: dict[str, Array]
    units: dict[str, str]

    def has(self, name: str) -> bool:
        """Whether a quantity is there, in one column or one a direction."""
        return bool(self._matching(name))

    def pick(self, name: str, unit: str, remedy: str) -> Array:
        """The column(s) of a quantity in an SI unit, shape (ticks, directions); every cell a finite number."""
        found = self._matching(name)
        if not found:
            there = ", ".join(self.values)
            checks.refuse("load_record", f"{self.file} has no column {name!r}; its columns are {there}.", remedy)
        picked = np.stack([self.values[c] * self._factor(c, unit) for c in found], axis=1)
        if not np.isfinite(picked).all():
            row, column = (int(i) for i in np.argwhere(~np.isfinite(picked))[0])
            problem = f"column {found[column]!r} of {self.file} has no finite number in row {row + 1}."
            checks.refuse("load_record", problem, "Repair the record first: interpolate the gap, or cut it there.")
        return picked

    def _matching(self, name: str) -> list[str]:
        bare = name.strip().lower()
        if bare in self.values:
            return [bare]
        numbered = (c for c in self.values if re.fullmatch(re.escape(bare) + r"_\d+", c))
        return sorted(numbered, key=lambda c: int(c.rsplit("_", 1)[1]))

    def _factor(self, column: str, unit: str) -> float:
        """From the unit of the header to SI; a header without one means SI."""
        written = self.units[column]
        plain = written.replace("\u00b5", "u").replace("\u03bc", "u")  # micro, and the Greek letter
        plain = re.sub(r"[\s·*.]+(ms|us|ns|s)\s*(\^|\*\*)?\s*(-1|⁻¹)$", r"/\1", plain)
        plain = re.sub(r"\s*/\s*", "/", plain)
        factors = _UNITS[unit]
        if not plain:
            return 1.0
        if plain not in factors and plain.lower().rstrip("s") in ("second", "newton", "metre", "meter"):
            plain = plain.lower().rstrip("s")
        if plain not in factors:
            problem = f"column {column!r} of {self.file} is in [{written}], which is not understood as {unit}."
            checks.refuse("load_record", problem, f"Convert it to {unit}; known here are {_COMMON[unit]}.")
        return factors[plain]


def read_columns(file: Path) -> Columns:
    """Every column of a file whose first line names them."""
    try:
        there = file.is_file()
    except (OSError, ValueError) as error:  # a name too long, a NUL inside
        _refuse(f"{str(file)[:80]!r} cannot be a file.", "Check the path.", error)
    if not there:
        _refuse(f"there is no file {str(file)[:200]}.", "Check the path.")
    lines = [line for line in _text(file).splitlines() if line.strip() and not line.lstrip().startswith("#")]
    separator, lines = _separator(file, lines)
    try:
        rows = [row for row in csv.reader(lines, delimiter=separator, strict=True) if row]
    except csv.Error as error:
        _refuse(f"{file} is not a CSV text file ({error}).", "Export it as CSV first.", error)
    if len(rows) < 2:
        _refuse(f"{file} has no rows of data.", "Its first line names the columns, ticks follow.")
    names, units = _header(file, rows[0])
    table = _numbers(file, rows[1:], len(names), separator)
    return Columns(
        file,
        {name: table[:, j] for j, name in enumerate(names) if name},
        {name: unit for name, unit in zip(names, units, strict=True) if name},
    )


def _refuse(problem: str, remedy: str, cause: Exception | None = None) -> NoReturn:
    raise FileError(f"load_record: {problem}\n  {remedy}") from cause


def _text(file: Path) -> str:
    try:
        raw = file.read_bytes()
    except OSError as error:
        _refuse(f"cannot read {file} ({error.strerror}).", "Check who may read it.", error)
    wide = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))  # as spreadsheets write "Unicode text"
    try:
        text = raw.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        _refuse(f"{file} is not a CSV text file in UTF-8 ({error}).", "Export it as CSV in UTF-8 first.", error)
    if "\0" in text:
        _refuse(f"{file} is not a CSV text file; it has zero bytes.", "Export it as CSV first.")
    return text


def _separator(file: Path, lines: list[str]) -> tuple[str, list[str]]:
    """What stands between the names of the first line, outside their brackets."""
    if lines and (declared := re.fullmatch(r"sep=(.)\s*", lines[0])):
        if declared[1] not in ",;\t":
            _refuse_separator(file, declared[1])
        return declared[1], lines[1:]
    bare = re.sub(r'\[[^\]]*\]|\([^)]*\)|"[^"]*"', "", lines[0]) if lines else ""
    for mark in (";", "\t", ","):
        if mark in bare:
            return mark, lines
    if "|" in bare:
        _refuse_separator(file, "|")
    if len(lines) > 1 and len(lines[1].split()) > 1 and "," not in lines[1]:
        _refuse_separator(file, " ")
    return ",", lines


def _refuse_separator(file: Path, mark: str) -> NoReturn:
    _refuse(f"the columns of {file} are separated by {mark!r}.", "Separate them by ',' or ';' or a tab.")


def _header(file: Path, cells: list[str]) -> tuple[list[str], list[str]]:
    """Names and units."""
    if all(_number(cell) is not None for cell in cells):
        remedy = "Add a line such as time,velocity,force; a line that starts with # is a remark."
        _refuse(f"the first line of {file} holds numbers, not names.", remedy)
    names, units = [], []
    for cell in cells:
        found = re.fullmatch(r"([^\[(]*)(?:[\[(]([^\])]*)[\])]?.*)?", cell.strip(), re.DOTALL)
        name, unit = (found[1], found[2] or "") if found else (cell, "")
        names.append(name.strip().lower())
        units.append(unit.strip())
    for name in names:
        if name and names.count(name) > 1:
            remedy = "Rename all but one, or number directions as in force_0, force_1."
            _refuse(f"{file} has {names.count(name)} columns named {name!r}.", remedy)
    return names, units


def _numbers(file: Path, rows: list[list[str]], width: int, separator: str) -> Array:
    """The table; decimal commas are read where they cannot be mistaken."""
    commas = any("," in cell for row in rows for cell in row)
    if commas and any("." in cell for row in rows for cell in row):
        remedy = "Use one decimal mark throughout and no thousands separators."
        _refuse(f"{file} writes numbers with points and with commas.", remedy)
    table = np.full((len(rows), width), np.nan)
    for i, row in enumerate(rows):
        if len(row) != width:
            remedy = "Repair the file: every row needs every column."
            if separator == "," and len(row) > width:
                remedy = "If its numbers have decimal commas, separate the columns by ';' instead."
            problem = f"row {i + 1} of {file} has {len(row)} cells, its header {width}, separated by {separator!r}."
            _refuse(problem, remedy)
        for j, cell in enumerate(row):
            value = _number(cell.replace(",", ".") if commas else cell)
            if value is not None:
                table[i, j] = value
    return table


def _number(cell: str) -> float | None:
    if "_" in cell:  # Python would read 1_000
        return None
    try:
        return float(cell)
    except ValueError:
        return None
