"""The viewer: where it draws things, that nothing it hears breaks it, and that it listens to this computer alone."""

from __future__ import annotations

import json
import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
import zstandard

from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.hybrid import NodeState
from tegotae.hybrid.bus.bus import MemoryBus
from tegotae.hybrid.bus.messages import take_requests
from tegotae.hybrid.bus.rows import DYNAMICS, TABLE, BlockWriter
from tegotae.hybrid.machines.model_settings import OwnModel
from tegotae.hybrid.settings import Settings
from tegotae.hybrid.view import HexaDrawer, View, node
from tegotae.hybrid.view.feed import thinned
from tegotae.hybrid.view.node import asked_by_own_page
from tegotae.papers.two_robots import TwoRobots
from tegotae.papers.two_robots.drawing import TwoRobotsDrawer
from tegotae.rotations import turned_by
from tegotae.table import rotation_about

LEVEL = (1.0, 0.0, 0.0, 0.0)


class Feeder:
    """Says what the nodes would say."""

    def __init__(self, bus: MemoryBus) -> None:
        self.bus, self._tick = bus, 0
        self._dynamics = self._writer("dynamics", DYNAMICS)
        self._table = self._writer("table", TABLE)

    def _writer(self, node: str, dtype: np.dtype[Any]) -> BlockWriter:
        return BlockWriter(self.bus, f"{self.bus.session}/rows/{node}", dtype, node=node, every=10_000)

    def restart(self) -> None:
        self._dynamics, self._tick = self._writer("dynamics", DYNAMICS), 0

    def dynamics(
        self, *, z: float = -0.01, push: float = 0.0, state: NodeState = NodeState.RUNNING, ticks: int = 1
    ) -> None:
        for _ in range(ticks):
            row = np.zeros((), DYNAMICS)
            row["steps"], row["simulated"], row["state"] = 1, 2e-3 * self._tick, int(state)
            row["pose"], row["wrench"][2], row["felt_wrench"][2] = (0.0, 0.0, z, *LEVEL), -push, -push
            self._tick += 1
            self._dynamics.put(*row.item())
        self._dynamics.flush()

    def table(self, pose: Any, push: float = 0.0) -> None:
        row = np.zeros((), TABLE)
        row["pose"], row["wrench"][2] = pose, -push
        self._table.put(*row.item())
        self._table.flush()

    def configuration(self, q: Any) -> None:
        self.say("configuration", np.array([0.0, *q]).astype("<f8").tobytes())

    def say(self, topic: str, payload: bytes) -> None:
        self.bus.publish(f"{self.bus.session}/{topic}", payload)


@pytest.fixture
def bus() -> MemoryBus:
    return MemoryBus("demo")


@pytest.fixture
def feeder(bus: MemoryBus) -> Feeder:
    return Feeder(bus)


@pytest.fixture
def plain(bus: MemoryBus) -> Iterator[View]:
    with View(bus, port=0) as view:
        yield view


@pytest.fixture
def full(bus: MemoryBus) -> Iterator[View]:
    with View(bus, port=0, model=TwoRobotsDrawer(model=TwoRobots(pose="B")), device=HexaDrawer()) as view:
        yield view


def handle(view: View, name: str) -> Any:
    """A body of the scene by its name."""
    found = view._server.scene.get_handle_by_name(name)
    assert found is not None, name
    return found


def in_world(view: View, name: str, place: Any = (0.0, 0.0, 0.0)) -> Array:
    """Where a place in a body's frame is, from the bodies that it hangs on."""
    p = np.asarray(place, dtype=np.float64)
    while name:
        body = handle(view, name)
        p = body.position + turned_by(body.wxyz, p)
        name = name.rpartition("/")[0]
    return p


# ------------------------------------------------------------ where things are drawn


def test_robots_stand_where_their_model_says(full: View, feeder: Feeder) -> None:
    two = TwoRobots(pose="B")
    rng = np.random.default_rng(7)
    q = two.start()[0] + 0.3 * rng.standard_normal(two.tree.nq)
    for first in (3, 14):
        q[first : first + 4] /= np.linalg.norm(q[first : first + 4])
    feeder.configuration(q)
    full.draw()
    for number, outline in enumerate(two.outlines(q[None])[0], start=1):
        path = f"/two-robots/robot{number}.base"
        drawn = [in_world(full, path)]
        for k in range(1, 5):
            path += f"/robot{number}.link{k}"
            drawn.append(in_world(full, path))
        drawn.append(in_world(full, path, (1.0, 0.0, 0.0)))
        # Handles keep double precision; what is left is rounding.
        np.testing.assert_allclose(drawn, outline, atol=1e-12)
    plate = in_world(full, "/two-robots/robot2.base/surface")
    base, turn = two.tree.pose(q, "robot2.base")
    np.testing.assert_allclose(plate, base - 0.5 * turn[:, 0], atol=1e-12)


