"""The layout of a block whose parameters are the numbers that its class declares."""

from __future__ import annotations

from functools import cache
from typing import Any

from tegotae.layout import Layouts, Part, layouts
from tegotae.parameters import parts_of

LAW = Part("law", "", "numbers of the friction law", ("law",))


def declared_layout(*state: Part, derived: tuple[Part, ...] = ()) -> Any:
    """What a class writes as its `layout`: its declared numbers, those of its `law` if it has one, and its state.

    Args:
        state: the parts of its state.
        derived: parameters that follow from its fields, which its `values` tell.
    """

    @cache
    def made(owner: type, dimension: int, law: int | None) -> Layouts:
        own, sizes = ((), {}) if law is None else ((LAW,), {"law": law})
        parameters = (*parts_of(owner), *own, *derived)
        return layouts(dimension=dimension, sizes=sizes, parameters=parameters, state=state)

    def layout(block: Any) -> Layouts:
        law = getattr(block, "law", None)
        return made(block.__class__, block.dimension, None if law is None else len(law.parameters))

    return property(layout, doc=f"What it is made of; {', '.join(part.name for part in state)}.")
