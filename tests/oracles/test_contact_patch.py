"""The contact patch against closed forms: the steady brush, parking, relaxation, and what symmetry demands."""

import numpy as np
import pytest
from scipy.integrate import quad

from tegotae.errors import InputError
from tegotae.steering import Carcass, ContactPatch, Uniform

A, CENTRE, MU, LOAD = 0.1, 0.02, 0.4, 1400.0
K = 1e4
PER_METRE = K * 21 / (2 * A)  # cp [N/m^2], of the brush
BRUSH = ContactPatch(stiffness=K, damping=0.0, friction=MU, bristles=1601)


def brush(alpha: float) -> tuple[float, float]:
    """Lateral force and torque of a rolling brush under a parabolic load, in closed form."""
    theta = 2 * PER_METRE * A**2 / (3 * MU * LOAD)
    lam = max(0.0, 1 - theta * abs(alpha))
    force = MU * LOAD * (1 - lam**3)
    torque = MU * LOAD * A * (1 - lam) * lam**3 + CENTRE * force
    return np.sign(alpha) * force, np.sign(alpha) * torque


def parked(delta: float) -> float:
    """Torque of a parked brush turned from rest for the first time: every bristle holds up to its own limit."""

    def torque(xi: float) -> float:
        limit = MU * 1e4 * (A**2 - xi**2)
        return (xi - CENTRE) * np.clip(K * (xi - CENTRE) * delta, -limit, limit) * 21 / (2 * A)

    return quad(torque, -A, A, limit=400, points=[CENTRE])[0]


# ------------------------------------------------------------ rolling


def test_the_closed_form_has_the_numbers_that_are_known() -> None:
    assert brush(0.02) == pytest.approx((323.75, 12.38125))
    assert brush(0.08) == pytest.approx((560.0, 11.2))


@pytest.mark.parametrize("speed", [20.0, -20.0, 1e-3])
def test_rolling_it_settles_on_the_brush(speed: float) -> None:
    angles = np.array([-0.09, -0.03, 0.0, 0.001, 0.02, 0.05, 0.079, 0.2])
    # Backwards it is the mirror image: seen from there the axis lies on the other side.
    patch = BRUSH if speed > 0 else ContactPatch(stiffness=K, damping=0.0, bristles=1601, centre=-CENTRE)
    settled = patch.steady(slip_angle=angles, speed=speed)
    force, torque = np.array([brush(alpha) for alpha in angles]).T
    # Sums over 1601 cells against integrals.
    np.testing.assert_allclose(settled.lateral_force, np.sign(speed) * force, atol=1e-6 * 560)
    np.testing.assert_allclose(settled.torque, torque, atol=1e-6 * 14)


def test_the_number_of_bristles_is_only_a_resolution() -> None:
    errors = []
    for n in (51, 201, 801):
        settled = ContactPatch(stiffness=K, damping=0.0, bristles=n).steady(slip_angle=0.03, speed=7.0)
        errors.append(abs(settled.torque - brush(0.03)[1]))
    assert errors[0] < 2e-2
    assert errors[2] < errors[0] / 50


@pytest.mark.parametrize("turns", [1.0, 3.3, 1000.0])
def test_a_tick_in_which_everybody_is_replaced_is_the_steady_state(turns: float) -> None:
    """V T longer than the patch, as at 300 km/h and 10 ms: nobody remembers anything."""
    T, V = 0.01, turns * 2 * A / 0.01
    run = BRUSH.run(steer=[0.0], slip_angle=0.03, speed=V, period=T)
    assert run.lateral_force[0] == pytest.approx(brush(0.03)[0], abs=2e-3)
    assert run.torque[0] == pytest.approx(brush(0.03)[1], abs=2e-3)


def test_without_dampers_only_the_way_counts() -> None:
    """Ten times as fast in a tenth of the time is the same to every bristle."""
    way = np.linspace(0.0, 1.0, 700)
    steer, slip = 0.1 * np.sin(9 * way), 0.02 * np.cos(5 * way)
    patch = ContactPatch(stiffness=K, damping=0.0)
    slow = patch.run(steer=steer, slip_angle=slip, speed=2.0, period=1e-3)
    fast = patch.run(steer=steer, slip_angle=slip, speed=20.0, period=1e-4)
    np.testing.assert_allclose(slow.torque, fast.torque, atol=1e-9)
    np.testing.assert_allclose(slow.lateral_force, fast.lateral_force, atol=1e-8)