@pytest.mark.parametrize("tool", [(0.0, 0.0, 0.05), (0.02, -0.01, 0.0)])
def test_table_is_put_together_as_it_is_built(bus: MemoryBus, feeder: Feeder, tool: tuple[float, float, float]) -> None:
    drawer = HexaDrawer(tool=tool, times=3.0)
    table = drawer.table
    p, R = np.array([0.03, -0.02, -0.46]), rotation_about((0.05, -0.08, 0.1))
    half = 0.5 * np.linalg.norm((0.05, -0.08, 0.1))
    turn = (np.cos(half), *(np.sin(half) / (2.0 * half) * np.array((0.05, -0.08, 0.1))))
    with View(bus, port=0, device=drawer) as view:
        feeder.table((*(p + R @ tool), *turn))
        view.draw()
        at = handle(view, "/hexa").position
        angles = table.inverse(p, R)
        for i in range(6):
            arm, rod = f"/hexa/arm{i + 1}", f"/hexa/rod{i + 1}"
            elbow = (in_world(view, arm, (0.0, 0.0, 3.0 * table.arm_length)) - at) / 3.0
            ball = (in_world(view, rod, (0.0, 0.0, 3.0 * table.rod_length)) - at) / 3.0
            np.testing.assert_allclose((in_world(view, rod) - at) / 3.0, elbow, atol=1e-9)
            # The rod, drawn with its true length from the elbow, ends in the plate's joint: the loop closes.
            np.testing.assert_allclose(ball, p + R @ table.geometry[i, 5:8], atol=1e-9)
            rise = elbow[2] - table.geometry[i, 2]
            assert rise == pytest.approx(-table.arm_length * np.sin(angles[i]), abs=1e-9)


def test_close_up_shows_fifty_times_the_gap_and_what_presses(full: View, feeder: Feeder) -> None:
    surface = handle(full, "/close-up").position
    feeder.dynamics(z=-0.004)
    full.draw()
    np.testing.assert_allclose(in_world(full, "/close-up/tip") - surface, (0.0, 0.0, -0.2), atol=1e-12)
    assert handle(full, "/close-up/gap").text == "gap 4.00 mm"
    assert not handle(full, "/close-up/spot").visible
    assert not handle(full, "/close-up/force/arrow").visible
    feeder.dynamics(z=0.0005, push=6.25, state=NodeState.RUNNING | NodeState.CONTACT)
    full.draw()
    np.testing.assert_allclose(in_world(full, "/close-up/tip") - surface, (0.0, 0.0, 0.025), atol=1e-12)
    assert handle(full, "/close-up/gap").text == "pressed in by 0.500 mm"
    assert handle(full, "/close-up/spot").visible
    assert handle(full, "/close-up/force/newtons").text == "6.25 N"


def test_arrows_are_equal_and_opposite(full: View, feeder: Feeder) -> None:
    feeder.configuration(TwoRobots(pose="B").start()[0])
    feeder.dynamics(push=5.0, state=NodeState.CONTACT)
    full.draw()
    surface = "/two-robots/robot2.base/surface"
    ends = []
    for robot in ("robot 1", "robot 2"):
        arrow = f"{surface}/force on {robot}/arrow"
        tail, tip = handle(full, arrow).points[0]
        ends.append(in_world(full, surface, tip) - in_world(full, surface, tail))
    np.testing.assert_allclose(ends[0], -ends[1], atol=1e-6)  # float32 on the way to the page
    assert ends[0][2] < -0.1  # robot 1 is pushed down, away from the plate
    np.testing.assert_allclose(ends[0][:2], 0.0, atol=1e-6)


# ------------------------------------------------------------ nothing that it hears breaks it


def test_an_unknown_model_is_drawn_as_plain_bodies(plain: View, feeder: Feeder) -> None:
    assert OwnModel(factory="someone:model").drawer() is None
    feeder.dynamics(z=-0.25, push=2.0)
    feeder.configuration([1.0, 2.0])
    feeder.table((0.0, 0.0, 5.0, *LEVEL))
    plain.draw()
    np.testing.assert_allclose(handle(plain, "/bodies/part").position, (0.0, 0.0, -0.25))
    assert handle(plain, "/bodies/force/newtons").text == "2.00 N"


