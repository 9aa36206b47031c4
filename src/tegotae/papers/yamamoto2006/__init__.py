"""Yamamoto, Kikuuwe, Fujimoto, "Steering Reaction Force Simulator Using Parallel Visco-elastoplastic Model", 2006."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tegotae.control.servo import PID, PSMC
from tegotae.friction import FrictionImpedance
from tegotae.papers.ledger import Paper
from tegotae.result import Result
from tegotae.steering import ContactPatch, SteeringSystem
from tegotae.steering.classics.printed import ExplicitSteering, PrintedSteering
from tegotae.steering.hands import Driver, Sine

__all__ = ["YamamotoSubject", "paper"]

# Not in the paper's text, chosen: the period [s]; how a hand turns the wheel is `Driver`'s default.
T = 1e-3
STIFF = 1e4  # [N/m] of one bristle of 21 where the oracles have no damper


@dataclass(frozen=True)
class YamamotoSubject:
    """The physics under test; a test replaces a part by a broken one.

    Example:
        >>> from dataclasses import replace
        >>> from tegotae.papers.yamamoto2006 import YamamotoSubject, paper
        >>> from tegotae.steering import ContactPatch
        >>> soft = replace(YamamotoSubject(), patch=lambda **given: ContactPatch(**given | {"friction": 0.3}))
        >>> paper["steady-brush"].check(soft).passed
        False
    """

    patch: Callable[..., ContactPatch] = ContactPatch
    literal: Callable[..., SteeringSystem] = SteeringSystem.paper  # with the numbers of Table 1, of a speed [m/s]
    physical: Callable[..., SteeringSystem] = SteeringSystem.physical  # a stiff brush on a vehicle that slides and yaws
    train: Callable[..., FrictionImpedance] = FrictionImpedance  # the drive train's friction, (9) with T for T_f
    explicit: Callable[..., ExplicitSteering] = ExplicitSteering  # (4)-(11) with the torques of the last tick
    printed: Callable[..., PrintedSteering] = PrintedSteering  # the same with (9) as printed
    pid: Callable[..., PID] = PID  # the usual servo of the wheel
    psmc: Callable[..., PSMC] = PSMC  # proxy-based sliding mode control of the wheel

    def brush(self, *, bristles: int, slip_share: float = 0.0) -> ContactPatch:
        """A stiff patch without damping, as the closed forms have it; slip_share [-] of (3)."""
        return self.patch(stiffness=STIFF, damping=0.0, friction=0.4, bristles=bristles, slip_share=slip_share)


def swing(system: SteeringSystem, *, amplitude: float, frequency: float = 0.25, cycles: int = 2) -> Result:
    """A driver who turns the wheel to and fro; amplitude [rad], frequency [Hz]."""
    driver = Driver(angle=Sine(amplitude=amplitude, frequency=frequency))
    return system.run(hand=driver, duration=cycles / frequency, period=T)


def cycle(frequency: float, which: int = 1) -> slice:
    """The ticks of a cycle of `swing`; the first, 0, is still shaken by the start."""
    ticks = round(1.0 / frequency / T)
    return slice(which * ticks, (which + 1) * ticks)


paper = Paper(
    key="yamamoto2006",
    title="Steering reaction force simulator using parallel visco-elastoplastic model",
    authors="Takahiro Yamamoto, Ryo Kikuuwe and Hideo Fujimoto, 2006 (in Japanese)",
    subject=YamamotoSubject(),
)

paper.decline(
    "The experiment itself: people who turn the handle of a two-link manipulator with a force sensor",
    source="section 4, Fig. 7",
    reason="neither people nor the machine are ours; a driver of spring and damper stands for the hand, and a twin of "
    "the handle on its arc is in tegotae.steering.arc",
)
paper.decline(
    "Simulators that teach parking and slow driving",
    source="section 1, last paragraph",
    reason="whether pupils learn by it needs people; the model that such a simulator needs is here",
)

paper.collect(__name__, "loops", "tyre", "coupling", "figures")
