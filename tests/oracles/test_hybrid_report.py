"""The report of a log against contacts whose numbers are known in closed form."""

import json
import re

import numpy as np
import pytest

from hybrid_logs import PERIOD, Impact, dynamics_rows, table_rows, write_log
from tegotae.commands.console import write_json
from tegotae.figures import hybrid as figures
from tegotae.hybrid.records.audit import contact_intervals, noise_of
from tegotae.hybrid.records.log import LogReader
from tegotae.hybrid.records.report import report, shown, table
from tegotae.hybrid.records.report_page import page, write_page

# Kp = 200, 400, 800 of the two robots.
STIFFNESSES = (11323.0, 22646.0, 45292.0)


def told_of(tmp_path, dynamics, table=None, **given):
    return report(write_log(tmp_path / "run.mcap", dynamics, table, **given))


@pytest.mark.parametrize("stiffness", STIFFNESSES)
@pytest.mark.parametrize("part", [0.0, 0.23, 0.5, 0.81])  # of a tick after which they touch
def test_a_half_sine_is_measured(tmp_path, stiffness, part):
    """The parabola at the top leaves (w T)^4/128, 2e-7; the lines at the feet (w T)^2/2 of a tick, 3e-3 of it.

    The highest tick alone would be (w T)^2/8 too low, up to 7e-4.
    """
    truth = Impact(stiffness=stiffness)
    touch = 0.3 + part * PERIOD
    told = told_of(tmp_path, dynamics_rows(truth, touch=touch), table_rows(truth, touch=touch))
    assert told["peak_force"] == pytest.approx(0.01 * np.sqrt(stiffness * truth.mass), rel=1e-4)
    assert told["duration"] == pytest.approx(np.pi * np.sqrt(truth.mass / stiffness), rel=5e-3)
    assert told["touched"] == pytest.approx(touch, abs=0.1 * PERIOD)
    assert told["restitution"] == pytest.approx(1.0, abs=1e-9)
    assert told["energy_gained"] == pytest.approx(0.0, abs=1e-12)
    assert told["mass"] == pytest.approx(truth.mass, rel=3e-3)
    assert told["sensor_peak"] == pytest.approx(truth.peak, rel=2e-3)


@pytest.mark.parametrize("ratio", [0.16, 0.02, -0.05, -0.15])
def test_restitution_and_energy_of_dead_and_of_lively_contacts(tmp_path, ratio):
    """Damping takes energy; a negative one gives it, as a delay tau does: ratio = -w tau/2, e = exp(pi w tau/2)."""
    truth = Impact(ratio=ratio, rest=0.4)
    told = told_of(tmp_path, dynamics_rows(truth, touch=0.3007), table_rows(truth, touch=0.3007))
    assert told["restitution"] == pytest.approx(truth.restitution, rel=1e-3)
    assert told["peak_force"] == pytest.approx(truth.peak, rel=2e-3)
    # A damper sets in with a jump, whose size the identified damping tells.
    assert told["duration"] == pytest.approx(truth.duration, rel=5e-3)
    assert told["energy_gained"] == pytest.approx(truth.gained, rel=1e-3)
    kinetic = 0.5 * truth.mass * truth.speed**2
    assert told["energy_gained_relative"] == pytest.approx(truth.gained / kinetic, rel=0.02)
    if ratio < 0.0:
        assert truth.restitution == pytest.approx(np.exp(-np.pi * ratio), rel=0.05)  # what it stands for
    # The sensor's side does the same work here, the jump of the force being the trapezoids' error: c v T/2 of m v/2.
    jump = 0.5 * abs(truth.damping) * truth.speed**2 * PERIOD
    assert told["work_device"] == pytest.approx(truth.gained, abs=jump + 2e-3 * kinetic)


