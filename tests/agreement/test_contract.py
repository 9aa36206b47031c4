"""The contract of every block of the package.

`answer` is pure and its slope a derivative, `advance` commits what was answered, the workspace may be garbage where a
state is assigned, and a state is all there is to keep: by record, tick by tick, in a batch, from a checkpoint, pickled.
"""

import inspect
import itertools
import pickle
from typing import NamedTuple

import numpy as np
import pytest

import tegotae as tg
from random_states import classes_of_blocks, every_block
from tegotae.block import Admittance, Block, Impedance
from tegotae.compile import backend
from tegotae.friction import classics
from tegotae.inclusion.implicit.stepper import Stepper
from tegotae.layout import Memory, Nested
from tegotae.multibody import Scene
from tegotae.rod import GroundedRod
from tegotae.running import loop
from tegotae.running.batch import Batch
from tegotae.running.probe import Probe
from tegotae.running.source import module_of
from tegotae.steering import ContactPatch
from tegotae.steering.patch import PlanarPatch
from tegotae.table import HexaPlant, LiveTable

T = 1e-3
TICKS = 120
STRIBECK = tg.Stribeck(kinetic=3.0, static=4.0, velocity=0.1, viscosity=1.0)
GARBAGE = ((np.nan, -(2**60)), (0.0, 0), (1e300, 2**60), (-7.25, 1))  # in the real and whole numbers of a workspace

pytestmark = pytest.mark.filterwarnings("ignore:.*did not converge")  # a step without a solution is answered alike


def listed() -> dict[str, Block]:
    """Elements and composites by each of their kernels, where all of them stick and slip."""
    brake = {"stiffness": 6000.0, "damping": 10.0}
    stacked = {"stiffness": 1e4, "damping": 5.0}
    impedances = {
        "coulomb": tg.FrictionImpedance(**brake, law=tg.Coulomb(4.0)),
        "coulomb with mass": tg.FrictionImpedance(**brake, mass=0.5, law=tg.Coulomb(4.0)),
        "stribeck": tg.FrictionImpedance(**brake, law=STRIBECK),
        "lagged": tg.FrictionImpedance(**brake, law=STRIBECK, lag=0.02, mass=0.1),
        "planar": tg.FrictionImpedance(**brake, law=STRIBECK, mass=0.1, dimension=2),
        "spatial": tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0), dimension=3),
        "spring": tg.SpringDamper(stiffness=100.0, damping=2.0),
        "planar spring": tg.SpringDamper(stiffness=100.0, damping=2.0, dimension=2),
        "stack": tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0, 5.0]),
        "even": tg.ParallelFriction(**stacked, limits=[1.0, 2.0, 5.0]),
        "plain": tg.ParallelFriction(stiffness=[1e4, 2e4, 1e3], damping=5.0, limits=[1.0, 2.0, 5.0]),
        "general": tg.ParallelFriction(**stacked, mass=0.1, laws=[STRIBECK, tg.Coulomb(1.0)]),
        "planar general": tg.ParallelFriction(**stacked, limits=[1.0, 2.0], dimension=2),
        "wall": tg.VirtualWall(stiffness=3e4, damping=20.0, point=1e-6, normal=-1.0),
        "planar wall": tg.VirtualWall(stiffness=3e4, damping=20.0, point=[1e-6, 0], normal=[-1.0, 0.5], dimension=2),
        "tanh": classics.Tanh(limit=4.0, velocity=0.05),
        "dahl": classics.Dahl(stiffness=6000.0, limit=4.0),
        "lugre": classics.LuGre(**brake, law=STRIBECK),
    }
    summed = {name: impedances[name] for name in ("stribeck", "wall", "spring", "stack")}
    flat = {"brake": impedances["planar"], "wall": impedances["planar wall"]}
    wired = {"brake": impedances["stribeck"], "stack": impedances["stack"]}
    return impedances | {
        "sum": tg.ImpedanceSum(summed),
        "planar sum": tg.ImpedanceSum(flat),
        "mass": tg.Mass(mass=2.0),
        "planar mass": tg.Mass(mass=2.0, dimension=2),
        "slider": tg.FrictionAdmittance(mass=0.5, law=STRIBECK),
        "lagged slider": tg.FrictionAdmittance(mass=0.5, law=STRIBECK, lag=0.01),
        "planar slider": tg.FrictionAdmittance(mass=0.5, law=STRIBECK, dimension=2),
        "circuit": tg.Circuit(tg.Mass(mass=1.0), wired),
        "wound": tg.Circuit(tg.Mass(mass=1.0), {"brake": tg.Link(impedances["planar"], ratio=[[0.6], [2.0]])}),
    }


