"""One recipe for each kind of block that can be identified. To add one: a file here, and its lines in `recipe_for`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tegotae import checks
from tegotae.fitting.recipe import Recipe, Values
from tegotae.fitting.registry import registered
from tegotae.friction import Coulomb, FrictionAdmittance, FrictionImpedance, Law, ParallelFriction

MOST_ELEMENTS = 100
# What is taken to be 0 unless it is asked for.
_ASSUMED: dict[object, tuple[str, ...]] = {
    FrictionImpedance: ("preload", "offset"),
    FrictionAdmittance: ("offset",),
}


def recipe_for(
    machine: object, law: type[Law], elements: int | None, known: Mapping[str, float], free: Sequence[str]
) -> Recipe:
    """The recipe of a block type, with what is known and what is sought."""
    from tegotae.fitting.recipes.admittance import AdmittanceRecipe
    from tegotae.fitting.recipes.impedance import ImpedanceRecipe
    from tegotae.fitting.recipes.laws import recipe_of
    from tegotae.fitting.recipes.parallel import ParallelRecipe

    if not any(machine is kind for kind in (FrictionImpedance, FrictionAdmittance, ParallelFriction)):
        name = f"machine={getattr(machine, '__name__', checks.shown(machine))}"
        checks.refuse(
            "fit",
            f"{name} has no recipe for identification.",
            f"Use tg.FrictionImpedance, tg.FrictionAdmittance or tg.ParallelFriction, {registered()}; "
            "or a block with its numbers, an inclusion as to_stepper(…).as_admittance(…), and free=[…].",
        )
    friction = recipe_of(law)
    if machine is ParallelFriction:
        if law is not Coulomb:
            checks.refuse("fit", f"law=tg.{law.__name__} for a composite.", "Its elements are identified as Coulomb.")
        if elements is None:
            checks.refuse("fit", "elements is missing.", "Say how many elements the composite has, such as elements=3.")
        count = checks.whole("fit", "elements", elements, 1, "Say how many elements the composite has.")
        if count > MOST_ELEMENTS:
            checks.refuse("fit", f"elements={str(count)[:20]}.", f"Use {MOST_ELEMENTS} at most; records show a few.")
        _nothing_free(free)
        return checked(ParallelRecipe(count, known))
    if elements is not None:
        checks.refuse(
            "fit",
            f"elements={checks.shown(elements)} for a single element.",
            "Leave it out, or fit tg.ParallelFriction.",
        )
    given = {**friction.given, **dict.fromkeys(_ASSUMED[machine], 0.0)}
    for name in free:
        if name not in given:
            _nothing_free([name])
        del given[name]
    kind = ImpedanceRecipe if machine is FrictionImpedance else AdmittanceRecipe
    return checked(kind(friction, {**given, **known}, given.keys() - known.keys(), free))


def _nothing_free(free: Sequence[str]) -> None:
    if free:
        offered = (
            "It can free the offset of a FrictionImpedance or FrictionAdmittance, the preload of a FrictionImpedance, "
            "and the exponent of Stribeck."
        )
        checks.refuse("fit", f"free has {free[0]!r}.", offered)


def given_numbers(known: object) -> Values:
    """What is known, as numbers."""
    told = checks.mapping("fit", "known", known, 'Give a dict of numbers, such as {"mass": 1.0}.')
    return {
        name: checks.number("fit", f"known[{name!r}]", value, "", "Give its value in SI units.")
        for name, value in told.items()
    }


def given_names(free: object) -> tuple[str, ...]:
    """What is sought, as names."""
    return tuple(dict.fromkeys(checks.texts("fit", "free", free, "Give a list of names, such as ['preload'].")))


def checked(recipe: Recipe) -> Recipe:
    """Refuse names that the recipe does not have."""
    names = [q.name for q in recipe.parameters]
    signed = {q.name for q in recipe.parameters if q.signed}
    for name, value in recipe.known.items():
        if name not in names:
            checks.refuse("fit", f"known has {name!r}.", f"This block has {', '.join(names)}.")
        if name not in signed:
            checks.at_least_zero("fit", f"known[{name!r}]", value, "", "Give its value in SI units.")
    return recipe
