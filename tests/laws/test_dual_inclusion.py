"""Forces of the dual: cones, boxes and stops are respected to rounding, whatever the problem and the warm start."""

from dataclasses import replace

import numpy as np
import pytest

from duals import BOX, CONE, STOP, WORK, Problem, problem
from tegotae.coupling.kernels.natural_residual import H

ROUNDING = 1e-13  # of the magnitudes that make up h; the solver aims at 4e-15


def failures(count: int, friction: float, boxes: bool) -> tuple[int, float]:
    failed, worst = 0, 0.0
    for seed in range(count):
        one = problem(seed, friction=friction, boxes=boxes)
        f, _, flag = one.solve()
        failed += flag
        if flag == 0:
            worst = max(worst, one.error(f))
    return failed, worst


@pytest.mark.parametrize("boxes", [False, True])
def test_problems_without_friction_cones_never_fail(boxes: bool) -> None:
    failed, worst = failures(2500, 0.0, boxes)
    assert failed == 0
    assert worst < ROUNDING


def test_corners_of_boxes_under_usual_friction_never_fail() -> None:
    failed, worst = failures(2000, 1.0, True)
    assert failed == 0
    assert worst < ROUNDING


def test_arbitrary_rows_under_strong_friction_fail_once_in_a_thousand_at_most_and_say_so() -> None:
    failed, worst = failures(1500, 2.0, False)
    assert failed <= 1
    assert worst < ROUNDING


def test_the_warm_start_changes_nothing_but_the_work() -> None:
    rng = np.random.default_rng(5)
    for seed in range(200):
        one = problem(seed, friction=0.0, boxes=False)  # convex: one solution
        f, _, _ = one.solve()
        again, steps, flag = one.solve(f)
        assert (flag, steps) == (0, 1)
        far, _, flag = one.solve(rng.normal(size=f.size) * 1e3)
        assert flag == 0
        size = np.abs(f).max() + 1e-9
        # forces of redundant corners differ by rounding times the condition, up to 1e6
        assert np.abs(again - f).max() < 1e-8 * size
        assert np.abs(far - f).max() < 1e-8 * size


def test_a_step_that_changes_no_mode_costs_one_linear_solve() -> None:
    """Slip directions turn a little with the load, which takes Newton a second and a third step."""
    rng = np.random.default_rng(6)
    steps = []
    for seed in range(200):
        one = problem(seed, friction=1.0, boxes=True)
        f, _, _ = one.solve()
        assert one.solve(f)[1:] == (1, 0)
        nudged = replace(one, b=one.b * (1 + 1e-9 * rng.normal(size=one.b.size)))
        steps.append(nudged.solve(f)[1])
    assert np.median(steps) <= 2
    assert np.percentile(steps, 90) <= 3


def test_h_is_left_for_the_caller() -> None:
    one = problem(3, friction=0.5, boxes=True)
    f, _, flag = one.solve()
    h = one.A @ f + one.b
    assert flag == 0
    assert WORK[H, : f.size] == pytest.approx(h, abs=1e-12 * (np.abs(one.A) @ np.abs(f)).max())


def single(kind: int, limit: float, b: list[float]) -> Problem:
    n = len(b)
    return Problem(np.eye(n), np.full(n, 1.0), np.array(b), np.array([kind]), np.array([0]), np.array([limit]))


def test_numbers_that_are_none_are_reported() -> None:
    for kind, b in (
        (CONE, [np.nan, 0.0, 0.0]),
        (CONE, [-1.0, np.nan, 0.0]),
        (CONE, [-np.inf, 0.0, 0.0]),
        (BOX, [np.nan]),
        (STOP, [np.nan]),
        (STOP, [-np.inf]),
    ):
        _, _, flag = single(kind, 1.0, b).solve()
        assert flag == 1, (kind, b)


def test_a_lost_warm_start_is_forgotten() -> None:
    f, _, flag = single(STOP, 0.0, [-2.0]).solve(np.array([np.nan]))
    assert (flag, f[0]) == (0, 1.0)


def test_an_empty_problem_is_solved() -> None:
    none = np.zeros(0)
    f, _, flag = Problem(np.zeros((0, 0)), none, none, none.astype(int), none.astype(int), none).solve()
    assert (f.size, flag) == (0, 0)


def test_an_infinite_box_is_a_joint_that_cannot_slip() -> None:
    f, _, flag = single(BOX, np.inf, [3.0]).solve()
    assert (flag, f[0]) == (0, -1.5)