def test_the_audit_closes_for_steps_of_kick_and_drift(tmp_path):
    """w.(V + V')/2 T is exactly what a kick gives: work and gain agree to rounding, whatever the force is."""
    rng = np.random.default_rng(3)
    truth = Impact()
    rows, device = dynamics_rows(truth), table_rows(truth)
    push = -rows["wrench"][:, 2] * (1.0 + 0.2 * rng.random(rows.size))
    speed = truth.speed - PERIOD * np.cumsum(push) / truth.mass
    rows["wrench"][:, 2], rows["twist"][:, 2] = -push, speed
    rows["wrench"][:, 0] = 3.0  # a force across that moves nothing does no work
    rows["energy"] = 0.7 + 0.5 * truth.mass * speed**2
    rows["removed"] = np.linspace(0.0, 1e-3, rows.size)
    told = told_of(tmp_path, rows, device)
    assert told["energy_gained"] > 0.0
    assert told["work_applied"] == pytest.approx(told["energy_gained"], rel=1e-9)
    assert told["unexplained"] == pytest.approx(0.0, abs=1e-12)
    assert told["work_created"] == pytest.approx(told["work_applied"] - told["work_device"], abs=1e-15)
    assert told["restitution"] == pytest.approx(-speed[-1] / speed[0], rel=1e-12)
    assert told["guard_removed_in_all"] == pytest.approx(1e-3)
    assert told["guard_removed"] == pytest.approx(1e-3 * told["duration"] / 0.8, rel=0.05)  # evenly over 0.8 s


def test_the_devices_work_does_not_hang_on_when_velocity_was_taken(tmp_path):
    """An elastic contact works nothing, though velocity comes half a tick from the force (w T/4 pi of the energy)."""
    truth = Impact()
    felt = table_rows(truth)
    felt["twist"] = table_rows(truth, touch=0.3 - 0.5 * PERIOD)["twist"]
    told = told_of(tmp_path, dynamics_rows(truth), felt)
    assert told["work_device"] == pytest.approx(0.0, abs=1e-3 * 0.5 * truth.mass * truth.speed**2)


def test_lost_packets_and_noise(tmp_path):
    """Five of a hundred forces are missing (the applied force is zero), the others jitter by 1/100 of the peak.

    A line through the first five ticks (slope 0.9 N a tick) places the touch to about 0.12 N / 0.9 N = 0.15 ticks; a
    dropout among them doubles it: 1 ms of 86 in all. A parabola over eleven ticks averages the jitter to 0.5 %.
    """
    truth = Impact()
    worst = 0.0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        rows = dynamics_rows(truth, touch=0.3011)
        rows["wrench"][:, 2] += rng.normal(0.0, 0.01 * truth.peak, rows.size)
        rows["wrench"][rng.random(rows.size) < 0.05] = 0.0
        told = told_of(tmp_path, rows, overwrite=True)
        assert len(told["contacts"]) == 1
        assert told["peak_force"] == pytest.approx(truth.peak, rel=0.015)
        assert told["restitution"] == pytest.approx(1.0, abs=1e-3)
        worst = max(worst, abs(told["duration"] / truth.duration - 1.0))
    assert worst < 0.025


def test_noise_is_averaged_not_taken_for_peak_or_touch():
    """With jitter s of 1/50 of the peak: three ticks put the top 1 s too high on average, eleven less than s/2.

    Feet from two ticks scatter by some s over the slope of a tick, .07 of the peak, and by more where they lie nearly
    level: 1.65 % of the duration; from five ticks by three quarters of that.
    """
    truth, time = Impact(), PERIOD * np.arange(1, 401)
    depth, _, push = truth.motion(time - 0.3011)
    peaks, lengths = [], []
    for seed in range(40):
        force = push + np.random.default_rng(seed).normal(0.0, 0.02 * truth.peak, push.size)
        noise, jitter = noise_of(force, -depth)
        assert noise == pytest.approx(0.02 * truth.peak, rel=0.25)
        (interval,) = contact_intervals(time, force, noise=noise, jitter=jitter)
        peaks.append(interval.peak / truth.peak - 1.0)
        lengths.append(interval.duration / truth.duration - 1.0)
    assert abs(np.mean(peaks)) < 0.01
    assert abs(np.mean(lengths)) < 0.01
    assert np.sqrt(np.mean(np.square(lengths))) < 0.0145


def test_noise_alone_is_no_contact(tmp_path):
    rows = dynamics_rows(Impact(), touch=10.0, length=4.0)
    rows["wrench"][:, 2] = np.random.default_rng(1).normal(0.0, 0.05, rows.size)
    told = told_of(tmp_path, rows)
    assert told["contacts"] == []
    assert told["peak_force"] is told["restitution"] is told["duration"] is None
    assert any("no contact" in words for words in told["words"])


def test_a_spike_of_two_ticks_is_no_contact(tmp_path):
    rows = dynamics_rows(Impact(), touch=10.0)
    rows["wrench"][200:202, 2] = -1.0
    assert told_of(tmp_path, rows)["contacts"] == []


