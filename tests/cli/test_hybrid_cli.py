"""`tegotae hybrid`: names that answer, files that are written, and words for what means nothing."""

import json
import os
import stat
from pathlib import Path

import pytest

from tegotae.cli import main
from tegotae.hybrid.records.log_reader import LogReader
from tegotae.hybrid.settings import Settings, read_settings

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "two_robots.toml")
QUICK = ["--set", "clock=virtual", "--set", "device.kind=spring", "--set", "model.gap=0.002"]
NUMBERS = ("peak_force", "duration", "restitution", "energy_gained", "delay", "deadlines_missed", "packets_lost")


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TEGOTAE_DEBUG", raising=False)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Of a contact under delay and loss, made by the command."""
    path = tmp_path_factory.mktemp("hybrid") / "run.mcap"
    faults = ["--set", "link.delay=0.004", "--set", "link.loss=0.1"]
    assert main(["hybrid", "run", EXAMPLE, *QUICK, *faults, "--duration", "0.5", "--out", str(path)]) == 0
    return path


def refused(capsys, *arguments):
    """The words of a refusal, which comes with 2 and leaves nothing behind."""
    before = sorted(os.listdir())
    assert main(["hybrid", *arguments]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("tegotae: ")
    assert said.out == ""
    assert sorted(os.listdir()) == before
    return said.err


# ------------------------------------------------------------ runs and their logs


def test_a_virtual_run_makes_the_numbers_of_the_closed_form(log, capsys):
    """Peak v sqrt(k m) and duration pi sqrt(m / k) of the undelayed contact, at 4 ms and 10 % loss, compensated."""
    assert main(["hybrid", "report", str(log), "--json", "told.json", "--page", "told.html"]) == 0
    told = json.loads(Path("told.json").read_text())
    assert set(NUMBERS) <= set(told)
    assert told["peak_force"] == pytest.approx(12.364, rel=0.02)
    assert told["duration"] == pytest.approx(85.8e-3, rel=0.03)
    assert told["restitution"] <= 1.001
    assert told["packets_lost"] > 10
    assert "<html" in Path("told.html").read_text()
    assert "peak force" in capsys.readouterr().out


def test_two_virtual_runs_give_the_same_report_bit_for_bit(log):
    again = ["--set", "link.delay=0.004", "--set", "link.loss=0.1", "--duration", "0.5", "--out", "again.mcap"]
    assert main(["hybrid", "run", EXAMPLE, *QUICK, *again]) == 0
    for path, told in ((log, "one.json"), ("again.mcap", "two.json")):
        assert main(["hybrid", "report", str(path), "--json", told]) == 0
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()


def test_the_seed_of_the_faults_matters(log):
    other = ["--set", "link.delay=0.004", "--set", "link.loss=0.1", "--set", "link.seed=1", "--duration", "0.5"]
    assert main(["hybrid", "run", EXAMPLE, *QUICK, *other, "--out", "other.mcap"]) == 0
    assert LogReader("other.mcap").table["wrench"].tobytes() != LogReader(log).table["wrench"].tobytes()


def test_a_log_is_replayed_bit_for_bit(log, capsys):
    assert main(["hybrid", "replay", str(log)]) == 0
    assert "bit for bit the same" in capsys.readouterr().out


def test_a_log_in_which_the_guard_acted_is_replayed_bit_for_bit():
    late = ["--set", "link.delay=0.01", "--set", "compensation=false", "--duration", "0.4", "--out", "late.mcap"]
    assert main(["hybrid", "run", EXAMPLE, *QUICK, *late]) == 0
    rows = LogReader("late.mcap").dynamics
    assert (rows["wrench"] != rows["compensated"]).any()
    assert main(["hybrid", "replay", "late.mcap"]) == 0


def test_a_replay_names_the_first_number_that_differs(log, capsys, monkeypatch):
    """A log whose force was changed by one bit does not replay."""
    read = LogReader(log)
    touched = int((read.dynamics["felt_wrench"][:, 2] < -1.0).argmax())
    read.dynamics["felt_wrench"][touched, 2] *= 1.0 + 2.0**-52
    monkeypatch.setattr("tegotae.commands.hybrid.LogReader", lambda path: read)
    assert main(["hybrid", "replay", "run.mcap"]) == 1
    said = capsys.readouterr().out
    assert f"row {touched} " in said
    assert "bit for bit" not in said


def test_without_out_nothing_is_kept_and_the_numbers_are_said(capsys):
    assert main(["hybrid", "run", EXAMPLE, *QUICK, "--duration", "0.02"]) == 0
    said = capsys.readouterr().out
    assert "peak force" in said
    assert "nothing was kept" in said
    assert os.listdir() == []


def test_a_log_is_replaced_only_if_asked_for(capsys):
    assert main(["hybrid", "run", EXAMPLE, *QUICK, "--duration", "0.02", "--out", "a.mcap"]) == 0
    before = Path("a.mcap").read_bytes()
    capsys.readouterr()
    assert "--overwrite" in refused(capsys, "run", EXAMPLE, *QUICK, "--duration", "0.02", "--out", "a.mcap")
    assert Path("a.mcap").read_bytes() == before
    assert main(["hybrid", "run", EXAMPLE, *QUICK, "--duration", "0.04", "--out", "a.mcap", "--overwrite"]) == 0
    assert LogReader("a.mcap").dynamics["simulated"][-1] == pytest.approx(0.04)


def test_the_settings_of_a_run_are_in_its_log(log):
    about = LogReader(log).about
    assert about["settings"]["link"]["loss"] == 0.1
    assert about["settings"]["device"]["kind"] == "spring"


# ------------------------------------------------------------ settings and keys


def test_show_prints_settings_that_can_be_read_back(capsys):
    assert main(["hybrid", "show", EXAMPLE, "--set", "device.kp=400"]) == 0
    Path("shown.toml").write_text(capsys.readouterr().out)
    assert read_settings("shown.toml") == read_settings(EXAMPLE, ["device.kp=400"])
    assert main(["hybrid", "show"]) == 0
    Path("default.toml").write_text(capsys.readouterr().out)
    assert read_settings("default.toml") == Settings()


def test_show_fills_in_ports_that_differ(capsys):
    assert main(["hybrid", "show", "--ports"]) == 0
    Path("shown.toml").write_text(capsys.readouterr().out)
    own = read_settings("shown.toml")
    fast = {own.link.dynamics, own.link.table, own.link.table_device, own.link.device}
    slow = {own.bus.dynamics, own.bus.table, own.bus.device, own.bus.log, own.bus.view}
    assert (len(fast), len(slow)) == (4, 5)
    assert not any(place.endswith(":0") for place in fast | slow)


def test_a_key_is_private_and_never_replaced(capsys):
    assert main(["hybrid", "key", "table.key"]) == 0
    assert stat.S_IMODE(os.stat("table.key").st_mode) == 0o600
    text = Path("table.key").read_text()
    assert text.strip() not in capsys.readouterr().out
    assert "exists" in refused(capsys, "key", "table.key")
    assert Path("table.key").read_text() == text


def test_a_kind_given_by_set_leaves_the_numbers_of_another_behind():
    assert read_settings(EXAMPLE, ["device.kind=spring", "device.stiffness=1e4"]).device.stiffness == 1e4
    assert read_settings(EXAMPLE, ["device.kp=300", "device.kind=hexa"]).device.kp == 300.0


# ------------------------------------------------------------ words for what means nothing


def test_an_unknown_key_is_refused_with_its_name(capsys):
    Path("bad.toml").write_text("[limits]\nvelocitty = 0.1\n")
    for command in ("run", "dynamics", "table", "device", "view", "show", "stop", "rearm"):
        said = refused(capsys, command, "bad.toml")
        assert "velocitty" in said
        assert "hybrid show" in said


def test_files_that_are_not_there_are_refused(capsys):
    assert "no such file" in refused(capsys, "run", "nowhere.toml")
    assert "No such file" in refused(capsys, "report", "nowhere.mcap")
    assert "No such file" in refused(capsys, "replay", "nowhere.mcap")
    for clock in ("real", "virtual"):
        said = refused(capsys, "run", EXAMPLE, "--set", f"clock={clock}", "--out", "nowhere/run.mcap")
        assert "does not exist" in said


def test_a_file_that_is_no_log_is_refused(capsys):
    Path("text.mcap").write_text("hello, this is no log")
    assert "not an MCAP file" in refused(capsys, "report", "text.mcap")
    assert "not an MCAP file" in refused(capsys, "replay", "text.mcap")


def test_a_log_is_not_given_the_name_of_another_kind_of_file(tmp_path, capsys):
    assert "run.mcap" in refused(capsys, "run", EXAMPLE, *QUICK, "--out", str(tmp_path / "run.nc"))


def test_a_report_does_not_overwrite_its_log(log, capsys):
    before = log.read_bytes()
    assert "same file" in refused(capsys, "report", str(log), "--json", str(log))
    assert log.read_bytes() == before


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("duration=0", "duration=0.0 s must be > 0"),
        ("clock=sundial", "sundial"),
        ("link.loss=2", "link.loss=2.0 must be <= 1"),
        ("link.delay=-1", "link.delay=-1"),
        ("period=0", "period=0.0 s must be >= 1e-05"),
        ("period=-1", "period=-1.0 s must be"),
        ("period=nan", "period=nan s is not finite"),
        ("period=1e300", "period=1e+300 s is larger than"),
        ("guard=abc", "guard='abc' is text, not true or false"),
        ("duration=1e12", "duration=1000000000000.0 s must be <= 1e+08"),
        ("duration=1e8", "GB of memory"),
        ("device.kind=own", "has no twin"),
        ("model.pose=C", "'C'"),
        ("nothing", "not name=value"),
    ],
)
def test_settings_that_mean_nothing_are_refused(setting, says, capsys):
    assert says in refused(capsys, "run", EXAMPLE, "--set", "clock=virtual", "--set", setting)


