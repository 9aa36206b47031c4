"""Sections 3.2 and 4.2: the six-arm table, where its plate is and how stiff it feels."""

from __future__ import annotations

import itertools

import numpy as np

from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.measuring import apart
from tegotae.papers.tarao1999 import GAINS, TaraoSubject, paper
from tegotae.papers.tarao1999.oracles import Array, turned
from tegotae.table import Hexa, excitation, identify_impedance

STRIDE = 1e-5  # of central differences [m, rad]: its square and the rounding it amplifies both stay below 1e-9
LONG = 3e-4  # of second differences


def poses(count: int = 40, *, seed: int = 0) -> list[tuple[Array, Array]]:
    """Places within 6 cm of home, turned by up to 0.2 rad about any axis."""
    rng, home = np.random.default_rng(seed), Hexa.default().home[0]
    axes = rng.normal(size=(count, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    return [(home + rng.uniform(-0.06, 0.06, 3), turned(axis, rng.uniform(0.0, 0.2)).real) for axis in axes]


def shifted(place: Array, turn: Array, d: Array) -> tuple[Array, Array]:
    """A pose moved by three lengths and a small rotation vector."""
    angle = float(np.linalg.norm(d[3:]))
    return place + d[:3], (turned(d[3:] / angle, angle).real if angle else np.eye(3)) @ turn


def rods(table: Hexa, place: Array, turn: Array, angles: Array) -> Array:
    """Lengths from elbows to the plate's joints, from the drawing alone [m]."""
    found = []
    for i, angle in enumerate(angles):
        side = 2.0 * np.pi / 3.0 * (i // 2)
        out = np.array([np.cos(side), np.sin(side), 0.0])
        along = np.array([-np.sin(side), np.cos(side), 0.0]) * (-1.0 if i % 2 == 0 else 1.0)
        reach = table.base_radius + table.arm_length * np.cos(angle)
        elbow = reach * out + table.base_spacing * along - [0.0, 0.0, table.arm_length * np.sin(angle)]
        joint = place + turn @ (table.plate_radius * out + table.plate_spacing * along)
        found.append(np.linalg.norm(elbow - joint))
    return np.array(found)


@paper.claim(source="section 3.2, Fig. 7")
def table_round_trip(subject: TaraoSubject) -> Findings:
    """Arm angles in closed form keep every rod its length; the way back, by Newton, returns to the pose.

    The paper prints no dimensions: those of a table of its size are used.
    """
    table = subject.hexa()
    rod, place, turn = [], [], []
    for p, R in poses():
        angles = table.inverse(p, R)
        rod.append(np.abs(rods(table, p, R, angles) - table.rod_length).max())
        back, turned_back = table.forward(angles)
        place.append(np.abs(back - p).max())
        turn.append(np.abs(turned_back - R).max())
    yield Finding("rods off their length", max(rod), "<=", 1e-12, "m")
    yield Finding("places off after the round trip", max(place), "<=", 1e-12, "m")
    yield Finding("cosines off after the round trip", max(turn), "<=", 1e-12)


def arm_shifts(table: Hexa, p: Array, R: Array, d: Array) -> Array:
    """How the arms turn as the plate moves along d, by central differences of the inverse kinematics."""
    ahead, behind = (table.inverse(*shifted(p, R, sign * STRIDE * d)) for sign in (1.0, -1.0))
    return np.asarray((ahead - behind) / (2.0 * STRIDE))


@paper.claim(source="(12)")
def table_jacobian(subject: TaraoSubject) -> Finding:
    """Small motions of the plate and of the arms are joined by the Jacobian, dp = J dtheta."""
    table, off = subject.hexa(), []
    for p, R in poses(10):
        difference = np.stack([arm_shifts(table, p, R, unit) for unit in np.eye(6)], axis=1)
        off.append(np.abs(table.jacobian(p, R) @ difference - np.eye(6)).max())
    return Finding("J times measured shifts, off 1", max(off), "<=", 1e-7)


@paper.claim(source="(11) and (13)", as_printed=False)
def erratum_virtual_work(subject: TaraoSubject) -> Findings:
    """The work of the wrench on the plate is that of the motors, F^T dp = tau^T dtheta, and gives (13), tau = J^T F.
    Without transposes both sides are columns times columns; read entry by entry they differ.

    Printed: F dp = tau dtheta.
    """
    # Random wrenches and small motions; dtheta from the inverse kinematics, tau from (13).
    table, rng = subject.hexa(), np.random.default_rng(3)
    printed, corrected = [], []
    for p, R in poses(10):
        F, d = rng.normal(size=6), rng.normal(size=6)
        tau, shift = table.jacobian(p, R).T @ F, arm_shifts(table, p, R, d)
        printed.append(np.abs(F * d - tau * shift).max() / np.abs(F * d).max())
        corrected.append(abs(F @ d - tau @ shift) / np.abs(F * d).sum())
    yield Finding("as printed, entry by entry: least difference, relative", min(printed), ">=", 0.1)
    yield Finding("with transposes: works apart, relative", max(corrected), "<=", 1e-7)


def bowl(table: Hexa, p: Array, R: Array, kp: float) -> Array:
    """Second differences of the energy that six servos store as the plate is moved from where they hold it."""
    held = table.inverse(p, R)

    def energy(d: Array) -> float:
        return float(0.5 * kp * ((table.inverse(*shifted(p, R, d)) - held) ** 2).sum())

    K, units = np.zeros((6, 6)), LONG * np.eye(6)
    for i, j in itertools.combinations_with_replacement(range(6), 2):
        signs = itertools.product((1.0, -1.0), repeat=2)
        K[i, j] = K[j, i] = sum(a * b * energy(a * units[i] + b * units[j]) for a, b in signs) / (4.0 * LONG**2)
    return K


@paper.claim(source="(14) and (15)")
def table_stiffness(subject: TaraoSubject) -> Findings:
    """The plate, held by springs in the motors, resists with J^-T Kp J^-1: found again as the curvature of the energy
    those springs store, from the inverse kinematics alone.
    """
    table = subject.hexa()
    off = [apart(bowl(table, p, R, 200.0), table.stiffness(p, R, 200.0)) for p, R in [(table.home), *poses(3, seed=5)]]
    soft, middle, stiff = (subject.stiffness(kp) for kp in GAINS)
    yield Finding("off the curvature, relative", max(off), "<=", 1e-5)
    yield Finding("Kp 400 over 200, off 2", abs(middle / soft - 2.0), "<=", 1e-12)
    yield Finding("Kp 800 over 200, off 4", abs(stiff / soft - 4.0), "<=", 1e-12)


@paper.claim(source="(10); section 5, stated as future work")
def table_impedance(subject: TaraoSubject) -> Findings:
    """As a contact feels it the table is a mass, a damper and a spring. Identified from a record of its simulated twin,
    the spring is the static (15); the servo's sampling takes K T/2 off the damper, J^-T Kd J^-1.

    The twin has a servo of 2 ms with Kd and masses of our choice: the paper prints none. K T/2 is what holding a torque
    for a period, a delay of half of it, does to a spring.
    """
    # Twelve seconds of random pushes at each Kp; all entries, as shares of what their axes have on the diagonal.
    table = subject.hexa()
    for kp in GAINS:
        plant = subject.Plant(kp=kp)
        T, size = plant.servo.period, kp / 200.0
        push = excitation(seconds=12.0, period=T, band=10.0, force=size, torque=0.03 * size)
        identified = identify_impedance(plant.run(push))
        K = table.stiffness(*table.home, kp)
        W = table.inverse_jacobian(*table.home)
        D = W.T @ (np.asarray(plant.servo.kd)[:, None] * W) - 0.5 * T * K
        yield Finding(f"Kp {kp:g}: K off (15)", _shares(identified.stiffness, K), "<=", 0.01)
        yield Finding(f"Kp {kp:g}: D off J^-T Kd J^-1 - K T/2", _shares(identified.damping, D), "<=", 0.015)


def _shares(found: Array, wanted: Array) -> float:
    scale = np.sqrt(np.outer(np.diag(wanted), np.diag(wanted)))
    return float(np.abs((found - wanted) / scale).max())
