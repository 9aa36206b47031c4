"""Inclusions: how long a compile takes, a right-hand side, a tick; and the slides' machine against Siconos."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tegotae.bench.contest import PATIENCE, Contest, Outcome, Outcomes, in_fresh_process, in_turn
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.errors import TegotaeError
from tegotae.inclusion import Contact, Friction, Inclusion, coulomb, dio, examples
from tegotae.inclusion.explicit.ode import Ode
from tegotae.inclusion.implicit.stepper import Stepper

# The reference set of the slides' machine.
STIFFNESS, DAMPING, ALPHA, STEP, SECONDS = 1e6, 2e3, 2e-4, 1e-4, 2.0
START = {"p1y": 0.2}
ERROR = 2.5e-4  # [m], asked of the height of body 1
BODIES = 5  # of the chain: 20 states

# Siconos: what runs in the Python of the system, where that is, and its periods.
SCRIPT = Path(__file__).with_name("siconos_script.py")
INTERPRETERS = ("/usr/bin/python3", "/usr/local/bin/python3")
MISSING = "Siconos is not installed (Debian: python3-siconos)"
STEPS = (2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4)  # [s], from coarse to fine

# Each call at another state that depends on the last answer, so that none can be skipped.
_CALLS = """
@entry
def many_calls(count, t, y, p, A, B, f):
    n = y.size
    for k in range(count):
        rows(t, y, p, A, B, f)
        y[k % n] += 1e-12 * f[k % n]
