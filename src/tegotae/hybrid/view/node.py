"""The viewer, a node of its own: it only listens, and the others run on without it.

Its server listens on loopback unless told otherwise, at the port that was asked for or none, with no tunnel to outside.
"""

from __future__ import annotations

import errno
import io
import ipaddress
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

from tegotae import checks
from tegotae.extras import require
from tegotae.hybrid.bus.messages import ask_rearm, ask_stop
from tegotae.hybrid.closable import Closable
from tegotae.hybrid.view.drawers import OPENING, Drawer, Stage, eye_on
from tegotae.hybrid.view.feed import Feed, Seen
from tegotae.hybrid.view.panels import Plots, event_lines, headline, node_table

if TYPE_CHECKING:
    from viser import ClientHandle, GuiEvent, ViserServer

    from tegotae.hybrid.bus.bus import Bus

_OWNER = "View"


def is_loopback(address: str) -> bool:
    """Whether only this computer reaches an address.

    Example:
        >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0"), is_loopback("localhost")
        (True, False, True)
    """
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def serve(address: str, port: int) -> ViserServer:
    """Start the server at exactly this address and port."""
    require(_OWNER, "viser")
    _must_be_free(address, port)  # viser would go on to the next ports, and wait for ever at a wrong address
    from viser import ViserServer

    class Page(ViserServer):
        def request_share_url(self, verbose: bool = True) -> str | None:
            """Opens no tunnel through which strangers could see the page and press its buttons."""
            return None

    with _quietly():
        server = Page(host=address, port=port, verbose=False)
    if port and server.get_port() != port:  # taken between the look and the start
        stop(server)
        _refuse_port(address, port)
    return server


def stop(server: ViserServer) -> None:
    """End a server."""
    with _quietly():
        server.stop()


@contextmanager
def _quietly() -> Iterator[None]:
    """Viser announces its beginning and its end on standard output, asked or not; what a node prints is its own."""
    with redirect_stdout(io.StringIO()):
        yield


def _must_be_free(address: str, port: int) -> None:
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
        checks.refuse(_OWNER, f"port={port!r}.", "Give a whole number from 1 to 65535, or 0 for any free one.")
    try:
        family, *_, place = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
        socket.create_server(place, family=family).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            _refuse_port(address, port)
        why = (error.strerror or str(error)).partition(" (while")[0]  # Python adds the address once more
        problem = f"address={address!r}, port={port} cannot be listened on ({why})."
        remedy = "Use 127.0.0.1 or another address of this computer, and a port of at least 1024."
        checks.refuse(_OWNER, problem, remedy)


def _refuse_port(address: str, port: int) -> NoReturn:
    problem = f"port={port} is in use on {address}: another program, or a page that still runs."
    remedy = "End that one, or give another port, 0 for any free one: --set view.address=127.0.0.1:0."
    checks.refuse(_OWNER, problem, remedy)


def asked_by_own_page(server: ViserServer, client: int | None) -> bool:
    """Whether a button was pressed on our own page, not by another site that a browser here has open.

    Browsers let any site open a websocket to this computer, and tell its origin. Our own page's origin is the host it
    asked for, and that is a number, this computer's name or localhost: a name that a stranger's server resolves to us
    is none of these.
    """
    # viser keeps the request to itself; without it nobody can tell, and nobody re-arms.
    connection = server._websock_server._live_connections.get(client if client is not None else -1)
    if connection is None or connection.request is None:
        return False
    headers = connection.request.headers
    return own_origin(headers.get("Origin"), headers.get("Host"))


def own_origin(origin: str | None, host: str | None) -> bool:
    """Whether a page of this origin came from the host that it now talks to, under a name that is surely ours.

    Example:
        >>> own_origin("http://127.0.0.1:8080", "127.0.0.1:8080")
        True
        >>> own_origin("https://elsewhere.example", "127.0.0.1:8080")
        False
        >>> own_origin("http://elsewhere.example:8080", "elsewhere.example:8080")
        False
    """
    if not origin or not host or urlsplit(origin).netloc != host:
        return False
    name = urlsplit(origin).hostname or ""
    if name in ("localhost", socket.gethostname().lower()):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


UNWATCHED = 0.25  # s from look to look whether somebody came
PLOTS, WORDS = 8.0, 2.0  # Hz at most
FASTEST = 30.0  # Hz
PLOT_WIDTH, WORDS_WIDTH = 340.0, 330.0  # pixels
NARROWEST = 0.5  # of a window, width over height, in which all is still shown


