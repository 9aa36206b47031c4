"""Steering: times faster than real time, an hour of driving, and the circuit against the same loop fused by hand."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from tegotae.bench.contest import Contest, Outcome, Outcomes, in_fresh_process, in_turn
from tegotae.bench.friction import T, beside_hand, restarting
from tegotae.bench.kernels.by_hand import column_and_bristles
from tegotae.checks import Array
from tegotae.running.loop import Fed
from tegotae.steering import ContactPatch, SteeringSystem
from tegotae.steering.pressure import Parabolic

SPEED = 20.0  # [m/s]
FASTER = {21: 2000.0, 201: 250.0}  # bristles -> times real time
HOUR = 3_600_000  # ticks at 1 kHz
_BRISTLES = ("stiffness", "damping", "half_length", "centre", "slip_share", "scale")


def torques(ticks: int) -> Array:
    """What the hand does: +-0.6 N·m at 0.25 Hz, enough to slide at either end [N·m]."""
    return np.asarray(0.6 * np.sin(2.0 * np.pi * 0.25 * T * np.arange(ticks)))


def real_time(ticks: int = 100_000, rounds: int = 9) -> Outcomes:
    """Whole calls of run(), checks and record included."""
    push = torques(ticks)
    systems = {str(count): SteeringSystem.paper(speed=SPEED, bristles=count) for count in FASTER}
    rivals = {count: partial(system.run, push, period=T) for count, system in systems.items()}
    for name, seconds in in_turn(rivals, rounds=rounds).items():
        measured = f"{seconds / ticks * 1e9:.0f} ns a step of run()"
        title = f"steering with {name} bristles, times real time at 1 kHz"
        yield Outcome.asked(title, measured, ticks * T / seconds, f">= {FASTER[int(name)]:g}")


def four_wheels(ticks: int = 2_000, rounds: int = 5, bristles: int = 201, rows: int = 10) -> Outcomes:
    """Four patches in two dimensions, one after the other on one core."""
    from tegotae.steering.patch import PlanarPatch

    patch = PlanarPatch(stiffness=1e4, damping=0.0, bristles=bristles, rows=rows)
    steer = 0.05 * np.sin(2.0 * np.pi * T * np.arange(ticks))

    def play() -> None:
        for _ in range(4):
            patch.run(steer=steer, slip_angle=0.5 * steer, speed=SPEED, slip=-0.2, period=T)

    seconds = in_turn({"four": play}, rounds=rounds)["four"]
    measured = f"{seconds / ticks / 4 * 1e6:.1f} us a step of one patch"
    name = f"four patches of {rows} x {bristles} bristles, times real time at 1 kHz"
    yield Outcome.asked(name, measured, ticks * T / seconds, ">= 1")


def drive(ticks: int) -> tuple[float, float]:
    """Drive so many ticks, recording a hundred times a second -> seconds, most memory of this process [MB]."""
    import resource
    import time

    system = SteeringSystem.paper()
    speed = np.maximum(0.0, 15.0 * np.sin(2.0 * np.pi * T * np.arange(ticks) / 300.0))  # through town, with stops
    push = torques(ticks)
    system.run(push[:10], inputs={"speed": speed[:10]}, period=T, every=10)  # compile, or load what was compiled
    start = time.perf_counter()
    system.run(push, inputs={"speed": speed}, period=T, every=10)
    seconds = time.perf_counter() - start
    unit = 1e6 if sys.platform == "darwin" else 1e3  # bytes there, kilobytes elsewhere
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def an_hour(ticks: int = HOUR, rounds: int = 2) -> Outcomes:
    """Each in a process of its own, so that the memory is that of this drive alone."""
    drives = [in_fresh_process(drive, ticks) for _ in range(rounds)]
    seconds, most = min(t for t, _ in drives), max(m for _, m in drives)
    name = f"{ticks * T / 60.0:.3g} minutes of driving at 1 kHz, 21 bristles"
    yield Outcome.asked(name, f"{seconds:.2f} s", seconds, "<= 5 s")
    yield Outcome.asked(f"{name}, memory", f"{most:.0f} MB, all of Python", most, "<= 500 MB")


Player = Callable[[], tuple[Array, Array]]  # steer rates [rad/s] and torques of the tyre [N·m]


def twins(*, bristles: int = 21, ticks: int = 100_000, speed: float = SPEED) -> tuple[Player, Player]:
    """The paper's machine as a circuit, its generated loop alone, and fused by hand; both along the same torques."""
    system = replace(SteeringSystem.paper(), patch=ContactPatch(bristles=bristles), speed=speed)
    c, values, pressure = system.column, system.vehicle.on(system.patch).values, system.patch.pressure
    assert isinstance(pressure, Parabolic)
    machine, force, speeds = system.circuit(), c.gear * torques(ticks), np.full(ticks, speed)
    fed = Fed(speeds[np.newaxis], np.array([machine.spaces.state.places["tyre.speed"].start]))
    play, (rate, push) = restarting(machine, force, "velocity", "tyre.force", fed=fed, initial={"tyre.speed": speed})
    column = np.array([c.inertia, c.stiffness, c.damping, c.friction])
    K, B, a, xi_c, share, scale = (cast(float, values[name]) for name in _BRISTLES)
    load = scale * pressure.curvature * cast(float, system.patch.friction)
    patch = np.array([K, B, a, xi_c, share, load, bristles])
    workspace, velocity, torque = np.empty((4, bristles)), np.empty(ticks), np.empty(ticks)

    def circuit() -> tuple[Array, Array]:
        play()
        return rate, -push

    def by_hand() -> tuple[Array, Array]:
        workspace[0] = 0.0
        column_and_bristles(column, patch, *workspace, force, speeds, T, velocity, torque)
        return velocity, torque

    return circuit, by_hand


def wired(rounds: int = 25, ticks: int = 100_000) -> Outcomes:
    """Column, drive train and bristles, wired against fused."""
    for count in FASTER:
        circuit, by_hand = twins(bristles=count, ticks=ticks)
        name = f"circuit of a column and {count} bristles"
        (rate, _), (velocity, _) = circuit(), by_hand()
        yield beside_hand(name, circuit, rate, by_hand, velocity, most=1.1, rounds=rounds)


CONTESTS = (
    Contest("steering, real time", real_time),
    Contest("steering, four wheels", four_wheels),
    Contest("steering, an hour", an_hour),
    Contest("steering, circuit", wired, yardsticks=("hand",)),
)
