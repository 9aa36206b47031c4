"""Figs. 8 to 10: torque over wheel angle, parked and driving, and its drop at full slip, literal and physical."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from tegotae.checks import Array
from tegotae.friction import ParallelFriction
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.yamamoto2006 import STIFF, T, YamamotoSubject, cycle, paper, swing
from tegotae.papers.yamamoto2006.oracles import brush
from tegotae.result import Result
from tegotae.steering import SteeringSystem
from tegotae.steering.hands import Driver, Ramp

PARKED, DRIVING = 8.0, 1.2  # how far the driver turns the wheel [rad]
# The second cycle from one end of the way to the other: -1 down, +1 up, and the ticks between.
DIRECTIONS = ((-1.0, slice(5200, 6900)), (1.0, slice(7200, 8900)))


@lru_cache(maxsize=16)
def loop(system: SteeringSystem, amplitude: float) -> Result:
    """Three cycles at 0.25 Hz; amplitude [rad]. Several claims and a figure look at the same ones."""
    return swing(system, amplitude=amplitude, cycles=3)


@paper.claim(source="Fig. 8 and section 2")
def smooth_hysteresis_parked(subject: YamamotoSubject) -> Findings:
    """Parked, torque over wheel angle is a smooth hysteresis loop: it closes, spends 13.1 J on ±8 rad, and is that of
    parallel visco-elastoplastic elements, each at its arm.

    Period, gear ratio, lf/l and the hand are not in the text: 1 ms, 16, 0.5, 10 N·m/rad with 1 N·m·s/rad.
    """
    run = loop(subject.literal(speed=0.0), PARKED)
    angle, torque = run.wheel_angle, run.hand_torque
    second, third = cycle(0.25, 1), cycle(0.25, 2)
    down, up = (np.interp(0.0, sign * angle[ticks], torque[ticks]) for sign, ticks in DIRECTIONS)
    steps = np.abs(np.diff(run.tyre_torque[second])).max() / np.ptp(run.tyre_torque)
    work, again = np.trapezoid(torque[second], angle[second]), np.abs(torque[third] - torque[second]).max()
    yield Finding("work of a cycle", work, ">=", 12.8, "J")
    yield Finding("work of a cycle", work, "<=", 13.4, "J")
    yield Finding("next cycle's torque, largest difference", again, "<=", 2e-3, "N·m")
    yield Finding("way up above way down, in the middle", up - down, ">=", 1.0, "N·m")
    yield Finding("largest step in a tick, of the whole", steps, "<=", 5e-3)
    # Elements K A², B A², mu F |A| in parallel: another code, the same sentence.
    xi = 0.1 * ((2.0 * np.arange(21) + 1.0) / 21.0 - 1.0)
    arm = np.abs(xi - 0.02)
    limits = 0.4 * 1e4 * (0.01 - xi * xi) * arm
    bank = ParallelFriction(stiffness=500.0 * arm**2, damping=150.0 * arm**2, limits=limits)
    force = bank.run(np.diff(run.steer, prepend=0.0) / T, period=T).force
    off = np.abs(-force - run.tyre_torque).max()
    yield Finding("off a bank of parallel elements", off, "<=", 1e-9, "N·m")


def first_full_slip(run: Result) -> float:
    """Wheel angle [rad] at which no bristle sticks for the first time."""
    free = np.flatnonzero(run.stuck == 0.0)
    return float(run.wheel_angle[free[0]]) if free.size else float("nan")


@paper.claim(source="Figs. 9 and 10")
def full_slip_comes_earlier_at_speed(subject: YamamotoSubject) -> Findings:
    """At 20 m/s the tyre slips as a whole from 0.419 rad of the wheel on, at 70 m/s already from 0.122 rad. It is the
    damper that decides: nothing sticks beyond alpha = mu F_max/(B V).

    B/K is 0.3 s against 10 ms in which a bristle passes the patch at 20 m/s: every effect of speed in the figures comes
    from the damper.
    """
    for V, angle in ((20.0, 0.419), (70.0, 0.122)):
        slips = first_full_slip(loop(subject.literal(speed=V), DRIVING))
        yield Finding(f"at {V:g} m/s, off {angle} rad", abs(slips / angle - 1.0), "<=", 0.02)
    limit = 16.0 / 0.5 * 40.0 / (150.0 * 70.0)  # theta = N/(1 - lf/l) alpha
    yield Finding("at 70 m/s, off the damper's mu F_max/(B V)", abs(slips / limit - 1.0), "<=", 0.02)
    patch = subject.patch(stiffness=500.0, damping=0.0, friction=0.4, bristles=101)
    angles = np.linspace(0.0, 0.03, 7)
    slow, fast = (np.asarray(patch.steady(slip_angle=angles, speed=V).torque) for V in (20.0, 70.0))
    yield Finding("torque without damper, 70 m/s off 20", np.abs(fast - slow).max(), "<=", 1e-9, "N·m")


def slope_in_stick(run: Result) -> float:
    """Slope [N·m/rad] of a straight line through the second way up, |theta| < 0.1 rad."""
    way_up = slice(7000, 9000)  # from one end to the other
    angle, torque = run.wheel_angle[way_up], run.hand_torque[way_up]
    middle = np.abs(angle) < 0.1
    return float(np.polyfit(angle[middle], torque[middle], 1)[0])


@paper.claim(source="Figs. 9 and 10, section 4")
def slope_grows_with_speed(subject: YamamotoSubject) -> Findings:
    """While bristles stick, torque rises with wheel angle the more steeply the faster the car: 2.47 N·m/rad at 20 m/s,
    7.52 at 70. With these numbers by the damper; a stiff brush needs none on a vehicle that slides and yaws: there the
    torque for a slight turn grows nearly as V².

    Literal: a straight line through |theta| < 0.1 rad on the second way up. Physical: at the tyre, settled.
    """
    for V, slope in ((20.0, 2.47), (70.0, 7.52)):
        seen = slope_in_stick(loop(subject.literal(speed=V), DRIVING))
        yield Finding(f"at {V:g} m/s, off {slope} N·m/rad", abs(seen / slope - 1.0), "<=", 0.02)
    yield Finding("parked", slope_in_stick(loop(subject.literal(speed=0.0), DRIVING)), "<=", 0.2, "N·m/rad")
    system = subject.literal(speed=20.0)
    undamped = replace(system, patch=replace(system.patch, damping=0.0))
    share = slope_in_stick(loop(undamped, DRIVING)) / slope_in_stick(loop(system, DRIVING))
    yield Finding("at 20 m/s, what is left of it without damper", share, "<=", 0.15)
    slow, middle, fast = (_cornering(subject, V) for V in (5.0, 20.0, 70.0))
    yield Finding("physical, 20 m/s over 5", middle / slow, ">=", 10.0)
    yield Finding("physical, 70 m/s over 20", fast / middle, ">=", 5.0)


def _cornering(subject: YamamotoSubject, V: float) -> float:
    """Torque for the steer angle [N·m/rad], at the tyre, of a vehicle settled in a slight turn."""
    wheel = 0.9 / (V * V)  # [rad]; lateral forces of some newtons, far below the limit of 560
    driver = Driver(angle=Ramp(rate=wheel, until=1.0))
    run = subject.physical(speed=V).run(hand=driver, duration=4.0, period=T)
    return float(run.tyre_torque[-1] / run.steer[-1])


FAR = 2.0  # [rad] of the wheel: the physical tyre slips as a whole well before


def dropped(angle: Array, torque: Array) -> float:
    """By how much of its peak the torque has fallen where the wheel turns back."""
    return float(1.0 - torque[np.argmax(angle)] / torque.max())


def drops(system: SteeringSystem, frequency: float) -> tuple[float, float]:
    """Of the hand's torque and of the tyre's own, in the second cycle at a frequency [Hz]."""
    run, second = swing(system, amplitude=DRIVING, frequency=frequency), cycle(frequency)
    angle = run.wheel_angle[second]
    return dropped(angle, run.hand_torque[second]), dropped(angle, run.tyre_torque[second])


@paper.claim(source="Figs. 9 and 10, section 4")
def hand_torque_drops_when_steered(subject: YamamotoSubject) -> Findings:
    """Beyond full slip the hand's torque falls below its peak. With the paper's numbers the fall grows with the speed
    of the hand and of the car: 4.4 % at 0.25 Hz and 14.5 % at 0.5 Hz at 20 m/s, 22 % at 70 m/s.
    """
    cases = ((20.0, 0.25, 0.044), (20.0, 0.5, 0.145), (70.0, 0.5, 0.220))
    for V, f, fall in cases:
        off = abs(drops(subject.literal(speed=V), f)[0] - fall)
        yield Finding(f"at {V:g} m/s and {f} Hz, off {fall:.1%}", off, "<=", 0.005)


@paper.claim(source="Figs. 9 and 10, section 4", as_printed=False)
def literal_drop_is_inertia(subject: YamamotoSubject) -> Findings:
    """With the paper's numbers that fall is the inertia of the column: the tyre's own torque stays where it is at full
    slip, however the wheel is turned, and turned slowly enough the hand feels no fall.

    Printed: at full slip the torque drops suddenly, given as a property of the tyre. A bristle whose damper alone
    exceeds its limit slips from the moment it enters, so the patch has no peak to fall from.
    """
    alpha = np.linspace(0.0, 0.03, 121)
    torque = np.asarray(subject.literal(bristles=201).patch.steady(slip_angle=alpha, speed=20.0).torque)
    quick, slow = drops(subject.literal(speed=20.0), 0.5), drops(subject.literal(speed=20.0), 0.02)
    yield Finding("tyre, rolling steadily: fall", 1.0 - torque[-1] / torque.max(), "<=", 1e-6)
    yield Finding("tyre at 0.5 Hz: fall", quick[1], "<=", 1e-3)
    yield Finding("hand at 0.5 Hz: fall", quick[0], ">=", 0.1)
    yield Finding("hand at 0.02 Hz: fall", slow[0], "<=", 2e-3)


@paper.claim(source="section 4; the numbers are ours (K = 1e4 N/m, B = 0)")
def physical_drop(subject: YamamotoSubject) -> Findings:
    """A stiff brush without damper drops as a tyre does: rolling steadily from its peak, 13.6 N·m, to the 11.2 N·m of
    full slip; on a vehicle that slides and yaws the tyre's torque falls by as much while it is steered, and full slip
    comes earlier at 70 m/s than at 20.
    """
    alpha = np.linspace(0.0, 0.12, 121)
    torque = np.asarray(subject.brush(bristles=401).steady(slip_angle=alpha, speed=20.0).torque)
    theory = dropped(alpha, brush(alpha, K=STIFF)[1])
    yield Finding("rolling steadily: fall", dropped(alpha, torque), ">=", 0.17)
    yield Finding("off the closed form's fall", abs(dropped(alpha, torque) - theory), "<=", 1e-4)
    slips = []
    for V in (20.0, 70.0):
        run = loop(subject.physical(speed=V), FAR)
        slips.append(first_full_slip(run))
        swung = slice(60, 1100)  # from after the jolt of the start until it turns back
        fall = dropped(run.wheel_angle[swung], run.tyre_torque[swung])
        hand = dropped(run.wheel_angle[swung], run.hand_torque[swung])
        yield Finding(f"steered at {V:g} m/s: tyre's fall, off the closed form's", abs(fall - theory), "<=", 0.005)
        yield Finding(f"steered at {V:g} m/s: hand's fall", hand, ">=", 0.2)
    yield Finding("first full slip at 20 m/s", slips[0], "<=", 1.45, "rad")
    yield Finding("first full slip, 70 m/s over 20", slips[1] / slips[0], "<=", 0.8)