LISTED = listed()
EVERY = {f"{i}-{block.name}-{block.dimension}": block for i, block in enumerate(every_block())}
BLOCKS = LISTED | EVERY if backend.name() == "c" else LISTED  # the second opinion would take minutes a machine
each_block = pytest.mark.parametrize("block", [pytest.param(block, id=name) for name, block in BLOCKS.items()])
PORTED = {name: block for name, block in BLOCKS.items() if block.dimension}  # others are driven by what they are fed
each_port = pytest.mark.parametrize("block", [pytest.param(block, id=name) for name, block in PORTED.items()])


def test_no_class_of_blocks_is_missing():
    assert classes_of_blocks() - {type(block) for block in EVERY.values()} == set()


# ------------------------------------------------------------ how blocks are driven here


def outputs(block):
    """The parts that it gives, one a port if there are several; the speeds of a machine without ports."""
    gives = block.gives if block.dimension else "angle_rate" if isinstance(block, GroundedRod) else "v"
    return [name for name in block.parts if name == gives or name.startswith(f"{gives}.")]


def given_by(block, told):
    """What it gives, all ports in one row."""
    found = {name: np.asarray(told[name]) for name in outputs(block)}
    if len(found) == 1:
        return next(iter(found.values()))
    places = block.spaces.state.places
    return np.concatenate([own if places[name].shape else own[..., None] for name, own in found.items()], axis=-1)


def fed(block):
    """What is fed beside motion and force, at a value that matters."""
    places, first = block.spaces.state.places, block.initial_state(T)
    told = {name for name, part in block.parts.items() if part.fed}
    if isinstance(block, HexaPlant):  # a pose that it can take
        return {name: first.part(name).copy() for name in told}
    return {name: np.full(places[name].shape or 1, 5.0) for name in told}


def varied(block, initial, ticks=TICKS):
    """What is fed over a record: it grows and shrinks."""
    growth = 1.0 + 0.3 * np.sin(0.03 * np.arange(ticks))
    if isinstance(block, HexaPlant):  # rotations stay rotations
        place, turn = initial["command_position"], initial["command_rotation"].ravel()
        path = np.outer(1.0 + 0.1 * (growth - 1.0), place)
        return {"command_position": path, "command_rotation": np.tile(turn, (ticks, 1))}
    return {name: np.multiply.outer(growth, value) for name, value in initial.items()}


def scale_of(block):
    """Of motion or force: in a tick enough to slip, in a record enough to reach a wall."""
    usual = 0.2 if block.gives == "force" else 50.0
    return {tg.VirtualWall: 10.0, HexaPlant: 5.0}.get(type(block), usual)


def signal(block, ticks=TICKS):
    """Motion or force to and fro in every direction, with rests: half the way from the walls, and then into them."""
    tick = np.arange(ticks)[:, None]
    along = -0.5 * scale_of(block) * (1.0 + tick / 60.0) * np.sin(0.05 * tick + np.arange(max(block.dimension, 1)))
    along *= np.where(tick % 40 < 5, 0.0, 1.0)
    return along[:, 0].copy() if block.dimension < 2 else along


def driven(block, given):
    """What a machine without ports is fed: the same torque in all its joints, or its load."""
    if isinstance(block, GroundedRod):
        return {} if block.dimension else {"torque": 0.01 * given}
    return {} if block.dimension else {name: given for name in block.parts if name.startswith(("torque.", "load"))}


def run(block, given, **options):
    """Over a record; tyres and tables have a `run` of their own, and that of all impedances or admittances too."""
    if not block.dimension:
        options["inputs"] = {**driven(block, given), **options.get("inputs", {})}
        return loop.run(block, loop.Signal("force", np.empty((len(given), 0)), "N"), T, **options)
    steered, moved = isinstance(block, ContactPatch | PlanarPatch), isinstance(block, HexaPlant | Scene | GroundedRod)
    own = Impedance.run if steered else Admittance.run if moved else type(block).run
    if isinstance(block, tg.Circuit) and block.bases:
        told = {f"{name}.base_velocity": np.zeros(block.impedances[name].dimension) for name in block.bases}
        begun = {name: options.get("initial", {}).get(name, zero) for name, zero in told.items()}
        options["inputs"] = {**begun, **options.get("inputs", {})}
    return own(block, given, period=T, **options)


