"""A virtual wall with a restitution: Newton's law for any mass, no more force than the spring's, rest under a load."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tegotae as tg
from tegotae.checks import Array

SPEED = 0.237
QUICK = 0.05  # sqrt(K/m) T, of the stiffest spring that reaches 0.8 with room to spare


def wall_for(
    mass: float, period: float, restitution: float | None, quick: float = QUICK, **more: float
) -> tg.VirtualWall:
    """At 10 mm, of a stiffness that makes the mass swing in it with sqrt(K/m) T = quick."""
    stiffness = mass * (quick / period) ** 2
    return tg.VirtualWall(stiffness=stiffness, point=0.01, normal=-1.0, restitution=restitution, **more)


def thrown(
    wall: tg.VirtualWall, mass: float, period: float, quick: float, push: float = 0.0, far: float = 2.37
) -> tuple[float, float]:
    """Speeds at which it meets the surface and leaves it, from the parabolas outside."""
    circuit = tg.Circuit(tg.Mass(mass=mass), {"wall": wall})
    ticks = int(20.0 / quick / max(wall.restitution or 0.0, 0.004))
    start = {"velocity": SPEED, "position": 0.01 - far * period * SPEED}
    run = circuit.run(np.full(ticks, push), period=period, initial=start)
    assert run.about["unsolved_steps"] == 0
    gap, inside = 0.01 - run.position, run.position > 0.01
    first = int(np.argmax(inside))
    last = first + int(np.argmin(inside[first:]))
    assert inside[first]
    assert not inside[last]
    fall = 2.0 * push / mass
    met, left = run.velocity[first - 1] ** 2 + fall * gap[first - 1], run.velocity[last] ** 2 + fall * gap[last]
    return float(np.sqrt(met)), float(np.sqrt(left))


@pytest.mark.parametrize("mass", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("period", [1e-4, 5e-4, 2e-3])
@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("quick", [0.004, QUICK])
def test_any_mass_leaves_with_the_restitution(mass: float, period: float, restitution: float, quick: float) -> None:
    met, left = thrown(wall_for(mass, period, restitution, quick), mass, period, quick)
    slow = 0.0051 if restitution == 0.0 else 0.0  # so fast goes out what is not thrown
    assert left / met == pytest.approx(restitution, rel=1e-3, abs=slow)


@pytest.mark.parametrize("far", [1.01, 1.25, 1.5, 1.75, 1.99])
@pytest.mark.parametrize("quick", [0.004, 0.02, QUICK])
def test_where_in_the_tick_it_is_met_does_not_matter(far: float, quick: float) -> None:
    met, left = thrown(wall_for(1.0, 1e-3, 0.5, quick), 1.0, 1e-3, quick, far=far)
    assert left / met == pytest.approx(0.5, rel=5e-3)


@pytest.mark.parametrize("mass", [0.01, 100.0])
@pytest.mark.parametrize("period", [1e-4, 2e-3])
@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.8])
@pytest.mark.parametrize(("quick", "load"), [(0.004, 0.1), (0.01, 0.1), (0.02, 0.05)])
def test_what_presses_does_not_matter(
    mass: float, period: float, restitution: float, quick: float, load: float
) -> None:
    """It presses the mass in to `load` of the depth that the impact alone would reach."""
    push = load * mass * SPEED * quick / period
    met, left = thrown(wall_for(mass, period, restitution, quick), mass, period, quick, push)
    assert left / met == pytest.approx(restitution, abs=0.01)


@pytest.mark.parametrize("mass", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("period", [1e-4, 2e-3])
@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("load", [0.05, 1.0])
def test_under_a_load_it_comes_to_rest_where_the_spring_carries_it(
    mass: float, period: float, restitution: float, load: float
) -> None:
    """Exactly, and it stays: there is no creep."""
    wall, push = wall_for(mass, period, restitution), load * mass * SPEED * QUICK / period
    run = tg.Circuit(tg.Mass(mass=mass), {"wall": wall}).run(
        np.full(40_000, push), period=period, initial={"velocity": SPEED}, every=100
    )
    assert run.about["unsolved_steps"] == 0
    depth = run.position[-100:] - 0.01
    np.testing.assert_allclose(depth, push / wall.stiffness, rtol=1e-9)
    assert run["wall.force"][-1] == pytest.approx(-push, rel=1e-9)


def test_what_rests_follows_what_presses_as_on_a_spring() -> None:
    """Half the load, half the depth; without it the mover comes out."""
    wall = wall_for(1.0, 1e-3, 0.3)
    force = np.concatenate([np.full(4000, 20.0), np.full(1000, 10.0), np.zeros(4000)])
    run = tg.Circuit(tg.Mass(mass=1.0), {"wall": wall}).run(force, period=1e-3)
    depth = (run.position - 0.01) * wall.stiffness
    assert depth[3999] == pytest.approx(20.0, rel=1e-6)
    assert depth[4999] == pytest.approx(10.0, rel=1e-6)
    assert depth[-1] < 1e-3


def test_it_throws_along_its_normal_alone() -> None:
    """A tilted wall in the plane: what moves along it goes on; in any direction as on a line."""
    normal = np.array([np.sin(0.3), np.cos(0.3)])
    along = np.array([normal[1], -normal[0]])
    wall = tg.VirtualWall(stiffness=2500.0, point=[0.0, 0.0], normal=normal, dimension=2, restitution=0.5)
    start = {"position": 0.0011 * normal, "velocity": 0.3 * along - SPEED * normal}
    run = tg.Circuit(tg.Mass(mass=1.0, dimension=2), {"wall": wall}).run(period=1e-3, ticks=400, initial=start)
    assert run.about["unsolved_steps"] == 0
    np.testing.assert_allclose(run.velocity @ along, 0.3, rtol=1e-12)
    assert run.velocity[-1] @ normal == pytest.approx(0.5 * SPEED, rel=5e-3)
    line = tg.VirtualWall(stiffness=2500.0, point=0.0, normal=1.0, restitution=0.5)
    same = tg.Circuit(tg.Mass(mass=1.0), {"wall": line}).run(
        period=1e-3, ticks=400, initial={"position": 0.0011, "velocity": -SPEED}
    )
    np.testing.assert_allclose(run.position @ normal, same.position, rtol=0, atol=1e-9)


def test_live_a_hand_feels_no_more_than_the_spring() -> None:
    """Pressed in and drawn out, faster than it would be thrown, slower, and held."""
    wall = tg.VirtualWall(stiffness=1000.0, point=0.0, normal=-1.0, restitution=0.5)
    live = wall.start(period=1e-3, initial={"position": -0.001})
    place = -0.001
    for speed, least, most in ((0.1, 0.0, 1.0), (0.0, 1.0, 1.0), (-0.2, 0.0, 0.0), (0.1, 0.0, 1.0), (-0.04, 0.0, 1.0)):
        for _ in range(15):
            place += 1e-3 * speed
            force = -live.step(speed)
            spring = 1000.0 * max(place, 0.0)
            assert least * spring - 1e-9 <= force <= most * spring + 1e-9
    slow = wall.start(period=1e-3)
    for _ in range(10):
        slow.step(0.1)
    assert -slow.step(-0.04) == pytest.approx(1000.0 * (1e-3 - 4e-5), rel=1e-9)  # slower than thrown: all of the spring
    assert slow.step(-0.06) == 0.0


motions = st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=60)


@given(motions, st.floats(0.0, 1e6), st.floats(0.0, 1e3), st.floats(0.0, 1.0), st.sampled_from([1e-4, 1e-3, 1e-2]))
def test_it_never_pulls_nor_gives_back_more_than_it_took(
    velocity: list[float], stiffness: float, damping: float, restitution: float, period: float
) -> None:
    """Whatever moves it; and its force is never beyond that of spring and damper."""
    args = {"stiffness": stiffness, "damping": damping, "point": 1e-3, "normal": -1.0}
    run = tg.VirtualWall(**args, restitution=restitution).run(velocity, period=period)
    plain = tg.VirtualWall(**args).run(velocity, period=period)
    assert (run.force <= 0.0).all()
    assert (run.force >= plain.force).all()
    depth = np.maximum(run.position - 1e-3, 0.0)
    taken = -np.cumsum(run.force * np.array(velocity) * period)
    stored = 0.5 * stiffness * depth**2
    assert (taken >= stored - 1e-9 * np.maximum.accumulate(1e-12 + np.abs(taken))).all()


@settings(max_examples=60, deadline=None)
@given(
    mass=st.floats(-2.0, 2.0).map(lambda x: 10.0**x),
    period=st.sampled_from([1e-4, 5e-4, 2e-3]),
    restitution=st.floats(0.0, 0.8),
    quick=st.sampled_from([0.004, 0.02, QUICK]),
    loads=st.lists(st.floats(-1.0, 2.0), min_size=1, max_size=8),
)
def test_a_mass_never_has_more_energy_than_was_put_in(
    mass: float, period: float, restitution: float, quick: float, loads: list[float]
) -> None:
    """Pushed and drawn by any force, in a circuit."""
    wall = wall_for(mass, period, restitution, quick)
    force = np.repeat(loads, 200) * mass * SPEED * quick / period
    run = tg.Circuit(tg.Mass(mass=mass), {"wall": wall}).run(force, period=period, initial={"velocity": SPEED})
    assert run.about["unsolved_steps"] == 0
    kinetic = 0.5 * mass * run.velocity**2
    given_to_it = 0.5 * mass * SPEED**2 + np.cumsum(force * run.velocity) * period
    scale = 0.5 * mass * SPEED**2 + np.cumsum(np.abs(force * run.velocity)) * period
    assert (kinetic <= given_to_it + 1e-9 * scale).all()


# ------------------------------------------------------------ what the spring cannot reach


def test_a_spring_that_is_too_stiff_for_the_period_is_refused_with_what_would_do() -> None:
    wall = tg.VirtualWall(stiffness=1e5, point=0.01, normal=-1.0, restitution=0.8)
    circuit = tg.Circuit(tg.Mass(mass=1.0), {"wall": wall})
    with pytest.raises(tg.InputError, match=r"restitution=0\.8 is more than the 0\.\d+ .* 1 kg .* 0\.001 s") as refused:
        circuit.run(period=1e-3, ticks=1)
    words = str(refused.value).split()
    period, stiffness = (float(words[words.index(unit) - 1]) for unit in ("s,", "N/m."))
    assert period == pytest.approx(wall.longest_period(mass=1.0), rel=1e-2)
    for better, at in (
        (wall, period),
        (tg.VirtualWall(stiffness=stiffness, point=0.01, normal=-1.0, restitution=0.8), 1e-3),
    ):
        quick = float(np.sqrt(better.stiffness) * at)
        met, left = thrown(better, 1.0, at, quick)
        assert left / met == pytest.approx(0.8, rel=0.01)
    tg.Circuit(tg.Mass(mass=1.0), {"wall": tg.VirtualWall(stiffness=1e5, point=0.01, normal=-1.0)}).run(
        period=1e-3, ticks=1
    )


def test_the_mover_is_seen_through_ratios_sums_and_other_masses() -> None:
    wall = tg.VirtualWall(stiffness=1000.0, point=0.01, normal=-1.0, restitution=0.8)  # 1 kg at 1 ms is well
    mass = tg.Mass(mass=1.0)
    tg.Circuit(mass, {"wall": wall}).run(period=1e-3, ticks=1)
    for circuit in (
        tg.Circuit(mass, {"wall": wall}, ratios={"wall": 10.0}),
        tg.Circuit(mass, {"felt": tg.ImpedanceSum({"wall": wall})}, ratios={"felt": 10.0}),
        tg.Circuit({"a": mass, "b": tg.Mass(mass=0.01)}, {"wall": tg.Link(wall, "a", "b")}),
    ):
        with pytest.raises(tg.InputError, match=r"with 0\.0\d+ kg at a period of 0\.001 s"):
            circuit.run(period=1e-3, ticks=1)


def test_a_damper_that_takes_too_much_is_refused() -> None:
    wall = tg.VirtualWall(stiffness=1000.0, damping=60.0, point=0.01, normal=-1.0, restitution=0.8)
    assert wall.longest_period(mass=1.0) == 0.0
    with pytest.raises(tg.InputError, match=r"restitution=0\.8.*\n  Give it a smaller restitution, or a damping"):
        tg.Circuit(tg.Mass(mass=1.0), {"wall": wall}).run(period=1e-4, ticks=1)
    assert tg.VirtualWall(stiffness=1000.0, point=0.0, normal=1.0).longest_period(mass=1.0) == np.inf


@pytest.mark.parametrize("ratio", [0.0, 0.05, 0.3])
def test_what_the_spring_reaches_is_the_closed_form_at_short_periods(ratio: float) -> None:
    """Of m e'' + B e' + K e = 0, left when the force is 0."""
    root = np.sqrt(1.0 - ratio**2)
    angle = np.arctan2(2.0 * ratio * root, 2.0 * ratio**2 - 1.0)
    left = -np.exp(-ratio / root * angle) * (np.cos(angle) - ratio / root * np.sin(angle))
    wall = tg.VirtualWall(stiffness=1000.0, damping=2.0 * ratio * np.sqrt(1000.0), point=0.0, normal=1.0)
    assert wall.reached(mass=1.0, period=1e-4) == pytest.approx(left, rel=0.01)


@pytest.mark.parametrize("bad", [-0.1, 1.5, np.nan, "high"])
def test_bad_restitutions_are_refused(bad: Array) -> None:
    with pytest.raises(tg.InputError, match="restitution"):
        tg.VirtualWall(stiffness=1e3, point=0.0, normal=1.0, restitution=bad)  # type: ignore[arg-type]
