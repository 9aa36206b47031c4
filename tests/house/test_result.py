"""Results: units, files written whole, loaded back the same, exported, plotted."""

import numpy as np
import polars
import pytest
import xarray

import tegotae as tg

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


@pytest.mark.parametrize("kind", RUNS)
def test_saved_and_loaded_is_the_same(kind, tmp_path):
    run = RUNS[kind]()
    path = run.save(tmp_path / "run.nc")
    back = tg.load(path)
    assert set(back) == set(run)
    for name in run:
        np.testing.assert_array_equal(back[name], run[name])
        assert back.variables[name].unit == run.variables[name].unit
        assert back.variables[name].dims == run.variables[name].dims
    assert back.title == run.title
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


@pytest.mark.parametrize("kind", RUNS)
def test_every_quantity_has_a_unit_and_a_meaning(kind):
    for name, variable in RUNS[kind]().dataset.variables.items():
        assert variable.attrs["units"], name
        assert variable.attrs["long_name"], name


@pytest.mark.parametrize("kind", RUNS)
def test_parquet_has_one_row_a_tick(kind, tmp_path):
    run = RUNS[kind]()
    table = polars.read_parquet(run.to_parquet(tmp_path / "run.parquet"))
    batch = 2 if kind == "batch" else 1
    assert table.height == run.time.size * batch
    if kind == "plane":
        np.testing.assert_array_equal(table["force_1"], run.force[:, 1])
    if kind == "batch":
        np.testing.assert_array_equal(table.filter(polars.col("batch") == 1)["force"], run.force[1])


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
    with pytest.raises(tg.FileError, match="does not exist"):
        RUNS["line"]().save(tmp_path / "nowhere" / "run.nc")
    with pytest.raises(tg.FileError, match="is a folder"):
        RUNS["line"]().save(tmp_path)


def test_an_interrupted_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = RUNS["line"]().save(tmp_path / "run.nc")
    before = path.read_bytes()

    def torn(self, target, **options):
        target.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(xarray.Dataset, "to_netcdf", torn)
    with pytest.raises(KeyboardInterrupt):
        RUNS["thin"]().save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]
