"""Sections 2 and 3: the friction of a mass under a force, and friction felt through a spring and a damper, with a mass
that may be zero; the joystick of Fig. 4, held and dragged by a hand.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from tegotae.block import Impedance
from tegotae.checks import Array
from tegotae.coupling.circuit import Circuit
from tegotae.elements import Mass
from tegotae.errors import DivergenceWarning
from tegotae.friction import Coulomb
from tegotae.papers.kikuuwe2005 import B, F, K, KikuuweSubject, T, paper
from tegotae.papers.kikuuwe2005.oracles import cases, dots, equation_18, lengths, viscous, wander
from tegotae.papers.ledger import Finding, Findings
from tegotae.result import Result

HOUR = 3_600_000  # ticks


@paper.claim(source="section 2, after (7)")
def friction_opposes_velocity(subject: KikuuweSubject) -> Findings:
    """Friction never points along the velocity, whatever the load, the law and the number of directions: that of the
    mass (f v), and that of the virtual point of the impedance (g w).
    """
    # Over random laws and loads; how much it opposes is checked by a formula of its own for each law.
    rng = np.random.default_rng(2005)
    along: tuple[list[float], list[float]] = ([], [])
    off, sliding, standing = 0.0, 0, 0
    for law, formula, dimension in cases(subject, rng, each=6):
        load = wander(rng, 1000, dimension, 2.5 * law.at_rest)
        slider = subject.Admittance(mass=float(rng.uniform(0.05, 2.0)), law=law, dimension=dimension)
        motion = wander(rng, 1000, dimension, 0.4)
        brake = subject.brake(damping=30.0, law=law, mass=float(rng.choice([0.0, 0.5])), dimension=dimension)
        mass, point = slider.run(load, period=T), brake.run(motion, period=T)
        felt = ((mass.friction, mass.velocity), (point.friction, point.slip_velocity))
        for powers, (friction, velocity) in zip(along, felt, strict=True):
            speed = lengths(velocity)
            moves = speed > 0.0
            powers.append(float(np.max(dots(friction, velocity))))
            off = max(off, float(np.max(np.abs(lengths(friction) / formula(speed) - 1.0)[moves], initial=0.0)))
            sliding, standing = sliding + int(moves.sum()), standing + int((~moves).sum())
    yield Finding("largest f v of the mass", max(along[0]), "<=", 0.0, "W")
    yield Finding("largest g w of the point", max(along[1]), "<=", 0.0, "W")
    yield Finding("sliding friction, off the law", off, "<=", 1e-12)
    yield Finding("ticks that slide", sliding, ">=", 10_000)
    yield Finding("ticks that stand", standing, ">=", 1000)


@paper.claim(source="section 2, after (7)")
def stops_in_finite_time(subject: KikuuweSubject) -> Findings:
    """Without outer force a sliding mass stands after M v/(T F) ticks, rounded up, and from then on its speed is
    exactly 0; with viscosity b after ln(1 + b v/F)/ln(1 + T b/M) ticks.
    """
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
    yield Finding("ticks until it stands, off the closed form", worst, "=", 0)
    yield Finding("speed from then on", late, "=", 0.0, "m/s")
    yield Finding("longest of the stops, in ticks", longest, ">=", 1000)


@paper.claim(source="(4b), (5)", as_printed=False)
def shortcut_5(subject: KikuuweSubject) -> Findings:
    """Solving (4b) keeps the velocity from being reversed by friction at any viscosity; the shortcut (5) reverses it as
    soon as T b/M > 1.

    The paper calls (5) good enough in practice for smooth laws. It is, for T b/M well below 1.
    """
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
    yield Finding("least T b/M tried at which (5) reverses", first, "=", 1.01)
    yield Finding("largest f v of the solution", along, "<=", 0.0, "W")
    yield Finding("(4b), relative residual", residual, "<=", 1e-12)


@paper.claim(source="section 2, after (7); section 3.1")
def holds_for_an_hour(subject: KikuuweSubject) -> Findings:
    """Under a load below the limit it stands for an hour, constant or vibrating: the mass with friction, and a mass on
    the impedance, whose virtual point does not move.
    """
    # 3.6 million ticks; the mass on its spring is compared with itself at the same phase, 10 s after the start.
    slider = subject.Admittance(mass=1.0, law=Coulomb(F))
    hung = Circuit(Mass(mass=0.1), {"brake": subject.brake()})
    record = ["position", "brake.deflection"]
    ramp = np.minimum(1.0, 1e-3 * np.arange(1, HOUR + 1))  # within a second: at once it would overshoot the limit
    cycle = 0.5 + 0.4 * np.sin(2.0 * np.pi * np.arange(1, 101) / 100)  # 10 Hz, 10 to 90 % of the limit
    vibrating = F * np.tile(cycle, HOUR // 100) * ramp
    for word, load in (("constant", 0.8 * F * ramp), ("vibrating", vibrating)):
        stands = slider.run(load, period=T, every=1000, record=["position"]).position
        run = hung.run(load, period=T, every=1000, record=record)
        moved = float(np.max(np.abs(run.position[10:] - run.position[9])))
        point = run.position + run["brake.deflection"]
        yield Finding(f"{word}: creep of the mass with friction", np.max(np.abs(stands)), "<=", 1e-15, "m")
        yield Finding(f"{word}: creep of the mass on the impedance", moved, "<=", 1e-15, "m")
        yield Finding(f"{word}: creep of its virtual point", np.max(np.abs(point)), "<=", 1e-15, "m")
    yield Finding("largest load, of the limit", np.max(vibrating) / F, "<", 1.0)


CRITICAL = (T**2 * K + 2.0 * T * B) / 4.0  # mass below which (11) chatters [kg]


@paper.claim(source="section 3.1, (18)")
def zero_mass(subject: KikuuweSubject) -> Findings:
    """The impedance works with a mass of exactly 0, and that is the limit of small masses: the force differs by an
    amount proportional to the mass.
    """
    v = 0.05
    steady = subject.brake().run(np.full(300, v), period=T)
    motion = wander(np.random.default_rng(3), 5000, 1, 0.1)
    none = subject.brake().run(motion, period=T).force
    masses = 1e-5 * 0.5 ** np.arange(5)
    light = [subject.brake(mass=float(M)).run(motion, period=T).force for M in masses]
    differences = np.array([np.max(np.abs(force - none)) for force in light])
    order = np.polyfit(np.log(masses), np.log(np.maximum(differences, 1e-300)), 1)[0]
    limit = 2.0 * light[-1] - light[-2]  # what is left is of second order in the mass
    yield Finding("first tick, off -(K T + B) v", abs(steady.force[0] + (K * T + B) * v), "<=", 1e-12, "N")
    yield Finding("force while it slides, off the limit", np.max(np.abs(steady.force[100:] + F)), "<=", 1e-12, "N")
    yield Finding("deflection, off -F/K", abs(steady.deflection[-1] + F / K), "<=", 1e-15, "m")
    yield Finding("order of the difference in M, off 1", abs(order - 1.0), "<=", 0.02)
    yield Finding("limit of small masses, off M = 0", np.max(np.abs(limit - none)), "<=", 1e-7, "N")
    yield Finding("numbers that are not finite", int(np.count_nonzero(~np.isfinite(none))), "=", 0)


@paper.claim(source="section 3.1, after (18)")
def hayward_armstrong(subject: KikuuweSubject) -> Findings:
    """Without mass and damping and with Coulomb friction it is the model of Hayward and Armstrong, on a line and in the
    plane.
    """
    for dimension, place in ((1, "line"), (2, "plane")):
        motion = wander(np.random.default_rng(dimension), 20_000, dimension, 0.2)
        ours = subject.brake(damping=0.0, dimension=dimension).run(motion, period=T)
        theirs = subject.HaywardArmstrong(stiffness=K, limit=F, dimension=dimension).run(motion, period=T)
        off = np.max(np.abs(ours.force - theirs.force)) / F
        slips = int(np.count_nonzero(np.diff(lengths(ours.slip_velocity) > 0.0)))
        yield Finding(f"{place}: largest difference, of F", off, "<=", 1e-12)
        yield Finding(f"{place}: changes between stick and slip", slips, ">=", 100)


@paper.claim(source="(18); section 1, last paragraph")
def sample_by_sample(subject: KikuuweSubject) -> Findings:
    """The update needs only the last samples: stepped one tick at a time, as a controller does, it gives the very
    numbers of a whole run, and those are (18) letter by letter.
    """
    off = []
    for dimension in (1, 2):
        motion = wander(np.random.default_rng(11 + dimension), 2000, dimension, 0.2)
        for M in (0.0, 1.0):
            brake = subject.brake(mass=M, dimension=dimension)
            run = brake.run(motion, period=T)
            live = brake.start(period=T)
            stepped = np.array([live.step(v) for v in motion])
            force, friction = equation_18(motion.reshape(-1, dimension), K, B, M, F, T)
            pairs = ((stepped, run.force), (force, run.force), (friction, run.friction))
            off.append([np.max(np.abs(a - b.reshape(a.shape))) for a, b in pairs])
    by_steps, force_off, friction_off = np.max(off, axis=0)
    yield Finding("step by step, off the whole run", by_steps, "=", 0.0, "N")
    yield Finding("f, off (18) as printed", force_off, "<=", 1e-11, "N")
    yield Finding("g, off (18) as printed", friction_off, "<=", 1e-11, "N")


@paper.claim(source="section 3.1, (19)")
def any_dimension(subject: KikuuweSubject) -> Findings:
    """Its variables may be vectors: the answer turns with the motion, and a motion along a slanted line gives the
    answer of one dimension along that line.
    """
    rng = np.random.default_rng(19)
    off = []
    for dimension in (2, 3):
        for M in (0.0, 0.5):
            brake, line = subject.brake(mass=M, dimension=dimension), subject.brake(mass=M)
            rotation = np.linalg.qr(rng.normal(size=(dimension, dimension)))[0]
            motion = wander(rng, 3000, dimension, 0.2)
            one, other = (brake.run(np.ascontiguousarray(x), period=T).force for x in (motion, motion @ rotation.T))
            along = wander(rng, 3000, 1, 0.2)
            slanted = brake.run(np.outer(along, rotation[0]), period=T).force
            straight = line.run(along, period=T).force
            pairs = ((one @ rotation.T, other), (slanted, np.outer(straight, rotation[0])))
            off.append([np.max(np.abs(a - b)) for a, b in pairs])
    turned, on_line = np.max(off, axis=0)
    yield Finding("turned motion, off the turned answer", turned, "<=", 1e-12, "N")
    yield Finding("slanted line, off one dimension", on_line, "<=", 1e-12, "N")


@paper.claim(source="(19)", as_printed=False)
def erratum_19(subject: KikuuweSubject) -> Findings:
    """In more than one dimension sliding friction points against u, so that it opposes the slip; along the motion v of
    the hand, as printed, it would not, and could even push.

    (19) prints sgn(v); it must be sgn(u), or w = u + T g/C is not along g as (17c) asks.
    """
    # A turning motion in the plane; one tick with sgn(v) from each state that the element went through.
    motion = wander(np.random.default_rng(4), 3000, 2, 0.2)
    run = subject.brake(dimension=2).run(motion, period=T)
    c = T / (T * B + T * T * K)
    before = np.vstack([np.zeros(2), run.deflection[:-1]])
    u = motion - c * K * before
    slides = lengths(u) > c * F
    printed = -F * motion / np.maximum(lengths(motion), 1e-300)[:, np.newaxis]
    slip_printed = u + c * printed
    power = dots(slip_printed, printed)
    cosine = -power / np.maximum(lengths(slip_printed) * lengths(printed), 1e-300)
    angle = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))[slides]
    ours = lengths(run.friction + F * run.slip_velocity / np.maximum(lengths(run.slip_velocity), 1e-300)[:, np.newaxis])
    yield Finding("with sgn(u): friction, off -F w/|w|", np.max(ours[slides]), "<=", 1e-12, "N")
    yield Finding("with sgn(v): angle to -w", np.max(angle), ">=", 30.0, "°")
    yield Finding("with sgn(v): power of friction", np.max(power[slides]), ">", 0.0, "W")
    yield Finding("ticks that slide", int(slides.sum()), ">=", 1000)


@paper.claim(source="(11), (12), section 3.1")
def explicit_coupling_chatters(subject: KikuuweSubject) -> Findings:
    """Coupled explicitly, (11), the sliding point chatters below the mass (T² K + 2 T B)/4 and is calm above; the
    proposed element is calm at every mass, 0 included.

    The paper says that (11) does not allow small masses; the bound is ours. A point at rest stays at rest in (11) too,
    at any mass: sliding and being caught are what is lost.
    """
    # Dragged at 0.1 m/s; the critical mass by watching from which mass on a slip too fast for friction dies away.

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
    yield Finding("mass from which (11) settles, seen", high, ">=", 0.999 * CRITICAL, "kg")
    yield Finding("that mass, off (T² K + 2 T B)/4", abs(high / CRITICAL - 1.0), "<=", 1e-3)
    yield Finding("(11) at 0.77 of it: ripple", ripple(subject.Explicit, 0.77 * CRITICAL), ">=", 1.0, "N")
    yield Finding("(11) at 1.05 of it: ripple", ripple(subject.Explicit, 1.05 * CRITICAL), "<=", 1e-9, "N")
    yield Finding("(18) at any mass: largest ripple", ours, "<=", 1e-9, "N")


def dragged(block: Callable[..., Impedance], mass: float, ticks: int, slip: float = 0.0) -> Result:
    """The element of section 3.2 with this mass, at 0.1 m/s, from a speed of its virtual point [m/s]."""
    element = block(stiffness=K, damping=B, law=Coulomb(F), mass=mass)
    return element.run(np.full(ticks, 0.1), period=T, initial={"slip_velocity": slip})


def ripple(block: Callable[..., Impedance], mass: float) -> float:
    """What is left of the force's swing after four seconds [N]."""
    force = dragged(block, mass, 4000).force[-500:]
    return float(np.ptp(force)) if np.all(np.isfinite(force)) else np.nan