def started(block, **initial):
    return block.start(period=T, initial=fed(block) | initial)


def taken_by(live, value, **now):
    """One tick with what is fed in it; what it gives."""
    if isinstance(live, LiveTable):
        if now:
            live.command(now["command_position"], now["command_rotation"].reshape(3, 3))
        live.step(value)
        return given_by(live.block, live)
    if isinstance(live.block, GroundedRod):
        now = now if live.block.dimension or now else {"torque": 0.01 * value}
        for name, numbers in now.items():
            live[name] = np.ravel(numbers) if np.size(numbers) > 1 else float(np.ravel(numbers)[0])
        return live.step(value) if live.block.dimension else (live.step(), live["angle_rate"])[1]
    if live.block.dimension:
        for name, numbers in now.items():
            live[name] = float(numbers[0]) if len(numbers) == 1 else numbers
        return live.step(value)
    if "load" in live.block.parts:
        return live.step({"load": value} | {name: float(numbers[0]) for name, numbers in now.items()})["v"]
    for name, numbers in (driven(live.block, value) | now).items():
        live[name] = float(np.ravel(numbers)[0]) if np.size(numbers) == 1 else numbers
    return live.step()[1]


def stepped(live, given):
    return np.array([taken_by(live, value) for value in given])


def assert_same_run(one, other):
    assert list(one) == list(other)
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


class Tick(NamedTuple):
    """One tick as whoever couples to a block takes it: prepared once, asked several times, committed."""

    block: Block
    vectors: tuple

    @classmethod
    def of(cls, block, state, garbage):
        workspace = block.spaces.workspace.empty()
        for vector, value in zip(workspace, garbage, strict=True):
            vector.fill(value)
        tick = cls(block, (*block.parameters, *state.memory, *workspace))
        module_of(block).flat_restore(*tick.vectors)
        module_of(block).flat_prepare(*tick.vectors, T)
        return tick

    def answer(self, value):
        n, answer = self.block.dimension, module_of(self.block).flat_answer
        if n == 1:
            return tuple(np.reshape(found, (1,) * k) for k, found in enumerate(answer(*self.vectors, value[0], T), 1))
        out, slope = np.empty(n), np.empty((n, n))
        answer(*self.vectors, value, T, out, slope)
        return out, slope

    def advance(self, *given):
        if self.block.dimension == 1:
            given = [value[0] for value in given]
        module_of(self.block).flat_advance(*self.vectors, *given, T)


# ------------------------------------------------------------ the halves


@each_block
def test_answer_is_pure_whatever_lies_in_the_workspace(block):
    """The state stays, and an answer depends on it and on what is asked alone: not on garbage, nor on other trials.

    To the last bit; but in the last digits on who asks, where the order of sums is free.
    """
    rng, probe, moved = np.random.default_rng(7), Probe(block, T, fed(block)), 0
    impedance = block.gives == "force"
    for _ in range(40):
        values = rng.normal(size=(3, block.dimension)) * scale_of(block) * rng.choice([0.01, 0.1, 1.0])
        before, asked = probe.state.copy(), [probe.answer(value) for value in values]
        assert probe.state == before
        ends = []
        for garbage in GARBAGE:
            state = before.copy()
            tick = Tick.of(block, state, garbage)
            found = [np.concatenate([part.ravel() for part in tick.answer(values[k])]) for k in (0, 1, 2, 0, 1, 2)]
            assert state == before
            tick.advance(*((values[2],) if impedance else (values[2], asked[2][0])))
            ends.append((*found, np.array(state)))
        for end in ends:
            np.testing.assert_array_equal(end[:3], end[3:6])
            for one, same in zip(end, ends[0], strict=True):
                np.testing.assert_array_equal(one, same)
        probe.advance(values[2], asked[2][0])
        wanted = (*(np.concatenate([out, slope.ravel()]) for out, slope in asked * 2), np.array(probe.state))
        for one, same in zip(ends[0], wanted, strict=True):
            np.testing.assert_allclose(one, same, rtol=1e-9, atol=1e-12)
        moved += probe.state != before
    assert moved > 0


