"""What a control loop may hand to a live block: floats, whole numbers, NumPy's, velocities and positions."""

import numpy as np
import pytest

import tegotae as tg
from tegotae import checks

T = 1e-3
BRAKE = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
PLANAR = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0), dimension=2)


@pytest.mark.parametrize(
    "kind", [np.float64, np.float32, int, np.int64, np.array, lambda x: [x], lambda x: np.array([x])]
)
def test_every_kind_of_number_gives_what_a_float_gives(kind):
    plain, other = BRAKE.start(period=T), BRAKE.start(period=T)
    for value in (0.0, 1.0, -2.0, 3.0, 2.0**52):
        force = other.step(kind(value))
        assert force == plain.step(value)
        assert type(force) is float
        assert other.step(position=kind(value)) == plain.step(position=value)


def test_a_whole_number_too_large_for_a_float_is_refused():
    with pytest.raises(tg.InputError, match="is not made of numbers"):
        BRAKE.start(period=T).step(10**400)


@pytest.mark.parametrize("block", [BRAKE, PLANAR], ids=["line", "plane"])
def test_positions_are_velocities_to_the_last_bit(block):
    """And a velocity moves on from the last position."""
    n, rng = block.dimension, np.random.default_rng(3)
    by_position, by_velocity = block.start(period=T), block.start(period=T)
    last = None
    for k in range(300):
        if k % 7 == 6:
            velocity = rng.normal(size=n)
            last = last + T * velocity
            moved = by_position.step(float(velocity[0]) if n == 1 else velocity)
        else:
            here = 0.01 * rng.normal(size=n)
            velocity = np.zeros(n) if last is None else (here - last) / T
            last = here
            moved = by_position.step(position=float(here[0]) if n == 1 else here)
        np.testing.assert_array_equal(moved, by_velocity.step(float(velocity[0]) if n == 1 else velocity))


def test_plain_inputs_do_not_go_the_long_way(monkeypatch):
    """A float, NumPy's float and an array that fits are handed over as they are, as velocity and as position."""

    def long_way(owner, name, value):
        raise AssertionError(f"{name}={value!r} was made an array of")

    brake, planar = BRAKE.start(period=T), PLANAR.start(period=T)
    monkeypatch.setattr(checks, "numbers", long_way)
    for value in (0.1, np.float64(0.1), 1):
        brake.step(value)
        brake.step(position=value)
        brake.step(value)
    planar.step(np.array([0.1, 0.2]))
    planar.step(position=np.array([0.1, 0.2]))
