"""The layout of a block whose parameters are the numbers that its class declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from tegotae.layout import Layouts, Part, layouts
from tegotae.parameters import parts_of

LAW = Part("law", "", "numbers of the friction law", ("law",))


def declared_layout(
    *state: Part,
    derived: tuple[Part, ...] = (),
    workspace: tuple[Part, ...] = (),
    sizes: Callable[[Any], Mapping[str, int]] = lambda block: {},
) -> Any:
    """What a class writes as its `layout`: its declared numbers, those of its `law` if it has one, and its state.

    Args:
        state: the parts of its state.
        derived: parameters that follow from its fields, which its `values` tell.
        workspace: where a tick works.
        sizes: of a block, the sizes that its parts name.
    """

    @cache
    def made(owner: type, dimension: int, sizes: tuple[tuple[str, int], ...]) -> Layouts:
        extents = dict(sizes)
        parameters = (*parts_of(owner), *((LAW,) if "law" in extents else ()), *derived)
        return layouts(dimension=dimension, sizes=extents, parameters=parameters, state=state, workspace=workspace)

    def layout(block: Any) -> Layouts:
        law = getattr(block, "law", None)
        extents = {**sizes(block), **({} if law is None else {"law": len(law.parameters)})}
        return made(block.__class__, block.dimension, tuple(extents.items()))

    return property(layout, doc=f"What it is made of; {', '.join(part.name for part in state)}.")
