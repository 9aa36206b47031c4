"""Slider crank and four-bar linkage in one coordinate, in closed form: the angle of the crank tells everything else.

Every centre of mass is a sum of arms that turn with the links; their first and second derivatives by the crank's angle
are written out, so energy and the equation of motion are, too:  M a + h w² = torque - dV - damping w - rubbing sgn(w).
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from linkages import Closure, Link, Mechanism, prismatic, revolute

X_AXIS = (1.0, 0.0, 0.0)


def arm(angle, along):
    """A vector turned by an angle, and its derivative by it."""
    c, s = np.cos(angle), np.sin(angle)
    x, y = along
    return np.array([c * x - s * y, s * x + c * y]), np.array([-s * x - c * y, c * x - s * y])


@dataclass(frozen=True, kw_only=True)
class Linkage:
    """What both have in common. `damping` [N·m·s/rad] and dry `friction` [N·m], while it slides: between which two
    links (-1: the ground), and how much.
    """

    gravity: float = 9.81
    damping: tuple = ()
    friction: tuple = ()

    def angles(self, th):
        """Of all links in the world, their first and their second derivatives by the crank's angle."""
        raise NotImplementedError

    def matter(self):
        """(mass, moment about the centre, link whose turn it shares or None, [(link, arm), ...])."""
        raise NotImplementedError

    def _terms(self, th):
        phi, k, kk = self.angles(th)
        M = h = dV = 0.0
        for mass, moment, link, arms in self.matter():
            d, dd = np.zeros(2), np.zeros(2)
            for j, along in arms:
                r, n = arm(phi[j], along)
                d += k[j] * n
                dd += kk[j] * n - k[j] ** 2 * r
            M, h, dV = M + mass * d @ d, h + mass * d @ dd, dV + mass * self.gravity * d[1]
            if link is not None:
                M, h = M + moment * k[link] ** 2, h + moment * k[link] * kk[link]
        rates = np.append(k, 0.0)
        return M, h, dV, sum(c * (rates[i] - rates[j]) ** 2 for i, j, c in self.damping)

    def acceleration(self, th, w, torque=0.0):
        """Of the crank [rad/s²]."""
        M, h, dV, D = self._terms(th)
        return (torque - dV - D * w - self.rubbing(th) * np.sign(w) - h * w * w) / M

    def rubbing(self, th):
        """What dry friction resists the crank with while all slides [N·m]; the most that it holds while all sticks."""
        rates = np.append(self.angles(th)[1], 0.0)
        return sum(limit * abs(rates[i] - rates[j]) for i, j, limit in self.friction)

    def weight(self, th):
        """What gravity asks of the crank's drive [N·m]."""
        return self._terms(th)[2]

    def torque(self, th, w, a=0.0):
        """Of the crank's drive [N·m]."""
        M, h, dV, D = self._terms(th)
        return M * a + dV + D * w + self.rubbing(th) * np.sign(w) + h * w * w

    def energy(self, th, w):
        """Kinetic and potential [J]; the latter is 0 at the crank's axis."""
        phi, _, _ = self.angles(th)
        height = [sum(arm(phi[j], along)[0][1] for j, along in arms) for _, _, _, arms in self.matter()]
        V = self.gravity * sum(mass * y for (mass, *_), y in zip(self.matter(), height, strict=True))
        return 0.5 * self._terms(th)[0] * w * w, V

    def run(self, times, th, w, torque=0.0):
        """The crank's angle, its speed and what dampers and friction took [J], at these times [s]."""

        def rate(t, y):
            a = self.acceleration(y[0], y[1], torque)
            return [y[1], a, self._terms(y[0])[3] * y[1] ** 2 + self.rubbing(y[0]) * abs(y[1])]

        span = (0.0, float(np.max(times)))
        return solve_ivp(
            rate, span, [th, w, 0.0], t_eval=np.atleast_1d(times), method="DOP853", rtol=1e-12, atol=1e-13
        ).y


