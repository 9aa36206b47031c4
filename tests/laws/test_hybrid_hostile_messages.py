"""Messages that are sealed rightly and mean nothing: no node ends by them, none is taken for true, all are counted."""

import json
import math
from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hand_made import KEY
from hybrid_logs import Impact, dynamics_rows
from tegotae.errors import InputError
from tegotae.hybrid.bus.bus import MemoryBus
from tegotae.hybrid.bus.messages import ask_stop, take_requests
from tegotae.hybrid.bus.rows import DYNAMICS, TABLE, BlockReader, RowBlock, pack
from tegotae.hybrid.clocks.clock import VirtualClock
from tegotae.hybrid.links.datagrams import (
    _FORMS,
    MAGIC,
    VERSION,
    Arrival,
    Header,
    LinkPeer,
    Refusal,
    Seal,
    decode,
    encode,
)
from tegotae.hybrid.links.link import NO_FAULTS, NodeLink
from tegotae.hybrid.links.packets import KINDS, Command, Greeting, Heartbeat, Measurement, Rearm, SensorSignals, Stop
from tegotae.hybrid.processes.launcher import Listener
from tegotae.hybrid.records.log import LogReader, LogWriter
from tegotae.hybrid.records.log_node import LogNode
from tegotae.hybrid.records.report import report
from tegotae.hybrid.view.feed import Feed

EVENT = {"time": 5, "node": "table", "level": "trip", "text": "overload", "kind": ""}
STATUS = {"state": 1, "words": ["latched"], "deadlines": {"missed": 3}, "link": {"lost": 1, "round_trip_p50": 1e-3}}
WRONG = [
    10**30, -(10**30), 1 << 63, 10**400, math.nan, math.inf, -math.inf, 1e300, "text", "9" * 50_000, "\ud800", None,
    True, [], {}, [[]], {"a": {"b": []}}, "\x00",
]  # fmt: skip
NAMES = ["time", "node", "level", "text", "kind", "state", "words", "deadlines", "link", "missed", "lost", "number"]
VALUES = st.recursive(
    st.sampled_from(WRONG) | st.integers() | st.floats() | st.text(max_size=5),
    lambda it: st.lists(it, max_size=3) | st.dictionaries(st.sampled_from(NAMES), it, max_size=3),
    max_leaves=8,
)
KEPT = st.sets(st.sampled_from([*EVENT, *STATUS]))
DEEP = b'{"a":' * 20_000 + b"1" + b"}" * 20_000
NOISE = [b"", b"null", b"[1, 2]", b'"text"', b"\xff\xfe", b"{", DEEP, b"[" * 100_000, b"7" * 6001]
NOISE += [b" " * (2 << 20) + b"{}"]


def said(value) -> bytes:
    return json.dumps(value).encode()


class Everyone:
    """All who listen on a bus, and what they hold for true."""

    def __init__(self, folder):
        self.bus = MemoryBus("demo")
        self.log = LogNode(self.bus, "demo", folder / "run.mcap", overwrite=True)
        self.listener, self.feed = Listener(self.bus), Feed(self.bus)
        self.stops, self.rearms = [], []
        take_requests(self.bus, stop=self.stops.append, rearm=lambda: self.rearms.append(1))

    def say(self, topic, payload):
        self.bus.publish(f"demo/{topic}", payload)
        self.log.step()

    def draw(self):
        """What the page and the terminal make of it."""
        from tegotae.hybrid.view.panels import event_lines, node_table

        seen = self.feed.seen()
        node_table(self.bus.nodes(), self.feed.status())
        event_lines(self.feed.events(), self.feed.problems())
        told = [*self.listener.events(), *self.listener.words(), *self.log.problems(), *self.feed.problems()]
        "\n".join(told).encode()
        return seen

    def end(self):
        """Everything is in the log, which is sound."""
        self.log.close()
        read = LogReader(self.log.writer.path)
        assert read.whole
        report(read)
        return read


