"""Closing the loop through a wheel: `steer` for one with a torque sensor, `feel` for one without.

Both are loops through a device (`tegotae.device.loop`), in torques and angles, for models that need be no block.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.device.interface import AdmittanceDevice, Clock, DeviceError, ImpedanceDevice
from tegotae.device.loop import DeviceLoop, Watch
from tegotae.result import Result
from tegotae.running.live import LiveAdmittance
from tegotae.steering.rendering import AngleModel, LocalRenderer, Packet, angle_field


def steer(
    device: AdmittanceDevice,
    model: LiveAdmittance,
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
    _check_model("steer", model)
    loop = _WheelLoop("admittance", device, model, ticks, clock, torque_limit, watch)
    field = angle_field("steer", model)

    def tick(k: int) -> tuple[ArrayLike, ...]:
        torque = loop.read(k)
        loop.see_push(k, torque)
        velocity = model.step(torque.item())
        angle = np.atleast_1d(model[field])
        loop.command(k, angle)
        return torque, angle, velocity

    return loop.run(
        tick,
        {"hand_torque": ("N·m", "as read"), "wheel_angle": ("rad", "as commanded"), "wheel_velocity": ("rad/s", "")},
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
    _check_model("feel", model)
    loop = _WheelLoop("impedance", device, model, ticks, clock, torque_limit, watch)
    latency = checks.whole("feel", "latency", latency, 0, "Give whole ticks; 0 for none.")
    if renderer is not None:
        checks.instance("feel", "renderer", renderer, LocalRenderer, "Give a LocalRenderer(...), or None.")
    local = renderer.start(period=model.period) if renderer is not None else None
    link: deque[Packet] = deque()

    def tick(k: int) -> tuple[ArrayLike, ...]:
        angle = loop.read(k).item()
        answer = model.step(angle)
        if k == 0:
            link.extend([Packet(torque=0.0, angle=angle)] * latency)  # nothing has come yet
        link.append(answer)
        packet = link.popleft()
        wanted = packet.torque if local is None else local.render(packet, angle)
        torque = loop.shortened(np.array([wanted]))
        loop.command(k, torque)
        return angle, torque, answer.torque

    read, told, asked = ("rad", "as read"), ("N·m", "as commanded"), ("N·m", "as asked")
    return loop.run(tick, {"wheel_angle": read, "wheel_torque": told, "model_torque": asked})


def _check_model(owner: str, model: Any) -> None:
    """Refuse what is not started, and so does not step."""
    way = "Give a started model, such as block.start(period=…)."
    checks.function(owner, "model", getattr(model, "step", None), way)
    checks.period_of(owner, getattr(model, "period", None))


class _WheelLoop(DeviceLoop):
    """A loop through a wheel; it tells of whatever a driver raises when its device has gone."""

    word: ClassVar[str] = "wheel"
    stopped: ClassVar[str] = "released"
    motion: ClassVar[tuple[str, str]] = ("angle", "rad")
    push: ClassVar[tuple[str, str]] = ("torque", "N·m")
    loops: ClassVar[Mapping[str, str]] = {"impedance": "feel", "admittance": "steer"}

    def read(self, k: int) -> Array:
        """What the wheel says."""
        try:
            return super().read(k)
        except DeviceError:
            raise
        except Exception as error:
            raise DeviceError(
                f"{self.owner}: the wheel gave no {self._given[0]} at tick {k} ({error!r}).\n"
                "  It was released. Check its cable, then start again: the model stands where it was."
            ) from error

    def _send(self, k: int, value: Array) -> None:
        name, unit = self._told
        try:
            super()._send(k, value)
        except Exception as error:
            raise DeviceError(
                f"{self.owner}: the wheel did not take {name}={value.item():g} {unit} at tick {k} ({error!r}).\n"
                "  It was released. Check its cable, then start again."
            ) from error
