"""Loops, clocks and devices that are wrong on purpose: a softer servo, a gift of energy, a sign, a dog that sleeps."""

from dataclasses import replace

from tegotae.hybrid import DeviceNode, RealClock, VirtualLoop
from tegotae.papers.two_robots import TwoRobots
from tegotae.table import Hexa

# ------------------------------------------------------------ loops under other settings than asked for


def changed(**other):
    """A loop that takes other settings: a value, or for a group of them, factors on some of its numbers."""

    def make(settings, **given):
        for name, value in other.items():
            if isinstance(value, dict):
                group = getattr(settings, name)
                value = replace(group, **{key: factor * getattr(group, key) for key, factor in value.items()})
            settings = replace(settings, **{name: value})
        return VirtualLoop(settings, **given)

    return make


def damped_spring(settings, **given):
    return VirtualLoop(replace(settings, device=replace(settings.device, damping=150.0)), **given)


def soft_numbers(*, kp=200.0, **given):
    """Numbers alone, with a spring that gives as much as the whole table."""
    stiffness = float(Hexa.default().stiffness(*Hexa.default().home, kp)[2, 2])
    return TwoRobots(kp=kp, stiffness=0.6 * stiffness, **given)


# ------------------------------------------------------------ loops that compute something else


class Generous(VirtualLoop):
    """The guard finds a microjoule in its pocket at every tick."""

    def __init__(self, settings, **given):
        super().__init__(settings, **given)
        machine = self.dynamics.core.machine
        advance = machine.advance

        def spend(wrench):
            machine._budget[:2] += 1e-6
            return advance(wrench)

        machine.advance = spend


class WrongSign(VirtualLoop):
    """A late force is made later."""

    def __init__(self, settings, **given):
        super().__init__(settings, **given)
        late = self.dynamics.core.late
        force = late.force
        late.force = lambda felt, **then: max(0.0, 2.0 * felt - force(felt, **then))


class Unled(VirtualLoop):
    """The table is not sent ahead."""

    def __init__(self, settings, **given):
        super().__init__(settings, **given)
        self.dynamics.core.late.lead = lambda *, touching: 0.0


class Flattering(VirtualLoop):
    """It believes its delay to be half of what it is."""

    def __init__(self, settings, **given):
        super().__init__(settings, **given)
        late = self.dynamics.core.late
        measured = late.learn_delay
        late.learn_delay = lambda *, now, label: measured(now=now, label=0.5 * (now + label))


class Restless(VirtualLoop):
    """Never latches: what is asked for again is followed at once."""

    def revive(self, name):
        super().revive(name)
        self.table.request_rearm()


class Distracted(VirtualLoop):
    """Whoever is watched does something else."""

    def __init__(self, settings, *, bus=None):
        super().__init__(settings, bus=bus)
        self.watched = bus is not None

    def _tick(self, node, tick):
        if not (self.watched and node == "dynamics" and tick == 60):
            super()._tick(node, tick)


# ------------------------------------------------------------ devices and clocks


def sleeping_dog(**given):
    """Its process never stops it."""
    return DeviceNode(**given, watchdog=10**6)


def slow_dog(**given):
    return DeviceNode(**given, watchdog=30)


class Obedient(DeviceNode):
    """It follows whatever comes, stopped or not."""

    def _listen(self, now):
        if self.stopped and self.quiet > 0.1:
            self.stopped = False
            self.twin.rearm()
        super()._listen(now)


class Forgiving(RealClock):
    """Does not count the ticks that took too long."""

    def wait(self):
        tick = super().wait()
        self.deadlines.overruns = 0
        return tick


class Skipping(RealClock):
    """Does not count the ticks that never began."""

    def wait(self):
        tick = super().wait()
        self.deadlines.skipped = 0
        return tick