def test_a_force_cut_off_by_the_guard_keeps_its_peak():
    """The force falls from its top to zero: no parabola may see a higher peak than there was."""
    time = PERIOD * np.arange(200)
    force = np.where((time > 0.1) & (time < 0.15), 5.0 * np.sin(np.pi * (time - 0.1) / 0.1), 0.0)
    (interval,) = contact_intervals(time, force)
    assert interval.peak == force.max()
    assert 0.15 - PERIOD <= interval.released <= 0.15 + 1e-12


def test_several_contacts_the_hardest_counts_and_one_unfinished_does_not(tmp_path):
    soft, hard = Impact(speed=0.005), Impact(speed=0.02)
    rows = np.concatenate([dynamics_rows(soft), dynamics_rows(hard), dynamics_rows(hard, touch=0.75)])
    rows["simulated"] = PERIOD * np.arange(1, rows.size + 1)
    told = told_of(tmp_path, rows)
    assert [round(each["approach_speed"], 6) for each in told["contacts"]] == [0.005, 0.02]
    assert told["peak_force"] == pytest.approx(hard.peak, rel=2e-3)
    assert any("2 contacts" in words for words in told["words"])


def test_a_run_that_began_anew_waits_and_skips(tmp_path):
    """Simulated time stands while the partner is absent, jumps after skipped ticks, and restarts at zero."""
    truth = Impact()
    first, second = dynamics_rows(truth), dynamics_rows(truth)
    waiting = np.repeat(first[:1], 30)
    waiting["simulated"], waiting["steps"], waiting["fresh"] = 0.0, 0, 0
    skipped = np.delete(first, 120)  # in free flight
    skipped["steps"][120] = 2
    rows = np.concatenate([waiting, skipped, second])
    rows["tick"] = np.concatenate([np.arange(30), 30 + skipped["tick"], np.arange(second.size)])
    told = told_of(tmp_path, rows)
    assert len(told["contacts"]) == 2
    assert told["deadlines_missed"] == 1
    assert told["period"] == pytest.approx(PERIOD)
    assert told["ticks_without_measurement"] == 30
    for each in told["contacts"]:
        assert each["duration"] == pytest.approx(truth.duration, rel=5e-3)


def test_rows_that_are_not_finite_are_left_out_with_words(tmp_path):
    rows = dynamics_rows(Impact())
    rows["wrench"][170, 2] = np.nan
    told = told_of(tmp_path, rows)
    assert told["peak_force"] == pytest.approx(Impact().peak, rel=2e-3)
    assert any("1 rows of the dynamics node" in words for words in told["words"])


def status(missed, lost):
    return {"deadlines": {"missed": missed}, "link": {"lost": lost, "round_trip_p50": 3e-5, "round_trip_max": 1e-3}}


def test_counts_come_from_what_the_nodes_told_last(tmp_path):
    """A count that falls is a node that was started again: what it had counted before stays."""
    truth = Impact()
    rows = dynamics_rows(truth, delay=0.01)
    rows["lateness"] = np.linspace(0.0, 1e-3, rows.size)
    told = told_of(
        tmp_path,
        rows,
        table_rows(truth),
        about={"settings": {"guard": False, "compensation": True, "clock": "real"}},
        status=[
            ("dynamics", status(1, 2)),
            ("dynamics", status(4, 5)),
            ("table", status(7, 3)),
            ("table", status(1, 1)),
        ],
        events=[{"time": 5_100_000_000, "node": "table", "level": "trip", "text": "overload: 31 N"}],
    )
    assert told["deadlines_missed"] == 4 + 7 + 1
    assert told["packets_lost"] == 5 + 3 + 1
    assert told["round_trip"] == {"p50": 3e-5, "p99": None, "max": 1e-3}
    assert (told["guard"], told["compensation"]) == (False, True)
    assert told["delay"] == pytest.approx(0.01)
    assert told["delay_by_labels"] == pytest.approx(0.01)
    assert told["lateness"]["dynamics"]["p50"] == pytest.approx(0.5e-3)
    assert told["trips"][0]["at"] == pytest.approx(0.1)
    assert told["log_rows_lost"] == 0


