"""The fast link: the newest wins, a Stop always arrives; nothing foreign, old or repeated does, and all is counted."""

import math
import time

import pytest

from hand_made import KEY, PATIENCE, Hand
from tegotae.hybrid import (
    Command,
    Faults,
    Heartbeat,
    Measurement,
    MemoryLink,
    Rearm,
    Stop,
    UdpLink,
    VirtualClock,
    new_key,
)
from tegotae.hybrid.links.datagrams import VERSION
from tegotae.hybrid.links.packets import Greeting

NOISE = (b"", b"x", b"TGTE", bytes(100), b"TGTE" + bytes((VERSION,)) + bytes(300), bytes(9000))


@pytest.fixture
def link():
    with UdpLink(key=KEY, max_age=PATIENCE) as it:
        yield it


@pytest.fixture
def hand(link):
    with Hand(link) as it:
        yield it.connect()


@pytest.fixture
def pair():
    clock = VirtualClock(2e-3)
    return clock, *MemoryLink.pair(clock)


# ---------------------------------------------------------------- what gets through


def test_the_newest_wins(pair):
    _, dynamics, table = pair
    for k in range(5):
        dynamics.send(Command(label=float(k)))
    assert table.receive() == Command(label=4.0)
    assert table.receive() is None
    seen = table.statistics
    assert (seen.received, seen.superseded, seen.lost) == (5, 4, 0)


def test_a_stop_is_never_superseded(pair):
    _, dynamics, table = pair
    dynamics.send(Command(label=1.0))
    dynamics.send(Stop(reason="enough"))
    dynamics.send(Heartbeat(label=1.5))
    dynamics.send(Command(label=2.0))
    told = [table.receive() for _ in range(4)]
    assert told == [Stop(reason="enough"), Command(label=2.0), Heartbeat(label=1.5), None]


def test_the_last_of_stop_and_rearm_decides(pair):
    _, dynamics, table = pair
    for packet in (Stop(), Rearm()):
        dynamics.send(packet)
    assert [table.receive() for _ in range(3)] == [Stop(), Rearm(), None]
    for packet in (Rearm(), Stop()):
        dynamics.send(packet)
    assert [table.receive() for _ in range(2)] == [Stop(), None]


def test_what_waits_behind_a_stop_is_not_handed_on_too_old():
    clock = VirtualClock(2e-3)
    dynamics, table = MemoryLink.pair(clock, max_age=0.01)
    clock.wait()
    dynamics.send(Command(label=1.0))
    dynamics.send(Stop())
    assert table.receive() == Stop()
    for _ in range(6):
        clock.wait()
    assert table.receive() is None
    assert table.statistics.too_old == 1


def test_the_round_trip_is_there_and_back_without_what_the_peer_held(pair):
    clock, dynamics, table = pair
    clock.wait()
    dynamics.send(Command(label=0.0))  # at 0
    clock.wait()
    assert table.receive() is not None  # at 2 ms
    for _ in range(5):
        clock.wait()
    table.send(Measurement(label=0.0))  # at 12 ms: held for 10 ms
    clock.wait()
    clock.wait()
    assert dynamics.receive() is not None  # at 16 ms
    assert dynamics.round_trip == pytest.approx(2e-3 + 4e-3, abs=1e-12)
    assert table.silence == pytest.approx(14e-3, abs=1e-12)


def test_a_pair_over_udp_speaks_both_ways():
    one, two = UdpLink.pair(key=KEY, max_age=PATIENCE)
    with one, two:
        for k in range(20):
            for here, there, packet in ((one, two, Command(label=k)), (two, one, Measurement(label=k))):
                assert here.send(packet)
                assert there.wait(PATIENCE)
                assert there.receive() == packet
        for seen in (one.statistics, two.statistics):
            assert seen.received >= 20
            assert seen.lost == seen.malformed == seen.foreign == seen.replayed == seen.too_old == 0
            assert 0.0 < seen.round_trip.percentile(50.0) < PATIENCE


def test_links_meet_whoever_comes_first():
    with (
        UdpLink(key=KEY, max_age=PATIENCE) as table,
        UdpLink(key=KEY, remote=table.address, max_age=PATIENCE) as dynamics,
    ):
        assert not table.send(Measurement(label=0.0))  # to nobody
        assert table.statistics.unsent == 1
        assert not dynamics.connect(timeout=0.03)  # the table does not listen yet
        assert dynamics.silence == math.inf
        received = None
        for k in range(10):  # as two loops would
            dynamics.send(Command(label=float(k)))
            table.wait(PATIENCE)
            received = received or table.receive()
            dynamics.receive()
        assert isinstance(received, Command)
        assert table.met
        assert dynamics.met


