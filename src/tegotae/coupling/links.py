"""Links: which impedance joins which ports, what that needs of both, and when a coupled step has one solution."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks, naming
from tegotae.block import Admittance, Impedance
from tegotae.checks import Array
from tegotae.errors import CausalityError, UniquenessError
from tegotae.ports import EITHER, Port, find, motions_of, shortest, spans
from tegotae.running.contract_check import check_block

OWNER = "Circuit"
_GEARS = ("ratio", "other_ratio")
_WORD = "Use a plain word, such as 'brake'."


@dataclass(frozen=True, eq=False, repr=False)
class Link(naming.Named):
    """An impedance between two ports, or between a port and the ground.

    It feels u = ratio * (motion of the port) - other_ratio * (motion of the other port), and its force f acts on the
    port as ratio * f, on the other one as -other_ratio * f.

    Args:
        impedance: what joins them.
        port: "machine.port", or "machine" if that has one port only.
        other: the port at the other end; the ground if left out.
        ratio: of the transmission [-], 1 unless given; or a matrix (dimension of the impedance, that of the port), such
            as [[0, 0, 1, 0, 0, 0]] to join a point of a body in z alone. One that is given joins unlike units, too.
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
    ratio: ArrayLike | None = None
    other_ratio: ArrayLike | None = None
    base: bool = False

    def __post_init__(self) -> None:
        block: object = self.impedance  # whatever it is
        if not isinstance(block, Impedance):
            remedy = "Give an impedance, such as a SpringDamper, to join what moves."
            _refuse(f"Link: impedance={checks.shown(block)} joins nothing", block, remedy)
        for name in ("port", "other"):
            if getattr(self, name) is not None:
                checks.text("Link", name, getattr(self, name), "Name a port, such as 'arm.hand', or leave it out.")
        for name in _GEARS:
            if (given := getattr(self, name)) is not None:
                checks.finite_array("Link", name, given, "")
        checks.flag("Link", "base", self.base)
        for name, needed in (("other", "port"), ("other_ratio", "other")):
            if (given := getattr(self, name)) is not None and getattr(self, needed) is None:
                problem = f"{name}={checks.shown(given)}, but {needed}= names no port."
                checks.refuse("Link", problem, f"Name a port: {needed}='arm.hand', or leave {name}= out.")

    def __repr__(self) -> str:
        """What differs from an impedance by itself."""
        args = [repr(self.impedance), *(repr(name) for name in (self.port, self.other) if name is not None)]
        args += [f"{name}={v!r}" for name in _GEARS if (v := getattr(self, name)) is not None]
        return f"Link({', '.join(args + ['base=True'] * bool(self.base))})" if len(args) > 1 or self.base else args[0]

    def named_parts(self) -> Mapping[str, Any]:
        """Its ratios by their names, and all of its impedance by its own."""
        return {name: getattr(self, name) for name in _GEARS} | {"": self.impedance}

    def varied(self, changes: Mapping[str, Any]) -> Link:
        """The same with other ratios, or with some of its impedance changed."""
        fields = naming.changed_parts(self.named_parts(), changes, "Link")
        return dataclasses.replace(self, impedance=fields.pop("", self.impedance), **fields)


class End(NamedTuple):
    """One end of a link: where its port begins among all motions, and how much faster the link moves."""

    row: int
    ratio: Array  # () or, at all ends if at one, (dimension of the link, dimension of the port)


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

    def kind(self) -> tuple[object, ...]:
        """What links share that one loop runs."""
        shapes = tuple(end.ratio.shape for end in self.ends)
        return (*shapes, self.based, *(bool((end.ratio != 1.0).any()) for end in self.ends))

    def map(self, rows: int) -> Array:
        """The matrix from the motions of all ports to that of the link."""
        whole = np.zeros((self.block.dimension, rows))
        for end, sign in zip(self.ends, (1.0, -1.0), strict=False):
            matrix = end.ratio if self.through else end.ratio * np.eye(self.block.dimension)
            whole[:, end.row : end.row + matrix.shape[1]] += sign * matrix
        return whole


