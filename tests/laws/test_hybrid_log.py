"""A log is readable while it grows, wherever it ends, and after its writer was killed; what is no log is refused."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from hybrid_logs import Impact, dynamics_rows, same, table_rows, write_log
from tegotae.errors import FileError, InputError
from tegotae.hybrid.bus.bus import MemoryBus
from tegotae.hybrid.bus.rows import DYNAMICS, TABLE, BlockWriter
from tegotae.hybrid.records import log_node
from tegotae.hybrid.records.log import LogReader, LogWriter
from tegotae.hybrid.records.log_node import LogNode
from tegotae.hybrid.records.replay import difference
from tegotae.hybrid.records.report import report

ROWS = dynamics_rows(Impact(), length=0.8)
SETTINGS = {"guard": True, "period": 0.002}


def test_everything_comes_back_bit_by_bit(tmp_path):
    rows, felt = ROWS.copy(), table_rows(Impact())
    rows["budget"][3], rows["energy"][4] = np.nan, -0.0
    path = tmp_path / "run.mcap"
    with LogWriter(path, {"settings": SETTINGS, "settings_text": "guard = true\n"}) as log:
        log.rows("dynamics", rows[:7], first=0)
        log.rows("table", felt, first=0)
        log.rows("dynamics", rows[7:], first=7)
        log.configuration(0.5, np.arange(15.0))
        log.configuration(0.52, np.arange(15.0) + 1.0)
        told = {"time": int(felt["time"][5]), "node": "table", "level": "warning"}
        log.event({**told, "text": "手応え", "kind": "late"})
        log.event({**told, "time": int(felt["time"][6]), "text": "as older logs have it"})
        log.status("table", {"deadlines": {"missed": 3, "lateness_max": float("inf")}})
    read = LogReader(path)
    assert same(read.dynamics, rows)
    assert same(read.table, felt)
    assert read.whole
    assert read.words == []
    assert read.configuration["simulated"].tolist() == [0.5, 0.52]
    assert read.configuration["q"][1].tolist() == (np.arange(15.0) + 1.0).tolist()
    assert [(each["text"], each["kind"], round(each["at"], 9)) for each in read.events] == [
        ("手応え", "late", 0.01),
        ("as older logs have it", "", 0.012),
    ]
    assert read.status["table"] == [{"deadlines": {"missed": 3, "lateness_max": None}}]
    assert read.about["settings"] == SETTINGS
    assert read.about["versions"].keys() >= {"tegotae", "numpy", "python"}
    assert re.match(r"20\d\d-", read.about["started"])


def test_a_stranger_reads_it_with_mcap_alone(tmp_path):
    """Names, types, places and units of the fields are in the file; events are JSON; settings are attached."""
    from mcap.reader import make_reader

    event = {"time": 5_000_000_000, "node": "dynamics", "level": "info", "text": "hello"}
    about = {"settings_text": "guard = true\n"}
    path = write_log(tmp_path / "run.mcap", ROWS, table_rows(Impact()), events=[event], about=about)
    with open(path, "rb") as file:
        reader = make_reader(file)
        messages = [(schema, channel, message) for schema, channel, message in reader.iter_messages()]
        attached = [each.data for each in reader.iter_attachments()]
    assert {channel.topic for _, channel, _ in messages} == {"rows/dynamics", "rows/table", "events"}
    assert attached == [b"guard = true\n"]
    schema, _, message = next(each for each in messages if each[1].topic == "rows/dynamics")
    told = json.loads(schema.data)
    (field,) = [each for each in told["fields"] if each["name"] == "energy"]
    assert (field["unit"], field["type"]) == ("J", "<f8")
    assert np.frombuffer(message.data[field["offset"] :], "<f8", 1)[0] == ROWS["energy"][0]
    assert all(each["unit"] and each["meaning"] for each in told["fields"])


@pytest.mark.parametrize("flushes", [1, 6])
def test_a_log_cut_anywhere_is_read_to_where_it_is_whole(tmp_path, flushes):
    """At every byte near the borders of records, and at many between: rows are a beginning of what was written."""
    path = tmp_path / "run.mcap"
    sizes = []
    with LogWriter(path, {"settings": SETTINGS}) as log:
        sizes.append(path.stat().st_size)
        for part in range(flushes):
            log.rows("dynamics", ROWS[10 * part : 10 * part + 10], first=10 * part)
            log.flush()
            sizes.append(path.stat().st_size)
    whole = path.read_bytes()
    cut = tmp_path / "cut.mcap"
    near = {size + step for size in sizes for step in range(-3, 4)}
    places = sorted(near | set(range(sizes[0], len(whole), max(len(whole) // 60, 1))) | {len(whole) - 1})
    counts = []
    for place in places:
        if place < sizes[0]:
            continue
        cut.write_bytes(whole[:place])
        read = LogReader(cut)
        assert not read.whole or place >= len(whole)
        assert same(read.dynamics, ROWS[: read.dynamics.size])
        assert read.about["settings"] == SETTINGS
        counts.append(read.dynamics.size)
        # A flush is a promise: what was handed over before it is there.
        assert read.dynamics.size >= 10 * (sum(place >= size for size in sizes) - 1)
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert counts[-1] == 10 * flushes
    assert "no end" in LogReader(cut).words[0]
    header = 8 + 9 + int.from_bytes(whole[9:17], "little")
    for place in range(0, sizes[0], 7):
        cut.write_bytes(whole[:place])
        if place < header:
            with pytest.raises(FileError):
                LogReader(cut)
        else:
            assert LogReader(cut).about == {}


def test_zeros_after_a_crash_and_damage_inside_are_told(tmp_path):
    path = tmp_path / "run.mcap"
    with LogWriter(path, {}) as log:
        borders = []
        for part in range(3):
            log.rows("dynamics", ROWS[10 * part : 10 * part + 10], first=10 * part)
            log.flush()
            borders.append(path.stat().st_size)
    whole = bytearray(path.read_bytes())
    path.write_bytes(bytes(whole[: borders[1]]) + bytes(5000))
    assert LogReader(path).dynamics.size == 20
    middle = borders[0] + (borders[1] - borders[0]) // 3
    whole[middle : middle + 8] = b"\xa5" * 8
    path.write_bytes(bytes(whole))
    read = LogReader(path)
    assert read.dynamics["tick"].tolist() == [*range(10), *range(20, 30)]
    assert read.lost["dynamics"] == 10
    assert any("damaged" in words for words in read.words)


def test_it_is_readable_while_it_grows_and_flushes_by_itself(tmp_path):
    path = tmp_path / "run.mcap"
    with LogWriter(path, {}, interval=1e-6) as log:
        for part in range(3):
            log.rows("dynamics", ROWS[10 * part : 10 * part + 10], first=10 * part)
            assert LogReader(path).dynamics.size == 10 * part + 10


def test_an_existing_file_is_not_replaced_unasked(tmp_path):
    path = tmp_path / "run.mcap"
    path.write_text("precious")
    with pytest.raises(FileError, match=r"it exists[\s\S]*--out"):
        LogWriter(path, {})
    assert path.read_text() == "precious"
    write_log(path, ROWS, overwrite=True)
    assert LogReader(path).dynamics.size == ROWS.size


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "it is empty"),
        (b"hello, world, this is text", "not an MCAP file"),
        (b"\x89HDF\r\n\x1a\n" + bytes(100), "not an MCAP file"),
        (b"\x89MCAP0\r\n", "ends before anything"),
        (b"\x89MCAP0\r\n" + bytes(range(1, 200)), "ends before anything"),
        (b"\x89MCAP0\r\n\x01" + (8).to_bytes(8, "little") + b"\xff" * 8, "damaged"),
    ],
)
def test_what_is_no_log_is_refused(tmp_path, content, says):
    path = tmp_path / "foreign.mcap"
    path.write_bytes(content)
    with pytest.raises(FileError, match=says):
        LogReader(path)


def test_logs_of_others_missing_files_and_folders_are_refused(tmp_path):
    from mcap.writer import Writer

    path = tmp_path / "ros.mcap"
    with open(path, "wb") as file:
        writer = Writer(file)
        writer.start(profile="ros2")
        writer.finish()
    with pytest.raises(FileError, match="profile 'ros2'"):
        LogReader(path)
    with pytest.raises(FileError, match="No such file"):
        LogReader(tmp_path / "missing.mcap")
    with pytest.raises(FileError, match="directory"):
        LogReader(tmp_path)
    with pytest.raises(InputError, match="not a path"):
        LogReader("a\0b")


def test_what_is_no_row_or_event_is_refused(tmp_path):
    with LogWriter(tmp_path / "run.mcap", {}) as log:
        with pytest.raises(InputError, match="kind='viewer'"):
            log.rows("viewer", ROWS, first=0)
        with pytest.raises(InputError, match="not an array of records"):
            log.rows("table", np.zeros(3), first=0)
        with pytest.raises(InputError, match="level=None is not a text"):
            log.event({"time": 3, "node": "table"})
        with pytest.raises(InputError, match="level='panic'"):
            log.event({"time": 3, "node": "table", "level": "panic", "text": "x"})
        log.configuration(0.0, np.zeros(3))
        with pytest.raises(InputError, match="q has 4 numbers"):
            log.configuration(0.0, np.zeros(4))
    with pytest.raises(InputError, match="is closed"):
        log.rows("dynamics", ROWS, first=0)
    with pytest.raises(InputError, match="not for a log"):
        LogWriter(tmp_path / "other.mcap", {"settings": object()})
    assert not (tmp_path / "other.mcap").exists()


class Full:
    """A file on a disk without room."""

    def write(self, data=b""):
        raise OSError(28, "No space left on device")

    flush = tell = write


def fill_the_disk(writer):
    writer._writer._Writer__stream = Full()


def test_a_full_disk_is_told_and_the_log_stays_readable(tmp_path):
    path = tmp_path / "run.mcap"
    with LogWriter(path, {}) as log:
        log.rows("dynamics", ROWS[:10], first=0)
        log.flush()
        fill_the_disk(log)
        log.rows("dynamics", ROWS[10:20], first=10)
        with pytest.raises(FileError, match="No space left"):
            log.flush()
        with pytest.raises(InputError, match="is closed"):
            log.rows("dynamics", ROWS[20:], first=20)
    assert LogReader(path).dynamics.size == 10


def test_a_node_whose_disk_is_full_ends_with_these_words(tmp_path):
    bus, path = MemoryBus("demo"), tmp_path / "run.mcap"
    node = LogNode(bus, "demo", path)
    publish(bus, ROWS[:50], "dynamics", DYNAMICS)
    node.step()
    node.writer.flush()
    fill_the_disk(node.writer)
    with pytest.raises(FileError, match="No space left"):
        node.close()
    assert LogReader(path).dynamics.size == 50


@pytest.mark.parametrize("drift", [0.0, 5e-4])
def test_both_clocks_are_brought_together(tmp_path, drift):
    """The table's clock runs an hour behind and drifts; the told offset jitters by 20 us, every 50th by 5 ms.

    Medians of 255 jitters leave a few us; a drift of 5e-4 is 1 us a tick.
    """
    rng = np.random.default_rng(0)
    rows, felt = dynamics_rows(Impact(), length=4.0), table_rows(Impact(), length=4.0)
    since = 1e-9 * (rows["time"] - rows["time"][0])
    offset = -3600.0 + drift * since
    rows["offset"] = offset + rng.normal(0.0, 20e-6, since.size) + 5e-3 * (np.arange(since.size) % 50 == 7)
    rows["offset"][:40] = np.nan  # not known yet
    rows["time"] += 4_000_000_000_000
    felt["time"] = rows["time"] + np.round(1e9 * offset).astype(np.int64)
    trip = {"time": int(felt["time"][1000]), "node": "table", "level": "trip", "text": "overload"}
    near = {"time": int(rows["time"][1001]), "node": "dynamics", "level": "warning", "text": "stopped"}
    path = write_log(tmp_path / "run.mcap", rows, felt, events=[near, trip])
    read = LogReader(path)
    # The offset of the first 40 ticks, and within half a median's width of the ends, is that of the nearest known.
    bound = 10e-6 + 170 * 2e-3 * drift
    assert np.abs(read.aligned["table"] - read.aligned["dynamics"]).max() < bound
    assert [each["text"] for each in read.events] == ["overload", "stopped"]
    assert read.events[0]["at"] == pytest.approx(2.0, abs=bound)


def test_clocks_never_compared_are_told(tmp_path):
    rows = ROWS.copy()
    rows["offset"] = np.nan
    path = write_log(tmp_path / "run.mcap", rows, table_rows(Impact()))
    assert any("never compared" in words for words in LogReader(path).words)


def test_the_first_difference_is_named():
    other = ROWS.copy()
    assert difference(ROWS, other) is None
    other["twist"][300, 4] = 1e-300
    other["time"][301] += 1
    assert difference(ROWS, other).startswith("row 300 (tick 300): twist is [0.0, 0.0, ")
    spoilt = ROWS.copy()
    spoilt["energy"] = np.nan
    assert difference(spoilt, spoilt.copy()) is None  # the same bits, though NaN equals nothing


def publish(bus, rows, kind, dtype):
    writer = BlockWriter(bus, f"demo/rows/{kind}", dtype, node=kind)
    for row in rows:
        writer.put(*row)
    writer.flush()


def test_the_node_writes_what_it_hears_and_tells_what_it_lost(tmp_path):
    bus, heard = MemoryBus("demo"), []
    bus.subscribe("demo/status/log", lambda topic, payload: heard.append(json.loads(payload)))
    path = tmp_path / "run.mcap"
    with LogNode(bus, "demo", path, about={"settings": SETTINGS}) as node:
        publish(bus, ROWS, "dynamics", DYNAMICS)
        publish(bus, table_rows(Impact()), "table", TABLE)
        bus.publish("demo/configuration", np.array([0.1, 1.0, 2.0]).tobytes())
        bus.publish("demo/events", json.dumps({"time": 5, "node": "table", "level": "trip", "text": "x"}).encode())
        bus.publish("demo/status/table", json.dumps({"deadlines": {"missed": 2}, "link": {"lost": 1}}).encode())
        bus.publish("demo/events", b"noise")
        bus.publish("demo/rows/table", b"noise")
        bus.publish("demo/configuration", b"123")
        node.step()
        assert "log" in bus.nodes()
        assert len(node.problems()) == 2
    read = LogReader(path)
    assert read.whole
    assert same(read.dynamics, ROWS)
    assert same(read.table, table_rows(Impact()))
    assert read.configuration["q"].tolist() == [[1.0, 2.0]]
    assert read.about["session"] == "demo"
    told = report(read)
    assert (told["deadlines_missed"], told["packets_lost"], len(told["trips"])) == (2, 1, 1)
    assert heard[-1]["written"]["rows/dynamics"] == ROWS.size
    assert any("2 messages were refused" in words for words in heard[-1]["words"])
    assert any("refused" in each["text"] for each in read.events if each["node"] == "log")


def test_what_came_last_is_in_the_file_when_the_node_next_speaks(tmp_path, monkeypatch):
    """Also if nothing follows, as after the death of all others."""
    monkeypatch.setattr(log_node, "_STATUS", 0)
    bus, path = MemoryBus("demo"), tmp_path / "run.mcap"
    with LogNode(bus, "demo", path) as node:
        node.writer._interval = 10**15  # it does not flush by itself
        publish(bus, ROWS[:30], "dynamics", DYNAMICS)
        node.step()
        assert LogReader(path).dynamics.size == 30


def test_lost_blocks_are_counted_in_the_log(tmp_path):
    bus, path = MemoryBus("demo"), tmp_path / "run.mcap"
    kept = MemoryBus("demo")
    sent = []
    kept.subscribe("demo/rows/dynamics", lambda topic, payload: sent.append(payload))
    publish(kept, ROWS, "dynamics", DYNAMICS)
    with LogNode(bus, "demo", path) as node:
        for number, payload in enumerate(sent):
            if number not in (3, 4, 9):
                bus.publish("demo/rows/dynamics", payload)
        node.step()
    read = LogReader(path)
    assert read.lost["dynamics"] == 75
    assert report(read)["log_rows_lost"] == 75
    assert report(read)["deadlines_missed"] == 0  # they were lost on the way, not skipped


CHILD = """
import sys, threading, time
import numpy as np
from tegotae.hybrid.records import log_node
from tegotae.hybrid.bus.rows import BlockWriter
from tegotae.hybrid.bus.bus import MemoryBus
from tegotae.hybrid.processes.joining import ShutdownFlag
from tegotae.hybrid.records.log_node import LogNode
from tegotae.hybrid.bus.rows import DYNAMICS

