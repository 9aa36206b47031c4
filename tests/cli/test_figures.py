"""Figures: every kind of result gets one, units stand on the axes, files are whole."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tegotae as tg
from tegotae import figures
from tegotae.result import Result, Variable

T = 1e-3
TIME = T * np.arange(400)
ELEMENT = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
PLANE = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0), dimension=2)
SLIDER = tg.FrictionAdmittance(mass=1.0, law=tg.Coulomb(4.0))
WAVE = 0.1 * np.sin(20.0 * TIME)
BOTH = np.stack([WAVE, 0.1 * np.cos(30.0 * TIME)], axis=1)
IN_THE_PLANE = tg.FrictionAdmittance(mass=1.0, law=tg.Coulomb(4.0), dimension=2)
# How to get each: run by the test that draws it, not whenever the tests are listed.
RESULTS: dict[str, Callable[[], Result]] = {
    "impedance": lambda: ELEMENT.run(WAVE, period=T),
    "impedance as column": lambda: ELEMENT.run(WAVE[:, None], period=T),
    "impedance thinned": lambda: ELEMENT.run(WAVE, period=T, every=10),
    "impedance at rest": lambda: ELEMENT.run(np.zeros(5), period=T),
    "one tick": lambda: ELEMENT.run([0.1], period=T),
    "path": lambda: PLANE.run(BOTH, period=T),
    "path at rest": lambda: PLANE.run(np.zeros((5, 2)), period=T),
    "admittance": lambda: SLIDER.run(80.0 * WAVE, period=T),
    "admittance in the plane": lambda: IN_THE_PLANE.run(80.0 * BOTH, period=T),
    "family of impedances": lambda: ELEMENT.batch(stiffness=[1e3, 1e4]).run(WAVE, period=T),
    "family with own motions": lambda: ELEMENT.batch(stiffness=[1e3, 1e4]).run([WAVE, 2 * WAVE], period=T),
    "family of one": lambda: ELEMENT.batch(stiffness=[1e3]).run(WAVE, period=T),
    "family of admittances": lambda: SLIDER.batch(mass=[1.0, 2.0, 3.0]).run(80.0 * WAVE, period=T),
    "family of paths": lambda: PLANE.batch(stiffness=[1e3, 1e4]).run(BOTH, period=T),
    "only the force": lambda: ELEMENT.run(WAVE, period=T, record=["force"]),
    "nothing but time": lambda: Result({"time": Variable(("time",), TIME, "s")}, title="empty"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_a_figure(name: str, tmp_path: Path) -> None:
    figure = RESULTS[name]().plot(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    labels = [axes.get_ylabel() for axes in figure.axes if axes.get_ylabel() and axes.get_ylabel() != "batch member"]
    assert all("[" in label for label in labels), "a unit on every axis"
    assert bool(labels) == (name != "nothing but time")


def test_the_loop_is_the_integral_of_the_motion() -> None:
    figure = ELEMENT.run(WAVE, period=T).plot()
    loop = figure.axes[-1]
    assert loop.get_xlabel() == "displacement [mm]"
    across = np.asarray(loop.lines[1].get_xdata())
    # The integral of 0.1 sin(20 t) is 5 mm (1 - cos 20 t); the sum over ticks ends half a tick later.
    assert across[-1] == pytest.approx(5.0 * (1.0 - np.cos(20.0 * (TIME[-1] + T / 2))), abs=0.06)


def test_a_loaded_result_looks_the_same(tmp_path: Path) -> None:
    run = SLIDER.run(80.0 * WAVE, period=T)
    again = tg.load(run.save(tmp_path / "run.nc"))
    labels = [axes.get_ylabel() for axes in run.plot().axes]
    assert labels == [axes.get_ylabel() for axes in again.plot().axes]
    assert labels[0].startswith("force")


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".PNG"])
def test_formats(suffix: str, tmp_path: Path) -> None:
    figure, _ = figures.sheet()
    path = figures.save(figure, tmp_path / f"figure{suffix}")
    assert path.stat().st_size > 500
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["figure.bmp", "figure", "figure.png.txt"])
def test_an_unknown_format_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(tg.FileError, match=r"Use \.png, \.svg or \.pdf"):
        ELEMENT.run(WAVE, period=T).plot(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_same_figure_is_the_same_file(tmp_path: Path) -> None:
    run = ELEMENT.run(WAVE, period=T)
    run.plot(tmp_path / "a.svg")
    run.plot(tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_long_records_keep_their_peaks() -> None:
    quiet = np.zeros(123_457)
    quiet[77_777], quiet[-1] = 1.0, -1.0
    kept = figures.thinned(quiet, np.arange(quiet.size, dtype=float))
    assert {0, 77_777, quiet.size - 1} <= set(kept.tolist())
    assert kept.size < 10_000
    assert (np.diff(kept) > 0).all()


@pytest.mark.parametrize(
    ("largest", "unit", "shown", "scaled"),
    [
        (0.005, "m", "mm", 5.0),
        (5e-6, "m", "µm", 5.0),
        (5000.0, "N", "kN", 5.0),
        (5.0, "N", "N", 5.0),
        (0.005, "kg", "kg", 0.005),
        (0.0, "m", "m", 0.0),
        (5000.0, "s", "s", 5000.0),
        (0.02, "N·m", "mN·m", 20.0),
    ],
)
def test_prefixes(largest: float, unit: str, shown: str, scaled: float) -> None:
    quantity = figures.Shown.of([0.0, -largest], unit)
    assert quantity.unit == shown
    assert quantity.values[1] == pytest.approx(-scaled)


def test_no_global_state_is_touched() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    ELEMENT.run(WAVE, period=T).plot()
    assert dict(matplotlib.rcParams) == before


def test_a_result_without_ticks_says_so_instead_of_a_picture() -> None:
    empty = Result({"time": Variable(("time",), np.empty(0), "s")}, title="nothing")
    with pytest.raises(tg.InputError, match=r"no tick.*\n.*every"):
        empty.plot()
