"""Without a ground the fixed-period rod is the adaptive one, with an error that falls as the period."""

import numpy as np
import pytest

from tegotae.rod import GroundedRod, Load, Payload, Phase, PlanarRod

PERIODS = np.array([2e-3, 1e-3, 5e-4])

MACHINES = {
    "pinned, then free": (
        PlanarRod(length=1.0, nodes=6, density=1.0, elasticity=1.0, viscosity=0.02, gravity=(0.0, -1.0)),
        [Phase(until=0.3, torque=0.3, base="pinned"), Phase(until=0.5, base="free")],
    ),
    "bent by itself, carrying, loaded": (
        PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=0.5, viscosity=0.05, payload=Payload(mass=0.2)),
        [
            Phase(
                until=0.5,
                base="fixed",
                curvature=(np.array([0.0, 0.5]), np.array([0.0, 2.0])),
                loads=[Load(at=0.55, force=(0.0, 0.3), torque=0.05)],
            )
        ],
    ),
}


@pytest.mark.parametrize("name", MACHINES)
def test_first_order_towards_the_adaptive_rod(name: str) -> None:
    rod, phases = MACHINES[name]
    until = phases[-1].until
    wanted = rod.run(phases, times=[until], rtol=1e-9, atol=1e-9, method="explicit")
    errors = {"angle": [], "position": [], "work": [], "dissipated": []}  # type: dict[str, list[float]]
    for T in PERIODS:
        run = GroundedRod(rod=rod).run(phases, period=float(T), every=round(until / T))
        for quantity, found in errors.items():
            found.append(float(np.abs(run[quantity][-1] - wanted[quantity][-1]).max()))
        assert run.about["trials"] == run.about["ticks"], "nothing grips: one solve a tick"
    for quantity, found in errors.items():
        slope = np.polyfit(np.log(PERIODS), np.log(found), 1)[0]
        assert slope == pytest.approx(1.0, abs=0.1), (quantity, found)
