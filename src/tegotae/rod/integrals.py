"""The paper's integrals over the segments of a rod, in closed form and, for comparison, by quadrature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.rod.kernels import segment

Complex = NDArray[np.complex128]


class Integrals(NamedTuple):
    """The paper's integrals over every segment, x + iy for vectors; i, j = the node before, the node after.

    chord (n-1) from node to node; G (n-1, 2) of N_i exp(i theta), Gbar its running integral; Q (n-1, 2, 2);
    E (n-1) and Ebar: sums E_ij th'_i th'_j; turn (n-1, 2): what turning does to the two angles, density left out.
    """

    chord: Complex
    G: Complex
    Gbar: Complex
    Q: Array
    E: Complex
    Ebar: Complex
    turn: Array


def closed_form(angle: Array, rate: Array, lengths: Array) -> Integrals:
    """All integrals from the moments of `kernels.segment`, for angles [rad] and rates [rad/s] of the nodes."""
    re, im, S = segment.workspace(lengths.size)  # type: ignore[no-untyped-call]
    ahead = np.zeros(2)
    segment.all_integrals(np.concatenate([ahead, angle]), np.concatenate([ahead, rate]), lengths, re, im, S)
    plane = S[:, 0:12:2] + 1j * S[:, 1:12:2]
    Q = np.stack([S[:, [12, 13]], S[:, [13, 14]]], axis=1)
    chord = S[:, 17] + 1j * S[:, 18]
    return Integrals(chord, plane[:, 0:2], plane[:, 2:4], Q, plane[:, 4], plane[:, 5], S[:, 15:17].copy())


def by_quadrature(angle: Array, rate: Array, lengths: Array, points: int = 40) -> Integrals:
    """All integrals as the paper defines them, by Gauss quadrature with so many points, along a segment and again up to
    each of its points: C, S of the tangent up to a point, then along.
    """
    w, weight = gauss(points)
    G, E = up_to(w, angle, lengths, points)
    ends, curls = up_to(np.ones(1), angle, lengths, points)
    along = lengths[:, None] * weight
    C1, S1, C2, S2 = G.real, G.imag, E.real, E.imag
    # Q2_ij = C_i C_j + S_i S_j and its slope by th_l, Q3_ijl.
    Q = np.einsum("kp,kpi,kpj->kij", along, C1, C1) + np.einsum("kp,kpi,kpj->kij", along, S1, S1)
    half = np.einsum("kp,kpi,kpjl->kijl", along, S1, C2) - np.einsum("kp,kpi,kpjl->kijl", along, C1, S2)
    Q3 = half + half.transpose(0, 2, 1, 3)
    ends_rate = np.stack([rate[:-1], rate[1:]], axis=1)
    spin = np.einsum("kijl,kj,kl->ki", Q3, ends_rate, ends_rate)
    gradient = 0.5 * np.einsum("kijl,ki,kj->kl", Q3, ends_rate, ends_rate)
    Ebar = np.einsum("kp,kpij->kij", along, E)
    turns = "kij,ki,kj->k"
    return Integrals(
        chord=ends[:, 0].sum(axis=1),
        G=ends[:, 0],
        Gbar=np.einsum("kp,kpi->ki", along, G),
        Q=Q,
        E=np.einsum(turns, curls[:, 0], ends_rate, ends_rate),
        Ebar=np.einsum(turns, Ebar, ends_rate, ends_rate),
        turn=gradient - spin,
    )


def gauss(points: int) -> tuple[Array, Array]:
    """Gauss points and weights on 0..1."""
    w, weight = np.polynomial.legendre.leggauss(points)
    return 0.5 * (w + 1.0), 0.5 * weight


def up_to(q: Array, angle: Array, lengths: Array, points: int) -> tuple[Complex, Complex]:
    """int N_i exp(i theta) and int N_i N_j exp(i theta) from the start of every segment to its parts q.

    Args:
        q: parts of a segment, 0..1.
        angle: of every node [rad].
        lengths: of every segment [m].
        points: of the Gauss rule.

    Returns:
        (segments, parts, 2) and (segments, parts, 2, 2) [m].
    """
    w, weight = gauss(points)
    place = np.multiply.outer(q, w)
    N = np.stack([1.0 - place, place], axis=-1)
    tangent = np.exp(1j * (angle[:-1, None, None] + np.diff(angle)[:, None, None] * place))
    tangent *= (lengths[:, None] * q)[:, :, None] * weight
    return np.einsum("kqw,qwi->kqi", tangent, N), np.einsum("kqw,qwi,qwj->kqij", tangent, N, N)