@pytest.mark.parametrize("q", [[1.0, 2.0], [np.nan] * 22])
def test_a_configuration_that_does_not_fit_shows_plain_bodies_and_says_so(full: View, feeder: Feeder, q: Any) -> None:
    feeder.dynamics()
    full.draw()
    assert handle(full, "/two-robots").visible
    assert not handle(full, "/bodies").visible
    feeder.configuration(q)
    full.draw()
    assert not handle(full, "/two-robots").visible
    assert handle(full, "/bodies").visible
    assert f"the configuration has {len(q)} numbers" in full._events.content


def test_a_pose_out_of_reach_leaves_the_table_where_it_was_and_says_so(full: View, feeder: Feeder) -> None:
    before = handle(full, "/hexa/plate").position.copy()
    for pose in ((0.0, 0.0, -3.0, *LEVEL), (np.nan,) * 7, (0.0,) * 7):
        feeder.table(pose)
        full.draw()
        np.testing.assert_array_equal(handle(full, "/hexa/plate").position, before)
        assert "pose" in full._events.content


def test_rows_that_are_not_finite_are_not_drawn(full: View, feeder: Feeder) -> None:
    feeder.dynamics(z=np.nan, push=np.nan, ticks=3)
    full.draw()
    assert "the relative pose is not finite" in full._events.content
    assert not handle(full, "/close-up/force/arrow").visible


def test_strange_messages_are_counted_and_told(plain: View, feeder: Feeder) -> None:
    strange = {
        "rows/dynamics": b"noise",
        "rows/table": b"",
        "configuration": b"123",
        "events": b'{"node": 1}',
        "status/table": b"[1, 2]",
        "status/log": b"\xff\x00",
    }
    for topic, payload in strange.items():
        feeder.say(topic, payload)
    feeder.say("configuration", b"")
    plain.draw()
    told = " ".join(plain.feed.problems())
    assert "5 messages were refused" in told
    assert told.count("1 payloads were refused") == 2
    assert "messages were refused" in plain._events.content


def test_foreign_words_are_text_on_the_page(plain: View, feeder: Feeder, bus: MemoryBus) -> None:
    bad = "<img src=x onerror=alert(1)>"
    feeder.say("events", json.dumps({"time": 1, "node": bad, "level": "trip", "text": bad}).encode())
    feeder.say("status/table", json.dumps({"state": 1, "words": [bad]}).encode())
    feeder.say("status/table", json.dumps({"state": bad, "words": ["heard"], "link": {"lost": bad}}).encode())
    plain.draw()
    page = plain._events.content + plain._nodes.content + plain._headline.content
    assert "<img" not in page
    assert page.count("&lt;img") == 4  # also in the words that say why the last was refused


def test_nodes_are_shown_with_state_deadlines_packets_and_round_trip(
    plain: View, feeder: Feeder, bus: MemoryBus
) -> None:
    bus.declare("table", {})
    told = {
        "state": int(NodeState.HELD | NodeState.LATCHED),
        "deadlines": {"missed": 12},
        "link": {"lost": 34, "round_trip_p50": 71e-6},
        "words": ["latched: look at it"],
    }
    feeder.say("status/table", json.dumps(told).encode())
    feeder.say("status/dynamics", json.dumps({"state": 1}).encode())
    plain.draw()
    for word in ("held, latched", ">12<", ">34<", "0.07 ms", "look at it", "gone"):
        assert word in plain._nodes.content
    assert "here" in plain._nodes.content  # the viewer itself


# ------------------------------------------------------------ the last seconds


def test_plots_keep_the_last_seconds_and_every_peak(plain: View, feeder: Feeder) -> None:
    feeder.dynamics(ticks=3002)  # no stretch of the thinned curve begins at the peak
    feeder.dynamics(push=6.2)
    for _ in range(40):
        feeder.dynamics(ticks=25)
    plain.draw()
    past = plain.feed.past()
    assert past[-1, 0] - past[0, 0] < plain.feed.window + 2e-3 * 3003  # whole blocks only
    force = plain._plots.plots[0].handle
    assert len(force.data[0]) < 600
    assert force.data[2].max() == pytest.approx(6.2)
    assert np.all(np.diff(force.data[0]) > 0.0)
    for _ in range(300):
        feeder.dynamics(ticks=25)
    past = plain.feed.past()
    assert past[-1, 0] - past[0, 0] <= plain.feed.window + 0.05
    feeder.restart()
    feeder.dynamics(ticks=5)
    assert len(plain.feed.past()) == 5  # a new run begins, the old one goes


