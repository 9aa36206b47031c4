"""Equations from sympy.physics.mechanics: the compiled machine is the one that textbooks derive by hand."""

import math

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import (
    KanesMethod,
    LagrangesMethod,
    Lagrangian,
    Particle,
    Point,
    ReferenceFrame,
    dynamicsymbols,
)

from tegotae import InputError
from tegotae.inclusion import automatic, coulomb, dio, from_mechanics
from tegotae.inclusion.language.compiled_terms import CompiledTerms

m1, m2, l1, l2, g, h, mu = sympy.symbols("m1 m2 l1 l2 g h mu")
VALUES = {m1: 1.3, m2: 0.7, l1: 0.8, l2: 0.5, g: 9.81}
q1, q2, u1, u2, tau = dynamicsymbols("q1 q2 u1 u2 tau")
q1_dot, q2_dot = dynamicsymbols("q1 q2", 1)


def pendulums(kane, load=lambda tip, frame, origin: 0 * frame.x, torque=0, **more):
    """Two rods without mass and two bodies; angles from the x axis, gravity along -y; `load` acts on the tip."""
    N, pivot = ReferenceFrame("N"), Point("O")
    A, B = N.orientnew("A", "Axis", [q1, N.z]), N.orientnew("B", "Axis", [q2, N.z])
    if kane:
        A.set_ang_vel(N, u1 * N.z)
        B.set_ang_vel(N, u2 * N.z)
    pivot.set_vel(N, 0)
    elbow, tip = pivot.locatenew("elbow", l1 * A.x), pivot.locatenew("tip", l1 * A.x + l2 * B.x)
    elbow.v2pt_theory(pivot, N, A)
    tip.v2pt_theory(elbow, N, B)
    bodies = [Particle("upper", elbow, m1), Particle("lower", tip, m2)]
    loads = [(elbow, -m1 * g * N.y), (tip, -m2 * g * N.y + load(tip, N, pivot)), (A, torque * N.z)]
    if kane:
        method = KanesMethod(N, [q1, q2], [u1, u2], kd_eqs=[u1 - q1_dot, u2 - q2_dot], **more)
        method.kanes_equations(bodies, loads)
    else:
        method = LagrangesMethod(Lagrangian(N, *bodies), [q1, q2], forcelist=loads, frame=N, **more)
        method.form_lagranges_equations()
    return method


def textbook(a, b, va, vb, torque=0.0):
    """Accelerations of the double pendulum, solved by hand from d/dt of the two momenta."""
    M1, M2, L1, L2, G = VALUES.values()
    c, s = math.cos(a - b), math.sin(a - b)
    A, B, C = (M1 + M2) * L1 * L1, M2 * L1 * L2 * c, M2 * L2 * L2
    first = -M2 * L1 * L2 * s * vb * vb - (M1 + M2) * G * L1 * math.cos(a) + torque
    second = M2 * L1 * L2 * s * va * va - M2 * G * L2 * math.cos(b)
    determinant = A * C - B * B
    return [(C * first - B * second) / determinant, (A * second - B * first) / determinant]


class Machine:
    """f, G, M of an inclusion as arrays."""

    def __init__(self, inclusion):
        self.inclusion, self.terms = inclusion, CompiledTerms(inclusion)
        self.n, self.m = len(inclusion.states), len(inclusion.forces)

    def ask(self, name, shape, x, t=0.0):
        u, out = np.zeros(len(self.inclusion.callables)), np.full(shape, np.nan)
        self.terms.module.inputs(t, u)
        getattr(self.terms.module, name)(t, np.asarray(x, dtype=float), self.terms.values, u, out)
        return out

    def rate(self, t, x, force=()):
        right = self.ask("smooth", self.n, x, t)
        if len(force):
            right += self.ask("directions", (self.n, self.m), x, t) @ np.asarray(force)
        return np.linalg.solve(self.ask("mass", (self.n, self.n), x, t), right)


