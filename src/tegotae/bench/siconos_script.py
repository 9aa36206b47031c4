"""The slides' machine in Siconos, for the system's Python: ``siconos_script.py follow|time STEP SECONDS RUNS``.

It imports nothing of tegotae. Coordinates are p1x, p1y, p2x, p2y and the way of the belt, a body too heavy to feel
anything: so the belt's speed enters the slip at the floor by the linear relation alone.
The last line of its output is JSON.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

MASSES = (1.0, 1.0, 2.0, 2.0, 1e12)
SPRING, GRAVITY, BELT, HEIGHT = 200.0, 9.81, 1.0, 0.2
# Normal and tangential direction, friction coefficient: wall, between the bodies, floor.
CONTACTS = (
    (((1, 0, 0, 0, 0), (0, 1, 0, 0, 0)), 0.2),
    (((-1, 0, 1, 0, 0), (0, 1, 0, -1, 0)), 0.3),
    (((0, 0, 0, 1, 0), (0, 0, 1, 0, 1)), 0.5),
)
THETA = 0.5
TOLERANCE = 1e-6  # [N s], of the impulses in a step


def build(step: float, seconds: float) -> tuple[Any, Any]:
    """A time-stepping simulation of Moreau and Jean, and its bodies."""
    import numpy as np
    from siconos import kernel, numerics  # type: ignore[import-not-found]

    stiffness = np.zeros((5, 5))
    stiffness[1, 1] = SPRING
    bodies = kernel.LagrangianLinearTIDS(
        [0.0, HEIGHT, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, BELT], np.diag(MASSES), stiffness, np.zeros((5, 5))
    )
    bodies.setFExtPtr(np.array([0.0, 0.0, 0.0, -MASSES[3] * GRAVITY, 0.0]))
    system = kernel.NonSmoothDynamicalSystem(0.0, seconds)
    system.insertDynamicalSystem(bodies)
    for directions, coefficient in CONTACTS:
        law = kernel.NewtonImpactFrictionNSL(0.0, 0.0, coefficient, 2)
        system.link(kernel.Interaction(law, kernel.LagrangianLinearTIR(np.array(directions, dtype=float))), bodies)
    # Its Lemke solver is a little faster here, but lets the bodies drift into each other.
    problem = kernel.FrictionContact(2, numerics.SICONOS_FRICTION_2D_NSGS)
    problem.numericsSolverOptions().dparam[numerics.SICONOS_DPARAM_TOL] = TOLERANCE
    problem.numericsSolverOptions().iparam[numerics.SICONOS_IPARAM_MAX_ITER] = 10_000
    simulation = kernel.TimeStepping(system, kernel.TimeDiscretisation(0.0, step), kernel.MoreauJeanOSI(THETA), problem)
    return simulation, bodies


def follow(step: float, seconds: float) -> dict[str, list[float]]:
    """Times and heights of body 1 at every step."""
    simulation, bodies = build(step, seconds)
    times, heights = [0.0], [HEIGHT]
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        times.append(float(simulation.nextTime()))
        heights.append(float(bodies.q()[1]))
        simulation.nextStep()
    return {"times": times, "heights": heights}


def timed(step: float, seconds: float, runs: int) -> dict[str, list[float]]:
    """Seconds that each run takes, all of it in C++.

    Of wall and CPU time the smaller: runs as long as these rarely meet a quiet moment of a busy machine.
    """
    taken = []
    for _ in range(runs):
        simulation, _ = build(step, seconds)
        start = time.perf_counter(), time.process_time()
        simulation.run()
        taken.append(min(time.perf_counter() - start[0], time.process_time() - start[1]))
    return {"seconds": taken}


def main() -> None:
    """Do what the arguments ask."""
    what, step, seconds, runs = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    answer = follow(step, seconds) if what == "follow" else timed(step, seconds, runs)
    sys.stdout.flush()
    print("\n" + json.dumps(answer))


if __name__ == "__main__":
    main()
