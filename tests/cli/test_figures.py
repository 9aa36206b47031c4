"""Figures: every kind of result gets one, units stand on the axes, files are whole."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

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
        (0.002, "m/s, rad/s", "m/s, rad/s", 0.002),  # one prefix cannot serve both
        (0.002, "m/s or rad/s", "m/s or rad/s", 0.002),
    ],
)
def test_prefixes(largest: float, unit: str, shown: str, scaled: float) -> None:
    quantity = figures.Shown.of([0.0, -largest], unit)
    assert quantity.unit == shown
    assert quantity.values[1] == pytest.approx(-scaled)


def test_many_curves_are_named_by_their_variables() -> None:
    """A key of dozens of lines would leave no room for the curves."""
    curves = np.sin(np.arange(50)[:, None] * np.linspace(0.1, 1.0, 12))
    variables = {"time": Variable(("time",), np.arange(50) * T, "s", "")}
    variables |= {name: Variable(("time", "axis"), curves, "N", "") for name in ("pull", "push")}
    (axes,) = Result(variables, title="many", about={}).plot().axes
    assert len(axes.get_lines()) >= 24
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["pull, 12 curves", "push, 12 curves"]


def test_no_global_state_is_touched() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    ELEMENT.run(WAVE, period=T).plot()
    assert dict(matplotlib.rcParams) == before


def test_a_result_without_ticks_says_so_instead_of_a_picture() -> None:
    empty = Result({"time": Variable(("time",), np.empty(0), "s")}, title="nothing")
    with pytest.raises(tg.InputError, match=r"no tick.*\n.*every"):
        empty.plot()


# ------------------------------------------------------------ what a figure says is so


def labels(figure: Any) -> list[str]:
    return [axes.get_ylabel() for axes in figure.axes]


def texts(figure: Any) -> str:
    """Everything that is written anywhere."""
    from matplotlib.text import Text

    return "\n".join(text.get_text() for text in figure.findobj(Text))


def crate() -> Result:
    from tegotae.multibody import Body, Corners, Free, HalfSpace, Scene, Touch, Tree

    tree = Tree([Body(name="crate", mass=5.0, inertia=(0.03, 0.03, 0.03), joint=Free(), position=(0, 0, 0.12))])
    corners = Corners(half_sizes=(0.1, 0.1, 0.1))
    floor = Touch(on="crate", toucher=corners, surface=HalfSpace(), stiffness=1e6, friction=0.5)
    return Scene(tree=tree, touches=[floor]).run(0.5, period=T, v=[0.3, 0, 0, 0, 0, 0])


def arm() -> Result:
    from tegotae.multibody import Body, Prismatic, Revolute, Scene, Tree

    upper = Body(name="upper", mass=1.0, inertia=(0.1, 0.1, 0.1), center=(0, 0, 0.2), joint=Revolute(axis=(0, 1, 0)))
    lift = Body(name="lift", mass=1.0, parent="upper", joint=Prismatic())
    return Scene(tree=Tree([upper, lift])).run(0.2, period=T, q=[0.3, 0.1])


def test_a_scene_names_bodies_and_gives_each_its_own_unit(tmp_path: Path) -> None:
    for run in (crate(), arm(), tg.load(arm().save(tmp_path / "run.nc"))):
        figure = run.plot()
        assert not any(" or " in label or label.startswith("[") for label in labels(figure)), labels(figure)
    said = texts(crate().plot())
    assert all(name in said for name in ("crate x", "crate z", "crate on world", "kinetic"))
    assert not any(f"contact force {i}" in said for i in range(24)), "eight corners are one crate"
    assert {"angle [rad]", "position [mm]", "angular rate [rad/s]"} <= set(labels(arm().plot()))


def test_stops_of_hinges_have_panels_of_their_own() -> None:
    """Moments and angles do not stand beside forces and lengths."""
    from tegotae.multibody import Body, JointStop, Prismatic, Revolute, Scene, Tree

    turn = Revolute(axis=(0, 1, 0), name="turn", upper=0.4, stop=JointStop(restitution=0.5))
    upper = Body(name="upper", mass=1.0, inertia=(0.1, 0.1, 0.1), center=(0, 0, 0.2), joint=turn)
    lift = Body(name="lift", mass=1.0, parent="upper", joint=Prismatic(lower=-0.2, stop=JointStop()))
    figure = Scene(tree=Tree([upper, lift])).run(0.2, period=T, q=[0.3, 0.1]).plot()
    shown = labels(figure)
    assert sum(label.startswith("moment of stops [") and label.endswith("N·m]") for label in shown) == 1, shown
    assert any(label.startswith("to the limit [") and label.endswith("rad]") for label in shown), shown
    assert {"contact force [N]", "gap [m]"} <= set(shown), shown
    assert all(name in texts(figure) for name in ("turn upper", "lift lower"))


def test_a_scene_has_no_panel_of_nothing() -> None:
    """A joint that does not rub has no friction to show; a crate that only slides does not turn."""
    assert not any("friction" in label for label in labels(crate().plot()))
    for axes in arm().plot().axes:
        assert any(np.ptp(np.asarray(line.get_ydata(), dtype=float)) > 0.0 for line in axes.lines)


def test_what_rounding_leaves_of_rest_is_not_shown_as_motion() -> None:
    from tegotae.multibody import Body, Corners, Free, HalfSpace, Scene, Touch, Tree

    tilt = 0.3
    turn = np.array([[np.cos(tilt), 0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]])
    inertia = (0.03, 0.03, 0.03)
    body = Body(name="crate", mass=5.0, inertia=inertia, joint=Free(), rotation=turn, position=0.1 * turn[:, 2])
    corners = Corners(half_sizes=(0.1, 0.1, 0.1))
    slope = Touch(on="crate", toucher=corners, surface=HalfSpace(normal=turn[:, 2]), stiffness=1e8, friction=0.5)
    run = Scene(tree=Tree([body]), touches=[slope]).run(5.0, period=T, every=100)
    assert np.abs(run.v).max() > 0.0, "or this shows nothing"
    figure = run.plot()
    assert labels(figure) == ["position [mm]", "contact force [N]", "gap [µm]", "z [m]"]
    assert "all the time" in texts(figure)


def test_a_crate_is_seen_from_the_side() -> None:
    """It slides by 0.3 m/s: it is drawn as the box that touches, on its floor, and goes to where it went."""
    run = crate()
    (side,) = [axes for axes in run.plot().axes if axes.get_ylabel() == "z [m]"]
    assert side.get_xlabel() == "x [m]"
    xs, zs = (np.concatenate([getattr(line, f"get_{axis}data")() for line in side.lines[:-1]]) for axis in "xy")
    assert xs.min() == pytest.approx(-0.1, abs=1e-3)
    assert xs.max() == pytest.approx(run.q[-1, 0] + 0.1, abs=1e-3)
    assert zs.max() == pytest.approx(0.22, abs=1e-3)
    assert side.lines[-1].get_ydata() == pytest.approx([0.0, 0.0])


@pytest.mark.parametrize("suffix", [".nc", ".mat"])
def test_an_arm_is_drawn_from_joint_to_joint_where_it_is(suffix: str, tmp_path: Path) -> None:
    from tegotae.multibody import Body, Revolute, Scene, Tree

    links = [
        Body(name="upper", mass=2.0, joint=Revolute(axis=(1, 0, 0)), center=(0, 0, -0.2)),
        Body(name="lower", mass=1.0, joint=Revolute(axis=(1, 0, 0)), center=(0, 0, -0.1), parent="upper",
             position=(0, 0, -0.4)),
    ]  # fmt: skip
    made = Scene(tree=Tree(links)).run(1.0, period=T, q=[1.0, 0.5])
    run = tg.load(made.save(tmp_path / f"run{suffix}"))
    (front,) = [axes for axes in run.plot().axes if axes.get_ylabel() == "z [m]"]
    assert front.get_xlabel() == "y [m]", "it swings about x"
    first, second = run.q[0]
    knee = 0.4 * np.array([np.sin(first), -np.cos(first)])
    end = knee + 0.1 * np.array([np.sin(first + second), -np.cos(first + second)])  # where its mass is
    assert front.lines[0].get_xydata() == pytest.approx(np.stack([[0.0, 0.0], knee]))
    assert front.lines[1].get_xydata() == pytest.approx(np.stack([knee, end]))


def test_a_thicket_is_not_drawn() -> None:
    from tegotae.multibody import Body, Revolute, Scene, Tree

    names = [f"link{k}" for k in range(302)]
    chain = [
        Body(name=name, mass=1.0, inertia=(1e-3, 1e-3, 1e-3), joint=Revolute(axis=(0, 1, 0)), position=(0, 0, -0.1),
             parent=parent)
        for name, parent in zip(names, [None, *names], strict=False)
    ]  # fmt: skip
    run = Scene(tree=Tree(chain)).run(2 * T, period=T)
    assert "picture_times" not in run.about
    assert "z [m]" not in labels(run.plot())


@pytest.fixture(scope="module")
def finger() -> Result:
    from tegotae.rod import GroundedRod, Peg, Phase, PlanarRod, Wall

    rod = PlanarRod(length=0.1, nodes=9, density=0.05, elasticity=1e-3, viscosity=2e-4)
    peg = Peg(centre=(0.06, 0.03), radius=0.015, stiffness=1e4, damping=1.0)
    wall = Wall(point=(0.0, -0.02), normal=(0.0, 1.0), stiffness=1e4)
    bent = Phase(until=0.5, base="fixed", curvature=25.0)
    return GroundedRod(rod=rod, pegs=[peg], walls=[wall]).run([bent], period=T, every=5)


def test_a_finger_without_a_ground_does_not_stick_to_it(finger: Result) -> None:
    figure = finger.plot()
    assert "stick" not in texts(figure)
    assert "push of the peg and the wall [N]" in labels(figure)


def test_pegs_and_walls_are_drawn_where_they_are(finger: Result, tmp_path: Path) -> None:
    from matplotlib.patches import Circle

    for run in (finger, tg.load(finger.save(tmp_path / "run.nc")), tg.load(finger.save(tmp_path / "run.mat"))):
        (disc, *_) = [patch for patch in run.plot().axes[0].patches if isinstance(patch, Circle)]
        assert (disc.center, disc.radius) == ((0.06, 0.03), 0.015)
        flat = [line for line in run.plot().axes[0].lines if np.ptp(np.asarray(line.get_ydata(), dtype=float)) == 0.0]
        assert any(np.asarray(line.get_ydata())[0] == -0.02 for line in flat)


def test_a_jerk_at_the_start_does_not_flatten_the_loop() -> None:
    """The wheel is set in motion at once: what that takes is told in words, the loop fills its panel."""
    from tegotae.steering import SteeringSystem
    from tegotae.steering.hands import Driver, Sine

    run = SteeringSystem.paper(speed=0.0, bristles=21).run(
        hand=Driver(angle=Sine(amplitude=8.0)), duration=8.0, period=T
    )
    figure = run.plot()
    later = run.hand_torque[run.time > 4.0]
    for axes in figure.axes:
        if axes.get_ylabel() in ("hand [N·m]", "hand torque [N·m]"):
            low, high = axes.get_ylim()
            assert low < later.min()
            assert later.max() < high
            assert np.ptp(later) > 0.6 * (high - low)
    assert f"it starts with {run.hand_torque.max():.3g} N·m, out of sight" in texts(figure)


def test_curves_that_are_equal_are_one_curve_and_say_so() -> None:
    from tegotae.figures import tyre_maps
    from tegotae.steering import ContactPatch

    brush = ContactPatch(stiffness=1e4, damping=0.0, bristles=21)
    same = tyre_maps(brush, speeds=[5.0, 20.0])
    assert "5 and 20 m/s: equal" in texts(same)
    assert all(len(axes.lines) == 3 for axes in same.axes)  # two of them are the axes
    viscous = ContactPatch(stiffness=1e3, damping=100.0, bristles=21)
    apart = tyre_maps(viscous, speeds=[5.0, 20.0])
    assert "equal" not in texts(apart)
    assert all(len(axes.lines) == 4 for axes in apart.axes)


def test_a_picture_ends_where_all_is_at_rest_and_says_so() -> None:
    from tegotae.inclusion import examples

    ball, start = examples.bouncing_ball()
    figure = ball.to_events(restitution=0.5).solve((0.0, 3.0), start).plot()
    # It falls 0.1 m, then bounces with halves of the speed: three times the first fall in all.
    stops = 3.0 * np.sqrt(2 * 0.1 / 9.81)
    assert figure.axes[0].get_xlim()[1] == pytest.approx(1.25 * stops, rel=0.03)
    assert "to the end, 3 s" in texts(figure)


def test_states_that_nobody_gave_a_unit_show_none() -> None:
    from tegotae.inclusion import Inclusion

    run = Inclusion({"x": "v", "v": "4*sin(5*t) - coulomb(2, v, 'rub')"}).to_events().solve((0.0, 1.0), {})
    assert labels(run.plot())[0] == "state"
    assert "  x state" in repr(run)
    plain = Result({"time": Variable(("time",), TIME, "s"), "x": Variable(("time",), TIME, "")}, title="x").plot()
    assert labels(plain) == ["no unit was told"]


def test_a_sum_shows_its_parts() -> None:
    wall = tg.VirtualWall(stiffness=1e3, point=1e-3, normal=-1.0)
    said = texts(tg.ImpedanceSum({"brake": ELEMENT, "wall": wall}).run(WAVE, period=T).plot())
    assert all(name in said for name in ("brake", "wall"))


def test_a_family_in_the_plane_tells_member_and_direction() -> None:
    assert "force member 1, y" in texts(RESULTS["family of paths"]().plot())
