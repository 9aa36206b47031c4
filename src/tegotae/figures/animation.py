"""The bristles of a contact patch in motion: a GIF, or one HTML file that plays by itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.figures.colours import BLUE, HAIR, INK, QUIET, STUCK, VERMILION
from tegotae.figures.film import DPI, MOST_FRAMES, drawn, film_file, write_film
from tegotae.figures.style import Axes, Figure, Values, sheet, style, thinned
from tegotae.result import Result

if TYPE_CHECKING:
    from tegotae.steering import ContactPatch, SteeringSystem
    from tegotae.steering.bristles import Bristles

STICKS, SLIPS = BLUE, VERMILION
_GRAINS = 110  # on the road, to see it pass by
_OWNER = "animate_patch"


def animate_patch(
    run: Result,
    path: str | os.PathLike[str],
    *,
    machine: ContactPatch | SteeringSystem,
    between: tuple[float, float] | None = None,
    frames: int | None = None,
    rate: float = 25.0,
) -> Path:
    """Write the bristles in motion: each from the tread to its point on the road, and what it bears of its limit.

    Args:
        run: of the machine, that recorded `tegotae.steering.bristles.bristle_fields(machine)` at every tick.
        path: ends in .gif, or in .html for one file that plays in any browser, with a slider.
        machine: the patch or the steering system that ran.
        between: first and last moment shown [s]; all of the run unless given.
        frames: how many; enough for real time, at most 250, unless given.
        rate: frames a second [Hz], > 0.

    Example:
        >>> import numpy as np
        >>> from tegotae.figures import animate_patch
        >>> from tegotae.steering import ContactPatch
        >>> from tegotae.steering.bristles import bristle_fields
        >>> patch = ContactPatch(stiffness=1e4, damping=0.0)
        >>> steer = 0.1 * np.sin(0.01 * np.arange(500))
        >>> run = patch.run(steer=steer, speed=1.0, period=1e-3, record=[*bristle_fields(patch), "force"])
        >>> animate_patch(run, "patch.gif", machine=patch, frames=3).name
        'patch.gif'
    """
    from tegotae.steering.bristles import Bristles

    target = film_file(path)
    rate = checks.positive(_OWNER, "rate", rate, "Hz", "Such as 25 frames a second.")
    ticks = _ticks(run, between, frames, rate)
    seen = Bristles.of(run, machine, ticks=ticks.tolist())
    picture = _TreadFilm(run, machine, seen, ticks)
    return write_film(
        target, drawn(picture.figure, picture.moving, ticks.size, picture.show), rate=rate, title=run.title
    )


def _ticks(run: Result, between: tuple[float, float] | None, frames: int | None, rate: float) -> NDArray[np.int64]:
    """Which ticks are shown."""
    first, last = between if between is not None else (float(run.time[0]), float(run.time[-1]))
    low, high = np.searchsorted(run.time, [first, last])
    low, high = max(1, int(low)), min(run.time.size - 1, int(high))
    if not low < high:
        checks.refuse(_OWNER, f"between={first:g} and {last:g} s there are no two ticks.", "Show a longer part.")
    if frames is None:
        frames = min(MOST_FRAMES, max(2, round(rate * (last - first))))
    count = checks.whole(_OWNER, "frames", frames, 2, "Give at least 2.")
    return np.unique(np.linspace(low, high, count).astype(np.int64))


class _TreadFilm:
    """One sheet, drawn once; what moves is drawn anew on a copy of it for each frame."""

    def __init__(self, run: Result, machine: ContactPatch | SteeringSystem, seen: Bristles, ticks: NDArray[np.int64]):
        from tegotae.steering.bristles import tyre_of

        self.run, self.seen, self.ticks, self.patch = run, seen, ticks, tyre_of(machine)
        self.speed = np.asarray(run["speed"])
        self.stuck = np.asarray(run["stuck"])
        self.rolled = float(run.about["period"]) * np.cumsum(self.speed)
        with style():
            self.figure = self._sheet()
            self.moving = [*self._tread(), *self._bearing(), *self._course(), *self._wheel()]

    def _sheet(self) -> Figure:
        figure, grid = sheet(2, 2, width=8.6, height=4.7)
        figure.set_dpi(DPI)
        spec = grid[0, 0].get_gridspec()
        spec.set_width_ratios([1.7, 1.0])
        spec.set_height_ratios([1.25, 1.0])
        figure.suptitle(self.run.title, x=0.012, ha="left", fontsize=11.0, fontweight="bold")
        self.above, self.bear, self.loop, self.view = grid[0, 0], grid[1, 0], grid[0, 1], grid[1, 1]
        return figure

    # ------------------------------------------------------------ what stands on the sheet

    def _tread(self) -> list[Any]:
        """The patch from above: road, tread, bristles."""
        from matplotlib.collections import LineCollection

        axes, a = self.above, self.patch.half_length
        reach = 1e3 * float(np.abs(self.seen.deflection).max())
        self.reach = 1.25 * reach if reach > 0.0 else 1.0
        self._along(axes, self.reach)
        axes.tick_params(labelbottom=False)
        axes.set_ylabel("to the left [mm]")
        axes.set_title("from above: tread (dark) and where each bristle touches the road", fontsize=8.0, color=QUIET)
        draw = np.random.default_rng(4)
        self.grain = np.stack([draw.uniform(-a, a, _GRAINS), draw.uniform(-1, 1, _GRAINS) * self.reach], axis=1)
        self.road = LineCollection([], colors="#dfe4e8", linewidths=1.2, capstyle="round", zorder=1, animated=True)
        self.hairs = LineCollection([], linewidths=self._width(), zorder=3, animated=True)
        self.tips = axes.scatter([], [], s=self._width() ** 2 * 3.0, zorder=4, animated=True)
        for artist in (self.road, self.hairs):
            axes.add_collection(artist)
        (tread,) = axes.plot(1e2 * np.array([-a, a]), [0.0, 0.0], color=INK, lw=4.0, zorder=5, animated=True)
        return [self.road, self.hairs, self.tips, tread]

    def _bearing(self) -> list[Any]:
        """The force of each bristle inside the limit that its load gives it."""
        from matplotlib.collections import LineCollection
        from matplotlib.lines import Line2D

        axes, a = self.bear, self.patch.half_length
        xi = np.linspace(-a, a, 201)
        limit = self.patch.law.at_rest * self.patch.pressure(xi, half_length=a, bristles=self.patch.bristles)
        reach = 1.15 * max(float(limit.max()), 1e-12)
        self._along(axes, reach)
        axes.fill_between(1e2 * xi, -limit, limit, color=STUCK, lw=0, zorder=0)
        for side in (-limit, limit):
            axes.plot(1e2 * xi, side, color=QUIET, lw=0.9, zorder=2)
        axes.set(xlabel="place in the patch, forward [cm]", ylabel="force [N]")
        axes.set_title("on the tyre, to the left, within friction times pressure", fontsize=8.0, color=QUIET)
        keys = [Line2D([], [], color=color, lw=2.4) for color in (STICKS, SLIPS)]
        axes.legend(keys, ["sticks", "slips"], loc="lower right", ncols=2, handlelength=1.0, columnspacing=1.0)
        self.bars = LineCollection([], linewidths=1.5 * self._width(), zorder=3, animated=True)
        axes.add_collection(self.bars)
        return [self.bars]

    def _course(self) -> list[Any]:
        """What the hand feels, with a dot that goes along it."""
        x, y, across, up = self._felt()
        axes, first, last = self.loop, self.ticks[0], self.ticks[-1] + 1
        self.felt = x, y
        points = first + thinned(x[first:last], y[first:last])
        axes.axhline(0.0, color=HAIR, lw=0.9, zorder=1)
        axes.plot(x[points], y[points], color=QUIET, lw=1.2, alpha=0.7)
        axes.margins(0.08)
        axes.set(xlabel=across, ylabel=up)
        (self.tail,) = axes.plot([], [], color=VERMILION, lw=2.4, animated=True)
        (self.dot,) = axes.plot([], [], "o", ms=6.0, color=INK, animated=True)
        return [self.tail, self.dot]

    def _felt(self) -> tuple[Values, Values, str, str]:
        run = self.run
        if "wheel_angle" in run.variables:
            return run.wheel_angle, run.hand_torque, "wheel angle [rad]", "hand torque [N·m]"
        steer = np.degrees(run.steer)
        if "torque" in run.variables:
            return steer, run.torque, "steer angle [°]", "torque [N·m]"
        return steer, 100.0 * self.stuck, "steer angle [°]", "stick [%]"

    def _wheel(self) -> list[Any]:
        """The steering wheel, and the tyre below it, turned as they are."""
        from matplotlib.collections import LineCollection

        axes = self.view
        axes.set(xlim=(-1.15, 2.85), ylim=(-1.2, 1.2), aspect="equal")
        axes.axis("off")
        turn = np.linspace(0.0, 2.0 * np.pi, 90)
        axes.plot(np.cos(turn), np.sin(turn), color=INK, lw=4.5)
        self.spokes = LineCollection([], colors=INK, linewidths=3.2, capstyle="round", animated=True)
        axes.add_collection(self.spokes)
        (self.mark,) = axes.plot([], [], "o", ms=6.0, color=VERMILION, animated=True, zorder=5)
        self.words = axes.text(1.3, 0.0, "", fontsize=9.0, va="center", linespacing=1.7, animated=True)
        return [self.spokes, self.mark, self.words]

    def _along(self, axes: Axes, reach: float) -> None:
        a = 1e2 * self.patch.half_length
        axes.set(xlim=(-1.06 * a, 1.06 * a), ylim=(-reach, reach))

    def _width(self) -> float:
        """Of a bristle: all of them fit side by side."""
        return float(np.clip(150.0 / self.patch.bristles, 0.5, 3.0))

    # ------------------------------------------------------------ what moves

    def show(self, i: int) -> None:
        """Everything in its place for picture i."""
        seen, tick = self.seen, int(self.ticks[i])
        x, e, f = 1e2 * seen.place[i], 1e3 * seen.deflection[i], seen.force[i]
        colors = np.where(seen.sticks[i], STICKS, SLIPS).tolist()
        self.hairs.set(segments=_upright(x, np.zeros_like(e), -e), color=colors)
        self.tips.set(offsets=np.stack([x, -e], axis=1), color=colors)
        self.bars.set(segments=_upright(x, np.zeros_like(f), f), color=colors)
        self._pass_by(tick)
        across, up = self.felt
        tail = slice(max(int(self.ticks[0]), tick - 400), tick + 1)
        self.tail.set_data(across[tail], up[tail])
        self.dot.set_data([across[tick]], [up[tick]])
        angle = float(self.run["wheel_angle"][tick] if "wheel_angle" in self.run.variables else self.run.steer[tick])
        rays = angle + np.array([0.0, np.pi, 1.5 * np.pi])  # three spokes: left, right, down
        ends = 0.96 * np.stack([np.cos(rays), np.sin(rays)], axis=1)
        self.spokes.set_segments(list(np.stack([0.0 * ends, ends], axis=1)))
        self.mark.set_data([-np.sin(angle)], [np.cos(angle)])
        caption = f"{self.run.time[tick]:.2f} s\n{self.speed[tick]:.1f} m/s\n{100.0 * self.stuck[tick]:.0f} % stick"
        self.words.set_text(caption.replace("-", "−"))

    def _pass_by(self, tick: int) -> None:
        """Grains of the road go by, blurred to streaks as the eye sees them."""
        a = self.patch.half_length
        period = float(self.run.about["period"])
        blur = min(0.5 * a, 12.0 * abs(self.speed[tick]) * period)
        x = (self.grain[:, 0] - self.rolled[tick] + a) % (2.0 * a) - a
        ends = np.stack([np.maximum(x - 0.5 * blur - 1e-3, -a), np.minimum(x + 0.5 * blur + 1e-3, a)], axis=1)
        y = np.repeat(self.grain[:, 1:], 2, axis=1)
        self.road.set_segments(list(np.stack([1e2 * ends, y], axis=2)))


def _upright(x: Values, low: Values, high: Values) -> Values:
    return np.stack([np.stack([x, low], axis=1), np.stack([x, high], axis=1)], axis=1)
