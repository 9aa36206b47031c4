"""The figure of a result: its machine's own, or what went in, what came out, and the loop or the path they make.

Figures that machines bring are registered here: a result names its own in `about["figure"]`, and so does a file of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tegotae import checks
from tegotae.figures.colours import FORCE, FRICTION, HAIR, MOTION, PALETTE, QUIET
from tegotae.figures.style import Axes, Figure, Shown, Values, beside, shade_stuck, sheet, style, thinned, time_axis
from tegotae.result import Result, Variable

_MOST_VECTORS = 70  # force vectors along a path; more of them hide it
_MOST_MEMBERS = 60  # curves of a family
_CALLED = {"batch": "member", "node": "node", "segment": "segment", "pair": "pair"}
_MOST_ELEMENTS = 6  # forces of a circuit's elements in one panel
_MOST_NAMED = 8  # curves of one panel that have a name each


# By the name of the figure: what draws it, and whether a result recorded all that it shows.
_DRAWERS: dict[str, tuple[Callable[[Result], Figure], Callable[[Result], bool]]] = {}


def register(name: str, draw: Callable[[Result], Figure], fits: Callable[[Result], bool]) -> None:
    """Let results whose `about["figure"]` is a name be drawn in a way of their own.

    Args:
        name: of the figure; for a block, its class's `figure`.
        draw: result -> figure.
        fits: whether a result recorded all that the figure shows; where it did not, it is drawn as any other.

    Example:
        >>> from tegotae import figures
        >>> def sled(result):
        ...     figure, axes = figures.sheet()
        ...     line = axes[0, 0].plot(result.time, result.position)
        ...     return figure
        >>> figures.register("sled", sled, lambda result: "position" in result.variables)
    """
    _DRAWERS[name] = draw, fits


def drawer_of(result: Result) -> Callable[[Result], Figure] | None:
    """What draws a result in a way of its machine's own; None if nothing does, or it recorded too little."""
    draw, fits = _DRAWERS.get(str(result.about.get("figure", "")), (None, None))
    return draw if fits and result["time"].size > 1 and fits(result) else None


def of_result(result: Result) -> Figure:
    """The figure that fits a result: what went in, what came out, and the loop or path they make.

    Args:
        result: of an impedance or an admittance in 1-D or 2-D, of a batch, of an inclusion, of a rod, of two robots, or
            anything with a `time`.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae import figures
        >>> brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
        >>> figure = figures.of_result(brake.run(0.1 * np.sin(np.arange(200) / 20), period=1e-3))
        >>> [axes.get_ylabel() for axes in figure.axes]
        ['velocity [mm/s]', 'force [N]', 'force [N]']
    """
    if not result["time"].size:
        checks.refuse("plot", "this result recorded no tick.", "Run it longer, or with a smaller every=….")
    with style():
        figure = _drawer(result)(result)
        figure.suptitle(result.title, x=0.012, ha="left", fontsize=11.0, fontweight="bold")
        # The parameters, small, across from the title, where they are few enough to be read.
        text = str(result.about.get("block", "")).partition("(")[2].removesuffix(")")
        if 0 < len(text) <= 17 * figure.get_figwidth() - 2.4 * len(result.title):
            figure.text(0.992, 0.985, text, ha="right", va="top", fontsize=6.5, color=QUIET)
        figure.align_ylabels()
    return figure


def _drawer(result: Result) -> Callable[[Result], Figure]:
    """The machine's own; else by what was recorded, never by the class: a loaded file gets the same figure."""
    if drawer := drawer_of(result):
        return drawer
    motion, force = result.variables.get("velocity"), result.variables.get("force")
    if motion is None or force is None or result.variables["time"].values.size < 2:
        return _anything
    takes_motion = motion.meaning == "as given"
    batch, shape = _is_batch(result), force.values.shape[1:]
    flat = "axis" not in force.dims if batch else shape in ((), (1,))
    if flat:
        return _impedance if takes_motion else _admittance
    return _path if shape == (2,) and not batch else _anything


def _is_batch(result: Result) -> bool:
    return any("batch" in result.variables[name].dims for name in ("velocity", "force"))


