"""Two robots that meet: action is reaction, nothing is lost that cannot be."""

import numpy as np
import pytest

from tegotae.multibody import Lock, Servo
from tegotae.papers.two_robots import TwoRobots
from tegotae.result import Result

HELD: list[Lock | Servo | None] = [None, Lock(), Servo(gain=1000.0, rate_gain=100.0)]


def parts(two: TwoRobots, run: Result) -> list[tuple[np.ndarray, np.ndarray]]:
    """Linear and angular momentum of each robot."""
    first, second = two.robots
    return [
        first.momentum(run.q[:, : first.nq], run.v[:, : first.nv]),
        second.momentum(run.q[:, first.nq :], run.v[:, first.nv :]),
    ]


@pytest.mark.parametrize("joints", HELD, ids=["free", "locked", "servo"])
@pytest.mark.parametrize("pose", ["A", "B"])
def test_momentum_of_both_is_kept_over_the_contact(pose: str, joints: Lock | Servo | None) -> None:
    two = TwoRobots(pose=pose, joints=joints)  # type: ignore[arg-type]
    run = two.run(duration=2.0)
    two.summary(run)  # they met and parted
    for total in (run.momentum, run.angular_momentum):
        assert np.abs(total - total[0]).max() < 1e-12  # of .54 kg m/s and some .3 kg m^2/s
    assert abs(run.momentum[0, 2] + 54.0 * 0.01) < 1e-12
    # Not because nothing is exchanged.
    (p1, _), _ = parts(two, run)
    assert p1[-1, 2] < -0.3


def test_each_robot_gets_the_impulse_of_the_force_with_its_own_sign() -> None:
    two = TwoRobots(pose="B", joints=None)
    run = two.run()
    (p1, L1), (p2, L2) = parts(two, run)
    push = run.contact_force
    impulse = np.array([np.trapezoid(push[:, axis], run.time) for axis in range(3)])
    # The trapezoid rule on a bump with a kink at either end: (w T)^2/6.
    np.testing.assert_allclose(p1[-1] - p1[0], impulse, atol=1e-5)
    np.testing.assert_allclose(p2[-1] - p2[0], -impulse, atol=1e-5)
    np.testing.assert_allclose(p1 - p1[0], -(p2 - p2[0]), atol=1e-12)
    np.testing.assert_allclose(L1 - L1[0], -(L2 - L2[0]), atol=1e-12)
    assert np.abs(L1[-1] - L1[0]).max() > 0.1  # it hits beside the centre of mass


@pytest.mark.parametrize("joints", [None, Lock(), Servo(gain=5000.0)], ids=["free", "locked", "spring"])
def test_energy_is_kept_by_an_elastic_contact(joints: Lock | Servo | None) -> None:
    two = TwoRobots(pose="B", joints=joints)
    run = two.run()
    gain = joints.gain if isinstance(joints, Servo) else 0.0
    bent = run.q[:, 7:11] - two.start()[0][7:11]
    total = run.kinetic_energy + run.elastic_energy + 0.5 * gain * (bent**2).sum(axis=1)
    assert run.elastic_energy.max() > 0.2 * total[0]
    # The step across the kink costs (w T)^3 of it.
    np.testing.assert_allclose(total, total[0], rtol=2e-6)


def test_rk4_loses_energy_with_its_order_inside_the_contact() -> None:
    # Before the contact ends, a tick that touches exactly at its end (gap/speed is a whole number of ticks).
    off = []
    for period in (4e-3, 2e-3):
        two = TwoRobots(kp=400.0)
        run = two.run(duration=1.1, period=period)
        total = run.kinetic_energy + run.elastic_energy
        inside = (run.time > 1.0) & (run.gap < 0.0)
        assert inside.sum() > 20
        off.append(abs(total[inside][-1] / total[0] - 1.0))
    # A loss of (w T)^6/72 a tick: 2^5 less at half the period, in as long a time.
    assert np.log2(off[0] / off[1]) == pytest.approx(5.0, abs=0.3)


def test_a_damped_servo_only_takes_energy() -> None:
    run = TwoRobots(pose="B", joints=Servo(gain=0.0, rate_gain=50.0)).run()
    total = run.kinetic_energy + run.elastic_energy
    assert np.diff(total).max() < 1e-9 * total[0]
    assert total[-1] < 0.95 * total[0]


def test_nothing_leaves_the_plane() -> None:
    run = TwoRobots(pose="B", joints=None).run(duration=3.0)
    assert not run.outline[..., 1].any()
    assert not run.contact_force[:, 1].any()
    assert (run.force >= 0.0).all()
    assert ((run.force > 0.0) == (run.gap < 0.0)).all()
