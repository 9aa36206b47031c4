"""Things that rest on each other by friction, in MuJoCo and here: time of a step, and how far they creep meanwhile."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tegotae.bench.contest import Contest, Outcome, in_turn
from tegotae.checks import Array
from tegotae.multibody import Body, Box, Corners, Free, HalfSpace, Plate, Prismatic, Scene, Touch, Tree
from tegotae.multibody.shapes import Surface

STEP, G = 1e-3, 9.81  # s, m/s²
SETTLED = 1.0  # s after which creep counts
CUBE = 0.05  # m, half the side of every box; each weighs 1 kg
SLOPE = math.radians(20.0)
PRESS = 12.0  # N of each finger; 9.81 N would just hold, mu being .5


@dataclass(frozen=True)
class Scenery:
    """One scene for both engines."""

    name: str
    scene: Scene  # ours
    torque: Array  # of our joints [N]
    mjcf: str  # theirs, without the head
    gravity: tuple[float, float, float]  # [m/s²]
    watched: int  # first coordinate in q of the position that should not change; three from there

    def ours(self, seconds: float) -> tuple[Callable[[], Any], float, int]:
        """A run, how far what is watched creeps in it [m], and its unsolved steps."""

        def play() -> Any:
            return self.scene.run(seconds, period=STEP, torque=self.torque, every=round(SETTLED / STEP))

        run = play()
        place = np.asarray(run.q)[:, self.watched : self.watched + 3]
        return play, float(np.linalg.norm(place[-1] - place[0])), int(run.about["unsolved_steps"])

    def theirs(self, seconds: float) -> tuple[Callable[[], Any], float]:
        """The same of MuJoCo, elliptic cones and all else as it comes."""
        import mujoco

        engine: Any = mujoco
        g = " ".join(str(one) for one in self.gravity)
        head = f'<option timestep="{STEP}" gravity="{g}" cone="elliptic"/><default><geom friction=".5 0 0"/></default>'
        model = engine.MjModel.from_xml_string(f"<mujoco>{head}<worldbody>{self.mjcf}</worldbody></mujoco>")
        data = engine.MjData(model)
        places: list[Array] = []

        def play() -> None:
            engine.mj_resetData(model, data)
            data.qfrc_applied[: len(self.torque)] = self.torque
            places.clear()
            for part in (SETTLED, seconds - SETTLED):
                engine.mj_step(model, data, round(part / STEP))  # one call, so that no Python is timed
                places.append(np.array(data.qpos[self.watched : self.watched + 3]))

        play()
        return play, float(np.linalg.norm(places[-1] - places[0]))


def cube(name: str, height: float = 0.0) -> Body:
    """A box of 1 kg."""
    return Body(name=name, mass=1.0, inertia=(2.0 * CUBE**2 / 3.0,) * 3, joint=Free(), position=(0, 0, height))


def _touch(on: str, surface: Surface, of: str | None = None) -> Touch:
    corners = Corners(half_sizes=(CUBE,) * 3)
    return Touch(on=on, toucher=corners, surface=surface, of=of, stiffness=1e6, damping=1e4, friction=0.5)


def _cube_of_mujoco(height: float) -> str:
    geom = f'<geom type="box" size="{CUBE} {CUBE} {CUBE}" mass="1"/>'
    return f'<body pos="0 0 {height}"><freejoint/>{geom}</body>'


_FLOOR = '<geom type="plane" size="5 5 .1"/>'


def box_on_a_slope() -> Scenery:
    """A box at 20 degrees, which friction of .5 holds; gravity is tilted."""
    gravity = (G * math.sin(SLOPE), 0.0, -G * math.cos(SLOPE))
    scene = Scene(tree=Tree([cube("box", CUBE)], gravity=gravity), touches=[_touch("box", HalfSpace())])
    return Scenery("box on a slope", scene, np.zeros(6), _FLOOR + _cube_of_mujoco(CUBE), gravity, 0)


def grasp() -> Scenery:
    """A box between two fingers that press on it."""
    bodies, touches, theirs = [], [], ""
    for side, sign in (("left", -1), ("right", 1)):
        at = sign * CUBE
        joint = Prismatic(axis=(-sign, 0, 0))
        bodies.append(Body(name=side, mass=0.3, inertia=(1e-3,) * 3, joint=joint, position=(at, 0, 0)))
        touches.append(_touch("box", Plate(half_sizes=(0.3, 0.3), normal=(-sign, 0, 0)), side))
        theirs += (
            f'<body pos="{at} 0 0"><joint type="slide" axis="{-sign} 0 0"/>'
            f'<geom type="box" size=".01 .3 .3" pos="{0.01 * sign} 0 0" mass=".3"/></body>'
        )
    torque = np.array([PRESS, PRESS, *np.zeros(6)])
    tree = Tree([*bodies, cube("box")], gravity=(0, 0, -G))
    return Scenery(
        "two-finger grasp",
        Scene(tree=tree, touches=touches),
        torque,
        theirs + _cube_of_mujoco(0.0),
        (0.0, 0.0, -G),
        2,
    )


def stack(boxes: int = 5) -> Scenery:
    """Boxes on each other."""
    heights = [CUBE * (2 * k + 1) for k in range(boxes)]
    bodies = [cube(f"box{k}", height) for k, height in enumerate(heights)]
    surfaces = [HalfSpace(), *(Box(half_sizes=(1.2 * CUBE, 1.2 * CUBE, CUBE)) for _ in range(boxes - 1))]
    touches = [_touch(f"box{k}", one, f"box{k - 1}" if k else None) for k, one in enumerate(surfaces)]
    theirs = _FLOOR + "".join(_cube_of_mujoco(height) for height in heights)
    scene = Scene(tree=Tree(bodies, gravity=(0, 0, -G)), touches=touches)
    return Scenery(f"stack of {boxes}", scene, np.zeros(6 * boxes), theirs, (0.0, 0.0, -G), 7 * (boxes - 1))


def against_mujoco(seconds: float = 6.0, rounds: int = 5) -> list[Outcome]:
    """Time of a step, ours over theirs: MuJoCo's is often shorter. What is asked is that ours stays where it is."""
    if importlib.util.find_spec("mujoco") is None:
        return [Outcome.skipped("things at rest by friction", "MuJoCo is not installed: `make bench` adds it")]
    outcomes = []
    for scenery in (box_on_a_slope(), grasp(), stack()):
        mine, creep, unsolved = scenery.ours(seconds)
        other, their_creep = scenery.theirs(seconds)
        best = in_turn({"ours": mine, "mujoco": other}, rounds=rounds)
        ticks = seconds / STEP
        told = (
            f"{1e6 * best['ours'] / ticks:.1f} us against {1e6 * best['mujoco'] / ticks:.1f} us; in "
            f"{seconds - SETTLED:g} s it creeps {creep:.0e} m against {their_creep:.0e} m; {unsolved} unsolved"
        )
        name, ratio = f"{scenery.name}, MuJoCo's time over ours", best["mujoco"] / best["ours"]
        outcomes.append(Outcome(name, told, ratio, "creep <= 1e-12 m", creep <= 1e-12 and unsolved == 0))
    return outcomes


CONTESTS = (Contest("trees, things at rest by friction", against_mujoco, yardsticks=("mujoco",)),)
