"""Steering: times faster than real time, an hour of driving, and the circuit against the same loop fused by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from tegotae.bench.contest import Contest, Outcome, in_turn
from tegotae.bench.friction import T, beside_hand, restarting
from tegotae.bench.kernels.steering import column_and_bristles
from tegotae.checks import Array
from tegotae.running.loop import Fed
from tegotae.steering import ContactPatch, SteeringSystem
from tegotae.steering.pressure import Parabolic

SPEED = 20.0  # [m/s]
FASTER = {21: 2000.0, 201: 250.0}  # bristles -> times real time
HOUR, SECONDS, MEGABYTES = 3_600_000, 5.0, 500.0  # ticks at 1 kHz, bounds
TO_HAND = 1.3
_BRISTLES = ("stiffness", "damping", "half_length", "centre", "slip_share", "scale")
_PATIENCE = 600.0  # [s], for a subprocess


def torques(ticks: int) -> Array:
    """What the hand does: +-0.6 N·m at 0.25 Hz, enough to slide at either end [N·m]."""
    return np.asarray(0.6 * np.sin(2.0 * np.pi * 0.25 * T * np.arange(ticks)))


def real_time(ticks: int = 100_000, rounds: int = 9) -> list[Outcome]:
    """Whole calls of run(), checks and record included."""
    push = torques(ticks)
    rivals = {}
    for count in FASTER:
        system = SteeringSystem.paper(speed=SPEED, bristles=count)

        def play(system=system) -> None:  # type: ignore[no-untyped-def]
            system.run(push, period=T)

        play()
        rivals[str(count)] = play
    outcomes = []
    for name, seconds in in_turn(rivals, rounds=rounds).items():
        ratio, bound = ticks * T / seconds, FASTER[int(name)]
        told = f"{seconds / ticks * 1e9:.0f} ns a step of run()"
        title = f"steering with {name} bristles, times real time at 1 kHz"
        outcomes.append(Outcome(title, told, ratio, f">= {bound:g}", ratio >= bound))
    return outcomes


def four_wheels(ticks: int = 2_000, rounds: int = 5, bristles: int = 201, rows: int = 10) -> list[Outcome]:
    """Four patches in two dimensions, one after the other on one core."""
    from tegotae.steering.patch import PlanarPatch

    patch = PlanarPatch(stiffness=1e4, damping=0.0, bristles=bristles, rows=rows)
    steer = 0.05 * np.sin(2.0 * np.pi * T * np.arange(ticks))

    def play() -> None:
        for _ in range(4):
            patch.run(steer=steer, slip_angle=0.5 * steer, speed=SPEED, slip=-0.2, period=T)

    play()
    seconds = in_turn({"four": play}, rounds=rounds)["four"]
    ratio = ticks * T / seconds
    told = f"{seconds / ticks / 4 * 1e6:.1f} us a step of one patch"
    name = f"four patches of {rows} x {bristles} bristles, times real time at 1 kHz"
    return [Outcome(name, told, ratio, ">= 1", ratio >= 1.0)]


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


def an_hour(ticks: int = HOUR, rounds: int = 2) -> list[Outcome]:
    """Each in a process of its own, so that the memory is that of this drive alone."""
    code = f"import json; from tegotae.bench.steering import drive; print(json.dumps(drive({int(ticks)})))"
    told = []
    for _ in range(rounds):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=_PATIENCE
        )
        told.append(json.loads(done.stdout))
    seconds, most = min(t for t, _ in told), max(m for _, m in told)
    name = f"{ticks * T / 60.0:.3g} minutes of driving at 1 kHz, 21 bristles"
    return [
        Outcome(name, f"{seconds:.2f} s", seconds, f"<= {SECONDS:g} s", seconds <= SECONDS),
        Outcome(f"{name}, memory", f"{most:.0f} MB, all of Python", most, f"<= {MEGABYTES:g} MB", most <= MEGABYTES),
    ]


@dataclass(frozen=True)
class Twins:
    """The same machine as a circuit and fused by hand, both along the same torques."""

    bristles: int = 21
    ticks: int = 100_000
    speed: float = SPEED

    @property
    def system(self) -> SteeringSystem:
        """With the numbers of the paper."""
        return replace(SteeringSystem.paper(), patch=ContactPatch(bristles=self.bristles), speed=self.speed)

    def circuit(self) -> tuple[Array, Array]:
        """Steer rates [rad/s] and tyre torques [N·m]."""
        _, (rate, force) = self.circuit_player()
        return rate, -force

    def by_hand(self) -> tuple[Array, Array]:
        """The same."""
        return self.hand_player()()

    def circuit_player(self) -> tuple[Callable[[], None], Array]:
        """The generated loop alone, and what it records: steer rates, and torques of the tyre."""
        machine, force = self.system.circuit(), self.system.column.gear * torques(self.ticks)
        slot = machine.spaces.state.places["tyre.speed"].start
        fed = Fed(np.full((1, self.ticks), self.speed), np.array([slot]))
        return restarting(machine, force, "velocity", "tyre.force", fed=fed, initial={"tyre.speed": self.speed})

    def hand_player(self) -> Callable[[], tuple[Array, Array]]:
        """The fused loop alone."""
        system, n = self.system, self.bristles
        c, own = system.column, system.vehicle.on(system.patch).values
        pressure = system.patch.pressure
        assert isinstance(pressure, Parabolic)
        column = np.array([c.inertia, c.stiffness, c.damping, c.friction])
        K, B, a, xi_c, share, scale = (cast(float, own[name]) for name in _BRISTLES)
        load = scale * pressure.curvature * cast(float, system.patch.friction)
        patch = np.array([K, B, a, xi_c, share, load, n])
        force, speed = c.gear * torques(self.ticks), np.full(self.ticks, self.speed)
        workspace, velocity, torque = np.empty((4, n)), np.empty(self.ticks), np.empty(self.ticks)

        def play() -> tuple[Array, Array]:
            workspace[0] = 0.0
            e, f_0, f_v, bound = workspace
            column_and_bristles(column, patch, e, f_0, f_v, bound, force, speed, T, velocity, torque)
            return velocity, torque

        return play


def circuit(rounds: int = 25, ticks: int = 100_000) -> list[Outcome]:
    """Column, drive train and bristles, wired against fused."""
    outcomes = []
    for count in FASTER:
        twins = Twins(bristles=count, ticks=ticks)
        ours, (rate, _) = twins.circuit_player()
        by_hand = twins.hand_player()
        velocity, _ = by_hand()
        name = f"circuit of a column and {count} bristles"
        outcomes.append(beside_hand(name, ours, rate, by_hand, velocity, most=TO_HAND, rounds=rounds))
    return outcomes


CONTESTS = (
    Contest("steering, real time", real_time),
    Contest("steering, four wheels", four_wheels),
    Contest("steering, an hour", an_hour),
    Contest("steering, circuit", circuit, yardsticks=("hand",)),
)
