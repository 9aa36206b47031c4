"""Closing the loop: a device on one side, a live block on the other, one tick at a time.

Whatever happens, the device is stopped when the loop ends: after the last tick, on an error, on an interrupt. A
reading that is no number is never given to the block: after a failure both go on with another call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.device.interface import AdmittanceDevice, Clock, DeviceError, ImpedanceDevice
from tegotae.errors import CausalityError, TegotaeError
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
    _check_live("render", "impedance", live, LiveImpedance)
    loop = DeviceLoop("impedance", device, live, ticks, clock, force_limit, watch)

    def tick(k: int) -> tuple[ArrayLike, ...]:
        position = loop.read(k)
        force = loop.shortened(np.atleast_1d(live.step(position=position[0] if position.size == 1 else position)))
        loop.command(k, force)
        return position, force

    return loop.run(tick, {"position": ("m", "as the device read it"), "force": ("N", "as commanded to the device")})


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
    _check_live("render_motion", "admittance", live, LiveAdmittance)
    if "position" not in live.block.parts:
        checks.refuse("render_motion", f"{live.block.name} has no position to command.", "Use a block that has one.")
    loop = DeviceLoop("admittance", device, live, ticks, clock, force_limit, watch)

    def tick(k: int) -> tuple[ArrayLike, ...]:
        force = loop.read(k)
        loop.see_push(k, force)
        live.step(force[0] if force.size == 1 else force)
        position = np.atleast_1d(live["position"])
        loop.command(k, position)
        return force, position

    return loop.run(tick, {"force": ("N", "as the device read it"), "position": ("m", "as commanded to the device")})


def _check_live(owner: str, causality: str, live: object, kind: type[Live]) -> None:
    if not isinstance(live, kind):
        ways = "motion in, force out" if kind is LiveImpedance else "force in, motion out"
        raise CausalityError(
            f"{owner}: live={checks.shown(live)} is a {type(live).__name__}.\n"
            f"  An {causality} device needs an {causality} ({ways}): block.start(period=…)."
        )


class DeviceLoop:
    """A device and the model behind it, tick by tick, and the record of both."""

    # How it speaks of its device, and of what goes over the wire.
    word: ClassVar[str] = "device"
    stopped: ClassVar[str] = "stopped"
    motion: ClassVar[tuple[str, str]] = ("position", "m")
    push: ClassVar[tuple[str, str]] = ("force", "N")
    loops: ClassVar[Mapping[str, str]] = {"impedance": "render", "admittance": "render_motion"}

    def __init__(
        self,
        causality: Literal["impedance", "admittance"],
        device: ImpedanceDevice | AdmittanceDevice,
        model: Any,
        ticks: int,
        clock: Clock | None,
        limit: float | None,
        watch: Mapping[str, Watch] | None,
    ):
        self.owner, self.device, self.model, self.clock = self.loops[causality], device, model, clock
        self.axes = self._check(causality)
        self._input, self._output = (self.motion, self.push) if causality == "impedance" else (self.push, self.motion)
        name, unit = self.push
        remedy = f"Give a largest {name}, or None for no limit."
        self.limit = np.inf if limit is None else checks.positive(self.owner, f"{name}_limit", limit, unit, remedy)
        self.limited = 0
        self.ticks = checks.whole(self.owner, "ticks", ticks, 1, "Give how many ticks to run.")
        if clock is not None and (isinstance(clock, type) or not hasattr(clock, "wait") or not hasattr(clock, "start")):
            remedy = "Give a Clock such as RealTime(), or None to run as fast as it can."
            checks.refuse(self.owner, f"clock={checks.shown(clock)} has no start and wait.", remedy)
        self.watch = checks.mapping(self.owner, "watch", watch, "Give a dict of Watch(...) by name.")
        for name, one in self.watch.items():
            checks.instance(self.owner, f"watch[{name!r}]", one, Watch, "Give a Watch(...).")

    def _check(self, causality: str) -> int:
        """Refuse a device of the other kind, or one that does not fit the model -> how many axes both have."""
        got = getattr(self.device, "causality", None)
        if got != causality:
            other = next(f"{loop} for {kind} devices" for kind, loop in self.loops.items() if kind != causality)
            raise CausalityError(
                f"{self.owner}: the {self.word} says causality={checks.shown(got)}.\n"
                f"  {self.owner} takes an {causality} device; use {other}."
            )
        axes, block = self.device.dimension, getattr(self.model, "block", None)
        if block is None and axes != 1:
            problem = f"the device has {axes} axes."
            checks.refuse(self.owner, problem, f"Give a {self.word}: one axis (see ArcWheel).")
        if block is not None and axes != block.dimension:
            problem = f"the {self.word} has {axes} axes, {block.name} has dimension={block.dimension}."
            checks.refuse(self.owner, problem, f"Make the block with dimension={axes}.")
        ticks_every, period = self.device.period, self.model.period
        if ticks_every is not None and abs(ticks_every - period) > 1e-12:
            name = "the model" if block is None else block.name
            problem = f"the {self.word} ticks every {ticks_every:g} s, {name} was started with period={period:g} s."
            checks.refuse(self.owner, problem, "Start both with the same period.")
        return axes

    # ------------------------------------------------------------ in a tick

    def read(self, k: int) -> Array:
        """What the device says, one number an axis."""
        value, (name, unit) = self.device.read(), self._input
        reading = np.asarray(value, dtype=np.float64).reshape(-1)
        if reading.size != self.axes or not np.isfinite(reading).all():
            raise DeviceError(
                f"{self.owner}: the {self.word} gave {name}={value} {unit} at tick {k}, "
                f"not {self.axes} finite number(s).\n  It was {self.stopped}. "
                "Check its cable and its calibration, then start again: the model stands where it was."
            )
        return reading

    def see_push(self, k: int, push: Array) -> None:
        """End the loop where a device that does not give way is pushed harder than allowed."""
        size, (name, unit) = float(np.sqrt(push @ push)), self.push
        if size > self.limit:
            raise DeviceError(
                f"{self.owner}: the {self.word} read {name}={size:g} {unit} at tick {k}, "
                f"above {name}_limit={self.limit:g} {unit}.\n"
                f"  It was {self.stopped}. Find what pushes so hard, or allow more."
            )

    def shortened(self, push: Array) -> Array:
        """Not longer than the limit; where it would have been, that is counted."""
        size = float(np.sqrt(push @ push))
        if not size > self.limit:
            return push
        self.limited += 1
        return push * (self.limit / size)

    def command(self, k: int, value: Array) -> None:
        """Tell the device, unless the model gave no number."""
        name, unit = self._output
        if not np.isfinite(value).all():
            raise TegotaeError(
                f"{self.owner}: the model gave {name}={value} {unit} at tick {k}; it was not commanded.\n"
                f"  The {self.word} was {self.stopped}. The model diverged: start it again with a shorter period."
            )
        self._send(k, value)

    def _send(self, k: int, value: Array) -> None:
        self.device.command(value)

    # ------------------------------------------------------------ all of them

    def run(self, tick: Callable[[int], tuple[ArrayLike, ...]], columns: Mapping[str, tuple[str, str]]) -> Result:
        """Every tick and the result; `columns` are names, units and meanings of what `tick` gives."""
        watched = {name: (one.unit, one.meaning) for name, one in self.watch.items()}
        record, clock = _LoopRecord(self, {**columns, **watched}), self.clock
        try:
            if clock is not None:
                clock.start(self.model.period)
            for k in range(self.ticks):
                found = tick(k)
                record.keep(k, (*found, *(one.read() for one in self.watch.values())))
                if clock is not None:
                    record.timing[:, k] = clock.wait()
        except BaseException as cause:
            try:
                self.device.stop()
            except Exception as error:  # said without hiding why it was to be stopped
                remedy = f"And it did not answer stop ({error!r}): it may still push. Cut its power."
                raise DeviceError(f"{self.owner}: {cause}\n  {remedy}") from cause
            raise
        self.device.stop()
        return record.result()


class _LoopRecord:
    """What a loop keeps, in arrays made before it starts: columns by name, and the state of a live block."""

    def __init__(self, loop: DeviceLoop, columns: Mapping[str, tuple[str, str]]):
        self.loop, self.columns = loop, columns
        self.live = loop.model if isinstance(loop.model, Live) else None
        ticks, axes = loop.ticks, loop.axes
        widths = self.live.block.spaces.state.length if self.live else (0, 0)
        wanted = float(ticks) * (sum(widths) + axes * len(columns) + 2)
        checks.fits_in_memory(loop.owner, f"the record of ticks={ticks}", wanted, "Run for fewer ticks at a time.")
        self._kept = np.empty((len(columns), ticks, axes))
        self._real, self._whole = (np.empty((ticks, width)) for width in widths)
        self.timing = np.zeros((2, ticks))

    def keep(self, k: int, values: tuple[ArrayLike, ...]) -> None:
        for row, value in zip(self._kept, values, strict=True):
            row[k] = value
        if self.live:
            state = self.live.state
            self._real[k] = state.real[: self._real.shape[1]]  # what a live block keeps beside comes after
            self._whole[k] = state.whole[: self._whole.shape[1]]

    def result(self) -> Result:
        loop, period, flat = self.loop, self.loop.model.period, self.loop.axes == 1
        variables, metadata = {"time": time_of(loop.ticks, 1, period)}, {"period": period}
        if self.live:
            block = self.live.block
            picks, metadata = picks_of(block, None), about(block, period)
            table = np.concatenate([self._real[:, picks.real], self._whole[:, picks.whole]], axis=1).T
            variables |= variables_of(block, picks, table, flat=flat)
        # What went over the wire stands for the block's own field of that name.
        for (name, (unit, meaning)), values in zip(self.columns.items(), self._kept, strict=True):
            dims, column = (("time",), values[:, 0]) if flat else (("time", "axis"), values)
            variables[name] = Variable(dims, column, unit, meaning)
        metadata |= {"limited_ticks": loop.limited}
        if loop.clock is not None:
            slack, lateness = self.timing
            variables["slack"] = Variable(("time",), slack, "s", "time left when the tick's work was done")
            variables["lateness"] = Variable(("time",), lateness, "s", "how late the next tick began")
            metadata |= {"deadline_misses": int((slack < 0.0).sum()), "worst_lateness": float(lateness.max())}
        return Result(variables, title=loop.owner, about=metadata)
