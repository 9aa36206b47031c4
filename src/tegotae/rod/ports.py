"""Where a rod is pushed: its base, its tip or a node between them, each in x, y and angle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.ports import ANGULAR, LINEAR, Port, port_of
from tegotae.rod.kernels.simd_rows import C_MORE, CALM, K_MORE
from tegotae.rod.phases import BASES, Base

if TYPE_CHECKING:
    from tegotae.rod.planar import PlanarRod

Place = str | int  # "base", "tip" or the number of a node
Along = tuple[float, float, float]

_REMEDY = 'Give "base", "tip", the number of a node, or several of them in a tuple.'
_BENDS = np.linspace(0.0, 4.0 * np.pi, 65)  # of one segment: beyond two turns it is wound up and hardly resists turning


def nodes_of(owner: str, at: Place | Sequence[Place], nodes: int, base: Base) -> dict[str, int]:
    """Name of each port -> its node."""
    given: Any = at
    if checks.is_list(given) and checks.len_of(given) > nodes:
        problem = f"at has {checks.len_of(given)} places, the rod {nodes} nodes."
        checks.refuse(owner, problem, "Give each port a node of its own.")
    places = tuple(given) if checks.is_list(given) else (given,)
    found: dict[str, int] = {}
    for place in places:
        if isinstance(place, str):
            checks.choice(owner, "at", place, ("base", "tip"))
            name, node = place, 0 if place == "base" else nodes - 1
        else:
            node = checks.whole(owner, "at", place, 0, _REMEDY)
            name = f"node_{node}"
        if node >= nodes:
            checks.refuse(owner, f"at={checks.shown(place)}: there is no such node.", f"They go from 0 to {nodes - 1}.")
        if node in found.values():
            checks.refuse(owner, f"at={checks.shown(at)} names a node twice.", "Give each port a node of its own.")
        if node == 0 and base == "fixed":
            checks.refuse(owner, "a fixed base is pushed.", 'It never moves: use at="tip", or base="pinned".')
        found[name] = node
    return found


def direction_of(owner: str, along: ArrayLike, nodes: dict[str, int], base: Base) -> Array:
    """The one direction of a push, (x, y, turn), if it is one that its port can move in."""
    direction = checks.numbers(owner, "along", along)
    if direction.shape != (3,) or not np.isfinite(direction).all() or not direction.any():
        checks.refuse(owner, f"along={checks.shown(along)}.", "Give (x, y, turn), such as (0.0, 1.0, 0.0).")
    if len(nodes) != 1:
        checks.refuse(owner, f"along={checks.shown(along)} of {len(nodes)} ports.", "Leave it, or give one port.")
    if 0 in nodes.values() and not direction[~np.array(BASES[base])].any():
        checks.refuse(owner, f"along={checks.shown(along)} of a {base} base.", "Choose a way in which it can move.")
    return direction


def ports_of(nodes: dict[str, int], along: Along | None) -> tuple[Port, ...]:
    """Planar ports at these nodes, or one in one direction."""
    if along is None:
        return tuple(port_of(name, [LINEAR, LINEAR, ANGULAR]) for name in nodes)
    turns = along[0] == along[1] == 0.0
    return tuple(port_of(name, [ANGULAR if turns else LINEAR]) for name in nodes)


def least_reluctance(rod: PlanarRod, nodes: dict[str, int], along: Along | None, period: float, method: str) -> float:
    """Of all ports together [N·s/m]: what segments beside them, cut free, resist at least.

    What is cut free moves more easily, so the rest of the rod and all that touches it can only add. A segment between
    two ports lends each one half of itself. A segment is taken to bend by no more than two turns.
    """
    taken = [k for node in nodes.values() for k in _beside(rod, node)]
    least = np.inf
    for node in nodes.values():
        tip = rod.tip if node == rod.nodes - 1 else (0.0, 0.0)
        beside = _beside(rod, node)
        parts = (_of_segment(rod, k, node > k, tip, along, period, method) / taken.count(k) for k in beside)
        least = min(least, sum(parts))
    return float(least)


def _beside(rod: PlanarRod, node: int) -> list[int]:
    """The segments at a node."""
    return [k for k in (node - 1, node) if 0 <= k < rod.nodes - 1]


def _of_segment(
    rod: PlanarRod, k: int, at_end: bool, tip: tuple[float, float], along: Along | None, T: float, method: str
) -> float:
    """What one end of a segment, cut free, resists at least, over all its bends."""
    from tegotae.rod.integrals import closed_form

    h, rho, K, C = (each[k] for each in rod.segments[:4])
    pull = T * (C + T * K) / h
    if method == "midpoint":
        lacks = max(T * K * min(1.0, CALM * T * np.sqrt(K / rho) / h**2) - C, 0.0)
        pull = T * (C_MORE * C + K_MORE * T * K + lacks) / h
    most = 0.0
    for bend in _BENDS:
        turn = closed_form(np.array([0.0, bend]), np.zeros(2), np.array([h]))
        # Rates (x, y, th_1, th_2) of its start; J leads to the velocity of the end that is pushed.
        first, second = 1j * rho * turn.Gbar[0]
        A = np.diag([rho * h, rho * h, 0.0, 0.0])
        A[2:, 2:] = rho * turn.Q[0] + pull * np.array([[1.0, -1.0], [-1.0, 1.0]])
        A[0, 2:], A[1, 2:] = (first.real, second.real), (first.imag, second.imag)
        A[2:, :2] = A[:2, 2:].T
        J = np.eye(3, 4)
        if at_end:
            ends = 1j * turn.G[0]
            J = np.array([[1.0, 0.0, *ends.real], [0.0, 1.0, *ends.imag], [0.0, 0.0, 0.0, 1.0]])
            A += J.T @ np.diag([tip[0], tip[0], tip[1]]) @ J
        M = T * J @ np.linalg.solve(A, J.T)
        most = max(most, _mobility(0.5 * (M + M.T), along))
    return 1.0 / most


def _mobility(M: Array, along: Along | None) -> float:
    """The largest, wherever the segment points."""
    if along is None:
        return float(np.linalg.eigvalsh(M)[-1])
    r, turn = float(np.hypot(along[0], along[1])), abs(along[2])
    most = float(np.linalg.eigvalsh(M[:2, :2])[-1])
    return float(r * r * most + 2.0 * r * turn * np.hypot(*M[:2, 2]) + turn * turn * M[2, 2])
