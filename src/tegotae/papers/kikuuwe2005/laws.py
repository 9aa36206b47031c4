"""Laws that depend on the velocity: solved exactly, unique where they can be, and with a lag."""

from __future__ import annotations

import numpy as np

from tegotae.checks import Array
from tegotae.errors import UniquenessError
from tegotae.papers.kikuuwe2005 import K, KikuuweSubject, T, paper
from tegotae.papers.kikuuwe2005.oracles import cases, lengths, wander
from tegotae.papers.ledger import Finding, Findings
from tegotae.result import Result


@paper.claim(source="(13), (16), (17)")
def any_law(subject: KikuuweSubject) -> Findings:
    """Any velocity-dependent law can be used: f = phi(u + T f/C) is solved to rounding, and the virtual point moves as
    (13) says.
    """
    # Coulomb, viscous, Stribeck and tabulated laws; u by (18a) from what was recorded.
    rng = np.random.default_rng(17)
    residual, moved, sliding = 0.0, 0.0, 0
    for law, formula, dimension in cases(subject, rng, each=4):
        M, D = float(rng.choice([0.0, 0.3])), float(rng.uniform(30.0, 60.0))
        motion = wander(rng, 1500, dimension, 0.5)
        run = subject.brake(damping=D, law=law, mass=M, dimension=dimension).run(motion, period=T)
        shape = (motion.shape[0], dimension)
        v, e, w, g = (x.reshape(shape) for x in (motion, run.deflection, run.slip_velocity, run.friction))
        before_e, before_w = (np.vstack([np.zeros(dimension), x[:-1]]) for x in (e, w))
        C = M + T * D + T * T * K
        u = v - T * K / C * before_e - M / C * (v - before_w)
        speed = lengths(u + T / C * g)
        slides = lengths(w) > 1e-9
        residual = max(residual, float(np.max(np.abs(lengths(g) / formula(speed) - 1.0)[slides])))
        moved = max(moved, float(np.max(np.abs(u + T / C * g - w))))
        sliding += int(slides.sum())
    yield Finding("g = phi(u + T g/C), relative residual", residual, "<=", 1e-12)
    yield Finding("w, off u + T g/C", moved, "<=", 1e-14, "m/s")
    yield Finding("ticks that slide", sliding, ">=", 5000)


@paper.claim(source="(17c)", as_printed=False)
def one_sliding_speed(subject: KikuuweSubject) -> Findings:
    """(17c) has one solution for every u if and only if (T/C) max(-r') < 1; a block that breaks this is refused, with
    the damping that would do.

    The paper defines f by (17c) for any law; a law that falls too fast leaves three sliding speeds.
    """
    # For a Stribeck law at M = 0, where it says B + T K > max(-r'): roots counted on a grid on either side.
    Fc, Fs, vs = 3.0, 5.0, 0.01
    law = subject.Stribeck(kinetic=Fc, static=Fs, velocity=vs)
    s = np.linspace(0.0, 6.0 * vs, 200_001)
    r = Fc + (Fs - Fc) * np.exp(-((s / vs) ** 2))
    fall = float(np.max(-np.diff(r) / np.diff(s)))
    least = fall - T * K

    def sliding_speeds(damping: float) -> int:
        pushes = s + r / (damping + T * K)
        inner = pushes[1:-1]
        turns = inner[(pushes[1:-1] - pushes[:-2]) * (pushes[2:] - pushes[1:-1]) < 0.0]
        if turns.size == 0:
            return 1
        return int(np.count_nonzero(np.diff(np.sign(pushes - np.mean(turns)))))

    low, high = 0.0, 10.0 * least
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _accepted(subject, law, middle) else (middle, high)
    yield Finding("sliding speeds at 1 % more damping", sliding_speeds(1.01 * least), "=", 1)
    yield Finding("sliding speeds at 1 % less", sliding_speeds(0.99 * least), "=", 3)
    yield Finding("least damping accepted, off max(-r') - T K", abs(high / least - 1.0), "<=", 1e-6)


def _accepted(subject: KikuuweSubject, law: object, damping: float) -> bool:
    try:
        subject.brake(law=law, damping=damping).check(T)
    except UniquenessError:
        return False
    return True


@paper.claim(source="section 4, frictional lag [4]")
def lag_loop(subject: KikuuweSubject) -> Findings:
    """The model as published has no frictional lag: over a speed that swings, its friction runs up and down one curve.
    With a lag it runs around a loop, higher while the slip gains speed, that of a first-order lag.

    The lag is an addition of ours: the law sees z with z' = (|w| - z)/tau.
    """
    # Sliding at 20 ± 15 mm/s, 1 Hz: z in closed form is the swing, smaller and later.
    last = slice(3000, 4000)  # the start has died away
    (late, exact), (prompt, _) = (swinging(subject, lag) for lag in (0.05, 0.0))
    friction, exact, speed = -late.friction[last], exact[last], late.slip_velocity[last]
    area = _area(speed, friction)
    flat = _area(prompt.slip_velocity[last], -prompt.friction[last])
    up, down = friction[250], friction[750]
    yield Finding("with lag: off r(z) in closed form", np.max(np.abs(friction - exact)), "<=", 0.01, "N")
    yield Finding("at 20 mm/s: higher gaining speed by", up - down, ">=", 0.1, "N")
    yield Finding("area of the loop, off closed form", abs(area / _area(late.velocity[last], exact) - 1.0), "<=", 0.01)
    yield Finding("area of the loop", abs(area), ">=", 1e-3, "W")
    yield Finding("area without lag", abs(flat), "<=", 1e-6, "W")


def falling(s: Array) -> Array:
    """The friction of `swinging` at a slip speed: from 5 to 3 N over 10 mm/s."""
    return np.asarray(3.0 + 2.0 * np.exp(-((s / 0.01) ** 2)))


def swinging(subject: KikuuweSubject, tau: float) -> tuple[Result, Array]:
    """Four seconds of sliding at 20 ± 15 mm/s, 1 Hz, with a lag tau [s]; and the friction in closed form."""
    law = subject.Stribeck(kinetic=3.0, static=5.0, velocity=0.01)
    turn, time = 2.0 * np.pi, T * np.arange(1, 4001)
    z = 0.02 - 0.015 / np.hypot(1.0, turn * tau) * np.cos(turn * time - np.arctan(turn * tau))
    brake = subject.brake(stiffness=1e6, damping=300.0, law=law, lag=tau)
    return brake.run(0.02 - 0.015 * np.cos(turn * time), period=T), falling(z)


def _area(x: Array, y: Array) -> float:
    """Of a closed curve, by its corners."""
    return float(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
