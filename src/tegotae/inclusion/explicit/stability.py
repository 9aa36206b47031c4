"""Whether a fixed step can carry the stiffness of the elements. Too stiff an element does not explode: it saturates,
and friction is silently lost; so the check comes before the run.

Near closed contacts and sticking friction the gap rates and slips v obey v' = W force (W: mobility), with

    contact   force = K (e - beta (x + e)/alpha),   x' = v,  e' = -(x + e)/alpha
    friction  force = K (a + beta v),               a' = v

A step T is safe while |R(lambda T)| <= 1 for every decaying eigenvalue lambda, R being the integrator's growth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.inclusion.elements.mobility import effective_masses, mobility
from tegotae.inclusion.elements.parameters import Contact, Friction
from tegotae.inclusion.language.equations import Equations

# Of one complex number or an array of them.
GROWTH: dict[str, Callable[[Any], Any]] = {
    "RK4": lambda z: 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4))),
    "Heun": lambda z: 1 + z * (1 + z / 2),
}
# Where along any decaying ray RK4 and Heun have long lost stability.
_FARTHEST = 4.0


def check_step(
    inclusion: Equations, chosen: Mapping[str, Contact | Friction], x: Array, t: float, *, method: str, step: float
) -> None:
    """Refuse a step that the stiffest combination of elements does not allow; the error gives the largest safe one."""
    if not inclusion.elements:
        return
    safe, name = largest_step(inclusion, chosen, x, t, method=method)
    if step <= safe:
        return
    longest = checks.just_below(safe * (1.0 - 1e-12), 3)  # below also where rounding would take it back up
    element = chosen[name]
    mass = effective_masses(inclusion, x, t)[name]
    lost = "the contact would ring" if isinstance(element, Contact) else "its friction would silently be lost"
    letters = f"stiffness={element.stiffness:g} N/m, damping={element.damping:g} N·s/m"
    letters += f", alpha={element.alpha:g} s" if isinstance(element, Contact) else ""
    checks.refuse(
        "Ode.solve",
        f"step={step:g} s is too long for {method} with {name!r} ({letters}; effective mass {mass:.4g} kg): {lost}.",
        f"Use step <= {longest}, softer elements, or a method that chooses its step (LSODA, Radau).",
    )


def largest_step(
    inclusion: Equations, chosen: Mapping[str, Contact | Friction], x: Array, t: float, *, method: str
) -> tuple[float, str]:
    """The largest safe step [s] and the element that asks for it most."""
    groups = tuple(tuple(range(span.start, span.stop)) for span in inclusion.spans)
    parameters = tuple(chosen[element.name] for element in inclusion.elements)
    W = mobility(inclusion, x, t)
    safe, worst = _of_mobility(W.tobytes(), parameters, groups, method)
    return safe, inclusion.elements[worst].name


@lru_cache(maxsize=64)
def _of_mobility(
    mobilities: bytes, parameters: tuple[Contact | Friction, ...], groups: tuple[tuple[int, ...], ...], method: str
) -> tuple[float, int]:
    """The largest safe step and which element asks for it; kept, since the same machine is often run many times."""
    flat = np.frombuffer(mobilities)
    W = flat.reshape(round(flat.size**0.5), -1)
    alone = [
        min(
            _limit(np.linalg.eigvals(_engaged(W, [(part, group)])), method),
            # Open or slipping, the added state decays over beta; closed over a body that others hold, over alpha.
            _limit(np.array([-1.0 / (part.alpha if isinstance(part, Contact) else part.beta)], dtype=complex), method),
        )
        for part, group in zip(parameters, groups, strict=True)
    ]
    together = _limit(np.linalg.eigvals(_engaged(W, list(zip(parameters, groups, strict=True)))), method)
    return min(*alone, together), int(np.argmin(alone))


def _engaged(W: Array, parts: Sequence[tuple[Contact | Friction, tuple[int, ...]]]) -> Array:
    """The matrix of (v, x or a, e) with these elements closed or sticking; friction has no e and keeps it at rest."""
    indices = [i for _, group in parts for i in group]
    m = len(indices)
    F, A = np.zeros((m, 3 * m)), np.zeros((3 * m, 3 * m))
    for i, part in enumerate(part for part, group in parts for _ in group):
        A[m + i, i] = 1.0
        if isinstance(part, Contact):
            K, ratio = part.stiffness, part.beta / part.alpha
            F[i, m + i], F[i, 2 * m + i] = -K * ratio, K * (1.0 - ratio)
            A[2 * m + i, m + i] = A[2 * m + i, 2 * m + i] = -1.0 / part.alpha
        else:
            F[i, i], F[i, m + i] = part.damping, part.stiffness
            A[2 * m + i, 2 * m + i] = -1.0 / part.beta
    A[:m] = W[np.ix_(indices, indices)] @ F
    return A


def _limit(eigenvalues: NDArray[Any], method: str) -> float:
    """The largest T with |R(lambda T)| <= 1 for all that decay; rigid drift and undamped parts ask for nothing."""
    size = np.abs(eigenvalues)
    # R has real coefficients: of a conjugate pair one is enough.
    decaying = eigenvalues[(eigenvalues.real < -1e-7 * size.max(initial=0.0)) & (eigenvalues.imag >= 0.0)]
    if decaying.size == 0:
        return float("inf")
    growth = GROWTH[method]
    reach = np.linspace(0.0, _FARTHEST, 4001)[1:]
    limits = []
    for value in decaying:
        ray = complex(value / abs(value))  # plain numbers: fifty halvings in NumPy would outlast short runs
        first = int(np.argmax(np.abs(growth(reach * ray)) > 1.0 + 1e-12))
        low, high = (float(reach[first - 1]) if first else 0.0), float(reach[first])
        for _ in range(50):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if abs(growth(middle * ray)) > 1.0 + 1e-12 else (middle, high)
        limits.append(low / abs(value))
    return float(min(limits))
