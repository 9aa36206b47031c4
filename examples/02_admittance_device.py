"""Push a mass with friction through an admittance device (force sensor in, position command out).

The force sensor is noisy and biased, and the servo lags. Friction hides noise and bias that stay below its limit: while
the hand rests, the virtual mass stands exactly still.

    python examples/02_admittance_device.py
    python examples/02_admittance_device.py --noise 0.5 --ticks 3000
"""

import argparse

import numpy as np

import tegotae as tg
from tegotae.device import AdmittanceTwin, Hand, Watch, hold, render_motion, steps

PERIOD = 1e-3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ticks", type=int, default=2500, help="how many milliseconds to simulate (default 2500)")
    parser.add_argument("--noise", type=float, default=0.1, help="standard deviation of the force sensor [N]")
    options = parser.parse_args()

    slider = tg.FrictionAdmittance(mass=2.0, law=tg.Viscous(limit=4.0, viscosity=5.0))
    push = steps([0.0, 0.5, 1.5], [3.0, 6.0, 0.0])  # too little, enough, and hands off
    hand = Hand(stiffness=0.0, damping=0.0, target=hold(0.0), push=push)
    twin = AdmittanceTwin(bandwidth=30.0, noise=options.noise, bias=0.2, seed=1)
    device = twin.start(hand=hand, period=PERIOD)

    watch = {"tip": Watch(lambda: device.position, "m", "where the tip truly is")}
    result = render_motion(device, slider.start(period=PERIOD), options.ticks, force_limit=50.0, watch=watch)

    for name, begin, end in (("pushed with 3 N", 0, 500), ("pushed with 6 N", 500, 1500), ("hands off", 1500, 2500)):
        part = slice(begin, min(end, options.ticks))
        if begin < options.ticks:
            moved = 1e3 * np.ptp(result.position[part])
            speed = 1e3 * np.abs(result.velocity[part]).max()
            still = 100.0 * np.mean(result.velocity[part] == 0.0)
            print(
                f"{name:<16} moved {moved:8.3f} mm, at most {speed:7.2f} mm/s, exactly still {still:3.0f} % of the time"
            )
    lag = 1e3 * np.abs(result.position - result.tip).max()
    print(f"the servo lagged {lag:.3f} mm behind its command at most")


if __name__ == "__main__":
    main()
