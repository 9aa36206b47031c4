"""Closed loops in space: a linkage with two balls, a Stewart platform, a delta robot; the last two with their inverse
kinematics in closed form. Those in a plane are in `planar_linkages.py` and `squeezer.py`.
"""

from dataclasses import dataclass

import numpy as np

from linkages import (
    Closure,
    Link,
    Mechanism,
    X,
    Y,
    Z,
    free,
    matrix_of,
    prismatic,
    revolute,
    spherical,
    turned,
    unit,
    universal,
)


def rod(mass, length, radius=0.02, along=2):
    """Moments of a round rod along one axis of its frame."""
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    return tuple(0.5 * mass * radius**2 if k == along else across for k in range(3))


# ------------------------------------------------------------ hinge, ball, ball, hinge


def two_balls(damping=0.0):
    """A crank about z drives a rocker about another axis through a coupler with a ball at each end.

    Two degrees of freedom: the crank's turn, and that of the coupler about itself. `two_balls_start` closes it.
    """
    tilt = turned(unit((1.0, 2.0, 0.5)), 1.1)
    links = (
        Link(name="crank", mass=0.8, inertia=rod(0.8, 0.2, along=0), center=(0.1, 0, 0), joint=revolute()),
        Link(name="coupler", mass=0.6, inertia=(0.004, 0.021, 0.02), center=(0.3, 0.01, -0.02), parent="crank",
             position=(0.2, 0, 0.05), joint=spherical()),
        Link(name="rocker", mass=1.2, inertia=rod(1.2, 0.5, along=1), center=(0, 0.25, 0), position=(0.6, 0.1, 0.1),
             rotation=tuple(map(tuple, tilt)), joint=revolute((1, 0, 0), damping=damping)),
    )  # fmt: skip
    ball = Closure(
        name="ball", body="coupler", parent="rocker", joint=spherical(), position=(0, 0.5, 0), place=(0.62, 0, 0)
    )
    return Mechanism(links=links, closures=(ball,))


TWO_BALLS_GUESS = np.array([0.4, 1.0, 0.0, 0.0, 0.0, 0.3])
TWO_BALLS_SPEEDS = np.array([2.0, 3.0, 0.0, 0.0, 0.0])


# ------------------------------------------------------------ Stewart platform


@dataclass(frozen=True, kw_only=True)
class Stewart:
    """Six legs: universal joint on the ground, slide, ball on the plate. A slide's coordinate is its leg's length.

    Coordinates: those of the plate, which is free; then of each leg two angles and the length; then of the loops.
    """

    low: float = 0.6  # [m] radius of the joints on the ground
    high: float = 0.35
    height: float = 0.7
    gain: float = 0.0  # [N/m] of each leg's servo, which holds it at its `lengths` of the home pose
    rate_gain: float = 0.0  # [N·s/m]

    def places(self):
        """Of the joints on the ground, in the world; of the balls, in the plate."""
        third = 2.0 * np.pi / 3.0
        ground = [s * 0.25 + third * k for k in range(3) for s in (-1, 1)]
        plate = [s * (np.pi / 3 - 0.2) + third * k for k in range(3) for s in (-1, 1)]
        return (
            np.array([[self.low * np.cos(a), self.low * np.sin(a), 0.0] for a in ground]),
            np.array([[self.high * np.cos(a), self.high * np.sin(a), -0.02] for a in plate]),
        )

    @property
    def home(self):
        """The plate's q in the middle."""
        return np.array([0.0, 0.0, self.height, 1.0, 0.0, 0.0, 0.0])

    def frames(self):
        """The rotations of the joints on the ground: z lies along the leg at home."""
        found = []
        ground, plate = self.places()
        for b, p in zip(ground, plate + self.home[:3], strict=True):
            z = unit(p - b)
            x = unit(np.cross(z, [0.3, 0.2, 1.0]))
            found.append(np.array([x, np.cross(z, x), z]).T)
        return found

    def lengths(self, pose):
        """Inverse kinematics: of the six legs [m], for the plate's place and quaternion (w, x, y, z)."""
        ground, plate = self.places()
        return np.linalg.norm(pose[:3] + plate @ matrix_of(pose[3:]).T - ground, axis=1)

    def coordinates(self, pose):
        """q of all links, closed, for the plate's place and quaternion: each leg's angles and length."""
        ground, plate = self.places()
        tips, found = pose[:3] + plate @ matrix_of(pose[3:]).T, [np.asarray(pose, dtype=float)]
        for b, tip, frame, length in zip(ground, tips, self.frames(), self.lengths(pose), strict=True):
            x, y, z = frame.T @ (tip - b) / length
            found.append(np.array([np.arctan2(-y, z), np.arcsin(x), length]))
        return np.concatenate(found)

    def mechanism(self):
        ground, plate = self.places()
        links = [Link(name="plate", mass=3.0, inertia=(0.1, 0.11, 0.19), center=(0.01, 0, 0.02), joint=free())]
        closures, drives = [], {}
        for k, (b, p, frame) in enumerate(zip(ground, plate, self.frames(), strict=True)):
            links += [
                Link(name=f"tube{k}", mass=0.5, inertia=rod(0.5, 0.4), center=(0, 0, 0.2), position=tuple(b),
                     rotation=tuple(map(tuple, frame)), joint=universal(X, Y)),
                Link(name=f"leg{k}", mass=0.4, inertia=rod(0.4, 0.4), center=(0, 0, -0.2), parent=f"tube{k}",
                     joint=prismatic()),
            ]  # fmt: skip
            closures.append(
                Closure(name=f"ball{k}", body=f"leg{k}", parent="plate", joint=spherical(), position=tuple(p))
            )
            if self.gain or self.rate_gain:
                drives[f"leg{k}"] = self._servo(self.lengths(self.home)[k])
        return Mechanism(links=tuple(links), closures=tuple(closures), drives=drives)

    def _servo(self, target):
        return lambda t, q, v: self.gain * (target - q) - self.rate_gain * v


