"""Kernels by their address: what is called is what was meant, and circuits so reached are the circuits they were."""

import copy
import json
import pickle

import numpy as np
import pytest
from processes import run

import tegotae as tg
from tegotae.compile import Signature, SubsetError, backend, c_source, kernel
from tegotae.running.batch import Batch
from tegotae.steering import Carcass, ContactPatch

pytestmark = pytest.mark.skipif(backend.name() != "c", reason="other backends compile every circuit")

T = 1e-3
OF_TWO = Signature("reals, real -> real, real")
FILLS = Signature("column, matrix ->")
BRAKE = tg.FrictionImpedance(stiffness=1e6, damping=100.0, law=tg.Coulomb(5.0))
HEAVY = tg.FrictionImpedance(
    stiffness=1e6, damping=100.0, mass=0.1, law=tg.Stribeck(kinetic=3.0, static=3.5, velocity=0.2)
)
STACK = tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0, 5.0])
ROPE = tg.SpringDamper(stiffness=1e4, damping=50.0)


@kernel
def line(p, x):
    return p[0] + p[1] * x, p[1]


@kernel
def parabola(p, x):
    return p[0] * x * x, 2.0 * p[0] * x


@kernel
def spread(column, matrix):
    for i in range(column.shape[0]):
        column[i] = matrix[i, 0] - matrix[i, 1]


@kernel
def whole(p, x):
    return len(p), 1


@kernel
def chosen(where, p, x):
    value, slope = OF_TWO(where, p, x)
    return 2.0 * value, slope


@kernel
def fill(where, A, B):
    FILLS(where, A[:, 1], B)


def test_what_lies_at_the_address_is_called():
    p = np.array([3.0, 4.0])
    assert chosen(OF_TWO.address_of(line), p, 0.5) == (10.0, 4.0)
    assert chosen(OF_TWO.address_of(parabola), p, 0.5) == (1.5, 3.0)


def test_plain_python_knows_addresses_too():
    assert chosen.py_func(OF_TWO.address_of(line.py_func), np.array([3.0, 4.0]), 0.5) == (10.0, 4.0)


def test_columns_and_matrices_are_handed_over():
    A, B = np.zeros((3, 2)), np.arange(6.0).reshape(3, 2) ** 2
    fill(FILLS.address_of(spread), A, B)
    np.testing.assert_array_equal(A, np.stack([np.zeros(3), B[:, 0] - B[:, 1]], axis=1))


@kernel
def too_few(where, p):
    return OF_TWO(where, p)


@kernel
def across(where, A, x):
    return OF_TWO(where, A[:, 0], x)


@kernel
def a_matrix(where, A, x):
    return OF_TWO(where, A, x)


@pytest.mark.parametrize(
    ("caller", "arguments"),
    [(too_few, (1.0, np.zeros(2))), (across, (1.0, np.zeros((2, 2)), 1.0)), (a_matrix, (1.0, np.zeros((2, 2)), 1.0))],
)
def test_what_does_not_fit_the_signature_is_refused(caller, arguments):
    with pytest.raises(SubsetError, match="reals, real -> real, real"):
        c_source(caller, *arguments)


def test_a_kernel_that_gives_something_else_is_refused():
    with pytest.raises(SubsetError, match=r"gives .* where callers that know its address expect"):
        OF_TWO.address_of(whole)


# ------------------------------------------------------------ circuits


def circuits():
    """Groups of one and of several, geared, with moving bases, one inside another, felt through a spring."""
    patch = ContactPatch(bristles=5, carcass=Carcass(stiffness=1e5))
    inner = tg.Circuit(tg.Mass(mass=1.0), {"brake": BRAKE})
    yield tg.Circuit(tg.Mass(mass=1.0), {"brake": BRAKE})
    yield tg.Circuit(
        tg.FrictionAdmittance(mass=1.0, law=tg.Coulomb(1.0)),
        {"one": BRAKE, "two": HEAVY, "three": HEAVY, "four": STACK, "five": STACK},
        ratios={"three": 2.0, "five": -0.5},
    )
    yield tg.Circuit(inner, {"more": STACK})
    yield tg.Circuit(tg.Mass(mass=2.0), {"left": patch, "right": patch})


