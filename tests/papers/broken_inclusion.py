"""Inclusions that are compiled wrongly on purpose: a factor, a missing term, a sign, a smoothed step."""

import re
from dataclasses import replace
from functools import cached_property

import numpy as np

from tegotae.inclusion import Inclusion, coulomb, dio, examples, tune_contact
from tegotae.inclusion.explicit.integration import Compiled
from tegotae.inclusion.explicit.ode import Ode
from tegotae.inclusion.explicit.source import OdeSource
from tegotae.papers.xiong2011.machine import two_bodies_as_printed
from tegotae.papers.xiong2011.one_element import floor_as_printed

# ------------------------------------------------------------ machines that are not what they were said to be


def times(machine, **factors):
    """A factor on some parameters; 0 takes a term away."""

    def make(**given):
        built, start = machine(**given)
        for symbol in built.parameters:
            built.parameters[symbol] *= factors.get(symbol.name, 1.0)
        return built, start

    return make


def printed_floor(**given):
    return floor_as_printed(1.0), examples.floor(**given)[1]


def printed_two_bodies(**given):
    machine, start = examples.two_bodies(**given)
    return two_bodies_as_printed(machine), start


def no_jump(**given):
    """A static limit a hair above the kinetic one."""
    return examples.belt(**given | {"static": 3.001})


# ------------------------------------------------------------ the explicit route


class EditedSource(OdeSource):
    edits = ()

    def source(self):
        text = super().source()
        for pattern, put in self.edits:
            text, count = re.subn(pattern, put, text)
            assert count, f"nothing to break: {pattern}"
        return text


def edited(*edits):
    """The ODE with something else in its generated code."""

    class Source(EditedSource):
        pass

    Source.edits = edits

    class Edited(Ode):
        @cached_property
        def compiled(self):
            source = Source(self, list(self.parameters))
            return Compiled(source, np.array(list(self.parameters.values())))

    def to_ode(machine, **given):
        ode = Inclusion.to_ode(machine, **given)
        return Edited(ode.inclusion, ode.chosen)

    return to_ode


without_max = edited((r"max\(0\.0, (S_\d+)\)", r"\1"))
wrong_sign = edited((r"(F_\d+ = )(.* \* max\(0\.0, S_\d+\))", r"\1-\2"))
# The added state stays 0: what is left is friction over speed, K beta v up to the limit.
without_memory = edited((r"(f\[\d+\] = )\(F_\d+ / .* - .*\) / .*", r"\g<1>0.0"))
tanh_for_sat = edited((r"sat\((r_\d+), (.*)\)", r"\1 * math.tanh(\2 / (\1 + 1e-12))"))
double_limit = edited((r"sat\(r_", "sat(2.0 * r_"))
euler_for_heun = edited((r"0\.5 \* h \* \(W\[1, i\] \+ W\[2, i\]\)", "h * W[1, i]"))
rk4_weights = edited((r"h / 6\.0 \* \(W\[1, i\] \+ 2\.0", "h / 6.0 * (W[1, i] + 1.99"))


def other_contact(**changes):
    """Every contact of the ODE with other numbers, past the check that alpha < beta."""

    def to_ode(machine, **given):
        ode = Inclusion.to_ode(machine, **given)
        named = {s.name: s for s in ode.parameters}
        for word, change in changes.items():
            for contact in machine.contacts:
                ode.parameters[named[f"{word}_{contact.name}"]] = change(ode.chosen[contact.name])
        return ode

    return to_ode


# ------------------------------------------------------------ the implicit route, tuning


def softer(route, factor):
    """Every element less stiff than said."""

    def to(machine, *, contact, friction, **given):
        softened = {"contact": contact, "friction": friction}
        softened = {
            k: replace(v, stiffness=factor * v.stiffness, damping=factor * v.damping) for k, v in softened.items()
        }
        return route(machine, **given | softened)

    return to


def less_damped(route, factor):
    """Every beta shorter than said."""

    def to(machine, *, contact, friction, **given):
        return route(
            machine,
            **given,
            contact=replace(contact, damping=factor * contact.damping, alpha=factor * contact.alpha),
            friction=replace(friction, damping=factor * friction.damping),
        )

    return to


def slower_stepper(machine, *, period, **given):
    return Inclusion.to_stepper(machine, period=2.0 * period, **given)


def tuned_damper(factor):
    def tune(**given):
        contact = tune_contact(**given)
        return replace(contact, damping=factor * contact.damping)

    return tune


# ------------------------------------------------------------ impacts


def bouncing(route, factor):
    """Every restitution times a factor; None takes it away."""

    def to(machine, *, restitution, **given):
        if factor is None:
            return route(machine, **given)
        if isinstance(restitution, dict):
            return route(machine, **given, restitution={k: factor * e for k, e in restitution.items()})
        return route(machine, **given, restitution=factor * restitution)

    return to


def mistaken(route, **factors):
    """A route that takes some parameters of the machine for others."""

    def to(machine, **given):
        other = {s.name: factors.get(s.name, 1.0) * value for s, value in machine.parameters.items()}
        rows = dict(zip(machine.states, machine.right, strict=True))
        gaps = {c.force: dio(c.gap, c.name) for c in machine.contacts}
        limits = {f.forces[0]: coulomb(f.limit.xreplace(gaps), f.slips[0], f.name) for f in machine.frictions}
        rows = {state: row.xreplace(limits).xreplace(gaps) for state, row in rows.items()}
        return route(Inclusion(rows, other), **given)

    return to
