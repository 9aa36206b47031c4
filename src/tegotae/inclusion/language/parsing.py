"""Reading a user's rows: which elements they hold, and whether each means what it must."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NoReturn

import numpy as np
import sympy
from sympy import Expr, ImmutableMatrix, Symbol
from sympy.core.relational import Relational

from tegotae import checks
from tegotae.errors import InputError
from tegotae.inclusion.language.grammar import refuse, value_of
from tegotae.inclusion.language.symbols import CoulombForce, Dio, Sgn, coulomb


@dataclass(frozen=True)
class ContactElement:
    """A contact as read: its name, gap and the symbol that stands for its force."""

    name: str
    gap: Expr
    force: Symbol

    @property
    def forces(self) -> tuple[Symbol, ...]:
        """That symbol alone."""
        return (self.force,)


@dataclass(frozen=True)
class FrictionElement:
    """A friction as read: its name, limit, slips and the symbols that stand for its force."""

    name: str
    limit: Expr
    slips: tuple[Expr, ...]
    static: Expr | None
    forces: tuple[Symbol, ...]


def expression(state: Any, value: Any, names: Mapping[str, Symbol]) -> Expr:
    """The row of a state as SymPy reads it; text may use the names of states and parameters."""
    formula = value_of(value, "Inclusion", f"the row of {state}", names)
    if not isinstance(formula, Expr) or isinstance(formula, sympy.MatrixBase):
        refuse(f"the row of {state}, {value!r}, is not an expression.", "Give one formula a state.")
    if formula.has(sympy.nan, sympy.oo, -sympy.oo, sympy.zoo):
        refuse(f"the row of {state}, {formula}, is not finite.", "Divide by no zero.")
    if formula.has(sympy.I):
        refuse(f"the row of {state}, {formula}, is not real.", "Name a parameter otherwise than I.")
    return formula


_MOST_ENTRIES = 10**6  # of a matrix of formulas


def matrix_of(given: Any) -> ImmutableMatrix | None:
    """A mass matrix as SymPy carries it; None if none is given."""
    if given is None:
        return None
    try:
        return ImmutableMatrix(_entries(given))
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"Inclusion: mass_matrix={checks.shown(given)} is not a matrix ({str(error).strip()}).\n"
            "  Give one row a state."
        ) from error


def _entries(given: Any) -> Any:
    """Read one by one: SymPy would run text among them as Python."""
    if isinstance(given, sympy.MatrixBase):
        return given
    if isinstance(given, np.ndarray) and (given.size > _MOST_ENTRIES or given.ndim > 2):
        raise ValueError("it has too many entries")
    rows = np.asarray(given, dtype=object).tolist() if hasattr(given, "__array__") else given
    if not isinstance(rows, (list, tuple)):
        raise TypeError("it has no rows")
    return [
        _entries(row) if isinstance(row, (list, tuple)) else value_of(row, "Inclusion", "mass_matrix") for row in rows
    ]


def with_elements(row: Expr) -> Expr:
    """Plain products limit*sgn(slip) as `coulomb` elements, refused where the product is not the whole force."""
    if not row.has(Sgn):
        return row
    if isinstance(row, Sgn):
        return coulomb(1, row.args[0])
    if isinstance(row, CoulombForce):
        return row
    if row.is_Mul:
        found = [factor for factor in row.args if isinstance(factor, Sgn)]
        if len(found) == 1 and not (row / found[0]).has(Sgn):
            return _product(row, found[0])
        if found or any(factor.has(Sgn) and factor.is_Pow for factor in row.args):
            refuse(f"{row} multiplies several signs.", "Write one coulomb(limit, slip) a friction.")
        return sympy.Mul(*(with_elements(factor) for factor in row.args))
    if row.is_Add:
        return sympy.Add(*(with_elements(term) for term in row.args))
    return refuse(f"{row} has sgn inside another function.", "A friction force stands in a sum: limit*sgn(slip).")


def _product(row: Expr, sign: Sgn) -> Expr:
    """limit*sgn(slip) -> coulomb(limit, slip), if nothing but the limit stands beside the sign."""
    rest = row / sign
    number, limit = rest.as_coeff_Mul()
    direction = -1 if number < 0 else 1
    limit = abs(number) * limit
    if sympy.denom(sympy.together(limit)).free_symbols:
        refuse(
            f"{row} divides a friction force, so its limit {limit} would not be a force.",
            f"Name the force: coulomb({sympy.numer(sympy.together(limit))}, {sign.args[0]}, 'name'), and divide that.",
        )
    return direction * coulomb(limit, sign.args[0])


def check_limit(limit: Expr, values: Mapping[Symbol, float]) -> None:
    """A limit that can become negative would push along the slip."""
    if not _never_negative(limit, values):
        refuse(
            f"the limit {limit} of a friction can be negative.",
            "Use magnitudes: parameters >= 0, dio(...), abs(...), squares, exponentials and their sums and products.",
        )


def check_static(name: str, static: Expr, kinetic: Expr, values: Mapping[Symbol, float]) -> None:
    """A limit at rest that is surely below the limit of sliding means nothing: at once it would slide and hold.

    What only the motion tells (a limit of speed or time) is judged when the friction holds; see `Flow`.
    """
    more = sympy.expand((static - kinetic).subs(values))
    # Times a push >= 0 it is <= 0, and 0 only where nothing presses.
    if more.is_negative or (more.is_nonpositive and not more.is_zero):
        refuse_static("Inclusion", name, str(static.subs(values)), str(kinetic.subs(values)))


def refuse_static(owner: str, name: str, static: str, kinetic: str, when: str = "") -> NoReturn:
    """Say that a static limit is below the kinetic one."""
    checks.refuse(
        owner,
        f"friction {name!r} has static={static} below its limit {kinetic} of sliding{when}.",
        "Give a static limit at least as large, or none.",
    )


def _never_negative(value: Expr, values: Mapping[Symbol, float]) -> bool:
    known = value.subs(values)
    if known.is_number:
        return bool(known >= 0)
    if value in values:
        return values[value] >= 0.0
    if value.is_nonnegative or isinstance(value, (Dio, sympy.Abs, sympy.exp)):
        return True
    if value.is_Add or value.is_Mul:
        return all(_never_negative(part, values) for part in value.args)
    if value.is_Pow:
        return bool(value.exp.is_even) or _never_negative(value.base, values)
    if isinstance(value, sympy.Max):
        return any(_never_negative(part, values) for part in value.args)
    if isinstance(value, (sympy.Min, sympy.Piecewise)):
        parts = value.args if isinstance(value, sympy.Min) else [pair[0] for pair in value.args]
        return all(_never_negative(part, values) for part in parts)
    return False


def check_nesting(row: Expr) -> None:
    """Elements hold positions and velocities; only a limit may hold contacts."""
    for atom in row.atoms(Dio, CoulombForce, Sgn):
        smooth = list(atom.args[:1]) if isinstance(atom, (Dio, Sgn)) else list(atom.slips)
        limits = [atom.limit, atom.args[4]] if isinstance(atom, CoulombForce) else []
        if any(part.has(Dio, CoulombForce, Sgn) for part in smooth) or any(
            part.has(CoulombForce, Sgn) for part in limits
        ):
            refuse(
                f"{atom} has one element inside another.",
                "Gaps and slips are made of states; a limit may hold dio(...), no friction.",
            )


def is_affine(value: Expr, forces: set[Symbol]) -> bool:
    """Whether forces only stand in sums and behind factors: no power, no function and no condition holds one."""
    if not value.free_symbols & forces or value in forces:
        return True
    if value.is_Add:
        return all(is_affine(part, forces) for part in value.args)
    if value.is_Mul:
        holding = [part for part in value.args if part.free_symbols & forces]
        return len(holding) == 1 and is_affine(holding[0], forces)
    if isinstance(value, sympy.Piecewise):
        return all(is_affine(part, forces) and not when.free_symbols & forces for part, when in value.args)
    return False


def collected(
    rows: Sequence[Expr], replaced: Mapping[Any, Any]
) -> tuple[list[Expr], tuple[ContactElement, ...], tuple[FrictionElement, ...]]:
    """The rows with force symbols in place of elements, and each of those once.

    Elements are told apart as they were written; then what stands for inputs is put in their place.
    """
    for row in rows:
        check_nesting(row)
    rows = [with_elements(row) for row in rows]
    # The paper's order: first every dio (also those inside limits), then every sgn.
    dios = [atom for row in rows for atom in sympy.preorder_traversal(row) if isinstance(atom, Dio)]
    names = _names([((a.gap,), a.args[1]) for a in dios], "contact")
    pushes = {atom: _forces(names[atom.gap,], 1)[0] for atom in dios}
    contacts = {a.gap: ContactElement(names[a.gap,], a.gap.xreplace(replaced), pushes[a]) for a in dios}
    rows = [row.xreplace(pushes) for row in rows]
    signs = [atom for row in rows for atom in sympy.preorder_traversal(row) if isinstance(atom, CoulombForce)]
    directions = _directions(signs)
    names = _names([((a.limit, directions[a][1]), a.args[3]) for a in signs], "friction")
    frictions: dict[Any, FrictionElement] = {}
    rubs: dict[CoulombForce, Expr] = {}
    for atom in signs:
        direction, slips = directions[atom]
        name = names[atom.limit, slips]
        limit, *inner = (part.xreplace(replaced) for part in (atom.limit, *slips))
        static = None if atom.static is None else atom.static.xreplace(replaced)
        element = FrictionElement(name, limit, tuple(inner), static, _forces(name, len(slips)))
        known = frictions.setdefault((atom.limit, slips), element)
        if known.static != static:
            refuse(
                f"friction {name!r} has two static limits, {known.static} and {static}.",
                "Make the element once and use it in every row.",
            )
        rubs[atom] = direction * element.forces[int(atom.args[2])]
    used = [contact.name for contact in contacts.values()] + [friction.name for friction in frictions.values()]
    if twice := {name for name in used if used.count(name) > 1}:
        refuse(f"the name {min(twice)!r} stands for two elements.", "Give each its own name.")
    rows = [row.xreplace(rubs).xreplace(replaced) for row in rows]
    return rows, tuple(contacts.values()), tuple(frictions.values())


def numbered(word: str, count: int) -> list[str]:
    """One name for each of several components; of a single one the word itself."""
    return [f"{word}_{i}" for i in range(count)] if count > 1 else [word]


def _forces(name: str, count: int) -> tuple[Symbol, ...]:
    return tuple(Symbol(word, real=True) for word in numbered(f"force_{name}", count))


def _names(keys: list[tuple[Any, Any]], kind: str) -> dict[Any, str]:
    """One name an element: the one given anywhere, else a number in order of appearance."""
    given: dict[Any, str] = {}
    for key, label in keys:
        name = str(label)
        if name and given.setdefault(key, name) != name:
            refuse(f"{key[0]} is named both {given[key]!r} and {name!r}.", "Give an element one name.")
    free = (name for i in count(1) if (name := f"{kind}_{i}") not in {*given.values()})
    for key, _ in keys:
        if key not in given:
            given[key] = next(free)
    return given


def _directions(signs: Sequence[CoulombForce]) -> dict[CoulombForce, tuple[int, tuple[Expr, ...]]]:
    """For each friction its sign and slips, so that one seen from both sides, sgn(-y) = -sgn(y), is one element."""
    directions: dict[CoulombForce, tuple[int, tuple[Expr, ...]]] = {}
    seen: set[tuple[Expr, tuple[Expr, ...]]] = set()
    for atom in signs:
        turned = tuple(sympy.expand(-slip) if slip.is_Mul or slip.is_Add else -slip for slip in atom.slips)
        if (atom.limit, turned) in seen:
            directions[atom] = (-1, turned)
        else:
            seen.add((atom.limit, atom.slips))
            directions[atom] = (1, atom.slips)
    return directions


_SAMPLES = 5  # of what else a row holds: parameters have values, states may have any


def refuse_jumps(
    states: Sequence[Symbol], rows: ImmutableMatrix, parameters: Mapping[Symbol, float], unknown: Iterable[Symbol]
) -> None:
    """Refuse friction that was written as a jump, such as `sign(v)`, with the word to use.

    Where a row jumps against the very velocity that it drives, the motion is pushed back to the jump from both sides.
    A solver then takes ever smaller steps and does not end; a set-valued `sgn` holds there. `unknown` may have any
    value: states, inputs and forces.
    """
    real = {s: sympy.Dummy(s.name, real=True) for s in unknown}
    # As fractions: by rounding, an edge would not be 0 where it was solved to be.
    known = {s: sympy.Rational(value) for s, value in parameters.items()} | real
    known |= {number: sympy.Rational(number) for number in rows.atoms(sympy.Float)}
    for state, row in zip(states, rows, strict=True):
        jumps = row.atoms(sympy.sign, sympy.Heaviside, sympy.Abs, Relational)
        for atom in sorted(jumps, key=sympy.default_sort_key):
            edge = atom.lhs - atom.rhs if isinstance(atom, Relational) else atom.args[0]  # what is 0 where it may jump
            if state in edge.free_symbols and _pushes_back(row.xreplace(known), edge.xreplace(known), real[state]):
                refuse(
                    f"the row of {state} jumps at {edge} = 0 by {atom}, and nothing holds {state} there.",
                    f"For dry friction use limit*sgn({edge}) or coulomb(limit, {edge}, 'name') of tegotae.inclusion; "
                    f"for a drag, {edge}*abs({edge}).",
                )


def _pushes_back(row: Expr, edge: Expr, state: Symbol) -> bool:
    """Whether the rate of the state is lower just above the edge than just below it."""
    slope = sympy.diff(edge, state)
    if slope == 0 or state in slope.free_symbols:
        return False
    there, near = sympy.expand(state - edge / slope), sympy.Dummy(positive=True)
    above, below = (row.subs(state, there + side * near).subs(near, 0) for side in (1, -1))
    jump = sympy.expand(above - below)
    draw = random.Random(1)
    for _ in range(_SAMPLES):
        value = jump.xreplace({s: sympy.Float(draw.uniform(0.1, 2.0)) for s in jump.free_symbols})
        if value.is_real and value < -1e-9:
            return True
    return False
