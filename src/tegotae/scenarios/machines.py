"""The machines of `tegotae run inclusion`: parameters with units in, equations, start and words for the states out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar

from tegotae.inclusion import examples
from tegotae.inclusion.examples import Machine
from tegotae.parameters import Declared, Parameter
from tegotae.toml_settings import Kinds

POSITION, VELOCITY, ANGLE, RATE = "m", "m/s", "rad", "rad/s"


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


MACHINES = Kinds(
    bouncing_ball=BouncingBall(),
    floor=Floor(),
    slope=Slope(),
    belt=Belt(),
    two_bodies=TwoBodies(),
    pendulum_on_table=PendulumOnTable(),
)


def unit_of(state: str) -> str:
    """The unit of a state of these machines, by the letter that it begins with."""
    return {"p": POSITION, "v": VELOCITY, "q": ANGLE, "u": RATE}[state[0]]
