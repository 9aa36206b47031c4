"""Who may be wired to whom."""

from __future__ import annotations

from collections.abc import Mapping

from tegotae import checks
from tegotae.block import Admittance, Impedance
from tegotae.errors import CausalityError


def check_causality(admittance: object, impedances: Mapping[str, object]) -> None:
    """One block gives motion, all others give force; anything else cannot run."""
    if not isinstance(admittance, Admittance):
        gives = "it gives force" if isinstance(admittance, Impedance) else "it is no block"
        raise CausalityError(
            f"Circuit: admittance={checks.shown(admittance)} cannot move anything: {gives}.\n"
            "  Start a circuit with what moves, such as Mass(mass=...) or FrictionAdmittance(...)."
        )
    if not isinstance(impedances, Mapping):
        raise CausalityError(f"Circuit: impedances={checks.shown(impedances)} have no names.\n  Give {{'brake': ...}}.")
    for name, block in impedances.items():
        if isinstance(block, Admittance):
            raise CausalityError(
                f"Circuit: {name!r} is a {block.name}, which gives motion, and so does {admittance.name}.\n"
                "  Join two moving parts by an impedance between them, such as a SpringDamper."
            )
        if not isinstance(block, Impedance):
            told = f"impedances[{checks.shown(name)}]={checks.shown(block)} is no block."
            raise CausalityError(f"Circuit: {told}\n  Give an impedance.")
        if block.dimension != admittance.dimension:
            checks.refuse(
                "Circuit",
                f"{name!r} has dimension={block.dimension}, but {admittance.name} moves in {admittance.dimension}.",
                f"Use dimension={admittance.dimension} for every block.",
            )