"""


def chain(bodies: int = BODIES) -> Ode:
    """Bodies in a row that push and rub: four states a body (position, velocity, one contact, one friction)."""
    import sympy

    p, v = sympy.symbols(f"p1:{bodies + 1}"), sympy.symbols(f"v1:{bodies + 1}")
    m, g, mu, push = sympy.symbols("m g mu push")
    gaps = [p[0], *(p[i] - p[i - 1] for i in range(1, bodies))]
    presses = [dio(gap, f"gap{i}") for i, gap in enumerate(gaps)]
    rubs = [coulomb(mu * m * g, v[i], f"rub{i}") for i in range(bodies)]
    rows: dict[Any, Any] = dict(zip(p, v, strict=True))
    for i in range(bodies):
        ahead = presses[i + 1] if i + 1 < bodies else push
        rows[v[i]] = (presses[i] - ahead - rubs[i]) / m
    machine = Inclusion(rows, {m: 1.0, g: 9.81, mu: 0.3, push: 5.0})
    contact, friction = Contact(stiffness=1e5, damping=200.0, alpha=2e-4), Friction(stiffness=1e5, damping=200.0)
    return machine.to_ode(contact=contact, friction=friction)


def first_value(bodies: int = BODIES) -> float:
    """Seconds from `Inclusion(...)` to the first value of `rhs`; everything was imported before."""
    import sympy  # noqa: F401

    start = time.perf_counter()
    ode = chain(bodies)
    ode.rhs(0.0, np.zeros(len(ode.states)))
    return time.perf_counter() - start


def compiling(rounds: int = 3, bodies: int = BODIES) -> Outcomes:
    """Cold: nothing of the model in the cache. Warm: the next process. Imports are not counted."""
    cold, warm = list[float](), list[float]()
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="tegotae-bench-") as cache:
            for seconds in (cold, warm):
                seconds.append(in_fresh_process(first_value, bodies, TEGOTAE_CACHE=cache))
    for word, seconds, bound in (("cold", cold, "<= 2 s"), ("warm", warm, "<= 0.6 s")):
        measured = f"{min(seconds):.2f} s from Inclusion(...) to the first rhs, without imports"
        yield Outcome.asked(f"compile of {4 * bodies} states, {word}", measured, min(seconds), bound)


def calling_loop(ode: Ode) -> Callable[..., None]:
    """``many_calls(count, t, y, p, A, B, f)``: the right-hand side of `ode` over and over, as an integrator does."""
    loop: Callable[..., None] = build(_CALLS, (("rows", ode.compiled.module.rows),)).many_calls
    return loop


def calling(calls: int = 200_000, rounds: int = 15) -> Outcomes:
    """The right-hand side as compiled integrators call it."""
    ode = chain()
    model, many_calls = ode.compiled, calling_loop(ode)
    rng = np.random.default_rng(3)
    y, f = 1e-3 * rng.standard_normal(len(ode.states)), np.empty(len(ode.states))

    def play() -> None:
        many_calls(calls, 0.0, y.copy(), model.p, model.A, model.B, f)

    best = in_turn({"rhs": play}, rounds=rounds)["rhs"] / calls * 1e6
    name = f"rhs of {len(ode.states)} states, called from compiled code"
    yield Outcome.asked(name, f"{best:.3f} us", best, "<= 0.3 us")


def steppers() -> dict[str, tuple[Stepper, dict[str, float]]]:
    """Machines at a fixed period, and where they start: a mass on a belt, one that falls on it, three on each other."""
    contact, friction = Contact(stiffness=1e5, damping=200.0), Friction(stiffness=1e5, damping=200.0)
    numbers = {"m": 1.0, "g": 9.81, "mu": 0.4, "ks": 100.0, "belt": 0.1}
    falling = "coulomb(Fk + (Fs - Fk)*exp(-((v - belt)/vs)**2), v - belt, 'rub')"
    machines = {
        "belt": Inclusion(
            {"p": "v", "v": f"(-ks*p - {falling})/m"},
            {"m": 1.0, "ks": 100.0, "belt": 0.1, "Fk": 3.0, "Fs": 5.0, "vs": 1e-2},
        ),
        "floor": Inclusion(_stacked(1), numbers),
        "stack": Inclusion(_stacked(3), numbers),
    }
    starts = {"belt": {"p": 0.05, "v": 0.1}, "floor": {"p1": 0.05}, "stack": {f"p{i}": 0.01 * i for i in (1, 2, 3)}}
    return {
        name: (one.to_stepper(period=1e-3, contact=contact if one.contacts else None, friction=friction), starts[name])
        for name, one in machines.items()
    }


def _stacked(bodies: int) -> dict[str, str]:
    """Rows of bodies on each other, the lowest on a belt, a spring on the highest: heights p, v and places x, w."""
    press = [f"dio(p{i + 1}{f' - p{i}' if i else ''}, 'press{i}')" for i in range(bodies)]
    slips = [f"w{i + 1} - {f'w{i}' if i else 'belt'}" for i in range(bodies)]
    rubs = [f"coulomb(mu*{one}, {slip}, 'rub{i}')" for i, (one, slip) in enumerate(zip(press, slips, strict=True))]
    rows: dict[str, str] = {}
    for i in range(bodies):
        above = (press[i + 1], rubs[i + 1]) if i + 1 < bodies else ("0", f"-ks*x{i + 1}")
        rows |= {f"p{i + 1}": f"v{i + 1}", f"v{i + 1}": f"({press[i]} - {above[0]})/m - g"}
        rows |= {f"x{i + 1}": f"w{i + 1}", f"w{i + 1}": f"({above[1]} - {rubs[i]})/m"}
    return rows


def stepping(ticks: int = 5000, rounds: int = 15) -> Outcomes:
    """Ticks of steppers, in whole runs."""
    rivals = {name: partial(one.run, ticks=ticks, initial=start) for name, (one, start) in steppers().items()}
    each = {name: 1e6 * seconds / ticks for name, seconds in in_turn(rivals, rounds=rounds).items()}
    for name, tick in each.items():
        yield Outcome.asked(f"stepper, {name}", f"{tick:.3f} us a tick", tick, "<= 5 us")


@dataclass(frozen=True)
class TwoBodiesContest:
    """The slides' machine by both routes that the contest needs."""

    seconds: float = SECONDS  # how long it runs [s]

    def times(self) -> Array:
        """Where errors are taken: every millisecond [s]."""
        return np.linspace(0.0, self.seconds, round(self.seconds / 1e-3) + 1)

    def exact(self) -> Array:
        """Height of body 1 by exact events [m]."""
        machine, _ = examples.two_bodies()
        times = self.times()
        return np.asarray(machine.to_events().solve((0.0, self.seconds), START, times=times).p1y)

    def ode(self) -> Ode:
        """Compiled with the reference set."""
        machine, _ = examples.two_bodies()
        contact = Contact(stiffness=STIFFNESS, damping=DAMPING, alpha=ALPHA)
        return machine.to_ode(contact=contact, friction=Friction(stiffness=STIFFNESS, damping=DAMPING))

    def heights(self, ode: Ode) -> Array:
        """Height of body 1 by RK4 [m]."""
        run = ode.solve((0.0, self.seconds), START, method="RK4", step=STEP, times=self.times())
        return np.asarray(run.p1y)


