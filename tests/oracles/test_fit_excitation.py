"""A record that cannot show a parameter gets an error that names it and the motion that is missing."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.fitting import fit, load_record

T = 1e-3
ELEMENT = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))  # slides after 0.67 mm


def measured(block, velocity, noise=0.08, seed=0, period=T):
    force = block.run(velocity, period=period).force
    return force + noise * np.random.default_rng(seed).standard_normal(velocity.size)


def sine(fastest, hertz, ticks=4000, period=T):
    return fastest * np.cos(2.0 * np.pi * hertz * period * np.arange(ticks))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.5, 0.98])
def test_a_record_that_never_slides_does_not_show_the_limit(seed, share):
    # A cosine of velocity swings the position by fastest/(2 pi f) to either side, from rest in the middle.
    velocity = sine(share * 4.0 / 6000.0 * 2.0 * np.pi * 2.0, 2.0)
    block = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0))
    assert np.abs(block.run(velocity, period=T).force).max() < 4.0
    with pytest.raises(tg.InputError, match=r"limit: .*never slides.*\n.*larger motion"):
        fit(tg.FrictionImpedance, velocity, measured(block, velocity, 0.02, seed), period=T)


@pytest.mark.parametrize("law", [tg.Viscous, tg.Stribeck])
def test_no_law_is_read_from_a_record_that_never_slides(law):
    velocity = sine(0.004, 2.0)
    with pytest.raises(tg.InputError, match=r"never slides.*\n.*larger motion"):
        fit(tg.FrictionImpedance, velocity, measured(ELEMENT, velocity, 0.02), period=T, law=law)


def test_noise_alone_is_no_friction():
    force = np.random.default_rng(4).standard_normal(4000)
    with pytest.raises(tg.InputError, match=r"^fit: "):
        fit(tg.FrictionImpedance, sine(1e-9, 2.0), force, period=T)


def test_a_record_that_slides_from_its_first_tick_does_not_show_the_stiffness():
    velocity = 2.0 + sine(0.5, 1.0)  # at 2 m/s the spring is carried to its limit within a third of a tick
    with pytest.raises(tg.InputError, match=r"stiffness and damping: .*never seen to stick.*\n.*reversals"):
        fit(tg.FrictionImpedance, velocity, measured(ELEMENT, velocity), period=T)


def test_one_speed_alone_does_not_tell_limit_from_viscosity():
    velocity = np.repeat([0.1, -0.1, 0.1, -0.1], 1000)
    block = tg.FrictionImpedance(stiffness=6000.0, damping=0.5, law=tg.Viscous(4.0, 5.0))
    with pytest.raises(tg.InputError, match=r"viscosity.*\n.*different speeds"):
        fit(tg.FrictionImpedance, velocity, measured(block, velocity, 1.5), period=T, law=tg.Viscous)


@pytest.mark.parametrize(
    ("spoil", "cause"),
    [
        (lambda v, f: (v, f + 1.5), r'1\.5 N off centre.*free=\["offset"\]'),
        (lambda v, f: (v, np.clip(f, -3.0, 3.0)), "exactly 3 N, as a saturated sensor"),
        (lambda v, f: (v[700:], f[700:]), r'mid-motion.*free=\["preload"\]'),
    ],
    ids=["offset", "saturated", "cut"],
)
def test_a_refusal_names_what_the_record_looks_like(spoil, cause):
    time = T * np.arange(4000)
    velocity = 0.05 * np.sin(5.0 * time) + 0.02 * np.sin(13.0 * time)
    velocity, force = spoil(velocity, measured(ELEMENT, velocity, 0.02))
    with pytest.raises(tg.InputError, match=cause):
        fit(tg.FrictionImpedance, velocity, force, period=T)


def test_a_sound_record_is_not_blamed():
    velocity = 0.004 * np.sin(2.0 * np.pi * 2.0 * T * np.arange(4000))  # from rest, and it never slides
    with pytest.raises(tg.InputError) as caught:
        fit(tg.FrictionImpedance, velocity, measured(ELEMENT, velocity, 0.02), period=T)
    assert not any(word in str(caught.value) for word in ("offset", "saturated", "mid-motion"))


def test_a_crawl_does_not_show_the_damping():
    velocity = np.repeat([2e-4, -2e-4, 2e-4], 10_000)
    with pytest.raises(tg.InputError, match=r"does not show damping.*\n.*faster reversals.*known="):
        fit(tg.FrictionImpedance, velocity, measured(ELEMENT, velocity, 0.4), period=T)


@pytest.mark.parametrize(
    ("stribeck_velocity", "fastest"),
    [(1.0, 0.02), (1e-4, 0.1)],
    ids=["always far below", "always far above"],
)
def test_a_record_away_from_the_stribeck_velocity_does_not_show_it(stribeck_velocity, fastest):
    law = tg.Stribeck(kinetic=3.0, static=3.3, velocity=stribeck_velocity)
    block = tg.FrictionImpedance(stiffness=6e4, damping=1.2 * law.steepest_fall, law=law)
    velocity = sine(fastest, 1.0)
    with pytest.raises(tg.InputError, match=r"does not show .*velocity.*\n.*(Stribeck velocity|friction falls)"):
        fit(tg.FrictionImpedance, velocity, measured(block, velocity, 0.1), period=T, law=tg.Stribeck)


def test_friction_without_a_fall_is_no_stribeck_law():
    block = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Viscous(4.0, 3.0))
    velocity = sine(0.05, 1.0) + sine(0.03, 2.3)
    with pytest.raises(tg.InputError, match=r"tg\.Viscous"):
        fit(tg.FrictionImpedance, velocity, measured(block, velocity), period=T, law=tg.Stribeck)


def test_more_elements_than_the_record_shows():
    velocity = sine(0.05, 1.0) + sine(0.03, 2.3)
    with pytest.raises(tg.InputError, match=r"does not show"):
        fit(tg.ParallelFriction, velocity, measured(ELEMENT, velocity), period=T, elements=2)


def test_an_element_that_never_slides_in_a_composite():
    block = tg.ParallelFriction(stiffness=[6000.0, 500.0], damping=2.0, limits=[4.0, 100.0])
    velocity = sine(0.05, 1.0) + sine(0.03, 2.3)
    with pytest.raises(tg.InputError, match=r"limits\[1\].*never slides.*\n.*larger motion"):
        fit(tg.ParallelFriction, velocity, measured(block, velocity), period=T, elements=2)


def test_force_of_the_wrong_sign():
    velocity = sine(0.05, 1.0)
    with pytest.raises(tg.InputError, match="-force"):
        fit(tg.FrictionImpedance, velocity, -measured(ELEMENT, velocity), period=T)


GOOD = sine(0.05, 1.0, 500)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"velocity": np.zeros(500)}, "velocity is 0 throughout"),
        ({"force": np.zeros(500)}, "force is 0 throughout"),
        ({"velocity": np.full(500, np.nan)}, r"velocity\[0\]=nan"),
        ({"force": np.r_[GOOD[:-1], np.inf]}, r"force\[499\]=inf"),
        ({"force": GOOD[:-1]}, "500 ticks of motion but 499 of force"),
        ({"velocity": [], "force": []}, "velocity is empty"),
        ({"velocity": GOOD.reshape(5, 10, 10)}, "velocity has shape"),
        ({"force": np.zeros((500, 2))}, "force has shape"),
        ({"velocity": "fast"}, "velocity"),
        ({"velocity": GOOD[:10], "force": -GOOD[:10]}, "too short"),
        ({"force": None}, "force is missing"),
        ({"velocity": None}, "neither velocity nor position"),
        ({"position": GOOD}, "both velocity and position"),
        ({"period": None}, "period is missing"),
        ({"period": 0.0}, "period=0.0 s must be > 0"),
        ({"law": tg.Tabulated}, "cannot be identified.*\n.*tg.Coulomb"),
        ({"law": tg.Coulomb(4.0)}, "law=tg.Coulomb"),
        ({"law": None}, "law=None"),
        ({"machine": tg.SpringDamper}, "SpringDamper has no recipe"),
        ({"machine": ELEMENT}, "has no recipe"),
        ({"elements": 3}, "elements=3 for a single element"),
        ({"machine": tg.ParallelFriction}, "elements is missing"),
        ({"machine": tg.ParallelFriction, "elements": 0}, "elements=0"),
        ({"machine": tg.ParallelFriction, "elements": 2, "law": tg.Stribeck}, "Coulomb"),
        ({"known": {"colour": 1.0}}, "known has 'colour'"),
        ({"known": {"damping": -1.0}}, "must be >= 0"),
        ({"known": {"damping": 1.0, "stiffness": 1.0, "limit": 1.0}}, "every parameter is given"),
        ({"free": ["exponent"]}, "free has 'exponent'"),
    ],
)
def test_what_means_nothing_is_refused(change, says):
    arguments = {"machine": tg.FrictionImpedance, "velocity": GOOD, "force": -GOOD, "period": T} | change
    with pytest.raises(tg.InputError, match=says):
        fit(**arguments)


def test_a_record_from_a_file(tmp_path):
    velocity = sine(0.05, 1.0) + sine(0.03, 2.3)
    force = measured(ELEMENT, velocity)
    file = tmp_path / "record.csv"
    velocity, force = np.r_[0.0, velocity], np.r_[0.0, force]
    table = np.stack([T * np.arange(4001), T * np.cumsum(velocity), force], axis=1)
    np.savetxt(file, table, delimiter=",", header="Time [s],position (m),Force [N]", comments="")
    record = load_record(file)
    assert record.period == pytest.approx(T, rel=1e-9)
    np.testing.assert_allclose(record.velocity, velocity, atol=1e-9)
    found = fit(tg.FrictionImpedance, record)
    assert found.parameters == pytest.approx({"stiffness": 6000.0, "damping": 10.0, "limit": 4.0}, rel=0.1)
    table = repr(found)
    assert "stiffness" in table
    assert "N·s/m" in table
    found.plot(tmp_path / "fit.png")
    assert (tmp_path / "fit.png").stat().st_size > 10_000


def test_several_directions_and_a_given_period(tmp_path):
    file = tmp_path / "two.csv"
    file.write_text("velocity_0,velocity_1,pull_0,pull_1\n0.1,0.2,-1,-2\n0.3,0.4,-3,-4\n")
    record = load_record(file, period=0.01, force="pull")
    assert (record.dimension, record.period) == (2, 0.01)
    assert record.force.tolist() == [[-1.0, -2.0], [-3.0, -4.0]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("time,velocity\n0,1\n1,2\n", "no column 'force'; its columns are time, velocity"),
        ("time,force\n0,1\n1,2\n", "no column 'position'.*\n.*velocity=…"),
        ("velocity,force\n0,1\n1,2\n", "no column 'time'.*\n.*period="),
        ("time,velocity,force\n0,1,nan\n1,2,3\n", "'force' .* row 1"),
        ("time,velocity,force\n0,1,2\n1,,3\n", "'velocity' .* row 2"),
        ("time,velocity,force\n0,1,2\n1,2,3\n5,2,3\n", "not even"),
        ("time,velocity,force\n0,1,2\n", "single tick"),
        ("time,velocity,force_0,force_1\n0,1,2,3\n1,1,2,3\n", "1 column.* of motion but 2 of force"),
    ],
)
def test_a_file_without_what_is_needed(tmp_path, text, says):
    file = tmp_path / "bad.csv"
    file.write_text(text)
    with pytest.raises(tg.InputError, match=says):
        load_record(file)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no rows"),
        (b"time,velocity,force\n", "no rows"),
        (b"0,1,2\n1,2,3\n", "holds numbers, not names"),
        (b"time,velocity,force\n0,1\n", "2 cells, its header 3"),
        (b"\x89PNG\r\n\x1a\n\xff\xfe\x00", "not a CSV"),
    ],
)
def test_a_file_that_is_no_record(tmp_path, content, says):
    file = tmp_path / "bad.csv"
    file.write_bytes(content)
    with pytest.raises(tg.FileError, match=says):
        load_record(file)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(tg.FileError, match="there is no file"):
        load_record(tmp_path / "none.csv")


@pytest.mark.parametrize("path", [None, 5, ["record.csv"], object(), np.zeros(3)])
def test_what_is_no_path(path):
    with pytest.raises(tg.InputError, match=r"load_record: path=.* is not a path"):
        load_record(path)


@pytest.mark.parametrize("path", ["x" * 5000, "a\0b", "/"])
def test_a_name_that_no_file_has(path):
    with pytest.raises(tg.FileError, match="load_record: "):
        load_record(path)


@pytest.mark.parametrize("name", ["time", "velocity", "position", "force"])
@pytest.mark.parametrize("given", [None, 5, b"x", "", ["force"]])
def test_a_column_is_named_by_a_text(tmp_path, name, given):
    (tmp_path / "r.csv").write_text("time,velocity,force\n0,1,2\n1,2,3\n")
    with pytest.raises(tg.InputError, match=f"load_record: {name}=.* (is not a text|names no column)"):
        load_record(tmp_path / "r.csv", **{name: given})


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ({"time": "zeit"}, r"no column 'zeit'.*\n  Name one that is there with time=…, or give the period"),
        ({"force": "kraft"}, r"no column 'kraft'.*\n  Name one that is there with force=…\."),
        ({"velocity": "v"}, r"no column 'position'.*\n  Name the column with position=…; neither 'v'"),
        ({"velocity": "v", "position": "x"}, r"no column 'x'.*\n  Check both: neither 'v' nor 'x'"),
    ],
)
def test_a_column_that_was_named_is_not_asked_for_again(tmp_path, names, says):
    (tmp_path / "r.csv").write_text("time,velocity,force\n0,1,2\n1,2,3\n")
    with pytest.raises(tg.InputError, match=says):
        load_record(tmp_path / "r.csv", **names)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"machine": GOOD}, "has no recipe"),
        ({"machine": None}, "has no recipe"),
        ({"velocity": 1e-320 * GOOD / GOOD.max()}, "beyond what can be computed with"),
        ({"force": -1e200 * GOOD}, "beyond what can be computed with"),
        ({"progress": "loud"}, "progress='loud'"),
        ({"known": 5}, "known=5 is not a dict"),
        ({"free": "offset"}, "free='offset' is not a list of names"),
        ({"free": None}, "free=None is not a list"),
        ({"free": ["offset"], "known": {"offset": 1.0}}, "'offset' is in known and in free"),
        ({"machine": tg.ParallelFriction, "elements": 10**400}, "elements="),
        ({"machine": tg.FrictionAdmittance, "force": GOOD, "free": ["preload"]}, "free has 'preload'"),
    ],
)
def test_what_cannot_be_computed_is_refused(change, says):
    arguments = {"machine": tg.FrictionImpedance, "velocity": GOOD, "force": -GOOD, "period": T} | change
    with pytest.raises(tg.InputError, match=says):
        fit(**arguments)