@each_port
def test_the_slope_is_a_derivative_and_advance_commits_what_was_answered(block):
    rng, probe = np.random.default_rng(7), Probe(block, T, fed(block))
    n, scale = block.dimension, scale_of(block)
    h, checked = 1e-6 * scale, 0
    for _ in range(300):
        value = rng.normal(size=n) * scale * rng.choice([0.01, 0.1, 1.0])
        out, slope = probe.answer(value)
        numeric, kink = np.empty_like(slope), False
        for k, step in enumerate(h * np.eye(n)):
            up, up_slope = probe.answer(value + step)
            down, down_slope = probe.answer(value - step)
            numeric[:, k] = (up - down) / (2 * h)
            # Across a kink (stick to slip) a central difference is no derivative: skip those trials.
            kink |= not np.allclose(up_slope, down_slope, rtol=1e-2, atol=1e-6 * np.abs(slope).max())
        if not kink:
            rounding = 4 * np.finfo(float).eps * np.abs(out).max() / h
            tolerance = 1e-4 * max(np.abs(slope).max(), np.abs(numeric).max()) + rounding
            np.testing.assert_allclose(slope, numeric, atol=tolerance)
            checked += 1
        probe.advance(value, out)
        np.testing.assert_allclose(np.ravel(given_by(block, probe.state)), out, rtol=1e-12, atol=1e-12)
    assert checked > 100


@each_block
def test_the_halves_asked_one_by_one_are_what_runs(block):
    """Also where a block has a `tick` of its own, which is both in one."""
    probe, given = Probe(block, T, fed(block)), signal(block, 40)
    wanted = run(block, given, initial=fed(block), record=list(block.parts))
    for k in range(len(given)):
        for name, row in driven(block, given).items():
            probe.state[name] = row[k]
        value = np.reshape(given[k] if block.dimension else [], block.dimension)
        out, _ = probe.answer(value)
        probe.advance(value, out)
    for name in block.parts:
        last = np.ravel(wanted.variables[name].values[-1])
        np.testing.assert_allclose(probe.state.part(name).ravel(), last, rtol=1e-9, atol=1e-12, err_msg=name)


# ------------------------------------------------------------ running


@each_block
def test_stepping_running_and_batching_are_one(block):
    given, initial, names = signal(block), fed(block), list(block.parts)
    whole = run(block, given, initial=initial, record=names)
    live = started(block)
    np.testing.assert_array_equal(stepped(live, given), given_by(block, whole))
    for name in names:
        np.testing.assert_array_equal(np.ravel(live[name]), np.ravel(whole.variables[name].values[-1]), err_msg=name)
    assert np.abs(given_by(block, whole)).max() > 0.0
    each = Batch([block, block]).start(period=T, initial=initial)
    if block.dimension:
        np.testing.assert_array_equal([each.step(np.stack([x, x]))[1] for x in given], given_by(block, whole))
        return
    for k in range(TICKS):
        for name, row in driven(block, given).items():
            each[name] = row[k] if k % 2 else np.stack([np.broadcast_to(row[k], np.shape(live[name]))] * 2)
        each.step()
    for name in names:
        np.testing.assert_array_equal(np.ravel(each[name][1]), np.ravel(live[name]), err_msg=name)


@each_block
def test_a_batch_is_the_runs_of_its_blocks(block):
    """By the `run` that users call, with all that it tells; and that goes on from a state, whole, to the last bit."""
    given, begun, steps = signal(block), fed(block), isinstance(block, Stepper)
    first, second = np.array_split(given, 2)
    live = started(block)
    stepped(live, first)

    def arguments(rows):
        lasting = {"ticks": len(rows)} if steps else {}
        held = [f"{name}.base_velocity" for name in getattr(block, "bases", ())]
        held = list(begun) if isinstance(block, GroundedRod) else held  # else its phases say it
        own = {name: begun[name] for name in held} | driven(block, rows)
        return (() if steps else (rows,) if block.dimension else (len(rows) * T,)), {"inputs": own, **lasting}

    names = list(block.parts)
    for rows, start in ((given, begun), (second, live.state)):
        where, how = arguments(rows)
        how |= {"period": T, "initial": start, "progress": (shares := []).append}
        one = block.run(*where, **how)
        many = Batch([block, block]).run(*where, **how)
        assert list(many) == list(one)
        assert shares[-1] == 1.0
        for name, variable in one.variables.items():
            both = many.variables[name]
            shared = "batch" not in both.dims
            assert name == "time" or not shared or "as given" in variable.meaning
            wanted = variable.values if shared else np.stack([variable.values] * 2)
            np.testing.assert_array_equal(both.values, wanted, err_msg=name)
            assert (both.unit, both.values.dtype) == (variable.unit, variable.values.dtype)
        if not steps:
            whole = Batch([block, block]).run(*where, **how, record=names)
            assert set(names) <= set(whole)
    if block.dimension and not isinstance(block, GroundedRod):
        np.testing.assert_array_equal(given_by(block, one), stepped(live, second))
    elif isinstance(block, GroundedRod):  # it tells of time 0, too
        after = stepped(live, second)
        found = [np.reshape(one[f"velocity.{port.name}"][1:], (len(second), -1)) for port in block.ports]
        np.testing.assert_array_equal(
            np.concatenate(found, 1) if found else one["angle_rate"][1:], np.reshape(after, (len(second), -1))
        )