def _impedance(result: Result) -> Figure:
    """Motion and force over time, and force over displacement; of a batch one colour from dark to light along it."""
    figure, (speed, pull), loop = beside(2, width=8.4, height=3.9, ratios=(1.15, 1.0))
    velocity, force = _values(result, "velocity", "m/s"), _values(result, "force", "N")
    time, where = Shown.of(result["time"], "s"), Shown.of(_displacement(result), "m")
    row(speed, time, velocity, MOTION, "velocity")
    row(pull, time, force, FORCE, "force")
    if _is_batch(result):
        _family(loop, where.values, force.values)
        _batch_bar(figure, loop, force.values.shape[0])
    else:
        parts = [name for name in result.variables if name.endswith(".force")]
        if 0 < len(parts) <= _MOST_ELEMENTS:  # of a sum: they make the force above
            pull.clear()
            _forces(pull, time, result, ["force", *parts], (FORCE, *(c for c in PALETTE if c != FORCE)))
        if "slip_velocity" in result.variables:
            _shade_stuck((speed, pull), time, _flat(result, "slip_velocity"))
        points = thinned(where.values, force.values)
        loop.axhline(0.0, color=QUIET, lw=0.6)
        loop.plot(where.values[points], force.values[points], color=FORCE)
        loop.plot(where.values[0], force.values[0], "o", ms=4.5, mfc="white", mec=FORCE, mew=1.2)
        loop.plot(where.values[-1], force.values[-1], "o", ms=4.5, color=FORCE)
        loop.margins(0.07)
    time_axis((speed, pull), time)
    loop.set(xlabel=f"displacement [{where.unit}]", ylabel=f"force [{force.unit}]", title="force over displacement")
    return figure


def _admittance(result: Result) -> Figure:
    """Forces, velocity and position over time; a circuit's elements in a row of their own, where they are few.

    Grey where it stands exactly still. Of a batch the force, without those of elements.
    """
    batch = _is_batch(result)
    elements = [name for name in result.variables if name.endswith(".force")]
    few = not batch and 0 < len(elements) <= _MOST_ELEMENTS
    figure, grid = sheet(3 + few, 1, width=7.2, height=5.2 + 1.5 * few)
    rows: tuple[Axes, ...] = tuple(grid[:, 0])
    time, position = Shown.of(result["time"], "s"), Shown.of(_displacement(result), "m")
    velocity = _values(result, "velocity", "m/s")
    if batch:
        row(rows[0], time, _values(result, "force", "N"), FORCE, "force")
    else:
        _forces(rows[0], time, result, [n for n in ("force", "friction") if n in result.variables], (FORCE, FRICTION))
    if few:
        _forces(rows[1], time, result, elements, PALETTE)
        rows[1].set_ylabel(rows[1].get_ylabel().replace("force", "elements"))
    row(rows[-2], time, velocity, MOTION, "velocity")
    row(rows[-1], time, position, MOTION, "position")
    if batch:
        _batch_bar(figure, grid[:, 0], velocity.values.shape[0])
    elif "friction" in result.variables:  # a plain mass has nothing to stick with; its speed may pass through 0
        _shade_stuck(rows, time, _flat(result, "velocity"))
    time_axis(rows, time)
    return figure


def _forces(axes: Axes, time: Shown, result: Result, names: list[str], colors: tuple[str, ...]) -> None:
    """Several forces in one panel, each named beside it in its own colour."""
    push = Shown.of(np.stack([_flat(result, name) for name in names]), "N")
    for i, (values, name) in enumerate(zip(push.values, names, strict=True)):
        points = thinned(values)
        axes.plot(time.values[points], values[points], color=colors[i])
        if len(names) > 1 or "." in name:
            # Names in a column at the right, evenly spread: the ends of the curves may lie on top of each other.
            spot = (1.012, 0.92 - 0.84 * i / max(1, len(names) - 1))
            axes.annotate(
                name.removesuffix(".force"), spot, xycoords="axes fraction", fontsize=8.0, color=colors[i], va="center"
            )
    axes.set_ylabel(f"force [{push.unit}]")