@pytest.fixture
def everyone(tmp_path):
    it = Everyone(tmp_path)
    yield it
    it.end()


@pytest.mark.parametrize("time", [10**30, -(10**30), 1 << 63, -(1 << 63), 1.5, "5", None, True, math.nan])
def test_an_event_of_no_time_is_refused_by_all_and_ends_nobody(everyone, time):
    everyone.say("events", said({**EVENT, "time": time}))
    assert everyone.feed.events() == []
    assert everyone.listener.trip == ""
    for problems in (everyone.log.problems(), everyone.feed.problems(), everyone.listener.words()):
        assert "1 messages were refused; the last: demo/events: event: " in problems[0]
    everyone.say("events", said(EVENT))
    assert everyone.listener.trip == "overload"
    assert [each["text"] for each in everyone.end().events if each["node"] == "table"] == ["overload"]


@pytest.mark.parametrize("payload", NOISE, ids=range(len(NOISE)))
def test_what_is_no_object_is_refused_by_all(everyone, payload):
    for topic in ("events", "status/table", "configuration", "rows/dynamics", "rows/table", "rows/device"):
        everyone.say(topic, payload)
    everyone.draw()
    assert everyone.feed.events() == []
    assert everyone.feed.status().keys() <= {"log"}
    assert everyone.listener.states == {}
    read = everyone.end()
    assert (read.dynamics.size, read.table.size, read.configuration.size) == (0, 0, 0)
    assert [each for each in read.events if each["node"] != "log"] == []


@given(changes=st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4), kept=KEPT)
@settings(max_examples=60)
def test_events_and_status_of_any_content_end_nobody(changes, kept, tmp_path_factory):
    hostile_words(changes, kept, tmp_path_factory)


@pytest.mark.slow
@given(changes=st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4), kept=KEPT)
@settings(max_examples=3000)
def test_events_and_status_of_any_content_end_nobody_at_length(changes, kept, tmp_path_factory):
    hostile_words(changes, kept, tmp_path_factory)


def hostile_words(changes, kept, tmp_path_factory):
    everyone = Everyone(tmp_path_factory.mktemp("hostile"))
    for topic, sound in (("events", EVENT), ("status/table", STATUS), ("requests/stop", EVENT)):
        everyone.say(topic, said({**{name: sound[name] for name in kept if name in sound}, **changes}))
    everyone.draw()
    assert len(everyone.stops) == 1  # whatever is said with it, a stop is a stop
    assert len(everyone.stops[0]) < 300
    assert everyone.rearms == []
    for event in everyone.feed.events():
        assert event["level"] in ("info", "warning", "trip")
    everyone.end()


@pytest.mark.parametrize("payload", NOISE, ids=range(len(NOISE)))
def test_a_stop_in_any_words_is_a_stop_and_a_rearm_is_none(payload):
    bus, stops, rearms = MemoryBus("demo"), [], []
    take_requests(bus, stop=stops.append, rearm=lambda: rearms.append(1))
    bus.publish("demo/requests/stop", payload)
    assert stops == ["asked for over the bus"]
    if payload:
        with pytest.raises(InputError, match="was not drawn for it"):
            bus.ask("demo/requests/rearm", payload)
    assert rearms == []
    ask_stop(bus, "view", "pressed " * 1000)
    assert len(stops[1]) < 300


# ------------------------------------------------------------ rows