def mass_of(wire: Wire, masses: Sequence[Any]) -> float | None:
    """The mass that a link feels [kg], its two ends together, from those in each direction; None if that is not said.

    What else is linked to them, and a mass behind a matrix or a base that moves, are left out.
    """
    mobility = 0.0
    for end in wire.ends:
        mass = masses[end.row]
        if end.ratio.ndim or not isinstance(mass, float):
            return None
        mobility += float(end.ratio) ** 2 / mass
    return 1.0 / mobility if mobility > 0.0 else None


def ports_of(admittances: Mapping[str, Admittance]) -> tuple[Port, ...]:
    """All ports, as links and users call them: "machine.port", or "machine" where it has one; "port" of a lone one."""
    ports = []
    for name, block in admittances.items():
        for port in block.ports:
            full = tuple(f"{name}.{label}" for label in (port.name, *port.also))
            alone = name if len(block.ports) == 1 else full[0]
            ports.append(port._replace(name=alone, also=full) if name else port)
    return tuple(ports)


class _Motions:
    """Those of all ports, while links are joined to them one by one: where they stand, and in which units.

    Without a ratio all ends of a link have one unit. What may have either has, from its first such link on, that of
    what it is joined to, in each direction and through any number of machines.
    """

    def __init__(self, admittances: Mapping[str, Admittance]):
        self.ports, alone = ports_of(admittances), admittances.get("")
        self.rows, self.units = spans(self.ports), motions_of(self.ports)
        self.alone = None if alone is None else Port(alone.name, alone.dimension, shortest(self.units))
        self._alike = [{row} for row in range(len(self.units))]  # with which directions each shares its unit
        self._said: dict[int, str] = {}  # by which link, where the machine itself does not say its unit

    def at(self, name: str, word: str, asked: str | None) -> tuple[Port, int]:
        """What one end of a link is joined to, a port or all of a lone admittance, named as in words; its first row."""
        if asked is not None:
            port = find(OWNER, f"{name}.{word}", self.ports, asked)
            return port._replace(name=repr(port.name)), self.rows[port.name].start
        if self.alone is None:
            problem = f"{name!r} is left hanging: it names no port."
            known = f"with ports of {', '.join(self.rows)}"
            checks.refuse(OWNER, problem, f"Give Link(impedance, port) or Link(impedance, port, other), {known}.")
        return self.alone, 0

    def join(self, name: str, block: Impedance, ends: Sequence[tuple[str, int]]) -> None:
        """Let the ends that no ratio gears, told by what is there and its first row, have the unit of the block."""
        sides = [(f"its {block.name}", "", motions_of(block.ports))]
        for who, row in ends:
            said = f" through {self._said[row]!r}" if row in self._said else ""
            sides.append((who, said, self.units[row : row + block.dimension]))
        for k, units in enumerate(zip(*(units for _, _, units in sides), strict=True)):
            known = [*dict.fromkeys(unit for unit in units if unit != EITHER.motion)]
            if len(known) > 1:
                known = [f"{who} [{shortest(own)}{said}]" for who, said, own in sides if {*own} != {EITHER.motion}]
                remedy = "Join what has one unit, or say how they are geared, be it by 1.0: ratio=, other_ratio=, or "
                checks.refuse(OWNER, f"{name!r} joins {' and '.join(known)}.", f"{remedy}ratios=.")
            alike = set().union(*(self._alike[row + k] for _, row in ends))
            for row in alike:
                self._alike[row] = alike
                if known and self.units[row] == EITHER.motion:
                    self.units[row], self._said[row] = known[0], name


def wires_of(links: Mapping[str, Link], admittances: Mapping[str, Admittance]) -> tuple[Wire, ...]:
    """Find the ports of all links, or refuse in words. One that names none is moved by all of a lone admittance."""
    motions, wires = _Motions(admittances), []
    for name, link in links.items():
        block, base = link.impedance, link.base
        check_block(block)
        if base and link.other is not None:
            checks.refuse(OWNER, f"{name!r} ends at {link.other!r} and at a moving base.", "Leave one of them out.")
        rows, ratios, plain = [], [], []
        for word, factor in (("port", "ratio"), ("other", "other_ratio"))[: 1 if link.other is None else 2]:
            (port, row), given = motions.at(name, word, getattr(link, word)), getattr(link, factor)
            rows.append(row)
            ratios.append(_ratio(f"{name}.{factor}", given, block, port, () if link.port else motions.ports))
            if given is None:
                plain.append((port.name, row))
        motions.join(name, block, plain)
        if len(rows) == 2 and rows[0] == rows[1]:
            checks.refuse(OWNER, f"{name!r} joins {link.port!r} to itself.", "Give another, or none for the ground.")
        if any(ratio.ndim for ratio in ratios):
            ratios = [ratio if ratio.ndim else ratio * np.eye(block.dimension) for ratio in ratios]
        wires.append(Wire(name, block, tuple(map(End, rows, ratios)), base))
    return tuple(wires)


