"""What a record looks like to bare elements: the guesses of every friction recipe come from here.

The force of a Coulomb element is proportional to its stiffness if the reach d = F/K (how far it is carried before
it slides) and the relaxation time B/K are held. So a family of elements of unit stiffness over a grid of (d, B/K)
needs only a projection onto the record to say how well each would explain it, and how stiff it would be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.fitting.record import Record
from tegotae.friction import Coulomb, FrictionImpedance

RELAXATIONS = (0.0, 1.0, 5.0, 25.0, 125.0)  # B/K, in ticks


@dataclass(frozen=True)
class Family:
    """Coulomb elements of unit stiffness and their force on a record.

    Args:
        reaches: d = F/K [m] of each.
        relaxations: B/K [s] of each.
        forces: force of each per unit stiffness, flattened over ticks and directions.
    """

    reaches: Array
    relaxations: Array
    forces: Array

    def stiffnesses(self, record: Record) -> Array:
        """The stiffness with which each one alone explains the record best [N/m]."""
        norms = np.einsum("ij,ij->i", self.forces, self.forces)
        return np.asarray(self.forces @ flattened(record.force) / np.where(norms > 0.0, norms, 1.0))

    def costs(self, record: Record) -> Array:
        """The sum of squares that each one alone leaves; inf where it would need a negative stiffness."""
        K = self.stiffnesses(record)
        left = np.sum(record.force**2) - K * (self.forces @ flattened(record.force))
        return np.where(K > 0.0, left, np.inf)


def flattened(signal: Array) -> Array:
    """All ticks of the first direction, then of the next."""
    return np.ascontiguousarray(signal.T).ravel()


def travel(record: Record) -> float:
    """How far the record travels from end to end [m]."""
    places = np.cumsum(record.velocity, axis=0) * record.period
    return float(np.linalg.norm(np.ptp(np.concatenate([np.zeros_like(places[:1]), places]), axis=0)))


def fastest(record: Record) -> float:
    """The largest speed [m/s]."""
    return float(np.max(np.abs(record.velocity) if record.dimension == 1 else np.linalg.norm(record.velocity, axis=1)))


def largest(record: Record) -> float:
    """The largest force [N]."""
    return float(np.max(np.abs(record.force)))


def most(record: Record) -> dict[str, tuple[float, str]]:
    """How large the parameters of friction and of a force sensor can be, by the forces of the record, and why."""
    push = largest(record)
    reason = f"the largest force of the record is {push:.3g} N"
    levels = dict.fromkeys(("limit", "kinetic", "static", "offset"), (push, reason))
    return {**levels, "viscosity": (push / fastest(record), reason + f", at {fastest(record):.3g} m/s or less")}


def family(record: Record, count: int, relaxations: tuple[float, ...] = RELAXATIONS) -> Family:
    """`count` reaches from where nothing sticks to where nothing slides, times the relaxation times."""
    far = 1.5 * travel(record)
    near = max(1e-4 * far, 0.05 * record.period * float(np.sqrt(np.mean(record.velocity**2))))
    reaches, times = (
        g.ravel()
        for g in np.meshgrid(
            np.geomspace(min(near, 0.1 * far), far, count), record.period * np.array(relaxations), indexing="ij"
        )
    )
    forces, _ = unit_runs(record, reaches, times)
    return Family(reaches, times, forces)


def unit_runs(record: Record, reaches: Array, times: Array) -> tuple[Array, Array]:
    """Forces and slip velocities of unit-stiffness elements, shape (elements, directions * ticks) each."""
    one = FrictionImpedance(stiffness=1.0, law=Coulomb(1.0), dimension=record.dimension)
    many = one.batch(damping=times.tolist(), law=[Coulomb(reach) for reach in reaches.tolist()])
    run = many.run(record.velocity, period=record.period, record=["force", "slip_velocity"])
    found = (run[name].reshape(reaches.size, record.ticks, -1) for name in ("force", "slip_velocity"))
    forces, slips = (each.swapaxes(1, 2).reshape(reaches.size, -1) for each in found)
    return forces, slips


def sliding(record: Record, reach: float) -> tuple[Array, Array]:
    """Slip speeds and friction magnitudes of the ticks in which an element of this reach slides."""
    _, slips = unit_runs(record, np.array([reach]), np.zeros(1))
    return along(record, slips.reshape(record.dimension, record.ticks).T)


def along(record: Record, slip: Array) -> tuple[Array, Array]:
    """The speeds of these slip velocities (ticks, directions), and the measured force against each."""
    speeds = np.linalg.norm(slip, axis=1)
    moving = speeds > 0.0
    forces = record.force.reshape(record.ticks, -1)[moving]
    return speeds[moving], -np.sum(forces * slip[moving], axis=1) / speeds[moving]


def inspect(record: Record) -> None:
    """Refuse records in which no friction can be seen."""
    if not record.velocity.any():
        remedy = "Record a motion that slides back and forth over several millimetres, with stops or reversals."
        checks.refuse("fit", "velocity is 0 throughout, so the record shows nothing.", remedy)
    if not record.force.any():
        problem = "force is 0 throughout, so there is no friction to identify."
        checks.refuse("fit", problem, "Check the force sensor, its unit (N) and the column.")
    work = float(np.sum(record.force * record.velocity))
    if work > 0.05 * float(np.sum(np.abs(record.force * record.velocity))):
        remedy = "Give the force that the block exerts on its mover: negative at a positive velocity. Try -force."
        checks.refuse("fit", "the force drives the motion instead of resisting it.", remedy)
