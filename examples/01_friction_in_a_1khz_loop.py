"""Feel friction at 1 kHz: a hand drags an impedance device (encoder in, force out) that renders a brake.

The device here is a simulated twin. To use a real one, write a class with the members of
`tegotae.device.ImpedanceDevice` (causality, dimension, period, read, command, stop) and return it from `open_device`;
nothing else changes.

    python examples/01_friction_in_a_1khz_loop.py
    python examples/01_friction_in_a_1khz_loop.py --ticks 500 --save run.nc
"""

import argparse

import numpy as np

import tegotae as tg
from tegotae.device import Hand, ImpedanceDevice, ImpedanceTwin, RealTime, for_block, glide, render

PERIOD = 1e-3
BRAKE = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
TWIN = ImpedanceTwin(mass=0.2, damping=15.0, resolution=1e-5, force_limit=20.0)


def open_device() -> ImpedanceDevice:
    """The twin, held by a hand that reaches 10 cm out and back. A real driver would be opened here instead."""
    hand = Hand(stiffness=300.0, damping=5.0, target=glide([0.1, 0.9, 1.1, 1.9], [0.0, 0.1, 0.1, 0.0]))
    return TWIN.start(hand=hand, period=PERIOD)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ticks", type=int, default=2000, help="how many milliseconds to run (default 2000)")
    parser.add_argument("--save", metavar="FILE.nc", help="write the whole record as netCDF")
    options = parser.parse_args()

    print(for_block(BRAKE, period=PERIOD, device=TWIN))
    live = BRAKE.start(period=PERIOD)  # compiles now, so that the first tick does not
    result = render(open_device(), live, options.ticks, clock=RealTime(), force_limit=15.0)

    misses = result.about["deadline_misses"]
    work = 1e6 * (PERIOD - result.slack)
    print(f"{options.ticks} ticks of {1e3 * PERIOD:g} ms on the wall clock")
    print(f"  deadlines missed   {misses} ({100.0 * misses / options.ticks:.2f} %)")
    print(f"  work in a tick     median {np.median(work):.0f} µs, worst {work.max():.0f} µs")
    late = 1e6 * result.lateness
    print(f"  tick began late by median {np.median(late):.1f} µs, worst {late.max():.0f} µs")
    print(f"  largest force      {np.abs(result.force).max():.3f} N of a friction limit of {BRAKE.law.at_rest:g} N")
    print(f"  handle travelled   {1e3 * np.ptp(result.position):.1f} mm")
    print(f"  stuck              {100.0 * np.mean(result.slip_velocity == 0.0):.0f} % of the time")
    if options.save:
        print(f"  wrote {result.save(options.save)}")


if __name__ == "__main__":
    main()