def _refuse(problem: str, block: object, remedy: str) -> NoReturn:
    """Say what it is that cannot stand there, and the way out."""
    gives = "motion" if isinstance(block, Admittance) else "force" if isinstance(block, Impedance) else ""
    kind = f"it gives {gives}" if gives else "it is not a block"
    if hasattr(block, "as_admittance"):
        kind, remedy = "it has no ports", "Let something move: give its as_admittance(force=..., velocity=...)."
    raise CausalityError(f"{problem}: {kind}.\n  {remedy}")


def _ratio(label: str, given: ArrayLike | None, block: Impedance, port: Port, ports: Sequence[Port]) -> Array:
    """A number where link and port have one dimension, or a matrix that leads from the port to the link.

    One of `ports` could be named instead.
    """
    n, m, ratio = block.dimension, port.dimension, np.asarray(1.0 if given is None else given, dtype=np.float64)
    if ratio.ndim == 0 and n != m:
        name, factor = label.split(".")
        fitting = ", ".join(each.name for each in ports if each.dimension == n)
        geared = f"Link(..., {factor}=matrix), a matrix of shape ({n}, {m})"
        problem = f"{name!r} has dimension={n}, but {port.name} moves in {m} ({port.motion})."
        other = f"Link(...) to one of its ports: {fitting}" if fitting else geared
        checks.refuse(OWNER, problem, f"Use dimension={m}, or {other}.")
    if ratio.ndim and ratio.shape != (n, m):
        checks.refuse(OWNER, f"{label} has shape {ratio.shape}.", f"Give a number, or a matrix of shape ({n}, {m}).")
    if not ratio.any():
        problem = f"{label}=0 leaves {label.split('.')[0]!r} hanging: it would neither feel nor push {port.name}."
        checks.refuse(OWNER, problem, "Give another ratio, or leave the link out.")
    return ratio.reshape(()) if ratio.size == 1 else ratio


def admittances_of(given: object) -> dict[str, Admittance]:
    """What moves, by name; a lone admittance has none."""
    named = given if isinstance(given, Mapping) else {"": given}
    if named is given and "" in named:
        checks.refuse(OWNER, "admittance name ''.", _WORD)
    if not named:
        raise CausalityError(
            f"{OWNER}: admittance={given!r} has nothing that moves.\n  Give {{'arm': ..., 'rod': ...}}."
        )
    for name, block in named.items():
        label = f"admittance[{checks.shown(name)}]" if isinstance(given, Mapping) else "admittance"
        if not isinstance(block, Admittance):
            remedy = "Start a circuit with what moves, such as Mass(mass=...) or FrictionAdmittance(...)."
            _refuse(f"{OWNER}: {label}={checks.shown(block)} cannot move anything", block, remedy)
        check_block(block)
        if not block.dimension:
            raise CausalityError(
                f"{OWNER}: {label}: {block.name} has no ports, so nothing can be wired to it.\n"
                f"  Name where it meets others, such as {block.name}(..., at=...)."
            )
    return dict(named)


