"""Who may be wired to whom, and when a coupled step has one solution."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from tegotae import checks
from tegotae.block import Admittance, Impedance
from tegotae.coupling.links import OWN, Link, Wire, linked
from tegotae.errors import CausalityError, UniquenessError
from tegotae.running.contract_check import check_block


def admittances_of(given: object) -> dict[str, Admittance]:
    """What moves, by name; a lone admittance has none."""
    named = given if isinstance(given, Mapping) else {"": given}
    if not named:
        raise CausalityError(f"{OWN}: admittance={given!r} has nothing that moves.\n  Give {{'arm': ..., 'rod': ...}}.")
    for name, block in named.items():
        told = f"admittance[{checks.shown(name)}]" if isinstance(given, Mapping) else "admittance"
        if not isinstance(block, Admittance):
            gives = "it gives force" if isinstance(block, Impedance) else "it is no block"
            raise CausalityError(
                f"{OWN}: {told}={checks.shown(block)} cannot move anything: {gives}.\n"
                "  Start a circuit with what moves, such as Mass(mass=...) or FrictionAdmittance(...)."
            )
        check_block(block)
        if not block.dimension:
            raise CausalityError(
                f"{OWN}: {told}: {block.name} has no ports, so nothing can be wired to it.\n"
                "  Name where it meets others, such as Scene(..., at='hand')."
            )
    return dict(named)


def links_of(
    admittances: Mapping[str, Admittance], impedances: object, ratios: object, bases: object
) -> dict[str, Link]:
    """All impedances as links, with what `ratios` and `bases` say of those that are given by themselves."""
    if not isinstance(impedances, Mapping):
        raise CausalityError(f"{OWN}: impedances={checks.shown(impedances)} have no names.\n  Give {{'brake': ...}}.")
    geared = checks.mapping(OWN, "ratios", ratios, "Give a number for each name, such as {'brake': 2.0}.")
    based = checks.texts(OWN, "bases", bases, "Give a list of names of impedances.")
    links: dict[str, Link] = {}
    for name, given in impedances.items():
        links[name] = linked(name, given, admittances)
        if isinstance(given, Link) and name in {*geared, *based}:
            checks.refuse(OWN, f"{name!r} is a Link, and named in ratios or bases.", "Say it in Link(ratio=, base=).")
    for label, names in (("ratios", geared), ("bases", based)):
        for name in names:
            if name not in links:
                checks.refuse(OWN, f"{label} names {name!r}.", f"It has impedances {', '.join(links)}.")
    for name, ratio in geared.items():
        links[name] = dataclasses.replace(links[name], ratio=checks.number(OWN, f"ratios[{name!r}]", ratio, ""))
    for name in based:
        links[name] = dataclasses.replace(links[name], base=True)
    return links


def check_names(admittances: Mapping[str, Admittance], links: Mapping[str, Link]) -> None:
    """Every block has a plain word of its own."""
    for what, names in (("impedance", links), ("admittance", [n for n in admittances if "" not in admittances])):
        for name in names:
            if not isinstance(name, str) or not name.isidentifier():
                checks.refuse(OWN, f"{what} name {name!r}.", "Use a plain word, such as 'brake'.")
    taken = dict.fromkeys(admittances, "the circuit") | {"velocity": "the circuit", "unsolved": "the circuit"}
    if "" in admittances:
        alone = admittances[""]
        taken = {name.split(".")[0]: alone.name for name in alone.parts}
    for name in taken.keys() & {*links, *(admittances if "" not in admittances else ())}:
        if name in links or name not in admittances:
            checks.refuse(OWN, f"{name!r} is already a name in {taken[name]}.", "Choose another name.")


def _outweighed(admittances: Mapping[str, Admittance], wires: Sequence[Wire], period: float) -> tuple[float, float]:
    """The least of what masses need [N·s/m], and what is left of it in the worst direction after falling friction."""
    least = np.concatenate([np.full(a.dimension, a.least_reluctance(period)) for a in admittances.values()])
    falling = [(wire.map(least.size), rise) for wire in wires if (rise := wire.block.steepest_rise(period)) > 0.0]
    if not falling:
        return float(least.min()), float(least.min())
    left = np.diag(least) - sum(rise * (through.T @ through) for through, rise in falling)
    return float(least.min()), float(np.linalg.eigvalsh(left)[0]) if np.isfinite(left).all() else -np.inf


def least_reluctance(admittances: Mapping[str, Admittance], wires: Sequence[Wire], period: float) -> float:
    """Of all ports together, less what falling friction takes away [N·s/m]."""
    return _outweighed(admittances, wires, period)[1]


def check_one_solution(admittances: Mapping[str, Admittance], wires: Sequence[Wire], period: float) -> None:
    """Refuse a period at which a step can have two solutions."""
    falling = [wire.name for wire in wires if wire.block.steepest_rise(period) > 0.0]
    least, left = _outweighed(admittances, wires, period)
    if left <= 0.0:
        moved = " or ".join(block.name for block in {id(b): b for b in admittances.values()}.values())
        more = checks.just_above(period * -left, 3)
        raise UniquenessError(
            f"{OWN}: at period={period:g} s friction may fall by {least - left:.4g} N·s/m, more than the "
            f"{moved} outweighs ({least:.4g} N·s/m), so a step can have two solutions.\n"
            f"  Add {more} kg to the {moved}, or damping to {', '.join(falling)}."
        )
