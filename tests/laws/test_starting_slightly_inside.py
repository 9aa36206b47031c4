"""The exact route: a start up to a micrometre inside is put on the surface, and that is said; deeper is refused."""

import warnings

import numpy as np
import pytest

import tegotae as tg
from tegotae.errors import InputError
from tegotae.inclusion import Inclusion
from tegotae.inclusion.exact.events import OverlapWarning

BALL = Inclusion({"p": "v", "v": "dio(p, 'floor') - 9.81"})


def test_a_start_slightly_inside_is_put_on_the_surface_and_said():
    with pytest.warns(OverlapWarning, match="'?floor'? by 5e-07 m") as told:
        run = BALL.to_events(restitution=0.5).solve((0.0, 1.0), {"p": -5e-7}, times=[0.0, 1.0])
    assert told[0].filename == __file__
    np.testing.assert_array_equal(run.p, 0.0)
    assert run.about["put_on_surface"] == "floor by 5e-07 m"


def test_it_strikes_from_there():
    with pytest.warns(OverlapWarning):
        run = BALL.to_events(restitution=0.5).solve((0.0, 0.01), {"p": -1e-6, "v": -1.0}, times=[0.01])
    assert run.v[0] == pytest.approx(0.5 - 0.0981, abs=1e-9)
    assert run.p[0] == pytest.approx(0.5e-2 - 0.5 * 9.81e-4, abs=1e-12)


def test_all_that_overlaps_is_moved_at_once_the_shortest_way():
    """Two blocks of one coordinate each: 1 in the floor, 2 in 1, 3 in 2."""
    gaps = ["a", "b - a", "c - b"]
    rows = {"a": "va", "b": "vb", "c": "vc"}
    rows |= {"va": f"dio({gaps[0]}, 'A') - dio({gaps[1]}, 'B')", "vb": f"dio({gaps[1]}, 'B') - dio({gaps[2]}, 'C')"}
    stack = Inclusion(rows | {"vc": f"dio({gaps[2]}, 'C')"})
    with pytest.warns(OverlapWarning):
        run = stack.to_events().solve((0.0, 1.0), {"a": -4e-7, "b": -4e-7, "c": -9e-7}, times=[0.0])
    np.testing.assert_allclose([run.a[0], run.b[0], run.c[0]], 0.0, atol=1e-20)
    assert run.about["put_on_surface"] == "A by 4e-07 m, C by 5e-07 m"


@pytest.mark.parametrize("suffix", [".nc", ".mat"])
def test_files_keep_what_was_moved(suffix, tmp_path):
    with pytest.warns(OverlapWarning):
        run = BALL.to_events().solve((0.0, 0.1), {"p": -1e-7})
    assert tg.load(run.save(tmp_path / f"run{suffix}")).about["put_on_surface"] == "floor by 1e-07 m"


@pytest.mark.parametrize("start", [0.0, -1e-13, -1e-12, 1e-9])
def test_rounding_is_not_worth_a_word(start):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = BALL.to_events().solve((0.0, 0.1), {"p": start})
    assert "put_on_surface" not in run.about


def test_deeper_is_refused():
    with pytest.raises(InputError, match=r"'floor' starts 1\.1e-06 m inside"):
        BALL.to_events().solve((0.0, 1.0), {"p": -1.1e-6})


def test_a_start_that_cannot_be_put_outside_is_refused():
    """Between two walls that are closer than the block is long."""
    block = Inclusion({"p": "v", "v": "dio(p, 'left') - dio(-4e-7 - p, 'right')"})
    with pytest.raises(InputError, match="inside"):
        block.to_events().solve((0.0, 1.0), {})