def machine(rounds: int = 5) -> Outcomes:
    """Error of the compiled machine, and its speed against Siconos with an error within the same bound."""
    two = TwoBodiesContest()
    exact, ode = two.exact(), two.ode()
    error = float(np.max(np.abs(two.heights(ode) - exact)))
    name = "two bodies in contact, largest error of the height in 2 s"
    measured = f"{error:.2e} m at K = 1e6 N/m, RK4 at 0.1 ms, against exact events"
    yield Outcome.asked(name, measured, error, f"<= {ERROR:g} m")
    yield from against_siconos(two, exact, ode, error, rounds)


@dataclass(frozen=True)
class Siconos:
    """A Python that can import Siconos, the system's: a script of ours runs there and answers in JSON.

    It runs isolated (-I): it sees neither our environment nor, beside the script, the modules of this package.
    """

    interpreter: str

    @classmethod
    def found(cls, interpreters: tuple[str, ...] = INTERPRETERS) -> Siconos | None:
        """The first that imports it, if any does."""
        for interpreter in interpreters:
            if not os.access(interpreter, os.X_OK):
                continue
            probe = [interpreter, "-I", "-c", "import siconos.kernel, siconos.numerics"]
            if subprocess.run(probe, capture_output=True, timeout=PATIENCE).returncode == 0:
                return cls(interpreter)
        return None

    def error(self, times: Array, exact: Array, *, step: float, seconds: float) -> float:
        """Largest distance from the exact heights of body 1 [m]."""
        found = self._ask("follow", step, seconds, 1)
        return float(np.max(np.abs(np.interp(times, found["times"], found["heights"]) - exact)))

    def seconds(self, *, step: float, seconds: float, runs: int) -> float:
        """The best time of a run [s], timed inside that process, without building the model."""
        return min(self._ask("time", step, seconds, runs)["seconds"])

    def _ask(self, what: str, step: float, seconds: float, runs: int) -> dict[str, list[float]]:
        command = [self.interpreter, "-I", str(SCRIPT), what, repr(step), repr(seconds), str(runs)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode != 0:
            raise TegotaeError(f"bench: Siconos failed:\n  {done.stderr.strip()[-500:]}\n  Leave it uninstalled.")
        # It talks on stdout by itself; ours is the last line.
        answer: dict[str, list[float]] = json.loads(done.stdout.strip().splitlines()[-1])
        return answer


def against_siconos(two: TwoBodiesContest, exact: Array, ode: Ode, error: float, rounds: int) -> Outcomes:
    """Milliseconds a simulated second: the largest step of Siconos whose error is within the bound, against ours."""
    name = "two bodies, times faster than Siconos"
    peer = Siconos.found()
    if peer is None:
        yield Outcome.skipped(name, MISSING)
        return
    errors = {}
    for step in STEPS:
        errors[step] = peer.error(two.times(), exact, step=step, seconds=two.seconds)
        if errors[step] <= ERROR:
            break
    rivals = {"loop": _loop(ode, two.seconds), "solve": lambda: two.heights(ode)}
    best = dict.fromkeys(("siconos", *rivals), float("inf"))
    for _ in range(rounds):  # in turn, though each in its own process
        theirs = {"siconos": peer.seconds(step=step, seconds=two.seconds, runs=2)}
        for who, seconds in (theirs | in_turn(rivals, rounds=5)).items():
            best[who] = min(best[who], seconds)
    each = {who: 1e3 * seconds / two.seconds for who, seconds in best.items()}
    rival = f"{each['siconos']:.0f} at {errors[step]:.1e} m (theta 1/2, {1e3 * step:g} ms)"
    for who, words in (("loop", "integration alone"), ("solve", "a whole call of solve, checks and record included")):
        ratio = best["siconos"] / best[who]
        measured = f"{each[who]:.2f} ms a simulated second at {error:.1e} m against {rival}"
        yield Outcome.asked(f"{name}, {words}", measured, ratio, ">= 20", also=errors[step] <= ERROR)


def _loop(ode: Ode, seconds: float) -> Any:
    """The compiled RK4 loop alone, from the start of the machine, recording its end: what Siconos' run() does."""
    model, first = ode.compiled, ode.start(START)
    steps, times = round(seconds / STEP), np.array([seconds])
    out, workspace = np.empty((1, first.size)), np.empty((6, first.size))

    def play() -> None:
        model.module.rk4(0.0, STEP, steps, 0.0, first.copy(), model.p, model.A, model.B, workspace, times, out)

    play()
    return play


CONTESTS = (
    Contest("inclusion, compile", compiling),
    Contest("inclusion, right-hand side", calling),
    Contest("inclusion, steppers", stepping),
    Contest("inclusion, two bodies", machine),
)