def spoilt(name, value, dtype=DYNAMICS):
    rows = dynamics_rows(Impact(), length=0.05) if dtype is DYNAMICS else np.zeros(25, dtype)
    rows[name][7] = value
    return rows


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("time", 1 << 62), ("time", -(1 << 63)), ("tick", -1), ("tick", (1 << 63) - 1), ("steps", -1),
        ("steps", 2_000_000_000), ("simulated", math.nan), ("simulated", math.inf), ("simulated", 1e300),
        ("offset", 1e300), ("offset", -1e10),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_are_refused_by_all(everyone, name, value):
    everyone.say("rows/dynamics", pack(RowBlock("dynamics", "dynamics", 7, 0, 0, spoilt(name, value))))
    assert everyone.draw().dynamics is None
    assert everyone.listener.simulated == 0.0
    for problems in (everyone.log.problems(), everyone.feed.problems(), everyone.listener.words()):
        assert "1 payloads were refused" in problems[0]
    everyone.say("rows/dynamics", pack(RowBlock("dynamics", "dynamics", 7, 1, 25, spoilt("energy", math.nan))))
    assert everyone.listener.simulated > 0.0  # what was computed may be NaN: that is to be seen in the log
    assert everyone.end().dynamics.size == 25


@pytest.mark.parametrize(
    ("number", "first", "count"), [(1 << 63, 0, 25), (0, 1 << 63, 25), ((1 << 64) - 1, (1 << 64) - 1, 25), (0, 0, 0)]
)
def test_blocks_whose_numbers_cannot_be_are_refused(everyone, number, first, count):
    rows = dynamics_rows(Impact(), length=0.05)[:count]
    everyone.say("rows/dynamics", pack(RowBlock("dynamics", "dynamics", 7, number, first, rows)))
    assert everyone.draw().dynamics is None
    assert "1 payloads were refused" in everyone.log.problems()[0]


def test_a_block_that_says_it_is_of_another_kind_does_not_change_that_kind(everyone):
    everyone.say("rows/table", pack(RowBlock("table", "dynamics", 7, 0, 0, np.zeros(25, TABLE))))
    rows = dynamics_rows(Impact(), length=0.05)
    everyone.say("rows/dynamics", pack(RowBlock("dynamics", "dynamics", 7, 0, 0, rows)))
    read = everyone.end()
    assert (read.dynamics.size, read.table.size) == (25, 0)
    assert read.dynamics.dtype == DYNAMICS


def test_names_of_nodes_that_cannot_be_take_no_memory(everyone):
    for number in range(200):
        everyone.say(f"status/n{number}", said(STATUS))
        everyone.say("rows/table", pack(RowBlock(f"n{number}", "table", 7, 0, 0, np.zeros(1, TABLE))))
    assert len(everyone.feed.status()) <= 65
    assert len(everyone.listener.states) <= 65
    assert sum(topic.startswith("status/") for topic in everyone.log.writer.written) <= 65


def mutated(rows, chance, payload):
    """Any bytes of a sound block turned over, cut or grown."""
    whole = bytearray(payload)
    for _ in range(chance.integers(1, 8)):
        whole[chance.integers(0, len(whole))] = chance.integers(0, 256)
    if chance.random() < 0.3:
        whole = whole[: chance.integers(0, len(whole))]
    return bytes(whole)


@pytest.mark.parametrize("many", [300, pytest.param(20_000, marks=pytest.mark.slow)])
def test_blocks_with_bytes_turned_over_end_nobody(tmp_path, many):
    chance, rows = np.random.default_rng(7), dynamics_rows(Impact(), length=0.05)
    whole = pack(RowBlock("dynamics", "dynamics", 7, 0, 0, rows))
    everyone = Everyone(tmp_path)
    for _ in range(many):
        everyone.say("rows/dynamics", mutated(rows, chance, whole))
        everyone.say("configuration", mutated(rows, chance, np.arange(15.0).tobytes()))
        everyone.draw()
    everyone.end()


# ------------------------------------------------------------ packets


def sealed(kind, header, parts, *, cut=0):
    """A datagram that is signed rightly, whatever it says."""
    seal, form = Seal(KEY), _FORMS[kind][1]
    text = form.pack(MAGIC, VERSION, kind, form.size + 16, seal.mark, *header, *parts)[: form.size - cut]
    return text + seal.sign(text)


