"""The mechanism's motion within a tick converges with the fourth order of its steps."""

import dataclasses

import numpy as np

from tegotae.table import HexaPlant


def test_motion_converges_with_fourth_order():
    plain = HexaPlant.default(kp=20.0)
    servo = dataclasses.replace(plain.servo, period=0.02, resolution=0.0, damping=1.5)

    def end(substeps):
        plant = dataclasses.replace(plain, servo=servo, substeps=substeps, arm_moment=0.2)
        run = plant.run(
            np.tile([5.0, 3.0, 4.0, 0.3, 0.2, 0.4], (8, 1)), initial={"twist": (0.6, -0.4, 0.3, 3.0, 2.0, -2.5)}
        )
        return np.concatenate([run.position[-1], run.rotation[-1].ravel(), run.twist[-1]])

    exact = end(64)
    counts = np.array([2, 3, 4, 6, 8])
    errors = [np.abs(end(int(n)) - exact).max() for n in counts]
    slope = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert abs(slope - 4.0) < 0.1, (slope, errors)
