"""The contests of trees at a tiny size: rivals do the same work; how fast, `tegotae bench` tells."""

import importlib.util

import numpy as np
import pytest

from tegotae.bench import multibody, peers

HAS_MUJOCO = importlib.util.find_spec("mujoco") is not None
HAS_PINOCCHIO = importlib.util.find_spec("pinocchio") is not None


@pytest.mark.parametrize("links", [1, 4, 30])
def test_all_rivals_find_the_same_accelerations(links: int) -> None:
    """The compiled loop, `forward_dynamics`, Pinocchio and MuJoCo: four routes to one chain."""
    q, v, tau = multibody.state(links)
    expected = multibody.chain(links).forward_dynamics(q, v, tau)
    size = np.abs(expected).max()
    np.testing.assert_allclose(multibody.compiled(links)(1), expected, rtol=0, atol=1e-12 * size)
    if HAS_PINOCCHIO:
        np.testing.assert_allclose(multibody.in_pinocchio(links)(1), expected, rtol=0, atol=1e-10 * size)
    if HAS_MUJOCO:
        np.testing.assert_allclose(multibody.forward_in_mujoco(links)(1), expected, rtol=0, atol=1e-9 * size)


def test_ratios_are_positive_numbers_and_carry_their_bounds() -> None:
    outcomes = [
        *(multibody.against_pinocchio(sizes=(4, 50), rounds=1) if HAS_PINOCCHIO else ()),
        *(multibody.against_mj_forward(links=10, rounds=1) if HAS_MUJOCO else ()),
        *multibody.price_of_stiction(links=3, ticks=200, rounds=1),
        *multibody.long_chain(links=20, ticks=20, rounds=1),
        *multibody.two_robots(seconds=0.2, rounds=1),
    ]
    for outcome in outcomes:
        assert np.isfinite(outcome.value)
        assert outcome.value > 0.0
        assert outcome.bound.startswith((">= ", "<= "))
    if HAS_PINOCCHIO:
        assert [outcome.bound for outcome in outcomes[:2]] == [">= 1", ">= 2"]


def test_modes_do_not_change_while_the_price_of_stiction_is_taken() -> None:
    """What sticks rests, and what slips keeps its direction, so that nothing but the element itself is timed."""
    links = 7
    q, _, _ = multibody.state(links)
    held = multibody.Scene(tree=multibody.chain(links, multibody.dry(1e4))).run(0.2, period=1e-3, q=q)
    assert np.abs(held.v[-1]).max() < 0.05
    sliding = multibody.Scene(tree=multibody.chain(links, multibody.dry(1e-3), gravity=0.0))
    run = sliding.run(2e-3, period=1e-7, q=q, v=np.ones(links), every=1000)
    assert (np.asarray(run.v) > 0.0).all()
    np.testing.assert_allclose(run.friction, -1e-3, rtol=1e-12)


def test_random_mode_problems_are_counted() -> None:
    (outcome,) = multibody.mode_problems(problems=100)
    assert outcome.value == 0.0
    assert outcome.met
    assert outcome.measured.startswith("0 unsolved of 100 ticks")


@pytest.mark.parametrize("make", [peers.box_on_a_slope, peers.grasp, peers.stack])
def test_what_rests_by_friction_stays(make) -> None:
    _, creep, unsolved = make().ours(3.0)
    assert creep < 1e-12
    assert unsolved == 0


@pytest.mark.skipif(not HAS_MUJOCO, reason="MuJoCo comes with the bench extra")
def test_both_engines_are_given_the_same_scene() -> None:
    """One body for each of ours, of the same mass; they start where ours start."""
    import mujoco

    for scenery in (peers.box_on_a_slope(), peers.grasp(), peers.stack()):
        model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{scenery.mjcf}</worldbody></mujoco>")
        assert model.nq == scenery.scene.tree.nq
        assert model.body_subtreemass[0] == pytest.approx(scenery.scene.tree.mass)
        np.testing.assert_allclose(model.qpos0, scenery.scene.tree.neutral(), atol=1e-15)
    (outcome, *_rest) = peers.at_rest(seconds=2.0, rounds=1)
    assert outcome.met
