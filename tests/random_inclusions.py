"""Random machines of a few bodies with contacts and frictions: a structure from one seed, its numbers from another.

Bodies lie on a line (x to the right) and, where a contact needs it, in the plane (y up). Springs, dampers and swinging
loads couple them. Contacts are closed at the start and pressed; frictions rub on the floor, on a belt, on another body
or on a wall, with limits that are constant or follow a contact. Equal structures give equal equations with
other numbers, so that they compile once.
"""

from itertools import pairwise

import numpy as np
import sympy

from tegotae.inclusion import Inclusion, coulomb, dio

t = sympy.Symbol("t")


class Builder:
    """Forces on the bodies' axes, collected; every coefficient is a parameter with a random value."""

    def __init__(self, bodies, rng):
        self.bodies, self.rng = bodies, rng
        self.force, self.values, self.start = {}, {}, {}
        for i in range(bodies):
            self.parameter(f"m{i}", 0.5, 2.0)
            self.axis("x", i)

    def parameter(self, name, low, high):
        """A letter with a random value."""
        letter = sympy.Symbol(name)
        self.values[letter] = float(self.rng.uniform(low, high))
        return letter

    def axis(self, word, i):
        """Place and velocity of body i along an axis, made when first asked for; swung by a load and a damper."""
        place, speed = sympy.symbols(f"{word}{i} v{word}{i}")
        if place not in self.force:
            load, rate = self.parameter(f"A{word}{i}", 1.0, 4.0), self.parameter(f"w{word}{i}", 3.0, 9.0)
            self.force[place] = load * sympy.cos(rate * t) - self.parameter(f"c{word}{i}", 0.1, 0.5) * speed
        return place, speed

    def push(self, place, force):
        self.force[place] += force

    def spring(self, one, other, name):
        """Between two places, or to the ground where other is 0."""
        pull = self.parameter(name, 20.0, 80.0) * (one - other)
        self.push(one, -pull)
        if other != 0:
            self.push(other, pull)

    def rub(self, limit, one, other, name):
        """Friction on body velocity `one` against `other`: another axis' (place, speed), or a belt's speed."""
        against = other[1] if isinstance(other, tuple) else other
        force = coulomb(limit, one[1] - against, name)
        self.push(one[0], -force)
        if isinstance(other, tuple):
            self.push(other[0], force)

    def built(self):
        rows = {}
        for place, force in self.force.items():
            speed = sympy.Symbol(f"v{place.name}")
            rows[place], rows[speed] = speed, force / sympy.Symbol(f"m{place.name[1:]}")
        return Inclusion(rows, self.values), self.start


def floor(b, i):
    """Body i stands on a belt or on the floor and rubs on it."""
    y, _ = b.axis("y", i)
    push = dio(y, f"floor{i}")
    b.push(y, push - b.parameter(f"g{i}", 9.0, 11.0) * sympy.Symbol(f"m{i}"))
    b.rub(b.parameter(f"mu{i}", 0.2, 0.5) * push, b.axis("x", i), b.parameter(f"u{i}", -0.5, 0.5), f"rub{i}")


def stack(b, i, j):
    """Body j stands on body i, which stands on the floor, and rubs on it."""
    (yi, _), (yj, _) = b.axis("y", i), b.axis("y", j)
    push = dio(yj - yi, f"stack{j}")
    b.push(yj, push - b.parameter(f"g{j}", 9.0, 11.0) * sympy.Symbol(f"m{j}"))
    b.push(yi, -push)
    b.rub(b.parameter(f"mu{j}", 0.2, 0.5) * push, b.axis("x", j), b.axis("x", i), f"rub{j}")


def line(b, i, j):
    """Body j is pressed against body i from the right."""
    xi, xj = b.axis("x", i)[0], b.axis("x", j)[0]
    push, press = dio(xj - xi, f"line{i}{j}"), b.parameter(f"P{i}{j}", 25.0, 40.0)
    b.push(xi, press - push)
    b.push(xj, push - press)


def wall(b, i):
    """Body i is pressed against a wall and rubs along it, hung on a spring."""
    x, y = b.axis("x", i)[0], b.axis("y", i)
    push = dio(x, f"wall{i}")
    b.push(x, push - b.parameter(f"P{i}", 40.0, 60.0))
    b.spring(y[0], 0, f"h{i}")
    b.rub(b.parameter(f"mu{i}", 0.05, 0.2) * push, y, 0, f"rub{i}")
    b.start[f"y{i}"] = float(b.rng.uniform(0.1, 0.3))


def machine(structure, numbers):
    """A machine and where it starts; `structure` chooses the equations, `numbers` their coefficients."""
    choose = np.random.default_rng(structure)
    bodies = int(choose.integers(2, 5))
    b = Builder(bodies, np.random.default_rng([structure, numbers]))
    order = [int(i) for i in choose.permutation(bodies)]
    first, second, rest = order[0], order[1], order[2:]
    kind = choose.choice(["stack", "wall", "floor"])
    if kind == "wall":
        wall(b, first)
        line(b, first, second)
    else:
        floor(b, first)
        if kind == "stack":
            stack(b, first, second)
    if kind == "floor" or (rest and choose.random() < 0.5):
        one, other = (first, second) if kind == "floor" else (second, rest[0])
        if not (kind == "wall" and rest):
            line(b, one, other)
    if rest or kind != "stack":
        # A constant limit, on another body or on a belt.
        one = rest[-1] if rest else second
        against = b.axis("x", order[-2]) if choose.random() < 0.5 else b.parameter("belt", -0.5, 0.5)
        if not isinstance(against, tuple) or against[0] != b.axis("x", one)[0]:
            b.rub(b.parameter("limit", 1.0, 3.0), b.axis("x", one), against, "dry")
    for i in range(bodies):
        b.spring(b.axis("x", i)[0], 0, f"k{i}")
    for i, j in pairwise(order):
        if choose.random() < 0.5:
            b.spring(b.axis("x", i)[0], b.axis("x", j)[0], f"k{i}{j}")
    return b.built()
