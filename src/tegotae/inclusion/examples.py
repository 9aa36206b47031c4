"""Machines to start from: each function returns the inclusion and its usual initial state.

>>> from tegotae.inclusion import Contact, examples
>>> ball, start = examples.bouncing_ball()
>>> ode = ball.to_ode(contact=Contact(stiffness=1e5, damping=200.0, alpha=2e-4))
>>> run = ode.solve((0.0, 0.2), start, method="RK4", step=1e-4)
>>> bool(run.floor.min() >= 0.0 < run.floor.max())
True
"""

from __future__ import annotations

from typing import Any

import sympy

from tegotae.inclusion.inclusion import Inclusion
from tegotae.inclusion.language.symbols import coulomb, dio
from tegotae.inclusion.mechanics import from_mechanics

Machine = tuple[Inclusion, dict[str, float]]

GRAVITY = 9.81


def bouncing_ball(*, mass: float = 1.0, gravity: float = GRAVITY, height: float = 0.1) -> Machine:
    """A ball over a floor, let go.

    Args:
        mass: [kg].
        gravity: [m/s²].
        height: of the start [m].

    Example:
        >>> from tegotae.inclusion import examples
        >>> ball, start = examples.bouncing_ball()
        >>> run = ball.to_events(restitution=0.5).solve((0.0, 0.2), start)
        >>> round(run.events[0].time, 6), run.events[0].kind
        (0.142784, 'touch')
    """
    p, v, m, g = sympy.symbols("p v m g")
    rows = {p: v, v: dio(p, "floor") / m - g}
    return Inclusion(rows, {m: mass, g: gravity}), {"p": height}


def floor(
    *,
    mass: float = 1.0,
    friction: float = 0.5,
    push: float = 0.0,
    gravity: float = GRAVITY,
    speed: float = 1.0,
    height: float = 0.0,
) -> Machine:
    """The slides' point mass on a frictional floor, thrown along it; px along the floor, py above it.

    Args:
        mass: [kg].
        friction: coefficient mu, no unit [-].
        push: along the floor [N].
        gravity: [m/s²].
        speed: of the start, along the floor [m/s].
        height: of the start [m].

    Example:
        >>> from tegotae.inclusion import examples
        >>> mass, start = examples.floor(friction=0.5, speed=1.0)
        >>> run = mass.to_events().solve((0.0, 1.0), start, times=[1.0])
        >>> bool(abs(run.px[0] - 1.0 / (2 * 0.5 * 9.81)) < 1e-9)
        True
    """
    px, py, vx, vy, m, mu, h, g = sympy.symbols("px py vx vy m mu push g")
    press = dio(py, "floor")
    rows = {px: vx, py: vy, vx: (h - coulomb(mu * press, vx, "rub")) / m, vy: press / m - g}
    values = {m: mass, mu: friction, h: push, g: gravity}
    return Inclusion(rows, values), {"vx": speed, "py": height}


def slope(*, mass: float = 1.0, friction: float = 0.5, angle: float = 0.3, gravity: float = GRAVITY) -> Machine:
    """A block on a slope, p downhill: it stays while tan(angle) <= friction.

    Args:
        mass: [kg].
        friction: coefficient mu, no unit [-].
        angle: of the slope [rad], below pi/2.
        gravity: [m/s²].

    Example:
        >>> from tegotae.inclusion import examples
        >>> for angle in (0.4, 0.6):
        ...     block, start = examples.slope(friction=0.5, angle=angle)
        ...     print(round(float(block.to_events().solve((0.0, 1.0), start, times=[1.0]).v[0]), 3))
        0.0
        1.491
    """
    p, v, m, mu, angle_, g = sympy.symbols("p v m mu angle g")
    rub = coulomb(mu * m * g * sympy.Abs(sympy.cos(angle_)), v, "rub")
    rows = {p: v, v: g * sympy.sin(angle_) - rub / m}
    return Inclusion(rows, {m: mass, mu: friction, angle_: angle, g: gravity}), {"p": 0.0}


