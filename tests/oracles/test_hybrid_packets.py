"""Datagrams against the standard library's HMAC, the vectors of RFC 4231, and a reader written by offsets."""

import hmac
import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tegotae as tg
from tegotae.hybrid import (
    Command,
    DynamicsNode,
    GuardedMachine,
    Heartbeat,
    Measurement,
    MemoryBus,
    MemoryLink,
    NodeState,
    Rearm,
    RemoteDevice,
    SensorSignals,
    Stop,
    VirtualClock,
    new_key,
)
from tegotae.hybrid.bus.rows import DYNAMICS, Reporter
from tegotae.hybrid.links.datagrams import VERSION, Header, Refusal, Seal, decode, encode
from tegotae.hybrid.links.packets import Greeting
from tegotae.hybrid.nodes.dynamics_node import DynamicsCore

KEY = bytes(range(32))
SEAL = Seal(KEY)
HEADER = Header(session=7, born=11, peer=13, sequence=17, label=0.25, stamp=-19, echo=23, held=29)
POSE = (0.1, 0.2, 0.3, 0.5, -0.5, 0.5, -0.5)
TURNED = (0.4, 0.5, 0.6, 0.0, 0.0, 1.0, 0.0)
SIX = (1.0, -2.0, 3.0, -4.0, 5.0, -6.0)
COMMAND = Command(label=0.25, pose=POSE, twist=SIX, acceleration=tuple(10.0 * x for x in SIX))
FELT = Measurement(
    label=0.25,
    pose=POSE,
    twist=SIX,
    wrench=tuple(-x for x in SIX),
    onset=TURNED,
    state=NodeState.CONTACT | NodeState.LIMITED,
)
READ = SensorSignals(label=0.25, pose=POSE, twist=SIX, signals=tuple(1e-4 * x for x in SIX), state=NodeState.HELD)
ALL = (COMMAND, FELT, READ, Heartbeat(label=0.25), Stop(label=0.25, reason="手を離した"), Rearm(label=0.25))

