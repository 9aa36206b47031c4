"""Integrating an explicit ODE: every method of scipy, fixed steps in one compiled loop, CVODE; and events in it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import TegotaeError
from tegotae.extras import require
from tegotae.inclusion.explicit.source import OdeSource
from tegotae.inclusion.language.arguments import check_values
from tegotae.result import Event

SCIPY = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")
STIFF = ("Radau", "BDF", "LSODA")
FIXED = ("RK4", "Heun")
_PATIENCE = 20_000  # evaluations at one moment
LEFT = "the states left the finite numbers"
METHODS = (*SCIPY, *FIXED, "CVODE")


@dataclass(frozen=True)
class Path:
    """A solved stretch: states at the wanted times and, if asked for, everywhere between them."""

    times: Array
    states: Array
    steps: Array
    dense: Callable[[Array], Array] | None


class Compiled:
    """The compiled right-hand side with its numbers, and room for its mass matrix."""

    def __init__(self, source: OdeSource, p: Array):
        self.source, self.p = source, p
        self.module = source.module()
        self.A, self.B = np.zeros((len(source.open),) * 2), np.zeros((len(source.open), source.size))

    def rhs(self, t: float, y: Array) -> Array:
        """y' in a new array."""
        f = np.empty_like(y)
        self.module.rhs(t, y, self.p, self.A, self.B, f)
        return f

    def jacobian(self, t: float, y: Array) -> Array:
        """dy'/dy in a new array."""
        f, J = np.empty_like(y), np.empty((y.size, y.size))
        self.source.slopes_module.slopes(t, y, self.p, self.A, self.B, f, J)
        return J

    def observed(self, times: Array, states: Array, forces: int, elements: int) -> tuple[Array, NDArray[np.int8]]:
        """Element forces [N] and modes (1: closed or sticking) along a record, of so many forces and elements."""
        F, modes = np.zeros((times.size, forces)), np.zeros((times.size, elements), dtype=np.int64)
        self.module.observe(np.ascontiguousarray(times), np.ascontiguousarray(states), self.p, F, modes)
        return F, modes.astype(np.int8)

    def check_inputs(self, t: float) -> None:
        """Refuse an input whose function is not finite at the time t [s], which is an integrator's last word on it."""
        functions = self.source.system.callables
        if functions:
            check_values("Ode.solve", functions, self.source.system.terms.inputs_at(t), t)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What a run shall deliver, checked."""

    start: float
    end: float
    method: str
    rtol: float
    atol: Array
    step: float | None
    times: Array | None
    dense: bool


def watched(compiled: Compiled, wanted: Wanted) -> Callable[[float, Array], Array]:
    """The right-hand side, refusing to be asked for ever at one moment, as LSODA and CVODE do at a singularity."""
    near, moment, asked = 1e-12 * max(abs(wanted.start), abs(wanted.end)), wanted.start, 0

    def rhs(t: float, y: Array) -> Array:
        nonlocal moment, asked
        if abs(t - moment) > near:
            moment, asked = t, 0
        asked += 1
        if asked > _PATIENCE:
            raise failure(wanted, t, f"no progress in {_PATIENCE} evaluations")
        compiled.check_inputs(t)  # LSODA would go on with states that are no numbers
        return compiled.rhs(t, y)

    return rhs


def integrate(compiled: Compiled, y: Array, wanted: Wanted) -> Path:
    """Run the chosen method."""
    solver = _fixed if wanted.method in FIXED else _cvode if wanted.method == "CVODE" else _scipy
    return solver(compiled, y, wanted)


def _scipy(compiled: Compiled, y: Array, wanted: Wanted) -> Path:
    from scipy.integrate import solve_ivp

    options: dict[str, Any] = {"jac": compiled.jacobian} if wanted.method in STIFF else {}
    # Their warnings are told as part of the error below; overflow ends in states that are not finite, told as well.
    with warnings.catch_warnings(record=True) as caught, np.errstate(over="ignore", invalid="ignore"):
        warnings.simplefilter("always")
        done = solve_ivp(
            watched(compiled, wanted),
            (wanted.start, wanted.end),
            y,
            method=wanted.method,
            rtol=wanted.rtol,
            atol=wanted.atol,
            max_step=np.inf if wanted.step is None else wanted.step,
            t_eval=wanted.times,
            dense_output=wanted.dense,
            **options,
        )
    words = "; ".join([str(done.message), *dict.fromkeys(str(w.message) for w in caught)])
    states = np.ascontiguousarray(done.y.T)
    if not done.success:
        raise failure(wanted, float(done.t[-1]) if done.t.size else wanted.start, words)
    if not np.isfinite(states).all():
        first = int(np.argmax(~np.isfinite(states).all(axis=1)))
        raise failure(wanted, float(done.t[first]), LEFT)
    for warning in caught:
        warnings.warn(f"Ode.solve: {wanted.method}: {warning.message}", stacklevel=4)
    dense = (lambda t: np.ascontiguousarray(done.sol(t).T)) if wanted.dense else None
    return Path(done.t, states, done.sol.ts if wanted.dense else done.t, dense)


def grid_of(wanted: Wanted) -> tuple[float, int, float, Array]:
    """Fixed steps: their length, how many, the length of a last shorter one (or 0), and when they end."""
    if wanted.step is None:
        checks.refuse("Ode.solve", f"{wanted.method} needs a step.", "Give step=..., such as half of alpha.")
    T = wanted.step
    steps = int((wanted.end - wanted.start) / T + 1e-9)
    left = wanted.end - wanted.start - steps * T
    left = 0.0 if left < 1e-9 * T else left
    grid: Array = wanted.start + T * np.arange(steps + 1, dtype=np.float64)
    grid = np.concatenate([grid, np.array([wanted.end])]) if left else grid
    grid[-1] = wanted.end
    return T, steps, left, grid


def _fixed(compiled: Compiled, y: Array, wanted: Wanted) -> Path:
    T, steps, left, grid = grid_of(wanted)
    times = grid if wanted.dense or wanted.times is None else wanted.times
    states, workspace = np.empty((times.size, y.size)), np.empty((6, y.size))
    loop = compiled.module.rk4 if wanted.method == "RK4" else compiled.module.heun
    last = y.copy()
    done = loop(wanted.start, T, steps, left, last, compiled.p, compiled.A, compiled.B, workspace, times, states)
    if done < steps + (left > 0.0):
        for part in (0.0, 0.5, 1.0):
            compiled.check_inputs(wanted.start + (done + part) * T)
        raise failure(wanted, wanted.start + done * T, LEFT)
    return _with_cubic(compiled, times, states, wanted)


def _cvode_of(compiled: Compiled, wanted: Wanted, **more: Any) -> Any:
    """The solver of CVODE for this run."""
    require('Ode.solve with method="CVODE"', "sksundae", instead="use LSODA, BDF or Radau")
    from sksundae.cvode import CVODE

    asked = watched(compiled, wanted)

    # What CVODE hands over is read-only memory of its own: a copy keeps one compiled version for all callers.
    def rhs(t: float, y: Array, out: Array) -> None:
        out[:] = asked(t, np.array(y))

    def jacobian(t: float, y: Array, _: Array, out: Array) -> None:
        out[:, :] = compiled.jacobian(t, np.array(y))

    return CVODE(
        rhs,
        rtol=wanted.rtol,
        atol=wanted.atol,
        max_step=0.0 if wanted.step is None else wanted.step,
        jacfn=jacobian,
        max_num_steps=10_000_000,
        **more,
    )


def _cvode(compiled: Compiled, y: Array, wanted: Wanted) -> Path:
    solver = _cvode_of(compiled, wanted)
    ends = np.array([wanted.start, wanted.end])
    # It starts at its first time and needs an end beyond it.
    times = ends if wanted.dense or wanted.times is None else np.union1d(ends, wanted.times)
    done = solver.solve(times, y)
    if not done.success or not np.isfinite(done.y).all():
        raise failure(wanted, float(done.t[-1]), str(done.message))
    if wanted.dense or wanted.times is None:
        return _with_cubic(compiled, np.asarray(done.t), np.ascontiguousarray(done.y), wanted)
    mask = np.isin(done.t, wanted.times)
    return Path(np.asarray(done.t)[mask], np.ascontiguousarray(np.asarray(done.y)[mask]), wanted.times, None)


class CvodeSteps:
    """CVODE step by step, as scipy's solvers are used; between steps the cubic that meets both ends."""

    def __init__(self, compiled: Compiled, wanted: Wanted, t: float, y: Array, first: float | None):
        self.solver = _cvode_of(compiled, wanted, first_step=first or 0.0)
        self.solver.init_step(t, y)
        self.t, self.y, self.status, self.compiled, self.end = t, y.copy(), "running", compiled, wanted.end
        self._before: tuple[float, Array] = (t, y)

    def step(self) -> str | None:
        """One step of its own choice, at most to the end; the word of a failure."""
        self._before = (self.t, self.y)
        done = self.solver.step(self.end, method="onestep", tstop=self.end)
        self.t, self.y = float(np.ravel(done.t)[-1]), np.array(np.atleast_2d(done.y)[-1])
        if not done.success:
            self.status = "failed"
            return str(done.message)
        if self.t >= self.end:
            self.status = "finished"
        return None

    def dense_output(self) -> Callable[[float], Array]:
        """The state inside the last step."""
        (start, y), end, after = self._before, self.t, self.y
        return cubic(start, y, self.compiled.rhs(start, y), end, after, self.compiled.rhs(end, after))


