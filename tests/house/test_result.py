"""Results: units, files written whole, loaded back the same, exported, plotted."""

import csv
import os
from pathlib import Path

import numpy as np
import polars
import pytest
import xarray
from scipy.io import loadmat, savemat

import tegotae as tg
from tegotae.result import Event, Result, Variable

T = 1e-3
BRAKE = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
PLANAR = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0), dimension=2)
VELOCITY = 0.05 * np.sin(0.05 * np.arange(200))
RUNS = {
    "line": lambda: BRAKE.run(VELOCITY, period=T),
    "column": lambda: BRAKE.run(VELOCITY[:, None], period=T),
    "plane": lambda: PLANAR.run(np.stack([VELOCITY, -VELOCITY], axis=1), period=T),
    "batch": lambda: BRAKE.batch(stiffness=[1e3, 1e4]).run(VELOCITY, period=T),
    "circuit": lambda: tg.Circuit(tg.Mass(mass=1.0), {"brake": BRAKE}).run(100 * VELOCITY, period=T),
    "thin": lambda: BRAKE.run(VELOCITY, period=T, every=7),
}


@pytest.mark.parametrize("suffix", [".nc", ".mat", ".MAT"])
@pytest.mark.parametrize("kind", RUNS)
def test_saved_and_loaded_is_the_same(kind, suffix, tmp_path):
    run = RUNS[kind]()
    path = run.save(tmp_path / f"run{suffix}")
    back = tg.load(path)
    assert set(back) == set(run)
    for name in run:
        np.testing.assert_array_equal(back[name], run[name])
        assert back.variables[name].unit == run.variables[name].unit
        assert back.variables[name].dims == run.variables[name].dims
        assert back.variables[name].meaning == run.variables[name].meaning
        assert back[name].dtype == run[name].dtype
    assert (back.title, back.about) == (run.title, run.about)
    assert [p.name for p in tmp_path.iterdir()] == [f"run{suffix}"]


@pytest.mark.parametrize("kind", RUNS)
def test_every_quantity_has_a_unit_and_a_meaning(kind):
    for name, variable in RUNS[kind]().dataset.variables.items():
        assert variable.attrs["units"], name
        assert variable.attrs["long_name"], name