SOUND = {
    each.kind: each.parts()
    for each in (
        Greeting(),
        Command(label=0.0),
        Measurement(label=0.0),
        Heartbeat(),
        Stop(reason="x"),
        Rearm(),
        SensorSignals(label=0.0),
    )
}
HEADER = (7, 0, 9, 1, 0.5, 10, 0, 0)


def test_sound_ones_are_heard():
    for kind, parts in SOUND.items():
        heard = decode(sealed(kind, HEADER, parts), Seal(KEY))
        assert not isinstance(heard, Refusal)
        assert type(heard[1]) is KINDS[kind]
        link, seen = table(), []
        link._transport.give(sealed(kind, HEADER, parts))
        seen = list(link.packets())
        assert (len(seen), link.statistics.received) == (kind != Greeting.kind, 1)


class Given:
    """A transport that holds what it is given."""

    def __init__(self):
        self.waiting = deque()

    def give(self, datagram):
        self.waiting.append(Arrival(datagram, ("there", 0), 0))

    def take(self, now):
        return self.waiting.popleft() if self.waiting else None

    def put(self, datagram, target, now):
        return ""

    def only(self, remote):
        return ""


def table():
    """A link of session 9 that has met session 7."""
    link = NodeLink(
        Given(),
        key=KEY,
        session=9,
        born=0,
        remote=("there", 0),
        clock=VirtualClock(2e-3),
        max_age=0.2,
        faults=NO_FAULTS,
    )
    link._peer = LinkPeer(7, 0, ("there", 0), first=1)
    return link


def refused(datagram):
    """Counted, and nothing comes of it."""
    link = table()
    link._transport.give(datagram)
    return list(link.packets()) == [] and link.statistics.malformed == 1 and link.statistics.received == 0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300, -1e16])
def test_numbers_that_cannot_be_are_refused_wherever_they_stand(value):
    for kind, parts in SOUND.items():
        for place, one in enumerate(parts):
            if isinstance(one, float):
                spoilt = (*parts[:place], value, *parts[place + 1 :])
                assert refused(sealed(kind, HEADER, spoilt))
        label = (*HEADER[:4], value, *HEADER[5:])
        assert refused(sealed(kind, label, parts))


@pytest.mark.parametrize("state", [1 << 11, 1 << 40, (1 << 64) - 1])
def test_states_that_nobody_knows_are_refused(state):
    for kind in (Measurement.kind, SensorSignals.kind, Heartbeat.kind):
        assert refused(sealed(kind, HEADER, (*SOUND[kind][:-1], state)))


@pytest.mark.parametrize("place", [5, 6, 7])
@pytest.mark.parametrize("value", [-(1 << 63), -(1 << 62), 1 << 62, (1 << 63) - 1])
def test_stamps_that_no_clock_shows_are_refused(place, value):
    header = (*HEADER[:place], value, *HEADER[place + 1 :])
    for kind, parts in SOUND.items():
        assert refused(sealed(kind, header, parts))