def cubic(ta: float, ya: Array, fa: Array, tb: float, yb: Array, fb: Array) -> Callable[[float], Array]:
    """The state between two times by the cubic that meets states y and slopes f at both."""
    h = tb - ta

    def between(t: float) -> Array:
        q = (t - ta) / h
        a, b = q * q * (3.0 - 2.0 * q), q * (1.0 - q) * h
        state: Array = ya + a * (yb - ya) + b * ((1.0 - q) * fa - q * fb)
        return state

    return between


def _with_cubic(compiled: Compiled, times: Array, states: Array, wanted: Wanted) -> Path:
    """Between steps: the cubic that meets states and slopes at both ends."""
    if not wanted.dense:
        return Path(times, states, times, None)
    from scipy.interpolate import CubicHermiteSpline

    slopes = np.empty_like(states)
    compiled.module.slopes(times, states, compiled.p, compiled.A, compiled.B, slopes)
    spline = CubicHermiteSpline(times, states, slopes, axis=0)

    def dense(t: Array) -> Array:
        return np.ascontiguousarray(spline(t))  # type: ignore[no-untyped-call]

    if wanted.times is None:
        return Path(times, states, times, dense)
    return Path(wanted.times, dense(wanted.times), times, dense)


def failure(wanted: Wanted, t: float, words: str) -> TegotaeError:
    """The error of a run that ends at the time t [s], before its end; the words say why."""
    return TegotaeError(
        f"Ode.solve: {wanted.method} stopped at t={t:.6g} s of {wanted.end:g}: {words}\n"
        "  Check the rows there; use a stiff method (LSODA, Radau, CVODE), softer elements or looser tolerances."
    )


