"""`tegotae run inclusion`: a machine with contacts and frictions, by any of the three routes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from tegotae import checks
from tegotae.figures.machines import MODES, elements_of
from tegotae.inclusion import Contact, Friction, Inclusion, automatic, examples
from tegotae.inclusion.examples import Machine
from tegotae.inclusion.explicit.integration import FIXED
from tegotae.inclusion.explicit.tuning import DAMPED
from tegotae.parameters import Declared, Duration, Parameter, Period
from tegotae.result import Event, Result, Variable
from tegotae.scenarios import Quantity, Scenario, refuse_length
from tegotae.toml_settings import Kinds

_UNITS = {"p": "m", "v": "m/s", "q": "rad", "u": "rad/s"}  # of a state, by the letter that it begins with


Mass = Annotated[float, Parameter("[kg], > 0")]
Gravity = Annotated[float, Parameter("[m/s²], >= 0")]
Coefficient = Annotated[float, Parameter("[-], >= 0, coefficient")]


class InclusionMachine(Declared):
    """Parameters of a machine of `tegotae.inclusion.examples`."""

    title: ClassVar[str]
    make: ClassVar[Callable[..., Machine]]

    def build(self) -> Machine:
        """Equations and start."""
        return self.make(**vars(self))

    def restitution(self, given: float) -> float | dict[str, float]:
        """Of all its contacts, or by name [-]."""
        return given


@dataclass(frozen=True, kw_only=True)
class BouncingBall(InclusionMachine):
    """A ball over a floor, let go."""

    mass: Mass = 1.0
    gravity: Gravity = examples.GRAVITY
    height: Annotated[float, Parameter("[m], >= 0, of the start")] = 0.1

    title = "A ball, let go above a floor"
    make = staticmethod(examples.bouncing_ball)


@dataclass(frozen=True, kw_only=True)
class Floor(InclusionMachine):
    """The slides' point mass, thrown along a frictional floor."""

    mass: Mass = 1.0
    friction: Coefficient = 0.5
    push: Annotated[float, Parameter("[N], along the floor")] = 0.0
    gravity: Gravity = examples.GRAVITY
    speed: Annotated[float, Parameter("[m/s], of the start, along the floor")] = 3.0
    height: Annotated[float, Parameter("[m], >= 0, of the start")] = 0.05

    title = "A point mass, thrown along a frictional floor"
    make = staticmethod(examples.floor)


@dataclass(frozen=True, kw_only=True)
class Slope(InclusionMachine):
    """A block on a slope, pushed off downhill."""

    mass: Mass = 1.0
    friction: Coefficient = 0.5
    angle: Annotated[float, Parameter("[rad], >= 0, < 1.5707, of the slope")] = 0.3
    gravity: Gravity = examples.GRAVITY
    speed: Annotated[float, Parameter("[m/s], of the start, downhill; negative: uphill")] = -2.0

    title = "A block, pushed off on a slope"

    @staticmethod
    def make(*, speed: float, **slope: float) -> Machine:
        """That of the slides starts at rest."""
        machine, start = examples.slope(**slope)
        return machine, {**start, "v": speed}


@dataclass(frozen=True, kw_only=True)
class Belt(InclusionMachine):
    """A mass on a spring and a running belt: stick-slip."""

    mass: Mass = 1.0
    stiffness: Annotated[float, Parameter("[N/m], > 0, of the spring")] = 100.0
    static: Annotated[float, Parameter("[N], >= 0, friction limit at rest; the events route alone has one")] = 5.0
    kinetic: Annotated[float, Parameter("[N], >= 0, friction while it slips, at most static")] = 3.0
    speed: Annotated[float, Parameter("[m/s], of the belt")] = 0.1

    title = "A mass on a spring, carried by a running belt"
    make = staticmethod(examples.belt)


@dataclass(frozen=True, kw_only=True)
class TwoBodies(InclusionMachine):
    """The slides' machine: a belt presses body 2 against body 1, which swings on a spring along a wall."""

    masses: Annotated[tuple[float, float], Parameter("[kg], > 0, of bodies 1 and 2")] = (1.0, 2.0)
    frictions: Annotated[tuple[float, float, float], Parameter("[-], >= 0, at wall, between, at belt")] = (
        0.2,
        0.3,
        0.5,
    )
    spring: Annotated[float, Parameter("[N/m], >= 0, stiffness")] = 200.0
    speed: Annotated[float, Parameter("[m/s], of the belt, towards the wall")] = 1.0
    gravity: Gravity = examples.GRAVITY
    height: Annotated[float, Parameter("[m], of body 1 at the start")] = 0.2

    title = "Two bodies between a wall and a belt"
    make = staticmethod(examples.two_bodies)