def test_nodes_by_hand_need_ports_and_a_key(capsys):
    assert "names no key file" in refused(capsys, "stop", EXAMPLE, "--set", "bus.table=127.0.0.1:7451")
    assert main(["hybrid", "key", "table.key"]) == 0
    capsys.readouterr()
    keyed = ["--set", "link.key=table.key"]
    assert "link.table='127.0.0.1:0' has port 0" in refused(capsys, "table", EXAMPLE, *keyed)
    assert "has port 0" in refused(capsys, "log", EXAMPLE, *keyed, "--out", "run.mcap")
    assert "'somewhere' is not an address" in refused(capsys, "table", EXAMPLE, *keyed, "--set", "link.table=somewhere")
    os.chmod("table.key", 0o644)
    ports = ["--set", "link.table=127.0.0.1:7400", "--set", "link.dynamics=127.0.0.1:7401"]
    assert "can be read by others" in refused(capsys, "table", EXAMPLE, *keyed, *ports)


def test_a_node_of_its_own_has_a_real_clock(capsys):
    assert "hybrid run" in refused(capsys, "dynamics", EXAMPLE, "--set", "clock=virtual")


def test_every_command_has_help_with_an_example(capsys):
    for command in ("run", "dynamics", "table", "device", "view", "log", "report", "replay", "show", "key", "stop",
                    "rearm"):  # fmt: skip
        assert main(["hybrid", command, "--help"]) == 0
        assert f"tegotae hybrid {command}" in " ".join(capsys.readouterr().out.split())