def flat(moment):
    """An inertia with this moment about z, such as a body can have."""
    return (0.6 * moment, 0.6 * moment, moment)


# ------------------------------------------------------------ four bars


@dataclass(frozen=True, kw_only=True)
class FourBar(Linkage):
    """Crank on the origin, rocker on (ground, 0), coupler between; uniform rods; the loop is open the way of `branch`.

    Coordinates of the mechanism: the crank's angle, the coupler's on the crank, the rocker's, and of the loop's pin the
    coupler's on the rocker.
    """

    ground: float = 0.5
    crank: float = 0.2
    coupler: float = 0.55
    rocker: float = 0.35
    masses: tuple = (0.4, 1.1, 0.7)
    branch: int = 1

    @property
    def lengths(self):
        return (self.crank, self.coupler, self.rocker)

    def angles(self, th):
        a, b, c = self.lengths
        tip, dtip = arm(th, (a, 0.0))
        way = tip - [self.ground, 0.0]
        far = np.hypot(*way)
        third = np.arctan2(way[1], way[0]) - self.branch * np.arccos((c * c + far * far - b * b) / (2.0 * c * far))
        r3, n3 = arm(third, (c, 0.0))
        reach = r3 - way
        second = np.arctan2(reach[1], reach[0])
        r2, n2 = arm(second, (b, 0.0))
        both = np.array([n2, -n3]).T
        k2, k3 = np.linalg.solve(both, -dtip)
        kk2, kk3 = np.linalg.solve(both, tip + k2**2 * r2 - k3**2 * r3)
        return np.array([th, second, third]), np.array([1.0, k2, k3]), np.array([0.0, kk2, kk3])

    def matter(self):
        moments = [m * one**2 / 12.0 for m, one in zip(self.masses, self.lengths, strict=True)]
        a, b, c = self.lengths
        paths = ([(0, (a / 2, 0.0))], [(0, (a, 0.0)), (1, (b / 2, 0.0))], [(2, (c / 2, 0.0))])
        return [(m, i, link, path) for link, (m, i, path) in enumerate(zip(self.masses, moments, paths, strict=True))]

    def coordinates(self, th, w=0.0):
        """q and v of the mechanism, its loop last."""
        phi, k, _ = self.angles(th)
        between = np.array([[1, 0, 0], [-1, 1, 0], [0, 0, 1], [0, 1, -1]])
        return between @ phi, between @ k * w

    def mechanism(self):
        def rod(name, k, **more):
            moment = self.masses[k] * self.lengths[k] ** 2 / 12.0
            return Link(
                name=name, mass=self.masses[k], inertia=flat(moment), center=(self.lengths[k] / 2, 0.0, 0.0), **more
            )

        between = {(0, -1): "crank", (1, 0): "coupler", (2, -1): "rocker", (1, 2): "pin"}
        damping, friction = ({between[i, j]: much for i, j, much in some} for some in (self.damping, self.friction))
        joints = {
            name: revolute(damping=damping.get(name, 0.0), friction=friction.get(name, 0.0))
            for name in between.values()
        }
        links = (
            rod("crank", 0, joint=joints["crank"]),
            rod("coupler", 1, joint=joints["coupler"], parent="crank", position=(self.crank, 0.0, 0.0)),
            rod("rocker", 2, joint=joints["rocker"], position=(self.ground, 0.0, 0.0)),
        )
        pin = Closure(
            name="pin", body="coupler", parent="rocker", joint=joints["pin"], position=(self.rocker, 0.0, 0.0),
            place=(self.coupler, 0.0, 0.0),
        )  # fmt: skip
        return Mechanism(links=links, closures=(pin,), gravity=(0.0, -self.gravity, 0.0))


# ------------------------------------------------------------ crank, rod, slider