@dataclass(frozen=True, kw_only=True)
class PendulumOnTable(InclusionMachine):
    """A double pendulum whose tip strikes a table and rubs along it."""

    masses: Annotated[tuple[float, float], Parameter("[kg], > 0, of elbow and tip")] = (1.0, 0.5)
    lengths: Annotated[tuple[float, float], Parameter("[m], > 0, of the rods")] = (0.5, 0.4)
    table: Annotated[float, Parameter("[m], > 0, its depth below the pivot")] = 0.75
    friction: Coefficient = 0.3
    gravity: Gravity = examples.GRAVITY

    title = "A double pendulum over a table"
    make = staticmethod(examples.pendulum_on_table)


@dataclass(frozen=True, kw_only=True)
class Woodpecker(InclusionMachine):
    """The toy that nods, pecks and jams its way down a pole; the restitution is that of its beak."""

    friction: Coefficient = 0.3
    spring: Annotated[float, Parameter("[N·m/rad], >= 0, stiffness between sleeve and bird")] = 5.6e-3
    gravity: Gravity = examples.GRAVITY
    speed: Annotated[float, Parameter("[m/s], of the start, downward")] = 0.3411
    turn: Annotated[float, Parameter("[rad/s], of the bird at the start, forward")] = 7.4583

    title = "A toy woodpecker on its pole"
    make = staticmethod(examples.woodpecker)

    def restitution(self, given: float) -> float | dict[str, float]:
        """Of its beak; the sleeve's edges stay where they strike."""
        return {"beak": given, "lower": 0.0, "upper": 0.0}


MACHINES = Kinds(
    bouncing_ball=BouncingBall(),
    floor=Floor(),
    slope=Slope(),
    belt=Belt(),
    two_bodies=TwoBodies(),
    pendulum_on_table=PendulumOnTable(),
    woodpecker=Woodpecker(),
)


_OWNER = "run inclusion"
_MOST_MOMENTS = 5_000_000  # about 1 GB of record
_KINDS = {"_closed": ("release", "touch"), "_touches": ("release", "touch"), "_sticks": ("slip", "stick")}

Start = Mapping[str, float]
Elements = dict[str, Contact | Friction]


@dataclass(frozen=True, kw_only=True)
class Tuned(Declared):
    """Chosen by the mass that each element feels, as stiff as the step allows."""

    def choose(self, machine: Inclusion, start: Start, period: float) -> Elements:
        """Parameters by element; what spring and damper give back by themselves dies out soon."""
        return automatic(machine, period=period, restitution=DAMPED, initial=start)


@dataclass(frozen=True, kw_only=True)
class Given(Declared):
    """The same for every element."""

    stiffness: Annotated[float, Parameter("[N/m], > 0")] = 1e6
    damping: Annotated[float, Parameter("[N·s/m], > 0")] = 2e3
    alpha: Annotated[
        float, Parameter("[s], >= 0, of contacts, by the ode route, below damping/stiffness; 0 for a tenth of that")
    ] = 0.0

    def choose(self, machine: Inclusion, start: Start, period: float) -> Elements:
        """Parameters by element."""
        contact = Contact(stiffness=self.stiffness, damping=self.damping, alpha=self.alpha)
        friction = Friction(stiffness=self.stiffness, damping=self.damping)
        return machine.chosen(contact, friction, {})


@dataclass(frozen=True, kw_only=True)
class EventsRoute(Declared):
    """Exact: rigid contacts and true friction, from event to event."""

    record: Annotated[float, Parameter("[s], > 0, time from one recorded moment to the next")] = 0.001

    def run(self, machine: Inclusion, start: Start, parameters: MachineRun) -> tuple[Result, str]:
        """By `to_events`, and words for the head of the figure."""
        times = _moments(parameters.duration, "route.record", self.record)
        exact = machine.to_events(restitution=parameters.bouncing)
        words = "exact events" + (f", restitution {parameters.restitution:g}" if machine.contacts else "")
        return exact.solve((0.0, parameters.duration), start, times=times), words


@dataclass(frozen=True, kw_only=True)
class OdeRoute(Declared):
    """Compiled to an ordinary differential equation, for any integrator."""

    method: Annotated[str, Parameter("LSODA, Radau, BDF, RK45, RK23, DOP853, CVODE; or RK4, Heun")] = "LSODA"
    step: Annotated[float, Parameter("[s], > 0, of RK4 and Heun, of the record, and of the tuning")] = 1e-4
    rtol: Annotated[float, Parameter("[-], > 0, relative tolerance of the others")] = 1e-8

    def run(self, machine: Inclusion, start: Start, parameters: MachineRun) -> tuple[Result, str]:
        """By `to_ode`, and words for the head of the figure."""
        times = _moments(parameters.duration, "route.step", self.step)
        chosen = parameters.elements.choose(machine, start, self.step)
        result = machine.to_ode(elements=chosen, restitution=parameters.bouncing).solve(
            (0.0, parameters.duration),
            start,
            method=self.method,
            rtol=self.rtol,
            step=self.step if self.method in FIXED else None,
            times=times,
            events=True,
        )
        how = f"steps of {1e3 * self.step:g} ms" if self.method in FIXED else f"rtol {self.rtol:g}"
        return result, f"compiled ODE, {self.method}, {how}"