def by_address(block):
    """Whether it, or a circuit that moves in it, is run by a loop that knows its blocks by their addresses."""
    if not isinstance(block, tg.Circuit):
        return False
    return block._table is not None or any(by_address(one) for one in block.admittances.values())


def taken(block, name, state):
    """Whether it may be given as a start: what follows from others may not."""
    try:
        others = ("face", "base_motion") if isinstance(block, GroundedRod) else ()  # in the midst of a contact, led on
        if isinstance(block, Scene) and block.tree.has_conditions:
            others = ("q",)  # speeds that keep loops closed are those of a place
        block.initial_state(T, {name: state.part(name), **{other: state.part(other) for other in others}})
    except tg.InputError as refused:
        words = "It follows from", "is not part of its state"  # the only refusals that there may be
        assert any(word in str(refused) for word in words)  # noqa: PT017
        return False
    return True


@each_block
def test_a_state_is_all_there_is_to_keep(block):
    """Kept, assigned, named in `initial`, pickled by itself or with its block: it goes on to the last bit."""
    live, (before, after) = started(block), np.array_split(signal(block), 2)
    stepped(live, before)
    kept, beside = live.state, live.state
    wanted, ended = stepped(live, after), live.state
    assert kept == beside != ended  # what was kept is nobody's to change
    live.state = kept
    pickled = pickle.loads(pickle.dumps(live)), pickle.loads(pickle.dumps(kept))
    assert pickled[1] == kept
    other = started(block)
    other.state = pickled[1]
    for one in (live, other, pickled[0]):
        if one is pickled[0] and by_address(block):  # addresses hold in one process: the copy has a loop of its own
            np.testing.assert_allclose(stepped(one, after), wanted, rtol=1e-9, atol=1e-12)
        else:
            np.testing.assert_array_equal(stepped(one, after), wanted)
            assert one.state == ended
    given = {name: kept.part(name) for name in block.parts if taken(block, name, kept)}
    if isinstance(block, Stepper):  # to whom an element's name is its deflection
        given = kept
    found = given_by(block, run(block, after, initial=given))
    follows = {name for name in block.parts if isinstance(block, tg.Circuit) and name.split(".")[0] == "velocity"}
    if given.keys() | follows == block.parts.keys():  # what a network tells of all ports is that of its machines
        np.testing.assert_array_equal(found, wanted)
    elif block.dimension:  # where an end is follows from the rest but for a remainder, which its first tick takes up
        np.testing.assert_allclose(found[1:], wanted[1:], rtol=1e-9, atol=1e-12)


@each_block
def test_what_the_workspace_keeps_is_restored_with_a_state(block):
    live, (before, after) = started(block), np.array_split(signal(block), 2)
    stepped(live, before)
    kept = live.state
    wanted = stepped(live, after)
    for garbage in GARBAGE:
        for vector, value in zip(live._workspace, garbage, strict=True):
            vector.fill(value)
        live.state = kept
        np.testing.assert_array_equal(stepped(live, after), wanted)


