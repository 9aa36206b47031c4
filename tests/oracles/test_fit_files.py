"""Records as spreadsheets and loggers write them: one motion, many ways to write it down, the same numbers in SI."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.fitting import load_record

TIME = 0.002 * np.arange(5)
VELOCITY = np.array([0.0, 0.05, -0.025, 0.125, 1.5])
FORCE = np.array([0.0, -4.0, 2.5, -1250.0, 0.75])


def write(file, header, columns, separator=",", decimal=".", encoding="utf-8", end="\n"):
    rows = [separator.join(f"{x:.12g}".replace(".", decimal) for x in row) for row in np.stack(columns, axis=1)]
    file.write_bytes(end.join([header, *rows, ""]).encode(encoding))
    return file


def assert_same(record):
    assert record.period == pytest.approx(0.002, rel=1e-12)
    np.testing.assert_allclose(record.velocity, VELOCITY, rtol=1e-9)
    np.testing.assert_allclose(record.force, FORCE, rtol=1e-9)


@pytest.mark.parametrize(
    ("header", "time", "speed", "push"),
    [
        ("time,velocity,force", 1.0, 1.0, 1.0),
        ("time [ms],velocity [mm/s],force [N]", 1e3, 1e3, 1.0),
        ("Time (us),Velocity (cm/s),Force (kN)", 1e6, 1e2, 1e-3),
        ("time [µs],velocity [µm/s],force [mN]", 1e6, 1e6, 1e3),
        ("time [min],velocity [m/min],force [MN]", 1 / 60, 60.0, 1e-6),
        ("time [ s ],velocity [mm s^-1],force [N]", 1.0, 1e3, 1.0),
        ("time [ns],velocity [mm/ms],force [newton]", 1e9, 1.0, 1.0),
        ("time [seconds],velocity [mm·s⁻¹],force []", 1.0, 1e3, 1.0),
    ],
)
def test_units_of_the_header_are_converted(tmp_path, header, time, speed, push):
    assert_same(load_record(write(tmp_path / "r.csv", header, [time * TIME, speed * VELOCITY, push * FORCE])))


def test_positions_are_converted_before_they_are_differentiated(tmp_path):
    places = np.cumsum(VELOCITY) * 0.002
    assert_same(
        load_record(write(tmp_path / "r.csv", "time [ms],position [um],force", [1e3 * TIME, 1e6 * places, FORCE]))
    )


@pytest.mark.parametrize(
    ("header", "name", "unit"),
    [
        ("time,velocity [deg/s],force", "velocity", "deg/s"),
        ("time [fortnight],velocity,force", "time", "fortnight"),
        ("time,velocity,force [lbf]", "force", "lbf"),
        ("time,velocity,force [n]", "force", "n"),
        ("time,velocity [mms^-1],force", "velocity", "mms^-1"),
        ("time,velocity [m],force", "velocity", "m"),
        ("time,velocity,force [-]", "force", "-"),
    ],
)
def test_a_unit_that_is_not_known_is_refused_by_name(tmp_path, header, name, unit):
    with pytest.raises(tg.InputError) as caught:
        load_record(write(tmp_path / "r.csv", header, [TIME, VELOCITY, FORCE]))
    assert f"'{name}'" in str(caught.value)
    assert f"[{unit}]" in str(caught.value)
    assert "Convert it to" in str(caught.value)


def test_the_unit_of_a_column_that_is_not_used_does_not_matter(tmp_path):
    header = "time,velocity,force,temperature [°C]"
    assert_same(load_record(write(tmp_path / "r.csv", header, [TIME, VELOCITY, FORCE, FORCE])))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_decimals_encodings_and_line_ends(tmp_path, separator, decimal, encoding, end):
    header = separator.join(["time [s]", "velocity [m/s]", "force [N]"])
    file = write(tmp_path / "r.csv", header, [TIME, VELOCITY, FORCE], separator, decimal, encoding, end)
    if (separator, decimal) == (",", ","):
        with pytest.raises(tg.FileError, match=r"cells, its header 3.*\n.*decimal commas.*';'"):
            load_record(file)
    else:
        assert_same(load_record(file))


def test_the_separator_that_a_spreadsheet_announces(tmp_path):
    assert_same(load_record(write(tmp_path / "r.csv", "sep=;\ntime;velocity;force", [TIME, VELOCITY, FORCE], ";", ",")))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("time,force,velocity,Force [N]\n0,1,2,3\n1,1,2,3\n", "2 columns named 'force'"),
        ("time|velocity|force\n0|1|2\n1|1|2\n", r"separated by '\|'"),
        ("time velocity force\n0 1 2\n1 1 2\n", "separated by ' '"),
        ("time;velocity;force\n0;1,5;2.5\n1;1,5;2.5\n", "points and with commas"),
        ("time;velocity;force\n0;1;1.234,5\n1;1;2\n", "points and with commas"),
    ],
)
def test_what_could_be_misread_is_refused(tmp_path, text, says):
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(tg.FileError, match=says):
        load_record(tmp_path / "r.csv")
