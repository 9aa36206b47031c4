"""What a run, a live block and a batch make of what they are given: positions, variations, records of their own."""

import copy
import pickle

import numpy as np
import pytest

import tegotae as tg
from tegotae.friction.classics import Dahl, LuGre
from tegotae.inclusion import Contact, Inclusion
from tegotae.multibody import Ball, Body, Free, HalfSpace, Revolute, Scene, Touch, Tree, TreeAdmittance
from tegotae.running.batch import Batch

T = 1e-3
STRIBECK = tg.Stribeck(kinetic=3.0, static=4.0, velocity=0.1, viscosity=1.0)
COULOMB = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
PLANAR = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=STRIBECK, mass=0.1, dimension=2)
WALL = tg.VirtualWall(stiffness=3e4, damping=20.0, point=0.005, normal=-1.0)
SLIDER = tg.FrictionAdmittance(mass=0.5, law=STRIBECK)


def test_positions_give_the_same_as_velocities():
    velocity = 0.1 * np.sin(0.05 * np.arange(300)[:, None] + np.arange(2))
    position = 0.3 + np.cumsum(velocity, axis=0) * T
    by_velocity = PLANAR.run(np.diff(position, axis=0, prepend=position[:1]) / T, period=T).force
    np.testing.assert_array_equal(PLANAR.run(position=position, period=T).force, by_velocity)
    live = PLANAR.start(period=T)
    stepped = np.array([live.step(position=p) for p in position])
    np.testing.assert_allclose(stepped, by_velocity, atol=1e-10)


def test_batch_equals_one_by_one():
    velocity = 0.1 * np.sin(0.05 * np.arange(300))
    sweep = COULOMB.batch(stiffness=[1e3, 5e3, 1e4], law=[tg.Coulomb(f) for f in (1.0, 2.0, 3.0)])
    together = sweep.run(velocity, period=T)
    assert together.force.shape == (3, 300)
    for i, block in enumerate(sweep.blocks):
        np.testing.assert_array_equal(together.force[i], block.run(velocity, period=T).force)
    each = np.stack([velocity, 2 * velocity, -velocity])
    own = sweep.run(each, period=T, every=3)
    np.testing.assert_array_equal(own.force[2], sweep.blocks[2].run(-velocity, period=T, every=3).force)


@pytest.mark.parametrize("block", [COULOMB, PLANAR, SLIDER], ids=["coulomb", "planar", "slider"])
def test_live_batch_equals_its_run(block):
    sweep = block.batch(mass=[0.2, 0.5, 0.0 if block is COULOMB else 1.0])  # without mass it has other kernels
    n = block.dimension
    signal = 3.0 * np.sin(0.05 * np.arange(3 * 200 * n)).reshape((3, 200) if n == 1 else (3, 200, n))
    live = sweep.start(period=T)
    stepped = np.stack([live.step(np.ascontiguousarray(signal[:, k])) for k in range(200)], axis=1)
    run = sweep.run(signal, period=T)
    np.testing.assert_array_equal(stepped, run.velocity if block is SLIDER else run.force)
    before = live.states
    with pytest.raises(tg.InputError, match="shape"):
        live.step([1.0])
    assert live.states == before


def test_states_of_a_batch_are_those_of_its_blocks():
    """Kept and assigned, each of its own; and that of another block is refused."""
    sweep = PLANAR.batch(mass=[0.1, 0.2])
    live, pushes = sweep.start(period=T), 0.2 * np.sin(0.05 * np.arange(40 * 4)).reshape(40, 2, 2)
    for push in pushes[:20]:
        live.step(push)
    kept = live.states
    wanted = [live.step(push) for push in pushes[20:]]
    live.states = kept
    np.testing.assert_array_equal([live.step(push) for push in pushes[20:]], wanted)
    for i, block in enumerate(sweep.blocks):
        alone = block.start(period=T)
        for push in pushes:
            alone.step(push[i])
        assert all(np.array_equal(alone[name], live.states[i][name]) for name in block.parts)
    with pytest.raises(tg.InputError, match=r"state is one of FrictionAdmittance, with (.|\n)*Assign one of Friction"):
        live.states = [kept[0], SLIDER.start(period=T).state]
    with pytest.raises(tg.InputError, match="states has 1 of 2"):
        live.states = kept[:1]


def test_a_state_of_another_block_with_the_same_parts_is_refused_in_a_batch():
    """Its numbers would mean something else."""
    dahl, lugre = Dahl(stiffness=6000.0, limit=4.0), LuGre(stiffness=1e4, damping=30.0, law=tg.Coulomb(4.0))
    strangers = lugre.batch(damping=[10.0, 30.0]).start(period=T).states
    sweep = dahl.batch(limit=[1.0, 2.0])
    live = sweep.start(period=T)
    with pytest.raises(tg.InputError, match=r"Dahl: state is one of LuGre(.|\n)*Assign one of Dahl"):
        live.states = strangers
    with pytest.raises(tg.InputError, match=r"Dahl: state is one of LuGre(.|\n)*Assign one of Dahl"):
        sweep.start(period=T, initial=strangers)


