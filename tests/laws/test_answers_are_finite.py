"""A tick whose answer is not a number says so, whatever is asked and in however many dimensions."""

import warnings

import numpy as np
import pytest

import tegotae as tg
from tegotae.control import PID
from tegotae.errors import DivergenceWarning
from tegotae.inclusion import Inclusion
from tegotae.multibody import Body, Prismatic, Scene, Tree
from tegotae.rod import Ground, GroundedRod, PlanarRod
from tegotae.running.batch import Batch
from tegotae.steering import ContactPatch
from tegotae.steering.patch import PlanarPatch
from tegotae.steering.rendering import LocalRenderer, Packet
from tegotae.table import HexaPlant

T = 1e-3
HUGE = 1e308


def springs(dimension):
    """So stiff that a motion of 1e308 m overflows."""
    return tg.SpringDamper(stiffness=1e6, damping=1e3, dimension=dimension)


def circuits(dimension):
    """Alone, with a spring, with friction, inside another one, and by address."""
    mass = tg.Mass(mass=1.0, dimension=dimension)
    rub = tg.FrictionImpedance(stiffness=1e6, damping=100.0, law=tg.Coulomb(5.0), dimension=dimension)
    alone, sprung = tg.Circuit(mass, {}), tg.Circuit(mass, {"spring": springs(dimension)})
    return [alone, sprung, tg.Circuit(mass, {"rub": rub}), tg.Circuit(sprung, {}), tg.Circuit(sprung, {}).by_address()]


def given(dimension, value):
    return value if dimension == 1 else np.full(dimension, value)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_live_blocks_say_that_they_diverged(dimension):
    blocks = [
        springs(dimension),
        tg.FrictionImpedance(stiffness=1e6, damping=1e3, mass=1.0, law=tg.Coulomb(1.0), dimension=dimension),
        tg.ParallelFriction(stiffness=1e6, damping=1e3, mass=1.0, limits=[1.0, 2.0], dimension=dimension),
        tg.Mass(mass=1e-3, dimension=dimension),
        *circuits(dimension),
    ]
    for block in blocks:
        period = 1e3 if isinstance(block, tg.Circuit) else 1.0
        live = block.start(period=period)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it did not converge is said too
            with pytest.raises(tg.TegotaeError, match=f"{block.name}: it diverged: (velocity|force)="):
                live.step(given(dimension, HUGE))


@pytest.mark.parametrize("dimension", [1, 2])
def test_one_direction_is_enough(dimension):
    live = springs(2).start(period=T)
    push = np.zeros(2)
    push[dimension - 1] = HUGE
    with pytest.raises(tg.TegotaeError, match="it diverged"):
        live.step(push)


@pytest.mark.parametrize("dimension", [1, 2])
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_a_circuit_beyond_all_numbers_does_not_answer_zero(dimension):
    """1e308 N for 1,000 s: the velocity would be 1e311 m/s."""
    for circuit in circuits(dimension):
        push = np.full((3,) if dimension == 1 else (3, dimension), HUGE)
        for run in (circuit.run, Batch([circuit, circuit]).run):
            with pytest.warns(DivergenceWarning, match="not finite from 1000 s on"):
                result = run(push, period=1e3)
            assert not np.isfinite(result.velocity).any()


def test_a_circuit_below_the_end_of_numbers_is_solved():
    """In the plane friction of 5 N against 1e300 N: Newton's first step is a millionth of the way."""
    rub = tg.FrictionImpedance(stiffness=1e6, damping=100.0, law=tg.Coulomb(5.0), dimension=2)
    run = tg.Circuit(tg.Mass(mass=1.0, dimension=2), {"rub": rub}).run(np.full((3, 2), 1e300), period=1.0)
    np.testing.assert_allclose(run.velocity, np.outer([1.0, 2.0, 3.0], [1e300, 1e300]), rtol=1e-15)
    assert run.about["unsolved_steps"] == 0


@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_a_machine_inside_that_gives_no_number_is_seen_from_outside():
    """The largest of several gaps does not show one that is nan; a bracket does not either."""
    for dimension in (1, 2):
        inner = tg.Circuit(tg.Mass(mass=1.0, dimension=dimension), {"spring": springs(dimension)})
        outer = tg.Circuit(inner, {"other": springs(dimension)})
        live = outer.start(period=T)
        live._state.part("spring.stretch")[:] = np.nan
        with pytest.raises(tg.TegotaeError, match="it diverged"):
            live.step(given(dimension, 1.0))
    rope = tg.SpringDamper(stiffness=100.0)
    masses = {"near": tg.Mass(mass=1.0), "far": tg.Mass(mass=1.0)}
    network = tg.Circuit(masses, {"rope": tg.Link(rope, "near", "far")}).start(period=1.0)
    with pytest.raises(tg.TegotaeError, match="it diverged"):
        network.step(np.array([HUGE, 0.0]))


def test_a_live_batch_names_the_block():
    live = Batch([tg.SpringDamper(stiffness=1.0), tg.SpringDamper(stiffness=1e6)]).start(period=1.0)
    with pytest.raises(tg.TegotaeError, match=r"blocks\[1\] \(SpringDamper\) diverged: velocity=1e\+308"):
        live.step([HUGE, HUGE])


