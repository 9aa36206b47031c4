"""A machine with friction and contact, and the three routes from its equations to motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tegotae import checks
from tegotae.inclusion.elements.parameters import Contact, Friction
from tegotae.inclusion.explicit.ode import Ode
from tegotae.inclusion.explicit.tuning import automatic
from tegotae.inclusion.implicit.stepper import Stepper
from tegotae.inclusion.language.equations import Equations
from tegotae.inclusion.language.grammar import refuse
from tegotae.inclusion.language.parsing import ContactElement

if TYPE_CHECKING:
    from tegotae.inclusion.exact.events import Exact


class Inclusion(Equations):
    """A machine with friction and contact, written as it truly is: M(x) x' in f(x, t), with `dio` and `coulomb`.

    Args:
        rows: state -> its time derivative (or, with `mass_matrix`, its row of f); symbols or strings as keys.
        parameters: parameter -> value (SI units).
        inputs: input -> a number (which `to_stepper(...).run` may feed), an expression of the time `t`, a function
            of the time [s], or a record (times [s], values): lines between its points, held before and after.
        mass_matrix: M, one row a state, if the rows are not solved for the derivatives.

    Example:
        >>> import sympy
        >>> from tegotae.inclusion import Inclusion, dio
        >>> p, v, m, g = sympy.symbols("p v m g")
        >>> ball = Inclusion({p: v, v: dio(p, "floor")/m - g}, parameters={m: 1.0, g: 9.81})
        >>> [contact.name for contact in ball.contacts]
        ['floor']
    """

    def to_ode(
        self,
        *,
        contact: Contact | None = None,
        friction: Friction | None = None,
        elements: Mapping[str, Contact | Friction] | None = None,
        auto: bool = False,
        period: float | None = None,
        restitution: float | None = None,
        initial: Mapping[Any, float] | None = None,
    ) -> Ode:
        """The explicit ordinary differential equation of xiong2011: one added state an element.

        Args:
            contact: parameters of all contacts.
            friction: parameters of all frictions.
            elements: name -> parameters, overriding those.
            auto: let tegotae choose what is not given, by the mass that each element feels; see `automatic`.
            period: the step that the choice shall be safe for [s]; only with auto.
            restitution: speed after an impact of a free mass over the speed before it, in (0, 1) [-]; a weight takes
                a little more, see `automatic`; only with auto.
            initial: state -> value [SI units] at which the masses are taken, 0 if not given; only with auto.
        """
        parameters = dict(checks.mapping("to_ode", "elements", elements, "Give a dict of Contact or Friction by name."))
        if checks.flag("to_ode", "auto", auto):
            if period is None:
                checks.refuse("to_ode", "auto=True needs a period.", "Give the integrator's step: period=1e-3.")
            groups = ((contact, self.contacts), (friction, self.frictions))
            known = {e.name: default for default, group in groups if default is not None for e in group}  # type: ignore[attr-defined]
            parameters = known | parameters
            parameters = automatic(self, period=period, restitution=restitution, initial=initial, elements=parameters)
        elif any(given is not None for given in (period, restitution, initial)):
            checks.refuse(
                "to_ode", "period, restitution and initial are given without auto=True.", "Add auto=True, or omit them."
            )
        return Ode(self, self.chosen(contact, friction, parameters))

    def to_stepper(
        self,
        *,
        period: float,
        contact: Contact | None = None,
        friction: Friction | None = None,
        elements: Mapping[str, Contact | Friction] | None = None,
        method: str = "midpoint",
        restitution: float | Mapping[str, float] | None = None,
    ) -> Stepper:
        """The implicit route: a fixed period, all contacts and frictions solved together.

        Args:
            period: T [s], > 0.
            contact: parameters of all contacts.
            friction: parameters of all frictions.
            elements: name -> parameters, overriding those.
            method: "midpoint", of second order in smooth motion, or "euler", of first; `Stepper` says where that is
                the better one.
            restitution: speed of parting over speed of approach in an impact, 0 to 1 [-], for all contacts or by name;
                where it is not given, stiffness and damping tell.
        """
        parameters = checks.mapping("to_stepper", "elements", elements, "Give a dict of Contact or Friction by name.")
        chosen = self.chosen(contact, friction, parameters)
        return Stepper(inclusion=self, period=period, elements=chosen, method=method, restitution=restitution)

    def to_events(self, *, restitution: float | Mapping[str, float] = 0.0) -> Exact:
        """The exact route: the set-valued laws themselves, integrated from event to event; no stiffness, no damping.

        Args:
            restitution: speed after an impact over the speed before it, 0 to 1 [-], for all contacts or by name.
        """
        from tegotae.inclusion.exact.events import Exact  # and with it SciPy

        return Exact(self, restitution)

    def chosen(
        self, contact: Contact | None, friction: Friction | None, parameters: Mapping[str, Contact | Friction]
    ) -> dict[str, Contact | Friction]:
        """Parameters for every element by name, or an error that names the one without."""
        names = {element.name for element in self.elements}
        for name in parameters:
            if name not in names:
                refuse(f"elements names {name!r}.", f"It has {', '.join(sorted(names)) or 'none'}.")
        chosen: dict[str, Contact | Friction] = {}
        for element in self.elements:
            touches = isinstance(element, ContactElement)
            kind, wanted, default = ("contact", Contact, contact) if touches else ("friction", Friction, friction)
            value = parameters.get(element.name, default)
            if not isinstance(value, wanted):
                refuse(
                    f"{kind} {element.name!r} has no parameters (got {checks.shown(value)}).",
                    f"Give {kind}={wanted.__name__}(...), or it in elements={{{element.name!r}: ...}}.",
                )
            chosen[element.name] = value
        return chosen
