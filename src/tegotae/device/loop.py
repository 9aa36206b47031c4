"""Closing the loop: a device on one side, a live block on the other, one tick at a time.

Whatever happens, the device is stopped when the loop ends: after the last tick, on an error, on an interrupt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.device.clock import Clock
from tegotae.device.interface import AdmittanceDevice, DeviceError, ImpedanceDevice
from tegotae.errors import CausalityError
from tegotae.parameters import Declared, Parameter
from tegotae.result import Result, Variable
from tegotae.running.live import Live, LiveAdmittance, LiveImpedance
from tegotae.running.loop import about, picks_of, time_of, variables_of


@dataclass(frozen=True)
class Watch(Declared):
    """Something else to record each tick, asked for after the command of that tick.

    Example:
        >>> from tegotae.device import ImpedanceTwin, Watch
        >>> twin = ImpedanceTwin(mass=0.2, damping=15.0).start(period=1e-3)
        >>> Watch(lambda: twin.hand_force, "N", "force of the hand").unit
        'N'
    """

    read: Annotated[Callable[[], ArrayLike], Parameter("a function that gives one number an axis")]
    unit: Annotated[str, Parameter("SI unit", "Give a unit such as 'N'.")]
    meaning: Annotated[str, Parameter("a few words", "Give a few words.")] = ""


def render(
    device: ImpedanceDevice,
    live: LiveImpedance,
    ticks: int,
    *,
    clock: Clock | None = None,
    force_limit: float | None = None,
    watch: Mapping[str, Watch] | None = None,
) -> Result:
    """Let a hand feel a block through an impedance device: read the position, answer with the force.

    The result has `position` [m] as read, `force` [N] as commanded, the other fields of the block, and with a real
    clock `slack` and `lateness` [s]; `result.about` counts the ticks that met the force limit and the deadlines missed.

    Args:
        device: encoder in, force out.
        live: the started block, such as `brake.start(period=1e-3)`; its period is the loop's.
        ticks: how many.
        clock: None runs as fast as it can, for twins; `RealTime()` keeps the period on the wall clock.
        force_limit: [N], > 0; a longer force is shortened to it and counted. None leaves that to the device.
        watch: more to record, by name.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.device import Hand, ImpedanceTwin, glide, render
        >>> brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
        >>> hand = Hand(stiffness=300.0, damping=5.0, target=glide([0.0, 1.0], [0.0, 0.1]))
        >>> twin = ImpedanceTwin(mass=0.2, damping=15.0).start(hand=hand, period=1e-3)
        >>> result = render(twin, brake.start(period=1e-3), 2000)
        >>> round(float(result.position[-1]), 3)  # friction holds it 4 N / 300 N/m short of the target
        0.087
    """
    _check_pair("render", device, live, "impedance", LiveImpedance)
    limit = _limit("render", force_limit)
    record = _LoopRecord(live, ticks, clock, watch)

    def tick(k: int) -> None:
        position = _reading(device.read(), live, k, "position", "m")
        force = np.atleast_1d(live.step(position=position[0] if position.size == 1 else position))
        size = float(np.sqrt(force @ force))
        if size > limit:
            force = force * (limit / size)
            record.limited += 1
        device.command(force)
        record.keep(k, position, force)

    _loop(device, live, record, tick)
    given = Variable(("time", "axis"), record.input, "m", "as the device read it")
    wanted = Variable(("time", "axis"), record.output, "N", "as commanded to the device")
    return record.result("render", {"position": given, "force": wanted})


def render_motion(
    device: AdmittanceDevice,
    live: LiveAdmittance,
    ticks: int,
    *,
    clock: Clock | None = None,
    force_limit: float | None = None,
    watch: Mapping[str, Watch] | None = None,
) -> Result:
    """Let a hand move a block through an admittance device: read the force, answer with the position.

    The commanded position is the block's own `position`: start the block where the device stands
    (`slider.start(period=1e-3, initial={"position": 0.2})`).

    The result has `force` [N] as read, `position` [m] as commanded, the other fields of the block, and with a real
    clock `slack` and `lateness` [s]; `result.about` counts the deadlines missed.

    Args:
        device: force sensor in, position out.
        live: the started block, such as `slider.start(period=1e-3)`; its period is the loop's.
        ticks: how many.
        clock: None runs as fast as it can, for twins; `RealTime()` keeps the period on the wall clock.
        force_limit: [N], > 0; a longer reading stops the device with an error, because the arm does not give way.
        watch: more to record, by name.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.device import AdmittanceTwin, Hand, hold, render_motion, steps
        >>> slider = tg.FrictionAdmittance(mass=2.0, law=tg.Coulomb(4.0))
        >>> hand = Hand(stiffness=0.0, damping=0.0, target=hold(0.0), push=steps([0.0, 0.5], [3.9, 5.0]))
        >>> twin = AdmittanceTwin(bandwidth=50.0).start(hand=hand, period=1e-3)
        >>> result = render_motion(twin, slider.start(period=1e-3), 1000)
        >>> float(result.position[499]), round(float(result.velocity[-1]), 9)
        (0.0, 0.25)
    """
    _check_pair("render_motion", device, live, "admittance", LiveAdmittance)
    limit = _limit("render_motion", force_limit)
    if "position" not in live.block.parts:
        checks.refuse("render_motion", f"{live.block.name} has no position to command.", "Use a block that has one.")
    record = _LoopRecord(live, ticks, clock, watch)

    def tick(k: int) -> None:
        force = _reading(device.read(), live, k, "force", "N")
        size = float(np.sqrt(force @ force))
        if size > limit:
            raise DeviceError(
                f"render_motion: the device read {size:g} N at tick {k}, above force_limit={limit:g} N.\n"
                "  It was stopped. Find what pushes so hard, or allow more."
            )
        live.step(force[0] if force.size == 1 else force)
        position = np.atleast_1d(np.asarray(live["position"]))
        device.command(position)
        record.keep(k, force, position)

    _loop(device, live, record, tick)
    given = Variable(("time", "axis"), record.input, "N", "as the device read it")
    wanted = Variable(("time", "axis"), record.output, "m", "as commanded to the device")
    return record.result("render_motion", {"force": given, "position": wanted})


def check_watched(owner: str, clock: object, watch: object) -> None:
    """Refuse what is no clock, and what is no dict of things to watch."""
    way = "Give a Clock such as RealTime(), or None to run as fast as it can."
    if clock is not None and (isinstance(clock, type) or not hasattr(clock, "wait") or not hasattr(clock, "start")):
        checks.refuse(owner, f"clock={checks.shown(clock)} has no start and wait.", way)
    for name, one in checks.mapping(owner, "watch", watch, "Give a dict of Watch(...) by name.").items():
        checks.instance(owner, f"watch[{name!r}]", one, Watch, "Give a Watch(...).")


class _LoopRecord:
    """What the loop keeps, in arrays made before it starts."""

    def __init__(self, live: Live, ticks: int, clock: Clock | None, watch: Mapping[str, Watch] | None):
        self.live = live
        self.ticks = checks.whole("render", "ticks", ticks, 1, "Give how many ticks to run.")
        self.clock = clock
        check_watched("render", clock, watch)
        self.watch = dict(watch or {})
        axes = live.block.dimension
        state = live.state
        wanted = float(ticks) * (state.real.size + state.whole.size + 2 * axes + 2 + axes * len(self.watch))
        checks.fits_in_memory("render", f"the record of ticks={ticks}", wanted, "Run for fewer ticks at a time.")
        self.input = np.empty((ticks, axes))
        self.output = np.empty((ticks, axes))
        self.limited = 0
        self.timing = np.zeros((2, ticks))
        self._real = np.empty((ticks, state.real.size))
        self._whole = np.empty((ticks, state.whole.size))
        self._watched = {name: np.empty((ticks, axes)) for name in self.watch}

    def keep(self, k: int, given: Array, answer: Array) -> None:
        self.input[k] = given
        self.output[k] = answer
        self._real[k], self._whole[k] = self.live.state.memory
        for name, watch in self.watch.items():
            self._watched[name][k] = watch.read()

    def result(self, title: str, own: Mapping[str, Variable]) -> Result:
        block, flat = self.live.block, self.live.block.dimension == 1
        variables = {"time": time_of(self.ticks, 1, self.live.period)}
        picks = picks_of(block, None)
        table = np.concatenate([self._real[:, picks.real], self._whole[:, picks.whole]], axis=1).T
        variables |= variables_of(block, picks, table, flat=False)
        variables |= own  # what went over the wire stands for the block's own field of that name
        for name, watch in self.watch.items():
            variables[name] = Variable(("time", "axis"), self._watched[name], watch.unit, watch.meaning)
        if flat:
            variables = {n: _without_axis(v) for n, v in variables.items()}
        told: dict[str, Any] = {**about(block, self.live.period), "limited_ticks": self.limited}
        if self.clock is not None:
            slack, lateness = self.timing
            variables["slack"] = Variable(("time",), slack, "s", "time left when the tick's work was done")
            variables["lateness"] = Variable(("time",), lateness, "s", "how late the next tick began")
            told |= {"deadline_misses": int((slack < 0.0).sum()), "worst_lateness": float(lateness.max())}
        return Result(variables, title=title, about=told)


def _loop(
    device: ImpedanceDevice | AdmittanceDevice, live: Live, record: _LoopRecord, tick: Callable[[int], None]
) -> None:
    clock = record.clock
    try:
        if clock is not None:
            clock.start(live.period)
        for k in range(record.ticks):
            tick(k)
            if clock is not None:
                record.timing[:, k] = clock.wait()
    finally:
        device.stop()


def _reading(value: Array, live: Live, k: int, name: str, unit: str) -> Array:
    reading = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if reading.shape != (live.block.dimension,) or not np.isfinite(reading).all():
        raise DeviceError(
            f"The device gave {name}={value} {unit} at tick {k}, not {live.block.dimension} finite number(s).\n"
            "  It was stopped. Check its cable and its calibration, then start again."
        )
    return reading


def _check_pair(owner: str, device: Any, live: Any, causality: str, kind: type[Live]) -> None:
    got = getattr(device, "causality", None)
    if got != causality:
        raise CausalityError(
            f"{owner}: the device says causality={checks.shown(got)}.\n"
            f"  {owner} takes an {causality} device; render is for impedance, render_motion for admittance devices."
        )
    if not isinstance(live, kind):
        block = (
            "an impedance (motion in, force out)" if kind is LiveImpedance else "an admittance (force in, motion out)"
        )
        raise CausalityError(
            f"{owner}: live={checks.shown(live)} is a {type(live).__name__}.\n"
            f"  An {causality} device needs {block}: block.start(period=…)."
        )
    if device.dimension != live.block.dimension:
        checks.refuse(
            owner,
            f"the device has {device.dimension} axes, {live.block.name} has dimension={live.block.dimension}.",
            f"Make the block with dimension={device.dimension}.",
        )
    if device.period is not None and abs(device.period - live.period) > 1e-12:
        checks.refuse(
            owner,
            f"the device ticks every {device.period:g} s, {live.block.name} was started with period={live.period:g} s.",
            "Start both with the same period.",
        )


def _limit(owner: str, force_limit: float | None) -> float:
    if force_limit is None:
        return np.inf
    return checks.positive(owner, "force_limit", force_limit, "N", "Give a largest force, or None for no limit.")


def _without_axis(variable: Variable) -> Variable:
    if "axis" not in variable.dims:
        return variable
    return Variable(("time",), variable.values[:, 0], variable.unit, variable.meaning)
