"""The explicit route: an inclusion as an ordinary differential equation for any integrator.  [xiong2011]"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sympy import Symbol

from tegotae import checks
from tegotae.checks import Array
from tegotae.contact import restitutions
from tegotae.inclusion.elements.mobility import rest_of_contacts
from tegotae.inclusion.elements.parameters import Contact, Friction
from tegotae.inclusion.explicit.integration import FIXED, METHODS, Compiled, Wanted, integrate, locate
from tegotae.inclusion.explicit.rewriting import Rewritten
from tegotae.inclusion.explicit.source import OdeSource
from tegotae.inclusion.explicit.stability import check_step
from tegotae.inclusion.language.arguments import span_of, start_of, times_in, variables_of
from tegotae.inclusion.language.equations import Equations
from tegotae.naming import made_of
from tegotae.result import Result

if TYPE_CHECKING:
    from tegotae.inclusion.explicit.striking import Strikes

# Tolerances unless given: states to a nanometre (or nm/s), added states so that forces hold to 0.1 mN.
_STATE_TOLERANCE = 1e-9
_FORCE_TOLERANCE = 1e-4


class Ode(Rewritten):
    """An inclusion made an ordinary differential equation: M(x) x' = right, one added state an element.

    Made by `Inclusion.to_ode`. Added states are `e_NAME` [m] of a contact and `a_NAME` [m] of a friction
    (`a_NAME_0`, ... of a friction in a plane or in space).

    Args:
        inclusion: the machine.
        chosen: element name -> its parameters.
        restitution: speed after an impact over the speed before it, 0 to 1 [-], for all contacts or by name: impacts
            are instants then, see `solve`. If None, and for contacts that are not named, spring and damper tell it.

    Example:
        >>> import sympy
        >>> from tegotae.inclusion import Contact, Inclusion, dio
        >>> p, v, m, g = sympy.symbols("p v m g")
        >>> ball = Inclusion({p: v, v: dio(p, "floor")/m - g}, parameters={m: 1.0, g: 9.81})
        >>> ode = ball.to_ode(contact=Contact(stiffness=1e5, damping=200.0, alpha=2e-4))
        >>> ode.states
        (p, v, e_floor)
        >>> ode.right.shape
        (3, 1)
        >>> run = ode.solve((0.0, 0.2), {p: 0.1}, method="DOP853", rtol=1e-10, atol=1e-13, events=True)
        >>> [(round(event.time, 6), event.element, event.kind) for event in run.events]
        [(0.142784, 'floor', 'touch'), (0.151287, 'floor', 'release')]
    """

    def __init__(
        self,
        inclusion: Equations,
        chosen: Mapping[str, Contact | Friction],
        restitution: float | Mapping[str, float] | None = None,
    ):
        super().__init__(inclusion)
        self.chosen = dict(chosen)
        # By name, of the contacts whose impacts follow it; those of the others are left to spring and damper.
        self.restitution = restitutions("to_ode", [contact.name for contact in inclusion.contacts], restitution)
        # Every parameter with its value: the user's, then K, beta (and alpha) of each element.
        self.parameters: dict[Symbol, float] = dict(inclusion.parameters)
        for part in self.parts:
            element = chosen[part.element.name]
            self.parameters |= {letter: getattr(element, word) for word, letter in part.letters.items()}

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def __repr__(self) -> str:
        return f"Ode({', '.join(s.name for s in self.states)})"

    def __getstate__(self) -> dict[str, Any]:
        """What it was made of; what is compiled, every process finds for itself."""
        return made_of(self)

    # ------------------------------------------------------------ compiled

    @cached_property
    def compiled(self) -> Compiled:
        """The compiled functions with this ODE's numbers."""
        source = OdeSource(self, list(self.parameters))
        return Compiled(source, np.array(list(self.parameters.values()), dtype=np.float64))

    @cached_property
    def _striking(self) -> tuple[Compiled, Any]:
        """The same with a law of its own for impacts, and what tells those."""
        from tegotae.inclusion.impacts.contact_problem import ContactProblems

        source = OdeSource(self, list(self.parameters), impacts=True)
        numbers = [*self.parameters.values(), *[1.0] * len(self.contacts)]
        return Compiled(source, np.array(numbers, dtype=np.float64)), ContactProblems(self.inclusion, "to_ode")

    def _strikes(self, longest: float = 0.0) -> Strikes:
        """The law of impacts for one run; `longest` is the length of its fixed steps [s]."""
        from tegotae.inclusion.explicit.striking import Strikes  # and with it SciPy

        compiled, problems = self._striking
        chosen = [self.chosen[contact.name] for contact in self.inclusion.contacts]
        shortest = np.array([max(c.alpha, longest) for c in chosen if isinstance(c, Contact)], dtype=np.float64)
        return Strikes(compiled, problems, self.restitution, shortest)

    def gaps(self, t: float, y: ArrayLike) -> dict[str, float]:
        """The gap of every contact by name [m]; where one falls to 0, an integrator of one's own calls `impact`.

        Args:
            t: time [s].
            y: values of all states [SI units].
        """
        values, terms, n = np.zeros(len(self.contacts)), self.inclusion.terms, len(self.inclusion.states)
        t, state = checks.number("Ode.gaps", "t", t, "s"), self._given("Ode.gaps", y)
        terms.module.gaps(t, state[:n], terms.values, terms.inputs_at(t), values, values.copy())
        return dict(zip((c.name for c in self.inclusion.contacts), values.tolist(), strict=True))

    def impact(self, t: float, y: ArrayLike, struck: str | Iterable[str]) -> Array:
        """The states after an impact of contacts with a restitution, for integrators of one's own.

        All of these contacts that touch take part, those that carry a load already with a speed after it of at least
        0, and frictions by Coulomb's law with the slip after it; see `solve`. What would be back sooner than its
        contact's alpha does not bounce.

        Args:
            t: time [s].
            y: values of all states before it [SI units].
            struck: the contacts whose gaps have just closed, by name.

        Example:
            >>> from tegotae.inclusion import Contact, Inclusion
            >>> ball = Inclusion({"p": "v", "v": "dio(p, 'floor') - 9.81"})
            >>> ode = ball.to_ode(contact=Contact(stiffness=1e5, damping=200.0), restitution=0.5)
            >>> ode.impact(0.0, [0.0, -2.0, 0.0], "floor").tolist()
            [0.0, 1.0, 0.0]
        """
        t = checks.number("Ode.impact", "t", t, "s")
        remedy = "Give the name of a contact, or a list of them."
        names = [struck] if isinstance(struck, str) else checks.several("Ode.impact", "struck", struck, str, remedy)
        for name in names:
            if name not in self.restitution:
                known = ", ".join(self.restitution) or "none; give to_ode(restitution=...)"
                checks.refuse("Ode.impact", f"{checks.shown(name)} has no restitution.", f"Those that have: {known}.")
        strikes, state = self._strikes(), self._given("Ode.impact", y)
        met = np.array([contact.name in names for contact in self.inclusion.contacts], dtype=np.bool_)
        gaps = np.array(list(self.gaps(t, state).values()))
        strikes.fly(strikes.law & (met | (gaps > 0.0)))
        return strikes.law_at(t, state, met, strikes.flying)[0]

    def rhs(self, t: float, y: ArrayLike) -> Array:
        """The time derivative of all states, in the order of `states`; without impacts.

        Args:
            t: time [s].
            y: values of all states [SI units].
        """
        return self.compiled.rhs(float(t), self._checked(y))

    def jacobian(self, t: float, y: ArrayLike) -> Array:
        """The slope of `rhs` by y; at a switch that of the open contact and of the sticking friction.

        Args:
            t: time [s].
            y: values of all states [SI units].
        """
        return self.compiled.jacobian(float(t), self._checked(y))

    def _checked(self, y: ArrayLike) -> Array:
        values = np.ascontiguousarray(y, dtype=np.float64)
        if values.shape != (len(self.states),):
            names = ", ".join(s.name for s in self.states)
            checks.refuse("Ode", f"y has shape {values.shape}.", f"Give {len(self.states)} numbers: {names}.")
        return values

    def _given(self, owner: str, y: ArrayLike) -> Array:
        names = ", ".join(s.name for s in self.states)
        remedy = f"Give {len(self.states)} numbers: {names}."
        values = checks.values(owner, "y", y, "SI", remedy, -math.inf)
        if values.shape != (len(self.states),):
            checks.refuse(owner, f"y has shape {values.shape}.", remedy)
        return values

    # ------------------------------------------------------------ solving

    def solve(
        self,
        span: tuple[float, float],
        initial: Mapping[Any, float] | None = None,
        *,
        method: str = "LSODA",
        rtol: float = 1e-6,
        atol: float | None = None,
        step: float | None = None,
        times: ArrayLike | None = None,
        events: bool = False,
    ) -> Result:
        """Integrate from one time to another.

        Contacts with a restitution e have impacts that are instants: where one that is open closes at a speed u, it
        leaves with e u (Newton's law), with impulses of friction by Coulomb's law, all that touches at once; an
        impact gains no energy. A bounce that would be over within the contact's alpha, or within a fixed step, leaves
        none, and spring and damper take the load. Times of the record hold what is after an impact; those of the
        steps of an integrator hold both. `about["impacts"]` counts them.

        Args:
            span: start and end [s].
            initial: state (symbol or name) -> value; those not given start at 0, added states relaxed.
            method: "RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA" (scipy), "CVODE" (scikit-sundae), or the fixed
                steps "RK4" and "Heun".
            rtol: relative tolerance, no unit [-]; fixed steps do not use it.
            atol: absolute tolerance of every state, in its own unit; by default 1e-9, finer for stiff added states.
            step: length of a fixed step, or the longest one that another method may take [s].
            times: when to record [s]; by default at every step.
            events: also locate every touch, release, stick and slip: `run.events`.

        Returns:
            Every state by its name, every element's force by its name [N], whether contacts are closed
            (`NAME_closed`) and frictions stick (`NAME_sticks`).
        """
        owner = "Ode.solve"
        checks.choice(owner, "method", method, METHODS)
        events = checks.flag(owner, "events", events)
        start, end = span_of(owner, span)
        if step is not None:
            step = checks.positive(owner, "step", step, "s", "Give the length of a step, such as 1e-4.")
        elif method not in FIXED and self.inclusion.finest < math.inf:
            step = self.inclusion.finest  # a longer step could miss what a record does
        wanted = Wanted(
            start=start,
            end=end,
            method=method,
            rtol=checks.positive(owner, "rtol", rtol, "", "Such as 1e-6."),
            atol=self._tolerances(atol),
            step=step,
            times=times_in(owner, times, start, end),
            dense=events,
        )
        y = self.start(initial, t=wanted.start)
        if method in FIXED and step is not None:
            n = len(self.inclusion.states)
            check_step(self.inclusion, self.chosen, y[:n], wanted.start, method=method, step=step)
        if self.restitution:
            return self._solve_with_impacts(y, wanted, initial, events)
        path = integrate(self.compiled, y, wanted)
        forces, modes = self._observed(path.times, path.states)
        variables = variables_of(self.inclusion, path.times, self.states, path.states, forces, modes)
        about: dict[str, Any] = {"figure": "inclusion", "method": method}
        about |= {"step": step} if method in FIXED else {"rtol": wanted.rtol}
        run = Result(variables, title="Ode", about=about)
        if path.dense is None or not events:
            return run
        names = [element.name for element in self.inclusion.elements]
        return run.with_events(locate(path.steps, path.dense, self._observed, names, len(self.inclusion.contacts)))

    def _solve_with_impacts(
        self, y: Array, wanted: Wanted, initial: Mapping[Any, float] | None, events: bool
    ) -> Result:
        from tegotae.inclusion.explicit.pieces import happened, recorded
        from tegotae.inclusion.explicit.striking import follow  # and with it SciPy

        strikes = self._strikes((wanted.step or 0.0) if wanted.method in FIXED else 0.0)
        given = {str(name)[2:] for name in initial or {} if str(name).startswith("e_")}
        pieces = follow(strikes, y, wanted, given)
        times, states, forces, modes = recorded(strikes, pieces)
        about: dict[str, Any] = {"figure": "inclusion", "method": wanted.method}
        about |= {"step": wanted.step} if wanted.method in FIXED else {"rtol": wanted.rtol}
        about["impacts"] = strikes.count
        run = Result(variables_of(self.inclusion, times, self.states, states, forces, modes), title="Ode", about=about)
        return run.with_events(happened(strikes, pieces)) if events else run

    def start(self, initial: Mapping[Any, float] | None = None, *, t: float = 0.0) -> Array:
        """All states at the start: those given, 0 for the others, added states relaxed.

        A contact starts as if pressed in quasi-statically, e = max(0, -gap): then e' = 0 and its force is K times
        the penetration, so that a body resting on a floor (gap -N/K) stays where it is; any other e would decay
        within alpha and throw the body. Friction starts without stretch. Give `e_NAME` or `a_NAME` to continue a run.

        Args:
            initial: state (symbol or name) -> value.
            t: the time of the start [s], for gaps that move with time.
        """
        t = checks.number("Ode.start", "t", t, "s")
        names = [state.name for state in self.states]
        y, given = start_of("Ode.solve", initial, self.states)
        x = y[: len(self.inclusion.states)]
        for name, depth in rest_of_contacts("Ode.solve", self.inclusion, self.chosen, x, t, given, "e_{}").items():
            y[names.index(f"e_{name}")] = depth
        return y

    def _tolerances(self, atol: float | None) -> Array:
        size = len(self.states)
        if atol is not None:
            return np.full(size, checks.positive("Ode.solve", "atol", atol, "", "Such as 1e-9."))
        stiffness = [self.chosen[e.name].stiffness for e in self.inclusion.elements for _ in e.forces]
        added = _FORCE_TOLERANCE / np.array(stiffness, dtype=np.float64)
        plain = np.full(len(self.inclusion.states), _STATE_TOLERANCE)
        return np.concatenate([plain, np.minimum(added, _STATE_TOLERANCE)])

    # ------------------------------------------------------------ what a run returns

    def _observed(self, times: Array, states: Array) -> tuple[Array, NDArray[np.int8]]:
        return self.compiled.observed(times, states, len(self.inclusion.forces), len(self.inclusion.elements))
