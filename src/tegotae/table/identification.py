"""The table as a contact feels it: M, D and K of (10) from a record of forces and poses.  [tarao1999 (10)]

F = M x'' + D (x - xd)' + K (x - xd) + constant holds at every moment, so it holds under an integral with any test
function. Functions that vanish with their slope at both ends of a stretch of the record let integration by parts move
the derivatives onto them: no measured signal is differentiated, and no initial state is needed. The functions here are
sin^4 windows times waves up to `band`; what is left is one linear least-squares problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.result import Result
from tegotae.rotations import rotation_vectors

AXES = ("x", "y", "z", "rx", "ry", "rz")
_BINS = 4  # waves between 0 and the band's end, three widths of the window apart: nearly independent equations
_WORST = 1e7  # condition of the scaled equations beyond which some direction was not excited
_STILL = 1e-3  # an axis that moved less than this share of its like was not excited
_SPECK = 1e-12  # [m, rad] of motion is rounding
_GAUSS = ((-0.7745966692414834, 5.0 / 18.0), (0.0, 8.0 / 18.0), (0.7745966692414834, 5.0 / 18.0))

Complex = NDArray[np.complex128]


@dataclass(frozen=True, kw_only=True, eq=False)
class TableImpedance:
    """What a record says of M, D and K, with standard errors.

    Args:
        axes: which directions the rows and columns stand for.
        mass: M [kg, kg·m, kg·m2].
        damping: D [N·s/m, ...].
        stiffness: K [N/m, N/rad, N·m/rad].
        mass_error: standard errors of M, in its units.
        damping_error: standard errors of D, in its units.
        stiffness_error: standard errors of K, in its units.
        residual: what is left of each axis's force, as a share of it [-].
        equations: how many equations were solved for each axis.

    Example:
        >>> from tegotae.table import HexaPlant, excitation, identify_impedance
        >>> push = excitation(seconds=6.0, period=2e-3, band=10.0, force=1.0, torque=0.0)
        >>> push[:, :2] = 0.0
        >>> print(identify_impedance(HexaPlant.default().run(push), axes=("z",)))  # doctest: +ELLIPSIS
        axis                    M                    D                    K  residual
           z      1.88... ± 0.00...       211.8... ± 0.0...          1133... ± 3...  0.1... %
    """

    axes: tuple[str, ...]
    mass: Array
    damping: Array
    stiffness: Array
    mass_error: Array
    damping_error: Array
    stiffness_error: Array
    residual: Array
    equations: int

    def __str__(self) -> str:
        rows = [f"{'axis':>4} {'M':>20} {'D':>20} {'K':>20}  residual"]
        for i, name in enumerate(self.axes):
            errors = self.mass_error, self.damping_error, self.stiffness_error
            pairs = zip((self.mass, self.damping, self.stiffness), errors, strict=True)
            cells = [f"{value[i, i]:.5g} ± {error[i, i]:.2g}" for value, error in pairs]
            rows.append(f"{name:>4} " + " ".join(f"{t:>20}" for t in cells) + f"  {100.0 * self.residual[i]:.2g} %")
        return "\n".join(rows)


def excitation(*, seconds: float, period: float, band: float, force: float, torque: float, seed: int = 0) -> Array:
    """Wrenches (ticks, 6) that move all axes at all frequencies up to a band: waves with phases by chance.

    Args:
        seconds: how long [s].
        period: of a tick [s].
        band: highest frequency [Hz].
        force: root mean square of each force [N].
        torque: root mean square of each torque [N·m].
        seed: of the phases.

    Example:
        >>> from tegotae.table import excitation
        >>> excitation(seconds=1.0, period=2e-3, band=10.0, force=2.0, torque=0.1).std(axis=0).round(2)
        array([2. , 2. , 2. , 0.1, 0.1, 0.1])
    """
    name = "excitation"
    T = checks.period_of(name, period)
    length = checks.positive(name, "seconds", seconds, "s", "Give the length of the record.")
    top = checks.positive(name, "band", band, "Hz", "Give the highest frequency.")
    push = checks.at_least_zero(name, "force", force, "N", "Give a size >= 0.")
    turn = checks.at_least_zero(name, "torque", torque, "N·m", "Give a size >= 0.")
    ticks = checks.ticks_of(name, "seconds", length, T, 12)
    count = int(min(top * length, 1e15))
    if count < 1 or top > 0.25 / T:
        checks.refuse(name, f"band={top} Hz.", f"Use {1.0 / length:.3g} to {0.25 / T:.4g} Hz for this record.")
    checks.fits_in_memory(
        name, f"waves up to band={top:g} Hz over {length:g} s", float(ticks) * count, "Give less of either."
    )
    random = np.random.default_rng(checks.whole(name, "seed", seed, 0, "Give a whole number."))
    phases = random.uniform(0, 2 * np.pi, (6, count))
    angles = 2 * np.pi / length * np.outer(T * np.arange(ticks), np.arange(1, count + 1))
    waves = np.stack([np.cos(angles + p).sum(axis=1) for p in phases])
    return np.asarray((waves / np.sqrt(0.5 * count)).T * np.repeat([push, turn], 3))


def identify_impedance(
    record: Result,
    *,
    band: float = 8.0,
    lag: float = 0.0,
    axes: Sequence[str] = AXES,
    wrench: str = "measured_wrench",
    pose: str = "measured",
) -> TableImpedance:
    """M, D and K of a table from one record of small motion about a pose, while a known wrench moves it.

    Args:
        record: with time (the end of each tick), the wrench on the plate and the commanded pose over the tick, and the
            pose at its end, named as `HexaPlant.run` names them.
        band: frequencies up to here are used [Hz]; the constants are those that fit best there.
        lag: how late the wrench was recorded [s], such as the delay and the filter of a sensor.
        axes: the directions that moved; the others must have been still.
        wrench: the name of the wrench in the record; "force" is the true one of a simulated table.
        pose: "measured" for the encoders' pose, "" for the true one of a simulated table.

    Example:
        >>> from tegotae.table import HexaPlant, excitation, identify_impedance
        >>> plant = HexaPlant.default()
        >>> push = excitation(seconds=12.0, period=2e-3, band=10.0, force=3.0, torque=0.1)
        >>> found = identify_impedance(plant.run(push))
        >>> round(float(found.stiffness[2, 2] / plant.impedance((0.0, 0.0, -0.47))[2][2, 2]), 2)
        1.0
    """
    owner = "identify_impedance"
    top = checks.positive(owner, "band", band, "Hz", "Give the highest frequency to use.")
    late = checks.number(owner, "lag", lag, "s")
    checks.instance(owner, "record", record, Result, "Give what HexaPlant.run returned.")
    axes = checks.texts(owner, "axes", axes, f"Choose of {AXES}.")
    checks.text(owner, "wrench", wrench, 'Give a name in the record, such as "force".')
    checks.text(owner, "pose", pose, 'Give "measured" or "".')
    chosen = [AXES.index(checks.choice(owner, "axes", one, AXES)) for one in axes]
    if not chosen or len(set(chosen)) != len(chosen):
        checks.refuse(owner, f"axes={tuple(axes)}.", f"Name each of {AXES} at most once, and one at least.")
    T, F, x, xd = _signals(record, wrench, pose)
    _moved(x, chosen)
    F, x, e = F[:, chosen], x[:, chosen], (x - xd)[:, chosen]
    tests = _functions(T, top, late, F.shape[0])
    hop = tests[3].shape[1] // 2
    blocks = [_against(tests[2], x, hop), -_against(tests[1], e, hop), _against(tests[0], e, hop)]
    forces = _against(tests[3], F[1:], hop)  # the wrench of a tick acts before the pose at its end
    ones = _against(tests[0], np.ones((x.shape[0], 1)), hop)
    return _solve(np.concatenate([*blocks, ones], axis=1), forces, tuple(AXES[i] for i in chosen))


def _signals(record: Result, wrench: str, pose: str) -> tuple[float, Array, Array, Array]:
    """Period, wrenches, poses and commands as six numbers about the mean command."""
    place, turn = (f"{pose}_position", f"{pose}_rotation") if pose else ("position", "rotation")
    for name in ("time", wrench, place, turn, "command_position", "command_rotation"):
        if name not in record:
            checks.refuse("identify_impedance", f"the record has no {name!r}.", f"It has {', '.join(record)}.")
    time = record["time"]
    steps = np.diff(time)
    if time.size < 3 or np.ptp(steps) > 1e-6 * steps.mean():
        checks.refuse("identify_impedance", "the record's ticks are not evenly spaced.", "Resample it first.")
    middle = record["command_rotation"][0]
    start = record["command_position"][0]

    def six(positions: Array, rotations: Array) -> Array:
        return np.concatenate([positions - start, rotation_vectors(rotations @ middle.T)], axis=1)

    x = six(record[place], record[turn])
    checks.finite("identify_impedance", place, x, "")
    F = np.asarray(record[wrench])
    checks.finite("identify_impedance", wrench, F, "N, N·m")
    # A command acts from the start of its tick on: the servo compares it with the pose at the end of the tick before.
    wanted = six(record["command_position"], record["command_rotation"])
    return float(steps.mean()), F[:-1], x[:-1], wanted[1:]


def _moved(x: Array, chosen: Sequence[int]) -> None:
    """Refuse axes that stood still: a least-squares fit would read their constants from specks of motion."""
    size = x.std(axis=0)
    for i in chosen:
        most = max(float(size[k]) for k in chosen if k // 3 == i // 3)
        if size[i] < max(_STILL * most, _SPECK):
            unit = "m" if i < 3 else "rad"
            problem = f"hardly anything moved along {AXES[i]}: {size[i]:.3g} {unit} root mean square."
            checks.refuse("identify_impedance", problem, "Leave it out of `axes`, or excite it.")


def _functions(T: float, band: float, lag: float, ticks: int) -> tuple[Complex, Complex, Complex, Complex]:
    """The test functions and two derivatives at the ticks of a stretch, and their integrals over its ticks."""
    n = round(3.0 * _BINS / band / T)
    if n > ticks - 1 or n < 8 * _BINS:
        checks.refuse(
            "identify_impedance",
            f"band={band} Hz asks for stretches of {n} ticks of {T:g} s; the record has {ticks}.",
            f"Use a band from {3.0 * _BINS / (T * (ticks - 1)):.4g} to {3.0 / (8.0 * T):.4g} Hz, or a longer record.",
        )
    L = n * T

    def phi(t: Array) -> tuple[Complex, Complex, Complex]:
        a = np.pi / L
        inside = (t > 0.0) & (t < L)
        w0 = np.where(inside, (3.0 - 4.0 * np.cos(2 * a * t) + np.cos(4 * a * t)) / 8.0, 0.0)
        w1 = np.where(inside, a * (2.0 * np.sin(2 * a * t) - np.sin(4 * a * t)) / 2.0, 0.0)
        w2 = np.where(inside, 2.0 * a * a * (np.cos(2 * a * t) - np.cos(4 * a * t)), 0.0)
        om = 2.0 * np.pi * band / _BINS * np.arange(_BINS + 1)[:, None]
        wave = np.exp(-1j * om * t)
        return w0 * wave, (w1 - 1j * om * w0) * wave, (w2 - 2j * om * w1 - om**2 * w0) * wave

    f0, f1, f2 = (T * f for f in phi(T * np.arange(n + 1, dtype=np.float64)))
    # the force is constant over a tick, so only the function has to be integrated there
    middles = T * (np.arange(n, dtype=np.float64) + 0.5)
    held = sum((T * share * phi(middles + 0.5 * T * at - lag)[0] for at, share in _GAUSS), np.zeros_like(f0[:, :-1]))
    return f0, f1, f2, held


def _against(functions: Complex, signal: Array, hop: int) -> Array:
    """Integrals of a signal with every function at every stretch, as real rows; stretches overlap by half."""
    stretches = np.lib.stride_tricks.sliding_window_view(signal, functions.shape[1], axis=0)[::hop]
    found = np.einsum("fw,kaw->kfa", functions, stretches)
    flat = found[:, :1].real / np.sqrt(2.0)  # no wave: the real part alone, and with twice the variance of the others
    rows = np.concatenate([flat, found[:, 1:].real, found[:, 1:].imag], axis=1)
    return np.asarray(rows.reshape(-1, signal.shape[1]))


def _solve(X: Array, Y: Array, axes: tuple[str, ...]) -> TableImpedance:
    owner, n = "identify_impedance", len(axes)
    rows = X.shape[0]
    if rows < 2 * X.shape[1]:
        problem = f"{rows} equations for {X.shape[1]} unknowns."
        checks.refuse(owner, problem, "Give a longer record, fewer axes or a wider band.")
    scale = np.sqrt((X**2).mean(axis=0))
    condition = float(np.linalg.cond(X / scale))
    if condition > _WORST:
        problem = f"the motion does not tell the axes apart (condition {condition:.3g})."
        checks.refuse(owner, problem, "Excite every axis by itself and over the whole band, or leave axes out.")
    solution, *_ = np.linalg.lstsq(X / scale, Y, rcond=None)
    left = Y - X / scale @ solution
    spread = np.sqrt((left**2).sum(axis=0) / (rows - X.shape[1]))
    inverse = np.linalg.inv((X / scale).T @ (X / scale))
    errors = np.sqrt(np.diag(inverse))[:, None] * spread / scale[:, None]
    values = solution / scale[:, None]
    found: dict[str, Array] = {}
    for k, name in enumerate(("mass", "damping", "stiffness")):
        found |= {name: values[k * n : (k + 1) * n].T, f"{name}_error": errors[k * n : (k + 1) * n].T}
    size = np.sqrt((Y**2).mean(axis=0))
    share = np.sqrt((left**2).mean(axis=0)) / np.where(size > 0.0, size, 1.0)
    return TableImpedance(axes=axes, residual=share, equations=rows, **found)
