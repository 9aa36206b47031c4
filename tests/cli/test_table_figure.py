"""The map of the table's workspace as a picture."""

import numpy as np

from tegotae.table import Hexa


def test_the_map_is_drawn_and_saved(tmp_path):
    grid = np.linspace(-0.5, 0.5, 31)
    found = Hexa.default().workspace(x=grid, y=grid, z=np.linspace(-0.75, 0.0, 26))
    figure = found.plot(tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 10_000
    upright, level, bar = figure.axes
    assert "upright cut at y = 0 m" in upright.get_title(loc="left")
    assert "singularity" in bar.get_ylabel()
    # six arms, six rods, base, plate, tips, home and the line of the base
    assert len(level.lines) == 17
