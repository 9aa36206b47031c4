"""Runs of the whole loop, dynamics and table in lockstep on virtual time, and what their contacts were."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from types import SimpleNamespace
from typing import cast

import numpy as np

from tegotae.hybrid.nodes.virtual_run import RunRecord, VirtualLoop
from tegotae.hybrid.records.audit import ContactAudit, contacts_of
from tegotae.hybrid.records.log_reader import LogReader
from tegotae.hybrid.settings import HexaSettings, Settings, read_settings
from tegotae.papers.tarao1999.oracles import USUAL, Array

GAP = 2e-3  # m, so that a run is short
TARED = 10  # readings
HEXA = HexaSettings()
SURFACE, GIVE = HEXA.stiffness, HEXA.damping  # N/m, N·s/m: surface and probe of the twin


@dataclass(frozen=True)
class Run:
    """What both nodes told, and the contacts in it."""

    rows: RunRecord  # rows of the nodes
    contacts: list[ContactAudit]  # their numbers, by the same audit as in a report

    @property
    def hardest(self) -> ContactAudit:
        """The contact with the largest force; all numbers are NaN if there is none."""
        none = ContactAudit(**dict.fromkeys((each.name for each in fields(ContactAudit)), np.nan))
        return max(self.contacts, key=lambda each: each.peak_force, default=none)

    @property
    def restitution(self) -> float:
        """Last speed over the first [-]: of the whole run, however often its force pauses."""
        speed = self.rows.dynamics["twist"][:, 2]
        return float(-speed[-1] / speed[0])

    @property
    def energy(self) -> float:
        """Largest kinetic energy over that of the start, as a share of the approach's [-]: what the loop put in."""
        rows, hardest = self.rows.dynamics, self.hardest
        approach = 0.5 * hardest.mass * hardest.approach_speed**2
        return float((rows["energy"].max() - rows["energy"][0]) / approach)

    @property
    def force(self) -> tuple[Array, Array]:
        """Time since the touch [s] and force on the bodies [N], where the simulation stepped."""
        rows = self.rows.dynamics[self.rows.dynamics["steps"] > 0]
        return rows["simulated"] - self.hardest.touched, -rows["wrench"][:, 2]


def settings_for(*changes: str) -> Settings:
    """Settings of a short run."""
    return read_settings(
        changes=["clock=virtual", f"model.gap={GAP}", f"sensor.tare={TARED}", "duration=0.42", *changes]
    )


@cache
def run(loop_of: Callable[..., VirtualLoop], changes: tuple[str, ...]) -> Run:
    """A run until so much was simulated."""
    settings = settings_for(*changes)
    loop = loop_of(settings)
    loop.run((TARED + 2) * settings.period + settings.duration)
    recorded = loop.finish()
    # What an audit needs of a log: rows and their times [s], which in lockstep are those of one clock.
    rows = {"dynamics": recorded.dynamics, "table": recorded.table}
    log = SimpleNamespace(**rows, aligned={node: 1e-9 * row["time"] for node, row in rows.items()})
    return Run(recorded, contacts_of(cast("LogReader", log)))


def spring(stiffness: float, *, damping: float = 0.0) -> tuple[str, ...]:
    """Settings of a table that is where it is told to be, with a contact beside it."""
    return "device.kind=spring", f"device.stiffness={stiffness}", f"device.damping={damping}"


def hexa(kp: float, *, fed: float = 0.0) -> tuple[str, ...]:
    """Settings of the six-arm table's twin; `fed` is the share of its reference's rate that it knows in contact."""
    return "device.kind=hexa", f"device.kp={kp}", f"device.feedforward_in_contact={fed}"


def weighing(masses: tuple[float, ...]) -> tuple[str, ...]:
    """Settings of the masses; none for the usual ones."""
    return () if masses == USUAL else (f"model.masses={list(masses)}",)