@pytest.mark.parametrize("block", [COULOMB, PLANAR], ids=["coulomb", "planar"])
def test_a_state_goes_into_a_batch_and_out_of_it(block):
    """A live block sees positions, which a batch does not: what it saw stays behind."""
    velocity = 0.1 * np.sin(0.05 * np.arange(80.0 * block.dimension)).reshape(80, block.dimension)
    alone, both = block.start(period=T), Batch([block, block]).start(period=T)
    rows = (lambda k: velocity[k, 0], lambda k: np.tile(velocity[k], 2)) if block.dimension == 1 else None
    one, two = rows or (lambda k: velocity[k], lambda k: np.stack([velocity[k]] * 2))
    for k in range(40):
        alone.step(one(k))
    both.states = [alone.state, alone.state]
    back = block.start(period=T, initial=both.states[1])
    for k in range(40, 80):
        wanted = alone.step(one(k))
        np.testing.assert_array_equal(both.step(two(k))[1], wanted)
        np.testing.assert_array_equal(back.step(one(k)), wanted)
    back.state = both.states[0]
    assert all(np.array_equal(back[name], alone[name]) for name in block.parts)
    assert np.isnan(back["seen_position"]).all()


@pytest.mark.parametrize("block", [COULOMB, PLANAR, WALL], ids=["coulomb", "planar", "wall"])
def test_a_run_over_positions_goes_on_from_a_state(block):
    """From where a live block saw its mover last."""
    n = block.dimension
    position = 0.01 * np.sin(0.05 * np.arange(80.0 * n)).reshape((80,) if n == 1 else (80, n))
    live = block.start(period=T)
    for place in position[:40]:
        live.step(position=place)
    told = block.run(position=position[40:], period=T, initial=live.state).force
    np.testing.assert_array_equal(told, [live.step(position=place) for place in position[40:]])
    unseen = block.start(period=T).state
    if block is WALL:
        with pytest.raises(tg.InputError, match=r"initial\['position'\] both say where it starts"):
            block.run(position=position, period=T, initial=unseen)
    else:
        wanted = block.run(position=position, period=T).force
        np.testing.assert_array_equal(block.run(position=position, period=T, initial=unseen).force, wanted)


def test_a_refused_state_is_told_by_what_differs():
    """Of machines with many parts, too."""
    links = [[Body(name=name, mass=1.0, inertia=(1, 1, 1), joint=Revolute())] for name in ("arm", "leg")]
    arm, leg = (TreeAdmittance(tree=Tree(bodies), at=bodies[0].name).start(period=T) for bodies in links)
    with pytest.raises(tg.InputError, match=r"TreeAdmittance, with torque\.leg(.|\n)*TreeAdmittance, with torque\.arm"):
        arm.state = leg.state


def test_every_thins_the_record_and_nothing_else():
    brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=STRIBECK)
    velocity = 0.1 * np.sin(0.05 * np.arange(305))
    full, thin = brake.run(velocity, period=T), brake.run(velocity, period=T, every=10)
    assert thin.force.shape == (30,)
    np.testing.assert_array_equal(thin.force, full.force[9::10])
    np.testing.assert_array_equal(thin.time, full.time[9::10])
    np.testing.assert_array_equal(thin.velocity, velocity[9::10])


def test_copies_go_on_from_where_a_block_could_not_start():
    """At rest the mover of the wall, the ball and the stepped ball would be inside: copies do not begin there."""
    wall = tg.VirtualWall(stiffness=100.0, point=1.0, normal=1.0)
    ball = Tree([Body(name="ball", mass=1.0, inertia=(0.1,) * 3, joint=Free(), position=(0, 0, -1.0))])
    floor = Touch(on="ball", toucher=Ball(radius=0.1), surface=HalfSpace())
    contact = Contact(stiffness=1e4, damping=10.0)
    stepped = Inclusion({"p": "v", "v": "dio(p - 1, 'floor') - 9.81"}).to_stepper(period=T, contact=contact)
    lives = [
        (wall.start(period=T, initial={"position": 2.0}), (0.5,)),
        (Scene(tree=ball, touches=[floor]).start(period=T, q=[0, 0, 0.5, 1, 0, 0, 0]), ()),
        (stepped.start(initial={"p": 2.0}), ()),
        (Batch([wall, wall]).start(period=T, initial={"position": 2.0}), ([0.5, 0.2],)),
        (Batch([stepped, stepped]).start(period=T, initial={"p": 2.0}), ()),
    ]
    for live, given in lives:
        live.step(*given)
        others = copy.deepcopy(live), pickle.loads(pickle.dumps(live))
        wanted = live.step(*given)
        for other in others:
            assert str(other.step(*given)) == str(wanted)
            assert all(one == two for one, two in zip(_states(other), _states(live), strict=True))


def _states(live):
    return live.states if hasattr(live, "states") else [live.state]
