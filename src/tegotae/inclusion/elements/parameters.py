"""What makes an element computable: the stiffness and damping of contact and friction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tegotae import checks
from tegotae.contact import ContactStiffness
from tegotae.parameters import Declared, Parameter

_Damping = Annotated[float, Parameter("B [N·s/m], > 0, beside the spring; beta = B/K", such_as="200")]


@dataclass(frozen=True, kw_only=True)
class Contact(Declared):
    """A contact made computable: `dio(x)` becomes K max(0, e - beta (x + e)/alpha), beta = B/K.  [xiong2011]

    A contact that carries the mass M settles without ringing if alpha <= M/(4 B); the shorter alpha, the shorter
    the step that an explicit method may take.

    Example:
        >>> from tegotae.inclusion import Contact
        >>> contact = Contact(stiffness=1e5, damping=200.0)
        >>> contact.beta, contact.alpha
        (0.002, 0.0002)
    """

    stiffness: ContactStiffness
    damping: _Damping
    alpha: Annotated[
        float,
        Parameter(
            "[s], how quickly the added state follows the gap, > 0 and < beta; a tenth of beta if left out; not used "
            "by the implicit route",
            "Such as a tenth of beta.",
        ),
    ] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        alpha = self.alpha or 0.1 * self.beta
        object.__setattr__(self, "alpha", checks.positive("Contact", "alpha", alpha, "s", "Such as a tenth of beta."))
        if self.alpha >= self.beta:
            checks.refuse(
                "Contact",
                f"alpha={self.alpha:g} s is not below beta={self.beta:g} s: the added state would be unstable.",
                f"Use alpha < {self.beta:g}; a tenth of it is usual.",
            )

    @property
    def beta(self) -> float:
        """Damping over stiffness [s]."""
        return self.damping / self.stiffness


@dataclass(frozen=True, kw_only=True)
class Friction(Declared):
    """Friction made computable: `F sgn(y)` becomes K sat(F/K, a + beta y), beta = B/K.  [xiong2011]

    Example:
        >>> from tegotae.inclusion import Friction
        >>> Friction(stiffness=1e5, damping=200.0).beta
        0.002
    """

    stiffness: Annotated[float, Parameter("K [N/m], > 0, felt while it sticks", such_as="1e5")]
    damping: _Damping

    @property
    def beta(self) -> float:
        """Damping over stiffness [s]."""
        return self.damping / self.stiffness