# ------------------------------------------------------------ delta robot


@dataclass(frozen=True, kw_only=True)
class Delta:
    """Three arms with hinges, six rods in pairs side by side, a plate that does not turn; the z axis points up.

    Coordinates: the three arms; of each rod two angles (universal joint at the elbow); the plate, which is free; loops.
    """

    base: float = 0.2
    arm: float = 0.25
    rod: float = 0.5
    plate: float = 0.05
    half: float = 0.04  # [m] of the distance between the rods of a pair

    def angles(self, place):
        """Inverse kinematics: of the three arms [rad], 0 is level, positive is down; the elbows point outwards."""
        found = []
        for turn in self.turns():
            x, y, z = turn.T @ np.asarray(place) + [self.plate - self.base, 0.0, 0.0]
            # (x - L cos)² + y² + (z + L sin)² = l²
            a, b = -2.0 * self.arm * x, 2.0 * self.arm * z
            c = self.rod**2 - self.arm**2 - x * x - y * y - z * z
            middle, half = np.arctan2(b, a), np.arccos(c / np.hypot(a, b))
            both = np.array([middle + half, middle - half])
            found.append(both[np.argmax(np.cos(both))])
        return (np.array(found) + np.pi) % (2.0 * np.pi) - np.pi

    def turns(self):
        return [turned(Z, 2.0 * np.pi * k / 3.0) for k in range(3)]

    def coordinates(self, place):
        """q of all links, closed, with the plate at this place [m], level."""
        arms, rods = self.angles(place), []
        for angle, turn in zip(arms, self.turns(), strict=True):
            for _ in range(2):
                way = turn.T @ np.asarray(place) + [self.plate - self.base, 0.0, 0.0]
                way = way - self.arm * np.array([np.cos(angle), 0.0, -np.sin(angle)])
                x, y, z = turned(Y, -np.pi / 2) @ turned(Y, -angle) @ way / self.rod
                rods += [np.arctan2(x, z), -np.arcsin(y)]
        return np.concatenate([arms, rods, place, [1.0, 0.0, 0.0, 0.0]])

    def mechanism(self, damping=0.0):
        arms, rods, closures = [], [], []
        for k, turn in enumerate(self.turns()):
            arms.append(
                Link(name=f"arm{k}", mass=0.5, inertia=rod(0.5, self.arm, along=0), center=(self.arm / 2, 0, 0),
                     position=tuple(turn @ [self.base, 0, 0]), rotation=tuple(map(tuple, turn)),
                     joint=revolute(Y, damping=damping))
            )  # fmt: skip
            for side in (-1, 1):
                name, aside = f"rod{k}{'-+'[side > 0]}", side * self.half
                rods.append(
                    Link(name=name, mass=0.1, inertia=rod(0.1, self.rod, 0.01), center=(0, 0, self.rod / 2),
                         parent=f"arm{k}", position=(self.arm, aside, 0), joint=universal(Y, X),
                         rotation=tuple(map(tuple, turned(Y, np.pi / 2))))
                )  # fmt: skip
                closures.append(
                    Closure(name=f"ball{name}", body=name, parent="plate", joint=spherical(), place=(0, 0, self.rod),
                            position=tuple(turn @ [self.plate, aside, 0]))
                )  # fmt: skip
        plate = Link(name="plate", mass=0.4, inertia=(2e-4, 2e-4, 4e-4), joint=free())
        return Mechanism(links=(*arms, *rods, plate), closures=tuple(closures))