@dataclass(frozen=True, kw_only=True)
class SliderCrank(Linkage):
    """That of the Test Set for IVP Solvers with a rigid rod. [B. Simeon, Math. Modelling of Systems 2 (1996) 1-18]

    The crank turns about the origin, the slider moves along x. J1 is about the crank's axis, J2 about the rod's end.
    Coordinates of the mechanism: the crank's angle, the rod's on the crank, the slider's place, and of the loop's pin
    the rod's angle on the slider.
    """

    gravity: float = 0.0
    l1: float = 0.15
    l2: float = 0.30
    m1: float = 0.36
    m2: float = 0.151104
    m3: float = 0.075552
    J1: float = 0.002727
    J2: float = 0.0045339259

    def angles(self, th):
        s, c = self.l1 / self.l2 * np.sin(th), self.l1 / self.l2 * np.cos(th)
        rod = -np.arcsin(s)
        k = -c / np.cos(rod)
        return np.array([th, rod]), np.array([1.0, k]), np.array([0.0, (s + k * k * np.sin(rod)) / np.cos(rod)])

    def slider(self, th, w=0.0, a=0.0):
        """Place [m], speed and acceleration."""
        phi, k, kk = self.angles(th)
        x = v = d = 0.0
        for j, length in enumerate((self.l1, self.l2)):
            r, n = arm(phi[j], (length, 0.0))
            x, v, d = x + r[0], v + k[j] * n[0], d + kk[j] * n[0] - k[j] ** 2 * r[0]
        return x, v * w, d * w * w + v * a

    def matter(self):
        rod = self.J2 - self.m2 * self.l2**2 / 4.0
        first, second = (self.l1, 0.0), (self.l2 / 2, 0.0)
        return [
            (self.m1, self.J1 - self.m1 * self.l1**2 / 4.0, 0, [(0, (self.l1 / 2, 0.0))]),
            (self.m2, rod, 1, [(0, first), (1, second)]),
            (self.m3, 0.0, None, [(0, first), (1, (self.l2, 0.0))]),
        ]

    def coordinates(self, th, w=0.0):
        """q and v of the mechanism, its loop last."""
        phi, k, _ = self.angles(th)
        x, v, _ = self.slider(th, w)
        return np.array([th, phi[1] - th, x, phi[1]]), np.array([w, (k[1] - 1.0) * w, v, k[1] * w])

    def mechanism(self):
        damping = {{(0, -1): "crank", (1, 0): "rod"}[i, j]: c for i, j, c in self.damping}
        (m1, i1, *_), (m2, i2, *_), (m3, *_) = self.matter()
        links = (
            Link(name="crank", mass=m1, inertia=flat(i1), center=(self.l1 / 2, 0, 0),
                 joint=revolute(damping=damping.get("crank", 0.0))),
            Link(name="rod", mass=m2, inertia=flat(i2), center=(self.l2 / 2, 0, 0), parent="crank",
                 position=(self.l1, 0, 0), joint=revolute(damping=damping.get("rod", 0.0))),
            Link(name="slider", mass=m3, inertia=(1e-4, 1e-4, 1e-4), joint=prismatic(X_AXIS)),
        )  # fmt: skip
        pin = Closure(name="pin", body="rod", parent="slider", joint=revolute(), place=(self.l2, 0.0, 0.0))
        return Mechanism(links=links, closures=(pin,), gravity=(0.0, -self.gravity, 0.0))


# At t = 0.1 s with the crank driven at 150 rad/s; the rod is elastic: q4 [m] is its length less l2.
PUBLISHED = {"phi1": 15.0, "phi2": -0.3311734987910881, "x3": 0.1697373326718410, "q4": -8.363283141616840e-06}
PUBLISHED_RATES = {"phi1": 150.0, "phi2": 60.25346682645789, "x3": -8.753116989887888, "q4": 1.104933470696396e-03}
PUBLISHED_ACCELERATIONS = {"phi2": 6488.722210234531, "x3": 2167.924253080623, "q4": 0.9903251655235532}
PUBLISHED_MULTIPLIERS = (-62.32893262533717, -163.7910131687472, 25.29853213732781)
