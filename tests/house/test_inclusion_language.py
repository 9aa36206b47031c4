"""The language of inclusions: what may be written, what it means, and what is refused with which words."""

import math

import numpy as np
import pytest
import sympy
from sympy import Abs, Max, Min, Piecewise, Symbol, cos, exp, sin, sqrt, symbols

from tegotae import InputError
from tegotae.inclusion import Contact, Friction, Inclusion, coulomb, dio, sgn
from tegotae.inclusion.language.compiled_terms import CompiledTerms

p, v, q, w, m, g, mu, F, k, u = symbols("p v q w m g mu F k u")
x1, x2, v1, v2 = symbols("x1 x2 v1 v2")
GIVEN = {m: 2.0, g: 9.81, mu: 0.3, F: 5.0, k: 100.0}


def one(row, parameters=GIVEN, **more):
    """A body with position p and velocity v."""
    return Inclusion({p: v, v: row}, parameters, **more)


# ------------------------------------------------------------ what is refused

REFUSED = {
    "nothing": (lambda: Inclusion({}), "rows is empty"),
    "undefined symbol": (lambda: one(-g * Symbol("z")), r"'z' in the row of v, -g\*z, is neither a state"),
    "undefined in a gap": (lambda: one(dio(p - Symbol("z")) / m), "'z' in the gap of 'contact_1', p - z"),
    "undefined in a slip": (lambda: one(-coulomb(F, v - Symbol("z"), "rub") / m), "'z' in the slip of 'rub'"),
    "undefined in a limit": (lambda: one(-coulomb(Abs(Symbol("z")), v, "rub") / m), "'z' in the limit of 'rub'"),
    "undefined at rest": (lambda: one(-coulomb(F, v, "rub", static=Symbol("z")) / m), "'z' in the static limit"),
    "undefined in the mass matrix": (
        lambda: one(-g, mass_matrix=[[1, 0], [0, Symbol("z")]]),
        "'z' in the mass matrix",
    ),
    "state without a row": (lambda: Inclusion({p: v}), "'v' in the row of p, v, is neither a state"),
    "undefined in text": (lambda: Inclusion({"p": "v", "v": "-z"}), "'z' in the row of v"),
    "an undefined letter that SymPy knows": (lambda: Inclusion({"p": "v", "v": "-N*p"}), "Inclusion: .*N"),
    "the imaginary unit": (lambda: Inclusion({"p": "v", "v": "-I*p"}), "Inclusion: .*real"),
    "infinity": (lambda: one(sympy.oo), "Inclusion: .*finite"),
    "not a number": (lambda: one(sympy.nan), "Inclusion: .*finite"),
    "text that is no formula": (lambda: Inclusion({"p": "v", "v": "-p *"}), "cannot be read"),
    "a python word in text": (lambda: Inclusion({"p": "v", "v": "lambda*p"}), "cannot be read"),
    "none": (lambda: one(None), "the row of v"),
    "a matrix": (lambda: one(sympy.Matrix([1, 2])), "the row of v"),
    "a condition": (lambda: one(p > 0), "the row of v"),
    "a key that is no symbol": (lambda: Inclusion({p + 1: v, v: 0}), "is not a symbol"),
    "a number as a key": (lambda: Inclusion({3: v, v: 0}), "3 is not a symbol"),
    "a state twice": (lambda: Inclusion({p: v, "p": v, v: 0}), "'p' has two rows"),
    "a state that is a parameter": (lambda: one(-g, {**GIVEN, p: 1.0}), "'p' is a state and a parameter"),
    "an input that is a state": (lambda: one(-g, inputs={v: 1.0}), "'v' is a state and an input"),
    "an input that is a parameter": (lambda: one(-g, inputs={m: 1.0}), "'m' is a parameter and an input"),
    "time as a parameter": (lambda: one(-Symbol("t"), {"t": 1.0}), "'t' is the time"),
    "a parameter that is no number": (lambda: one(-g, {g: "9.81"}), r"parameters\['g'\]='9.81'"),
    "a parameter that is not finite": (lambda: one(-g, {g: math.nan}), r"parameters\['g'\]=nan"),
    "a state assumed positive": (
        lambda: Inclusion({p: Symbol("v", positive=True), Symbol("v", positive=True): -1}),
        "the state v has assumptions",
    ),
    "two symbols of one name": (
        lambda: Inclusion({p: v, v: -g * Symbol("p", real=True)}, GIVEN),
        "two symbols are called 'p'",
    ),
    "a parameter with other assumptions": (
        lambda: one(-g, {Symbol("g", positive=True): 9.81}),
        "two symbols are called 'g'",
    ),
    "an input with a stranger": (lambda: one(-u, inputs={u: "z*t"}), "input u=.* holds 'z'"),
    "an input with a contact": (lambda: one(-u, inputs={u: dio(Symbol("t"))}), "input u=.*contact or friction"),
    "dio of a velocity": (lambda: one(dio(v) / m), r"dio\(v\) is taken of a velocity"),
    "dio of a mixture": (lambda: one(dio(p + v) / m), r"dio\(p \+ v\) is taken of a velocity"),
    "dio of a velocity behind a mass matrix": (
        lambda: one(dio(v), mass_matrix=[[1, 0], [0, m]]),
        r"dio\(v\) is taken of a velocity",
    ),
    "dio of a constant": (lambda: one(dio(m) / m), r"dio\(m\) holds no state"),
    "dio of a dio": (lambda: one(dio(p + dio(p)) / m), "inside another"),
    "dio in a slip": (lambda: one(dio(p) - coulomb(F, v + dio(p), "rub")), "inside another|slip"),
    "friction in a limit": (lambda: one(-coulomb(Abs(coulomb(F, v, "a")), v, "b") / m), "inside another"),
    "a sign in a limit": (lambda: one(-coulomb(F + sgn(v), v, "b") / m), "inside another"),
    "a sign in a gap": (lambda: one(dio(p + sgn(v)) / m), "inside another"),
    "sgn of a position": (lambda: one(-F * sgn(p)), r"sgn\(p\) is not taken of a velocity"),
    "sgn times a position": (lambda: one(-p * sgn(v)), "limit p of a friction can be negative"),
    "sgn times a negative parameter": (lambda: one(-F * sgn(v), {F: -1.0}), "can be negative"),
    "sgn times a difference": (lambda: one(-(dio(p) - F) * sgn(v)), "can be negative"),
    "sgn times a wave": (lambda: one(-sin(p) * sgn(v)), "can be negative"),
    "sgn times an input": (lambda: one(-u * sgn(v), inputs={u: 1.0 + Symbol("t")}), "can be negative"),
    "a static limit that can be negative": (lambda: one(-coulomb(F, v, "rub", static=p) / m), "can be negative"),
    "friction divided by a mass": (
        lambda: one(-mu * dio(p) * sgn(v) / m),
        r"divides a friction force, .*\n  Name the force: coulomb\(mu\*dio\(p\), v, 'name'\)",
    ),
    "sgn twice in a product": (lambda: one(-F * sgn(v) * sgn(v + 1)), "multiplies several signs"),
    "a power of sgn": (lambda: one(-F * sgn(v) ** 2), "several signs|inside another function"),
    "sgn in a factor": (lambda: one(-sgn(v) * (F + sgn(v + 1))), "several signs"),
    "sgn in a function": (lambda: one(-F * sin(sgn(v))), "sgn inside another function"),
    "sgn in a condition": (lambda: one(Piecewise((1, sgn(v) > 0), (0, True))), "sgn inside another function"),
    "a squared contact": (lambda: one(dio(p) ** 2), "not linear in the forces"),
    "a product of forces": (lambda: one(dio(p, "a") * coulomb(F, v, "b")), "not linear in the forces"),
    "a root of a force": (lambda: one(sqrt(dio(p))), "not linear in the forces"),
    "a condition on a force": (
        lambda: one(Piecewise((-g, dio(p) > 1), (0, True))),
        "not linear in the forces",
    ),
    "a largest force": (lambda: one(Max(dio(p), 3) / m), "not linear in the forces"),
    "one name, two contacts": (lambda: one((dio(p, "a") + dio(1 - p, "a")) / m), "'a' stands for two elements"),
    "one name, two kinds": (lambda: one((dio(p, "a") - coulomb(F, v, "a")) / m), "'a' stands for two elements"),
    "two names, one contact": (lambda: one((dio(p, "a") + dio(p, "b")) / m), "named both 'a' and 'b'"),
    "two static limits, one friction": (
        lambda: one(-coulomb(F, v, "a", static=7) / m - coulomb(F, v, "a", static=8) / m),
        "two static limits",
    ),
    "an element named as a state": (lambda: one(dio(p, "v") / m), "'v' names both a state and an element"),
    "no slip": (lambda: coulomb(F, []), "slip is empty"),
    "a mass matrix of the wrong shape": (lambda: one(-g, mass_matrix=[[1]]), r"shape \(1, 1\)"),
    "a mass matrix that is none": (lambda: one(-g, mass_matrix="heavy"), "mass_matrix"),
    "a ragged mass matrix": (lambda: one(-g, mass_matrix=[[1, 0], [0]]), "mass_matrix"),
    "a force in the mass matrix": (lambda: one(-g, mass_matrix=[[1, 0], [0, dio(p)]]), "holds a contact or friction"),
    "a singular mass matrix": (lambda: one(-g, mass_matrix=[[1, 1], [1, 1]]), "singular"),
    "a state called as a force": (
        lambda: Inclusion({p: v, v: dio(p, "a"), Symbol("force_a", real=True): 0}),
        "'force_a'",
    ),
    "alpha at beta": (
        lambda: Contact(stiffness=1e5, damping=100.0, alpha=1e-3),
        "alpha=0.001 s is not below beta=0.001",
    ),
    "alpha above beta": (lambda: Contact(stiffness=1e5, damping=100.0, alpha=2e-3), "alpha=0.002 s is not below"),
    "alpha negative": (lambda: Contact(stiffness=1e5, damping=100.0, alpha=-1e-3), "alpha=-0.001 s must be > 0"),
    "no stiffness": (lambda: Friction(stiffness=0.0, damping=100.0), "stiffness=0.0 N/m"),
    "no parameters": (lambda: one(dio(p, "floor") / m).to_ode(), "contact 'floor' has no parameters"),
    "parameters of the wrong kind": (
        lambda: one(dio(p, "floor") / m).to_ode(elements={"floor": Friction(stiffness=1.0, damping=1.0)}),
        "contact 'floor' has no parameters",
    ),
    "parameters of nobody": (
        lambda: one(dio(p, "floor") / m).to_ode(elements={"flor": Contact(stiffness=1e5, damping=100.0)}),
        r"elements names 'flor'.\n  It has floor",
    ),
    "auto without a period": (lambda: one(dio(p, "floor") / m).to_ode(auto=True), "auto=True needs a period"),
    "auto without a restitution": (
        lambda: one(dio(p, "floor") / m).to_ode(auto=True, period=1e-3),
        "contact 'floor' has no restitution",
    ),
    "auto with a restitution of another contact": (
        lambda: Inclusion({"p": "v", "v": "dio(p, 'floor') - dio(1 - p, 'lid')"}).to_ode(
            auto=True, period=1e-3, restitution={"lid": 0.5}
        ),
        r"contact 'floor' has no restitution.\n  Give restitution=, .*elements=automatic",
    ),
    "a start without auto": (lambda: one(dio(p, "floor") / m).to_ode(initial={}), "without auto=True"),
    "a period without auto": (lambda: one(dio(p, "floor") / m).to_ode(period=1e-3), "without auto=True"),
}


