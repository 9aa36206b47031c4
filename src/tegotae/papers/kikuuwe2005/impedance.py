"""Section 3: friction felt through a spring and a damper, with a mass that may be zero."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from tegotae.block import Impedance
from tegotae.checks import Array
from tegotae.errors import DivergenceWarning
from tegotae.friction import Coulomb
from tegotae.papers.kikuuwe2005.oracles import equation_18
from tegotae.papers.kikuuwe2005.signals import lengths, wander
from tegotae.papers.kikuuwe2005.subject import B, F, K, KikuuweSubject, T, paper
from tegotae.papers.ledger import Finding
from tegotae.result import Result

CRITICAL = (T**2 * K + 2.0 * T * B) / 4.0  # mass below which (11) chatters [kg]


@paper.claim(
    statement="The impedance works with a mass of exactly 0, and that is the limit of small masses: the force differs "
    "by an amount proportional to the mass.",
    source="section 3.1, (18)",
)
def zero_mass(subject: KikuuweSubject) -> list[Finding]:
    """Closed forms of the first tick and of a steady slip; then the order in M and the extrapolation to M = 0."""
    v = 0.05
    steady = subject.brake().run(np.full(300, v), period=T)
    motion = wander(np.random.default_rng(3), 5000, 1, 0.1)
    none = subject.brake().run(motion, period=T).force
    masses = 1e-5 * 0.5 ** np.arange(5)
    light = [subject.brake(mass=float(M)).run(motion, period=T).force for M in masses]
    differences = np.array([np.max(np.abs(force - none)) for force in light])
    order = np.polyfit(np.log(masses), np.log(np.maximum(differences, 1e-300)), 1)[0]
    limit = 2.0 * light[-1] - light[-2]  # what is left is of second order in the mass
    return [
        Finding("first tick, off -(K T + B) v", abs(steady.force[0] + (K * T + B) * v), "<=", 1e-12, "N"),
        Finding("force while it slides, off the limit", np.max(np.abs(steady.force[100:] + F)), "<=", 1e-12, "N"),
        Finding("deflection, off -F/K", abs(steady.deflection[-1] + F / K), "<=", 1e-15, "m"),
        Finding("order of the difference in M, off 1", abs(order - 1.0), "<=", 0.02),
        Finding("limit of small masses, off M = 0", np.max(np.abs(limit - none)), "<=", 1e-7, "N"),
        Finding("numbers that are not finite", int(np.count_nonzero(~np.isfinite(none))), "=", 0),
    ]


@paper.claim(
    statement="Without mass and damping and with Coulomb friction it is the model of Hayward and Armstrong, on a line "
    "and in the plane.",
    source="section 3.1, after (18)",
)
def hayward_armstrong(subject: KikuuweSubject) -> list[Finding]:
    """On random motions through hundreds of slips."""
    findings = []
    for dimension, place in ((1, "line"), (2, "plane")):
        motion = wander(np.random.default_rng(dimension), 20_000, dimension, 0.2)
        ours = subject.brake(damping=0.0, dimension=dimension).run(motion, period=T)
        theirs = subject.HaywardArmstrong(stiffness=K, limit=F, dimension=dimension).run(motion, period=T)
        off = np.max(np.abs(ours.force - theirs.force)) / F
        slips = int(np.count_nonzero(np.diff(lengths(ours.slip_velocity) > 0.0)))
        findings += [
            Finding(f"{place}: largest difference, of F", off, "<=", 1e-12),
            Finding(f"{place}: changes between stick and slip", slips, ">=", 100),
        ]
    return findings


@paper.claim(
    statement="The update needs only the last samples: stepped one tick at a time, as a controller does, it gives the "
    "very numbers of a whole run, and those are (18) letter by letter.",
    source="(18); section 1, last paragraph",
)
def sample_by_sample(subject: KikuuweSubject) -> list[Finding]:
    """On a line and in the plane, without and with mass."""
    apart, off, off_friction = 0.0, 0.0, 0.0
    for dimension in (1, 2):
        motion = wander(np.random.default_rng(11 + dimension), 2000, dimension, 0.2)
        for M in (0.0, 1.0):
            brake = subject.brake(mass=M, dimension=dimension)
            run = brake.run(motion, period=T)
            live = brake.start(period=T)
            stepped = np.array([live.step(v) for v in motion])
            force, friction = equation_18(motion.reshape(-1, dimension), K, B, M, F, T)
            apart = max(apart, float(np.max(np.abs(stepped - run.force))))
            off = max(off, float(np.max(np.abs(force - run.force.reshape(force.shape)))))
            off_friction = max(off_friction, float(np.max(np.abs(friction - run.friction.reshape(force.shape)))))
    return [
        Finding("step by step, off the whole run", apart, "=", 0.0, "N"),
        Finding("f, off (18) as printed", off, "<=", 1e-11, "N"),
        Finding("g, off (18) as printed", off_friction, "<=", 1e-11, "N"),
    ]


@paper.claim(
    statement="Its variables may be vectors: the answer turns with the motion, and a motion along a slanted line "
    "gives the answer of one dimension along that line.",
    source="section 3.1, (19)",
)
def any_dimension(subject: KikuuweSubject) -> list[Finding]:
    """In the plane and in space, by random rotations."""
    rng = np.random.default_rng(19)
    turned, on_line = 0.0, 0.0
    for dimension in (2, 3):
        for M in (0.0, 0.5):
            brake, line = subject.brake(mass=M, dimension=dimension), subject.brake(mass=M)
            rotation = np.linalg.qr(rng.normal(size=(dimension, dimension)))[0]
            motion = wander(rng, 3000, dimension, 0.2)
            one, other = (brake.run(np.ascontiguousarray(x), period=T).force for x in (motion, motion @ rotation.T))
            turned = max(turned, float(np.max(np.abs(one @ rotation.T - other))))
            along = wander(rng, 3000, 1, 0.2)
            slanted = brake.run(np.outer(along, rotation[0]), period=T).force
            straight = line.run(along, period=T).force
            on_line = max(on_line, float(np.max(np.abs(slanted - np.outer(straight, rotation[0])))))
    return [
        Finding("turned motion, off the turned answer", turned, "<=", 1e-12, "N"),
        Finding("slanted line, off one dimension", on_line, "<=", 1e-12, "N"),
    ]


@paper.claim(
    statement="In more than one dimension sliding friction points against u, so that it opposes the slip; along the "
    "motion v of the hand, as printed, it would not, and could even push.",
    source="(19)",
    as_printed=False,
    note="(19) prints sgn(v); it must be sgn(u), or w = u + T g/C is not along g as (17c) asks.",
)
def erratum_19(subject: KikuuweSubject) -> list[Finding]:
    """A turning motion in the plane; one tick with sgn(v) from each state that the element went through."""
    motion = wander(np.random.default_rng(4), 3000, 2, 0.2)
    run = subject.brake(dimension=2).run(motion, period=T)
    c = T / (T * B + T * T * K)
    before = np.vstack([np.zeros(2), run.deflection[:-1]])
    u = motion - c * K * before
    slides = lengths(u) > c * F
    printed = -F * motion / np.maximum(lengths(motion), 1e-300)[:, np.newaxis]
    slip_printed = u + c * printed
    ours = lengths(run.friction + F * run.slip_velocity / np.maximum(lengths(run.slip_velocity), 1e-300)[:, np.newaxis])
    return [
        Finding("with sgn(u): friction, off -F w/|w|", np.max(ours[slides]), "<=", 1e-12, "N"),
        Finding("with sgn(v): angle to -w", np.max(_angles(-slip_printed, printed)[slides]), ">=", 30.0, "°"),
        Finding(
            "with sgn(v): power of friction", np.max(np.sum(slip_printed * printed, axis=1)[slides]), ">", 0.0, "W"
        ),
        Finding("ticks that slide", int(slides.sum()), ">=", 1000),
    ]


@paper.claim(
    statement="Coupled explicitly, (11), the sliding point chatters below the mass (T² K + 2 T B)/4 and is calm above; "
    "the proposed element is calm at every mass, 0 included.",
    source="(11), (12), section 3.1",
    note="The paper says that (11) does not allow small masses; the bound is ours. A point at rest stays at rest in "
    "(11) too, at any mass: sliding and being caught are what is lost.",
)
def explicit_coupling_chatters(subject: KikuuweSubject) -> list[Finding]:
    """Dragged at 0.1 m/s; the critical mass by watching from which mass on a slip too fast for friction dies away."""

    def settles(mass: float) -> bool:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DivergenceWarning)  # whether it diverges is the question here
            slip = dragged(subject.Explicit, mass, 4000, slip=1e6).slip_velocity
        return bool(np.all(np.abs(slip[-10:]) < 1e6))

    low, high = 0.1 * CRITICAL, 10.0 * CRITICAL
    for _ in range(24):
        middle = np.sqrt(low * high)
        low, high = (low, middle) if settles(middle) else (middle, high)
    ours = max(ripple(subject.Impedance, share * CRITICAL) for share in (0.0, 1e-6, 0.1, 0.77, 1.0, 10.0))
    return [
        Finding("mass from which (11) settles, seen", high, ">=", 0.999 * CRITICAL, "kg"),
        Finding("that mass, off (T² K + 2 T B)/4", abs(high / CRITICAL - 1.0), "<=", 1e-3),
        Finding("(11) at 0.77 of it: ripple", ripple(subject.Explicit, 0.77 * CRITICAL), ">=", 1.0, "N"),
        Finding("(11) at 1.05 of it: ripple", ripple(subject.Explicit, 1.05 * CRITICAL), "<=", 1e-9, "N"),
        Finding("(18) at any mass: largest ripple", ours, "<=", 1e-9, "N"),
    ]


def dragged(block: Callable[..., Impedance], mass: float, ticks: int, slip: float = 0.0) -> Result:
    """The element of section 3.2 with this mass, at 0.1 m/s, from a speed of its virtual point [m/s]."""
    element = block(stiffness=K, damping=B, law=Coulomb(F), mass=mass)
    return element.run(np.full(ticks, 0.1), period=T, initial={"slip_velocity": slip})


def ripple(block: Callable[..., Impedance], mass: float) -> float:
    """What is left of the force's swing after four seconds [N]."""
    force = dragged(block, mass, 4000).force[-500:]
    return float(np.ptp(force)) if np.all(np.isfinite(force)) else np.nan


def _angles(a: Array, b: Array) -> Array:
    """Between each tick's two vectors [°]."""
    cosine = np.sum(a * b, axis=1) / np.maximum(lengths(a) * lengths(b), 1e-300)
    angle: Array = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
    return angle