def belt(
    *, mass: float = 1.0, stiffness: float = 100.0, static: float = 5.0, kinetic: float = 3.0, speed: float = 0.1
) -> Machine:
    """Mass, spring and a running belt: stick-slip. With a static limit above the kinetic one it is for `to_events`.

    Args:
        mass: [kg].
        stiffness: of the spring [N/m].
        static: friction limit at rest [N].
        kinetic: friction while it slips [N]; if both are alike, every route can run the machine.
        speed: of the belt [m/s].

    Example:
        >>> from tegotae.inclusion import examples
        >>> machine, start = examples.belt()
        >>> run = machine.to_events().solve((0.0, 2.0), start)
        >>> slips = [event.time for event in run.events if event.kind == "slip"]
        >>> round(slips[1] - slips[0], 9)
        0.806888787
    """
    p, v, m, k, Fs, Fk, vb = sympy.symbols("p v m k Fs Fk vb")
    jump = {} if static == kinetic else {"static": Fs}
    rub = coulomb(Fk, v - vb, "belt", **jump)
    values = {m: mass, k: stiffness, Fk: kinetic, vb: speed} | ({Fs: static} if jump else {})
    return Inclusion({p: v, v: (-k * p - rub) / m}, values), {"p": 0.0, "v": speed}


def two_bodies(
    *,
    masses: tuple[float, float] = (1.0, 2.0),
    frictions: tuple[float, float, float] = (0.2, 0.3, 0.5),
    spring: float = 200.0,
    speed: float = 1.0,
    gravity: float = GRAVITY,
    height: float = 0.2,
) -> Machine:
    """The slides' machine: body 1 between a wall and body 2, which a belt presses against it; started in contact.

    Body 1 hangs on a spring along the wall, body 2 stands on the belt; all contacts rub.

    Args:
        masses: of bodies 1 and 2 [kg].
        frictions: coefficients at the wall, between the bodies, at the belt, no unit [-].
        spring: stiffness Ks [N/m].
        speed: u [m/s]: the belt runs towards the wall with it.
        gravity: on body 2 [m/s²].
        height: of body 1 at the start [m].

    Example:
        >>> from tegotae.inclusion import examples
        >>> machine, start = examples.two_bodies()
        >>> run = machine.to_events().solve((0.0, 0.1), start, times=[0.1])
        >>> bool(abs(run.mutual[0] - 0.5 * 2 * 9.81 / (1 - 0.3 * 0.5)) < 1e-9)
        True
    """
    p1x, p1y, p2x, p2y, v1x, v1y, v2x, v2y = sympy.symbols("p1x p1y p2x p2y v1x v1y v2x v2y")
    M1, M2, mu1, mu2, mu3, Ks, u, g = sympy.symbols("M1 M2 mu1 mu2 mu3 Ks u g")
    wall, mutual, ground = dio(p1x, "wall"), dio(p2x - p1x, "mutual"), dio(p2y, "floor")
    omega1 = coulomb(mu1 * wall, v1y, "rub_wall")
    omega2 = coulomb(mu2 * mutual, v1y - v2y, "rub_mutual")
    omega3 = coulomb(mu3 * ground, v2x + u, "rub_floor")
    rows = {
        p1x: v1x,
        p1y: v1y,
        p2x: v2x,
        p2y: v2y,
        v1x: (wall - mutual) / M1,
        v1y: (-omega1 - omega2 - Ks * p1y) / M1,
        v2x: (-omega3 + mutual) / M2,
        v2y: (omega2 + ground) / M2 - g,
    }
    values = dict(zip((M1, M2, mu1, mu2, mu3, Ks, u, g), (*masses, *frictions, spring, speed, gravity), strict=True))
    return Inclusion(rows, values), {"p1y": height}


