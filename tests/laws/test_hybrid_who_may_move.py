"""Who may move a table: a re-arm passes once, a stop always; nodes of another key or version move nothing, in words."""

import json
from contextlib import contextmanager

import numpy as np
import pytest

from hand_made import KEY
from tegotae.errors import InputError
from tegotae.hybrid import NodeState, Rearm
from tegotae.hybrid.bus.bus import MemoryBus
from tegotae.hybrid.bus.messages import Once, ask_rearm, ask_stop, take_requests
from tegotae.hybrid.bus.zenoh_bus import ZenohBus
from tegotae.hybrid.links import link
from tegotae.hybrid.links.datagrams import Refusal, Seal
from tegotae.hybrid.nodes.virtual_run import VirtualLoop
from tegotae.hybrid.processes.launcher import Listener
from tegotae.hybrid.settings import read_settings

PATIENCE = 20.0  # s, ends a hang
TOPIC = "test/requests/rearm"


class Tape:
    """A zenoh session that remembers the questions which went through it, with their seals."""

    def __init__(self, session):
        self._session, self.asked = session, []

    def get(self, topic, **given):
        self.asked.append((topic, given))
        return self._session.get(topic, **given)

    def again(self, number):
        """Send a question once more, as it was; what is answered."""
        topic, given = self.asked[number]
        return [bytes(got.ok.payload.to_bytes()) for got in self._session.get(topic, **given) if got.ok is not None]

    def __getattr__(self, name):
        return getattr(self._session, name)


class Table:
    """What a table node hears of requests."""

    def __init__(self, bus, **clock):
        self.stops, self.rearms = [], 0
        take_requests(bus, stop=self.stops.append, rearm=self._rearm, **clock)
        bus.declare("table", {})

    def _rearm(self):
        self.rearms += 1


@contextmanager
def over_zenoh():
    with ZenohBus("test", key=KEY) as one, ZenohBus("test", key=KEY, listen=None, peers=[one.address]) as two:
        table = Table(one)
        assert two.wait_for(["table"], PATIENCE) == []
        two._session = Tape(two._session)
        yield table, two


# ------------------------------------------------------------ re-arm and stop


@pytest.mark.realtime
def test_a_recorded_re_arm_that_is_sent_again_is_refused():
    with over_zenoh() as (table, bus):
        assert ask_rearm(bus, "view", "pressed", timeout=PATIENCE) == ""
        assert table.rearms == 1
        tape = bus._session
        (refused,) = tape.again(1)
        assert b"was used before" in refused
        (number,) = tape.again(0)  # to ask for a number again gives another, of no use to who cannot seal
        assert number not in json.dumps([str(given) for _, given in tape.asked]).encode()
        (refused,) = tape.again(1)
        assert b"was used before" in refused
        assert table.rearms == 1
        assert ask_rearm(bus, "view", "pressed", timeout=PATIENCE) == ""
        assert table.rearms == 2


def test_a_number_is_good_once_in_time_and_only_where_it_was_drawn():
    now = [0.0]
    once, other = Once(lambda: now[0]), Once(lambda: now[0])
    number = once.draw()
    assert not other.take(number)
    assert once.take(number)
    assert not once.take(number)
    number = once.draw()
    now[0] = 9.0
    assert once.take(number)
    number = once.draw()
    now[0] = 20.0
    assert not once.take(number)
    many = [once.draw() for _ in range(1000)]
    assert len(set(many)) == 1000
    assert sum(map(once.take, many)) == 64  # who only asks for numbers does not fill the memory


@pytest.mark.parametrize("said", [b"{}", b"[]", b"noise", b'{"number": 7}', b'{"number": null}', b"\xff"])
def test_a_re_arm_without_a_number_of_the_table_is_refused(said):
    bus = MemoryBus("test")
    table = Table(bus)
    with pytest.raises(InputError, match="re-arm: the number"):
        bus.ask(TOPIC, said)
    bus.publish(TOPIC, said)  # as it was once asked for
    assert table.rearms == 0


