"""Haptic devices in both causalities, their simulated twins, and the loop that closes over either."""

from tegotae.device.hand import Hand, glide, hold, steps, waypoints
from tegotae.device.interface import AdmittanceDevice, Clock, DeviceError, ImpedanceDevice, RealTime
from tegotae.device.loop import Watch, render, render_motion
from tegotae.device.passivity import Passivity, for_block, loop_radius, passivity
from tegotae.device.twins import AdmittanceTwin, ImpedanceTwin

__all__ = [
    "AdmittanceDevice",
    "AdmittanceTwin",
    "Clock",
    "DeviceError",
    "Hand",
    "ImpedanceDevice",
    "ImpedanceTwin",
    "Passivity",
    "RealTime",
    "Watch",
    "for_block",
    "glide",
    "hold",
    "loop_radius",
    "passivity",
    "render",
    "render_motion",
    "steps",
    "waypoints",
]