@dataclass(frozen=True, kw_only=True)
class StepperRoute(Declared):
    """Implicit, at a fixed rate, as a controller runs it."""

    period: Period = 0.001
    method: Annotated[str, Parameter("midpoint, of second order in smooth motion; or euler, of first")] = "midpoint"

    def run(self, machine: Inclusion, start: Start, parameters: MachineRun) -> tuple[Result, str]:
        """By `to_stepper`, and words for the head of the figure; events are told by the tick that sees them."""
        ticks = _moments(parameters.duration, "route.period", self.period).size - 1
        chosen = parameters.elements.choose(machine, start, self.period)
        stepper = machine.to_stepper(
            period=self.period, elements=chosen, method=self.method, restitution=parameters.bouncing
        )
        result = stepper.run(ticks=ticks, initial=start)
        return result.with_events(_changes(result)), f"implicit steps of {1e3 * self.period:g} ms, {self.method}"


@dataclass(frozen=True, kw_only=True)
class MachineRun(Declared):
    """A machine, and how it is run."""

    duration: Duration = 2.0
    restitution: Annotated[
        float, Parameter("[-], 0 to 1, speed of parting over speed of approach in an impact, by every route")
    ] = 0.5
    machine: Annotated[BouncingBall | Floor | Slope | Belt | TwoBodies | PendulumOnTable | Woodpecker, MACHINES] = (
        MACHINES.prototypes["two_bodies"]
    )
    route: Annotated[
        EventsRoute | OdeRoute | StepperRoute, Kinds(events=EventsRoute(), ode=OdeRoute(), stepper=StepperRoute())
    ] = EventsRoute()
    elements: Annotated[Tuned | Given, Kinds(tuned=Tuned(), given=Given())] = Tuned()

    @property
    def bouncing(self) -> float | dict[str, float]:
        """The restitution, as the machine's contacts have it."""
        return self.machine.restitution(self.restitution)


def _moments(duration: float, name: str, step: float) -> checks.Array:
    """The moments of the record [s], from 0 to the end."""
    if not 0.5 <= duration / step <= _MOST_MOMENTS:
        refuse_length(_OWNER, duration, name, step, "moments", f"1 to {_MOST_MOMENTS:,}")
    return np.minimum(step * np.arange(round(duration / step) + 1, dtype=np.float64), duration)


def _changes(result: Result) -> list[Event]:
    """Where a recorded mode differs from the one before."""
    events = []
    for name, record in elements_of(result).items():
        modes = np.asarray(result[record], dtype=np.int8)
        words = _KINDS[record.removeprefix(name)]
        events += [
            Event(float(result.time[i + 1]), name, words[int(modes[i + 1])]) for i in np.flatnonzero(np.diff(modes))
        ]
    return sorted(events)


def run(parameters: MachineRun) -> Result:
    """Build the machine and follow it by the chosen route."""
    belt = parameters.machine
    if isinstance(belt, Belt) and belt.static != belt.kinetic and not isinstance(parameters.route, EventsRoute):
        checks.refuse(
            _OWNER,
            f"machine.static={belt.static:g} N is not machine.kinetic={belt.kinetic:g} N: only exact events have a "
            "limit of their own at rest.",
            f"Use --route events, or --set machine.static={belt.kinetic:g}.",
        )
    machine, start = parameters.machine.build()
    result, words = parameters.route.run(machine, start, parameters)
    states = {state.name for state in machine.states}
    variables = {
        name: Variable(v.dims, v.values, _UNITS[name[0]], "state") if name in states else v
        for name, v in result.variables.items()
    }
    about = {"block": f"inclusion({words})", **result.about}
    return Result(variables, title=parameters.machine.title, about=about)


def summary(parameters: MachineRun, result: Result) -> Sequence[Quantity]:
    """The numbers that tell how it went: events, end, forces, and how the solver fared."""
    counts = Counter(event.kind for event in result.events)
    numbers = [Quantity(kind, float(counts[kind]), "events") for kind in ("touch", "release", "stick", "slip")]
    numbers = [number for number in numbers if number.value]
    for name, variable in result.variables.items():
        if variable.meaning == "state":
            numbers.append(Quantity(f"{name} at the end", float(variable.values[-1]), variable.unit))
    for name, record in elements_of(result).items():
        numbers.append(Quantity(f"{name}, largest force", float(np.max(np.abs(result[name]))), "N"))
        word = MODES[record.removeprefix(name)]
        numbers.append(Quantity(f"{name} {word}", 100.0 * float(np.mean(result[record])), "% of the moments"))
    for name, value in result.about.items():
        if name.startswith(("steps_by", "unsolved")) and (value or name == "unsolved_steps"):
            numbers.append(Quantity(name.replace("_", " "), float(value), "steps"))
    return numbers


scenario = Scenario(
    name="inclusion",
    purpose="a machine with contacts and frictions, by exact events, as an ODE, or step by step",
    parameters=MachineRun,
    run=run,
    summary=summary,
)