def test_force_builds_up_over_the_relaxation_length() -> None:
    """The mean way by which the force is late is C/kc of the carcass, plus a third of the patch of the brush itself.

    Y' = alpha - yc' moves the tread over the road; sticking bristles give F = cp int (Y(s) - Y(s - l)) dl over the
    patch, kc yc = F. In Laplace's variable F/alpha = C (1 - p (L/3 + C/kc) + ...), C = cp L^2/2.
    """
    alpha, V, T, L = 1e-4, 10.0, 1e-5, 2 * A
    for stiffness in (5e4, 2e5):
        patch = ContactPatch(
            stiffness=K, damping=0.0, bristles=400, pressure=Uniform(load=50.0), carcass=Carcass(stiffness=stiffness)
        )
        run = patch.run(steer=np.zeros(40_000), slip_angle=alpha, speed=V, period=T)
        assert run.stuck.min() == 1.0
        C = PER_METRE * L**2 / 2
        assert run.lateral_force[-1] == pytest.approx(C * alpha, rel=1e-3)
        late = V * T * np.sum(1 - run.lateral_force / run.lateral_force[-1])
        assert late == pytest.approx(C / stiffness + L / 3, rel=3e-3)


def test_a_stiff_carcass_is_a_rigid_one() -> None:
    steer = 0.1 * np.sin(0.02 * np.arange(600))
    apart = []
    for stiffness in (1e8, 1e10):
        soft = ContactPatch(stiffness=K, damping=0.0, carcass=Carcass(stiffness=stiffness))
        rigid = ContactPatch(stiffness=K, damping=0.0)
        runs = [patch.run(steer=steer, speed=5.0, period=1e-3) for patch in (soft, rigid)]
        apart.append(np.abs(runs[0].torque - runs[1].torque).max())
    assert apart[0] < 0.05
    assert apart[1] < 0.02 * apart[0]


# ------------------------------------------------------------ parked


def test_parked_it_follows_the_virgin_curve_and_masings_rule() -> None:
    angles = np.linspace(0.0, 0.3, 31)
    there_and_back = np.concatenate([angles, angles[-2::-1]])
    run = BRUSH.run(steer=there_and_back, speed=0.0, period=1e-3)
    first = np.array([parked(delta) for delta in angles])
    np.testing.assert_allclose(run.torque[:31], first, atol=1e-4)
    back = first[-1] - 2 * np.array([parked((0.3 - delta) / 2) for delta in angles[-2::-1]])
    np.testing.assert_allclose(run.torque[31:], back, atol=1e-4)


def test_parked_and_held_nothing_creeps() -> None:
    run = ContactPatch().run(steer=np.r_[np.linspace(0, 0.2, 50), np.full(5000, 0.2)], speed=0.0, period=1e-3)
    late = run.torque[2000:]  # the dampers have relaxed: 0.3 s
    assert np.ptp(late[-1000:]) < 1e-3
    assert late[-1] > 1.0


# ------------------------------------------------------------ symmetry, reversal


@pytest.mark.parametrize("patch", [ContactPatch(), ContactPatch(stiffness=K, damping=0.0, bristles=40)])
def test_backwards_is_the_mirror_image(patch: ContactPatch) -> None:
    """Front and rear exchanged: the arm, the speed and the side force change sign, the torque does not."""
    t = 1e-3 * np.arange(900)
    steer, slip, speed = 0.2 * np.sin(11 * t), 0.03 * np.sin(5 * t), 6.0 * np.cos(4 * t)
    there = patch.run(steer=steer, slip_angle=slip, speed=speed, period=1e-3)
    mirrored = ContactPatch(
        stiffness=patch.stiffness, damping=patch.damping, bristles=patch.bristles, centre=-patch.centre
    )
    back = mirrored.run(steer=steer, slip_angle=slip, speed=-speed, period=1e-3)
    np.testing.assert_allclose(back.torque, there.torque, atol=1e-9)
    np.testing.assert_allclose(back.lateral_force, -there.lateral_force, atol=1e-9)
    np.testing.assert_array_equal(back.stuck, there.stuck)


