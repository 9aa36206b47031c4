"""The bus: all who have the key meet, nobody else does, any node may die, and what is lost is counted."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
import zenoh

import tegotae
from hand_made import KEY
from tegotae.errors import InputError
from tegotae.hybrid.bus.bus import MemoryBus
from tegotae.hybrid.bus.rows import DYNAMICS, TABLE, BlockReader, BlockWriter, RowBlock, fingerprint, pack, unpack
from tegotae.hybrid.bus.zenoh_bus import ZenohBus, free_address

pytestmark = pytest.mark.realtime

OTHER = np.dtype([("torque" if name == "wrench" else name, *rest) for name, *rest in TABLE.descr])  # as long as TABLE
PATIENCE = 20.0  # s, ends a hang: processes of Python may take seconds to start where many do
PROMPT = 4.5  # s: some ms on an idle machine; zenoh alone would take 10 s to notice a death, and hold others up for 5 s
NODE = """
import json, sys
from tegotae.hybrid.bus.rows import BlockReader
from tegotae.hybrid.bus.rows import TABLE
from tegotae.hybrid.bus.zenoh_bus import ZenohBus

key, at, peers = json.loads(sys.argv[1])
bus = ZenohBus("test", key=bytes.fromhex(key), listen=tuple(peers[at]), peers=[tuple(peer) for peer in peers])
reader = BlockReader(TABLE, lambda block: None)

def seen(asked):
    counts = reader.counts.get("table")
    return json.dumps([sorted(bus.nodes()), bus.problems(), [counts.rows, counts.lost_rows] if counts else []]).encode()