def pendulum_on_table(
    *,
    masses: tuple[float, float] = (1.0, 0.5),
    lengths: tuple[float, float] = (0.5, 0.4),
    table: float = 0.75,
    friction: float = 0.3,
    gravity: float = GRAVITY,
) -> Machine:
    """A double pendulum whose tip strikes a table and rubs along it, by Kane's method; q1, q2 from straight down.

    Args:
        masses: of elbow and tip [kg].
        lengths: of the two rods [m].
        table: its depth below the pivot [m].
        friction: coefficient at the tip, no unit [-].
        gravity: [m/s²].

    Example:
        >>> from tegotae.inclusion import examples
        >>> pendulum, start = examples.pendulum_on_table()
        >>> [element.name for element in pendulum.elements], pendulum.mass_matrix is None
        (['table', 'rub'], False)
    """
    from sympy.physics import mechanics

    q1, q2, u1, u2 = mechanics.dynamicsymbols("q1 q2 u1 u2")
    m1, m2, l1, l2, depth, mu, g = sympy.symbols("m1 m2 l1 l2 depth mu g")
    N, pivot = mechanics.ReferenceFrame("N"), mechanics.Point("O")
    upper, lower = (N.orientnew(name, "Axis", [q, N.z]) for name, q in (("A", q1), ("B", q2)))
    upper.set_ang_vel(N, u1 * N.z)
    lower.set_ang_vel(N, u2 * N.z)
    pivot.set_vel(N, 0)
    elbow = pivot.locatenew("elbow", -l1 * upper.y)
    tip = elbow.locatenew("tip", -l2 * lower.y)
    elbow.v2pt_theory(pivot, N, upper)
    tip.v2pt_theory(elbow, N, lower)
    touch = dio(tip.pos_from(pivot).dot(N.y) + depth, "table")
    rub = coulomb(mu * touch, tip.vel(N).dot(N.x), "rub")
    loads: list[Any] = [(elbow, -m1 * g * N.y), (tip, (touch - m2 * g) * N.y - rub * N.x)]
    time = mechanics.dynamicsymbols._t
    method = mechanics.KanesMethod(N, [q1, q2], [u1, u2], kd_eqs=[u1 - q1.diff(time), u2 - q2.diff(time)])
    method.kanes_equations([mechanics.Particle("one", elbow, m1), mechanics.Particle("two", tip, m2)], loads)
    values = dict(zip((m1, m2, l1, l2, depth, mu, g), (*masses, *lengths, table, friction, gravity), strict=True))
    return from_mechanics(method, values), {"q1": 0.9, "q2": 1.2}


def woodpecker(
    *,
    friction: float = 0.3,
    spring: float = 5.6e-3,
    gravity: float = GRAVITY,
    speed: float = 0.3411,
    turn: float = 7.4583,
) -> Machine:
    """The toy that pecks its way down a pole: a sleeve with play on it, and a bird on a spring at the sleeve.

    p is the height of the sleeve, q1 its angle, q2 that of the bird; the beak strikes the pole above, and the sleeve
    jams on it with its lower or its upper edge. Numbers of the toy as in Glocker's Dynamics of Rigid Body Systems; its
    beak has a restitution of 0.5, the edges have 0. It starts with the lower edge on the pole.

    Args:
        friction: coefficient at the pole, no unit [-].
        spring: stiffness between sleeve and bird [N·m/rad].
        gravity: [m/s²].
        speed: at which the sleeve slides down at the start [m/s].
        turn: at which the bird nods forward at the start [rad/s].

    Example:
        >>> from tegotae.inclusion import examples
        >>> bird, start = examples.woodpecker()
        >>> run = bird.to_events(restitution={"beak": 0.5}).solve((0.0, 0.2), start)
        >>> [event.element for event in run.events if event.kind == "touch"][:3]
        ['upper', 'beak', 'upper']
    """
    p, q1, q2, v, u1, u2, mu, c, g = sympy.symbols("p q1 q2 v u1 u2 mu c g")
    # m: sleeve and bird [kg], J: theirs [kg m²]; the pole's radius, the sleeve's, half of its height, its arm to the
    # spring, the bird's from there, the beak's height and reach [m].
    sleeve, bird, turning, swinging = 0.3e-3, 4.5e-3, 5e-9, 7e-7
    pole, inside, edge, arm, back, beak, reach = 2.5e-3, 3.1e-3, 5.8e-3, 0.010, 0.015, 0.02, 0.0201
    hit = dio(arm + back - reach - pole - beak * q2, "beak")
    below, above = dio(inside - pole + edge * q1, "lower"), dio(inside - pole - edge * q1, "upper")
    rub = coulomb(mu * hit, v + arm * u1 + (back - reach) * u2, "rub_beak")
    jam = coulomb(mu * below, v + inside * u1, "rub_lower") + coulomb(mu * above, v + inside * u1, "rub_upper")
    mass = sympy.Matrix(
        [
            [sleeve + bird, bird * arm, bird * back],
            [bird * arm, turning + bird * arm**2, bird * arm * back],
            [bird * back, bird * arm * back, swinging + bird * back**2],
        ]
    )
    rows = {
        p: v,
        q1: u1,
        q2: u2,
        v: -(sleeve + bird) * g - rub - jam,
        u1: -bird * arm * g - c * (q1 - q2) + edge * (below - above) - arm * rub - inside * jam,
        u2: -bird * back * g + c * (q1 - q2) - beak * hit - (back - reach) * rub,
    }
    start = {"q1": -(inside - pole) / edge, "q2": -0.2788, "v": -speed, "u2": -turn}
    values = {mu: friction, c: spring, g: gravity}
    return Inclusion(rows, values, mass_matrix=sympy.diag(sympy.eye(3), mass)), start