bus = MemoryBus("demo")
node = LogNode(bus, "demo", sys.argv[1])
rows, row = BlockWriter(bus, "demo/rows/dynamics", DYNAMICS, node="dynamics"), np.zeros((), DYNAMICS)

def publish():
    for tick in range(1_000_000):
        row["tick"] = tick
        rows.put(*row.item())
        if tick % 25 == 0:
            print(rows.written, flush=True)
            time.sleep(0.02)

threading.Thread(target=publish, daemon=True).start()
with ShutdownFlag() as ending, node:
    while not ending:
        time.sleep(0.02)
        node.step()
print("ended", flush=True)
"""


@pytest.mark.realtime
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_process_that_is_ended_or_killed_leaves_a_log(tmp_path, number):
    path = tmp_path / "run.mcap"
    with subprocess.Popen([sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True) as child:
        told = 0
        try:
            begin = time.monotonic()
            read = None
            while time.monotonic() - begin < 60.0 and (read is None or read.dynamics.size < 100):
                told = int(child.stdout.readline())
                read = LogReader(path) if path.exists() and path.stat().st_size > 300 else None
            assert read is not None, "no log appeared"
            assert read.dynamics.size >= 100, "nothing was flushed while it ran"
            os.kill(child.pid, number)
            rest = child.stdout.read()
            child.wait(20.0)
        finally:
            child.kill()
    log = LogReader(path)
    assert log.dynamics["tick"].tolist() == list(range(log.dynamics.size))
    assert log.dynamics.size >= read.dynamics.size
    if number == signal.SIGTERM:
        assert child.returncode == 0
        assert log.whole
        assert "ended" in rest
        assert log.dynamics.size >= told
    else:
        assert child.returncode == -signal.SIGKILL
        assert not log.whole