@pytest.mark.parametrize("many", [1000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_packets_of_any_content_are_finite_or_refused(many):
    chance, seal = np.random.default_rng(3), Seal(KEY)
    for _ in range(many):
        kind = int(chance.integers(0, 6))
        form = _FORMS[kind][1]
        text = bytearray(form.pack(MAGIC, VERSION, kind, form.size + 16, seal.mark, *HEADER, *SOUND[kind]))
        for _ in range(chance.integers(1, 20)):
            text[chance.integers(12, len(text))] = chance.integers(0, 256)
        link = table()
        link._transport.give(bytes(text) + seal.sign(bytes(text)))
        for packet in link.packets():
            assert all(abs(one) <= 1e15 for one in (packet.label, *packet.parts()) if isinstance(one, float))
        assert math.isfinite(link.clock_offset + link.round_trip)
        json.dumps(link.statistics.summary(), allow_nan=False)


def test_the_writer_of_a_log_refuses_what_the_node_would(tmp_path):
    with LogWriter(tmp_path / "run.mcap", {}) as log:
        for time in (10**30, -(10**30), 1.5, "now", None):
            with pytest.raises(InputError, match="is not a time in ns"):
                log.event({**EVENT, "time": time})
        with pytest.raises(InputError, match="clocks of a row are out of range"):
            log.rows("dynamics", spoilt("offset", 1e300), first=0)


def test_a_reader_hands_on_no_block_without_rows():
    taken = []
    reader = BlockReader(TABLE, taken.append)
    reader("rows/table", pack(RowBlock("table", "table", 7, 0, 0, np.zeros(0, TABLE))))
    assert (taken, reader.refused) == ([], 1)


# ------------------------------------------------------------ floods

LOOKS, CHECKS = 256, 16  # datagrams looked at in one call, and signatures of strangers checked


def forged(sequence, **changes):
    """A command with the mark of our key, which whoever listens may read, and a signature that is wrong."""
    header = Header(7, 0, 9, sequence, 0.0, 10, 0, 0)._replace(**changes)
    text = encode(header, Command(label=0.0), Seal(KEY))
    return text[:-1] + bytes([text[-1] ^ 1])


FLOODS = {
    "noise": lambda n: b"noise",
    "another key": lambda n: encode(Header(7, 0, 9, n, 0.0, 10, 0, 0), Command(label=0.0), Seal(bytes(32))),
    "another session": lambda n: forged(n, session=n),
    "to another session": lambda n: forged(n, peer=8),
    "played back": lambda n: encode(Header(7, 0, 9, 1, 0.0, 10, 0, 0), Command(label=0.0), Seal(KEY)),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_takes_bounded_work_a_tick_and_a_valid_packet_comes_through(flood, monkeypatch):
    """5000 bad datagrams lie before the good one: it is heard after 5000/256 ticks, each with 16 signatures at most."""
    signed, sign = [], Seal.sign
    link, many = table(), 5000
    link._transport.give(encode(Header(7, 0, 9, 1, 0.5, 10, 0, 0), Command(label=0.5), Seal(KEY)))
    assert [packet.label for packet in link.packets()] == [0.5]
    for number in range(many):
        link._transport.give(FLOODS[flood](number + 2))
    good = encode(Header(7, 0, 9, 10_000, 1.0, 10, 0, 0), Command(label=1.0), Seal(KEY))
    link._transport.give(good)
    monkeypatch.setattr(Seal, "sign", lambda self, text: (signed.append(1), sign(self, text))[1])
    ticks = 0
    while not (heard := list(link.packets())):
        ticks += 1
        assert len(link._transport.waiting) == many + 1 - LOOKS * ticks
        assert len(signed) <= (CHECKS + 1) * ticks  # and one for an answer to a stranger
    assert heard == [Command(label=1.0)]
    assert ticks == many // LOOKS
    assert len(signed) <= (CHECKS + 1) * (ticks + 1) + 1
    seen = link.statistics
    assert seen.malformed + seen.foreign + seen.unread + seen.duplicated == many
    assert "find out who else is sending" in " ".join(seen.troubles()) or flood == "noise"


def test_a_peer_that_greets_until_we_listen_is_no_flood():
    """A table that compiles, or waits for its device, finds hundreds of greetings of its own dynamics."""
    link = table()
    link._peer = None
    for number in range(1, 200):
        link._transport.give(encode(Header(7, 0, 0, number, 0.0, 10, 0, 0), Greeting(), Seal(KEY)))
    assert list(link.packets()) == []
    link._transport.give(encode(Header(7, 0, 9, 200, 0.5, 10, 0, 0), Command(label=0.5), Seal(KEY)))
    assert [packet.label for packet in link.packets()] == [0.5]
    assert link.statistics.early == 199 - CHECKS
    assert link.statistics.troubles() == []