# ---------------------------------------------------------------- what does not


def test_nothing_is_handed_on_before_both_have_met_but_a_stop(link):
    with Hand(link) as hand:
        for packet in (Command(label=1.0), Measurement(label=1.0), Rearm(), Heartbeat()):
            hand.say(packet)
            assert link.receive() is None
        hand.say(Stop(reason="now"))
        assert link.receive() == Stop(reason="now")
        assert link.statistics.unmet == 5
        assert not link.met


def test_yesterdays_recording_moves_nothing_today():
    """Rightly signed, in order, even greeted: but addressed to a session that is gone."""
    with UdpLink(key=KEY, max_age=PATIENCE) as yesterday, Hand(yesterday) as hand:
        hand.connect()
        recording = [hand.datagram(Command(label=float(k))) for k in range(5)]
        recording += [hand.datagram(Rearm())]
        hand.throw(recording[4])
        assert isinstance(yesterday.receive(), Command)
        with UdpLink(key=KEY, max_age=PATIENCE) as today:
            hand.link = today
            for datagram in recording:
                hand.throw(datagram)
                assert today.receive() is None
            assert today.statistics.unmet == 6
            assert not today.met


def test_a_copy_is_ignored_and_counted(hand, link):
    said = hand.datagram(Command(label=1.0), echo=time.monotonic_ns())
    for _ in range(3):
        hand.throw(said)
    assert link.receive() == Command(label=1.0)
    assert link.receive() is None
    assert link.statistics.duplicated == 2
    assert link.statistics.received == 1 + 1  # the greeting


def test_a_packet_from_long_ago_is_called_a_replay(hand, link):
    hand.say(Command(label=1.0))
    assert link.receive() == Command(label=1.0)
    hand.say(Command(label=2.0), sequence=5000)
    assert link.receive() == Command(label=2.0)
    hand.say(Command(label=3.0), sequence=2000)
    assert link.receive() is None
    hand.say(Rearm(), sequence=0)
    assert link.receive() is None
    assert link.statistics.replayed == 2


def test_late_packets_fill_their_gap_and_are_not_handed_on(hand, link):
    first = hand.sequence + 1
    for sequence in (first, first + 3, first + 1, first + 1, first + 4):
        hand.say(Command(label=float(sequence)), sequence=sequence)
        told = link.receive()
        assert (told is None) == (sequence == first + 1)
    seen = link.statistics
    assert (seen.received, seen.lost, seen.reordered, seen.duplicated) == (1 + 4, 1, 1, 1)  # the greeting, and four
    hand.say(Stop(), sequence=first + 2)
    assert link.receive() == Stop()
    assert (seen.lost, seen.reordered) == (0, 2)


def test_what_was_overtaken_by_the_very_first_packet_is_no_gap_and_a_stop_among_it_is_obeyed(link):
    with Hand(link) as hand:
        hand.sequence = 10
        hand.connect()  # with 11, and 12 to our session
        hand.say(Command(label=1.0), sequence=8)
        assert link.receive() is None
        hand.say(Stop(), sequence=9)
        assert link.receive() == Stop()
        hand.say(Stop(), sequence=9)
        assert link.receive() is None
    seen = link.statistics
    assert (seen.lost, seen.reordered, seen.duplicated) == (0, 2, 1)


def test_a_rearm_that_comes_late_does_not_undo_a_stop(hand, link):
    hand.say(Stop(), sequence=10)
    hand.say(Rearm(), sequence=9)
    assert link.receive() == Stop()
    assert link.receive() is None


@pytest.mark.parametrize("ahead", [2**20, 2**63])
def test_a_leap_of_the_sequence_costs_no_memory(hand, link, ahead):
    hand.say(Command(label=1.0))
    hand.say(Command(label=2.0), sequence=hand.sequence + ahead)
    assert link.receive() == Command(label=2.0)
    assert link.statistics.lost == ahead - 1
    assert link._peer._seen.bit_length() <= 1024


def test_another_key_is_foreign_and_told(link):
    with Hand(link, key=new_key()) as stranger:
        for packet in (Command(label=1.0), Stop(), Greeting()):
            stranger.say(packet)
            assert link.receive() is None
    assert link.statistics.foreign == 3
    assert not link.met
    assert "another key" in link.statistics.troubles()[0]


def test_another_version_is_named_and_told(hand, link):
    said = hand.datagram(Command(label=1.0))
    for version in (VERSION + 1, VERSION + 1, 200):
        hand.throw(said[:4] + bytes((version,)) + said[5:])
        assert link.receive() is None
    assert link.statistics.versions == {VERSION + 1: 2, 200: 1}
    assert link.statistics.wrong_version == 3
    assert f"2 packets of version {VERSION + 1}, but this is version {VERSION}" in link.statistics.troubles()[0]


