"""What the exact route records by itself is a true picture: curves between events, both sides of every jump."""

import math

import numpy as np
import pytest

from tegotae.errors import LeftOutWarning
from tegotae.inclusion import Inclusion, examples
from tegotae.result import load


@pytest.fixture(scope="module")
def belt():
    machine, start = examples.belt()
    return machine.to_events().solve((0.0, 3.0), start)


@pytest.fixture(scope="module")
def bounces():
    ball = Inclusion({"p": "v", "v": "dio(p, 'floor') - 10"})
    return ball.to_events(restitution=0.5).solve((0.0, 2.7), {"p": 5.0})


def rows_at(run, time):
    return np.flatnonzero(run.time == time)


def test_both_sides_of_a_break_away_are_recorded(belt):
    """The force climbs to the static 5 N, falls at once to the kinetic 3 N; the state does not jump."""
    slips = [event for event in belt.events if event.kind == "slip"]
    assert len(slips) == 4
    for event in slips:
        before, after = rows_at(belt, event.time)
        assert belt.belt[[before, after]] == pytest.approx([-5.0, -3.0], abs=1e-9)
        assert belt.belt_sticks[[before, after]].tolist() == [1, 0]
        assert belt.p[before] == belt.p[after]


def test_both_sides_of_an_impact_are_recorded(bounces):
    """Dropped from 5 m under 10 m/s2: hits at 10 m/s, leaves at 5; then 5 and 2.5."""
    touches = [event.time for event in bounces.events if event.kind == "touch"]
    assert touches[:2] == pytest.approx([1.0, 2.0], abs=1e-12)
    for time, speed in zip(touches[:2], (10.0, 5.0), strict=True):
        before, after = rows_at(bounces, time)
        assert bounces.v[[before, after]] == pytest.approx([-speed, 0.5 * speed], abs=1e-9)


def test_between_events_lines_through_the_record_are_the_motion(belt, bounces):
    """Read off the straight lines of a plot: within a hundredth of the height of a flight, and of the slip."""
    t = np.linspace(1.01, 1.99, 200)
    flight = 5.0 * (t - 1.0) - 5.0 * (t - 1.0) ** 2
    assert np.abs(np.interp(t, bounces.time, bounces.p) - flight).max() <= 0.01 * 1.25
    first, second = (event.time for event in belt.events[:2])
    assert np.count_nonzero((belt.time > first) & (belt.time < second)) >= 25
    # From the slip on, with w = 10/s about the kinetic 0.03 m: v = 0.1 cos(w t) - 0.02 w sin(w t).
    t = np.linspace(first, second, 200)
    swing = 0.1 * np.cos(10.0 * (t - first)) - 0.2 * np.sin(10.0 * (t - first))
    assert np.abs(np.interp(t, belt.time, belt.v) - swing).max() <= 0.01 * math.hypot(0.1, 0.2)


def test_time_never_goes_back_and_repeats_at_events_only(belt, bounces):
    for run in (belt, bounces):
        steps = np.diff(run.time)
        assert steps.min() >= 0.0
        events = {event.time for event in run.events}
        assert set(run.time[1:][steps == 0.0]) == events & set(run.time)
        assert steps.max() <= run.time[-1] / 200.0 * (1.0 + 1e-12)


def test_asked_times_are_kept_exactly_even_at_an_event(bounces):
    ball = Inclusion({"p": "v", "v": "dio(p, 'floor') - 10"})
    touch = bounces.events[0].time
    run = ball.to_events(restitution=0.5).solve((0.0, 2.7), {"p": 5.0}, times=[0.5, touch, 2.7])
    assert run.time.tolist() == [0.5, touch, 2.7]
    assert run.v[1] == pytest.approx(5.0, abs=1e-9)  # after it


def test_equal_times_are_saved_exported_and_drawn(belt, tmp_path):
    import polars

    again = load(belt.save(tmp_path / "belt.nc"))
    assert np.array_equal(again.time, belt.time)
    assert np.array_equal(again.belt, belt.belt)
    with pytest.warns(LeftOutWarning, match="event_time"):
        table = polars.read_parquet(belt.save(tmp_path / "belt.parquet"))
    assert table["belt"].to_list() == belt.belt.tolist()
    force = belt.plot().axes[1].lines
    drawn = max((line.get_ydata() for line in force), key=len)
    assert np.abs(drawn).max() == pytest.approx(5.0, abs=1e-9)
