"""The compiled right-hand side against the symbolic one, and its Jacobian against differences on both sides."""

import numpy as np
import pytest
import sympy

from tegotae.inclusion import Contact, Friction, Inclusion, coulomb, dio

CONTACT, FRICTION = Contact(stiffness=1e3, damping=20.0, alpha=5e-3), Friction(stiffness=1e3, damping=20.0)


def cart_with_pendulum():
    """A mass matrix whose open rows also hold derivatives of solved ones; one wall, one friction."""
    x, q, vx, w, m, g, length = sympy.symbols("x q vx w m g L")
    wall = dio(x + sympy.sin(q), "wall")
    M = sympy.eye(4).as_mutable()
    M[2:, 2:] = sympy.Matrix([[2 * m, m * length * sympy.cos(q)], [m * length * sympy.cos(q), m * length**2 * 2]])
    M[3, 0] = sympy.sin(x) / 10
    rows = {x: vx, q: w, vx: m * length * w**2 * sympy.sin(q) - coulomb(2, vx, "rub") + wall}
    rows |= {w: -m * g * length * sympy.sin(q) + sympy.cos(q) * wall}
    return Inclusion(rows, {m: 1.0, g: 9.81, length: 0.5}, mass_matrix=M)


def plane():
    """Friction in a plane whose limit holds a contact force and the slip speed."""
    p, v, vx, vy = sympy.symbols("p v vx vy")
    floor = dio(p, "floor")
    rub = coulomb(floor * (1 + sympy.exp(-sympy.Abs(vx))) / 2, (vx, vy), "rub")
    return Inclusion({p: v, v: floor - 9, vx: -rub[0], vy: -rub[1] / 3})


@pytest.fixture(scope="module", params=[cart_with_pendulum, plane], ids=lambda f: f.__name__)
def ode(request):
    return request.param().to_ode(contact=CONTACT, friction=FRICTION)


def states(ode, count=40):
    return np.random.default_rng(3).normal(scale=0.3, size=(count, len(ode.states)))


def test_compiled_equals_symbolic(ode):
    size = len(ode.states)
    mass = ode.mass_matrix if ode.mass_matrix is not None else sympy.eye(size)
    by_sympy = sympy.lambdify(ode.states, [mass.subs(ode.parameters), ode.right.subs(ode.parameters)])
    for y in states(ode):
        M, right = by_sympy(*y)
        expected = np.linalg.solve(np.asarray(M, dtype=float), np.asarray(right, dtype=float)[:, 0])
        np.testing.assert_allclose(ode.rhs(0.0, y), expected, rtol=1e-10, atol=1e-10)


def test_jacobian_equals_differences_in_every_mode(ode):
    """Central differences err by about 1e-8 of the largest slope; states closer to a switch are not compared."""
    seen, h = set(), 1e-6
    for y in states(ode):
        near = np.array([y + s * h * d for d in np.eye(y.size) for s in (1.0, -1.0)])
        _, modes = ode._observed(np.zeros(len(near)), near)
        if (modes != modes[0]).any():
            continue
        seen.add(tuple(modes[0].tolist()))
        differences = np.stack([(ode.rhs(0.0, a) - ode.rhs(0.0, b)) / (2 * h) for a, b in near.reshape(-1, 2, y.size)])
        J = ode.jacobian(0.0, y)
        np.testing.assert_allclose(J, differences.T, atol=1e-7 * np.abs(J).max())
    assert len(seen) >= 2


def test_jacobian_at_a_switch_is_one_sided():
    """At S = 0 the slope is that of the open contact, at |w| = limit/K that of sticking; both true on their side."""
    ode = Inclusion({"p": "v", "v": "dio(p, 'floor') - coulomb(2, v, 'rub')"}).to_ode(
        contact=CONTACT, friction=FRICTION
    )
    h = 1e-7
    along, stretched = h * np.eye(4)[0], h * np.eye(4)[3]
    y = np.array([0.0, 0.0, 0.0, 2.0 / 1e3])  # S = 0, and K a = limit
    J = ode.jacobian(0.0, y)
    opening = (ode.rhs(0.0, y + along) - ode.rhs(0.0, y)) / h
    loosening = (ode.rhs(0.0, y) - ode.rhs(0.0, y - stretched)) / h
    np.testing.assert_allclose(J[:, 0], opening, atol=1e-4)
    np.testing.assert_allclose(J[:, 3], loosening, rtol=1e-6, atol=1e-4)
    closed = (ode.rhs(0.0, y) - ode.rhs(0.0, y - along)) / h
    assert abs(closed[1] - J[1, 0]) == pytest.approx(1e3 * 2e-2 / 5e-3, rel=1e-6)  # the other side: K beta/alpha


def test_other_numbers_use_the_same_compiled_code(ode):
    other = ode.inclusion.to_ode(
        contact=Contact(stiffness=2e3, damping=20.0, alpha=1e-3), friction=Friction(stiffness=5e3, damping=50.0)
    )
    assert other.compiled.module is ode.compiled.module
    assert ode.latex().count(r"\longrightarrow") == 1
    assert r"\in" in ode.inclusion._repr_latex_()