@pytest.mark.parametrize(
    "noise", [b"", b"x", b"TGTE", bytes(100), b"TGTE" + bytes((VERSION,)) + bytes(300), bytes(9000)]
)
def test_noise_is_malformed(hand, link, noise):
    hand.throw(noise)
    assert link.receive() is None
    assert link.statistics.malformed == 1
    hand.say(Command(label=1.0))
    assert link.receive() == Command(label=1.0)


def test_our_own_packets_thrown_back_are_foreign(hand, link):
    link.send(Measurement(label=0.0))
    own = hand.socket.recv(2048)
    hand.throw(own)
    assert link.receive() is None
    assert link.statistics.foreign == 1


def test_the_right_key_from_another_address_is_foreign(hand, link):
    with Hand(link) as other:
        other.peer, other.sequence = hand.peer, 500
        other.say(Command(label=1.0))
        assert link.receive() is None
    assert link.statistics.foreign == 1
    with (
        Hand() as expected,
        UdpLink(key=KEY, remote=expected.address, max_age=PATIENCE) as strict,
        Hand(strict) as other,
    ):
        other.say(Stop())
        assert strict.receive() is None
        assert strict.statistics.foreign == 1


def test_what_was_under_way_too_long_is_ignored_but_for_a_stop():
    with UdpLink(key=KEY, max_age=PATIENCE) as link, Hand(link) as hand:
        hand.connect()
        now = time.monotonic_ns()
        hand.throw(hand.datagram(Command(label=1.0), echo=now - 100 * 10**9))
        assert link.receive() is None
        hand.throw(hand.datagram(Rearm(), echo=now - 100 * 10**9))
        assert link.receive() is None
        assert link.statistics.too_old == 2
        hand.throw(hand.datagram(Stop(), echo=now - 100 * 10**9))
        assert link.receive() == Stop()
        hand.throw(hand.datagram(Command(label=2.0), echo=time.monotonic_ns() - 100 * 10**9, held=100 * 10**9))
        assert link.receive() == Command(label=2.0)  # the peer kept it so long


def test_a_peer_whose_clock_steps_back_is_still_heard_and_told(hand, link):
    now = time.monotonic_ns()
    hand.say(Command(label=1.0), stamp=now)
    assert link.receive() == Command(label=1.0)
    hand.say(Command(label=2.0), stamp=now - 3600 * 10**9)
    assert link.receive() == Command(label=2.0)
    assert link.statistics.clock_steps == 1
    assert "clock went back" in link.statistics.troubles()[0]


# ---------------------------------------------------------------- restarts


def test_a_peer_that_restarts_is_followed_only_forward_in_time(hand, link):
    hand.say(Command(label=1.0))
    assert link.receive() == Command(label=1.0)
    older, ours = hand.datagram(Command(label=9.0)), hand.peer
    hand.session, hand.born, hand.sequence, hand.peer = 88, 2000, 0, 0
    hand.say(Command(label=2.0))
    assert link.receive() is None, "it does not know us yet"
    hand.listen()
    hand.say(Command(label=3.0))
    assert link.receive() == Command(label=3.0)
    assert link.statistics.restarts == 1
    hand.throw(older)
    assert link.receive() is None, "a packet of its former life, addressed to us and never heard"
    assert link.statistics.replayed == 1
    hand.session, hand.born, hand.peer = 99, 1500, ours
    hand.say(Stop())
    assert link.receive() is None, "an older session that claims to be a new one"
    assert link.statistics.replayed == 2


def test_data_of_the_former_session_is_dropped_at_a_restart(hand, link):
    hand.say(Command(label=1.0))
    hand.say(Rearm())
    hand.session, hand.born = 88, 2000
    hand.say(Heartbeat(label=2.0))
    assert link.receive() == Heartbeat(label=2.0)
    assert link.receive() is None


def test_the_offset_of_the_peers_clock_is_found_without_a_common_one():
    """The table's clock runs 1 % fast; both see the other's lead and lag, wrong by half a round trip at most."""
    clock = VirtualClock(2e-3)
    dynamics, table = MemoryLink.pair(clock, there=Faults(drift=0.01))
    for _ in range(500):
        clock.wait()
        dynamics.send(Command(label=0.0))
        table.receive()
        table.send(Measurement(label=0.0))
        dynamics.receive()
    lead = 0.01 * clock.now
    assert lead > 9e-3
    assert dynamics.clock_offset == pytest.approx(lead, abs=5e-4)
    assert table.clock_offset == pytest.approx(-lead, abs=5e-4)