def test_thinning_takes_a_row_of_each_stretch() -> None:
    past = np.zeros((5000, 7))
    past[:, 0] = 2e-3 * np.arange(5000)
    assert 380 <= len(thinned(past, 400)) <= 420
    assert len(thinned(past[:100], 400)) == 100
    assert len(thinned(past[:0], 400)) == 0


# ------------------------------------------------------------ the page and its buttons


@pytest.mark.realtime
def test_the_page_answers_on_loopback_and_ends_on_request(bus: MemoryBus) -> None:
    view = View(bus, port=0)
    port = int(view.url.rpartition(":")[2])
    running = threading.Thread(target=view.run)
    running.start()
    try:
        with urllib.request.urlopen(view.url, timeout=60.0) as page:
            assert page.status == 200
        assert "view" in bus.nodes()
        assert view._server._websock_server._host == "127.0.0.1"
        assert view._server.request_share_url() is None  # no tunnel through which strangers look in
    finally:
        view.end()
        running.join(timeout=60.0)
        view.close()
    assert not running.is_alive()
    with socket.socket() as again:  # the port is free again
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))


@pytest.mark.parametrize("seen", [True, False], ids=["before", "between look and start"])
def test_a_port_in_use_is_named_with_the_way_out(bus: MemoryBus, monkeypatch: pytest.MonkeyPatch, seen: bool) -> None:
    if not seen:
        monkeypatch.setattr(node, "_must_be_free", lambda address, port: None)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen(1)
        port = other.getsockname()[1]
        with pytest.raises(InputError, match=rf"port={port} is in use on 127\.0\.0\.1(.|\n)*another port"):
            View(bus, port=port)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"port": 70000}, "port=70000"),
        ({"port": True}, "port=True"),
        ({"address": "192.0.2.1"}, "192.0.2.1(.|\n)*127.0.0.1"),
        ({"rate": 0.0}, "rate=0.0"),
        ({"rate": 100.0}, "rate=100.0"),
    ],
)
def test_bad_arguments_are_refused(bus: MemoryBus, wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        View(bus, **{"port": 0, **wrong})


def test_an_address_that_is_not_ours_is_told_once(bus: MemoryBus) -> None:
    """The system's own words name it once more."""
    with pytest.raises(InputError, match=r"cannot be listened on \([^()]+\)\.") as error:
        View(bus, port=0, address="192.0.2.1")
    assert str(error.value).count("192.0.2.1") == 1


@pytest.mark.parametrize(
    ("about", "told"),
    [
        ({"times": 0.0}, "times=0.0"),
        ({"tool": (0.0, 1.0)}, "tool"),
        ({"origin": (0.0, 0.0, np.inf)}, "origin"),
    ],
)
def test_a_drawer_refuses_settings_that_it_cannot_draw(about: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        HexaDrawer(**about)


@pytest.mark.realtime
def test_nobody_watches_nothing_is_drawn(plain: View, monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(seen: object) -> list[str]:
        raise AssertionError("it drew")

    monkeypatch.setattr(plain._stage, "draw", drawn)
    plain.run(duration=0.3)


@pytest.mark.parametrize(
    ("rearming", "own_page", "rearms"), [(True, True, 1), (True, False, 0), (False, True, 0), (False, False, 0)]
)
def test_anybody_stops_but_only_our_own_page_rearms_and_only_if_allowed(
    bus: MemoryBus, monkeypatch: pytest.MonkeyPatch, rearming: bool, own_page: bool, rearms: int
) -> None:
    heard: list[str] = []
    take_requests(bus, stop=heard.append, rearm=lambda: heard.append("re-arm"))
    if own_page:
        monkeypatch.setattr(node, "asked_by_own_page", lambda server, client: True)
    nobody: Any = SimpleNamespace(client_id=None)
    with View(bus, port=0, rearming=rearming) as view:
        view._request("stop", nobody)
        view._request("rearm", nobody)
    assert heard == ["view: stop pressed on the page"] + ["re-arm"] * rearms


def test_a_re_arm_that_reaches_no_table_is_told_on_the_page(bus: MemoryBus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "asked_by_own_page", lambda server, client: True)
    with View(bus, port=0, rearming=True) as view:
        pressed: Any = SimpleNamespace(client_id=1)
        view._request("rearm", pressed)
        view.draw()
        assert "re-arm: no table answers" in view._events.content


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("origin", "own"), [("{url}", True), ("http://elsewhere.example", False), ("http://127.0.0.1:1", False)]
)
def test_who_asks_is_known_by_the_origin(plain: View, origin: str, own: bool) -> None:
    import viser
    from websockets.sync.client import connect
    from websockets.typing import Origin, Subprotocol

    url = plain.url.replace("http", "ws")
    page = Origin(origin.format(url=plain.url))
    with connect(url, origin=page, subprotocols=[Subprotocol(f"viser-v{viser.__version__}")]) as line:
        line.recv(timeout=60.0)
        clients = list(plain._server._websock_server._live_connections)
        assert [asked_by_own_page(plain._server, client) for client in clients] == [own]


def test_rearming_is_offered_only_where_it_was_meant(bus: MemoryBus) -> None:
    with View(bus, port=0) as view:
        assert list(view._buttons) == ["stop"]
    with View(bus, port=0, rearming=True) as view:
        assert list(view._buttons) == ["stop", "rearm"]
    assert not Settings().view.rearm
    with pytest.raises(InputError, match=r"rearming=True at address='0.0.0.0'(.|\n)*ssh -L"):
        View(bus, port=0, address="0.0.0.0", rearming=True)


# ------------------------------------------------------------ what a browser gets


class Browser:
    """What a browser knows of the scene after some messages of the page, without drawing it."""

    def __init__(self, line: Any) -> None:
        self._line = line
        self.places: dict[str, dict[str, Any]] = {}
        self.labels: list[str] = []

    def until(self, true: Callable[[], bool]) -> None:
        """Take messages until something is true; fails if nothing comes any more."""
        while not true():
            frame = self._line.recv(timeout=60.0)
            size = int.from_bytes(frame[8:16], "little")  # of the part that tells; arrays of meshes follow it
            told = zstandard.ZstdDecompressor().decompress(frame[16 : 16 + size])
            for message in msgspec.msgpack.decode(told)["messages"]:
                self._take(message)

    def _take(self, message: dict[str, Any]) -> None:
        if message["type"].startswith("Gui") and isinstance(message.get("props"), dict):
            self.labels.append(str(message["props"].get("label")))
        if "name" in message:
            known = self.places.setdefault(message["name"], {"position": (0.0,) * 3, "wxyz": LEVEL})
            known.update({key: message[key] for key in ("position", "wxyz", "visible") if key in message})
            known.update(message["props"] if isinstance(message.get("props"), dict) else {})
            known.update(message.get("updates", {}))

    def in_world(self, name: str, place: Any = (0.0, 0.0, 0.0)) -> Array:
        p = np.asarray(place, dtype=np.float64)
        while name:
            known = self.places[name]
            p = np.asarray(known["position"]) + turned_by(known["wxyz"], p)
            name = name.rpartition("/")[0]
        return p


@contextmanager
def browser(view: View) -> Iterator[Browser]:
    import viser
    from websockets.sync.client import connect
    from websockets.typing import Subprotocol

    url, ours = view.url.replace("http", "ws"), Subprotocol(f"viser-v{viser.__version__}")
    with connect(url, subprotocols=[ours], max_size=None) as line:
        yield Browser(line)


@pytest.mark.realtime
def test_a_browser_gets_the_scene_and_all_that_moves_in_it(full: View, feeder: Feeder) -> None:
    with urllib.request.urlopen(full.url, timeout=60.0) as page:
        assert b"<script" in page.read()
    two = TwoRobots(pose="B")
    q = two.start()[0]
    tip = "/two-robots/robot1.base" + "".join(f"/robot1.link{k}" for k in range(1, 5))
    before = handle(full, tip).wxyz.copy()
    with browser(full) as seen:
        parts = {"/hexa/arm6", "/hexa/rod6", "/hexa/plate", "/close-up/tip", "/two-robots/robot2.base/plate", tip}
        seen.until(lambda: parts <= set(seen.places) and "Stop" in seen.labels)
        assert "Re-arm" not in seen.labels
        q[10] += 0.5  # the last joint of the first robot
        feeder.configuration(q)
        feeder.dynamics(z=0.0005, push=6.25, state=NodeState.RUNNING | NodeState.CONTACT)
        full.draw()
        assert handle(full, tip).wxyz != pytest.approx(before)
        seen.until(lambda: np.allclose(seen.places[tip]["wxyz"], handle(full, tip).wxyz, atol=1e-6))
        np.testing.assert_allclose(seen.in_world(tip, (1.0, 0.0, 0.0)), two.outlines(q[None])[0][0][-1], atol=1e-5)
        seen.until(lambda: seen.places["/close-up/force/newtons"]["text"] == "6.25 N")
