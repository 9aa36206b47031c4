"""Choosing stiffness, damping and alpha, which xiong2011 leaves open: by restitution, period and allowed penetration.

One impact of a mass M on the compiled contact is linear from touch to release. In units of beta it has two numbers,

    zeta = (beta/2) sqrt(K/M)   how strongly it is damped,       r = alpha/beta   how late the added state follows,

and the characteristic polynomial r s^3 + s^2 + 4 zeta^2 (s + 1): stable for r < 1. For a given r the restitution
falls from 1 with growing zeta down to a floor and rises again, for a lag cannot damp what is faster than itself.
So the restitution fixes the pair (zeta, r), and the period, through alpha = T/2, the scale of time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from tegotae import checks
from tegotae.inclusion.elements.mobility import effective_masses
from tegotae.inclusion.elements.parameters import Contact, Friction
from tegotae.inclusion.explicit.stability import largest_step
from tegotae.inclusion.language.arguments import start_of
from tegotae.inclusion.language.equations import Equations
from tegotae.inclusion.language.parsing import ContactElement

GRAVITY = 9.81  # [m/s2], what a mass weighs if no load is named
ALPHA_PER_PERIOD = 0.5  # RK4 is stable up to T = 2.8 alpha
# sqrt(K/M) T. Under RK4 the restitution then depends on where the touch falls between two ticks by less than 0.003;
# at 0.7, which would be stable, by 0.025.
CONTACT_RATE = 0.3
FRICTION_RATE = 1.0  # sqrt(K/M) T while it sticks; RK4 loses the friction, silently, from 2.785
_LEAST_ZETA = 1e-8  # damping ratio of the softest impact that is told from an elastic one
TOGETHER = 1.25  # how far below RK4's limit all elements together stay
DAMPED = 0.5  # the restitution of springs and dampers where impacts have a law of their own: soon at rest
LEAST_RATIO, LARGEST_RATIO = 0.002, 0.95  # r: below, beta is 250 periods; above, almost unstable


def tune_contact(
    *, mass: float, restitution: float, period: float, penetration: float | None = None, load: float | None = None
) -> Contact:
    """A contact that gives the restitution asked for and is safe for RK4 at the period, as stiff as that allows.

    Args:
        mass: what the contact feels [kg], > 0; see `effective_masses`.
        restitution: speed after over speed before an impact of a free mass, in (0, 1) [no unit]. A load that acts
            during the impact, such as the weight, takes a little more of slow ones; see `automatic`.
        period: the integrator's step [s], > 0.
        penetration: how deep the load sinks in at rest [m]; the smallest that the period allows if not given.
        load: the force at rest [N] for which penetration is meant; the weight of the mass if not given.

    Example:
        >>> from tegotae.inclusion import restitution_of, tune_contact
        >>> contact = tune_contact(mass=2.0, restitution=0.5, period=1e-3)
        >>> round(contact.stiffness), contact.alpha
        (180000, 0.0005)
        >>> round(restitution_of(contact, mass=2.0), 6)
        0.5
        >>> tune_contact(mass=2.0, restitution=0.5, period=1e-3, penetration=1e-3, load=20.0).stiffness
        20000.0
    """
    owner = "tune_contact"
    M = checks.positive(owner, "mass", mass, "kg", "Give the mass that the contact feels.")
    T = checks.period_of(owner, period)
    eps = checks.positive(owner, "restitution", restitution, "", "Ask for a restitution between 0.02 and 0.99.")
    if eps >= 1.0:
        checks.refuse(
            owner, f"restitution={eps:g} must be < 1: the damped contact always loses energy.", "Use 0.99 or less."
        )
    if load is not None and penetration is None:
        checks.refuse(owner, f"load={checks.shown(load)} is given without penetration.", "Give both, or neither.")
    zeta, r = _shape(eps)
    stiffest = M * (2.0 * zeta * r / (ALPHA_PER_PERIOD * T)) ** 2
    if penetration is None:
        return Contact(stiffness=stiffest, damping=stiffest * ALPHA_PER_PERIOD * T / r, alpha=ALPHA_PER_PERIOD * T)
    depth = checks.positive(owner, "penetration", penetration, "m", "Give the depth at rest, such as 1e-4.")
    N = checks.positive(owner, "load", M * GRAVITY if load is None else load, "N", "Give the force at rest.")
    K = N / depth
    if stiffest * (1.0 + 1e-12) < K:
        checks.refuse(
            owner,
            f"penetration={depth:g} m under {N:g} N needs stiffness {K:.4g} N/m, but period={T:g} s allows "
            f"{stiffest:.4g} at restitution={eps:g}.",
            f"Use penetration >= {N / stiffest:.4g}, or period <= {T * math.sqrt(stiffest / K):.4g}.",
        )
    alpha = 2.0 * zeta * r * math.sqrt(M / K)  # the same impact, played more slowly
    return Contact(stiffness=K, damping=K * alpha / r, alpha=alpha)


def tune_friction(*, mass: float, limit: float, period: float, displacement: float | None = None) -> Friction:
    """A friction, critically damped while it sticks and safe for RK4 at the period, as stiff as that allows.

    Before it slides it yields by limit/stiffness, the presliding displacement.

    Args:
        mass: what the friction feels [kg], > 0; see `effective_masses`.
        limit: the largest friction force [N], > 0.
        period: the integrator's step [s], > 0.
        displacement: the presliding displacement [m]; the smallest that the period allows if not given.

    Example:
        >>> from tegotae.inclusion import tune_friction
        >>> tune_friction(mass=1.0, limit=5.0, period=1e-3)
        Friction(stiffness=1000000.0, damping=2000.0)
        >>> tune_friction(mass=1.0, limit=5.0, period=1e-3, displacement=1e-4).stiffness
        50000.0
    """
    owner = "tune_friction"
    M = checks.positive(owner, "mass", mass, "kg", "Give the mass that the friction feels.")
    F = checks.positive(owner, "limit", limit, "N", "Give the largest friction force.")
    T = checks.period_of(owner, period)
    stiffest = M * (FRICTION_RATE / T) ** 2
    K = stiffest
    if displacement is not None:
        K = F / checks.positive(owner, "displacement", displacement, "m", "Give the yield, such as 1e-5.")
    if stiffest * (1.0 + 1e-12) < K:
        checks.refuse(
            owner,
            f"displacement={F / K:g} m needs stiffness {K:.4g} N/m, but period={T:g} s allows {stiffest:.4g}: "
            "stiffer, RK4 would lose the friction.",
            f"Use displacement >= {F / stiffest:.4g}, or period <= {T * math.sqrt(stiffest / K):.4g}.",
        )
    return Friction(stiffness=K, damping=2.0 * math.sqrt(M * K))


def automatic(
    inclusion: Equations,
    *,
    period: float,
    restitution: float | None = None,
    initial: Mapping[Any, float] | None = None,
    elements: Mapping[str, Contact | Friction] | None = None,
) -> dict[str, Contact | Friction]:
    """Parameters for every element, each by the mass that it feels: what `to_ode(auto=True, ...)` uses.

    With `to_ode(elements=automatic(...))` there are no jumps: spring and damper give back the restitution asked for.

    Every element is as stiff as the period and its neighbours on the same bodies allow, so no load has to be
    guessed. The restitution is that of a free mass: a weight g, which works on while the contact is closed, takes
    about g T more of the speed after an impact (at 1 ms, 1.5 m/s and 0.5 asked it is 0.494). That depends on the
    speed, so no constants mend it; a shorter period does, or a law of its own: `to_ode(restitution=...)`.

    A load that would accelerate the element's mass by a sinks into a contact by about 11 a T^2 (0.1 mm at
    1 ms under gravity; more where the restitution is below 0.15) and stretches a friction by a T^2. The masses are
    those at the initial state; where the machine changes shape much, name the elements.

    Args:
        inclusion: the machine.
        period: the integrator's step [s], > 0.
        restitution: speed after over speed before an impact, for every contact, in (0, 1) [no unit].
        initial: state -> value at which the masses are taken [SI units]; 0 where not given.
        elements: name -> parameters of those elements that shall not be chosen here.

    Example:
        >>> from tegotae.inclusion import Inclusion, automatic
        >>> ball = Inclusion({"p": "v", "v": "dio(p, 'floor')/4 - 9.81"})
        >>> round(automatic(ball, period=1e-3, restitution=0.8)["floor"].stiffness)
        360000
    """
    T = checks.period_of("automatic", period)
    if not hasattr(inclusion, "states"):
        checks.refuse("automatic", f"inclusion={checks.shown(inclusion)} is not an Inclusion.", "Give an Inclusion.")
    place, _ = start_of("automatic", initial, inclusion.states)
    masses = effective_masses(inclusion, place)
    given = dict(checks.mapping("automatic", "elements", elements, "Give a dict of Contact or Friction by name."))
    for element in inclusion.elements:
        if element.name in given:
            continue
        if not math.isfinite(masses[element.name]):
            where = ", ".join(f"{s}={value:g}" for s, value in zip(inclusion.states, place, strict=True))
            checks.refuse(
                "automatic",
                f"the force of {element.name!r} moves nothing it can feel at {where}, so no mass tells its stiffness.",
                "Give initial={state: value} where it does, or its parameters by name: elements={...}.",
            )
        if restitution is None and isinstance(element, ContactElement):
            checks.refuse(
                "automatic", f"contact {element.name!r} has no restitution.", "Give restitution=, such as 0.5."
            )
    # Elements that share a body are stiffer together; all times scale alike, so one division makes room for them.
    # Those given by name take part as if they were tuned: what is wrong with them is not mended by the others.
    masses = {name: mass if math.isfinite(mass) else 1.0 for name, mass in masses.items()}
    eps = DAMPED if restitution is None else restitution
    safe, _ = largest_step(inclusion, _each(inclusion, masses, T, eps), place, 0.0, method="RK4")
    return _each(inclusion, masses, T * max(1.0, TOGETHER * T / safe), eps) | given


def _each(
    inclusion: Equations, masses: Mapping[str, float], T: float, restitution: float
) -> dict[str, Contact | Friction]:
    """Every element tuned as if it were alone."""
    contacts = {
        c.name: tune_contact(mass=masses[c.name], restitution=restitution, period=T) for c in inclusion.contacts
    }
    # The limit sets only the displacement, which is not asked for here.
    frictions = {f.name: tune_friction(mass=masses[f.name], limit=1.0, period=T) for f in inclusion.frictions}
    return {**contacts, **frictions}


def restitution_of(contact: Contact, *, mass: float) -> float:
    """Speed after over speed before an impact of a free mass: the contact's equation solved in closed form.

    Args:
        contact: the parameters.
        mass: what the contact feels [kg], > 0.

    Example:
        >>> from tegotae.inclusion import Contact, restitution_of
        >>> round(restitution_of(Contact(stiffness=1e5, damping=200.0, alpha=2e-4), mass=1.0), 4)
        0.4804
    """
    M = checks.positive("restitution_of", "mass", mass, "kg", "Give the mass that the contact feels.")
    checks.instance("restitution_of", "contact", contact, Contact, "Give a Contact(...).")
    zeta = 0.5 * contact.beta * math.sqrt(contact.stiffness / M)
    if not _LEAST_ZETA <= zeta <= 1.0 / _LEAST_ZETA:
        problem = f"mass={M:g} kg on this contact has a damping ratio of {zeta:.3g}"
        checks.refuse("restitution_of", f"{problem}, which no contact has.", "Give the mass that the contact feels.")
    return _restitution(zeta, contact.alpha / contact.beta)


# ------------------------------------------------------------ one impact


def _root(function: Callable[[float], float], low: float, high: float, precision: float = 1e-12) -> float:
    from scipy.optimize import brentq

    return float(brentq(function, low, high, xtol=precision))


def _restitution(zeta: float, r: float) -> float:
    """Speed at release over speed at touch. Time in beta: X'' = k S, E' = -(X + E)/r, S = E - (X + E)/r, k = 4 zeta^2.

    After release S stays negative (there S'' = (1 - 1/r) E < 0), so the first release is the only one.
    """
    k = 4.0 * zeta * zeta
    A = np.array([[0.0, 1.0, 0.0], [-k / r, 0.0, k * (1.0 - 1.0 / r)], [-1.0 / r, 0.0, -1.0 / r]])
    roots, modes = np.linalg.eig(A)
    amounts = np.linalg.solve(modes, np.array([0.0, -1.0, 0.0]))
    speed = modes[1] * amounts
    force = (np.array([-1.0 / r, 0.0, 1.0 - 1.0 / r]) @ modes) * amounts

    def pressed(time: Any) -> Any:
        return (np.exp(np.multiply.outer(time, roots)) @ force).real

    # The release ends half a swing, or, without a swing, is the only zero: such steps cannot pass over it.
    swing = roots[np.abs(roots.imag) > 1e-9]
    step, start = 0.1 / float(np.abs(swing if swing.size else roots).max()), 0.0
    while True:
        times = start + step * np.arange(1, 513)
        released = pressed(times) <= 0.0
        if released.any():
            end = times[np.argmax(released)]
            break
        start = times[-1]
    release = _root(pressed, end - step, end, 1e-14) if end > step else end
    return float((np.exp(roots * release) @ speed).real)


@cache
def _floor(r: float) -> tuple[float, float]:
    """The smallest restitution that r allows, and the zeta that gives it."""
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(lambda log: _restitution(math.exp(log), r), bounds=(-1.5, 2.0), method="bounded")
    return float(found.fun), math.exp(found.x)


def _damping(eps: float, r: float) -> float:
    """The zeta on the falling branch that gives the restitution eps."""
    floor, zeta = _floor(r)
    if floor >= eps:
        return zeta
    least = min(-0.25 * math.log(eps) / math.pi, 0.5 * zeta)  # a weakly damped half swing ends with exp(-pi zeta)
    return _root(lambda z: _restitution(z, r) - eps, least, zeta)


@cache
def _shape(eps: float) -> tuple[float, float]:
    """(zeta, r) of the stiffest impact with restitution eps: r as large as its floor and `CONTACT_RATE` allow."""
    least, most = _floor(LEAST_RATIO)[0], _restitution(1e-3, LARGEST_RATIO)
    if not least <= eps <= most:
        checks.refuse(
            "tune_contact",
            f"restitution={eps:g} is beyond what the contact can do, {1e-4 * math.ceil(1e4 * least):g} to {most:.4f}.",
            "Stay inside, or use to_events, where the restitution of a contact is exact and may be 0.",
        )
    top = LARGEST_RATIO
    if _floor(top)[0] > eps:
        top = _root(lambda r: _floor(r)[0] - eps, LEAST_RATIO, top, 1e-9)

    def rate(r: float) -> float:
        return 2.0 / ALPHA_PER_PERIOD * _damping(eps, r) * r

    r = top
    if rate(top) > CONTACT_RATE:  # zeta grows with r, so the rate is below its limit at the lower end
        r = _root(lambda r: rate(r) - CONTACT_RATE, top * CONTACT_RATE / rate(top), top)
    return _damping(eps, r), r