def _path(result: Result) -> Figure:
    """The way through the plane, with the forces along it, and their magnitudes over time."""
    figure, (speed, pull), plane = beside(2, width=8.4, height=3.9, ratios=(1.15, 1.0))
    time, where = Shown.of(result["time"], "s"), Shown.of(_displacement(result), "m")
    name = "friction" if result.variables["force"].meaning == "as given" and "friction" in result else "force"
    force = result[name]
    row(speed, time, Shown.of(np.linalg.norm(result.velocity, axis=1), "m/s"), MOTION, "speed")
    row(pull, time, Shown.of(np.linalg.norm(force, axis=1), "N"), FORCE, f"|{name}|")
    slip = result.variables.get("slip_velocity", result.variables["velocity"])
    _shade_stuck((speed, pull), time, np.linalg.norm(slip.values, axis=1))
    time_axis((speed, pull), time)
    for low in (speed, pull):
        low.set_ylim(bottom=0.0)
    points = thinned(where.values[:, 0], where.values[:, 1])
    plane.plot(*where.values[points].T, color=MOTION, lw=3.0, alpha=0.55)
    _vectors(plane, where.values, force)
    plane.plot(*where.values[0], "o", ms=5, mfc="white", mec=MOTION, mew=1.3)
    plane.plot(*where.values[-1], "o", ms=5, color=MOTION)
    plane.set_aspect("equal", adjustable="datalim")
    plane.set(xlabel=f"x [{where.unit}]", ylabel=f"y [{where.unit}]", title=f"path, and {name} along it")
    return figure


def _vectors(plane: Axes, where: Values, force: Values) -> None:
    """Line segments from the path along the force, their longest a fair part of the picture."""
    from matplotlib.collections import LineCollection

    longest = float(np.max(np.linalg.norm(force, axis=1)))
    size = float(np.max(np.ptp(where, axis=0)))
    if longest == 0.0 or size == 0.0:
        return
    step = max(1, len(where) // _MOST_VECTORS)
    feet, reach = where[::step], force[::step] * (size / 4.5 / longest)
    plane.add_collection(
        LineCollection(np.stack([feet, feet + reach], axis=1), colors=FORCE, linewidths=0.9, zorder=3)  # type: ignore[arg-type]
    )
    plane.update_datalim(feet + reach)
    plane.autoscale_view()


def _anything(result: Result) -> Figure:
    """Every recorded quantity over time, those of one unit together."""
    time = Shown.of(result["time"], "s")
    groups: dict[str, list[tuple[str, Values]]] = {}
    owners: dict[str, list[str]] = {}  # of each curve the variable that it is part of
    for name, variable in result.variables.items():
        if name != "time" and "time" in variable.dims:
            curves = _columns(name, variable)
            groups.setdefault(variable.unit, []).extend(curves)
            owners.setdefault(variable.unit, []).extend([name.replace("_", " ")] * len(curves))
    figure, grid = sheet(max(1, len(groups)), 1, width=7.2, height=1.0 + 1.5 * max(1, len(groups)))
    for axes, (unit, curves) in zip(grid[:, 0], groups.items(), strict=False):
        shown = Shown.of(np.stack([values for _, values in curves]), unit)
        key = _key([name for name, _ in curves], owners[unit])
        for (i, label), values in zip(key, shown.values, strict=True):
            points, again = thinned(values), i // len(PALETTE)  # a colour that comes again has another stroke
            stroke = ("-", "--", ":")[again % 3]
            axes.plot(time.values[points], values[points], stroke, color=PALETTE[i % len(PALETTE)], label=label)
        axes.set_ylabel(f"[{shown.unit}]" if shown.unit else "no unit was told")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.03), handlelength=1.6)
    time_axis(tuple(grid[:, 0]), time)
    return figure


def _key(names: list[str], owners: list[str]) -> list[tuple[int, str | None]]:
    """Which stroke each curve has, and its words in the key: its own, or those of its variable where they are many."""
    if len(names) <= _MOST_NAMED:
        return list(enumerate(names))
    order = list(dict.fromkeys(owners))
    entries: list[tuple[int, str | None]] = []
    for i, owner in enumerate(owners):
        count, first = owners.count(owner), owner not in owners[:i]
        words = owner if count == 1 else f"{owner}, {count} curves"
        entries.append((order.index(owner), words if first and order.index(owner) < _MOST_NAMED else None))
    return entries


