"""The words of contact, the same wherever things touch, and what is said of a start inside of one.

What a contact would carry at rest is taken as it is, what is deeper is refused with the way out: a spring of 1e6 N/m
that starts 20 mm inside throws a crate of 5 kg at 9 m/s, which has to be asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.parameters import Parameter

ContactStiffness = Annotated[float, Parameter("K [N/m], > 0, along the normal", such_as="1e5")]
ContactDamping = Annotated[float, Parameter("c [N·s/m], >= 0, along the normal, while they touch")]
FrictionCoefficient = Annotated[float, Parameter("mu [-], >= 0, of dry friction; 0 for a smooth face", such_as="0.5")]
Restitution = Annotated[
    float | None,
    Parameter(
        "e [-], 0 to 1, speed of parting over speed of approach in an impact (Newton's law), whatever the mass and the "
        "speed; stiffness and damping alone tell it unless given",
        "Give a number from 0 to 1, such as 0.5, or None.",
    ),
]

SLIGHT = 1e-6  # m, rad: what rounding, and places written with a few digits, leave
RELAXATION = 2e-3  # [s] damping over stiffness of a contact of bodies whose damping is not given


def restitutions(owner: str, contacts: Sequence[str], given: Any) -> dict[str, float]:
    """Restitution by the name of each contact that has one, from a number for all of them or one a name.

    Args:
        owner: who asks, for messages.
        contacts: their names.
        given: a number, numbers by name, or None.

    Example:
        >>> restitutions("to_ode", ["floor", "wall"], {"wall": 0.5})
        {'wall': 0.5}
        >>> restitutions("to_ode", ["floor", "wall"], 0.25)
        {'floor': 0.25, 'wall': 0.25}
    """
    if given is None:
        return {}
    remedy = "Give a number from 0 to 1 for all contacts, or one a name: {'floor': 0.5}."
    chosen: dict[str, float] = {}
    if not isinstance(given, Mapping) and not contacts:
        restitutions(owner, ["any contact"], given)  # what is none is refused, also where nothing is met
    for name, value in (given if isinstance(given, Mapping) else dict.fromkeys(contacts, given)).items():
        if name not in contacts:
            checks.refuse(owner, f"restitution names {str(name)!r}.", f"Contacts: {', '.join(contacts) or 'none'}.")
        chosen[name] = checks.at_least_zero(owner, f"restitution of {name!r}", value, "", remedy)
        if chosen[name] > 1.0:
            checks.refuse(owner, f"restitution of {name!r}={chosen[name]:g} makes energy.", remedy)
    return {name: chosen[name] for name in contacts if name in chosen}


def weight_of(mass: float, gravity: ArrayLike) -> float:
    """What a mass may press with at rest [N]: its weight; where nothing falls, its weight on Earth.

    Args:
        mass: [kg].
        gravity: acceleration of a falling body, its components [m/s²].

    Example:
        >>> weight_of(2.0, (0.0, 0.0, 0.0))
        19.62
    """
    return mass * max(float(np.linalg.norm(gravity)), 9.81)


def check_depths(owner: str, pairs: Sequence[str], gaps: ArrayLike, carried: ArrayLike, remedy: str) -> None:
    """Refuse a start that is deeper inside a contact than the contact's own stiffness would carry at rest.

    Args:
        owner: who asks, for the message.
        pairs: what each contact is called.
        gaps: at the start [m], < 0 inside.
        carried: depth that each would have at rest [m].
        remedy: the way out.

    Example:
        >>> from tegotae.errors import InputError
        >>> check_depths("Scene", ["ball on world"], [-1e-4], [2e-4], "Lift it.")  # under its own weight
        >>> try:
        ...     check_depths("Scene", ["ball on world"], [-0.02], [2e-4], "Lift it.")
        ... except InputError as error:
        ...     print(error)
        Scene: 'ball on world' starts 0.02 m inside; at rest it would be at most 0.000201 m deep, so it would be thrown.
          Lift it.
    """
    depths, most = -np.asarray(gaps, dtype=np.float64), np.asarray(carried, dtype=np.float64) + SLIGHT
    deeper = np.flatnonzero(depths > most)
    if not deeper.size:
        return
    worst = int(deeper[np.argmax(depths[deeper])])
    more = f" (and {deeper.size - 1} more)" if deeper.size > 1 else ""
    problem = f"{pairs[worst]!r}{more} starts {depths[worst]:.3g} m inside; at rest it would be at most"
    checks.refuse(owner, f"{problem} {most[worst]:.3g} m deep, so it would be thrown.", remedy)
