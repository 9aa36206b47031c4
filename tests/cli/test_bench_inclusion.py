"""The contests of inclusions at a tiny size: what they measure is right; how fast, `tegotae bench` tells."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tegotae.bench import Contest, Outcome, contests, inclusion
from tegotae.cli import main


def test_the_chain_has_four_states_a_body_and_comes_to_rest_against_its_wall() -> None:
    ode = inclusion.chain(2)
    assert len(ode.states) == 8
    start = {"p1": 0.01, "p2": 0.02, "v1": -1.0, "v2": -1.0}
    run = ode.solve((0.0, 2.0), start, method="LSODA", times=[0.0, 1.9, 2.0])
    # The push of 5 N holds it there; what the wall carries is between nothing and push + both frictions.
    assert abs(run.p1[2] - run.p1[1]) < 1e-6
    assert 0.0 <= run.gap0[-1] <= 5.0 + 2 * 0.3 * 9.81


def test_compile_is_timed_in_fresh_processes_with_a_cache_of_their_own(tmp_path: Path) -> None:
    cold = inclusion.in_fresh_process(inclusion.first_value, 1, TEGOTAE_CACHE=str(tmp_path))
    assert cold > 0.0
    kept = [path for path in tmp_path.rglob("*") if path.suffix in (".so", ".nbc")]
    assert kept, "what was compiled went into the folder of this test"
    outcomes = list(inclusion.compiling(rounds=1, bodies=1))
    assert [outcome.bound for outcome in outcomes] == ["<= 2 s", "<= 0.6 s"]
    assert all(outcome.value > 0.0 and "without imports" in outcome.measured for outcome in outcomes)


def test_many_calls_call_the_right_hand_side() -> None:
    ode = inclusion.chain(1)
    own, y, f = ode.compiled, np.array([-1e-4, -0.1, 0.0, 0.0]), np.empty(4)
    expected = ode.rhs(0.0, y)
    inclusion.calling_loop(ode)(1, 0.0, y, own.p, own.A, own.B, f)
    np.testing.assert_array_equal(f, expected)
    assert y[0] == -1e-4 + 1e-12 * expected[0], "the next call meets another state"
    (outcome,) = inclusion.calling(calls=10, rounds=1)
    assert outcome.value > 0.0


def test_the_steppers_that_are_timed_carry_their_weight_and_rub() -> None:
    for name, (stepper, start) in inclusion.steppers().items():
        run = stepper.run(ticks=4000, initial=start)
        assert run.about["unsolved_steps"] == 0
        if name != "belt":
            bodies = sum("press" in element for element in stepper.elements)
            # At rest the lowest contact carries all of them, 9.81 N each; its damper has had 4 s.
            assert abs(run.press0[-1] - 9.81 * bodies) < 1e-6
            assert np.all(np.abs(run.rub0) <= 0.4 * run.press0 + 1e-9)
    outcomes = inclusion.stepping(ticks=10, rounds=1)
    assert [outcome.name for outcome in outcomes] == ["stepper, belt", "stepper, floor", "stepper, stack"]


def test_the_compiled_machine_is_as_close_to_the_exact_one_as_asked() -> None:
    two = inclusion.TwoBodiesContest(seconds=0.5)
    assert np.max(np.abs(two.heights(two.ode()) - two.exact())) <= inclusion.ERROR


def test_the_timed_loop_ends_where_solve_ends() -> None:
    two = inclusion.TwoBodiesContest(seconds=0.05)
    ode = two.ode()
    play = inclusion._loop(ode, two.seconds)
    play()
    out = dict(zip(play.__code__.co_freevars, play.__closure__, strict=True))["out"].cell_contents
    assert out[0, 1] == two.heights(ode)[-1]


def test_without_siconos_the_contest_is_skipped_and_does_not_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert inclusion.Siconos.found(("no/such/python",)) is None
    monkeypatch.setattr(inclusion.Siconos, "found", classmethod(lambda cls: None))
    two = inclusion.TwoBodiesContest(seconds=0.01)
    outcomes = list(inclusion.against_siconos(two, two.times(), two.ode(), 0.0, 1))
    assert [outcome.played for outcome in outcomes] == [False]
    good = Outcome("circuit", "90 ns against 80 ns", 1.125, "<= 1.2", True)

    def run(only: object, report: object, tell: Callable[[Outcome], None]) -> list[Outcome]:
        told = [good, *outcomes]
        for outcome in told:
            tell(outcome)
        return told

    monkeypatch.setattr(contests, "run", run)
    assert main(["bench"]) == 0
    said = capsys.readouterr().out
    assert "skipped" in said
    assert "python3-siconos" in said
    assert "1 of 1 bounds met" in said


def test_the_script_for_the_other_python_needs_nothing_of_ours() -> None:
    code = f"import runpy; runpy.run_path({str(inclusion.SCRIPT)!r}, run_name='probe')"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_siconos_meets_the_exact_machine_as_its_step_falls() -> None:
    peer = inclusion.Siconos.found()
    if peer is None:
        pytest.skip(inclusion.MISSING)
    two = inclusion.TwoBodiesContest(seconds=0.6)
    exact = two.exact()
    errors = [peer.error(two.times(), exact, step=step, seconds=two.seconds) for step in (4e-3, 1e-3, 1e-4)]
    # Where a reversal falls between two steps matters, so single errors scatter; over a factor of 4 and 10 they fall.
    assert errors[1] < 0.5 * errors[0]
    assert errors[2] < 0.5 * errors[1]
    assert errors[2] < 0.5 * inclusion.ERROR
    assert peer.seconds(step=4e-3, seconds=0.1, runs=1) > 0.0


def test_a_bound_is_met_as_its_words_say() -> None:
    assert Outcome.asked("a", "", 15.0, "<= 15 ns").met
    assert not Outcome.asked("a", "", 14.9, ">= 15").met
    assert not Outcome.asked("a", "", 3.0, "< 3 ms").met
    assert not Outcome.asked("a", "", 1.0, "<= 15 ns", also=False).met


def test_without_its_peer_a_contest_is_skipped() -> None:
    (outcome,) = Contest("a", list, needs="nosuchpeer").outcomes()
    assert not outcome.played
    assert "nosuchpeer is not installed" in outcome.measured


def test_outcomes_are_json() -> None:
    assert json.loads(json.dumps(vars(Outcome.skipped("a", "b"))))["bound"] == "not measured"
