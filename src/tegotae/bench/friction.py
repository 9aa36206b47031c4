"""The friction elements against plain streams, NumPy and loops fused by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

import tegotae as tg
from tegotae.bench.contest import Contest, Outcome, Outcomes, in_turn
from tegotae.bench.kernels.by_hand import mass_and_elements, numpy_elements, train_that_rubs
from tegotae.block import Block
from tegotae.checks import Array
from tegotae.friction import ParallelFriction
from tegotae.papers.measuring import apart
from tegotae.running.loop import NOT_FED, Fed, picks_of
from tegotae.running.source import module_of
from tegotae.state import State

T = 1e-3
Play = Callable[[], object]


def looped(
    block: Block, state: State, given: Array, *names: str, fed: Fed = NOT_FED
) -> tuple[Callable[[], None], Array]:
    """The compiled loop alone, from this state on, without what `run` does around it; and where it records."""
    picks, loop = picks_of(block, names), module_of(block).loop
    record = np.empty((picks.size, given.shape[0]))
    memories = block.parameters, state.memory, block.spaces.workspace.empty()
    rest = (*fed, T, 1, picks.real, picks.whole, 1, 0, given.shape[0], record)
    return lambda: loop(*memories, given, *rest), record


def one_element() -> Outcomes:
    """One Coulomb element over an array, start to finish."""
    brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
    velocity = 0.05 * np.sin(0.01 * np.arange(1_000_000))
    best = in_turn({"run": lambda: brake.run(velocity, period=T, record=["force"])})["run"] / velocity.size * 1e9
    yield Outcome.asked("one Coulomb element, a step of run()", f"{best:.1f} ns", best, "<= 15 ns")


def one_step_from_python() -> Outcomes:
    """`live.step`, as a control loop calls it."""
    for dimension, bound in ((1, "<= 1 us"), (2, "<= 2 us")):
        brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0), dimension=dimension)
        step = brake.start(period=T).step
        velocity = 0.05 if dimension == 1 else np.array([0.05, -0.02])

        def many(step=step, velocity=velocity) -> None:  # type: ignore[no-untyped-def]
            for _ in range(20_000):
                step(velocity)

        best = in_turn({"step": many})["step"] / 20_000 * 1e6
        yield Outcome.asked(f"live.step, {dimension}-D", f"{best:.2f} us", best, bound)


def many_elements() -> Outcomes:
    """1e5 elements side by side, against a plain stream over as many bytes, and against (18) in NumPy."""
    count, ticks = 100_000, 20
    limits = np.linspace(1.0, 10.0, count)
    velocity = 0.01 * np.sin(0.3 * np.arange(ticks))
    # An element reads F and e and writes e (24 bytes, as a += d does); with its own K and B it is 40 bytes.
    for label, damping, entries in (
        ("one stiffness for all", np.full(count, 1.0), count),
        ("each its own stiffness and damping", np.linspace(1.0, 2.0, count), count * 5 // 3),
    ):
        composite = ParallelFriction(stiffness=1e4, damping=damping, limits=limits)
        ours, _ = looped(composite, composite.initial_state(T), velocity, "force")
        stiffness = np.full(count, 1e4)
        a, d = np.zeros(entries), np.ones(entries)

        def stream(a: Array = a, d: Array = d) -> None:
            for _ in range(ticks):
                np.add(a, d, out=a)

        in_numpy = partial(numpy_elements, stiffness, damping, limits, np.zeros(count), velocity, T)
        best = in_turn({"ours": ours, "stream": stream, "numpy": in_numpy})
        each = {name: seconds / ticks / count * 1e9 for name, seconds in best.items()}
        text = f"{each['ours']:.2f} ns an element against {each['stream']:.2f} (stream), {each['numpy']:.2f} (NumPy)"
        to_stream, to_numpy = each["ours"] / each["stream"], each["numpy"] / each["ours"]
        name = f"1e5 elements, {label}"
        yield Outcome.asked(f"{name} / a stream over as many bytes", text, to_stream, "<= 2")
        yield Outcome.asked(f"{name}, times faster than NumPy", text, to_numpy, ">= 15")


def reversal_stack() -> Outcomes:
    """The composite by its reversal stack: the cost of a step from 1e2 to 1e5 elements."""
    velocity = 0.02 * np.sin(0.01 * np.arange(100_000))
    rivals = {}
    for count in (100, 1_000, 10_000, 100_000):
        composite = ParallelFriction(stiffness=1e6 / count, limits=np.linspace(1.0, 10.0, count) * 100 / count)
        rivals[f"{count:g}"], _ = looped(composite, composite.initial_state(T), velocity, "force")
    best = {name: seconds / velocity.size * 1e9 for name, seconds in in_turn(rivals).items()}
    ratio = max(best.values()) / min(best.values())
    measured = ", ".join(f"N={name}: {ns:.0f} ns" for name, ns in best.items())
    yield Outcome.asked("reversal stack, largest / smallest step from N=1e2 to 1e5", measured, ratio, "<= 2")


LIMITS = 1.0 + 0.5 * np.arange(22)


def mass_that_rubs() -> tg.Circuit:
    """One mass and 22 elements."""
    elements = {
        f"element_{i}": tg.FrictionImpedance(stiffness=1e4, damping=1.0, law=tg.Coulomb(float(limit)))
        for i, limit in enumerate(LIMITS)
    }
    return tg.Circuit(tg.Mass(mass=2.0), elements)


def restarting(
    machine: tg.Circuit, force: Array, *names: str, fed: Fed = NOT_FED, initial: Mapping[str, float] | None = None
) -> tuple[Callable[[], None], Array]:
    """The compiled loop of a circuit, each time from its first state, and what it records, a row a name."""
    state = machine.initial_state(T, initial)
    play, record = looped(machine, state, force, *names, fed=fed)

    def ours() -> None:
        state.take(machine.initial_state(T, initial))
        play()

    ours()
    return ours, record


def beside_hand(
    name: str, ours: Play, found: Array, by_hand: Play, made: Array, *, most: float = 1.1, rounds: int = 15
) -> Outcome:
    """A loop that found velocities against one fused by hand, which made them."""
    by_hand()
    played = in_turn({"ours": ours, "hand": by_hand}, rounds=rounds)
    best = {who: s / made.size * 1e9 for who, s in played.items()}
    measured = f"{best['ours']:.0f} ns a step against {best['hand']:.0f}, equal to {apart(made, found):.0e}"
    return Outcome.asked(f"{name} / fused by hand", measured, best["ours"] / best["hand"], f"<= {most:g}")


def circuit() -> Outcomes:
    """One mass and 22 elements as a circuit, against the same loop fused by hand."""
    force = 200.0 * np.sin(2 * np.pi * T * np.arange(100_000))
    ours, (found,) = restarting(mass_that_rubs(), force, "velocity")
    velocity, stiffness, damping = np.empty(force.size), np.full(22, 1e4), np.full(22, 1.0)

    def by_hand() -> None:
        mass_and_elements(2.0, stiffness, damping, LIMITS, np.zeros(22), force, T, velocity)

    yield beside_hand("circuit of a mass and 22 elements", ours, found, by_hand, velocity)


def train(cars: int) -> tg.Circuit:
    """Masses in a row that rub on the ground and draw each other."""
    brake = tg.FrictionImpedance(stiffness=1e5, damping=10.0, law=tg.Coulomb(3.0))
    rope = tg.SpringDamper(stiffness=1e4, damping=10.0)
    links = {f"rub_{i}": tg.Link(brake, f"car_{i}") for i in range(cars)}
    links |= {f"rope_{i}": tg.Link(rope, f"car_{i}", f"car_{i + 1}") for i in range(cars - 1)}
    return tg.Circuit({f"car_{i}": tg.Mass(mass=2.0) for i in range(cars)}, links)


def _drawn(machine: tg.Circuit, ticks: int) -> tuple[Callable[[], None], Array, Array]:
    """A train pulled to and fro by its first car: how it is played, that car's velocity, and the force on it."""
    force = np.zeros((ticks, machine.dimension))
    force[:, 0] = 20.0 * np.sin(2 * np.pi * T * np.arange(ticks))
    return *restarting(machine, force, "car_0.velocity"), force[:, 0].copy()


