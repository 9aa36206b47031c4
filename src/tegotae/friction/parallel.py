"""Friction elements side by side: hysteresis before sliding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Annotated, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance, Kernels
from tegotae.checks import Array
from tegotae.friction.element import FrictionImpedance
from tegotae.friction.kernels import parallel as k
from tegotae.friction.kernels import stack
from tegotae.friction.laws import Coulomb, Law, LawKernels, as_law
from tegotae.layout import AXIS, Layouts, Part, layouts
from tegotae.naming import changed_parts
from tegotae.parameters import Dimension, Parameter
from tegotae.state import Fault, State

Numbers = float | Iterable[float]
_GIVE = "Give magnitudes."
_COLUMNS = ("stiffness", "damping", "mass", "lag")  # of an element beside its law

_EACH = ("count",)  # a number an element
_TOTALS = (
    Part("force", "N", "force on the mover, all elements together", AXIS, "f"),
    Part("deflection", "m", "mean deflection of the elements, weighted by stiffness", AXIS, "mean"),
)
_LIMITS = Part("limits", "N", shape=_EACH, letter="F")
_SUM = Part("total_stiffness", "N/m", "of all elements", letter="SK")
_STRETCH = Part("elements", "m", "deflection of each element", _EACH, "e", recorded=False)


@cache
def _plain_layout(count: int, even: bool) -> Layouts:
    shape = () if even else _EACH
    springs = (Part("stiffness", "N/m", shape=shape, letter="K"), Part("damping", "N·s/m", shape=shape, letter="B"))
    parameters = (*springs, _LIMITS) if even else (*springs, _LIMITS, _SUM)
    return layouts(sizes={"count": count}, parameters=parameters, state=(*_TOTALS, _STRETCH))


@cache
def _stack_layout(count: int) -> Layouts:
    sums = Part("sums", "", "stretch at which each yields, sums of limits and stiffnesses before it", ("places", 3))
    meaning = "in which direction each group slid last, or 0"
    return layouts(
        sizes={"count": count, "places": count + 1},
        parameters=(sums,),
        state=(
            *_TOTALS,
            Part("place", "m", "of the mover", (), "x", recorded=False),
            Part("direction", "-", "of the motion", (), "way", whole=True, least=-1, most=1, recorded=False),
            Part("sliding", "-", "how many slide", (), "i0", whole=True, recorded=False),
            Part("groups", "-", "how many groups stick", (), "depth", whole=True, recorded=False),
            Part("group_places", "m", "where each group slid last", _EACH, "x_g", recorded=False),
            Part("group_directions", "-", meaning, _EACH, "sign_g", whole=True, least=-1, most=1, recorded=False),
            Part("group_ends", "-", "behind its last element", _EACH, "end_g", whole=True, recorded=False),
            Part("group_rests", "N", "what the groups below it add to the force", _EACH, "rest_g", recorded=False),
        ),
    )


@cache
def _general_layout(dimension: int, count: int, laws: int) -> Layouts:
    one = (
        Part("element_force", "N", "of one element", AXIS, "f"),
        Part("element_slope", "N·s/m", "of one element", AXIS * 2, "d"),
    )
    return layouts(
        dimension=dimension,
        sizes={"count": count, "starts": count + 1, "laws": laws},
        parameters=(
            Part("elements", "", "stiffness, damping, mass and lag of each", ("count", 4)),
            _SUM,
            Part("laws", "", "numbers of the friction laws", ("laws",)),
            Part("starts", "-", "where those of each law start", ("starts",), whole=True),
            Part("kinds", "-", "which kind of law each has", _EACH, whole=True),
        ),
        state=(*_TOTALS, Part("elements", "", "state of the elements", ("count", 4 * dimension + 1), recorded=False)),
        workspace=() if dimension == 1 else one,
    )


def _laws(owner: str, name: str, value: Any) -> tuple[Law, ...]:
    laws = tuple(as_law(owner, "law", law) for law in ((value,) if isinstance(value, Law) else value))
    if not laws:
        checks.refuse(owner, f"{name} is empty.", "Give at least one.")
    return laws


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ParallelFriction(Impedance):
    """N friction elements that see the same motion; their forces add.  [kikuuwe2005, section 4]

    Where the elements yield one after the other, the force has hysteresis before it slides, as real machines do.
    Without damping and mass (and with Coulomb laws in one dimension) a reversal stack gives the very same force at a
    cost that does not grow with the number of elements; it is used automatically.

    Runs record `force` [N] and `deflection` [m] (the elements' mean, weighted by stiffness).

    Example:
        >>> import numpy as np, tegotae as tg
        >>> hysteresis = tg.ParallelFriction(stiffness=1e4, damping=100.0, limits=range(1, 11))
        >>> float(hysteresis.run(np.full(500, 0.01), period=1e-3).force[-1])
        -55.0
    """

    stiffness: Annotated[Numbers, Parameter("K [N/m], > 0, one for all or one an element", _GIVE)]
    damping: Annotated[Numbers, Parameter("B [N·s/m], >= 0, one for all or one an element", _GIVE)] = 0.0
    limits: Annotated[
        Numbers | None,
        Parameter("F [N], > 0, Coulomb limits, one an element; these or `laws`", "Leave out such elements."),
    ] = None
    laws: Annotated[Sequence[Law] | None, Parameter("one an element, of any kinds", accept=_laws)] = None
    mass: Annotated[Numbers, Parameter("M [kg], >= 0, one for all or one an element", _GIVE)] = 0.0
    lag: Annotated[Numbers, Parameter("tau [s], >= 0, one for all or one an element", _GIVE)] = 0.0
    dimension: Dimension = 1

    def __post_init__(self) -> None:
        owner, assign = type(self).__name__, object.__setattr__
        if (self.limits is None) == (self.laws is None):
            got = "both limits and laws" if self.laws is not None else "neither limits nor laws"
            checks.refuse(owner, f"it got {got}.", "Give Coulomb limits=[...] or friction laws=[...].")
        super().__post_init__()
        limits, laws = cast(tuple[float, ...], self.limits), self.laws
        laws = tuple(Coulomb(limit) for limit in limits) if laws is None else laws
        columns = {name: np.array(getattr(self, name)) for name in _COLUMNS}
        forces = "laws" if limits is None else "limits"
        sizes = {n: c.size for n, c in columns.items() if c.size > 1} | {forces: len(laws)}
        count = max(sizes.values())
        if any(size not in (1, count) for size in sizes.values()):
            got = ", ".join(f"{size} {name}" for name, size in sizes.items())
            checks.refuse(owner, f"it got different numbers of elements: {got}.", "Give one value, or one an element.")
        laws = tuple(laws) * (count if len(laws) == 1 else 1)
        assign(self, "laws", laws)
        columns["limits"] = np.array([law.at_rest for law in laws] if limits is None else limits)
        for name, column in columns.items():
            kept = np.array(np.broadcast_to(column, count), dtype=np.float64)
            kept.flags.writeable = False  # parameters are immutable
            assign(self, name, kept)

    def elements(self) -> list[FrictionImpedance]:
        """The same elements one by one."""
        columns = (self._column(name) for name in _COLUMNS)
        return [
            FrictionImpedance(**dict(zip(_COLUMNS, numbers, strict=True)), law=law, dimension=self.dimension)
            for *numbers, law in zip(*columns, self.laws or (), strict=True)
        ]

    def varied(self, changes: Mapping[str, Any]) -> ParallelFriction:
        """The same composite with some parameters changed; new limits replace the laws."""
        fields = changed_parts(self, changes)
        return replace(self, **{"laws" if "limits" in fields else "limits": None} | fields)

    def __repr__(self) -> str:
        def range_of(column: Array) -> str:
            low, high = column.min(), column.max()
            return f"{low:g}" if low == high else f"{low:g}..{high:g}"

        columns = ", ".join(f"{name}={range_of(self._column(name))}" for name in (*_COLUMNS, "limits"))
        kinds = ", ".join(dict.fromkeys(type(law).__name__ for law in self.laws or ()))
        return f"ParallelFriction({len(self)} elements, {columns}, laws={kinds}, dimension={self.dimension})"

    def __len__(self) -> int:
        return len(self.laws or ())

    def _column(self, name: str) -> Array:
        return np.asarray(getattr(self, name))

    @cached_property
    def _plain(self) -> bool:
        """One dimension, Coulomb, no mass, no lag."""
        still = not self._column("mass").any() and not self._column("lag").any()
        return self.dimension == 1 and still and all(isinstance(law, Coulomb) for law in self.laws or ())

    @cached_property
    def _even(self) -> bool:
        """Plain, with one stiffness and one damping for all."""
        return self._plain and all(np.ptp(self._column(name)) == 0.0 for name in ("stiffness", "damping"))

    @cached_property
    def by_stack(self) -> bool:
        """Whether the reversal stack serves: plain, and without damping."""
        return self._plain and not self._column("damping").any()

    @cached_property
    def _kinds(self) -> tuple[LawKernels, ...]:
        """The distinct laws' kernels, in order of appearance."""
        return tuple(dict.fromkeys(law.kernels for law in self.laws or ()))

    @property
    def layout(self) -> Layouts:
        """The elements; total force, mean deflection, then what the kernels keep of the elements."""
        if self.by_stack:
            return _stack_layout(len(self))
        if self._plain:
            return _plain_layout(len(self), self._even)
        numbers = sum(len(law.parameters) for law in self.laws or ())
        return _general_layout(self.dimension, len(self), numbers)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """As `kernels.parallel` and `kernels.stack` read them."""
        K, B, F = self._column("stiffness"), self._column("damping"), self._column("limits")
        if self.by_stack:
            order = np.argsort(F / K, kind="stable")
            sums = [np.concatenate([[0.0], np.cumsum(c[order], dtype=np.longdouble)]) for c in (F, K)]
            yields = np.append((F / K)[order], np.inf)
            return {"sums": np.stack([yields, *sums], axis=1)}
        if self._even:
            return {"stiffness": K[0], "damping": B[0], "limits": F}
        if self._plain:
            return {"stiffness": K, "damping": B, "limits": F, "total_stiffness": K.sum()}
        laws = self.laws or ()
        numbers = [law.parameters for law in laws]
        return {
            "elements": np.stack([self._column(name) for name in _COLUMNS], axis=1),
            "total_stiffness": K.sum(),
            "laws": np.concatenate(numbers),
            "starts": np.concatenate([[0], np.cumsum([len(one) for one in numbers])]),
            "kinds": [self._kinds.index(law.kernels) for law in laws],
        }

    @property
    def kernels(self) -> Kernels:
        """The cheapest kernels that give this composite exactly."""
        if self.by_stack:
            return Kernels.of(stack.stack_answer, stack.stack_advance)
        if self._even:
            return Kernels.of(k.even_answer, k.even_advance)
        if self._plain:
            return Kernels.of(k.plain_answer, k.plain_advance)
        flat = tuple(kernel for pair in self._kinds for kernel in pair)
        return Kernels(k.parallel_kernels if self.dimension == 1 else k.parallel_kernels_vector, flat)

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """At rest; the stack starts with all elements in one group that has never slid."""
        state = super().initial_state(period, initial)
        given = initial or {}
        if self.by_stack and "groups" not in given:
            state["groups"] = 1
        if self.by_stack and "group_ends" not in given:
            state.part("group_ends")[0] = len(self)
        return state

    def fault(self, state: State) -> Fault | None:
        """Of the stack: groups follow each other from the stiffest element down to those that slide."""
        found = super().fault(state)
        return found or (self._fault_of_stack(state) if self.by_stack else None)

    def _fault_of_stack(self, state: State) -> Fault | None:
        count, groups = len(self), state["groups"]
        if groups > count:
            return Fault("groups", 0, f"a whole number from 0 to {count}")
        # Where each group ends, from the lowest, which ends with the last element, to those that slide now.
        ends = np.append(state.part("group_ends")[:groups], state["sliding"])
        above = np.append(count + 1, ends[:-1])
        wrong = ends >= above
        wrong[0] |= ends[0] != count
        if not wrong.any():
            return None
        worst = int(np.argmax(wrong))
        may_be = f"a whole number from 0 to {above[worst] - 1}, where a group ends"
        if worst == 0:
            may_be = f"{count}, where the lowest group ends"
        return Fault("group_ends", worst, may_be) if worst < groups else Fault("sliding", 0, may_be)

    def check(self, period: float) -> None:
        """Every element has one sliding speed."""
        if any(law.steepest_fall > 0.0 for law in self.laws or ()):
            for element in self.elements():
                element.check(period)

    def steepest_rise(self, period: float) -> float:
        """The sum over the elements [N·s/m]."""
        if all(law.steepest_fall == 0.0 for law in self.laws or ()):
            return 0.0
        return sum(element.steepest_rise(period) for element in self.elements())