def test_json_has_no_nan_and_the_table_shows_all(tmp_path):
    rows = dynamics_rows(Impact())
    rows["stiffness"] = np.nan
    told = told_of(tmp_path, rows)
    write_json(tmp_path / "told.json", told)
    text = (tmp_path / "told.json").read_text()
    assert json.loads(text, parse_constant=lambda token: pytest.fail(token))["stiffness"] is None
    assert {"peak_force", "duration", "restitution", "energy_gained", "delay", "deadlines_missed"} <= json.loads(
        text
    ).keys()
    assert "packets_lost" in json.loads(text)
    assert table(told).row_count == len(shown(told)) > 20
    assert ("peak force", f"{told['peak_force']:.4g}", "N") in shown(told)


def test_a_reader_and_a_path_give_the_same(tmp_path):
    path = write_log(tmp_path / "run.mcap", dynamics_rows(Impact()))
    assert report(path) == report(LogReader(path))


def test_the_page_holds_everything_and_leads_nowhere(tmp_path):
    truth = Impact()
    about = {"settings": {"guard": True, "compensation": False}, "settings_text": "guard = true # <b>"}
    events = [{"time": 5_100_000_000, "node": "table", "level": "trip", "text": "<script>alert(1)</script> & so on"}]
    rows = dynamics_rows(truth, delay=0.01)
    rows["lateness"] = 1e-5
    path = write_log(tmp_path / "run.mcap", rows, table_rows(truth), about=about, events=events)
    log = LogReader(path)
    text = write_page(tmp_path / "report.html", report(log), log).read_text(encoding="utf-8")
    assert re.findall(r"""(?:src|href)=["'](?!data:)""", text) == []
    assert re.search(r"https?://|@import|url\(", text) is None
    assert text.count("<img ") == 3
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "guard = true # &lt;b&gt;" in text
    (shown_duration,) = re.findall(r"<b>([\d.]+)</b><span>ms of contact", text)
    assert float(shown_duration) == pytest.approx(1e3 * truth.duration, rel=5e-3)


def test_a_log_without_rows_has_a_page_too(tmp_path):
    log = LogReader(write_log(tmp_path / "run.mcap"))
    assert "no rows of the dynamics node" in page(report(log), log)


def test_figures_show_the_contact_and_its_numbers(tmp_path):
    truth = Impact()
    log = LogReader(
        write_log(tmp_path / "run.mcap", dynamics_rows(truth, touch=0.3013), table_rows(truth, touch=0.3013))
    )
    told = report(log)
    above, _, energy = figures.contact(log, told).axes
    curves = {line.get_label(): line for line in above.lines}
    assert curves.keys() == {"on the bodies", "at the sensor", "spring alone"}  # the guard changed nothing
    # The half sine of mass, stiffness and speed lies on the force.
    when, push = curves["on the bodies"].get_data()
    half = np.interp(when, *curves["spring alone"].get_data(), left=0.0, right=0.0)
    assert np.abs(push - half).max() < 0.01 * truth.peak
    kinetic = energy.lines[1].get_ydata()
    assert kinetic.min() == pytest.approx(-1e3 * 0.5 * truth.mass * truth.speed**2, rel=0.01)


def test_the_report_tells_what_the_integrator_alone_gives_the_bodies(tmp_path):
    """Bent robots with free joints turn in a bounce, and the guard knows the work in a tick to second order."""
    told = {}
    for pose in ("A", "B"):
        for ms in (10, 5, 2):
            settings = {
                "period": 1e-3 * ms,
                "model": {"kind": "two-robots", "pose": pose, "joints": "free", "speed": 0.1},
            }
            told[pose, ms] = told_of(
                tmp_path, dynamics_rows(Impact(), touch=0.3), about={"settings": settings}, overwrite=True
            )
    gained = [told["B", ms]["gained_by_steps"] for ms in (10, 5, 2)]
    assert 1e-4 < gained[0] < 1e-3
    assert np.polyfit(np.log([10, 5, 2]), np.log(gained), 1)[0] == pytest.approx(2.0, abs=0.25)  # vanishes with T^2
    assert any("no guard takes" in word for word in told["B", 10]["words"])
    assert ("energy gained by the integrator alone", f"{1e2 * gained[0]:.4g}", "%") in shown(told["B", 10])
    # In line nothing turns: a constant force on constant masses is stepped exactly.
    assert abs(told["A", 10]["gained_by_steps"]) < 1e-12
    assert not any("no guard takes" in word for word in told["A", 10]["words"])