def network() -> Outcomes:
    """Three masses that rub and draw each other, against the same equations fused by hand; and how cost grows."""
    ours, (found,), force = _drawn(train(3), 100_000)
    velocity, seen = np.empty(force.size), (np.zeros(3), np.zeros(3), np.zeros(2))

    def by_hand() -> None:
        train_that_rubs(2.0, 1e5, 10.0, 3.0, 1e4, 10.0, force, T, *seen, velocity)

    yield beside_hand("network of three machines that rub", ours, found, by_hand, velocity, most=1.2)
    rivals = {str(count): _drawn(train(count), 10_000)[0] for count in (2, 4, 8, 16, 32)}
    each = {name: s / 10_000 / int(name) * 1e9 for name, s in in_turn(rivals).items()}
    growth = each["32"] / each["4"]
    measured = ", ".join(f"{name}: {ns:.0f} ns a port" for name, ns in each.items())
    yield Outcome.asked("network, cost of a port at 32 / at 4", measured, growth, "<= 2")


def circuit_by_address() -> Outcomes:
    """What a circuit costs where nothing can be compiled: the loop that ships against one of its own."""
    machine = mass_that_rubs()
    force = 200.0 * np.sin(2 * np.pi * T * np.arange(20_000))
    machines = {"address": machine.by_address(), "own": machine}
    rivals = {name: partial(one.run, force, period=T, record=["velocity"]) for name, one in machines.items()}
    best = {name: s / force.size * 1e9 for name, s in in_turn(rivals).items()}
    ratio = best["address"] / best["own"]
    measured = f"{best['address']:.0f} ns a step against {best['own']:.0f}"
    yield Outcome.asked("circuit of 22 elements by address / its own loop", measured, ratio, "<= 50")


CONTESTS = (
    Contest("one element", one_element),
    Contest("one step from Python", one_step_from_python),
    Contest("1e5 elements", many_elements, yardsticks=("stream", "numpy")),
    Contest("reversal stack", reversal_stack),
    Contest("circuit", circuit, yardsticks=("hand",)),
    Contest("network", network, yardsticks=("hand",)),
    Contest("circuit by address", circuit_by_address),
)