def all_by_address(circuit):
    """Circuits inside it, too."""
    movers = {n: all_by_address(one) if isinstance(one, tg.Circuit) else one for n, one in circuit.admittances.items()}
    return circuit.changed(movers).by_address()


def assert_alike(one, other, *, exactly):
    assert list(one) == list(other)
    for name in one:
        if exactly:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)
        else:
            # a circuit's own loop on a line adds its forces in any order
            scale = np.abs(np.asarray(one[name])).max()
            np.testing.assert_allclose(one[name], other[name], rtol=1e-10, atol=1e-12 * scale, err_msg=name)


@pytest.mark.parametrize("circuit", list(circuits()), ids=lambda c: "+".join(c.impedances))
def test_a_circuit_by_address_is_the_same_circuit(circuit):
    force = 40.0 * np.sin(0.02 * np.arange(1000))
    there = all_by_address(circuit)
    assert there.parameters.whole.size > circuit.parameters.whole.size  # addresses
    assert_alike(circuit.run(force, period=T), there.run(force, period=T), exactly=False)
    here, live = circuit.start(period=T), there.start(period=T)
    for push in force[:50]:
        assert live.step(push) == pytest.approx(here.step(push), rel=1e-10, abs=1e-14)
    assert live.state.shapes() == here.state.shapes()  # laid out alike
    np.testing.assert_allclose(live.state.real, here.state.real, rtol=1e-9, atol=1e-13)
    np.testing.assert_array_equal(live.state.whole, here.state.whole)


def test_moving_bases_reach_the_blocks():
    circuit = tg.Circuit(tg.Mass(mass=1.0), {"rope": ROPE, "other": ROPE, "brake": BRAKE}, bases=["rope", "other"])
    motion = {"rope": np.sin(0.01 * np.arange(500)), "other": np.full(500, 0.1)}
    assert_alike(circuit.run(bases=motion, period=T), circuit.by_address().run(bases=motion, period=T), exactly=False)


@pytest.mark.parametrize("dimension", [2, 3])
def test_circuits_in_space_are_the_same_bit_for_bit(dimension):
    brake = tg.FrictionImpedance(stiffness=1e6, damping=100.0, law=tg.Coulomb(5.0), dimension=dimension)
    stack = tg.ParallelFriction(stiffness=1e4, damping=5.0, limits=[1.0, 2.0], dimension=dimension)
    inner = tg.Circuit(tg.Mass(mass=1.0, dimension=dimension), {"brake": brake, "stack": stack})
    for circuit in (inner, tg.Circuit(inner, {"base": stack, "geared": brake}, ratios={"geared": 2.0}, bases=["base"])):
        force = 20.0 * np.sin(0.02 * np.arange(500)[:, None] + np.arange(dimension))
        bases = {name: 0.1 * np.cos(force) for name in circuit.bases}
        own, there = (c.run(force, bases=bases, period=T) for c in (circuit, all_by_address(circuit)))
        assert_alike(own, there, exactly=True)


