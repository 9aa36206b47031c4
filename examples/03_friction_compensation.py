"""Identify a machine's friction, then tell its servo beforehand what friction will cost.

A motor with hysteretic friction (ten elements) is first moved about while its friction force is measured, with noise; a
composite of fewer elements is identified from that record. Then a PD servo follows another motion three times: without
compensation, with plain Coulomb friction of the level identified, and with the identified composite.
The plant is simulated with elements of the same family as the model: a real machine will leave more to the servo.

    python examples/03_friction_compensation.py
    python examples/03_friction_compensation.py --elements 2 --plot compensation.png
"""

import argparse

import numpy as np

import tegotae as tg
from tegotae.control import Comparison, FrictionServo, compare

PERIOD = 1e-3
TRUTH = tg.ParallelFriction(stiffness=2e4, damping=2.0, limits=0.2 * np.arange(1, 11))
SERVO = FrictionServo(mass=2.0, stiffness=2e4, damping=250.0, friction=TRUTH)


def measured(ticks: int) -> tuple[np.ndarray, np.ndarray]:
    """A decaying swing, and the friction on it as a force sensor with 0.05 N of noise sees it."""
    t = np.arange(ticks) * PERIOD
    position = 2e-3 * np.exp(-t / 3.0) * np.sin(6.3 * t)
    velocity = np.diff(position, prepend=0.0) / PERIOD
    noise = 0.05 * np.random.default_rng(3).standard_normal(ticks)
    return velocity, TRUTH.run(velocity, period=PERIOD).force + noise


def reference(ticks: int) -> np.ndarray:
    """Reversals of many sizes, over 2 mm."""
    t = np.arange(ticks) * PERIOD
    rise = np.minimum(1.0, 2.0 * t)
    return 1e-3 * rise**2 * (3.0 - 2.0 * rise) * (np.sin(4.4 * t) + 0.4 * np.sin(14.5 * t + 1.0))


def draw(comparison: Comparison, path: str) -> None:
    from tegotae import figures

    with figures.style():
        figure, axes = figures.sheet(2, 1, height=4.4)
        run = comparison.without
        axes[0, 0].plot(run.time, 1e3 * run.reference, color=figures.INK)
        axes[0, 0].set(ylabel="reference [mm]", title="A servo with friction, told and not told about it")
        lines = (("without", figures.QUIET), ("plain", figures.AMBER), ("composite", figures.BLUE))
        for name, color in lines:
            error = 1e6 * getattr(comparison, name).error
            axes[1, 0].plot(run.time, error, color=color, label=f"{name}: {1e6 * comparison.rms(name):.1f} µm RMS")
        axes[1, 0].set(xlabel="time [s]", ylabel="error [µm]", ylim=(-700, 900))
        axes[1, 0].legend(ncols=3, loc="upper right")
    print(f"wrote {figures.save(figure, path)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ticks", type=int, default=4000, help="milliseconds to measure and to track (default 4000)")
    parser.add_argument("--elements", type=int, default=3, help="elements of the identified composite (default 3)")
    parser.add_argument("--plot", metavar="FILE.png", help="draw the tracking errors")
    options = parser.parse_args()

    velocity, force = measured(options.ticks)
    found = tg.fit(tg.ParallelFriction, velocity, force, period=PERIOD, elements=options.elements)
    print(found)
    plain = tg.Coulomb(float(np.sum(found.block.limits)))  # its level while it slides
    comparison = compare(SERVO, reference(options.ticks), period=PERIOD, model=found.block, law=plain)
    print(comparison)
    if options.plot:
        draw(comparison, options.plot)


if __name__ == "__main__":
    main()
