"""Settings of a hybrid run mean what they say: on their way to the nodes nothing changes, and nonsense is refused."""

import dataclasses
import datetime
import math
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hand_made import PATIENCE
from tegotae import Mass
from tegotae.errors import InputError
from tegotae.hybrid.machines.guarded import GuardedMachine
from tegotae.hybrid.nodes.dynamics_node import DynamicsCore
from tegotae.hybrid.nodes.virtual_run import run_virtual
from tegotae.hybrid.settings import LinkSettings, OwnDevice, SensorSettings, Settings, read_settings, settings_of

# Whatever a file name or an option may be: quotes, backslashes, line breaks, controls, NUL, emoji; no lone surrogates.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(
    [
        '"',
        "\\",
        'a"b',
        "\\n",
        "a\nb\r\nc\rd",
        "\x00\x07\x7f\x85\u2028",
        "手応え 😀",
        "'''",
        '"""',
        "# no comment",
        "= [x]",
    ]
)
PLAIN = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXT | st.datetimes()
OPTIONS = st.dictionaries(
    TEXT, st.recursive(PLAIN, lambda it: st.lists(it, max_size=3) | st.dictionaries(TEXT, it, max_size=3), max_leaves=6)
)


@given(key=TEXT, calibration=TEXT, factory=TEXT, options=OPTIONS)
def test_what_the_nodes_read_is_what_was_set(key, calibration, factory, options):
    settings = Settings(
        device=OwnDevice(factory=factory, options=options),
        link=LinkSettings(key=key),
        sensor=SensorSettings(calibration=calibration),
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "lab.toml")
        file.write_text(settings.toml(), encoding="utf-8")
        assert read_settings(file) == settings


@given(text=TEXT)
def test_a_quoted_value_of_the_command_line_is_what_was_quoted(text):
    from tegotae.toml_settings import toml_value

    assert read_settings(changes=[f"link.key={toml_value('key', text)}"]).link.key == text


@pytest.mark.realtime
def test_a_node_process_has_the_settings_as_they_were_set(tmp_path):
    """Written for the node, read by it, told to its log; its key lies in a folder that nobody should name so."""
    from tegotae.hybrid.processes.joining import bus_of, make_key
    from tegotae.hybrid.processes.launcher import Nodes
    from tegotae.hybrid.records.log_reader import LogReader

    folder = tmp_path / 'a "quoted" \\n 手😀\n\x07\x7f'
    folder.mkdir()
    key = make_key(folder / "k'\"\\e\ty")
    options = {"a b": 'x"\\\n\r\n\x00手😀', "": {"'": ["\u2028", 1, True, -0.0]}}
    settings = Settings(device=OwnDevice(factory="nobody:calls", options=options), link=LinkSettings(key=str(key)))
    with Nodes(settings, out=tmp_path / "run.mcap", view=False) as nodes:
        nodes.start("log")
        bus = bus_of(nodes.settings, None)
        try:
            assert bus.wait_for(["log"], PATIENCE) == []
        finally:
            bus.close()
        assert nodes.end("log", patience=PATIENCE) == ""
    assert nodes.settings.device == settings.device
    assert nodes.settings.link.key == str(key)
    assert settings_of(LogReader(tmp_path / "run.mcap").about["settings"]) == nodes.settings


def test_a_value_that_goes_on_with_other_settings_is_text_and_drops_none():
    assert read_settings(changes=['link.key="a"\nperiod = 1']).link.key == '"a"\nperiod = 1'


@pytest.mark.parametrize("text", ["\ud800", "a\udcffb"])  # as Python reads a file name that is no UTF-8
def test_text_that_no_file_can_hold_is_refused(text):
    for make in (
        lambda: LinkSettings(key=text),
        lambda: OwnDevice(options={"a": [text]}),
        lambda: OwnDevice(options={text: 1}),
        lambda: settings_of({"link": {"key": text}}),
    ):
        with pytest.raises(InputError, match="not a text that a file can hold"):
            make()


@pytest.mark.parametrize("value", [None, b"bytes", {1: 2}, 2**64, [[[None]]], object()])
def test_options_that_no_file_can_hold_are_refused(value):
    with pytest.raises(InputError):
        OwnDevice(options={"a": value})


