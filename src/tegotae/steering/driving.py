"""Closing the loop through a wheel: `steer` for one with a torque sensor, `feel` for one without.

Whatever happens, the wheel is released when the loop ends: after the last tick, on an error, on an interrupt. A
reading that is no number is never given to the model, so after a failure the same wheel and the same model go on with
another call.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.device.clock import Clock
from tegotae.device.interface import AdmittanceDevice, DeviceError, ImpedanceDevice
from tegotae.device.loop import Watch, check_watched
from tegotae.errors import CausalityError, TegotaeError
from tegotae.result import Result, Variable
from tegotae.steering.rendering import AngleModel, LocalRenderer, MovingModel, Packet, angle_field


def steer(
    device: AdmittanceDevice,
    model: MovingModel,
    ticks: int,
    *,
    torque_limit: float | None = None,
    clock: Clock | None = None,
    watch: Mapping[str, Watch] | None = None,
) -> Result:
    """Steer a model through a wheel with a torque sensor: torque of the hand in, angle out.

    The result has `hand_torque` [N·m] as read, `wheel_angle` [rad] as commanded, `wheel_velocity` [rad/s], what was
    watched, and with a real clock `slack` and `lateness` [s].

    Args:
        device: torque sensor in, angle out, such as a started `TorqueSensorWheel`.
        model: started, such as a `SteeringSystem` or a `Circuit`; its angle is commanded as it stands.
        ticks: how many.
        torque_limit: [N·m], > 0; a larger reading releases the wheel with an error.
        clock: None runs as fast as it can, for twins; `RealTime()` keeps the period on the wall clock.
        watch: more to record, by name.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.control import PSMC
        >>> from tegotae.steering.driving import steer
        >>> from tegotae.steering.hands import Driver, Ramp
        >>> from tegotae.steering.wheels import TorqueSensorWheel
        >>> servo = PSMC(proportional=300.0, integral=1000.0, derivative=6.0, recovery=0.1, limit=8.0)
        >>> twin = TorqueSensorWheel(servo=servo, torque_limit=8.0)
        >>> wheel = twin.start(period=1e-3, hand=Driver(angle=Ramp(rate=1.0)))
        >>> column = tg.FrictionAdmittance(mass=0.05, law=tg.Coulomb(0.5))
        >>> result = steer(wheel, column.start(period=1e-3), 2000)
        >>> round(float(result.hand_torque[-1]), 2)  # the friction, felt through sensor, model and servo
        0.5
    """
    _check("steer", device, "admittance", "feel", _period("steer", model))
    if torque_limit is not None:
        checks.positive("steer", "torque_limit", torque_limit, "N·m", "Give a largest torque, or None for no limit.")
    field = angle_field("steer", model)
    record = _DrivingRecord(
        "steer", ticks, model.period, clock, watch, ("hand_torque", "wheel_angle", "wheel_velocity")
    )

    def tick(k: int) -> None:
        torque = _read("steer", device, k, "torque", "N·m")
        if torque_limit is not None and abs(torque) > torque_limit:
            raise DeviceError(
                f"steer: the wheel read torque={torque:g} N·m at tick {k}, above torque_limit={torque_limit:g} N·m.\n"
                "  It was released. Find what pushes so hard, or allow more."
            )
        velocity = float(model.step(torque))
        angle = float(model[field])
        _command("steer", device, k, "angle", angle, "rad")
        record.keep(k, torque, angle, velocity)

    record.loop(device, tick)
    return record.result(
        {"hand_torque": ("N·m", "as read"), "wheel_angle": ("rad", "as commanded"), "wheel_velocity": ("rad/s", "")}
    )


def feel(
    device: ImpedanceDevice,
    model: AngleModel,
    ticks: int,
    *,
    latency: int = 0,
    renderer: LocalRenderer | None = None,
    torque_limit: float | None = None,
    clock: Clock | None = None,
    watch: Mapping[str, Watch] | None = None,
) -> Result:
    """Feel a model through a wheel without a torque sensor: angle in, torque back.

    The result has `wheel_angle` [rad] as read, `wheel_torque` [N·m] as commanded, `model_torque` [N·m] as the model
    answered, what was watched, and with a real clock `slack` and `lateness` [s]; `about` counts the limited ticks.

    Args:
        device: encoder in, torque out, such as a started `ForceFeedbackWheel`.
        model: asked by angle: a `GearedImpedance`, or a `VirtualCoupling` to anything that moves.
        ticks: how many.
        latency: whole ticks >= 0 that each answer of the model is kept back, to try a link; 0 for a real one.
        renderer: what the device itself makes of late answers; as they come unless given.
        torque_limit: [N·m], > 0; a larger torque is cut to it and counted. None leaves that to the device.
        clock: None runs as fast as it can, for twins; `RealTime()` keeps the period on the wall clock.
        watch: more to record, by name.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.steering.driving import feel
        >>> from tegotae.steering.hands import Driver, Ramp
        >>> from tegotae.steering.rendering import GearedImpedance
        >>> from tegotae.steering.wheels import ForceFeedbackWheel
        >>> wheel = ForceFeedbackWheel(torque_limit=5.0).start(period=1e-3, hand=Driver(angle=Ramp(rate=1.0)))
        >>> tyre = tg.FrictionImpedance(stiffness=800.0, law=tg.Coulomb(20.0))
        >>> result = feel(wheel, GearedImpedance(tyre.start(period=1e-3), gear=16.0), 2000)
        >>> float(result.wheel_torque[-1])
        -1.25
    """
    _check("feel", device, "impedance", "steer", _period("feel", model))
    latency = checks.whole("feel", "latency", latency, 0, "Give whole ticks; 0 for none.")
    limit = np.inf
    if torque_limit is not None:
        remedy = "Give a largest torque, or None for no limit."
        limit = checks.positive("feel", "torque_limit", torque_limit, "N·m", remedy)
    if renderer is not None:
        checks.instance("feel", "renderer", renderer, LocalRenderer, "Give a LocalRenderer(...), or None.")
    local = renderer.start(period=model.period) if renderer is not None else None
    record = _DrivingRecord("feel", ticks, model.period, clock, watch, ("wheel_angle", "wheel_torque", "model_torque"))
    link: deque[Packet] = deque()

    def tick(k: int) -> None:
        angle = _read("feel", device, k, "angle", "rad")
        answer = model.step(angle)
        if k == 0:
            link.extend([Packet(torque=0.0, angle=angle)] * latency)  # nothing has come yet
        link.append(answer)
        packet = link.popleft()
        wanted = packet.torque if local is None else local.render(packet, angle)
        torque = min(max(wanted, -limit), limit)
        record.limited += int(torque != wanted)
        _command("feel", device, k, "torque", torque, "N·m")
        record.keep(k, angle, torque, answer.torque)

    record.loop(device, tick)
    return record.result(
        {
            "wheel_angle": ("rad", "as read"),
            "wheel_torque": ("N·m", "as commanded"),
            "model_torque": ("N·m", "as asked"),
        }
    )


def _period(owner: str, model: Any) -> float:
    """T [s] of what is steered or felt: something started, that steps."""
    checks.function(
        owner, "model", getattr(model, "step", None), "Give a started model, such as block.start(period=…)."
    )
    return checks.period_of(owner, getattr(model, "period", None))


class _DrivingRecord:
    """What a loop keeps, in arrays made before it starts."""

    def __init__(
        self,
        owner: str,
        ticks: int,
        period: float,
        clock: Clock | None,
        watch: Mapping[str, Watch] | None,
        names: tuple[str, ...],
    ):
        self.owner, self.period, self.clock = owner, period, clock
        self.ticks = checks.whole(owner, "ticks", ticks, 1, "Give how many ticks to run.")
        check_watched(owner, clock, watch)
        self.watch = dict(watch or {})
        wanted = float(self.ticks) * (len(names) + len(self.watch) + 2)
        checks.fits_in_memory(owner, f"the record of ticks={ticks}", wanted, "Run for fewer ticks at a time.")
        self.limited = 0
        self._values = {name: np.empty(self.ticks) for name in names}
        self._watched = {name: np.empty(self.ticks) for name in self.watch}
        self._timing = np.zeros((2, self.ticks))

    def keep(self, k: int, *values: float) -> None:
        for row, value in zip(self._values.values(), values, strict=True):
            row[k] = value
        for name, watch in self.watch.items():
            self._watched[name][k] = np.asarray(watch.read(), dtype=np.float64).reshape(-1)[0]

    def loop(self, device: ImpedanceDevice | AdmittanceDevice, tick: Callable[[int], None]) -> None:
        try:
            if self.clock is not None:
                self.clock.start(self.period)
            for k in range(self.ticks):
                tick(k)
                if self.clock is not None:
                    self._timing[:, k] = self.clock.wait()
        except BaseException as cause:
            _release(self.owner, device, cause)
            raise
        device.stop()

    def result(self, meanings: Mapping[str, tuple[str, str]]) -> Result:
        time = self.period * np.arange(1, self.ticks + 1)
        variables = {"time": Variable(("time",), time, "s", "end of the tick")}
        for name, (unit, meaning) in meanings.items():
            variables[name] = Variable(("time",), self._values[name], unit, meaning)
        for name, watch in self.watch.items():
            variables[name] = Variable(("time",), self._watched[name], watch.unit, watch.meaning)
        about: dict[str, Any] = {"period": self.period, "limited_ticks": self.limited}
        if self.clock is not None:
            slack, lateness = self._timing
            variables["slack"] = Variable(("time",), slack, "s", "time left when the tick's work was done")
            variables["lateness"] = Variable(("time",), lateness, "s", "how late the next tick began")
            about |= {"deadline_misses": int((slack < 0.0).sum()), "worst_lateness": float(lateness.max())}
        return Result(variables, title=self.owner, about=about)


def _release(owner: str, device: ImpedanceDevice | AdmittanceDevice, cause: BaseException) -> None:
    """Stop the wheel after a failure; if it does not even answer that, say so without hiding why."""
    try:
        device.stop()
    except Exception as error:
        raise DeviceError(
            f"{owner}: {cause}\n  And it did not answer stop ({error!r}): it may still push. Cut its power."
        ) from cause


def _read(owner: str, device: ImpedanceDevice | AdmittanceDevice, k: int, name: str, unit: str) -> float:
    try:
        value: Array = device.read()
        reading = np.asarray(value, dtype=np.float64).reshape(-1)
    except Exception as error:  # whatever a driver raises when its device has gone
        raise DeviceError(
            f"{owner}: the wheel gave no {name} at tick {k} ({error!r}).\n"
            "  It was released. Check its cable, then start again: the model stands where it was."
        ) from error
    if reading.size != 1 or not np.isfinite(reading[0]):
        raise DeviceError(
            f"{owner}: the wheel gave {name}={value} {unit} at tick {k}, not one finite number.\n"
            "  It was released. Check its cable and its calibration, then start again: the model stands where it was."
        )
    return float(reading[0])


def _command(
    owner: str, device: ImpedanceDevice | AdmittanceDevice, k: int, name: str, value: float, unit: str
) -> None:
    if not np.isfinite(value):
        raise TegotaeError(
            f"{owner}: the model gave {name}={value} {unit} at tick {k}; it was not commanded.\n"
            "  The wheel was released. The model diverged: start it again with a shorter period."
        )
    try:
        device.command(np.array([value]))
    except Exception as error:
        raise DeviceError(
            f"{owner}: the wheel did not take {name}={value:g} {unit} at tick {k} ({error!r}).\n"
            "  It was released. Check its cable, then start again."
        ) from error


def _check(owner: str, device: Any, causality: str, other: str, period: float) -> None:
    got = getattr(device, "causality", None)
    if got != causality:
        raise CausalityError(
            f"{owner}: the wheel says causality={checks.shown(got)}.\n"
            f"  {owner} takes an {causality} device; for the other kind use {other}."
        )
    if device.dimension != 1:
        checks.refuse(owner, f"the device has {device.dimension} axes.", "Give a wheel: one axis (see ArcWheel).")
    if device.period is not None and abs(device.period - period) > 1e-12:
        checks.refuse(
            owner,
            f"the wheel ticks every {device.period:g} s, the model was started with period={period:g} s.",
            "Start both with the same period.",
        )