class View(Closable):
    """The page of a running session: both machines, the contact, forces, energy, and how every node fares.

    It listens, and says nothing but a person's requests: to stop, and, if that was allowed, to re-arm. The page has no
    password: whoever reaches it may stop the table. While nobody watches, it draws nothing.

    Args:
        bus: to listen on; stays open when the page ends.
        model: who draws the simulated machine, `ModelSettings.drawer()`; None for plain bodies.
        device: who draws the table, such as `HexaDrawer()`; None for plain bodies.
        port: of the page; 0 takes a free one.
        address: that the page listens on; only this computer sees it unless another is named.
        rate: of the drawing [Hz], at most 30.
        rearming: whether the page may re-arm the table; only where no other computer reaches it.

    Example:
        >>> from tegotae.hybrid.bus.bus import MemoryBus
        >>> from tegotae.hybrid.view import View
        >>> with View(MemoryBus("demo"), port=0) as view:
        ...     print(view.url.rpartition(":")[0])
        http://127.0.0.1
    """

    def __init__(
        self,
        bus: Bus,
        *,
        model: Drawer | None = None,
        device: Drawer | None = None,
        port: int = 8080,
        address: str = "127.0.0.1",
        rate: float = 20.0,
        rearming: bool = False,
    ) -> None:
        self._bus, self._session = bus, bus.session
        self.rate = checks.positive(_OWNER, "rate", rate, "Hz", "Give 20.")
        if self.rate > FASTEST:
            checks.refuse(_OWNER, f"rate={rate} Hz is above {FASTEST:g}.", "Use 20: a screen shows no more.")
        if rearming and not is_loopback(address):
            checks.refuse(
                _OWNER,
                f"rearming=True at address={address!r}: all who reach the page could make the table move.",
                "Listen on 127.0.0.1 (from elsewhere: `ssh -L 8080:127.0.0.1:8080`), or re-arm by the command line.",
            )
        self._rearming = rearming
        self._ended = False
        self._unseen: list[str] = []
        self._unheard = ""  # why a re-arm did not reach the table
        self._plots_due = self._words_due = 0.0
        self._server = serve(address, port)
        self.url = f"http://{f'[{address}]' if ':' in address else address}:{self._server.get_port()}"
        try:
            self._make_page(model, device)
            self.feed = Feed(bus)
            bus.declare("view", {"page": self.url})
        except BaseException:
            stop(self._server)
            raise

    # ------------------------------------------------------------ the page

    def _make_page(self, model: Drawer | None, device: Drawer | None) -> None:
        server = self._server
        server.gui.configure_theme(dark_mode=False, show_logo=False, show_share_button=False, brand_color=(37, 99, 168))
        server.gui.main_panel.dock_right()
        server.gui.main_panel.set_width(WORDS_WIDTH)
        server.gui.set_panel_label(f"hybrid simulation · {self._session}")
        self._stage = Stage(server.scene, model=model, device=device)
        camera = server.initial_camera
        camera.position, camera.look_at = eye_on(self._stage.boxes["Whole"])
        camera.fov = OPENING
        self._make_panel()
        server.on_client_connect(self._welcome)

    def _make_panel(self) -> None:
        gui = self._server.gui
        self._headline = gui.add_html(headline(Seen()))
        halt = gui.add_button("Stop", color="red", hint="bring the table to rest and hold it")
        halt.on_click(lambda event: self._request("stop", event))
        self._buttons = {"stop": halt}
        if self._rearming:
            rearm = gui.add_button("Re-arm", color="gray", hint="after a look at the table: obey commands again")
            rearm.on_click(lambda event: self._request("rearm", event))
            self._buttons["rearm"] = rearm
        group = gui.add_button_group("look at", tuple(self._stage.boxes))
        group.on_click(lambda event: self._look_at(event.client, group.value))
        self._nodes = gui.add_html(node_table({}, {}))
        self._events = gui.add_html(event_lines([], []))
        panel = gui.add_panel()
        with panel.add_tab("force and energy"):
            self._plots = Plots(gui)
        panel.dock_left()
        panel.set_width(PLOT_WIDTH)

    def _welcome(self, client: ClientHandle) -> None:
        """Show the whole to one who comes; the panels have not taken their part of the window yet."""
        camera = client.camera
        self._look_at(client, "Whole", (camera.image_width - PLOT_WIDTH - WORDS_WIDTH) / camera.image_height)

    def _look_at(self, client: ClientHandle | None, where: str, aspect: float | None = None) -> None:
        """Let one who watches look at a part of the scene, as large as their window allows."""
        if client is not None:
            wide = client.camera.aspect if aspect is None else aspect
            client.camera.position, client.camera.look_at = eye_on(self._stage.boxes[where], max(wide, NARROWEST))

    def _request(self, what: str, event: GuiEvent[Any]) -> None:
        """A person pressed a button. Anybody may stop the table; only our own page, where allowed, re-arms it."""
        reason = f"{what} pressed on the page"
        if what == "stop":
            ask_stop(self._bus, "view", reason)
        elif self._rearming and asked_by_own_page(self._server, event.client_id):
            unheard = ask_rearm(self._bus, "view", reason)
            self._unheard = f"re-arm: {unheard}" if unheard else ""

    # ------------------------------------------------------------ drawing

    def draw(self) -> None:
        """Everything, as it is now."""
        self._draw_scene()
        self._plots.draw(self.feed.past())
        self._draw_words()

    def _draw_scene(self) -> None:
        with self._server.atomic():
            self._unseen = self._stage.draw(self.feed.seen())

    def _draw_words(self) -> None:
        self._headline.content = headline(self.feed.seen())
        self._nodes.content = node_table(self._bus.nodes(), self.feed.status())
        problems = [*self._unseen, *self.feed.problems(), *self._bus.versions(), *filter(None, [self._unheard])]
        self._events.content = event_lines(self.feed.events(), problems)

    # ------------------------------------------------------------ running

    def run(self, *, duration: float | None = None) -> None:
        """Draw until `end` is called; may be called again."""
        start = time.monotonic()
        while not self._ended:
            now = time.monotonic()
            if duration is not None and now - start >= duration:
                return
            if not self._server.get_clients():
                time.sleep(UNWATCHED)
                continue
            self._draw_scene()
            if now >= self._plots_due:
                self._plots.draw(self.feed.past())
                self._plots_due = now + 1.0 / PLOTS
            if now >= self._words_due:
                self._draw_words()
                self._words_due = now + 1.0 / WORDS
            time.sleep(max(0.0, now + 1.0 / self.rate - time.monotonic()))

    def end(self) -> None:
        """Let `run` return; from any thread, or a signal handler."""
        self._ended = True

    def close(self) -> None:
        """End the page; the bus stays open."""
        self.end()
        stop(self._server)