@lru_cache(maxsize=2)
def ride(joystick: Callable[[float], Result], mass: float) -> Result:
    """One run, kept: two claims and a figure look at the same two."""
    return joystick(mass)


@paper.claim(source="Fig. 4, position b")
def held_at_b(subject: KikuuweSubject) -> Findings:
    """While the hand pushes with less than F, the joystick is held at one point: the virtual point does not move at
    all, and the tip only as far as the spring gives.

    On a simulated twin of the joystick with encoders of 10 µm.
    """
    for mass in (0.0, 1.0):
        run = ride(subject.joystick, mass)
        at_b = (run.time > run.about["held_from"]) & (run.time <= run.about["held_to"])
        point, push = (run.position + run.deflection)[at_b], lengths(run["hand_force"])[at_b]
        tip = run["tip"][at_b]
        reach = float(np.max(lengths(tip - point[0])))
        word = f"M = {mass:g} kg: "
        yield Finding(word + "largest push of the hand", np.max(push), "<", F, "N")
        yield Finding(word + "largest slip speed", np.max(np.abs(run.slip_velocity[at_b])), "=", 0.0, "m/s")
        yield Finding(word + "wander of the virtual point", np.max(lengths(point - point[0])), "<=", 1e-15, "m")
        # Half an encoder step on each axis, and what the moving tip's own inertia and damping add.
        yield Finding(word + "tip from the virtual point", reach, "<=", 1.05 * np.max(push) / K, "m")
        yield Finding(word + "way slid in the whole run", T * np.sum(lengths(run.slip_velocity)), ">=", 0.3, "m")


