"""One recipe for each kind of block that can be identified. To add one: a file here, and its lines in `recipe_for`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tegotae import checks
from tegotae.fitting.recipe import Recipe, Values
from tegotae.friction import Coulomb, FrictionAdmittance, FrictionImpedance, Law, ParallelFriction


def recipe_for(
    block_type: object, law: type[Law], elements: int | None, known: Mapping[str, float], free: Sequence[str]
) -> Recipe:
    """The recipe of a block type, with what is known and what is sought."""
    from tegotae.fitting.recipes.admittance import AdmittanceRecipe
    from tegotae.fitting.recipes.impedance import ImpedanceRecipe
    from tegotae.fitting.recipes.laws import recipe_of
    from tegotae.fitting.recipes.parallel import ParallelRecipe

    friction = recipe_of(law)
    numbers = numbers_of(known)
    if block_type is ParallelFriction:
        if law is not Coulomb:
            checks.refuse("fit", f"law=tg.{law.__name__} for a composite.", "Its elements are identified as Coulomb.")
        if elements is None:
            checks.refuse("fit", "elements is missing.", "Say how many elements the composite has, such as elements=3.")
        count = checks.whole("fit", "elements", elements, 1, "Say how many elements the composite has.")
        _nothing_free(free)
        return checked(ParallelRecipe(count, numbers))
    if elements is not None:
        checks.refuse(
            "fit",
            f"elements={checks.shown(elements)} for a single element.",
            "Leave it out, or fit tg.ParallelFriction.",
        )
    given = {**friction.given, **({"preload": 0.0, "offset": 0.0} if block_type is FrictionImpedance else {})}
    for name in free:
        if name not in given:
            _nothing_free([name])
        del given[name]
    if block_type is FrictionImpedance:
        return checked(ImpedanceRecipe(friction, {**given, **numbers}))
    if block_type is FrictionAdmittance:
        return checked(AdmittanceRecipe(friction, {**given, **numbers}))
    name = f"block_type={getattr(block_type, '__name__', checks.shown(block_type))}"
    return checks.refuse(
        "fit",
        f"{name} has no recipe for identification.",
        "Use tg.FrictionImpedance, tg.FrictionAdmittance or tg.ParallelFriction, a SteeringSystem or a PlanarRod.",
    )


def _nothing_free(free: Sequence[str]) -> None:
    if free:
        offered = "It can free the preload and the offset of a FrictionImpedance, and the exponent of Stribeck."
        checks.refuse("fit", f"free has {free[0]!r}.", offered)


def numbers_of(known: Mapping[str, float]) -> Values:
    """What is known, as numbers."""
    return {
        name: (checks.number if name in ("preload", "offset") else checks.at_least_zero)(
            "fit", f"known[{name!r}]", value, "", "Give its value in SI units."
        )
        for name, value in known.items()
    }


def checked(recipe: Recipe) -> Recipe:
    """Refuse names that the recipe does not have."""
    names = [q.name for q in recipe.parameters]
    for name in recipe.known:
        if name not in names:
            checks.refuse("fit", f"known has {name!r}.", f"This block has {', '.join(names)}.")
    return recipe
