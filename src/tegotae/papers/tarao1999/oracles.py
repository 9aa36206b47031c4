"""Without kernels: Kane's equations by dense matrices from the bodies as given; theory for blocks, grips and bumps; one
mass against a table, by scipy alone: what (10) and a delay do to a contact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

from tegotae.friction import FrictionImpedance
from tegotae.multibody import Body, Fixed, Free, Prismatic, Revolute

Array = NDArray[np.float64]
G = 9.81
PERIOD = 2e-3  # the paper's [s]
USUAL = (50.0, 10.0, 50.0, 1.0)  # masses of base and links of both robots [kg]
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))  # of the hinges of a chain, in turn
_SMALL = 1e-100  # a complex step loses nothing to rounding, so it may be as small as one likes


def cross(a: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """The matrix of a x."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def turned(axis: ArrayLike, angle: complex) -> NDArray[np.complex128]:
    """Rodrigues' rotation."""
    K = cross(np.asarray(axis, dtype=np.complex128))
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K))


def of_quaternion(q: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """The rotation of (w, x, y, z) of any length."""
    w, x, y, z = q / np.sqrt((q * q).sum())  # no modulus: it would not be analytic
    K = cross(np.array([x, y, z]))
    return np.asarray(np.eye(3) + 2.0 * w * K + 2.0 * K @ K)


def rate_of(bodies: Sequence[Body], q: Array, v: Array) -> Array:
    """dq/dt from q and v: the same but for quaternions, which turn by half of (0, w) times themselves."""
    rate, i, j = np.zeros(len(q)), 0, 0
    for body in bodies:
        if isinstance(body.joint, Free):
            rate[i : i + 3] = v[j : j + 3]
            s, u, w = q[i + 3], q[i + 4 : i + 7], v[j + 3 : j + 6]
            rate[i + 3], rate[i + 4 : i + 7] = -0.5 * w @ u, 0.5 * (s * w + np.cross(w, u))
            i, j = i + 7, j + 6
        elif isinstance(body.joint, Revolute | Prismatic):
            rate[i] = v[j]
            i, j = i + 1, j + 1
    return rate


def moved(bodies: Sequence[Body], q: ArrayLike, v: ArrayLike) -> dict[str | None, tuple[NDArray[np.complex128], ...]]:
    """Of each body: rotation, velocity of its origin, angular velocity, velocity of its centre; None is the world."""
    q, v = np.asarray(q, dtype=np.complex128), np.asarray(v, dtype=np.complex128)
    upright, still = np.eye(3, dtype=np.complex128), np.zeros(3, dtype=np.complex128)
    seen: dict[str | None, tuple[NDArray[np.complex128], ...]] = {None: (upright, still, still, still)}
    i = j = 0
    for body in bodies:
        R, u, w, _ = seen[body.parent]
        if isinstance(body.joint, Free):
            R, u, w = of_quaternion(q[i + 3 : i + 7]), v[j : j + 3], v[j + 3 : j + 6]
            i, j = i + 7, j + 6
        else:
            u = u + cross(w) @ (R @ np.asarray(body.position))
            R = R @ np.asarray(body.rotation)
            if isinstance(body.joint, Revolute):
                R = R @ turned(body.joint.axis, q[i])
                w = w + R @ np.asarray(body.joint.axis) * v[j]
            elif isinstance(body.joint, Prismatic):
                axis = R @ np.asarray(body.joint.axis)
                u = u + cross(w) @ axis * q[i] + axis * v[j]
            if isinstance(body.joint, Revolute | Prismatic):
                i, j = i + 1, j + 1
        seen[body.name] = (R, u, w, u + cross(w) @ (R @ np.asarray(body.center)))
    return seen


def kane(
    bodies: Sequence[Body],
    q: Array,
    v: Array,
    torque: Array,
    *,
    gravity: ArrayLike = (0.0, 0.0, -G),
    wrenches: Mapping[str, ArrayLike] | None = None,
) -> tuple[Array, Array]:
    """M and f of (1), M u' + f = 0: partial velocities as columns, remainders by a complex step along the motion."""
    nv, wrenches = len(v), wrenches or {}
    now = moved(bodies, q, v)
    partial = [moved(bodies, q, unit) for unit in np.eye(nv)]
    later = moved(bodies, np.asarray(q) + 1j * _SMALL * rate_of(bodies, q, v), v)
    M, f = np.zeros((nv, nv)), -np.asarray(torque, dtype=np.float64)
    for body in bodies:
        name = body.name
        R, w = now[name][0].real, now[name][2].real
        U, W, V = (np.array([columns[name][part].real for columns in partial]).T for part in (1, 2, 3))
        inertia = R @ np.asarray(body.inertia) @ R.T
        a_t, alpha_t = later[name][3].imag / _SMALL, later[name][2].imag / _SMALL
        M += body.mass * V.T @ V + W.T @ inertia @ W
        f += body.mass * V.T @ (a_t - np.asarray(gravity)) + W.T @ (inertia @ alpha_t + np.cross(w, inertia @ w))
        if name in wrenches:
            push = np.asarray(wrenches[name], dtype=np.float64)
            f -= U.T @ push[:3] + W.T @ push[3:]
    return M, f


def random_bodies(count: int, *, free: bool, seed: int) -> list[Body]:
    """A tree of hinges, slides and some welds, with real bodies: inertias of point masses."""
    rng = np.random.default_rng(seed)
    bodies: list[Body] = []
    for k in range(count):
        kind = rng.choice(3, p=(0.65, 0.25, 0.1)) if k else 0
        joint = (Revolute(axis=rng.normal(size=3)), Prismatic(axis=rng.normal(size=3)), Fixed())[kind]
        grains = 0.2 * rng.normal(size=(4, 3))
        bodies.append(
            Body(
                name=f"body{k}",
                mass=rng.uniform(0.5, 2.0),
                inertia=sum((x @ x) * np.eye(3) - np.outer(x, x) for x in grains),
                center=0.1 * rng.normal(size=3),
                parent=f"body{rng.integers(max(0, k - 4), k)}" if k else None,
                joint=Free() if free and k == 0 else joint,
                position=0.3 * rng.normal(size=3),
                rotation=turned(_unit(rng.normal(size=3)), rng.uniform(-3.0, 3.0)).real,
            )
        )
    return bodies


def _unit(x: Array) -> Array:
    return np.asarray(x / np.linalg.norm(x))


def chain(
    links: int, *, mass: float, inertia: tuple[float, ...], length: float, friction: FrictionImpedance | None = None
) -> list[Body]:
    """Links on end, each with its centre half way, on hinges whose axes alternate and may rub."""
    return [
        Body(
            name=f"link{k}",
            mass=mass,
            inertia=inertia,
            center=(0.0, 0.0, length / 2.0),
            parent=f"link{k - 1}" if k else None,
            joint=Revolute(axis=AXES[k % 2], friction=friction),
            position=(0.0, 0.0, length if k else 0.0),
        )
        for k in range(links)
    ]


def hanging(count: int) -> list[Body]:
    """A pendulum of so many links of 1 kg and 0.5 m, each turning about -y."""
    return [
        Body(
            name=f"link{k}",
            mass=1.0,
            inertia=(0.01, 0.01, 0.01),
            center=(0.0, 0.0, -0.25),
            parent=f"link{k - 1}" if k else None,
            joint=Revolute(axis=(0, -1, 0)),
            position=(0.0, 0.0, -0.5 if k else 0.0),
        )
        for k in range(count)
    ]


def random_state(nq: int, nv: int, *, free: bool, seed: int) -> tuple[Array, Array, Array]:
    """q, v and torques; the quaternion of a free base has length 1."""
    rng = np.random.default_rng(seed)
    q, v, torque = rng.normal(size=nq), rng.normal(size=nv), rng.normal(size=nv)
    if free:
        q[3:7] = _unit(q[3:7])
    return q, v, torque


def reduced(masses: Sequence[float]) -> float:
    """The mass that a contact in line feels of both robots, a base and four links each [kg]."""
    one, two = masses[0] + 4.0 * masses[1], masses[2] + 4.0 * masses[3]
    return one * two / (one + two)


def bump(k: float, masses: Sequence[float], speed: float) -> tuple[float, float]:
    """Peak [N] and duration [s] of two lumps that meet through a spring: v sqrt(k m), pi sqrt(m/k), m reduced."""
    m = reduced(masses)
    return speed * math.sqrt(k * m), math.pi * math.sqrt(m / k)


FELT = 0.5  # N from which the servo of the twin knows that there is contact
PHASES = (0.0, 0.25, 0.5, 0.75)  # of the touch within a period


class Bounce(NamedTuple):
    """Peak [N], duration [s] and restitution of a contact, by the names that an audit has for them."""

    peak_force: float
    duration: float
    restitution: float


def late(stiffness: float, mass: float, delay: float) -> float:
    """Restitution of a mass on a spring that answers late: exp(pi w tau/2), for small w tau.

    The spring's force k x(t - tau) is about k x - k tau x', a negative damper: over half a swing, pi/w, it multiplies
    the speed by exp(k tau/(2 m) pi/w).
    """
    return math.exp(0.5 * math.pi * math.sqrt(stiffness / mass) * delay)


@cache
def _swing(stiffness: float, damping: float, mass: float, speed: float) -> tuple[Array, Array, Array]:
    """Time, velocity and force from touch to release."""

    def force(y: Array) -> Array:
        return np.asarray(stiffness * y[0] + damping * y[1])

    def over(t: float, y: Array) -> float:
        return float(force(y)) if t > 0.0 else 1.0

    def rate(t: float, y: Array) -> tuple[float, float]:
        return y[1], -float(force(y)) / mass

    over.terminal, over.direction = True, -1  # type: ignore[attr-defined]
    longest = 2.0 * math.pi * math.sqrt(mass / stiffness)
    step = longest / 500.0
    seen = solve_ivp(rate, (0.0, longest), (0.0, speed), events=over, max_step=step, rtol=1e-9, atol=1e-13)
    return np.asarray(seen.t), np.asarray(seen.y[1]), force(seen.y)


def damped(stiffness: float, damping: float, mass: float, speed: float) -> Bounce:
    """A mass against spring and damper side by side, until the force ends."""
    time, velocity, force = _swing(stiffness, damping, mass, speed)
    return Bounce(float(force.max()), float(time[-1]), float(-velocity[-1] / speed))


def history(stiffness: float, damping: float, mass: float, speed: float) -> tuple[Array, Array]:
    """Time since the touch [s] and force [N] of the same, with nothing before and after."""
    time, _, force = _swing(stiffness, damping, mass, speed)
    return np.concatenate([[-1.0, 0.0], time, time[-1] + np.array([0.0, 1.0])]), np.pad(force, 2)


@dataclass(frozen=True, kw_only=True)
class Table:
    """A plate on sampled servos before a surface, along one line: (10) with what a probe gives.

    The bodies' distance x is where the plate is told to be. Once a period T the servo takes K (x_end - p) + D (share x'
    - p'), with x at the period's end, p now and rates by differences of one period, and holds it; the plate M then
    moves under it and the surface's k d + c d'. `share` is 1 in free flight.
    """

    K: float  # of the servos [N/m]
    D: float  # of the servos [N·s/m]
    M: float  # of plate and arms [kg]
    stiffness: float  # of surface and probe, k [N/m]
    damping: float  # of surface and probe, c [N·s/m]
    share: float  # of the rate x' that the servo knows of in contact [-]
    period: float = PERIOD  # T [s]

    @property
    def together(self) -> float:
        """Servo and probe one after the other [N/m]."""
        return 1.0 / (1.0 / self.K + 1.0 / self.stiffness)

    def bounce(self, mass: float, speed: float) -> Bounce:
        """The contact of a reduced mass [kg] at a speed [m/s], mean of four phases of the touch in a period."""
        return Bounce(*(float(x) for x in np.mean([_met(self, mass, speed, part)[0] for part in PHASES], axis=0)))

    def history(self, mass: float, speed: float) -> tuple[Array, Array]:
        """Time since the touch [s] and force [N] of one of them."""
        return _met(self, mass, speed, PHASES[2])[1]


@cache
def _met(table: Table, mass: float, speed: float, phase: float) -> tuple[Bounce, tuple[Array, Array]]:
    T, k, c = table.period, table.stiffness, table.damping
    x, u = -(3.0 + phase) * speed * T, speed
    p, w = x + speed * T, speed  # at constant speed it is where the period's end asks for
    before, asked, force = p - speed * T, x, 0.0

    def push(p: float, w: float) -> float:
        return max(0.0, k * p + c * w) if p > 0.0 else 0.0

    times: list[float] = []
    forces: list[float] = []
    for tick in range(round(0.5 / T)):
        wanted = x + T * u - 0.5 * T * T * force / mass
        share = table.share if force > FELT else 1.0
        servo = table.K * (wanted - p) + table.D * (share * (wanted - asked) - (p - before)) / T
        asked, before = wanted, p

        def slope(t: float, y: Array, servo: float = servo) -> tuple[float, ...]:
            felt = push(y[2], y[3])
            return y[1], -felt / mass, y[3], (servo - felt) / table.M

        seen = solve_ivp(slope, (0.0, T), (x, u, p, w), max_step=T / 5.0, rtol=1e-5, atol=1e-9)
        x, u, p, w = (float(last) for last in seen.y[:, -1])
        force = push(p, w)
        times += [T * tick + float(t) for t in seen.t[1:]]
        forces += [push(y[2], y[3]) for y in seen.y.T[1:]]
        if force == 0.0 and u < 0.0:
            break
    time, felt = np.array(times), np.array(forces)
    pushing = time[felt > 0.0]
    sampled = felt[np.isclose(time % T, 0.0, atol=1e-9) | np.isclose(time % T, T, atol=1e-9)]  # as the sensor is
    return Bounce(float(sampled.max()), float(np.ptp(pushing)), -u / speed), (time - pushing[0], felt)
