"""Ports: where a block meets others. A block with several of them takes and gives one vector, port after port."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array, Kind


class Units(NamedTuple):
    """Of motion and of force."""

    motion: str
    force: str


LINEAR, ANGULAR = Units("m/s", "N"), Units("rad/s", "N·m")
EITHER = Units("m/s or rad/s", "N or N·m")  # of plain blocks, which may move along a line or turn


class Port(NamedTuple):
    """Where a block meets others: its name, in how many directions, and the units of motion and force there."""

    name: str
    dimension: int
    motion: str = EITHER.motion
    force: str = EITHER.force
    also: tuple[str, ...] = ()  # what else it may be called


def port_of(name: str, directions: Sequence[tuple[str, str]]) -> Port:
    """A port that moves in these directions, each `LINEAR`, `ANGULAR` or other units of motion and force.

    Example:
        >>> port_of("tip", [LINEAR, LINEAR, ANGULAR]).motion
        'm/s, m/s, rad/s'
        >>> port_of("hand", [LINEAR] * 3).force
        'N'
    """
    motion, force = zip(*directions, strict=True)
    return Port(name, len(directions), shortest(motion), shortest(force))


def shortest(units: Sequence[str]) -> str:
    """Units direction by direction in one word if they are alike."""
    return units[0] if len(set(units)) == 1 else ", ".join(units)


def motions_of(ports: Sequence[Port]) -> list[str]:
    """The units of motion at all ports, direction by direction."""
    motions = [(port.motion.split(", "), port.dimension) for port in ports]
    return [unit for units, n in motions for unit in (units if len(units) == n else units * n)]


SPATIAL = [LINEAR] * 3 + [ANGULAR] * 3  # a point of a body: velocity and angular velocity, force and moment


def labels_of(ports: Sequence[Port]) -> tuple[str, ...] | None:
    """Which port each number of a block's motion belongs to, for the `labels` of a part; None if there is one port."""
    return tuple(port.name for port in ports for _ in range(port.dimension)) if len(ports) > 1 else None


def spans(ports: Sequence[Port]) -> dict[str, slice]:
    """Where the numbers of each port stand in the vector of all.

    Example:
        >>> spans([Port("base", 3), Port("tip", 3)])["tip"]
        slice(3, 6, None)
    """
    ends = np.cumsum([port.dimension for port in ports]).tolist()
    return {port.name: slice(end - port.dimension, end) for port, end in zip(ports, ends, strict=True)}


def find(owner: str, label: str, ports: Sequence[Port], name: object) -> Port:
    """The port of this name, or words about those that there are."""
    found = next((port for port in ports if name == port.name or name in port.also), None)
    if found is None:
        problem = f"{label}={checks.shown(name)}: there is no such port."
        checks.refuse(owner, problem, f"Its ports: {', '.join(port.name for port in ports) or 'none'}.")
    return found


def by_their_ports(owner: str, label: str, ports: Sequence[Port], given: Mapping[str, Kind]) -> list[tuple[Port, Kind]]:
    """What is given for ports by name, each once."""
    found = [(find(owner, label, ports, name), value) for name, value in given.items()]
    if len(found) > 1 and len({port.name for port, _ in found}) < len(found):
        checks.refuse(owner, f"{label} names a port twice: {', '.join(given)}.", "Give what acts there all together.")
    return found


def force_unit(ports: Sequence[Port]) -> str:
    """Of the forces at all ports; newtons where they do not say more."""
    return ", ".join(sorted({port.force for port in ports} - {EITHER.force} or {"N"}))


def forces_over_time(owner: str, ports: Sequence[Port], given: ArrayLike | Mapping[str, ArrayLike]) -> Array:
    """Forces over the ticks at all ports, (ticks, dimension): as one record, or by the names of ports.

    Ports that are not named are left alone.
    """
    dimension = sum(port.dimension for port in ports)
    if not isinstance(given, Mapping):
        return checks.signal(owner, "force", given, force_unit(ports), dimension)
    return np.asarray(forces_at_ports(owner, ports, given, lambda *asked: checks.signal(*asked)[None])[0])


def forces_at_ports(
    owner: str, ports: Sequence[Port], given: Mapping[str, ArrayLike], read: Callable[..., Array]
) -> Array:
    """Forces over the ticks by the names of ports, (rows, ticks, dimension).

    `read` takes owner, name, value, unit and dimension as `checks.signal` does; it gives rows of such records.
    """
    records: dict[str, Array] = {}
    for port, value in by_their_ports(owner, "force", ports, given):
        record = read(owner, f"force[{port.name!r}]", value, port.force, port.dimension)
        records[port.name] = record.reshape(*record.shape[:2], port.dimension)
    lengths = {name: record.shape[1] for name, record in records.items()}
    if len(set(lengths.values())) != 1:
        checks.refuse(owner, f"force has the lengths {lengths}.", "Name at least one port, and give equal lengths.")
    rows, ticks = max(record.shape[0] for record in records.values()), next(iter(lengths.values()))
    signals, places = np.zeros((rows, ticks, sum(port.dimension for port in ports))), spans(ports)
    for name, record in records.items():
        signals[:, :, places[name]] = record
    return signals


def forces_now(owner: str, ports: Sequence[Port], given: Mapping[str, ArrayLike], out: Array) -> None:
    """Forces of one tick by the names of ports, into out; the others are 0."""
    places = spans(ports)
    out[:] = 0.0
    for port, value in by_their_ports(owner, "force", ports, given):
        out[places[port.name]] = checks.vector(owner, f"force[{port.name!r}]", value, port.force, port.dimension)


def by_port(ports: Sequence[Port], values: Array) -> dict[str, Any]:
    """What stands in the vector of all ports, by their names; one number as that."""
    return {
        name: values[place].copy() if place.stop - place.start > 1 else float(values[place.start])
        for name, place in spans(ports).items()
    }
