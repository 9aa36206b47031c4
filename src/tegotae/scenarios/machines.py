"""The machines of `tegotae run inclusion`: parameters with units in, equations, start and words for the states out."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from tegotae.inclusion import examples
from tegotae.inclusion.examples import Machine

POSITION, VELOCITY, ANGLE, RATE = "m", "m/s", "rad", "rad/s"


class _Group(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Unknown names are errors, not silently ignored."""


Mass = Annotated[float, Meta(description="[kg], > 0", gt=0)]
Gravity = Annotated[float, Meta(description="[m/s²], >= 0", ge=0)]
Coefficient = Annotated[float, Meta(description="coefficient [-], >= 0", ge=0)]
Pair = Annotated[float, Meta(gt=0)]
Rub = Annotated[float, Meta(ge=0)]


class BouncingBall(_Group, frozen=True, tag="bouncing_ball"):
    """A ball over a floor, let go."""

    mass: Mass = 1.0
    gravity: Gravity = examples.GRAVITY
    height: Annotated[float, Meta(description="of the start [m], >= 0", ge=0)] = 0.1

    title = "A ball, let go above a floor"

    def build(self) -> Machine:
        """Equations and start."""
        return examples.bouncing_ball(mass=self.mass, gravity=self.gravity, height=self.height)


class Floor(_Group, frozen=True, tag="floor"):
    """The slides' point mass, thrown along a frictional floor."""

    mass: Mass = 1.0
    friction: Coefficient = 0.5
    push: Annotated[float, Meta(description="along the floor [N]")] = 0.0
    gravity: Gravity = examples.GRAVITY
    speed: Annotated[float, Meta(description="of the start, along the floor [m/s]")] = 3.0
    height: Annotated[float, Meta(description="of the start [m], >= 0", ge=0)] = 0.05

    title = "A point mass, thrown along a frictional floor"

    def build(self) -> Machine:
        """Equations and start."""
        return examples.floor(
            mass=self.mass,
            friction=self.friction,
            push=self.push,
            gravity=self.gravity,
            speed=self.speed,
            height=self.height,
        )


class Slope(_Group, frozen=True, tag="slope"):
    """A block on a slope, pushed off downhill."""

    mass: Mass = 1.0
    friction: Coefficient = 0.5
    angle: Annotated[float, Meta(description="of the slope [rad], 0 to 1.57", ge=0, lt=1.5707)] = 0.3
    gravity: Gravity = examples.GRAVITY
    speed: Annotated[float, Meta(description="of the start, downhill [m/s]; negative: uphill")] = -2.0

    title = "A block, pushed off on a slope"

    def build(self) -> Machine:
        """Equations and start."""
        machine, start = examples.slope(mass=self.mass, friction=self.friction, angle=self.angle, gravity=self.gravity)
        return machine, {**start, "v": self.speed}


class Belt(_Group, frozen=True, tag="belt"):
    """A mass on a spring and a running belt: stick-slip."""

    mass: Mass = 1.0
    stiffness: Annotated[float, Meta(description="of the spring [N/m], > 0", gt=0)] = 100.0
    static: Annotated[float, Meta(description="friction limit at rest [N]; the events route alone has one", ge=0)] = 5.0
    kinetic: Annotated[float, Meta(description="friction while it slips [N], <= static", ge=0)] = 3.0
    speed: Annotated[float, Meta(description="of the belt [m/s]")] = 0.1

    title = "A mass on a spring, carried by a running belt"

    def build(self) -> Machine:
        """Equations and start."""
        return examples.belt(
            mass=self.mass, stiffness=self.stiffness, static=self.static, kinetic=self.kinetic, speed=self.speed
        )


class TwoBodies(_Group, frozen=True, tag="two_bodies"):
    """The slides' machine: a belt presses body 2 against body 1, which swings on a spring along a wall."""

    masses: Annotated[tuple[Pair, Pair], Meta(description="of bodies 1 and 2 [kg], > 0")] = (1.0, 2.0)
    frictions: Annotated[tuple[Rub, Rub, Rub], Meta(description="at wall, between, at belt [-], >= 0")] = (
        0.2,
        0.3,
        0.5,
    )
    spring: Annotated[float, Meta(description="stiffness [N/m], >= 0", ge=0)] = 200.0
    speed: Annotated[float, Meta(description="of the belt, towards the wall [m/s]")] = 1.0
    gravity: Gravity = examples.GRAVITY
    height: Annotated[float, Meta(description="of body 1 at the start [m]")] = 0.2

    title = "Two bodies between a wall and a belt"

    def build(self) -> Machine:
        """Equations and start."""
        return examples.two_bodies(
            masses=self.masses,
            frictions=self.frictions,
            spring=self.spring,
            speed=self.speed,
            gravity=self.gravity,
            height=self.height,
        )


class PendulumOnTable(_Group, frozen=True, tag="pendulum_on_table"):
    """A double pendulum whose tip strikes a table and rubs along it."""

    masses: Annotated[tuple[Pair, Pair], Meta(description="of elbow and tip [kg], > 0")] = (1.0, 0.5)
    lengths: Annotated[tuple[Pair, Pair], Meta(description="of the rods [m], > 0")] = (0.5, 0.4)
    table: Annotated[float, Meta(description="its depth below the pivot [m], > 0", gt=0)] = 0.75
    friction: Coefficient = 0.3
    gravity: Gravity = examples.GRAVITY

    title = "A double pendulum over a table"

    def build(self) -> Machine:
        """Equations and start."""
        return examples.pendulum_on_table(
            masses=self.masses,
            lengths=self.lengths,
            table=self.table,
            friction=self.friction,
            gravity=self.gravity,
        )


def unit_of(state: str) -> str:
    """The unit of a state of these machines, by the letter that it begins with.

    Example:
        >>> unit_of("p1x"), unit_of("u2")
        ('m', 'rad/s')
    """
    return {"p": POSITION, "v": VELOCITY, "q": ANGLE, "u": RATE}[state[0]]