def as_csv(path):
    """By Python's own reader: names, units and numbers."""
    with open(path, encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    named = [cell.removesuffix("]").split(" [") for cell in head]
    columns = dict(zip((cell[0] for cell in named), zip(*rows, strict=True), strict=True))
    assert all(cell[1:] for cell in named if cell[0] != "batch"), "every quantity has a unit"
    return {name: np.array(column, dtype=float) for name, column in columns.items()}


TABLES = {
    "csv": lambda run, folder: as_csv(run.save(folder / "run.csv")),
    "parquet": lambda run, folder: polars.read_parquet(run.save(folder / "run.parquet")).to_dict(as_series=False),
    "pandas": lambda run, folder: run.to_pandas().to_dict("list"),
}


@pytest.mark.parametrize("way", TABLES)
@pytest.mark.parametrize("kind", RUNS)
def test_a_table_has_one_row_a_tick(kind, way, tmp_path):
    """As others read it, and to the last bit."""
    run = RUNS[kind]()
    table = TABLES[way](run, tmp_path)
    batch = 2 if kind == "batch" else 1
    np.testing.assert_array_equal(table["time"], np.tile(run.time, batch))
    numbered = {"plane": ["force_0", "force_1"], "column": ["force_0"]}.get(kind, ["force"])
    np.testing.assert_array_equal(np.stack([table[n] for n in numbered], axis=-1).ravel(), run.force.ravel())
    if kind == "batch":
        np.testing.assert_array_equal(table["batch"], np.repeat([0, 1], run.time.size))


def test_a_table_numbers_what_has_several_dimensions(tmp_path):
    places = np.arange(24.0).reshape(2, 4, 3)
    run = Result(
        {
            "time": Variable(("time",), np.array([0.1, 0.2]), "s"),
            "position": Variable(("time", "node", "axis"), places, "m"),
            "stuck": Variable(("time",), np.array([True, False]), ""),
        },
        title="rod",
    )
    table = polars.read_csv(run.save(tmp_path / "run.csv"))
    assert table["position_3_1 [m]"].to_list() == places[:, 3, 1].tolist()
    assert table["stuck"].to_list() == [1, 0]
    assert tg.load(run.save(tmp_path / "run.mat")).stuck.tolist() == [True, False]


def test_matlab_finds_names_units_and_columns(tmp_path):
    """Dots are not allowed in its names; a record stands upright."""
    run = RUNS["circuit"]()
    data = loadmat(run.save(tmp_path / "run.mat"))
    np.testing.assert_array_equal(data["brake_force"], run["brake.force"][:, None])
    cards = {str(card["key"][0]): card for card in data["tegotae"]["variables"][0, 0].ravel()}
    assert cards["brake_force"]["unit"][0] == "N"
    assert cards["brake_force"]["name"][0] == "brake.force"


def test_matlab_names_are_never_shared(tmp_path):
    time = Variable(("time",), np.array([1.0]), "s")
    names = ["a.b", "a_b", "a b", "_c", "9", "tegotae", "x" * 80, "x" * 80 + "y", "ä"]
    run = Result(
        {"time": time} | {n: Variable(("time",), np.array([float(i)]), "") for i, n in enumerate(names)}, title=""
    )
    back = tg.load(run.save(tmp_path / "run.mat"))
    assert {name: float(back[name][0]) for name in names} == {name: float(i) for i, name in enumerate(names)}


def test_a_saved_table_can_be_fitted(tmp_path):
    record = tg.load_record(RUNS["plane"]().save(tmp_path / "run.csv"))
    np.testing.assert_array_equal(record.force, RUNS["plane"]().force)


def test_what_a_table_cannot_hold_is_told(tmp_path):
    run = RUNS["line"]().with_events([Event(0.14, "floor", "touch")])
    for ask in (lambda: run.save(tmp_path / "run.csv"), lambda: run.save(tmp_path / "run.parquet"), run.to_pandas):
        with pytest.warns(tg.LeftOutWarning, match=r"event_time, event_element, event_kind .* \.nc and \.mat hold all"):
            ask()
    assert tg.load(run.save(tmp_path / "run.mat")).events == run.events


def test_pandas_carries_units():
    assert RUNS["plane"]().to_pandas().attrs["units"]["force_1"] == "N"


def test_columns_that_would_be_one_are_refused(tmp_path):
    time, pair = Variable(("time",), np.zeros(2), "s"), Variable(("time", "axis"), np.zeros((2, 2)), "N")
    run = Result({"time": time, "force": pair, "force_1": Variable(("time",), np.ones(2), "N")}, title="two")
    with pytest.raises(tg.InputError, match="two quantities would be called 'force_1'"):
        run.save(tmp_path / "run.csv")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("kind", RUNS)
def test_plot_writes_a_picture(kind, tmp_path):
    RUNS[kind]().plot(tmp_path / "run.png")
    assert (tmp_path / "run.png").read_bytes()[:4] == b"\x89PNG"


def test_shapes_follow_the_input():
    assert RUNS["line"]().force.shape == (200,)
    assert RUNS["column"]().force.shape == (200, 1)
    assert RUNS["column"]().deflection.shape == (200, 1)
    assert RUNS["plane"]().force.shape == (200, 2)
    np.testing.assert_array_equal(RUNS["column"]().force[:, 0], RUNS["line"]().force)
    assert RUNS["line"]().time.shape == (200,)


def test_other_tools_read_the_file(tmp_path):
    path = RUNS["line"]().save(tmp_path / "run.nc")
    with xarray.open_dataset(path) as data:
        assert data["force"].attrs["units"] == "N"
        assert data.attrs["period"] == T


def test_nothing_is_copied_into_the_result():
    """A run keeps its inputs and what is recorded, nothing else."""
    run = BRAKE.run(VELOCITY, period=T, record=["force"])
    assert set(run) == {"time", "velocity", "force"}
    assert np.shares_memory(run.velocity, VELOCITY)
    thin = BRAKE.run(VELOCITY, period=T, every=10)
    assert thin.force.base.size == 4 * 20  # four fields, twenty rows


def test_missing_name_says_what_there_is():
    with pytest.raises(AttributeError, match="no 'torque'; it recorded time, velocity"):
        _ = RUNS["line"]().torque


@pytest.mark.parametrize("name", ["run", "run.txt", "run.nc.gz", "run.hdf5", ".csv"])
def test_a_suffix_that_means_nothing_is_refused(name, tmp_path):
    with pytest.raises(tg.InputError, match=r"\.nc \(netCDF\), \.csv .*, \.parquet .*, \.mat \(MATLAB\)"):
        RUNS["line"]().save(tmp_path / name)
    assert os.listdir(tmp_path) == []
    (tmp_path / name).touch()
    with pytest.raises(tg.InputError, match=r"\.nc \(netCDF\)"):
        tg.load(tmp_path / name)


@pytest.mark.parametrize("path", [None, 5, 1.5, b"run.nc", ["run.nc"], {}])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(tg.InputError, match="is not a path"):
        tg.load(path)
    with pytest.raises(tg.InputError, match="is not a path"):
        RUNS["line"]().save(path)


@pytest.mark.parametrize("name", ["run.csv", "run.parquet"])
def test_a_table_is_no_whole_result(name, tmp_path):
    with pytest.raises(tg.InputError, match=r"only a part of a result.\n  Load \.nc, \.mat; .* pandas, polars"):
        tg.load(RUNS["line"]().save(tmp_path / name))


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(tg.FileError, match=r"no such file"):
        tg.load(tmp_path / "none.nc")
    broken = tmp_path / "broken.nc"
    good = RUNS["line"]().save(tmp_path / "good.nc").read_bytes()
    broken.write_bytes(good[: len(good) // 2])
    with pytest.raises(tg.FileError, match="not a readable netCDF file"):
        tg.load(broken)
    (tmp_path / "text.nc").write_text("hello")
    with pytest.raises(tg.FileError, match="not a readable netCDF file"):
        tg.load(tmp_path / "text.nc")
    (tmp_path / "text.mat").write_text("hello")
    with pytest.raises(tg.FileError, match="not a readable MATLAB file"):
        tg.load(tmp_path / "text.mat")
    savemat(tmp_path / "other.mat", {"time": [1.0]})
    with pytest.raises(tg.InputError, match="holds no result"):
        tg.load(tmp_path / "other.mat")
    for name in ("x" * 5000 + ".nc", "a\0b.nc"):
        with pytest.raises(tg.FileError, match="Cannot load"):
            tg.load(tmp_path / name)
    with pytest.raises(tg.FileError, match="it is a folder"):
        tg.load(tmp_path)
    with pytest.raises(tg.FileError, match="does not exist"):
        RUNS["line"]().save(tmp_path / "nowhere" / "run.nc")
    (tmp_path / "folder.nc").mkdir()
    with pytest.raises(tg.FileError, match="is a folder"):
        RUNS["line"]().save(tmp_path / "folder.nc")


def test_an_interrupted_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = RUNS["line"]().save(tmp_path / "run.nc")
    before = path.read_bytes()

    def torn(self, content, write=Path.write_bytes):
        write(self, content[:100])
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", torn)
    with pytest.raises(KeyboardInterrupt):
        RUNS["thin"]().save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


ODD = [  # what no kind of file holds, by name of a variable, its values, and what is told about the run
    ("a\ud800", np.zeros(2), 1.0),
    ("a", np.array([object(), object()]), 1.0),
    ("a", np.zeros(2), object()),
]


@pytest.mark.parametrize("suffix", [".nc", ".csv", ".parquet", ".mat"])
@pytest.mark.parametrize(("name", "values", "told"), ODD)
def test_what_a_file_cannot_hold_is_told_and_nothing_is_written(tmp_path, suffix, name, values, told):
    variables = {"time": Variable(("time",), np.arange(2.0), "s"), name: Variable(("time",), values, "N")}
    result = Result(variables, title="odd", about={"told": told})
    try:
        result.save(tmp_path / f"odd{suffix}")
    except tg.InputError as error:
        told = str(error)
    assert isinstance(told, str) == (not list(tmp_path.iterdir()))


def test_a_name_that_files_would_cut_is_refused():
    with pytest.raises(tg.InputError, match=r"the name 'a\\x00b'"):
        Result({"a\0b": Variable(("time",), np.zeros(1), "N")}, title="odd")
