"""The whole loop: what solving (7) to (11) together buys, the drive train of (9), and how the wheel is held."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tegotae.checks import Array
from tegotae.control.servo import LiveServo
from tegotae.friction import Coulomb
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.yamamoto2006 import T, YamamotoSubject, paper
from tegotae.result import Result
from tegotae.steering import SteeringSystem
from tegotae.steering.classics.printed import ExplicitSteering
from tegotae.steering.hands import Driver, Sine

PERIODS, SPEEDS = (1e-3, 1e-2, 0.1, 0.4), (0.0, 20.0, 70.0)


def generated(subject: YamamotoSubject, system: SteeringSystem, run: Result, period: float) -> float:
    """Energy [J] that tyre and drive train gave back beyond what they had stored, tick by tick, parked.

    What is stored is found by leading patch and train along the motion that happened; period [s].
    """
    motion = np.diff(run.steer, prepend=0.0)
    patch, c = system.patch, system.column
    led = patch.run(steer=run.steer, speed=0.0, period=period, record=["deflection"], initial={"steer": 0.0})
    train = subject.train(stiffness=c.stiffness, damping=c.damping, law=Coulomb(c.friction))
    stretch = train.run(motion / period, period=period, record=["deflection"]).deflection
    K = patch.stiffness * 21.0 / patch.bristles
    stored = 0.5 * K * (led.deflection**2).sum(axis=1) + 0.5 * c.stiffness * stretch**2
    taken = (run.tyre_torque + run.train_torque) * motion - np.diff(stored, prepend=0.0)
    return float(np.maximum(0.0, -taken).sum())


@paper.claim(source="(7)-(11)")
def no_energy_from_nowhere(subject: YamamotoSubject) -> Findings:
    """Parked, tyre and drive train never give back more than they stored when (7) to (11) are solved together: wound
    up, let go, and ringing. With the torques of the last tick, as (11) stands, they make energy.

    The equations need delta(k) to give delta(k): printed as an assignment, (11) can only be run with the torques of the
    last tick.
    """
    # A cycle of torque, then three seconds hands off; both presets' bristles, at 1 and 5 ms.
    literal = subject.literal(speed=0.0)
    stiff = replace(literal, patch=subject.brush(bristles=21))
    for period in (1e-3, 5e-3):
        time = period * np.arange(round(5.0 / period))
        torque = np.where(time < 2.0, 1.4 * np.sin(np.pi * time), 0.0)
        for name, system in (("Table 1", literal), ("stiff brush", stiff)):
            made = generated(subject, system, system.run(torque, period=period), period)
            yield Finding(f"{name}, {1e3 * period:g} ms: made", made, "<=", 1e-11, "J")
    late = subject.explicit(system=stiff).run(torque, period=period)
    yield Finding("stiff brush, 5 ms, explicit: made", generated(subject, stiff, late, period), ">=", 1e-4, "J")


def largest(system: SteeringSystem | ExplicitSteering, period: float, seconds: float) -> float:
    """Largest wheel angle [rad] under a driver who wants ±1.2 rad; period [s]."""
    run = system.run(hand=Driver(angle=Sine(amplitude=1.2)), duration=seconds, period=period)
    return float(np.abs(run.wheel_angle).max())


@paper.claim(source="(10), (11)")
def no_divergence(subject: YamamotoSubject) -> Findings:
    """Solved together, the machine follows its driver at any period up to 0.4 s, parked and at 70 m/s, with an inertia
    of 2.4 or 0.05 kg·m². The explicit scheme diverges at 20 ms, and with 0.05 kg·m² at 1 ms.
    """
    # Never further than the driver wants, and not held back either; the explicit scheme beside it.
    system = subject.literal(speed=0.0)
    light = replace(system, column=replace(system.column, inertia=0.05))
    machines = [replace(s, speed=V) for s in (system, light) for V in SPEEDS]
    angles = [largest(machine, period, max(8.0, 60.0 * period)) for machine in machines for period in PERIODS]
    yield Finding("largest wheel angle of all", max(angles), "<=", 1.2, "rad")
    yield Finding("smallest of them", min(angles), ">=", 1.0, "rad")
    yield Finding("explicit, 20 ms", largest(subject.explicit(system=system), 0.02, 8.0), ">=", 1e6, "rad")
    yield Finding("explicit, 0.05 kg·m², 1 ms", largest(subject.explicit(system=light), 1e-3, 0.3), ">=", 1e6, "rad")


def spent(steer: Array, torque: Array) -> float:
    """Energy [J] that a torque takes over the second of two cycles."""
    half = steer.size // 2
    return float(torque[half:] @ np.diff(steer[half - 1 :]))


@paper.claim(source="(9)", as_printed=False)
def erratum_drive_train(subject: YamamotoSubject) -> Findings:
    """In (9) the new deflection is (B_f e + T tau_f)/(B_f + T K_f), with the sampling time T: a cycle of ±0.1 rad then
    spends 4 T_f 0.1 rad = 0.12 J. As printed, it spends nothing: there is no friction.

    Printed: T_f tau_f, a torque times a torque, where T tau_f is meant, as in (6).
    """
    steer = 0.1 * np.sin(0.5 * np.pi * T * np.arange(8001))[1:]
    system = subject.literal()
    printed = subject.printed(system=system).train_torque(steer=steer, period=T)
    corrected = subject.explicit(system=system).train_torque(steer=steer, period=T)
    ours = subject.train(stiffness=1e4, damping=100.0, law=Coulomb(0.3)).run(np.diff(steer, prepend=0.0) / T, period=T)
    yield Finding("as printed: spent in a cycle", abs(spent(steer, printed)), "<=", 1e-6, "J")
    yield Finding("corrected, explicit scheme: off 0.12 J", abs(spent(steer, corrected) - 0.12), "<=", 1e-4, "J")
    yield Finding("corrected, our element: off 0.12 J", abs(spent(steer, -ours.force) - 0.12), "<=", 1e-4, "J")


# ------------------------------------------------------------ the wheel's servo

GAINS = {"proportional": 300.0, "integral": 1000.0, "derivative": 6.0, "limit": 8.0}
INERTIA = 0.05


class PlainPID:
    """A PID of the same gains whose force is cut off at the limit, and whose integral is not."""

    def __init__(self) -> None:
        self._sum = 0.0
        self._last: float | None = None

    def control(self, reference: float, measured: float) -> float:
        """One tick: angles [rad] in, torque [N·m] out."""
        e = reference - measured
        rate = 0.0 if self._last is None else (e - self._last) / T
        self._last, self._sum = e, self._sum + T * e
        torque = GAINS["proportional"] * e + GAINS["derivative"] * rate + GAINS["integral"] * self._sum
        return min(max(torque, -GAINS["limit"]), GAINS["limit"])


def turned(servo: LiveServo | PlainPID, wanted: Array, *, pulled: int = 0) -> Array:
    """Angle [rad] of a wheel of 0.05 kg·m² that is held where it is wanted [rad]; for so many ticks someone pulls it to
    1 rad, in a quarter of a second.
    """
    q = v = 0.0
    angles = np.empty_like(wanted)
    for tick, reference in enumerate(wanted.tolist()):
        torque = servo.control(reference, q)
        if tick < pulled:
            q = min(1.0, q + 4.0 * T)
        else:
            v += T * torque / INERTIA
            q += T * v
        angles[tick] = q
    return angles


def torn_away(servo: LiveServo | PlainPID, *, seconds: float = 6.0) -> Array:
    """Angle [rad] over so many seconds [s]: held at 0, pulled to 1 rad, let go at 1 s."""
    return turned(servo, np.zeros(round(seconds / T)), pulled=1000)


@paper.claim(source="section 3.1, which names both")
def psmc_recovers_without_overshoot(subject: YamamotoSubject) -> Findings:
    """Held by proxy-based sliding mode control, a wheel that was torn 1 rad away comes back without overshoot; a PID of
    the same gains winds up and is thrown past, or never comes back. In small both track alike.

    Wheel 0.05 kg·m², K = 300, B = 6, L = 1000, torque limit 8 N·m, H = 0.1 s. Our PID holds its integral at the limit;
    the plain one does not.
    """
    psmc, pid = subject.psmc(**GAINS, recovery=0.1), subject.pid(**GAINS)
    back = torn_away(psmc.start(period=T))
    swing = 0.3 * np.sin(np.pi * T * np.arange(3000))
    apart = turned(psmc.start(period=T), swing) - turned(pid.start(period=T), swing)
    held, plain = torn_away(pid.start(period=T)), torn_away(PlainPID(), seconds=10.0)
    yield Finding("PSMC: overshoot", -back.min(), "<=", 0.005, "rad")
    yield Finding("PSMC: left after 5 s", abs(back[-1]), "<=", 1e-6, "rad")
    yield Finding("PSMC: 1/e of the way after", np.argmax(back[1000:] < np.exp(-1.0)) * T, "<=", 0.2, "s")
    yield Finding("PID, integral held at the limit: overshoot", -held.min(), ">=", 0.25, "rad")
    yield Finding("PID, plain: farthest in the last 2 s", np.abs(plain[-2000:]).max(), ">=", 10.0, "rad")
    yield Finding("tracking, PSMC off PID", np.abs(apart).max(), "<=", 1e-9, "rad")
