"""What the paper compares itself with: Dahl, LuGre, smoothed friction, thresholds."""

from __future__ import annotations

import numpy as np

from tegotae.block import Impedance
from tegotae.checks import Array
from tegotae.coupling.circuit import Circuit
from tegotae.elements import Mass
from tegotae.friction import Coulomb
from tegotae.papers.kikuuwe2005.subject import F, K, KikuuweSubject, T, paper
from tegotae.papers.ledger import Finding

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


def dahl_per_cycle(low: float, high: float) -> float:
    """How far Dahl's friction lets a light mass go in each cycle of the load [m].

    dx = -de/(1 + sgn(v) K e/F), from low to high and back.
    """
    away, back = np.log((F - low) / (F - high)), np.log((F + high) / (F + low))
    return float(F / STIFF * (away - back))


@paper.claim(
    statement="Under loads below the limit smoothed friction creeps at vs atanh(h/F), and Dahl's and LuGre's drift "
    "with every cycle of a vibration; this element does neither.",
    source="section 4, (20), [6], [7]; section 1 on low-speed drift",
)
def others_creep_and_drift(subject: KikuuweSubject) -> list[Finding]:
    """On the same mass, after the first three seconds; drifts in closed form."""
    steady, vibrating = loads()
    held = {name: np.diff(drift(model, steady)[3:]) for name, model in models(subject).items()}
    shaken = {name: np.diff(drift(model, vibrating)[3:]) for name, model in models(subject).items()}
    creep, cycle = 1e-3 * np.arctanh(0.5), dahl_per_cycle(LOW, HIGH)
    ours = max(float(np.max(np.abs(moved["this element"]))) for moved in (held, shaken))
    return [
        Finding("tanh, constant: off vs atanh(h/F)", abs(held["tanh"].mean() / creep - 1.0), "<=", 1e-6),
        Finding("tanh, vibrating: drift a cycle", shaken["tanh"].mean(), ">=", 1e-4, "m"),
        Finding("Dahl, constant: creep a second", np.max(np.abs(held["Dahl"])), "<=", 1e-12, "m"),
        Finding("Dahl, vibrating: drift a cycle", shaken["Dahl"].mean(), ">=", 0.9 * cycle, "m"),
        Finding("Dahl, that drift, off its closed form", abs(shaken["Dahl"].mean() / cycle - 1.0), "<=", 1e-3),
        Finding("LuGre, constant: creep a second", np.max(np.abs(held["LuGre"])), "<=", 1e-12, "m"),
        Finding("LuGre, vibrating: drift, off Dahl's", abs(shaken["LuGre"].mean() / cycle - 1.0), "<=", 0.05),
        Finding("this element, either: creep a second", ours, "<=", 1e-15, "m"),
    ]


@paper.claim(
    statement="Dahl's model reads e' = -v (1 + sgn(v) K e/F); its force goes to -F. As printed, without the minus, the "
    "force grows without bound along the motion.",
    source="(20)",
    as_printed=False,
    note="(20) prints z' = v (1 + sgn(v) K e/F), z for e.",
)
def erratum_20(subject: KikuuweSubject) -> list[Finding]:
    """Over a way of 10 F/K, both integrated from the differential equation."""
    from scipy.integrate import solve_ivp

    way = 10.0 * F / K
    ticks = 1000
    place = np.arange(1, ticks + 1) * way / ticks

    def force(sign: float) -> Array:
        solution = solve_ivp(
            lambda x, e: sign * (1.0 + K * e / F), (0.0, way), [0.0], t_eval=place, rtol=1e-11, atol=1e-16
        )
        stretched: Array = K * solution.y[0]
        return stretched

    printed, corrected = force(1.0), force(-1.0)
    dahl = subject.Dahl(stiffness=K, limit=F).run(np.full(ticks, way / ticks / T), period=T).force
    return [
        Finding("as printed: force at the end, of F", printed[-1] / F, ">=", 100.0),
        Finding("corrected: force at the end, off -F", abs(dahl[-1] / F + 1.0), "<=", 1e-4),
        Finding("corrected: the model, off the equation", np.max(np.abs(dahl - corrected)), "<=", 1e-8, "N"),
        Finding(
            "the model, off -F (1 - exp(-K x/F))", np.max(np.abs(dahl - F * np.expm1(-K * place / F))), "<=", 1e-12, "N"
        ),
    ]


@paper.claim(
    statement="Friction that counts a band of small speeds as rest hops across a narrow band for ever; without any "
    "band, the proposed friction comes to rest.",
    source="section 1, on [1]",
)
def thresholds_chatter(subject: KikuuweSubject) -> list[Finding]:
    """A free mass slowed by friction: 4 mm/s a tick, bands of 0.9 and 2.1 mm/s on either side of zero."""
    start, free = {"velocity": 0.9985}, np.zeros(2000)
    narrow, wide = (
        subject.Karnopp(mass=1.0, limit=F, static=F, dead_zone=band).run(free, period=T, initial=start).velocity
        for band in (0.9e-3, 2.1e-3)
    )
    ours = subject.Admittance(mass=1.0, law=Coulomb(F)).run(free, period=T, initial=start).velocity
    return [
        Finding("narrow band: slowest of 100 last ticks", np.min(np.abs(narrow[-100:])), ">", 0.0, "m/s"),
        Finding("wide band: fastest of them", np.max(np.abs(wide[-100:])), "=", 0.0, "m/s"),
        Finding("no band: fastest of them", np.max(np.abs(ours[-100:])), "=", 0.0, "m/s"),
    ]