@pytest.mark.parametrize(("attempt", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_with_the_offending_words(attempt, message):
    with pytest.raises(InputError, match=message) as error:
        attempt()
    assert "\n  " in str(error.value)  # the way out


def test_what_cannot_be_compiled_is_named():
    with pytest.raises(InputError, match=r"besselj.* cannot be compiled"):
        CompiledTerms(one(-sympy.besselj(1, p))).source()


def test_a_piecewise_that_leaves_a_hole_is_refused():
    with pytest.raises(InputError, match="Piecewise"):
        CompiledTerms(one(Piecewise((-1, p > 0)))).source()


def test_an_input_that_cannot_be_compiled_is_refused():
    machine = one(-u, inputs={u: lambda t: __import__("random").random()})
    with pytest.raises(InputError, match=r"input u .*compile"):
        assert CompiledTerms(machine).module


# ------------------------------------------------------------ what it means


def test_the_same_contact_in_several_rows_is_one_element():
    touch = dio(x2 - x1, "touch")
    machine = Inclusion({x1: v1, v1: -touch, x2: v2, v2: touch / 3 - 2 * dio(-x1 + x2)})
    assert [c.name for c in machine.contacts] == ["touch"]
    assert list(machine.directions) == [0, -1, 0, sympy.Rational(1, 3) - 2]


def test_the_same_friction_seen_from_both_sides_is_one_element():
    machine = Inclusion({x1: v1, v1: -coulomb(F, v1 - v2, "rub"), x2: v2, v2: -coulomb(F, v2 - v1)}, {F: 2.0})
    assert len(machine.frictions) == 1
    assert list(machine.directions) == [0, -1, 0, 1]


def test_a_plain_sign_is_a_friction():
    plain, named = one(-F * sgn(v)), one(-coulomb(F, v))
    assert plain.frictions == named.frictions
    assert plain.right == named.right
    assert one((-F * sgn(v) - k * p) / m).frictions[0].limit == F  # the product is the whole force
    assert one(-sgn(v) / 2).frictions[0].limit == sympy.Rational(1, 2)


def test_unnamed_elements_get_numbers_that_no_name_has():
    machine = one((dio(p, "contact_2") + dio(1 - p) + dio(2 - p) + dio(3 - p)) / m)
    assert len({c.name for c in machine.contacts}) == 4


def test_contacts_in_limits_become_their_forces():
    machine = one(-coulomb(mu * dio(p, "floor") + F, v, "rub") / m)
    (floor,), (rub,) = machine.contacts, machine.frictions
    assert rub.limit == mu * floor.force + F
    assert list(machine.directions) == [0, 0, 0, -1 / m]  # the contact presses, but moves nothing itself


def test_vector_friction_is_one_element_with_components():
    slide = coulomb(F, (v1, v2), "slide")
    machine = Inclusion({x1: v1, v1: -slide[0], x2: v2, v2: -slide[1]}, {F: 1.0})
    assert [f.name for f in machine.frictions] == ["slide"]
    assert len(machine.forces) == 2
    assert machine.directions[1, 0] == machine.directions[3, 1] == -1


def test_text_and_symbols_mean_the_same():
    symbolic = one((dio(p, "floor") - coulomb(mu * dio(p), v, "rub") - k * p) / m - g)
    text = Inclusion(
        {"p": "v", "v": "(dio(p, 'floor') - coulomb(mu*dio(p), v, 'rub') - k*p)/m - g"},
        {"m": 2.0, "g": 9.81, "mu": 0.3, "F": 5.0, "k": 100.0},
    )
    assert text.right == symbolic.right
    assert text.contacts == symbolic.contacts
    assert text.frictions == symbolic.frictions


def test_letters_that_sympy_uses_are_the_users_where_he_gives_them():
    machine = Inclusion({"S": "N", "N": "-E*S - gamma*N"}, {"E": 2.0, "gamma": 0.5})
    assert value_of(machine, "smooth", 2, [3.0, 4.0]) == pytest.approx([4.0, -8.0])


def test_symbols_with_assumptions_are_met_by_strings():
    P, V, G = Symbol("p", real=True), Symbol("v", real=True), Symbol("g", positive=True)
    machine = Inclusion({P: V, V: -G}, {"g": 9.81})
    assert machine.states == (P, V)
    mixed = Inclusion({P: "v", "v": -G}, {"g": 9.81})
    assert value_of(mixed, "smooth", 2, [3.0, 4.0]) == pytest.approx([4.0, -9.81])


@pytest.mark.parametrize(
    "given",
    [lambda t: 3.0 * t, "3*t", 3 * Symbol("t"), 3 * Symbol("t", real=True)],
    ids=["code", "text", "t", "real t"],
)
def test_inputs_are_functions_of_time(given):
    machine = one(-u * p, inputs={u: given})
    assert value_of(machine, "smooth", 2, [2.0, 0.0], t=0.5) == pytest.approx([0.0, -3.0])


def test_numbers_are_inputs_too_also_in_gaps_slips_limits_and_masses():
    machine = one(
        dio(p - u, "floor") - coulomb(Abs(u), v + u, "rub"), inputs={u: 0.25}, mass_matrix=[[1, 0], [0, 2 + u]]
    )
    assert value_of(machine, "mass", (2, 2), [0.0, 0.0])[1, 1] == 2.25
    assert value_of(machine, "slips", 1, [0.0, 1.0]) == pytest.approx([1.25])
    assert machine.contacts[0].gap == p - u
    assert machine.parameters[u] == 0.25


def test_rows_may_depend_on_time():
    machine = one(dio(p - sin(Symbol("t")), "lift") / m - Symbol("t"))
    gap, rate, none = np.zeros(1), np.zeros(1), np.empty(0)
    terms = machine.terms
    terms.module.gaps.py_func(0.4, np.array([2.0, 3.0]), terms.values, none, gap, rate)
    assert (gap[0], rate[0]) == pytest.approx((2.0 - math.sin(0.4), 3.0 - math.cos(0.4)))


def test_a_row_that_its_own_diagonal_solves_is_a_position():
    machine = Inclusion({p: 2 * v, v: dio(p, "floor")}, mass_matrix=[[2, 0], [0, 3]])
    assert machine.rate(p) == v


def test_names_that_the_generated_code_uses_are_free_for_users():
    names = ["c_0", "c_1", "x", "t0", "math", "force", "f"]
    states = symbols(names)
    rows = {s: sin(states[i - 1] + states[i - 2]) + cos(states[i - 1] + states[i - 2]) for i, s in enumerate(states)}
    at = np.linspace(0.1, 0.7, 7)
    expected = [float(row.subs(dict(zip(states, at, strict=True)))) for row in rows.values()]
    assert value_of(Inclusion(rows), "smooth", 7, at) == pytest.approx(expected, rel=1e-14)


def test_latex_of_an_element_shows_what_was_written():
    assert r"\mathrm{dio}\left(p\right)" in sympy.latex(dio(p) / m)
    assert r"\mathrm{sgn}\left(v\right)" in sympy.latex(coulomb(mu + F, v))


def test_a_static_limit_is_shown():
    held = coulomb(mu * dio(p, "floor"), v, "rub", static=2 * mu * dio(p, "floor"))
    assert str(held) == "coulomb(mu*dio(p), v, static=2*mu*dio(p))"
    shown = r";\ \mathrm{static}=2 \mu \mathrm{dio}\left(p\right)"
    assert shown in sympy.latex(held)
    assert shown in one((dio(p, "floor") - held) / m).latex()
    assert "static" not in one((dio(p, "floor") - coulomb(F, v, "rub")) / m).latex()


# ------------------------------------------------------------ friction without sgn

JUMPS = [
    -F * sympy.sign(v),
    -F * (2 * sympy.Heaviside(v) - 1),
    -Piecewise((F, v > 0), (-F, True)),
    -Piecewise((F, v > 0), (-F, v < 0), (0, True)),
    -F * v / Abs(v),
    -F * sympy.sign(3 * v - 2 * k),
    F * sympy.sign(k - v) - k * p,
    -F * sympy.sign(v) * exp(-(v**2)) - v,
]
SMOOTH = [
    -F * v**2 * sympy.sign(v),  # a drag does not jump
    -F * v * Abs(v),
    -F * sympy.sign(p),  # a force that drives no position
    F * sympy.sign(v),  # it drives away from its jump
    -Piecewise((k * (v - 1), v > 1), (0, True)),
    -k * Max(v, 0),
    u * sympy.sign(sin(Symbol("t"))),
]


@pytest.mark.parametrize("row", JUMPS, ids=str)
def test_friction_written_as_a_jump_is_refused_with_the_word_to_use(row):
    """A solver would take ever smaller steps at v = 0 and not end."""
    with pytest.raises(InputError, match=r"the row of v jumps at .*\n  For dry friction use limit\*sgn\("):
        one(row)
    with pytest.raises(InputError, match="the row of v jumps"):
        Inclusion({p: v, v: row * 2}, GIVEN, mass_matrix=[[1, 0], [0, m]])


@pytest.mark.parametrize("row", SMOOTH, ids=str)
def test_what_a_solver_can_follow_is_not_refused(row):
    machine = one(row, inputs={u: 1.0})
    assert np.isfinite(machine.to_ode().solve((0.0, 0.01), {v: 0.5}).v).all()


# ------------------------------------------------------------ compiled against SymPy's own evaluation


def value_of(machine, name, shape, x, t=0.0, force=None, compiled=True):
    """What the piece of that name gives; uncompiled where only its formula is wanted."""
    terms = machine.terms
    inputs, out = np.zeros(len(machine.callables)), np.full(shape, np.nan)
    terms.module.inputs(t, inputs)
    more = () if force is None else (np.asarray(force, dtype=float),)
    function = getattr(terms.module, name)
    (function if compiled else function.py_func)(t, np.asarray(x, dtype=float), terms.values, inputs, *more, out)
    return out


def by_sympy(expressions, machine, x, t, force):
    """SymPy's evaluation, number by number."""
    values = dict(zip(machine.states, map(float, x), strict=True)) | dict(machine.parameters)
    values |= dict(zip(machine.forces, map(float, force), strict=True))
    values |= {Symbol("t", real=True): t}
    return [float(sympy.sympify(e).subs(values).evalf()) for e in expressions]


def term(rng, states):
    """A random smooth or kinked function of the states."""
    a, b = (states[i] for i in rng.integers(len(states), size=2))
    c = round(float(rng.uniform(0.2, 2.0)), 2)
    return [
        c * a * b,
        Max(a, c * b),
        Min(a, b, c),
        Max(0, a - c),
        Abs(a - b),
        sin(c * a) * cos(b),
        Piecewise((a, b > c), (c * b, a < 0), (a**3, True)),
        exp(-Abs(a)) * b,
        sympy.atan2(a, c + b**2),
        sqrt(c + a**2),
        a / (c + Abs(b)),
        sympy.tanh(a) ** 5,
        (c + b**2) ** sympy.Rational(-3, 2),
        sympy.sign(a) * b,
    ][rng.integers(14)]


def random_machine(seed):
    """Three coupled bodies in a line, random forces, contacts, frictions and a mass matrix; plain symbols."""
    rng = np.random.default_rng(seed)
    positions, speeds = symbols("a0:3"), symbols("b0:3")
    states = (*positions, *speeds)
    t = Symbol("t")
    contacts = [dio(positions[i] - positions[i - 1] + 0.1 * sin(t + positions[i]), f"c{i}") for i in (1, 2)]
    rub = coulomb(mu * contacts[0] + F * exp(-(speeds[0] ** 2)) + Abs(speeds[1]), speeds[0] - cos(t), "rub")
    plane = coulomb(mu * contacts[1] + Max(0, positions[0]), (speeds[1] + speeds[0] * positions[1], speeds[2]), "plane")
    forces = [contacts[0], contacts[1], rub, *plane]
    rows = dict(zip(positions, speeds, strict=True))
    for s in speeds:
        rows[s] = sum(
            (term(rng, states) for _ in range(3)), sum(f * term(rng, positions) for f in forces) + t * rng.integers(3)
        )
    mixed = sympy.eye(6).as_mutable()
    mixed[3, 4] = mixed[4, 3] = sin(positions[0]) / 3
    mixed[5, 5] = m + positions[1] ** 2
    return Inclusion(rows, {m: 2.0, mu: 0.3, F: 5.0}, mass_matrix=mixed)


@pytest.mark.parametrize("seed", range(3))
def test_random_machines_compile_to_what_sympy_evaluates(seed):
    machine, rng = random_machine(seed), np.random.default_rng(seed + 100)
    limits, slips = [f.limit for f in machine.frictions], [s for f in machine.frictions for s in f.slips]
    gaps = [c.gap for c in machine.contacts]

    def value(*asked):
        return value_of(machine, *asked, compiled=seed == 0)  # once through numba; the source is the same

    for _ in range(3):
        x, t, force = rng.normal(size=6), float(rng.uniform(0.0, 2.0)), rng.uniform(0.0, 3.0, 5)

        def same(found, expressions, x=x, t=t, force=force):
            expected = by_sympy(list(expressions), machine, x, t, force)
            assert np.ravel(found) == pytest.approx(expected, rel=1e-12, abs=1e-12)

        same(value("smooth", 6, x, t), machine.right.subs(dict.fromkeys(machine.forces, 0)))
        same(value("mass", (6, 6), x, t), machine.mass_matrix)
        same(value("slips", 3, x, t), slips)
        same(value("limits", 2, x, t, force), limits)
        # f + G force is the row itself.
        smooth, G = value("smooth", 6, x, t), value("directions", (6, 5), x, t)
        same(smooth + G @ force, machine.right)
        found, rates, none = np.zeros(2), np.zeros(2), np.empty(0)
        terms = machine.terms
        terms.module.gaps.py_func(t, x, terms.values, none, found, rates)
        same(found, gaps)
        ahead, behind = (
            by_sympy(gaps, machine, x + step * np.array([*x[3:], 0, 0, 0]), t + step, force) for step in (1e-6, -1e-6)
        )
        assert rates == pytest.approx((np.array(ahead) - np.array(behind)) / 2e-6, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("seed", range(4, 7))
def test_random_slopes_are_differences_of_the_values(seed):
    """All slopes against central differences of the compiled values; the points lie away from the kinks."""
    machine, rng = random_machine(seed), np.random.default_rng(seed + 200)
    x, t, force = rng.normal(size=6), 0.3, rng.uniform(0.5, 3.0, 5)
    terms, none, d = machine.terms, np.empty(0), 1e-6

    def gaps(y):
        found, rates = np.zeros(2), np.zeros(2)
        terms.module.gaps.py_func(t, y, terms.values, none, found, rates)
        return found, rates

    def differences(function):
        return np.column_stack([(function(x + d * e) - function(x - d * e)) / (2.0 * d) for e in np.eye(6)])

    for slope, rows, function in (
        ("smooth_slope", 6, lambda y: value_of(machine, "smooth", 6, y, t, compiled=False)),
        ("gap_slope", 2, lambda y: gaps(y)[0]),
        ("rate_slope", 2, lambda y: gaps(y)[1]),
        ("slip_slope", 3, lambda y: value_of(machine, "slips", 3, y, t, compiled=False)),
    ):
        found = value_of(machine, slope, (rows, 6), x, t, compiled=seed == 4)
        assert found == pytest.approx(differences(function), rel=1e-6, abs=1e-6), slope
    A, B = np.zeros((2, 6)), np.zeros((2, 2))
    terms.module.limit_slope.py_func(t, x, terms.values, none, force, A, B)
    limits = lambda y, f: value_of(machine, "limits", 2, y, t, f, compiled=False)  # noqa: E731
    assert differences(lambda y: limits(y, force)) == pytest.approx(A, rel=1e-6, abs=1e-6)
    by_force = [(limits(x, force + d * e) - limits(x, force - d * e)) / (2.0 * d) for e in np.eye(5)[:2]]
    assert np.column_stack(by_force) == pytest.approx(B, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("row", [Abs(p), sympy.sign(p), Max(p, 0), sqrt(p**2), Piecewise((1, p > 0), (-1, True))])
def test_kinks_compile_with_symbols_of_any_assumption(row):
    P, V = Symbol("p", real=True), Symbol("v", real=True)
    for machine, s in ((one(row), p), (Inclusion({P: V, V: row.subs(p, P)}), P)):
        for at in (-2.0, 0.0, 1.5):
            expected = float(row.subs(p, at))
            assert value_of(machine, "smooth", 2, [at, 0.0], compiled=machine.states == (P, V))[1] == pytest.approx(
                expected
            ), s
        assert np.isfinite(value_of(machine, "smooth_slope", (2, 2), [0.7, 0.0], compiled=False)).all()