def _columns(name: str, variable: Variable) -> list[tuple[str, Values]]:
    """A variable as curves over time, at most a dozen of them."""
    values = np.moveaxis(variable.values, variable.dims.index("time"), -1)
    flat = values.reshape(-1, values.shape[-1])
    label = name.replace("_", " ")
    if len(flat) == 1:
        return [(label, flat[0])]
    others = [dim for dim in variable.dims if dim != "time"]
    places = np.ndindex(values.shape[:-1])
    return [(f"{label} {_place(others, place)}", curve) for place, curve in zip(places, flat[:12], strict=False)]


def _place(dims: list[str], place: tuple[int, ...]) -> str:
    """Which of a variable's curves it is: `x`, `member 1, y`, `node 3, x`."""
    words = ["xyz"[i] if dim == "axis" and i < 3 else f"{_CALLED.get(dim, '')} {i}".strip()
             for dim, i in zip(dims, place, strict=True)]  # fmt: skip
    return ", ".join(words)


def row(axes: Axes, time: Shown, shown: Shown, color: str, name: str) -> None:
    """A quantity over time: one curve, or those of a family."""
    axes.set_ylabel(f"{name} [{shown.unit}]")
    if shown.values.ndim == 2:
        _family(axes, time.values, shown.values)
        return
    points = thinned(shown.values)
    axes.axhline(0.0, color=HAIR, lw=0.9, zorder=1)
    axes.plot(time.values[points], shown.values[points], color=color)


def _family(axes: Axes, x: Values, families: Values) -> None:
    colors = _ramp(min(len(families), _MOST_MEMBERS))
    members = np.unique(np.linspace(0, len(families) - 1, len(colors)).astype(int))
    for color, member in zip(colors, members, strict=True):
        across = x[member if len(x) > 1 else 0] if x.ndim == 2 else x
        points = thinned(families[member], across)
        axes.plot(across[points], families[member][points], color=color if len(families) > 1 else MOTION, lw=1.1)


def _ramp(count: int) -> Values:
    """Dark to light, readable on white by any eye."""
    from matplotlib import colormaps

    return np.asarray(colormaps["viridis"](np.linspace(0.05, 0.85, count)))


def _batch_bar(figure: Figure, axes: Any, members: int) -> None:
    """A slim key to the family's colours."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    scale = ScalarMappable(Normalize(0, max(1, members - 1)), ListedColormap(_ramp(256)))
    bar = figure.colorbar(scale, ax=axes, fraction=0.035, pad=0.02, aspect=30)
    bar.outline.set_visible(False)
    bar.set_ticks([0, max(1, members - 1)])
    bar.set_label("batch member", labelpad=-6)


def _shade_stuck(rows: tuple[Axes, ...], time: Shown, speed: Values) -> None:
    """Say once what the grey means."""
    if shade_stuck(rows, time, speed == 0.0):
        rows[0].set_title("grey: it sticks, slip is exactly 0", fontsize=8.0, color=QUIET, loc="right", pad=4)


def _flat(result: Result, name: str) -> Values:
    return np.asarray(result[name]).reshape(result["time"].shape)


def _values(result: Result, name: str, unit: str) -> Shown:
    """Over time; of a batch (members, time), one member where all share a record."""
    return Shown.of(np.reshape(result[name], (-1, result["time"].size) if _is_batch(result) else -1), unit)


def _displacement(result: Result) -> Values:
    """The recorded position, or the way made by the mean velocities: their sum, exact when every tick is recorded."""
    axis = result.variables["velocity"].dims.index("time")
    if "position" in result.variables:
        values = np.asarray(result["position"])
    else:
        step = float(result["time"][1] - result["time"][0])
        values = np.cumsum(result["velocity"], axis=axis) * step
    return values if values.ndim == axis + 1 or values.shape[-1] == 2 else values[..., 0]
