"""Section 2: the friction of a mass under a force."""

from __future__ import annotations

import numpy as np

from tegotae.checks import Array
from tegotae.coupling.circuit import Circuit
from tegotae.elements import Mass
from tegotae.friction import Coulomb
from tegotae.papers.kikuuwe2005.signals import cases, dots, lengths, viscous, wander
from tegotae.papers.kikuuwe2005.subject import F, KikuuweSubject, T, paper
from tegotae.papers.ledger import Finding

HOUR = 3_600_000  # ticks


@paper.claim(
    statement="Friction never points along the velocity, whatever the load, the law and the number of directions: "
    "that of the mass (f v), and that of the virtual point of the impedance (g w).",
    source="section 2, after (7)",
)
def friction_opposes_velocity(subject: KikuuweSubject) -> list[Finding]:
    """Over random laws and loads; how much it opposes is checked by a formula of its own for each law."""
    rng = np.random.default_rng(2005)
    along: list[list[float]] = [[], []]
    off, sliding, standing = 0.0, 0, 0
    for law, formula, dimension in cases(subject, rng, each=6):
        load = wander(rng, 1000, dimension, 2.5 * law.at_rest)
        slider = subject.Admittance(mass=float(rng.uniform(0.05, 2.0)), law=law, dimension=dimension)
        motion = wander(rng, 1000, dimension, 0.4)
        brake = subject.brake(damping=30.0, law=law, mass=float(rng.choice([0.0, 0.5])), dimension=dimension)
        mass, point = slider.run(load, period=T), brake.run(motion, period=T)
        for i, (friction, velocity) in enumerate(
            [(mass.friction, mass.velocity), (point.friction, point.slip_velocity)]
        ):
            speed = lengths(velocity)
            moves = speed > 0.0
            along[i].append(float(np.max(dots(friction, velocity))))
            off = max(off, float(np.max(np.abs(lengths(friction) / formula(speed) - 1.0)[moves], initial=0.0)))
            sliding, standing = sliding + int(moves.sum()), standing + int((~moves).sum())
    return [
        Finding("largest f v of the mass", max(along[0]), "<=", 0.0, "W"),
        Finding("largest g w of the point", max(along[1]), "<=", 0.0, "W"),
        Finding("sliding friction, off the law", off, "<=", 1e-12),
        Finding("ticks that slide", sliding, ">=", 10_000),
        Finding("ticks that stand", standing, ">=", 1000),
    ]


@paper.claim(
    statement="Without outer force a sliding mass stands after M v/(T F) ticks, rounded up, and from then on its speed "
    "is exactly 0; with viscosity b after ln(1 + b v/F)/ln(1 + T b/M) ticks.",
    source="section 2, after (7)",
)
def stops_in_finite_time(subject: KikuuweSubject) -> list[Finding]:
    """Against the closed form, over random masses, limits and speeds in one and two dimensions."""
    rng = np.random.default_rng(7)
    worst, late, longest = 0, 0.0, 0
    for case in range(60):
        M, v0, angle = float(rng.uniform(0.1, 5.0)), float(rng.uniform(0.01, 2.0)), float(rng.uniform(0.0, 2 * np.pi))
        law, _ = (Coulomb(float(rng.uniform(0.5, 20.0))), None) if case % 2 else viscous(subject, rng)
        b = getattr(law, "viscosity", 0.0)
        exact = np.log1p(b * v0 / law.at_rest) / np.log1p(T * b / M) if b else M * v0 / (T * law.at_rest)
        plane = case % 4 > 1
        start = v0 * np.array([np.cos(angle), np.sin(angle)]) if plane else np.array([v0])
        slider = subject.Admittance(mass=M, law=law, dimension=2 if plane else 1)
        ticks = int(np.ceil(exact))
        free = np.zeros((ticks + 500, 2)) if plane else np.zeros(ticks + 500)
        speed = lengths(slider.run(free, period=T, initial={"velocity": start}).velocity)
        moving = np.flatnonzero(speed)
        worst = max(worst, abs((int(moving[-1]) + 2 if moving.size else 1) - ticks))
        late, longest = max(late, float(speed[ticks - 1 :].max())), max(longest, ticks)
    return [
        Finding("ticks until it stands, off the closed form", worst, "=", 0),
        Finding("speed from then on", late, "=", 0.0, "m/s"),
        Finding("longest of the stops, in ticks", longest, ">=", 1000),
    ]