@each_block
def test_signs_of_life_every_record_and_inputs(block, monkeypatch):
    monkeypatch.setattr(loop, "CHUNK", 7)
    given, initial, shares = signal(block), fed(block), []
    whole = run(block, given, initial=initial)
    assert [name for name, part in block.parts.items() if part.recorded] == [n for n in whole if n in block.parts]
    assert_same_run(run(block, given, initial=initial, progress=shares.append), whole)
    assert shares == sorted(set(shares))
    assert len(shares) == -(-TICKS // 7)
    assert shares[-1] == 1.0
    thin = run(block, given, initial=initial, every=5, progress=shares.append)
    for name in whole:
        np.testing.assert_array_equal(thin[name], whole[name][4::5], err_msg=name)
    first = outputs(block)[0]
    one = run(block, given, initial=initial, record=[first])
    np.testing.assert_array_equal(one[first], whole[first])
    assert set(one) & set(block.parts) == {first}

    rows = varied(block, initial)
    live = started(block, **{name: row[0] for name, row in rows.items()})
    found = [taken_by(live, value, **{name: row[k] for name, row in rows.items()}) for k, value in enumerate(given)]
    inputs = {name: row if row.shape[1] > 1 else row[:, 0] for name, row in rows.items()}
    told = run(block, given, inputs=inputs, progress=shares.append)
    np.testing.assert_array_equal(given_by(block, told), found)
    with pytest.raises(tg.InputError, match=f"{block.name}: inputs names '{first}'"):
        run(block, given, inputs={first: 1.0})


def test_every_run_takes_the_same_options():
    for block in BLOCKS.values():
        options = {"period", "every", "record", "initial", "inputs", "progress"}
        assert options <= set(inspect.signature(type(block).run).parameters), block.name


# ------------------------------------------------------------ layouts


@each_block
def test_every_part_has_one_name_and_its_own_place(block):
    own = block.layout
    memories = block.parameters, block.initial_state(T).memory, block.spaces.workspace.empty()
    for layout, space, memory in zip(own[:3], block.spaces, memories, strict=True):
        assert isinstance(memory, Memory)
        assert (memory.real.dtype, memory.whole.dtype) == (np.float64, np.int64)
        for kind, vector in ((False, memory.real), (True, memory.whole)):
            ends = [0, *itertools.chain(*((p.start, p.stop) for p in space.places.values() if p.whole is kind))]
            assert ends[:-1:2] == ends[1::2]  # each begins where the one before it ends, so no name is there twice
            assert vector.size == ends[-1] + (len(space.before) if kind else 0)
        if block.kernels.style != "memory":  # no kernel names its parts
            _assert_letters(layout)
    assert block.parameters.whole[: len(own.names)].tolist() == [own.sizes[name] for name in own.names]
    assert set(block.values) == set(block.spaces.parameters.places)


def _assert_letters(layout):
    letters = [item.key for item in layout.items]
    assert len(set(letters)) == len(letters)
    assert all(letter.isidentifier() for letter in letters)
    for item in layout.items:
        if isinstance(item, Nested):
            _assert_letters(item.layout)


@each_block
def test_what_is_recorded_has_a_unit_and_a_meaning(block):
    assert outputs(block)
    for name, part in block.parts.items():
        if part.recorded or part.fed:
            assert part.unit, name
            assert part.meaning, name


@each_block
def test_ports_cover_all_directions(block):
    names = [port.name for port in block.ports]
    assert len(set(names)) == len(names)
    assert sum(port.dimension for port in block.ports) == block.dimension
    assert all(port.dimension > 0 and port.motion and port.force for port in block.ports)


SIZES = [  # blocks that differ in how many they are
    [tg.ParallelFriction(stiffness=1e4, limits=limits) for limits in ([1.0, 2.0], [1.0, 2.0, 3.0])],
    [ContactPatch(bristles=count) for count in (5, 9)],
    [PlanarPatch(bristles=count, rows=2) for count in (5, 9)],
    [tg.FrictionAdmittance(mass=1.0, law=tg.Tabulated(s, s + 1.0)) for s in (np.arange(2.0), np.arange(3.0))],
]


@pytest.mark.parametrize("alike", SIZES, ids=lambda blocks: blocks[0].name)
def test_blocks_that_differ_in_size_share_one_compiled_loop(alike):
    assert module_of(alike[0]) is module_of(alike[1])


# ------------------------------------------------------------ states from elsewhere


@each_block
def test_a_state_of_another_block_is_refused_by_both_names(block):
    live = started(block)
    before = live.state
    stranger = LISTED["slider"] if not isinstance(block, tg.FrictionAdmittance) else LISTED["lugre"]
    with pytest.raises(tg.InputError, match=rf"{block.name}: state is one of {stranger.name}, with (.|\n)*Assign one"):
        live.state = stranger.start(period=T).state
    with pytest.raises(tg.InputError, match=rf"{block.name}: state=.* is not a State"):
        live.state = np.array(before)
    with pytest.raises(tg.InputError, match=rf"{block.name}.* has no field='elsewhere'"):
        live["elsewhere"]
    assert live.state == before