@pytest.mark.parametrize(
    "patch",
    [
        ContactPatch(bristles=101),
        ContactPatch(stiffness=K, damping=0.0, bristles=101),
        ContactPatch(stiffness=K, damping=0.0, bristles=101, carcass=Carcass(stiffness=1e5, damping=50.0, mass=1.0)),
    ],
    ids=["paper", "brush", "carcass"],
)
def test_through_standstill_nothing_jumps(patch: ContactPatch) -> None:
    T = 1e-3
    speed = np.linspace(3.0, -3.0, 4000)
    run = patch.run(steer=np.full(4000, 0.02), slip_angle=0.02, speed=speed, period=T)
    assert np.isfinite(run.torque).all()
    assert np.abs(run.lateral_force).max() <= MU * LOAD * 1.001
    around = np.abs(speed) < 0.5
    # In a tick the tread moves 10 um over the road: 21 bristles' springs and dampers cannot change by more.
    moved = 0.5 * T * 0.02
    most = 21 * (patch.stiffness * moved + patch.damping * 2 * 6.0 / 4000 * 0.02) + 0.02 * MU * LOAD
    assert np.abs(np.diff(run.lateral_force[around])).max() < most
    settled = ContactPatch(
        stiffness=patch.stiffness, damping=patch.damping, bristles=101, carcass=patch.carcass
    ).steady(slip_angle=0.02, speed=-3.0)
    assert run.lateral_force[-1] == pytest.approx(settled.lateral_force, rel=0.02)


def test_standing_is_the_limit_of_creeping() -> None:
    """No threshold at V = 0: the torque of a creeping tyre tends to that of a parked one."""
    steer = 0.1 * np.sin(0.01 * np.arange(700))
    patch = ContactPatch(stiffness=K, damping=0.0, bristles=401)
    parked_ = patch.run(steer=steer, speed=0.0, period=1e-3).torque
    apart = [
        np.abs(patch.run(steer=steer, speed=V, period=1e-3).torque - parked_).max() for V in (1e-2, 1e-3, 1e-4, -1e-4)
    ]
    assert apart[1] < 0.2 * apart[0]
    assert apart[2] < 0.2 * apart[1]
    assert apart[3] < 0.2 * apart[1]


# ------------------------------------------------------------ few bristles, bad input


def test_one_bristle_is_a_patch_too() -> None:
    one = ContactPatch(stiffness=K, damping=0.0, bristles=1, centre=0.0, pressure=Uniform(load=50.0))
    held = one.run(steer=np.zeros(3), slip_angle=1e-4, speed=10.0, period=1e-3)
    # It started in the middle, so after 10, 20, 30 mm it is stretched by that times the slip angle; stiffness 21 K.
    np.testing.assert_allclose(held.lateral_force, 21 * K * 1e-4 * np.array([0.01, 0.02, 0.03]), rtol=1e-9)
    assert np.isfinite(one.run(steer=0.1 * np.sin(np.arange(300)), speed=33.0, period=1e-3).torque).all()


def test_on_ice_there_is_hardly_a_torque() -> None:
    ice = ContactPatch(friction=1e-9)
    assert np.abs(ice.run(steer=0.1 * np.sin(np.arange(30)), speed=5.0, period=1e-3).torque).max() < 1e-6


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"bristles": 0}, "bristles"),
        ({"bristles": 2.5}, "bristles"),
        ({"stiffness": 0.0}, "stiffness"),
        ({"stiffness": np.nan}, "stiffness"),
        ({"damping": -1.0}, "damping"),
        ({"friction": -0.1}, "friction"),
        ({"friction": 0.0}, "friction"),
        ({"friction": np.inf}, "friction"),
        ({"half_length": 0.0}, "half_length"),
        ({"centre": np.nan}, "centre"),
        ({"pressure": 3.0}, "pressure"),
        ({"carcass": 1e5}, "carcass"),
    ],
)
def test_impossible_patches_are_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ContactPatch(**changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"speed": np.nan}, "speed"),
        ({"speed": [1.0, np.nan]}, "speed"),
        ({"speed": [1.0, 2.0, 3.0]}, "speed"),
        ({"steer": [0.0, np.inf]}, "steer"),
        ({"steer": []}, "steer"),
        ({"slip_angle": [np.nan, 0.0]}, "slip_angle"),
        ({"period": 0.0}, "period"),
        ({"record": ["colour"]}, "colour"),
    ],
)
def test_impossible_runs_are_refused(changes: dict[str, object], said: str) -> None:
    given: dict[str, object] = {"steer": [0.0, 0.1], "speed": 1.0, "period": 1e-3} | changes
    with pytest.raises(InputError, match=said):
        ContactPatch().run(**given)  # type: ignore[arg-type]


def test_a_parked_tyre_never_settles() -> None:
    with pytest.raises(InputError, match="parked"):
        BRUSH.steady(slip_angle=0.1, speed=0.0)
    with pytest.raises(InputError, match="speed"):
        BRUSH.steady(slip_angle=0.1, speed=np.nan)
