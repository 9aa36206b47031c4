"""Logs of contacts whose numbers are known in closed form: a mass that meets a spring and damper, tick by tick."""

import numpy as np

from tegotae.hybrid.bus.rows import DYNAMICS, TABLE
from tegotae.hybrid.records.log import LogWriter

PERIOD = 2e-3


def same(first, second):
    """Whether two records are the same, bit by bit."""
    return first.dtype.names == second.dtype.names and first.tobytes() == second.tobytes()


class Impact:
    """m x'' = -(k x + c x') while that force pushes. A negative c stands for a delay: the force begins late."""

    def __init__(self, *, mass=33.75, stiffness=45292.0, ratio=0.0, speed=0.01, rest=0.0):
        self.mass, self.stiffness, self.speed, self.rest, self.scale = mass, stiffness, speed, rest, speed
        self.pulse = np.sqrt(stiffness / mass)
        self.damping = 2.0 * ratio * mass * self.pulse
        self.ratio = ratio
        fine = np.linspace(0.0, np.pi / self.pulse * 1.3, 200_001)[1:]
        push = self.at(fine)[2]
        begin = int(np.argmax(push > 0.0))
        end = begin + int(np.argmax(push[begin:] <= 0.0))
        self.begins, self.ends = (fine[begin] if begin else 0.0), fine[end]
        self.duration = self.ends - self.begins
        self.scale *= speed / float(self.at(self.begins)[1])  # so that it approaches with that speed
        self.peak = float(self.at(fine[begin:end])[2].max())
        self.parting = -float(self.at(self.ends)[1])
        self.restitution = self.parting / speed
        self.gained = 0.5 * mass * (self.parting**2 - speed**2)

    def at(self, s):
        """Depth, its rate and the force a time s after x = 0, as if glued."""
        damped = self.pulse * np.sqrt(1.0 - self.ratio**2)
        decay = self.scale * np.exp(-self.ratio * self.pulse * s)
        x = decay / damped * np.sin(damped * s)
        rate = decay * (np.cos(damped * s) - self.ratio * self.pulse / damped * np.sin(damped * s))
        return x, rate, self.stiffness * x + self.damping * rate

    def motion(self, s):
        """Depth, its rate and the force at any time s from touch."""
        s = s + self.begins
        x, rate, push = self.at(np.clip(s, self.begins, self.ends))
        before, after = s < self.begins, s > self.ends
        x = x + np.where(before, self.speed * (s - self.begins), 0.0)
        x = x - np.where(after, self.parting * (s - self.ends), 0.0)
        return x, rate, np.where(before | after, 0.0, np.maximum(push, 0.0))


def dynamics_rows(impact, *, touch=0.3, length=0.8, start=5_000_000_000, delay=0.0):
    count = round(length / PERIOD)
    rows = np.zeros(count, dtype=DYNAMICS)
    rows["tick"] = np.arange(count)
    rows["steps"] = rows["fresh"] = 1
    rows["simulated"] = PERIOD * np.arange(1, count + 1)
    rows["time"] = start + 2_000_000 * np.arange(count)
    x, rate, push = impact.motion(rows["simulated"] - touch)
    rows["pose"][:, 2], rows["pose"][:, 3] = x, 1.0
    rows["twist"][:, 2] = rate
    rows["wrench"][:, 2] = rows["compensated"][:, 2] = rows["felt_wrench"][:, 2] = -push
    rows["energy"] = impact.rest + 0.5 * impact.mass * rate**2
    rows["delay"], rows["stiffness"], rows["damping"] = delay, impact.stiffness, impact.damping
    rows["label"] = rows["simulated"] - PERIOD - delay  # heard before the step of its tick
    rows["budget"] = 0.5 * impact.mass * (impact.speed**2 - rate**2)
    return rows


def table_rows(impact, *, touch=0.3, length=0.8, start=5_000_000_000):
    rows = np.zeros(round(length / PERIOD), dtype=TABLE)
    rows["tick"] = np.arange(rows.size)
    rows["time"] = start + 2_000_000 * rows["tick"]
    x, rate, push = impact.motion(PERIOD * (rows["tick"] + 1) - touch)
    rows["pose"][:, 2], rows["twist"][:, 2], rows["wrench"][:, 2] = x, rate, -push
    return rows


def write_log(path, dynamics=None, table=None, *, about=None, status=(), events=(), block=25, **options):
    with LogWriter(path, about if about is not None else {"settings": {"guard": True}}, **options) as log:
        for kind, rows in (("dynamics", dynamics), ("table", table)):
            for first in range(0, 0 if rows is None else rows.size, block):
                log.rows(kind, rows[first : first + block], first=first)
        for node, told in status:
            log.status(node, told)
        for event in events:
            log.event(event)
    return path
