"""A peer of the fast link made by hand, and the key and patience of its tests."""

import socket
import time

from tegotae.hybrid.links.datagrams import Header, Seal, decode, encode
from tegotae.hybrid.links.packets import Greeting

KEY = bytes(range(32))
PATIENCE = 20.0  # s, ends a hang; nothing takes so long


class Hand:
    """A peer made by hand: a plain socket and a key, so that every field of a packet can be chosen."""

    def __init__(self, link=None, *, key=KEY, born=1000, session=77):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(PATIENCE)
        self.address = self.socket.getsockname()
        self.seal, self.link, self.born, self.session = Seal(key), link, born, session
        self.sequence, self.peer, self.heard = 0, 0, 0

    def datagram(self, packet, **changes):
        self.sequence += 1
        given = {
            "session": self.session, "born": self.born, "peer": self.peer, "sequence": self.sequence,
            "label": packet.label, "stamp": time.monotonic_ns(), "echo": self.heard, "held": 0,
        }  # fmt: skip
        return encode(Header(**(given | changes)), packet, self.seal)

    def throw(self, datagram):
        """Send bytes, and wait until they lie in the link's socket."""
        self.socket.sendto(datagram, self.link.address)
        assert self.link.wait(PATIENCE)

    def say(self, packet, **changes):
        """A packet whose age is none: it echoes this very moment."""
        self.heard = time.monotonic_ns()
        self.throw(self.datagram(packet, **changes))

    def listen(self):
        """The next packet of the link; its session is learnt."""
        heard = decode(self.socket.recv(2048), self.seal)
        assert isinstance(heard, tuple)
        self.peer = heard[0].session
        return heard

    def connect(self):
        self.say(Greeting())
        self.link.receive()
        header, packet = self.listen()
        assert isinstance(packet, Greeting)
        assert header.peer == self.session
        self.say(Greeting())  # now to its session
        assert self.link.receive() is None
        assert self.link.met
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