def test_two_alike_blocks_share_a_mass_as_one_moves_half_of_it():
    """Blocks that work in memory of their own lie one after the other."""
    patch = ContactPatch(bristles=5, carcass=Carcass(stiffness=1e5))
    force = 200.0 * np.sin(0.02 * np.arange(500))
    two = tg.Circuit(tg.Mass(mass=2.0), {"left": patch, "right": patch})
    one = tg.Circuit(tg.Mass(mass=1.0), {"left": patch})
    both = two.run(2.0 * force, inputs={"left.speed": 5.0, "right.speed": 5.0}, period=T)
    half = one.run(force, inputs={"left.speed": 5.0}, period=T)
    np.testing.assert_allclose(both.velocity, half.velocity, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(both["left.force"], both["right.force"])


def test_a_block_of_ones_own_has_an_address_once_it_is_compiled():
    circuit = tg.Circuit(tg.Mass(mass=1.0), {"own": tg.FrictionImpedance(stiffness=1e4, law=tg.CustomLaw(rough))})
    force = np.full(100, 5.0)
    assert_alike(circuit.run(force, period=T), circuit.by_address().run(force, period=T), exactly=False)


def rough(s):
    return 2.0 + 0.5 * s


# Every kind of block, and none may need a compiler or run as plain Python.
WITHOUT_COMPILER = """
import pickle, sys, warnings
import numpy as np, tegotae as tg
sys.modules["numba"] = sys.modules["ziglang"] = None
from tegotae import shipped_machines as shipped
from tegotae.block import Impedance

def never(*_):
    raise AssertionError("plain Python")

from tegotae.compile import backend
backend.warn_of_no_compiler = never
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    ran = 0
    for block in [*shipped.blocks(), *shipped.classic_blocks(), *shipped.composites(), *shipped.tyres()]:
        n = block.dimension
        push = np.full(20, 12.0) if n == 1 else np.full((20, n), 12.0)
        if isinstance(block, Impedance):
            machine = tg.Circuit(tg.Mass(mass=1.0, dimension=n), {"one": block, "two": block})
        else:
            machine = tg.Circuit(block, {"one": tg.SpringDamper(stiffness=10.0, dimension=n)})
        machine.run(push, period=1e-3)
        live = machine.start(period=1e-3)
        live.step(push[0])
        ran += 1
    for mover in shipped.movers():
        push = np.zeros(5) if mover.dimension == 1 else np.zeros((5, mover.dimension))
        tg.Circuit(mover, {}).run(push, period=1e-3)
brake = tg.FrictionImpedance(stiffness=1e6, damping=100.0, law=tg.Coulomb(5.0))
sled = tg.Circuit(tg.Mass(mass=1.0), {"brake": brake})
assert abs(sled.run(np.full(1000, 7.0), period=1e-3).velocity[-1] - 2.0) < 0.01
again = pickle.loads(pickle.dumps(sled))
assert again.run(np.full(10, 7.0), period=1e-3).velocity[-1] > 0.0
rope = tg.SpringDamper(stiffness=1e4, damping=50.0)
towed = tg.Circuit({"near": tg.Mass(mass=1.0), "far": tg.Mass(mass=3.0)}, {"rope": tg.Link(rope, "near", "far")})
assert abs(towed.run({"near": np.full(2000, 4.0)}, period=1e-3)["rope.force"][-1] + 3.0) < 0.01
told = [str(one.message) for one in said if "address" in str(one.message)]
print(ran > 50, len(told), told[0].split(":")[0][:60])
"""


def test_every_block_runs_in_a_circuit_without_a_compiler(tmp_path):
    program = tmp_path / "machines.py"
    program.write_text(WITHOUT_COMPILER)
    done = run(program, PATH=tmp_path, TEGOTAE_CACHE=tmp_path / "kernels")
    assert done.stdout.startswith("True 1 There is no compiler of C, so circuits run through a loop")
    assert not (tmp_path / "kernels").exists()


# ------------------------------------------------------------ what hostile hands found


def test_arrays_that_may_not_be_written_are_not_handed_over():
    p = np.array([3.0, 4.0])
    p.flags.writeable = False
    with pytest.raises(SubsetError, match="reals, real -> real, real"):
        chosen(OF_TWO.address_of(line), p, 0.5)


@kernel
def number_for_array(where, x):
    return OF_TWO(where, x, x)


@kernel
def array_for_number(where, p):
    return OF_TWO(where, p, p)


@pytest.mark.parametrize(("caller", "given"), [(number_for_array, 1.0), (array_for_number, np.zeros(2))])
def test_arrays_and_numbers_are_told_apart(caller, given):
    with pytest.raises(SubsetError, match="reals, real -> real, real"):
        c_source(caller, 1.0, given)


@pytest.mark.parametrize("text", ["", "->", "real", "real -> foo", "-> real"])
def test_a_signature_that_is_none_is_refused(text):
    with pytest.raises(tg.InputError, match="Signature"):
        Signature(text)


def test_copies_of_circuits_inside_circuits_run_as_before():
    """However the inner one runs: the outer one is laid out around it anew."""
    inner = tg.Circuit(tg.Mass(mass=1.0), {"brake": BRAKE})
    force = 40.0 * np.sin(0.02 * np.arange(300))
    for one in (inner, inner.by_address()):
        outer = tg.Circuit(one, {"rope": ROPE})
        before = outer.run(force, period=T)
        for copied in (copy.deepcopy(outer), pickle.loads(pickle.dumps(outer))):
            assert_alike(before, copied.run(force, period=T), exactly=False)


def test_a_batch_tells_circuits_by_address_apart():
    three = tg.ParallelFriction(stiffness=1e4, damping=5.0, limits=[1.0, 2.0, 3.0])
    two = tg.ParallelFriction(stiffness=1e4, damping=5.0, limits=[1.0, 2.0])
    circuits = [tg.Circuit(tg.Mass(mass=1.0), {"a": a, "b": b}) for a, b in ((three, two), (two, three))]
    force = 7.0 * np.sin(0.05 * np.arange(100))
    together = Batch([one.by_address() for one in circuits]).run(force, period=T)
    for i, one in enumerate(circuits):
        np.testing.assert_allclose(together["b.force"][i], one.run(force, period=T)["b.force"], atol=1e-12)


AROUND = """
import json, sys
import numpy as np, tegotae as tg
if "bare" in sys.argv:
    sys.modules["numba"] = sys.modules["ziglang"] = None
from tegotae.block import Impedance, Kernels
from tegotae.compile import kernel
from tegotae.layout import Part, layouts
from tegotae.running.batch import Batch
from tegotae.running.probe import Probe

@kernel
def answer(p, s, w, v, T):
    return -p.damping * v, -p.damping

@kernel
def advance(p, s, w, v, T):
    s.force[0] = -p.damping * v

def make():
    return answer, advance

class Mine(Impedance):
    dimension, kernels, values = 1, Kernels(make), {"damping": 2.0}
    layout = layouts(parameters=(Part("damping", "N·s/m"),), state=(Part("force", "N", "on the mover"),))

T, push = 1e-3, np.full(20, 7.0)
brake = tg.FrictionImpedance(stiffness=1e6, damping=100.0, law=tg.Coulomb(5.0))
sled = tg.Circuit(tg.Mass(mass=1.0), {"brake": brake})
flat = tg.SpringDamper(stiffness=100.0, damping=1.0, dimension=2)
towed = tg.Circuit(tg.Mass(mass=1.0, dimension=2), {"rope": flat}, bases=["rope"])
told = [
    tg.Circuit(tg.Mass(mass=1.0), {"mine": Mine()}).run(push, period=T).velocity,
    tg.Circuit(sled, {"mine": Mine()}).run(push, period=T).velocity,
    [tg.Circuit(sled, {"mine": Mine()}).start(period=T).step(7.0)],
    towed.run(bases={"rope": np.ones((20, 2))}, period=T).velocity,
    Batch([sled, sled]).run(push, period=T).velocity,
    np.ravel(Probe(sled, T).answer(7.0)[0]),
    np.ravel(Probe(sled, T).answer(7.0)[1]),
]
print(json.dumps([np.ravel(one).tolist() for one in told]))
"""


def test_what_is_around_a_circuit_by_address_may_be_plain_python(tmp_path):
    program = tmp_path / "around.py"
    program.write_text(AROUND)
    own = json.loads(run(program, TEGOTAE_CACHE=tmp_path / "kernels").stdout)
    bare = json.loads(run(program, "bare", PATH=tmp_path, TEGOTAE_CACHE=tmp_path / "none").stdout)
    for one, other in zip(own, bare, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-14)
