"""A batch of rods is each of them by itself, to the last bit."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.rod import Load, Payload, Phase, PlanarRod, RodError, Shape
from tegotae.rod.many import run_many, variations

ROD = PlanarRod(length=10, nodes=5, density=0.1, elasticity=1, viscosity=2)
PHASES = [Phase(until=1, torque=50, base="pinned"), Phase(until=2, base="pinned"), Phase(until=3, base="free")]
NAMES = ("angle", "angle_rate", "position", "velocity", "kinetic", "elastic", "dissipated", "work")


def differing():
    """Rods alike in their number of nodes alone."""
    return [
        ROD,
        PlanarRod(length=2.0, nodes=5, density=[0.1, 0.2, 0.3, 0.1], elasticity=0.5, viscosity=0.1, rest_curvature=0.5),
        PlanarRod(length=3.0, nodes=5, density=0.2, elasticity=2.0, viscosity=0.3, spacing=[0.5, 1.0, 1.0, 0.5]),
        PlanarRod(length=1.0, nodes=5, density=0.2, elasticity=1.0, viscosity=0.2, gravity=(0.0, -9.81)),
        PlanarRod(length=1.0, nodes=5, density=0.2, elasticity=1.0, viscosity=0.2, payload=Payload(mass=0.1)),
    ]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("method", ["auto", "implicit"])
def test_each_rod_of_a_batch_moves_as_by_itself(threads, method):
    options = {"times": [0.5, 1.0, 2.5], "rtol": 1e-5, "atol": 1e-5, "method": method}
    phases = [
        Phase(until=1.0, torque=0.5, base="pinned", loads=[Load(at=0.7, force=(0.0, 0.1))]),
        Phase(until=2.5, base="pinned", curvature=([1.0, 2.0, 2.5], [0.0, 0.3, -0.2])),
    ]
    rods = differing()
    together = run_many(rods, phases, threads=threads, **options)
    for i, rod in enumerate(rods):
        alone = rod.run(phases, **options)
        for name in NAMES:
            np.testing.assert_array_equal(together[name][i], alone[name], err_msg=f"{name} of rod {i}")


def test_varied_parameters_and_starts_move_as_by_themselves():
    rods = variations(ROD, {"elasticity": [0.5, 1.0, 2.0], "viscosity": [1.0, 2.0, 3.0]})
    starts = [Shape(angle=np.linspace(0.0, bend, 5), base=(bend, 0.0)) for bend in (0.0, 0.5, 1.0)]
    together = run_many(rods, PHASES, times=[1.0, 3.0], initial=starts)
    for i, (rod, start) in enumerate(zip(rods, starts, strict=True)):
        alone = rod.run(PHASES, times=[1.0, 3.0], initial=start)
        np.testing.assert_array_equal(together.angle[i], alone.angle)
        np.testing.assert_array_equal(together.position[i], alone.position)


def test_a_rod_that_cannot_go_on_is_named_and_the_others_are_kept():
    rods = [ROD, variations(ROD, {"viscosity": [0.0], "elasticity": [1e300]})[0], ROD]
    with pytest.raises(RodError, match=r"1 of 3 rods stopped, the first is rods\[1\]") as stopped:
        run_many(rods, PHASES[:1], times=[0.5, 1.0], method="explicit")
    kept = stopped.value.partial
    alone = ROD.run(PHASES[:1], times=[0.5, 1.0], method="explicit")
    assert np.isnan(kept.angle[1]).any()
    for i in (0, 2):
        np.testing.assert_array_equal(kept.angle[i], alone.angle)


def test_bad_batches_are_refused():
    other = PlanarRod(length=1, nodes=6, density=0.1, elasticity=1)
    for wrong in ([], [ROD, other], [ROD, None]):
        with pytest.raises(tg.InputError, match="rods"):
            run_many(wrong, PHASES)
    with pytest.raises(tg.InputError, match="threads"):
        run_many([ROD], PHASES, threads=0)
    with pytest.raises(tg.InputError, match="initial has 2 shapes"):
        run_many([ROD], PHASES, initial=[Shape(angle=0.0)] * 2)
    with pytest.raises(tg.InputError, match="'stiffness'"):
        variations(ROD, {"stiffness": [1.0]})
    with pytest.raises(tg.InputError, match="lengths"):
        variations(ROD, {"elasticity": [1.0], "viscosity": [1.0, 2.0]})
