"""A parameter is declared once: its check, its documentation and its part of the layout say the same."""

import importlib
import inspect
import math
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

import tegotae as tg
from random_states import every_block
from tegotae.block import Block
from tegotae.parameters import Declared, Parameter, _hint, declared

PACKAGES = [f"tegotae.{name}" for name in ("control", "device", "friction", "scenarios", "steering", "table")]
MODULES = ("tegotae.elements",)
BLOCKS = {type(block): block for block in every_block()}


@dataclass(frozen=True, kw_only=True)
class Spring(Declared):
    """A coil.

    Example:
        >>> Spring(stiffness=1.0)
    """

    stiffness: Annotated[float, Parameter("K [N/m], > 0, of the coil")]
    share: Annotated[float, Parameter("[-], 0 to 1, that is wound")] = 0.5
    turns: Annotated[int, Parameter(">= 1, of the wire")] = 3
    limit: Annotated[float | None, Parameter("[N], > 0, the largest force", such_as="4")] = None
    shape: Annotated[tuple[float, float], Parameter("[m], > 0, radius and length")] = (0.1, 0.2)


@pytest.mark.parametrize(
    ("text", "letter", "unit", "bounds", "meaning", "description"),
    [
        ("K [N/m], > 0, of the coil", "K", "N/m", "> 0", "of the coil", "of the coil [N/m], > 0"),
        ("[s], >= 0; 0 for none", "", "s", ">= 0", "0 for none", "[s], >= 0; 0 for none"),
        ("[-], 1e-3 to 2", "", "-", "1e-3 to 2", "", "[-], 1e-3 to 2"),
        (">= 1, number of directions", "", "", ">= 1", "number of directions", "number of directions, >= 1"),
        ("a law: any", "", "", "", "a law: any", "a law: any"),
        ("[s], when it ends; 0 for never", "", "s", "", "when it ends; 0 for never", "when it ends [s]; 0 for never"),
    ],
)
def test_the_text_of_a_declaration_is_read(
    text: str, letter: str, unit: str, bounds: str, meaning: str, description: str
) -> None:
    own = Parameter(text)
    assert (own.letter, own.unit, own.bounds, own.meaning) == (letter, unit, bounds, meaning)
    assert own.description == description


@pytest.mark.parametrize("text", ["[m], >0", "[m], > 0 and below", "[m], <3", "[-], 0-1"])
def test_a_range_that_cannot_be_read_is_no_silent_meaning(text: str) -> None:
    with pytest.raises(ValueError, match="write its range"):
        Parameter(text)


def test_a_number_has_a_unit() -> None:
    @dataclass(frozen=True)
    class Bare(Declared):
        length: Annotated[float, Parameter("> 0, of the rod")]

    with pytest.raises(TypeError, match="a number has a unit"):
        Bare(1.0)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"stiffness": 0.0}, "Spring: stiffness=0.0 N/m must be > 0.\n  Give a number > 0."),
        ({"stiffness": 1e-300}, "stiffness=1e-300 N/m is smaller than 1e-250."),
        ({"stiffness": math.nan}, "stiffness=nan N/m is not finite."),
        ({"stiffness": True}, "stiffness=True is not a number in N/m."),
        ({"share": 1.5}, "share=1.5 must be <= 1.\n  Give a number 0 to 1, such as 0.5."),
        ({"share": -0.5}, "share=-0.5 must be >= 0."),
        ({"turns": 0}, "turns=0 must be a whole number >= 1."),
        ({"turns": 2.0}, "turns=2.0 must be a whole number >= 1."),
        ({"limit": -1.0}, "limit=-1.0 N must be > 0.\n  Give the largest force, such as 4, or None."),
        ({"shape": (0.1, 0.0)}, "shape[1]=0.0 m must be > 0."),
        ({"shape": (0.1,)}, "shape has shape (1,)."),
    ],
)
def test_what_lies_outside_is_refused_in_words(given: dict[str, Any], told: str) -> None:
    with pytest.raises(tg.InputError, match=re.escape(told)):
        Spring(**{"stiffness": 1.0, **given})


def test_what_is_kept_is_plain() -> None:
    spring = Spring(stiffness=2, shape=[1, 2])  # type: ignore[arg-type]
    assert (spring.stiffness, spring.shape, spring.limit) == (2.0, (1.0, 2.0), None)
    assert type(spring.stiffness) is float


def test_documentation_and_signature_follow() -> None:
    assert "    Args:\n        stiffness: K [N/m], > 0, of the coil.\n" in (Spring.__doc__ or "")
    assert (Spring.__doc__ or "").index("Args:") < (Spring.__doc__ or "").index("Example:")
    assert str(inspect.signature(Spring)).startswith("(*, stiffness: 'float', share: 'float' = 0.5")


def classes(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        yield from (one, *classes(one))


def test_no_declaration_is_lost_because_a_name_is_missing() -> None:
    """An alias of a declaration that cannot be read when the program runs would leave its field unchecked."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            importlib.import_module(module.name)
    own = [one for one in classes(Declared) if one.__module__.startswith((*(f"{p}." for p in PACKAGES), *MODULES))]
    assert len(own) > 60
    for one in own:
        for field in getattr(one, "__dataclass_fields__", {}).values():
            assert _hint(one, field.name, field.type) is not None, (one, field.name)


@pytest.mark.parametrize("kind", BLOCKS, ids=lambda kind: kind.__name__)
def test_every_block_refuses_what_its_declarations_exclude(kind: type[Block]) -> None:
    for name, field in declared(kind).items():
        own = field.parameter
        outside = {own.above: own.above, own.least: (own.least or 0.0) - 1.0, own.most: (own.most or 0.0) + 1.0}
        for bound, value in outside.items():
            if bound is not None:
                with pytest.raises(tg.InputError, match=re.escape(name)):
                    BLOCKS[kind].varied({name: value})


@pytest.mark.parametrize("kind", BLOCKS, ids=lambda kind: kind.__name__)
def test_a_layout_has_the_units_that_were_declared(kind: type[Block]) -> None:
    parts = {part.name: part for part in BLOCKS[kind].layout.parameters.parts()}
    for name, field in declared(kind).items():
        if name in parts and field.parameter.unit:
            assert parts[name].unit == field.parameter.unit