# Looked at within every step of an integrator that takes long ones.
WITHIN_A_STEP = 8
_HALVINGS = 64


def locate(
    steps: Array,
    dense: Callable[[Array], Array],
    observed: Callable[[Array, Array], tuple[Array, NDArray[np.int8]]],
    names: Sequence[str],
    contacts: int,
) -> list[Event]:
    """All changes between the looked-at times, each halved down to the spacing of floats.

    Two changes of one element between neighbouring looks (an eighth of a step) cancel out unseen.
    """
    grid = np.unique((steps[:-1, None] + np.diff(steps)[:, None] * np.arange(WITHIN_A_STEP) / WITHIN_A_STEP).ravel())
    grid = np.append(grid, steps[-1])
    _, modes = observed(grid, dense(grid))
    where, which = np.nonzero(np.diff(modes, axis=0))
    if where.size == 0:
        return []
    low, high, after = grid[where], grid[where + 1], modes[where + 1, which]
    rows = np.arange(where.size)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if ((middle <= low) | (middle >= high)).all():
            break
        changed = observed(middle, dense(middle))[1][rows, which] == after
        low, high = np.where(changed, low, middle), np.where(changed, middle, high)
    words = (("release", "touch"), ("slip", "stick"))
    events = [
        Event(float(t), names[i], words[int(i >= contacts)][int(mode)])
        for t, i, mode in zip(high.tolist(), which.tolist(), after.tolist(), strict=True)
    ]
    return sorted(events, key=lambda event: event.time)