def test_a_stop_always_passes():
    bus = MemoryBus("test")
    table, said = Table(bus), []
    bus.subscribe("test/requests/stop", lambda topic, payload: said.append(payload))
    ask_stop(bus, "view", "pressed")
    for payload in (said[0], b"", b"noise", b"[1]"):
        bus.publish("test/requests/stop", payload)
    assert table.stops == ["view: pressed"] * 2 + ["asked for over the bus"] * 3


# ------------------------------------------------------------ why a table stands


def event(level, kind, node="table", text="some words"):
    return json.dumps({"time": 0, "node": node, "level": level, "text": text, "kind": kind}).encode()


@pytest.mark.parametrize(
    ("told", "late"),
    [
        ([("trip", "late")], True),
        (
            [("trip", "late"), ("warning", "late"), ("warning", "limited"), ("warning", "re-arm"), ("info", "rest")],
            True,
        ),
        ([("warning", "sensor"), ("trip", "late")], True),
        ([("trip", "overload")], False),
        ([("trip", "late"), ("warning", "overload")], False),
        ([("trip", "late"), ("warning", "stop")], False),
        ([("trip", "stop"), ("warning", "late")], False),
        ([("trip", "late"), ("info", "re-armed")], False),
        ([("trip", "late"), ("info", "re-arm")], False),  # nothing is latched
        ([("trip", "overload"), ("info", "re-armed"), ("trip", "late")], True),
        ([("trip", "")], False),
    ],
)
def test_only_a_table_that_nothing_but_lateness_stopped_is_re_armed_unasked(told, late):
    bus = MemoryBus("test")
    listener = Listener(bus)
    for level, kind in told:
        bus.publish("test/events", event(level, kind))
    bus.publish("test/events", event("trip", "overload", node="device"))  # its table will say
    assert listener.held_up is late


def test_an_event_without_a_kind_is_heard_but_not_acted_on():
    """As nodes said it before kinds; not even where the words are those of a late process."""
    bus = MemoryBus("test")
    listener = Listener(bus)
    bus.publish("test/events", b'{"time": 0, "node": "table", "level": "trip", "text": "no command for 50 ms"}')
    assert listener.events() == ["table: no command for 50 ms"]
    assert not listener.held_up


# ------------------------------------------------------------ whole nodes


def stranger(loop, patch, how):
    """Make a stranger of the dynamics node: of another key, or of another version."""
    own = loop.dynamics.link._seal = Seal(bytes(32) if how == "key" else b"\0" * 31 + b"\1")
    if how == "version":
        loop.table.link._seal = Seal(b"\0" * 31 + b"\1")
        encode, decode = link.encode, link.decode

        def of_version_9(header, packet, seal):
            said = encode(header, packet, seal)
            body = said[:4] + b"\x09" + said[5:-16]
            return body + seal.sign(body) if seal is own else said

        patch.setattr(link, "encode", of_version_9)
        patch.setattr(link, "decode", lambda said, seal: Refusal.VERSION if seal is own else decode(said, seal))
    else:
        loop.table.link._seal = Seal(KEY)


@pytest.mark.parametrize(
    ("how", "words"), [("key", "packets with another key"), ("version", "install the same tegotae on both computers")]
)
def test_a_dynamics_of_another_key_or_version_moves_nothing_and_both_say_so(how, words, monkeypatch):
    loop = VirtualLoop(read_settings(changes=["device.kind=spring", "model.speed=0.05"]))
    stranger(loop, monkeypatch, how)
    for _ in range(4):
        loop.dynamics.link.send(Rearm())
        loop.run(0.1)
    assert any(words in each for each in loop.table.status()["words"])
    assert any(words in each for each in loop.dynamics.status()["words"])
    rows = loop.finish().table
    assert np.ptp(rows["command"], axis=0).max() == np.ptp(rows["pose"], axis=0).max() == 0.0
    assert set(rows["state"]) == {int(NodeState.HELD)}
    assert loop.dynamics.simulated == 0.0