def test_a_position_too_far_for_a_velocity_is_not_taken():
    for dimension in (1, 2):
        live = tg.SpringDamper(stiffness=1.0, dimension=dimension).start(period=T)
        live.step(position=given(dimension, 1.0))
        before = live.state
        with pytest.raises(tg.InputError, match=r"velocity \(from position\)=.*inf.* is not finite"):
            live.step(position=given(dimension, HUGE))
        with pytest.raises(tg.InputError, match=r"position=.*nan"):
            live.step(position=given(dimension, np.nan))
        assert live.state == before


def test_a_live_stepper_says_it():
    free = Inclusion({"p": "v", "v": "load**3"}, inputs={"load": 0.0}).to_stepper(period=10.0).start()
    with pytest.raises(tg.TegotaeError, match="it diverged at t=10 s"):
        free.step({"load": 1e140})


@pytest.mark.parametrize("ground", [None, Ground(tangential=1.0, normal=2.0, stiffness=1e4)])
@pytest.mark.parametrize("many", [False, True])
def test_a_rod_that_is_thrown_beyond_all_numbers_says_it(ground, many):
    rod = GroundedRod(rod=PlanarRod(length=1.0, nodes=5, density=1e-9, elasticity=0.1), ground=ground, at="tip")
    push = {"force": np.full((20, 3), 1e140), "period": T}
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # nobody is told in NumPy's words
        with pytest.warns(DivergenceWarning, match=r"GroundedRod: what it recorded is not finite from 0\.00\d s on"):
            run = Batch([rod, rod]).run(**push) if many else rod.run(**push)
    assert not np.isfinite(run.kinetic).all()


def test_a_live_scene_and_a_live_table_say_it():
    lift = Scene(tree=Tree([Body(name="lift", mass=1e-3, joint=Prismatic())]))
    for method in ("midpoint", "euler", "symplectic", "rk4"):
        live = lift.start(period=1.0, method=method)
        live.step(0.0)
        with pytest.raises(
            tg.TegotaeError, match="Scene: it diverged in this tick"
        ):  # whichever it is: it has no clock
            live.step(HUGE)
    with pytest.raises(tg.TegotaeError, match="pushed out of the workspace"):
        HexaPlant.default().start().step((HUGE,) * 6)


def test_a_renderer_gives_its_motor_a_number_or_an_error():
    device = LocalRenderer(friction=tg.FrictionImpedance(stiffness=100.0, law=tg.Coulomb(1.0))).start(period=T)
    calm = Packet(torque=-1.0, angle=0.5)
    first = device.render(calm, 0.5)
    with pytest.raises(tg.InputError, match="angle=nan rad is not finite"):
        device.render(calm, np.nan)
    with pytest.raises(tg.InputError, match=r"torque of -?inf N·m"):
        LocalRenderer().start(period=T).render(Packet(torque=HUGE, angle=-HUGE, load_stiffness=1e6), 1.0)
    assert device.render(calm, 0.5) == first  # the refused tick left nothing behind


def saturated(dimension):
    """What answers with a limit: friction, alone, in a sum and in a circuit, and a servo."""
    rub = tg.FrictionImpedance(stiffness=1e9, damping=1e6, law=tg.Coulomb(4.0), dimension=dimension)
    wide = tg.ImpedanceSum({"rub": rub, "other": tg.ImpedanceSum({"rub": rub})})
    one = [rub, PID(proportional=100.0, limit=5.0), tg.ParallelFriction(stiffness=1e4, damping=5.0, limits=[1.0, 2.0])]
    return [wide, tg.Circuit(tg.Mass(mass=1.0, dimension=dimension), {"wide": wide}), *(one * (dimension == 1))]


@pytest.mark.parametrize("dimension", [1, 2])
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_a_force_at_its_limit_does_not_hide_a_state_beyond_all_numbers(dimension):
    for block in saturated(dimension):
        for machine, push in ((block, given(dimension, HUGE)), (Batch([block, block]), np.full((2, dimension), HUGE))):
            live = machine.start(period=10.0 if block.name == "PID" else 0.01)
            with pytest.raises(tg.TegotaeError, match="diverged"):
                live.step(push.squeeze() if machine is not block else push)


def test_a_position_beyond_all_numbers_is_told():
    live = tg.VirtualWall(stiffness=1.0, point=0.0, normal=1.0).start(period=10.0)
    live.step(position=1.0)
    with pytest.raises(tg.TegotaeError, match="it diverged"):
        live.step(HUGE)


def test_a_tyre_that_rolled_beyond_all_counting_is_in_a_state_that_it_takes():
    for patch in (ContactPatch(bristles=5), PlanarPatch(bristles=5, rows=2)):
        live = patch.start(period=T)
        for speed in (1e30, -1e30, 1e149):
            live[next(name for name, part in patch.parts.items() if part.fed and "speed" in name)] = speed
            live.step(given(patch.dimension, 0.1))
            assert 0.0 <= live["phase"] < 1.0
