"""A template: attach your own motion table, here one whose controller speaks UDP.

`UdpTable` is the driver: seven short methods around your controller's protocol. Change `WIRE` and the two lines that
pack and unpack, and name the file in the settings (see docs/attaching_a_table.md):

    [device]
    kind = "own"
    factory = "my_table:open_table"
    options = { host = "192.168.10.2", port = 5005 }

Run as it is, it drives a pretended controller on this computer, so that you see what a driver must do:

    python examples/04_attach_a_table.py
    python examples/04_attach_a_table.py --ticks 500

The pretended controller alone is there for a whole run (height is that of the surface, as in the settings):

    python examples/04_attach_a_table.py --serve 5005 --height -0.42
    PYTHONPATH=examples tegotae hybrid run examples/own_table.toml
"""

import argparse
import contextlib
import math
import socket
import struct
import threading
import time
from collections.abc import Sequence

from tegotae.hybrid import DeviceReading

PERIOD = 2e-3  # s, of your controller
COMMAND = struct.Struct("<d?13d")  # label, obey or hold, pose (7), twist (6)
READING = struct.Struct("<d?B19d")  # label, emergency stop, fault code, pose (7), twist (6), sensor signals (6)
ASK = COMMAND.pack(0.0, False, *(0.0,) * 13)  # hold, whatever the rest says, and answer
FAULTS = {0: "", 1: "a drive has tripped", 2: "an encoder is not referenced"}


class UdpTable:
    """Your table. No method may wait: the table node calls `read` and `command` five hundred times a second."""

    period = PERIOD

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.connect((host, port))
        self._reading = DeviceReading(fault="the controller has not answered yet")
        self._heard = time.monotonic()
        self._obeys, self._answered = True, False

    def read(self) -> DeviceReading:
        """The newest thing it said. Old news is a fault: nothing may be felt that is no longer so.

        Before the first order it is asked where it stands; until it has answered, the reading's pose is not a number,
        and nothing is ordered.
        """
        if not self._answered:
            self._send(ASK)
        self._reading = self._reading._replace(fresh=False)
        while True:
            try:
                label, emergency, fault, *numbers = READING.unpack(self._socket.recv(1024))
            except (BlockingIOError, ConnectionError):
                break
            self._heard, self._answered = time.monotonic(), True
            self._reading = DeviceReading(
                pose=numbers[:7], twist=numbers[7:13], signal=numbers[13:], label=label, emergency=emergency,
                fault=FAULTS.get(fault, f"fault {fault} of the controller"),
            )  # fmt: skip
        if self._answered and not self._reading.fresh and time.monotonic() - self._heard > 15 * PERIOD:
            return self._reading._replace(fault="the controller has stopped answering")
        return self._reading

    def command(self, pose: Sequence[float], twist: Sequence[float], *, label: float) -> None:
        """Already checked against every limit of the settings."""
        self._send(COMMAND.pack(label, self._obeys, *pose, *twist))

    def stop(self) -> None:
        """Must also work when nothing else does. Wire a hardware stop beside it: software is not one."""
        self._obeys = False
        self._send(ASK)

    def rearm(self) -> None:
        """A person has looked."""
        self._obeys = True

    def margins(self, pose: Sequence[float]) -> tuple[float, float]:
        """What your kinematics says of a pose: way to the nearest joint limit, distance to a singularity."""
        return math.inf, math.inf

    def close(self) -> None:
        """Let go; the controller must hold by itself when commands stay away."""
        self._socket.close()

    def _send(self, datagram: bytes) -> None:
        try:
            self._socket.send(datagram)
        except OSError as error:  # the next readings will be missing, and that is a fault
            self._reading = self._reading._replace(fault=f"cannot send: {error.strerror}")


def open_table(host: str = "127.0.0.1", port: int = 5005) -> UdpTable:
    """What `factory` names; `options` of the settings are its arguments."""
    return UdpTable(host, port)


class PretendedController(threading.Thread):
    """Stands for your hardware: goes where it is told, and holds 10 ms after the last command.

    It stands 10 mm below a springy surface, which is at a height [m].
    """

    def __init__(self, port: int = 0, height: float = 0.0) -> None:
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", port))
        self.socket.settimeout(5 * PERIOD)
        self.height, self.running, self.held = height, True, 0

    def run(self) -> None:
        pose, twist = [0.0, 0.0, self.height - 0.01, 1.0, 0.0, 0.0, 0.0], [0.0] * 6
        while self.running:
            try:
                datagram, sender = self.socket.recvfrom(1024)
            except TimeoutError:
                self.held += 1
                continue
            label, obey, *numbers = COMMAND.unpack(datagram)
            pose, twist = (numbers[:7], numbers[7:]) if obey else (pose, [0.0] * 6)
            push = -1e4 * max(0.0, pose[2] - self.height)
            self.socket.sendto(READING.pack(label, False, 0, *pose, *twist, 0, 0, push, 0, 0, 0), sender)


def new_reading(table: UdpTable) -> DeviceReading:
    """A table node would go on without one; here all is to be seen, on a busy machine too."""
    while not (reading := table.read()).fresh:
        time.sleep(PERIOD)
    return reading


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ticks", type=int, default=200, help="how many periods of 2 ms (default 200)")
    parser.add_argument("--serve", type=int, metavar="PORT", help="be the pretended controller, until Ctrl-C")
    parser.add_argument("--height", type=float, default=0.0, help="of the surface [m] (default 0)")
    options = parser.parse_args()

    controller = PretendedController(options.serve or 0, options.height)
    if options.serve is not None:
        print(f"pretended controller at 127.0.0.1:{controller.socket.getsockname()[1]}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            controller.run()
        return
    controller.start()
    table = open_table("127.0.0.1", controller.socket.getsockname()[1])
    x, y, start, *turn = new_reading(table).pose  # the first order is where it stands
    deepest = strongest = 0.0
    for tick in range(options.ticks):
        z = start + 0.011 * math.sin(math.pi * tick / options.ticks)
        table.command((x, y, z, *turn), (0.0,) * 6, label=tick * PERIOD)
        time.sleep(PERIOD)
        reading = new_reading(table)
        deepest, strongest = max(deepest, reading.pose[2] - options.height), min(strongest, reading.signal[2])
    print(f"moved {1e3 * deepest:.3f} mm into the surface, felt {-strongest:.2f} N; fault: {reading.fault or 'none'}")
    controller.running = False
    controller.join()
    time.sleep(20 * PERIOD)
    print(f"controller gone: {table.read().fault}")
    table.close()
    controller.socket.close()


if __name__ == "__main__":
    main()