def links_of(
    admittances: Mapping[str, Admittance], impedances: object, ratios: object, bases: object
) -> dict[str, Link]:
    """All impedances as links, with what `ratios` and `bases` say of those that are given by themselves."""
    if not isinstance(impedances, Mapping):
        raise CausalityError(f"{OWNER}: impedances={checks.shown(impedances)} have no names.\n  Give {{'brake': ...}}.")
    geared = checks.mapping(OWNER, "ratios", ratios, "Give a number for each name, such as {'brake': 2.0}.")
    based = checks.texts(OWNER, "bases", bases, "Give a list of names of impedances.")
    links: dict[str, Link] = {}
    for name, given in impedances.items():
        if isinstance(given, Admittance):
            other = next(iter(admittances.values())).name
            raise CausalityError(
                f"{OWNER}: {name!r} is a {given.name}, which gives motion, and so does {other}.\n"
                "  Join two moving parts by an impedance between them, such as a SpringDamper."
            )
        if not isinstance(given, Link | Impedance):
            problem = f"{OWNER}: impedances[{checks.shown(name)}]={checks.shown(given)} joins nothing"
            _refuse(problem, given, "Give an impedance, or a Link(...) of one.")
        links[name] = given if isinstance(given, Link) else Link(given)
        if isinstance(given, Link) and name in {*geared, *based}:
            checks.refuse(OWNER, f"{name!r} is a Link, and named in ratios or bases.", "Say it in Link(ratio=, base=).")
    for label, names in (("ratios", geared), ("bases", based)):
        for name in names:
            if name not in links:
                checks.refuse(OWNER, f"{label} names {name!r}.", f"It has impedances {', '.join(links)}.")
    for name, ratio in geared.items():
        links[name] = dataclasses.replace(links[name], ratio=checks.number(OWNER, f"ratios[{name!r}]", ratio, ""))
    for name in based:
        links[name] = dataclasses.replace(links[name], base=True)
    _check_names(admittances, links)
    return links


def _check_names(admittances: Mapping[str, Admittance], links: Mapping[str, Link]) -> None:
    """Every block has a plain word of its own."""
    taken = dict.fromkeys(("velocity", "force", "unsolved"), "the circuit")  # under which its results have more
    alone = admittances.get("")
    if alone is not None:
        taken |= {name.split(".")[0]: alone.name for name in alone.parts}
    for what, names in (("admittance", admittances if alone is None else ()), ("impedance", links)):
        for name in names:
            if not isinstance(name, str) or not name.isidentifier():
                checks.refuse(OWNER, f"{what} name {name!r}.", _WORD)
            if name in taken:
                checks.refuse(OWNER, f"{name!r} is already a name in {taken[name]}.", "Choose another name.")
            taken[name] = "the circuit"


def outweighed(admittances: Mapping[str, Admittance], wires: Sequence[Wire], period: float) -> tuple[Array, Array]:
    """What masses need in each direction [N·s/m], and the matrix that falling friction leaves of it."""
    least = np.concatenate([np.full(a.dimension, a.least_reluctance(period)) for a in admittances.values()])
    left = np.diag(least)
    for wire in wires:
        if (rise := wire.block.steepest_rise(period)) > 0.0:
            through = wire.map(least.size)
            left -= rise * (through.T @ through)
    return least, left if np.isfinite(left).all() else -checks.LARGEST * np.eye(least.size)


def refuse_period(admittances: Mapping[str, Admittance], wires: Sequence[Wire], period: float) -> NoReturn:
    """Say why a step can have two solutions, and the way out."""
    least, left = outweighed(admittances, wires, period)
    values, vectors = np.linalg.eigh(left)
    falling = ", ".join(repr(wire.name) for wire in wires if wire.block.steepest_rise(period) > 0.0)
    moved = np.abs(vectors[:, values <= max(values[0], 0.0)]).max(axis=1) > 1e-9  # in motions that nothing holds
    owners = np.repeat(list(admittances), [block.dimension for block in admittances.values()])
    light = {name: admittances[name] for name in owners[moved].tolist()}
    who = " and ".join(repr(name) if name else f"the {block.name}" for name, block in light.items())
    remedy = f"Give {falling or 'what rubs'} a law that falls less."
    if all(hasattr(block, "mass") for block in light.values()):
        more = checks.just_above(period * (1e-9 * least.max() - values[0]), 3)  # beyond rounding
        remedy = f"Add {more} kg to {'each of ' * (len(light) > 1)}{who}, or give {falling} a law that falls less."
    raise UniquenessError(
        f"{OWNER}: at period={period:g} s friction may fall by {least.min() - values[0]:.4g} N·s/m, more than {who} "
        f"can outweigh ({least.min():.4g} N·s/m), so a step can have two solutions.\n  {remedy}"
    )