bus.subscribe("test/rows/**", reader)
bus.answer(f"test/parameters/n{at}", seen)
bus.declare(f"n{at}", {})
sys.stdin.read()  # ends without closing the bus
"""


class Node:
    """A process that ends when told, or when this one does."""

    def __init__(self, at, peers, key=KEY):
        given = json.dumps([key.hex(), at, peers])
        self.process = subprocess.Popen([sys.executable, "-c", NODE, given], stdin=subprocess.PIPE)
        self.name = f"n{at}"

    def seen(self, bus):
        answer = bus.ask(f"test/parameters/{self.name}", timeout=PATIENCE)
        assert answer is not None
        return json.loads(answer)

    def end(self):
        """End by itself; returns its exit code."""
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.kill()
        self.process.wait()


def until(true, patience=PATIENCE):
    end = time.monotonic() + patience
    while not true() and time.monotonic() < end:
        time.sleep(0.005)
    return true()


@contextmanager
def zenoh_pair(key=KEY):
    with (
        ZenohBus("test", key=KEY) as one,
        ZenohBus("test", key=key, listen=None, peers=[one.address]) as two,
    ):
        yield one, two


@pytest.fixture(params=["memory", "zenoh"])
def pair(request):
    if request.param == "memory":
        one = MemoryBus("test")
        yield one, MemoryBus("test", beside=one)
    else:
        with zenoh_pair() as buses:
            yield buses


# ---------------------------------------------------------------- what all buses do


def test_what_is_published_is_taken_by_those_who_subscribed(pair):
    one, two = pair
    rows, events, all_of_it = [], [], []
    two.subscribe("test/rows/**", lambda *it: rows.append(it))
    two.subscribe("test/events", lambda *it: events.append(it))
    two.subscribe("test/**", lambda *it: all_of_it.append(it))
    two.declare("view", {})
    assert one.wait_for(["view"], PATIENCE) == []
    said = [("test/rows/table", b"1"), ("test/rowsmore", b"2"), ("test/events", b"3"), ("test/rows/a/b", bytes(70_000))]
    for topic, payload in said:
        one.publish(topic, payload)
    assert until(lambda: len(all_of_it) == 4 and len(rows) == 2 and len(events) == 1)
    assert all_of_it == said
    assert rows == [said[0], said[3]]
    assert events == [said[2]]


def test_nodes_are_known_with_what_they_tell_until_they_leave(pair):
    one, two = pair
    two.declare("table", {"device": "spring", "udp": ["127.0.0.1", 5]})
    two.declare("log", {})
    assert one.wait_for(["table", "log"], PATIENCE) == []
    told = one.nodes()["table"]
    assert (told["device"], told["udp"], told["version"]) == ("spring", ["127.0.0.1", 5], tegotae.__version__)
    two.leave("log")
    assert until(lambda: sorted(one.nodes()) == ["table"])
    two.close()
    assert until(lambda: one.nodes() == {})
    assert one.wait_for(["table"], 0.02) == ["node 'table' is not here"]


def test_questions_are_answered_or_refused_in_words(pair):
    one, two = pair

    def reply(asked):
        if asked == b"-1":
            raise InputError("kp=-1 must be > 0.\n  Give a stiffness.")
        return asked[::-1]

    two.answer("test/parameters/table", reply)
    two.declare("table", {})
    assert one.wait_for(["table"], PATIENCE) == []
    began = time.monotonic()
    assert one.ask("test/parameters/table", b"abc", timeout=PATIENCE) == b"cba"
    assert one.ask("test/parameters/table", timeout=PATIENCE) == b""
    with pytest.raises(InputError, match=r"test/parameters/table refused: kp=-1 must be > 0\.\n  Give a stiffness\."):
        one.ask("test/parameters/table", b"-1", timeout=PATIENCE)
    assert time.monotonic() - began < PATIENCE  # nobody waited for more answers
    assert one.ask("test/parameters/nobody", timeout=0.1) is None


def test_another_version_is_told(pair):
    one, two = pair
    two.declare("table", {"version": "9.9.9"})
    two.declare("log", {"protocol": 99})
    two.declare("view", {})
    assert one.wait_for(["table", "log", "view"], PATIENCE) == []
    told = one.problems()
    assert len(told) == 2
    assert any("'table' runs tegotae 9.9.9 (protocol 2), this one" in words for words in told)
    assert any("'log' runs" in words and "(protocol 99)" in words and "same version" in words for words in told)


@pytest.mark.parametrize("topic", ["", "test", "test/", "/test", "test//a", "other/rows", "test/a b", "test/**", 3])
def test_topics_outside_of_the_session_are_refused(pair, topic):
    if topic == "test":
        pair[0].publish(topic, b"")
        return
    with pytest.raises(InputError, match="topic="):
        pair[0].publish(topic, b"")


# ---------------------------------------------------------------- blocks


def test_blocks_come_back_as_they_were():
    rows = np.zeros(25, DYNAMICS)
    rows.view(np.uint8)[:] = np.random.default_rng(7).integers(0, 256, rows.nbytes)
    block = unpack(pack(RowBlock("dynamics", "rows", 2**63, 5, 125, rows)), DYNAMICS)
    assert block[:5] == ("dynamics", "rows", 2**63, 5, 125)
    assert block.rows.tobytes() == rows.tobytes()
    assert fingerprint(DYNAMICS) != fingerprint(TABLE)


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        (b"", "too few"),
        (b"XXXX" + bytes(60), "begins with"),
        (b"TGTB\x09" + bytes(60), "version 9"),
        (pack(RowBlock("table", "rows", 0, 0, 0, np.zeros(2, TABLE)))[:-1], "bytes where"),
        (pack(RowBlock("table", "rows", 0, 0, 0, np.zeros(2, TABLE))) + b"\0", "bytes where"),
        (pack(RowBlock("table", "rows", 0, 0, 0, np.zeros(2, DYNAMICS))), "other fields"),
        (pack(RowBlock("table", "rows", 0, 0, 0, np.zeros(2, OTHER))), "other fields"),
    ],
)
def test_what_is_no_block_of_these_rows_is_refused_and_told(payload, words):
    with pytest.raises(InputError, match=words):
        unpack(payload, TABLE)
    taken = []
    reader = BlockReader(TABLE, taken.append)
    reader("test/rows/table", payload)
    assert (taken, reader.refused) == ([], 1)
    assert words in reader.problems()[0]


def test_lost_late_and_repeated_blocks_and_restarts_are_counted():
    bus, sent, taken = MemoryBus("test"), [], []
    bus.subscribe("test/rows/**", lambda topic, payload: sent.append(payload))
    row = np.zeros((), TABLE)
    for birth in (1, 2):
        writer = BlockWriter(bus, "test/rows/table", TABLE, node="table", every=10, birth=birth)
        for tick in range(95):
            row["tick"] = tick
            writer.put(*row.item())
        writer.flush()
        writer.flush()  # nothing waits
    assert len(sent) == 20
    reader = BlockReader(TABLE, lambda block: taken.extend(block.rows["tick"].tolist()))
    order = [2, 3, 3, 6, 4, 9, 11, 19]  # of the second writer, the first block and those from 2 to 8 are missing
    for number in order:
        reader("test/rows/table", sent[number])
    seen = reader.counts["table"]
    assert (seen.blocks, seen.rows, seen.before) == (6, 50, 20)
    assert (seen.lost_blocks, seen.lost_rows) == (2 + 2 + 1 + 7, 10 * (2 + 2 + 1 + 7))
    assert (seen.repeated, seen.restarts) == (2, 1)
    assert taken == [*range(20, 40), *range(60, 70), *range(90, 95), *range(10, 20), *range(90, 95)]


# ---------------------------------------------------------------- who may join


def test_a_wrong_key_is_refused_in_words():
    heard, other = [], bytes(32)
    with zenoh_pair(key=other) as (one, stranger):
        stranger.subscribe("test/**", lambda *it: heard.append(it))
        stranger.declare("table", {})
        began = time.monotonic()
        told = stranger.wait_for(["view"], timeout=0.3)
        assert time.monotonic() - began < PATIENCE
        assert told[0] == "node 'view' is not here"
        assert f"127.0.0.1:{one.address[1]} listens but refuses this node: it has another key" in told[1]
        one.publish("test/events", b"secret")
        assert one.nodes() == {}
        assert one.wait_for(["table"], timeout=0.1) == ["node 'table' is not here"]
        assert heard == []


def test_what_listens_but_is_no_node_is_told_and_what_does_not_listen_is_no_refusal():
    with socket.create_server(("127.0.0.1", 0)) as dumb:
        peers = [dumb.getsockname(), free_address()]
        with ZenohBus("test", key=KEY, listen=None, peers=peers) as bus:
            (told,) = bus.problems()
    assert f"127.0.0.1:{peers[0][1]} listens but refuses this node" in told


def test_a_message_without_our_seal_is_ignored_and_counted():
    """Zenoh has only the one who connects prove the key, so that the password alone must not be enough."""
    heard = []
    with zenoh_pair() as (one, two):
        one.subscribe("test/**", lambda *it: heard.append(it))
        one.answer("test/parameters/table", lambda asked: b"yes")
        one.declare("log", {})
        assert two.wait_for(["log"], PATIENCE) == []
        two._access._secret = bytes(32)
        two.declare("table", {})
        two.publish("test/events", b"false alarm")
        assert until(lambda: any("2 messages bore no seal" in words for words in one.problems()))
        assert two.ask("test/parameters/table", timeout=0.3) is None
        assert (heard, list(one.nodes())) == ([], ["log"])


def test_the_password_is_in_a_private_file_and_only_while_it_is_read(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    modes, opened = [], zenoh.open

    def watched(config):
        modes.extend(stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir())
        assert KEY.hex() not in next(tmp_path.iterdir()).read_text()
        return opened(config)

    monkeypatch.setattr(zenoh, "open", watched)
    with ZenohBus("test", key=KEY):
        assert modes == [0o600]
        assert list(tmp_path.iterdir()) == []


def test_a_port_in_use_is_named_with_the_way_out():
    with ZenohBus("test", key=KEY) as bus, pytest.raises(InputError) as error:
        ZenohBus("test", key=KEY, listen=bus.address)
    assert f"port {bus.address[1]} of 127.0.0.1 is in use.\n" in str(error.value)
    assert "choose another port" in str(error.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"key": b"short"}, "key has 5 bytes"),
        ({"listen": ("127.0.0.1", 70_000)}, "listen="),
        ({"listen": "127.0.0.1:7451"}, "listen="),
        ({"listen": ("192.0.2.1", 7451)}, "cannot listen at 192.0.2.1:7451"),
        ({"listen": ("192.0.2.1", 0)}, "not an address of this computer"),
        ({"peers": [("127.0.0.1", 0)]}, "peers="),
        ({"session": "two words"}, "session="),
    ],
)
def test_bad_input_is_refused(changes, words):
    with pytest.raises(InputError, match=words):
        ZenohBus(**({"session": "test", "key": KEY} | changes))


def test_a_host_that_is_not_ours_is_told_once():
    with pytest.raises(
        InputError, match=r"ZenohBus: host: 192\.0\.2\.1 is not an address of this computer \("
    ) as error:
        ZenohBus(session="test", key=KEY, listen=("192.0.2.1", 0))
    assert str(error.value).count("192.0.2.1") == 1


def test_what_a_callback_raises_and_two_nodes_of_one_name_are_told():
    def broken(*_):
        raise ZeroDivisionError("of all things")

    with zenoh_pair() as (one, two):
        one.subscribe("test/events", broken)
        one.answer("test/parameters/table", broken)
        one.declare("table", {})
        two.declare("table", {})
        assert two.wait_for(["table"], PATIENCE) == []
        assert until(lambda: any("2 nodes are called 'table'" in words for words in two.problems()))
        two.publish("test/events", b"")
        with pytest.raises(InputError, match="ZeroDivisionError: of all things"):
            two.ask("test/parameters/table", timeout=PATIENCE)
        assert until(lambda: sum("ZeroDivisionError" in words for words in one.problems()) == 2)


# ---------------------------------------------------------------- processes


def sockets(pid):
    """Kind, address and state of all sockets of a process."""
    nodes = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            nodes.add(os.readlink(link).removeprefix("socket:[").removesuffix("]"))
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/{pid}/net/{kind}").read_text().splitlines()[1:]:
            parts = line.split()
            if parts[9] in nodes:
                yield kind, parts[1].split(":")[0], parts[3]


def test_any_node_may_be_killed_and_come_back_and_all_listen_on_loopback_only():
    """The one killed is the first of the list, to which all others had connected."""
    peers = [free_address() for _ in range(4)]
    with ExitStack() as stack:
        nodes = [stack.enter_context(Node(at, peers)) for at in (2, 0, 1)]
        bus = stack.enter_context(ZenohBus("test", key=KEY, listen=peers[3], peers=peers))
        bus.declare("n3", {})
        assert bus.wait_for(["n0", "n1", "n2", "n3"], PATIENCE) == []
        two, first, one = nodes
        for pid in (os.getpid(), *(node.process.pid for node in nodes)):
            found = list(sockets(pid))
            assert ("tcp", "0100007F", "0A") in found
            assert {(kind, address) for kind, address, _ in found} == {("tcp", "0100007F")}

        first.process.kill()
        began = time.monotonic()
        assert until(lambda: "n0" not in bus.nodes())
        assert time.monotonic() - began < PROMPT
        for node in (one, two):
            assert until(lambda node=node: node.seen(bus)[0] == ["n1", "n2", "n3"])

        first = stack.enter_context(Node(0, peers))
        assert bus.wait_for(["n0"], PATIENCE) == []
        for node in (one, two, first):
            assert until(lambda node=node: node.seen(bus)[:2] == [["n0", "n1", "n2", "n3"], []])
        assert [node.end() for node in (one, two, first)] == [0, 0, 0]


def test_a_peer_that_does_not_read_holds_nobody_up_and_what_it_loses_is_counted():
    """Some seconds of rows wait for it; of more, every row arrives or is counted."""
    peers = [free_address(), free_address()]
    block = np.zeros(25, TABLE)
    with ZenohBus("test", key=KEY, listen=peers[0], peers=peers) as bus, Node(1, peers) as log:
        assert bus.wait_for(["n1"], PATIENCE) == []
        writer = BlockWriter(bus, "test/rows/table", TABLE, node="table", every=block.size)

        def publish(blocks):
            """Returns the longest that one row took [s]."""
            times = [time.monotonic()]
            for _ in range(block.size * blocks):
                writer.put(*block[0])
                times.append(time.monotonic())
            return np.diff(times).max()

        def counted():
            return until(lambda: sum(log.seen(bus)[2] or [0]) == writer.written) and log.seen(bus)[2]

        publish(1)
        assert counted() == [block.size, 0]
        log.process.send_signal(signal.SIGSTOP)
        publish(60)  # 3 s at 500 Hz
        log.process.send_signal(signal.SIGCONT)
        assert counted() == [61 * block.size, 0]

        log.process.send_signal(signal.SIGSTOP)
        assert publish(2500) < PROMPT  # zenoh would hold up a publisher for 5 s
        log.process.send_signal(signal.SIGCONT)
        assert until(lambda: log.seen(bus)[2][0] > 61 * block.size)

        def caught_up():
            publish(1)  # the gap shows with the next that arrives, unless that is lost, too, behind all that waits
            return until(lambda: sum(log.seen(bus)[2]) == writer.written, 0.5)

        assert until(caught_up)
        received, lost = log.seen(bus)[2]
        assert lost > 0
        assert received > 61 * block.size
        assert log.end() == 0
