"""What makes an element computable: the stiffness and time constants of contact and friction."""

from __future__ import annotations

from dataclasses import dataclass

from tegotae import checks


@dataclass(frozen=True, kw_only=True)
class Contact:
    """A contact made computable: `dio(x)` becomes K max(0, e - beta (x + e)/alpha).  [xiong2011]

    Args:
        stiffness: K [N/m], > 0.
        beta: [s], > 0, damping over stiffness.
        alpha: [s], > 0 and < beta, how quickly the added state follows the gap; not used by the implicit route.

    A contact that carries the mass M settles without ringing if alpha <= M/(4 beta K); the shorter alpha, the shorter
    the step that an explicit method may take.

    Example:
        >>> from tegotae.inclusion import Contact
        >>> Contact(stiffness=1e5, beta=2e-3, alpha=2e-4).stiffness
        100000.0
    """

    stiffness: float
    beta: float
    alpha: float = 0.0

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "stiffness", checks.positive("Contact", "stiffness", self.stiffness, "N/m", "Such as 1e5."))
        set_(self, "beta", checks.positive("Contact", "beta", self.beta, "s", "Such as 2e-3."))
        alpha = checks.number("Contact", "alpha", self.alpha, "s", "Such as a tenth of beta.")
        alpha = 0.1 * self.beta if alpha == 0.0 else alpha
        set_(self, "alpha", checks.positive("Contact", "alpha", alpha, "s", "Such as a tenth of beta."))
        if self.alpha >= self.beta:
            checks.refuse(
                "Contact",
                f"alpha={self.alpha:g} s is not below beta={self.beta:g} s: the added state would be unstable.",
                f"Use alpha < {self.beta:g}; a tenth of it is usual.",
            )


@dataclass(frozen=True, kw_only=True)
class Friction:
    """Friction made computable: `F sgn(y)` becomes K sat(F/K, a + beta y).  [xiong2011]

    Args:
        stiffness: K [N/m], > 0, felt while it sticks.
        beta: [s], > 0, damping over stiffness.

    Example:
        >>> from tegotae.inclusion import Friction
        >>> Friction(stiffness=1e5, beta=2e-3).beta
        0.002
    """

    stiffness: float
    beta: float

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "stiffness", checks.positive("Friction", "stiffness", self.stiffness, "N/m", "Such as 1e5."))
        set_(self, "beta", checks.positive("Friction", "beta", self.beta, "s", "Such as 2e-3."))
