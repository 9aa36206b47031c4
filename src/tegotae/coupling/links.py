"""Links: which impedance joins which ports, what that needs of both, and when a coupled step has one solution."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Admittance, Impedance
from tegotae.checks import Array
from tegotae.errors import CausalityError, UniquenessError
from tegotae.ports import EITHER, Port, find, spans
from tegotae.running.contract_check import check_block

OWN = "Circuit"


@dataclass(frozen=True, eq=False, repr=False)
class Link:
    """An impedance between two ports, or between a port and the ground.

    It feels u = ratio * (motion of the port) - other_ratio * (motion of the other port), and its force f acts on the
    port as ratio * f, on the other one as -other_ratio * f.

    Args:
        impedance: what joins them.
        port: "machine.port", or "machine" if that has one port only.
        other: the port at the other end; the ground if left out.
        ratio: of the transmission [-]; or a matrix (dimension of the impedance, that of the port), such as
            [[0, 0, 1, 0, 0, 0]] to join a point of a body in z alone.
        other_ratio: the same for the other port [-].
        base: whether the ground at the other end moves, by a velocity given to `run`.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> rope = tg.SpringDamper(stiffness=1e4, damping=50.0)
        >>> cars = {"front": tg.Mass(mass=1.0), "back": tg.Mass(mass=3.0)}
        >>> train = tg.Circuit(cars, {"rope": tg.Link(rope, "front", "back")})
        >>> run = train.run({"front": np.full(2000, 4.0)}, period=1e-3)
        >>> round(float(run["front.velocity"][-1]), 2), round(float(run["rope.force"][-1]), 2)
        (2.0, -3.0)
    """

    impedance: Impedance
    port: str | None = None
    other: str | None = None
    ratio: ArrayLike = 1.0
    other_ratio: ArrayLike = 1.0
    base: bool = False

    def __post_init__(self) -> None:
        block: object = self.impedance  # whatever it is
        if not isinstance(block, Impedance):
            gives = ": it gives motion" if isinstance(block, Admittance) else " is no block"
            told = f"Link: impedance={checks.shown(block)}{gives}."
            raise CausalityError(f"{told}\n  Give an impedance, such as a SpringDamper, to join what moves.")
        for name in ("port", "other"):
            if getattr(self, name) is not None:
                checks.text("Link", name, getattr(self, name), "Name a port, such as 'arm.hand', or leave it out.")
        for name in ("ratio", "other_ratio"):
            given = checks.numbers("Link", name, getattr(self, name))
            checks.finite("Link", name, given, "")
        checks.flag("Link", "base", self.base)

    def __repr__(self) -> str:
        """What differs from an impedance by itself."""
        told = [repr(self.impedance), *(repr(name) for name in (self.port, self.other) if name is not None)]
        own = {"ratio": self.ratio, "other_ratio": self.other_ratio}
        told += [f"{name}={value!r}" for name, value in own.items() if np.ndim(value) or value != 1.0]
        return f"Link({', '.join(told + ['base=True'] * bool(self.base))})" if len(told) > 1 or self.base else told[0]


class End(NamedTuple):
    """One end of a link: where its port begins among all motions, and how much faster the link moves."""

    row: int
    ratio: Array  # () or (dimension of the link, dimension of the port)

    def matrix(self, dimension: int) -> Array:
        """The ratio as a matrix."""
        return self.ratio if self.ratio.ndim else self.ratio * np.eye(dimension)


class Wire(NamedTuple):
    """A link whose ports are found."""

    name: str
    block: Impedance
    ends: tuple[End, ...]
    based: bool

    @property
    def through(self) -> bool:
        """Whether motion reaches it through matrices."""
        return any(end.ratio.ndim for end in self.ends)

    def ratios(self) -> list[Array]:
        """The numbers of each end: all of them matrices if one is."""
        n = self.block.dimension
        return [end.matrix(n) if self.through else end.ratio for end in self.ends]

    def kind(self) -> tuple[object, ...]:
        """What links share that one loop runs."""
        shapes = tuple(ratio.shape for ratio in self.ratios())
        return (*shapes, self.based, *(bool((end.ratio != 1.0).any()) for end in self.ends))

    def map(self, rows: int) -> Array:
        """The matrix from the motions of all ports to that of the link."""
        whole = np.zeros((self.block.dimension, rows))
        for end, sign in zip(self.ends, (1.0, -1.0), strict=False):
            own = end.matrix(self.block.dimension)
            whole[:, end.row : end.row + own.shape[1]] += sign * own
        return whole


def ports_of(admittances: Mapping[str, Admittance]) -> tuple[Port, ...]:
    """All ports, as links and users call them: "machine.port", "machine" where it has one, "port" of a lone one."""
    told = []
    for name, block in admittances.items():
        for port in block.ports:
            alone = name if len(block.ports) == 1 else f"{name}.{port.name}"
            told.append(port if not name else port._replace(name=alone))
    return tuple(told)


def wire(name: str, link: Link, admittances: Mapping[str, Admittance]) -> Wire:
    """Find the ports of a link, or refuse it in words. An impedance by itself is moved by all of a lone admittance."""
    block, base, ports = link.impedance, link.base, ports_of(admittances)
    check_block(block)
    if link.port is None:
        return Wire(name, block, (_whole(name, link, block, admittances),), base)
    if base and link.other is not None:
        checks.refuse(OWN, f"{name!r} ends at {link.other!r} and at a moving base.", "Leave one of them out.")
    named = [("port", "ratio")] + ([("other", "other_ratio")] if link.other is not None else [])
    found = [find(OWN, f"{name}.{word}", ports, getattr(link, word)) for word, _ in named]
    ends = []
    for port, (_, word) in zip(found, named, strict=True):
        ratio = _ratio(f"{name}.{word}", getattr(link, word), block, port)
        ends.append(End(spans(ports)[port.name].start, ratio))
    plain = all(end.ratio.ndim == 0 and end.ratio == 1.0 for end in ends)
    if plain and len({port.motion for port in found} - {EITHER.motion}) > 1:
        told = " and ".join(f"{port.name!r} [{port.motion}]" for port in found)
        remedy = "Join ports of one unit, or say how they are geared: ratio=, other_ratio=."
        checks.refuse(OWN, f"{name!r} joins {told}.", remedy)
    if len(ends) == 2 and ends[0].row == ends[1].row:
        checks.refuse(OWN, f"{name!r} joins {link.port!r} to itself.", "Give another port, or none for the ground.")
    return Wire(name, block, tuple(ends), base)


def linked(name: str, block: object, admittances: Mapping[str, Admittance]) -> Link:
    """An impedance that is given by itself as a link, seen to be one."""
    if isinstance(block, Link):
        return block
    if isinstance(block, Admittance):
        other = next(iter(admittances.values())).name
        raise CausalityError(
            f"{OWN}: {name!r} is a {block.name}, which gives motion, and so does {other}.\n"
            "  Join two moving parts by an impedance between them, such as a SpringDamper."
        )
    if not isinstance(block, Impedance):
        told = f"impedances[{checks.shown(name)}]={checks.shown(block)} is no block."
        raise CausalityError(f"{OWN}: {told}\n  Give an impedance, or a Link(...) of one.")
    return Link(block)


def _whole(name: str, link: Link, block: Impedance, admittances: Mapping[str, Admittance]) -> End:
    """The end of an impedance that names no port."""
    if "" not in admittances:
        known = ", ".join(port.name for port in ports_of(admittances))
        told = f"{name!r} hangs in the air: it names no port."
        checks.refuse(OWN, told, f"Give Link(impedance, port) or Link(impedance, port, other), with ports of {known}.")
    mover = admittances[""]
    if block.dimension != mover.dimension:
        checks.refuse(
            OWN,
            f"{name!r} has dimension={block.dimension}, but {mover.name} moves in {mover.dimension}.",
            f"Use dimension={mover.dimension}, or Link(...) to one of its ports: "
            f"{', '.join(port.name for port in mover.ports)}.",
        )
    return End(0, np.asarray(checks.number(OWN, f"ratios[{name!r}]", link.ratio, "")))


def _ratio(label: str, given: ArrayLike, block: Impedance, port: Port) -> Array:
    """A number where link and port have one dimension, or a matrix that leads from the port to the link."""
    n, m = block.dimension, port.dimension
    ratio = checks.numbers(OWN, label, given) if np.ndim(given) else np.asarray(checks.number(OWN, label, given, ""))
    checks.finite(OWN, label, ratio, "")
    if ratio.ndim == 0 and n != m:
        told = f"{label.split('.')[0]!r} has dimension={n}, but {port.name!r} moves in {m} ({port.motion})."
        checks.refuse(OWN, told, f"Use dimension={m}, or a matrix of shape ({n}, {m}) as {label.split('.')[1]}=.")
    if ratio.ndim and ratio.shape != (n, m):
        checks.refuse(OWN, f"{label} has shape {ratio.shape}.", f"Give a number, or a matrix of shape ({n}, {m}).")
    return ratio


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


def outweighed(admittances: Mapping[str, Admittance], wires: Sequence[Wire], period: float) -> tuple[float, float]:
    """The least of what masses need [N·s/m], and what is left of it in the worst direction after falling friction."""
    least = np.concatenate([np.full(a.dimension, a.least_reluctance(period)) for a in admittances.values()])
    falling = [(wire.map(least.size), rise) for wire in wires if (rise := wire.block.steepest_rise(period)) > 0.0]
    if not falling:
        return float(least.min()), float(least.min())
    left = np.diag(least) - sum(rise * (through.T @ through) for through, rise in falling)
    return float(least.min()), float(np.linalg.eigvalsh(left)[0]) if np.isfinite(left).all() else -np.inf


def check_one_solution(admittances: Mapping[str, Admittance], wires: Sequence[Wire], period: float) -> None:
    """Refuse a period at which a step can have two solutions."""
    falling = [wire.name for wire in wires if wire.block.steepest_rise(period) > 0.0]
    least, left = outweighed(admittances, wires, period)
    if left <= 0.0:
        moved = " or ".join(block.name for block in {id(b): b for b in admittances.values()}.values())
        more = checks.just_above(period * -left, 3)
        raise UniquenessError(
            f"{OWN}: at period={period:g} s friction may fall by {least - left:.4g} N·s/m, more than the "
            f"{moved} outweighs ({least:.4g} N·s/m), so a step can have two solutions.\n"
            f"  Add {more} kg to the {moved}, or damping to {', '.join(falling)}."
        )