@paper.claim(
    statement="Solving (4b) keeps the velocity from being reversed by friction at any viscosity; the shortcut (5) "
    "reverses it as soon as T b/M > 1.",
    source="(4b), (5)",
    as_printed=False,
    note="The paper calls (5) good enough in practice for smooth laws. It is, for T b/M well below 1.",
)
def shortcut_5(subject: KikuuweSubject) -> list[Finding]:
    """(5) as printed in NumPy, and the solution, for T b/M from 0.01 to 100."""
    M, ratios = 0.5, np.array([0.01, 0.1, 0.5, 0.99, 1.01, 2.0, 10.0, 100.0])
    force = np.random.default_rng(5).uniform(-20.0, 20.0, size=60)
    reversed_by_5, along, residual = [], -np.inf, 0.0
    for b in ratios * M / T:
        slider = subject.Admittance(mass=M, law=subject.Viscous(limit=F, viscosity=float(b)))
        run = slider.run(force, period=T, initial={"velocity": 0.5})
        u = np.concatenate([[0.5], run.velocity[:-1]]) + T * force / M
        slips = np.abs(u) > T * F / M
        s = (np.abs(u) - T * F / M)[slips]  # the speed at which (5) evaluates the law
        left = s - T / M * b * s  # and the speed that its friction leaves, along u
        reversed_by_5.append(bool((left < 0.0).any()))
        along = max(along, float(np.max(run.friction * run.velocity)))
        u, f = u[slips], run.friction[slips]
        phi = -np.sign(u) * (F + b * np.abs(u + T * f / M))
        residual = max(residual, float(np.max(np.abs(f / phi - 1.0))))
    first = float(ratios[int(np.argmax(reversed_by_5))]) if any(reversed_by_5) else np.inf
    return [
        Finding("least T b/M tried at which (5) reverses", first, "=", 1.01),
        Finding("largest f v of the solution", along, "<=", 0.0, "W"),
        Finding("(4b), relative residual", residual, "<=", 1e-12),
    ]


@paper.claim(
    statement="Under a load below the limit it stands for an hour, constant or vibrating: the mass with friction, and "
    "a mass on the impedance, whose virtual point does not move.",
    source="section 2, after (7); section 3.1",
)
def holds_for_an_hour(subject: KikuuweSubject) -> list[Finding]:
    """3.6 million ticks; the mass on its spring is compared with itself at the same phase, 10 s after the start."""
    findings = []
    slider = subject.Admittance(mass=1.0, law=Coulomb(F))
    hung = Circuit(Mass(mass=0.1), {"brake": subject.brake()})
    record = ["position", "brake.deflection"]
    for word, load in (("constant", _steady()), ("vibrating", _vibrating())):
        stands = slider.run(load, period=T, every=1000, record=["position"]).position
        run = hung.run(load, period=T, every=1000, record=record)
        moved = float(np.max(np.abs(run.position[10:] - run.position[9])))
        point = run.position + run["brake.deflection"]
        findings += [
            Finding(f"{word}: creep of the mass with friction", np.max(np.abs(stands)), "<=", 1e-15, "m"),
            Finding(f"{word}: creep of the mass on the impedance", moved, "<=", 1e-15, "m"),
            Finding(f"{word}: creep of its virtual point", np.max(np.abs(point)), "<=", 1e-15, "m"),
        ]
    return [*findings, Finding("largest load, of the limit", np.max(_vibrating()) / F, "<", 1.0)]


def _ramp() -> Array:
    """Put on within a second: at once it would overshoot the limit."""
    ramp: Array = np.minimum(1.0, 1e-3 * np.arange(1, HOUR + 1))
    return ramp


def _steady() -> Array:
    return 0.8 * F * _ramp()


def _vibrating() -> Array:
    """10 Hz, whose cycle is 100 ticks, between 10 and 90 % of the limit."""
    cycle = 0.5 + 0.4 * np.sin(2.0 * np.pi * np.arange(1, 101) / 100)
    load: Array = F * np.tile(cycle, HOUR // 100) * _ramp()
    return load