@pytest.mark.parametrize("kane", [True, False], ids=["Kane", "Lagrange"])
def test_a_double_pendulum_is_the_one_of_the_textbook(kane):
    machine = Machine(from_mechanics(pendulums(kane), VALUES))
    names = ["q1", "q2", "u1", "u2"] if kane else ["q1", "q2", "q1_dot", "q2_dot"]
    assert [s.name for s in machine.inclusion.states] == names
    rng = np.random.default_rng(3)
    for x in rng.uniform(-3.0, 3.0, (20, 4)):
        expected = [x[2], x[3], *textbook(*x)]
        assert machine.rate(0.0, x) == pytest.approx(expected, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("kane", [True, False], ids=["Kane", "Lagrange"])
def test_the_double_pendulum_keeps_its_energy(kane):
    machine = Machine(from_mechanics(pendulums(kane), VALUES))
    M1, M2, L1, L2, G = VALUES.values()

    def energy(x):
        a, b, va, vb = x
        kinetic = 0.5 * M1 * (L1 * va) ** 2 + 0.5 * M2 * (
            (L1 * va) ** 2 + (L2 * vb) ** 2 + 2.0 * L1 * L2 * va * vb * math.cos(a - b)
        )
        return kinetic + (M1 + M2) * G * L1 * math.sin(a) + M2 * G * L2 * math.sin(b)

    start = np.array([0.3, 1.1, 0.0, -2.0])
    run = solve_ivp(machine.rate, (0.0, 5.0), start, method="DOP853", rtol=1e-10, atol=1e-12)
    drift = max(abs(energy(x) - energy(start)) for x in run.y.T)
    assert drift < 1e-7 * abs(energy(start))
    assert np.ptp(run.y[1]) > 1.0  # it did swing


@pytest.mark.parametrize("kane", [True, False], ids=["Kane", "Lagrange"])
@pytest.mark.parametrize(
    "given", [lambda t: 2.0 * math.sin(t), 2 * sympy.sin(sympy.Symbol("t"))], ids=["code", "sympy"]
)
def test_other_functions_of_time_are_inputs(kane, given):
    machine = Machine(from_mechanics(pendulums(kane, torque=tau), VALUES, inputs={tau: given}))
    x = [0.3, -0.4, 0.5, 0.6]
    expected = [0.5, 0.6, *textbook(*x, torque=2.0 * math.sin(0.7))]
    assert machine.rate(0.7, x) == pytest.approx(expected, rel=1e-12)


def table_edge(tip, frame, origin):
    """Contact with a floor h below the pivot, and friction along it."""
    height = tip.pos_from(origin).dot(frame.y) + h
    touch = dio(height, "table")
    return touch * frame.y - coulomb(mu * touch, tip.vel(frame).dot(frame.x), "rub") * frame.x


@pytest.mark.parametrize("kane", [True, False], ids=["Kane", "Lagrange"])
def test_contact_and_friction_among_the_loads(kane):
    """Gap, slip, limit and the directions of the forces against the geometry of the tip."""
    values = {**VALUES, h: 0.9, mu: 0.4}
    machine = Machine(from_mechanics(pendulums(kane, table_edge), values))
    system, L1, L2 = machine.inclusion, VALUES[l1], VALUES[l2]
    assert [e.name for e in system.elements] == ["table", "rub"]
    rng = np.random.default_rng(5)
    for x in rng.uniform(-2.0, 2.0, (10, 4)):
        a, b = x[:2]
        jacobian_y = np.array([L1 * math.cos(a), L2 * math.cos(b)])
        jacobian_x = np.array([-L1 * math.sin(a), -L2 * math.sin(b)])
        gap, speed, u = np.zeros(1), np.zeros(1), np.empty(0)
        machine.terms.module.gaps(0.0, x, machine.terms.values, u, gap, speed)
        assert gap == pytest.approx(L1 * math.sin(a) + L2 * math.sin(b) + 0.9, rel=1e-12)
        assert speed == pytest.approx(jacobian_y @ x[2:], rel=1e-12)
        assert machine.ask("slips", 1, x) == pytest.approx(jacobian_x @ x[2:], rel=1e-12)
        G = machine.ask("directions", (4, 2), x)
        assert G[:2] == pytest.approx(np.zeros((2, 2)))
        assert G[2:] == pytest.approx(np.column_stack([jacobian_y, -jacobian_x]), rel=1e-12)
        limit = np.zeros(1)
        machine.terms.module.limits(0.0, x, machine.terms.values, u, np.array([5.0, 0.0]), limit)
        assert limit == pytest.approx(0.4 * 5.0)


def test_the_mass_matrix_is_not_inverted():
    system = from_mechanics(pendulums(True), VALUES)
    assert system.mass_matrix is not None
    assert system.mass_matrix[2, 3] != 0
    assert not any(part.is_Pow and part.exp.is_negative for part in sympy.preorder_traversal(system.smooth))


def test_slips_may_be_written_with_the_rates_of_coordinates_in_kanes_method():
    def load(tip, frame, origin):
        return -coulomb(3, tip.pos_from(origin).dt(frame).dot(frame.x), "rub") * frame.x

    system = from_mechanics(pendulums(True, load), VALUES)
    assert {s.name for s in system.frictions[0].slips[0].free_symbols} == {"l1", "l2", "q1", "q2", "u1", "u2"}


def test_strings_name_parameters_and_inputs():
    system = from_mechanics(
        pendulums(True, torque=tau), {str(k): v for k, v in VALUES.items()}, inputs={"tau": "sin(t)"}
    )
    assert [s.name for s in system.parameters] == ["m1", "m2", "l1", "l2", "g"]


def unformed():
    N = ReferenceFrame("N")
    return KanesMethod(N, [q1], [u1], kd_eqs=[u1 - q1_dot])


BAD = {
    "no method": (lambda: from_mechanics({"p": 1}), "method is a dict"),
    "not formed": (lambda: from_mechanics(unformed()), "has not formed its equations"),
    "holonomic": (
        lambda: from_mechanics(pendulums(False, hol_coneqs=[sympy.sin(q1) + sympy.sin(q2)]), VALUES),
        "hol_coneqs or nonhol_coneqs is not supported",
    ),
    "missing parameter": (lambda: from_mechanics(pendulums(True), {m1: 1.0}), "is neither a state nor a parameter"),
    "missing input": (lambda: from_mechanics(pendulums(True, torque=tau), VALUES), "'tau'"),
    "acceleration": (
        lambda: from_mechanics(pendulums(True, torque=u2.diff()), VALUES),
        r"the loads hold Derivative\(u2\(t\), t\)",
    ),
    "name twice": (
        lambda: from_mechanics(pendulums(True, torque=sympy.Symbol("q1")), VALUES),
        "both called 'q1'",
    ),
}


@pytest.mark.parametrize(("attempt", "message"), BAD.values(), ids=BAD)
def test_what_is_not_supported_is_refused_by_name(attempt, message):
    with pytest.raises(InputError, match=message):
        attempt()


def test_constraints_of_kanes_method_are_refused_by_name():
    N, pivot = ReferenceFrame("N"), Point("O")
    pivot.set_vel(N, 0)
    P = pivot.locatenew("P", q1 * N.x + q2 * N.y)
    P.set_vel(N, u1 * N.x + u2 * N.y)
    kane = KanesMethod(
        N,
        q_ind=[q1],
        q_dependent=[q2],
        u_ind=[u1],
        u_dependent=[u2],
        kd_eqs=[u1 - q1_dot, u2 - q2_dot],
        configuration_constraints=[q1**2 + q2**2 - 1],
        velocity_constraints=[q1 * u1 + q2 * u2],
    )
    kane.kanes_equations([Particle("P", P, m1)], [(P, -m1 * g * N.y)])
    with pytest.raises(InputError, match=r"configuration_constraints is not supported: q1\(t\)\*\*2"):
        from_mechanics(kane, VALUES)


def test_a_tuned_pendulum_bounces_off_the_table_as_asked():
    """Without gravity one impact of the tip reverses the rod with the restitution asked, through every tool at once."""
    N, pivot = ReferenceFrame("N"), Point("pivot")
    pivot.set_vel(N, 0)
    rod = N.orientnew("rod", "Axis", [q1, N.z])
    tip = pivot.locatenew("tip", l1 * rod.x)
    tip.v2pt_theory(pivot, N, rod)
    body = Particle("tip", tip, m1)
    push = dio(tip.pos_from(pivot).dot(N.y) + h, "table") * N.y
    method = LagrangesMethod(Lagrangian(N, body), [q1], forcelist=[(tip, push)], frame=N)
    method.form_lagranges_equations()
    pendulum = from_mechanics(method, {m1: 2.0, l1: 0.5, h: 0.2})
    touching = -math.asin(0.2 / 0.5)
    chosen = automatic(pendulum, period=1e-4, restitution=0.6, initial={"q1": touching})
    ode = pendulum.to_ode(elements=chosen)
    run = ode.solve((0.0, 0.3), {"q1": touching + 0.05, "q1_dot": -1.0}, method="RK4", step=1e-4)
    assert float(run["q1_dot"][-1]) == pytest.approx(0.6, abs=0.005)