@paper.claim(source="(9), Fig. 4 (a) and (b)")
def force_is_friction(subject: KikuuweSubject) -> Findings:
    """Without mass the force on the hand is the friction, f = g; with a mass it also holds the inertia and centrifugal
    force of the virtual point, f = g - M q''.
    """
    # f from the recorded stretch by (18d), so that it is no copy of g.
    none, one = ride(subject.joystick, 0.0), ride(subject.joystick, 1.0)
    inertia = np.diff(one.slip_velocity, axis=0, prepend=np.zeros((1, 2))) / T  # times M = 1 kg
    yield Finding("M = 0: largest |f - g|", np.max(lengths(_spring(none) - none.friction)), "<=", 1e-11, "N")
    yield Finding("M = 0: commanded force, off f", np.max(lengths(none.force - _spring(none))), "<=", 1e-11, "N")
    yield Finding("M = 1 kg: largest |f - g|", np.max(lengths(one.force - one.friction)), ">=", 1.0, "N")
    yield Finding("M = 1 kg: f, off g - M q''", np.max(lengths(one.force - one.friction + inertia)), "<=", 1e-11, "N")
    yield Finding("M = 1 kg: commanded force, off f", np.max(lengths(one.force - _spring(one))), "<=", 1e-11, "N")


def _spring(run: Result) -> Array:
    """(18d): K e_k + B (e_k - e_{k-1})/T."""
    e = run.deflection
    return np.asarray(K * e + B * np.diff(e, axis=0, prepend=np.zeros((1, 2))) / T)