def test_a_log_that_lost_rows_fails_where_completeness_is_asked_for(log):
    from hybrid_logs import PERIOD, Impact, dynamics_rows
    from tegotae.hybrid.records.log import LogWriter

    assert main(["hybrid", "report", str(log), "--complete"]) == 0
    rows = dynamics_rows(Impact())
    with LogWriter("holes.mcap", {"settings": {"period": PERIOD}}) as writer:
        writer.rows("dynamics", rows[:100], first=0)
        writer.rows("dynamics", rows[110:], first=110)
    assert main(["hybrid", "report", "holes.mcap"]) == 0
    assert main(["hybrid", "report", "holes.mcap", "--complete"]) == 1


# ------------------------------------------------------------ settings that name code

OWN = '[device]\nkind = "own"\nfactory = "my_table:open_table"\n'
SAID = "names code that will be run: device.factory="


def test_settings_that_name_code_say_so_before_it_is_run(monkeypatch, capsys):
    """A file may come from anybody; whoever starts it reads what it will run."""
    from tegotae.hybrid.processes import processes

    Path("lab.toml").write_text(OWN)
    heard = []

    def stand_in(*_, **__):
        heard.append(capsys.readouterr().err)
        raise KeyboardInterrupt

    monkeypatch.setattr(processes, "run_table", stand_in)
    monkeypatch.setattr("tegotae.commands.hybrid.Nodes", stand_in)
    for arguments in (
        ["table", "lab.toml"],
        ["table", "lab.toml", "--set", "device.factory=mine:other"],
        ["table", "lab.toml", "--parent", "1"],
        ["table", EXAMPLE, "--set", "device.kind=spring"],
        ["run", "lab.toml"],
    ):
        main(["hybrid", *arguments])
    by_file = f"lab.toml {SAID}'my_table:open_table'\n"
    assert heard == [by_file, f"--set {SAID}'mine:other'\n", "", "", by_file], "of a node that `run` starts, it said it"


def test_a_log_names_the_code_that_was_run():
    from tegotae.hybrid.processes.processes import about_of

    Path("lab.toml").write_text(OWN)
    assert about_of(read_settings("lab.toml"))["settings"]["device"]["factory"] == "my_table:open_table"
