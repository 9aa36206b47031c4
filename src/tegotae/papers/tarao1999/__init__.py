"""Tarao, Inohira, Uchiyama, "Hybrid motion simulation using high-speed parallel link robot", 1999."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from tegotae import hybrid, multibody, table
from tegotae.friction import FrictionImpedance
from tegotae.papers.ledger import Paper
from tegotae.papers.tarao1999 import hybrid_loop
from tegotae.papers.two_robots import TwoRobots
from tegotae.result import Result

__all__ = ["TaraoSubject", "paper"]

GAINS = (200.0, 400.0, 800.0)  # Kp of Figs. 12, 13, 14 [N·m/rad]
CHANGED = (50.0, 20.0, 100.0, 1.0)  # masses of Fig. 15 [kg]
SPEED = 0.01  # at which the robots meet [m/s]
HOUR = 3600.0


@dataclass(frozen=True)
class TaraoSubject:
    """The physics under test; a test replaces a part by a broken one.

    Example:
        >>> from dataclasses import replace
        >>> from tegotae.papers.two_robots import TwoRobots
        >>> from tegotae.papers.tarao1999 import TaraoSubject, paper
        >>> softer = lambda **given: TwoRobots(**given | {"kp": 150.0})
        >>> paper["stiffer-table"].check(replace(TaraoSubject(), TwoRobots=softer)).passed
        False
    """

    Tree: Callable[..., multibody.Tree] = multibody.Tree  # rigid bodies, their accelerations in O(n)
    load_urdf: Callable[..., multibody.Tree] = multibody.load_urdf
    Scene: Callable[..., multibody.Scene] = multibody.Scene  # a tree that runs, with stiction and contacts
    Touch: Callable[..., multibody.Touch] = multibody.Touch
    Friction: Callable[..., FrictionImpedance] = FrictionImpedance  # inside a joint
    Hexa: Callable[..., table.Hexa] = table.Hexa  # the table's kinematics and stiffness
    Plant: Callable[..., table.HexaPlant] = table.HexaPlant.default  # the simulated table with its servo, by Kp
    TwoRobots: Callable[..., TwoRobots] = TwoRobots  # the paper's experiment, in numbers alone
    Loop: Callable[..., hybrid.VirtualLoop] = hybrid.VirtualLoop  # the same with a table, in lockstep on virtual time
    DeviceNode: Callable[..., hybrid.DeviceNode] = hybrid.DeviceNode  # the process of a device
    RealClock: Callable[..., hybrid.RealClock] = hybrid.RealClock  # what the nodes of a real run wait for

    def hexa(self) -> table.Hexa:
        """A table of the paper's size; it prints no dimensions."""
        return self.Hexa(**asdict(table.Hexa.default()))

    def stiffness(self, kp: float) -> float:
        """What a contact along the table's z feels at home, (15) [N/m]."""
        hexa = self.hexa()
        return float(hexa.stiffness(*hexa.home, kp)[2, 2])

    def meeting(self, **given: Any) -> tuple[Result, dict[str, float]]:
        """The paper's experiment and its numbers; the same one is run once."""
        return _meeting(self.TwoRobots, **given)

    def loop(self, *changes: str) -> hybrid_loop.Run:
        """The experiment with a table in the loop, under changed settings; the same one is run once."""
        return hybrid_loop.run(self.Loop, changes)


@cache
def _meeting(two_robots: Callable[..., TwoRobots], **given: Any) -> tuple[Result, dict[str, float]]:
    two = two_robots(**given)
    run = two.run()
    return run, two.summary(run)


paper = Paper(
    key="tarao1999",
    title="Hybrid motion simulation using high-speed parallel link robot",
    authors="Susumu Tarao, Eiichi Inohira, Masaru Uchiyama, 1999 (in Japanese)",
    subject=TaraoSubject(),
)

paper.decline(
    "Real parts on the motion table, their force measured by a six-axis sensor, and the measured curves",
    source="sections 3.1, 3.2 and 4.3, Figs. 12 to 15",
    reason="that needs the machine. Its twin stands in for it: six arms, sampled servos, a probe that gives, a sensor",
)
paper.decline(
    "Computer graphics that let a person grasp the motion at once",
    source="section 3.1",
    reason="whether a person does is not measured by a library; the picture strip of Fig. 16 is redrawn",
)
paper.decline(
    "Three computers joined by Ethernet, two of them with hard real time",
    source="section 3.1, Fig. 3",
    reason="the nodes are processes that may run on several computers; measured here is only that missed deadlines are "
    "counted, and how much faster than real time the step is, on this machine",
)

paper.collect(
    __name__,
    "dynamics",
    "ticks",
    "impacts",
    "mechanisms",
    "table",
    "contact",
    "stiction",
    "hybrid_contact",
    "hybrid_nodes",
    "figures",
)
