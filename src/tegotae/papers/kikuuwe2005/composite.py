"""Section 4: elements side by side, the hysteresis before sliding, and what the paper compares itself with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tegotae.block import Impedance
from tegotae.checks import Array
from tegotae.coupling.circuit import Circuit
from tegotae.elements import Mass
from tegotae.friction import Coulomb, Law
from tegotae.papers.kikuuwe2005 import DAMPING, LIMITS, STIFFNESS, F, K, KikuuweSubject, T, paper
from tegotae.papers.kikuuwe2005.oracles import in_continuous_time, masing, ten_springs, wander
from tegotae.papers.ledger import Finding, Findings

# The turning points of Fig. 6 (a) [m]. The figure's speed is not printed; 2 mm/s makes it ten seconds long.
TURNS = 1e-3 * np.array([0.0, 1.5, -1.5, 1.0, -0.5, 0.6, -0.2, 0.6, -0.5, 1.0, -1.5, 1.5])
SPEED = 2e-3
FAST = 2e-2

RULE = masing(TURNS, ten_springs(STIFFNESS, LIMITS)) + 0.0  # -0 reads oddly

# Places that are reached twice, with a loop between: first and second visit among the turning points.
LOOPS = ((5, 7), (4, 8), (3, 9), (2, 10), (1, 11))


def legs(speeds: Sequence[float] | float, period: float = T) -> list[tuple[float, int]]:
    """The ways between the turning points as (velocity, ticks), at one speed or one for each way."""
    ways = np.diff(TURNS)
    each = np.broadcast_to(speeds, ways.shape)
    return [(float(np.sign(x) * s), round(abs(x) / (s * period))) for x, s in zip(ways, each, strict=True)]


def velocities(ways: Sequence[tuple[float, int]]) -> Array:
    """Tick by tick."""
    return np.concatenate([np.full(ticks, v) for v, ticks in ways])


def led(
    subject: KikuuweSubject, ways: Sequence[tuple[float, int]], *, damping: float = DAMPING, period: float = T
) -> Array:
    """Force of the ten elements along these ways; damping [N·s/m]."""
    return subject.ten(damping=damping).run(velocities(ways), period=period).force


def exactly(ways: Sequence[tuple[float, int]], period: float = T) -> Array:
    """The same in continuous time."""
    return in_continuous_time(ways, period, STIFFNESS, DAMPING, LIMITS)


def at_turns(ways: Sequence[tuple[float, int]], force: Array) -> Array:
    """The force at each turning point, 0 at the start."""
    ends = np.cumsum([ticks for _, ticks in ways]) - 1
    return np.concatenate([[0.0], force[ends]])


@paper.claim(
    source="section 4, Fig. 6",
    note=f"On the hand at the turning points, by the rule: {', '.join(f'{f:.6g}' for f in RULE)} N.",
)
def hysteresis_values(subject: KikuuweSubject) -> Findings:
    """The composite of Fig. 6 gives at every turning point and between the force that Masing's rule gives for B = 0,
    and with the paper's damping that of the exact solution in continuous time.
    """
    ways = legs(SPEED)
    plain, damped = led(subject, ways, damping=0.0), led(subject, ways)
    rule = masing(np.cumsum(velocities(ways)) * T, ten_springs(STIFFNESS, LIMITS))
    errors = []
    for period in (1e-3, 2.5e-4):
        finer = legs(SPEED, period)
        errors.append(np.max(np.abs(led(subject, finer, period=period) - exactly(finer, period))))
    order = np.log2(errors[0] / max(errors[1], 1e-300)) / 2.0
    at_ends = np.max(np.abs(at_turns(ways, damped) - at_turns(ways, exactly(ways))))
    yield Finding("B = 0, turning points: off the rule", np.max(np.abs(at_turns(ways, plain) - RULE)), "<=", 1e-10, "N")
    yield Finding("B = 0, all ticks: off the rule", np.max(np.abs(plain - rule)), "<=", 1e-10, "N")
    yield Finding("B > 0, turning points: off the exact", at_ends, "<=", 1e-3, "N")
    yield Finding("B > 0, all ticks: off the exact", errors[0], "<=", 0.05, "N")
    yield Finding("order of that error in T, off 1", abs(order - 1.0), "<=", 0.1)


@paper.claim(source="section 4, Fig. 6", as_printed=False)
def loops_close(subject: KikuuweSubject) -> Findings:
    """Every loop of the composite closes without damping, and with damping if it is run at one speed; if the way back
    is ten times faster, a loop stays open by what the dampers add.

    The paper says that all loops are closed. They are in its figure; with B > 0 that depends on the speed.
    """
    path = legs(SPEED)

    def gaps(force: Array) -> Array:
        ends = at_turns(path, force)
        return np.array([ends[b] - ends[a] for a, b in LOOPS])

    plain, even = gaps(led(subject, path, damping=0.0)), gaps(led(subject, path))
    fast = legs([SPEED] * 6 + [FAST] + [SPEED] * 4)
    seen, exact, still = (
        at_turns(fast, force) for force in (led(subject, fast), exactly(fast), led(subject, fast, damping=0.0))
    )
    open_by = seen[7] - seen[5]
    yield Finding("B = 0: widest gap", np.max(np.abs(plain)), "<=", 1e-10, "N")
    yield Finding("B = 0, back ten times faster: gap", np.ptp(still[[5, 7]]), "<=", 1e-10, "N")
    yield Finding("B > 0 at one speed: widest gap", np.max(np.abs(even)), "<=", 1e-6, "N")
    yield Finding("B > 0, back ten times faster: gap", abs(open_by), ">=", 1.0, "N")
    yield Finding("that gap, off the exact solution's", abs(open_by / (exact[7] - exact[5]) - 1.0), "<=", 0.05)


@paper.claim(source="section 4, first paragraphs")
def linear_before_sliding(subject: KikuuweSubject) -> Findings:
    """Before it slides one element is a straight spring, to and fro along the same line; ten together bend and leave a
    loop.
    """
    reach, ticks = 0.9 * F / K, 500
    motion = np.repeat([1.0, -1.0, 1.0], ticks) * reach / (ticks * T)
    place = np.cumsum(motion) * T
    one = subject.brake(damping=0.0).run(motion, period=T).force
    ten_reach = 0.9e-3  # all but the strongest element slide
    ten_place = place / reach * ten_reach
    ten = subject.ten(damping=0.0).run(motion / reach * ten_reach, period=T).force
    loop = abs(float(np.trapezoid(ten[ticks - 1 :], ten_place[ticks - 1 :])))  # there and back again
    bend = np.max(np.abs(ten[:ticks] - ten[ticks - 1] * ten_place[:ticks] / ten_reach))
    yield Finding("one: off -K x", np.max(np.abs(one + K * place)), "<=", 1e-12, "N")
    yield Finding("ten: off a straight line", bend, ">=", 5.0, "N")
    yield Finding("ten: energy left in a loop", loop, ">=", 1e-3, "J")


@paper.claim(source="section 4; section 1 on dissipativity")
def composite_dissipates(subject: KikuuweSubject) -> Findings:
    """A composite of any laws, masses and dampings only takes energy: in every tick the work of the hand is at least
    what the springs and masses store.
    """
    # Power of the hand less stored power, tick by tick; the composite's force is that of its elements together.
    rng = np.random.default_rng(6)
    laws: list[Law] = [Coulomb(2.0), subject.Viscous(limit=1.0, viscosity=5.0)]
    laws += [subject.Stribeck(kinetic=3.0, static=4.0, velocity=0.1), Coulomb(6.0)]
    stiffness, damping, mass = [2e3, 5e3, 1e4, 8e3], [10.0, 5.0, 40.0, 0.0], [0.0, 0.2, 0.0, 0.05]
    motion = wander(rng, 20_000, 1, 0.1)
    whole = subject.Parallel(stiffness=stiffness, damping=damping, mass=mass, laws=laws).run(motion, period=T).force
    total, least, stored_end = np.zeros_like(motion), np.inf, 0.0
    for k, b, m, law in zip(stiffness, damping, mass, laws, strict=True):
        run = subject.Impedance(stiffness=k, damping=b, mass=m, law=law).run(motion, period=T)
        stored = 0.5 * k * run.deflection**2 + 0.5 * m * run.slip_velocity**2
        lost = -run.force * motion - np.diff(stored, prepend=0.0) / T
        total, least = total + run.force, min(least, float(np.min(lost)))
        stored_end += float(stored[-1])
    work = np.cumsum(-whole * motion) * T
    yield Finding("least power lost in a tick", least, ">=", -1e-12, "W")
    yield Finding("composite, off the sum of its elements", np.max(np.abs(whole - total)), "<=", 1e-10, "N")
    yield Finding("least work of the hand at any time", np.min(work), ">=", 0.0, "J")
    yield Finding("all work of the hand, over what is stored", work[-1] / max(stored_end, 1e-12), ">=", 2.0)


SECONDS = 20
STIFF = 1e5  # of all models that have a stiffness [N/m]
LOW, HIGH = 0.25 * F, 0.75 * F  # between which the load vibrates, at 1 Hz


def loads() -> tuple[Array, Array]:
    """Constant and vibrating, put on within a second; never above 75 % of the limit."""
    time = T * np.arange(1, round(SECONDS / T) + 1)
    ramp = np.minimum(1.0, time)
    middle, swing = 0.5 * (HIGH + LOW), 0.5 * (HIGH - LOW)
    return middle * ramp, (middle - swing * np.cos(2.0 * np.pi * time)) * ramp


def drift(friction: Impedance, load: Array) -> Array:
    """Position of a mass of 10 g held by this friction [m], at the end of each second."""
    run = Circuit(Mass(mass=0.01), {"friction": friction}).run(load, period=T, every=1000, record=["position"])
    return run.position


def models(subject: KikuuweSubject) -> dict[str, Impedance]:
    """The same friction by each model."""
    return {
        "tanh": subject.Tanh(limit=F, velocity=1e-3),
        "LuGre": subject.LuGre(stiffness=STIFF, damping=10.0, law=Coulomb(F)),
        "Dahl": subject.Dahl(stiffness=STIFF, limit=F),
        "this element": subject.Impedance(stiffness=STIFF, damping=10.0, law=Coulomb(F)),
    }


@paper.claim(source="section 4, (20), [6], [7]; section 1 on low-speed drift")
def others_creep_and_drift(subject: KikuuweSubject) -> Findings:
    """Under loads below the limit smoothed friction creeps at vs atanh(h/F), and Dahl's and LuGre's drift with every
    cycle of a vibration; this element does neither.
    """
    steady, vibrating = loads()
    held = {name: np.diff(drift(model, steady)[3:]) for name, model in models(subject).items()}
    shaken = {name: np.diff(drift(model, vibrating)[3:]) for name, model in models(subject).items()}
    # Dahl lets a light mass go by dx = -de/(1 + sgn(v) K e/F), from low to high and back in each cycle.
    away, back = np.log((F - LOW) / (F - HIGH)), np.log((F + HIGH) / (F + LOW))
    creep, cycle = 1e-3 * np.arctanh(0.5), F / STIFF * (away - back)
    ours = max(float(np.max(np.abs(moved["this element"]))) for moved in (held, shaken))
    yield Finding("tanh, constant: off vs atanh(h/F)", abs(held["tanh"].mean() / creep - 1.0), "<=", 1e-6)
    yield Finding("tanh, vibrating: drift a cycle", shaken["tanh"].mean(), ">=", 1e-4, "m")
    yield Finding("Dahl, constant: creep a second", np.max(np.abs(held["Dahl"])), "<=", 1e-12, "m")
    yield Finding("Dahl, vibrating: drift a cycle", shaken["Dahl"].mean(), ">=", 0.9 * cycle, "m")
    yield Finding("Dahl, that drift, off its closed form", abs(shaken["Dahl"].mean() / cycle - 1.0), "<=", 1e-3)
    yield Finding("LuGre, constant: creep a second", np.max(np.abs(held["LuGre"])), "<=", 1e-12, "m")
    yield Finding("LuGre, vibrating: drift, off Dahl's", abs(shaken["LuGre"].mean() / cycle - 1.0), "<=", 0.05)
    yield Finding("this element, either: creep a second", ours, "<=", 1e-15, "m")


@paper.claim(source="(20)", as_printed=False)
def erratum_20(subject: KikuuweSubject) -> Findings:
    """Dahl's model reads e' = -v (1 + sgn(v) K e/F); its force goes to -F. As printed, without the minus, the force
    grows without bound along the motion.

    (20) prints z' = v (1 + sgn(v) K e/F), z for e.
    """
    from scipy.integrate import solve_ivp

    distance = 10.0 * F / K
    ticks = 1000
    place = np.arange(1, ticks + 1) * distance / ticks

    def force(sign: float) -> Array:
        solution = solve_ivp(
            lambda x, e: sign * (1.0 + K * e / F), (0.0, distance), [0.0], t_eval=place, rtol=1e-11, atol=1e-16
        )
        return np.asarray(K * solution.y[0])

    printed, corrected = force(1.0), force(-1.0)
    dahl = subject.Dahl(stiffness=K, limit=F).run(np.full(ticks, distance / ticks / T), period=T).force
    yield Finding("as printed: force at the end, of F", printed[-1] / F, ">=", 100.0)
    yield Finding("corrected: force at the end, off -F", abs(dahl[-1] / F + 1.0), "<=", 1e-4)
    yield Finding("corrected: the model, off the equation", np.max(np.abs(dahl - corrected)), "<=", 1e-8, "N")
    off = np.max(np.abs(dahl - F * np.expm1(-K * place / F)))
    yield Finding("the model, off -F (1 - exp(-K x/F))", off, "<=", 1e-12, "N")


@paper.claim(source="section 1, on [1]")
def thresholds_chatter(subject: KikuuweSubject) -> Findings:
    """Friction that counts a band of small speeds as rest hops across a narrow band for ever; without any band, the
    proposed friction comes to rest.
    """
    start, free = {"velocity": 0.9985}, np.zeros(2000)
    narrow, wide = (
        subject.Karnopp(mass=1.0, limit=F, static=F, dead_zone=band).run(free, period=T, initial=start).velocity
        for band in (0.9e-3, 2.1e-3)
    )
    ours = subject.Admittance(mass=1.0, law=Coulomb(F)).run(free, period=T, initial=start).velocity
    yield Finding("narrow band: slowest of 100 last ticks", np.min(np.abs(narrow[-100:])), ">", 0.0, "m/s")
    yield Finding("wide band: fastest of them", np.max(np.abs(wide[-100:])), "=", 0.0, "m/s")
    yield Finding("no band: fastest of them", np.max(np.abs(ours[-100:])), "=", 0.0, "m/s")