# RFC 4231, cases 1, 2 and 6: a key shorter than a block, a short one, one longer than a block.
VECTORS = [
    (b"\x0b" * 20, b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b"),
    (b"Jefe", b"what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c7"),
    (b"\xaa" * 131, b"Test Using Larger Than Block-Size Key - Hash Key First", "60e431591ee0b67f0d8a26aacbf5b77f"),
]


@pytest.mark.parametrize(("key", "said", "signature"), VECTORS)
def test_signatures_are_those_of_the_standard(key, said, signature):
    assert Seal(key).sign(said).hex() == signature


@settings(deadline=None, max_examples=30)
@given(key=st.binary(min_size=1, max_size=200), said=st.binary(max_size=400))
def test_signatures_are_those_of_the_standard_library(key, said):
    assert Seal(key).sign(said) == hmac.digest(key, said, "sha256")[:16]


def test_a_command_lies_in_memory_as_it_is_written_down():
    """Read by offsets alone, as a table's own firmware would."""
    said = encode(HEADER, COMMAND, SEAL)
    assert said[:4] == b"TGTE"
    assert (said[4], said[5]) == (VERSION, 1)
    assert struct.unpack_from("<H", said, 6) == (len(said),)
    assert struct.unpack_from("<4Q", said, 12) == (7, 11, 13, 17)
    assert struct.unpack_from("<d", said, 44) == (0.25,)
    assert struct.unpack_from("<3q", said, 52) == (-19, 23, 29)
    assert struct.unpack_from("<7d", said, 76) == POSE
    assert struct.unpack_from("<6d", said, 132) == SIX
    assert struct.unpack_from("<6d", said, 180) == tuple(10.0 * x for x in SIX)
    assert said[228:] == hmac.digest(KEY, said[:228], "sha256")[:16]


def test_a_measurement_lies_in_memory_as_it_is_written_down():
    said = encode(HEADER, FELT, SEAL)
    assert struct.unpack_from("<26dQ", said, 76) == (*POSE, *SIX, *(-x for x in SIX), *TURNED, 2 + 64)
    assert len(said) == 76 + 26 * 8 + 8 + 16


def test_signals_lie_in_memory_as_they_are_written_down():
    said = encode(HEADER, READ, SEAL)
    assert said[5] == 6
    assert struct.unpack_from("<19dQ", said, 76) == (*POSE, *SIX, *(1e-4 * x for x in SIX), 16)
    assert len(said) == 76 + 19 * 8 + 8 + 16


def test_raw_signals_can_never_be_read_as_a_wrench():
    """By no name, at no offset of a measurement, under no other kind, in no node that waits for newtons."""
    assert not hasattr(READ, "wrench")
    assert not isinstance(READ, Measurement)
    said = encode(HEADER, READ, SEAL)
    assert len(said) != len(encode(HEADER, FELT, SEAL))
    forged = bytearray(said[:-16])
    forged[5] = Measurement.kind  # and signed anew, by one who has the key
    assert decode(bytes(forged) + SEAL.sign(bytes(forged)), SEAL) is Refusal.MALFORMED
    clock = VirtualClock(2e-3)
    here, there = MemoryLink.pair(clock)
    core = DynamicsCore(machine=GuardedMachine(tg.Mass(mass=1.0, dimension=6), period=2e-3), stiffness=1e4)
    node = DynamicsNode(core=core, link=here, clock=clock, reporter=Reporter(MemoryBus("s"), "dynamics", DYNAMICS))
    huge = (0.0, 0.0, -50.0, 0.0, 0.0, 0.0)
    for tick in range(20):
        there.send(SensorSignals(label=core.simulated, signals=huge, state=NodeState.RUNNING | NodeState.CONTACT))
        node.step(tick)
        clock.wait()
    assert core.felt is None
    assert core.simulated == 0.0  # nothing was measured: it waits
    device = RemoteDevice(link=there, period=2e-3)
    here.send(Measurement(label=0.5, wrench=huge))
    assert tuple(device.read().signal) == (0.0,) * 6  # nor are newtons calibrated once more
    assert not device.met


@pytest.mark.parametrize("packet", [*ALL, Greeting(label=0.25)], ids=lambda p: type(p).__name__)
def test_what_is_said_is_heard(packet):
    assert decode(encode(HEADER, packet, SEAL), SEAL) == (HEADER, packet)


reals = st.floats(allow_nan=False, allow_infinity=False)
sixes = st.tuples(*[reals] * 6)


@settings(deadline=None, max_examples=40)
@given(label=reals, place=st.tuples(reals, reals, reals), twist=sixes, wrench=sixes, state=st.integers(0, 2**64 - 1))
def test_every_finite_number_comes_through_bit_by_bit(label, place, twist, wrench, state):
    felt = Measurement(label=label, pose=(*place, *POSE[3:]), twist=twist, wrench=wrench, state=NodeState(state))
    heard = decode(encode(HEADER._replace(label=label), felt, SEAL), SEAL)
    assert isinstance(heard, tuple)
    assert repr(heard[1]) == repr(felt)  # repr: -0.0 is not 0.0


def test_arrays_are_taken_and_kept_as_numbers():
    pose = np.array(POSE)
    command = Command(label=np.float64(0.25), pose=pose, twist=np.array(SIX), acceleration=[10 * int(x) for x in SIX])
    pose[:] = 0.0
    assert command == COMMAND
    assert all(type(x) is float for x in (*command.pose, *command.twist, *command.acceleration))


def test_no_bit_can_be_changed():
    for packet in ALL:
        said = encode(HEADER, packet, SEAL)
        for bit in range(8 * len(said)):
            broken = bytearray(said)
            broken[bit // 8] ^= 1 << bit % 8
            assert isinstance(decode(bytes(broken), SEAL), Refusal), f"bit {bit} of {packet}"


def test_no_length_but_its_own_is_heard():
    said = encode(HEADER, COMMAND, SEAL)
    for cut in range(len(said)):
        assert decode(said[:cut], SEAL) is Refusal.MALFORMED
    assert decode(said + b"\0", SEAL) is Refusal.MALFORMED
    assert decode(b"\0" + said, SEAL) is Refusal.MALFORMED


@settings(deadline=None, max_examples=100)
@given(noise=st.binary(max_size=400))
def test_noise_raises_nothing(noise):
    for said in (noise, b"TGTE" + noise, b"TGTE" + bytes((VERSION,)) + noise):
        assert isinstance(decode(said, SEAL), Refusal)


def test_another_key_is_told_from_damage():
    said = encode(HEADER, COMMAND, SEAL)
    assert decode(said, Seal(new_key())) is Refusal.FOREIGN
    assert decode(said[:100] + b"\xff" + said[101:], SEAL) is Refusal.MALFORMED


def test_another_version_is_named_whatever_else_it_holds():
    said = encode(HEADER, COMMAND, SEAL)
    assert decode(said[:4] + bytes((VERSION + 1,)) + said[5:], SEAL) is Refusal.VERSION
    assert decode(b"TGTE" + bytes((99,)) + bytes(400), SEAL) is Refusal.VERSION


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", [44, 76, 76 + 8 * 6, 76 + 8 * 12, 76 + 8 * 18])
def test_a_signed_packet_with_numbers_that_are_none_is_refused(bad, place):
    """As a node with the key but without these checks might send them."""
    said = bytearray(encode(HEADER, COMMAND, SEAL)[:-16])
    struct.pack_into("<d", said, place, bad)
    assert decode(bytes(said) + SEAL.sign(bytes(said)), SEAL) is Refusal.MALFORMED


def test_a_signed_packet_with_a_quaternion_that_is_none_is_refused():
    said = bytearray(encode(HEADER, FELT, SEAL)[:-16])
    struct.pack_into("<d", said, 76 + 8 * 22, 2.0)
    assert decode(bytes(said) + SEAL.sign(bytes(said)), SEAL) is Refusal.MALFORMED


BAD = {
    "label nan": (lambda: Command(label=math.nan), "label=nan"),
    "label text": (lambda: Heartbeat(label="now"), "label='now'"),
    "pose short": (lambda: Command(label=0.0, pose=(1.0, 0.0)), "pose has 2 numbers"),
    "pose nan": (lambda: Command(label=0.0, pose=(math.nan, *POSE[1:])), "not finite"),
    "pose turned": (lambda: Command(label=0.0, pose=(0.0,) * 7), "length 1"),
    "twist inf": (lambda: Command(label=0.0, twist=(math.inf,) * 6), "twist=.*not finite"),
    "inf and -inf": (lambda: Command(label=0.0, twist=(math.inf, -math.inf, 0, 0, 0, 0)), "not finite"),
    "wrench text": (lambda: Measurement(label=0.0, wrench="strong"), "wrench='strong' is not made of numbers"),
    "onset none": (lambda: Measurement(label=0.0, onset=None), "onset=None is not made of numbers"),
    "reason bytes": (lambda: Stop(reason=b"no"), "reason=b'no' is not a text"),
}


@pytest.mark.parametrize(("make", "says"), BAD.values(), ids=BAD)
def test_bad_numbers_are_not_sent(make, says):
    with pytest.raises(tg.InputError, match=says) as caught:
        make()
    assert "\n  " in str(caught.value)


def test_a_long_reason_is_cut_between_letters():
    heard = decode(encode(HEADER, Stop(reason="é" * 50), SEAL), SEAL)
    assert isinstance(heard, tuple)
    assert heard[1].reason == "é" * 32
    heard = decode(encode(HEADER, Stop(reason="a" + "é" * 50), SEAL), SEAL)
    assert isinstance(heard, tuple)
    assert heard[1].reason == "a" + "é" * 31
