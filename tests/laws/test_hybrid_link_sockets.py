"""Sockets and processes of the fast link: ports, addresses, floods, what the system refuses, peers that are killed."""

import errno
import math
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

import tegotae as tg
from hand_made import KEY, PATIENCE, Hand
from tegotae.hybrid import Command, Faults, Latencies, LinkStatistics, Measurement, UdpLink
from tegotae.hybrid.links.datagrams import LOOPBACK, Arrival
from tegotae.hybrid.links.kinds import UdpTransport

pytestmark = pytest.mark.realtime


@pytest.fixture
def link():
    with UdpLink(key=KEY, max_age=PATIENCE) as it:
        yield it


# Another process: listens at the port that it is given, or any, and answers every command.
NODE = """
import sys
from tegotae.hybrid import Command, Measurement, UdpLink
key, port = sys.stdin.readline().split()
with UdpLink(key=bytes.fromhex(key), local=("127.0.0.1", int(port))) as link:
    print(link.address[1], flush=True)
    while link.wait(20.0):
        packet = link.receive()
        if isinstance(packet, Command):
            link.send(Measurement(label=packet.label))
"""


@contextmanager
def node(port=0):
    """A process and its port; it is killed, not asked."""
    with subprocess.Popen([sys.executable, "-c", NODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as it:
        try:
            it.stdin.write(f"{KEY.hex()} {port}\n")
            it.stdin.flush()
            yield it, int(it.stdout.readline())
        finally:
            it.kill()


def ask(link, label):
    """Send commands until one is answered."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        link.send(Command(label=label))
        link.wait(0.05)
        packet = link.receive()
        if packet is not None and packet.label == label:
            return packet
    return None


def test_a_killed_process_falls_silent_and_its_successor_is_heard_as_another_session():
    with node() as (first, port), UdpLink(key=KEY, remote=("127.0.0.1", port), max_age=PATIENCE) as link:
        assert ask(link, 1.0) == Measurement(label=1.0)
        first.kill()
        first.wait(PATIENCE)
        while link.receive() is not None:
            pass
        heard = link.silence
        for _ in range(5):
            link.send(Command(label=2.0))  # to a port where nobody listens
            assert link.receive() is None
        assert link.silence > heard
        with node(port):
            assert ask(link, 3.0) == Measurement(label=3.0)
            assert link.statistics.restarts == 1
            assert link.statistics.foreign == link.statistics.malformed == link.statistics.replayed == 0


def test_a_flood_does_not_hold_up_a_tick(link, monkeypatch):
    """An endless stream of datagrams: one call looks at so many and no more."""
    monkeypatch.setattr(link._transport, "take", lambda now: Arrival(b"noise", ("127.0.0.1", 9), now))
    assert link.receive() is None
    assert link.statistics.malformed == 256


def test_once_met_strangers_do_not_even_reach_the_link_of_a_known_peer():
    """The system drops them: thousands of datagrams cost no look, and leave the buffer to the peer."""
    with Hand() as peer, UdpLink(key=KEY, remote=peer.address, max_age=PATIENCE) as link, Hand(link) as stranger:
        stranger.throw(stranger.datagram(Command(label=9.0)))
        assert link.receive() is None
        assert link.statistics.foreign == 1  # told as long as it may be our own mistake
        peer.link = link
        peer.connect()
        for _ in range(3000):
            stranger.socket.sendto(stranger.datagram(Command(label=9.0)), link.address)
        peer.say(Command(label=1.0))
        assert link.receive() == Command(label=1.0)
        assert link.statistics.foreign == 1
        assert link.statistics.received == 2  # with the greeting


def test_a_peer_that_is_gone_takes_no_packet_from_its_successor():
    """A system may tell at the next send that nobody listened to the last: that one is sent all the same."""
    with Hand() as peer, UdpLink(key=KEY, remote=peer.address, max_age=PATIENCE) as link:
        peer.link = link
        peer.connect()
        place = peer.address
        peer.socket.close()
        for _ in range(5):
            assert link.send(Command(label=1.0))
            assert link.receive() is None
        peer.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        peer.socket.bind(place)
        peer.socket.settimeout(PATIENCE)
        assert link.send(Command(label=2.0))
        assert peer.listen()[1] == Command(label=2.0)
        assert link.statistics.unsent == 0


def test_a_port_in_use_is_refused_with_words(link):
    with pytest.raises(tg.InputError, match=r"cannot listen at 127.0.0.1 port .* in use") as caught:
        UdpLink(key=KEY, local=link.address)
    assert "another port" in str(caught.value)


def test_the_loopback_is_the_default(link):
    assert link.address[0] == "127.0.0.1"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"local": ("", 0)}, "names no address"),
        ({"local": ("192.0.2.1", 0)}, "no such address"),
        ({"local": ("127.0.0.1", 70000)}, "70000"),
        ({"local": ("127.0.0.1", -1)}, "-1"),
        ({"local": "127.0.0.1"}, "is not an address and a port"),
        ({"remote": ("127.0.0.1", 0)}, "has no port"),
        ({"remote": ("::1", 5000)}, "different families"),
        ({"remote": ("a..b", 5000)}, "is not known"),
        ({"key": b"short"}, "key has 5 bytes"),
        ({"key": "a text that is long enough"}, "key is of type str"),
        ({"max_age": 0.0}, "max_age=0.0"),
        ({"max_age": math.nan}, "max_age=nan"),
    ],
)
def test_bad_links_are_refused_with_words(changes, says):
    with pytest.raises(tg.InputError, match=says) as caught:
        UdpLink(**({"key": KEY} | changes))
    assert "\n  " in str(caught.value)
    assert "short" not in str(caught.value), "a key is never shown"


def test_what_the_system_refuses_to_send_is_counted(monkeypatch):
    class Full:
        def sendto(self, *_):
            raise OSError(errno.ENOBUFS, "No buffer space available")

        send = sendto

    one, two = UdpLink.pair(key=KEY, max_age=PATIENCE)
    with one, two:
        with monkeypatch.context() as patch:
            patch.setattr(two._transport, "_socket", Full())
            assert not two.send(Command(label=0.0))
        assert two.statistics.unsent == 1
        assert "No buffer space" in two.statistics.troubles()[0]
    two.close()  # once more does no harm
    assert two.receive() is None
    assert not two.send(Command(label=0.0))


def test_statistics_are_numbers_for_a_report():
    seen = LinkStatistics(received=3, lost=1)
    seen.round_trip.add(1000)
    told = seen.summary()
    assert (told["received"], told["lost"], told["round_trip_max"]) == (3, 1, pytest.approx(1e-6))
    assert seen.loss == 0.25
    assert isinstance(seen.round_trip, Latencies)
    assert LinkStatistics().loss == 0.0
    assert LinkStatistics().troubles() == []


def test_importing_the_link_needs_no_numba():
    """A node that drives a table starts quickly."""
    code = "import sys; from tegotae.hybrid import UdpLink, RealClock; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)
    assert done.stdout.strip() == "False"


def test_importing_a_table_node_loads_no_robots():
    """It may drive a table on a computer that simulates nothing."""
    code = (
        "import sys; from tegotae.hybrid import TableNode; print(*(n for n in sys.modules if n.startswith('tegotae.')))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {name.split(".")[1] for name in loaded}.isdisjoint({"papers", "running", "multibody", "block"})


def test_a_faulty_pair_over_udp_keeps_what_is_late():
    one, two = UdpLink.pair(key=KEY, max_age=PATIENCE, faults=Faults(delay=0.02))
    with one, two:
        start_of_it = time.monotonic()
        one.send(Command(label=1.0))
        while (packet := two.receive()) is None and time.monotonic() - start_of_it < PATIENCE:
            time.sleep(1e-3)
        assert packet == Command(label=1.0)
        assert time.monotonic() - start_of_it >= 0.02


def test_a_delay_counts_from_the_arrival_not_from_the_first_look():
    """Looked for only after the delay, it is there at once."""
    one, two = UdpLink.pair(key=KEY, max_age=PATIENCE, faults=Faults(delay=0.03))
    with one, two:
        one.send(Command(label=1.0))
        assert two.wait(PATIENCE)
        time.sleep(0.035)
        assert two.receive() == Command(label=1.0)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a datagram came in")
@pytest.mark.parametrize(("step", "came"), [(-(10**13), 5000), (10**13, 1000)], ids=["back", "ahead"])
def test_a_wall_clock_that_is_set_moves_an_arrival_no_further_than_between_two_looks(monkeypatch, step, came):
    udp, real = UdpTransport(LOOPBACK, timed=True), time.time_ns
    try:
        assert udp.take(1000) is None
        monkeypatch.setattr(time, "time_ns", lambda: real() + step)
        assert udp.put(b"hello", udp.address, 0) == ""
        assert udp.wait(PATIENCE, 0.0)
        assert udp.take(5000) == Arrival(b"hello", udp.address, came)
    finally:
        udp.close()