def test_options_that_never_end_are_refused():
    endless = {}
    endless["again"] = endless
    with pytest.raises(InputError, match="inside each other"):
        OwnDevice(options=endless)


def test_dates_in_options_stay_dates():
    options = {"day": datetime.date(2020, 2, 29), "hour": datetime.time(3, 4, 5, 6)}
    settings = Settings(device=OwnDevice(options=options))
    assert "day = 2020-02-29" in settings.toml()


KINDS = {"device": "hexa", "model": "two-robots"}
NO_NUMBER = ["abc", None, True, [1.0], {}, math.nan, math.inf, -math.inf, 1e300, 10**400, 10**5000]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("period", [0, -1, 1e-9, 2.0]),
        ("duration", [0, -1, 1e12]),
        ("guard", ["abc", "true", 0, 1]),
        ("compensation", ["no", 0.0]),
        ("link.loss", [2, -0.1]),
        ("link.delay", [-1]),
        ("link.jitter", [-1e-9]),
        ("link.max_age", [0]),
        ("link.drift", [0.2]),
        ("link.seed", [-1, 0.5]),
        ("model.speed", [0]),
        ("model.masses", [[1, 2, 3], [1, 1, 1, 0], "1234", 5]),
        ("device.substeps", [0, 10**6, 1.5]),
        ("device.stiffness", [0]),
        ("limits.velocity", [0, -1]),
        ("limits.watchdog", [0]),
        ("limits.stopping_time", [0, -1, 1e3]),
        ("limits.stopping_distance", [0, -1, 1e3]),
        ("sensor.tare", [-1, 10**9]),
        ("waiting.nice", [5, -30]),
        ("waiting.priority", [100]),
    ],
)
def test_numbers_out_of_range_are_refused_by_their_name(name, values):
    for value in [*values, *NO_NUMBER]:
        if name in ("guard", "compensation") and isinstance(value, bool):
            continue
        group, _, field = name.rpartition(".")
        inner = {field: value} | ({"kind": KINDS[group]} if group in KINDS else {})
        with pytest.raises(InputError, match=name) as refused:
            settings_of({group: inner} if group else inner)
        assert "\n  " in str(refused.value)
        kind = type(getattr(Settings(), group)) if group else Settings
        with pytest.raises(InputError, match=f"{kind.__name__}: {field}"):
            kind(**{field: value})
        if group:  # also by a change of what was sound
            with pytest.raises(InputError, match=field):
                dataclasses.replace(kind(), **{field: value})


@pytest.mark.parametrize("value", ["abc", "", 1, 0.0, None])
def test_only_true_and_false_turn_the_guard_on_and_off(value):
    with pytest.raises(InputError, match=f"guard={value!r} is neither True nor False"):
        GuardedMachine(Mass(mass=1.0, dimension=6), period=2e-3, guard=value)
    machine = GuardedMachine(Mass(mass=1.0, dimension=6), period=2e-3)
    with pytest.raises(InputError, match=f"compensation={value!r} is neither True nor False"):
        DynamicsCore(machine=machine, stiffness=1e4, compensation=value)


def test_numbers_of_numpy_are_numbers():
    own = Settings(period=np.float64(1e-3), guard=np.True_, link=LinkSettings(seed=np.int64(3)))
    assert own == Settings(period=1e-3, link=LinkSettings(seed=3))
    assert type(own.period) is float


@pytest.mark.parametrize("session", ["", "../elsewhere", "a/b", "a b", "**", "手"])
def test_a_session_is_one_word(session):
    with pytest.raises(InputError, match="session="):
        Settings(session=session)


def test_a_run_that_memory_cannot_hold_is_refused_before_it_begins():
    """100,000 s at 10 us are 10^10 ticks, each of 848 bytes."""
    settings = read_settings(changes=["device.kind=spring", "period=1e-5", "duration=1e8"])
    with pytest.raises(InputError, match=r"duration=100000000.0 s .* GB"):
        run_virtual(settings)


@pytest.mark.parametrize("settings", [None, math.nan, {}, "two_robots.toml", Settings])
def test_what_are_no_settings_is_refused_by_name(settings):
    with pytest.raises(InputError, match=r"run_virtual: settings=.*\n  Give what read_settings"):
        run_virtual(settings)
