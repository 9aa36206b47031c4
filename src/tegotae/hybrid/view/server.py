"""The page's server: loopback unless told otherwise, the port that was asked for or none, and no tunnel to outside."""

from __future__ import annotations

import errno
import io
import ipaddress
import socket
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from tegotae import checks
from tegotae.errors import InputError
from tegotae.extras import require

if TYPE_CHECKING:
    from viser import ViserServer

OWN = "View"


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
    require(OWN, "viser")
    _must_be_free(address, port)  # viser would go on to the next ports, and wait for ever at a wrong address
    from viser import ViserServer

    class Page(ViserServer):
        def request_share_url(self, verbose: bool = True) -> str | None:
            """Nobody opens a tunnel through which strangers see the page and press its buttons."""
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
        checks.refuse(OWN, f"port={port!r}.", "Give a whole number from 1 to 65535, or 0 for any free one.")
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(place)
            trial.listen(1)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            _refuse_port(address, port)
        raise InputError(
            f"{OWN}: address={address!r}, port={port} cannot be listened on ({error}).\n"
            "  Use 127.0.0.1 or another address of this computer, and a port of at least 1024."
        ) from error


def _refuse_port(address: str, port: int) -> NoReturn:
    checks.refuse(
        OWN,
        f"port={port} is in use on {address}: another program, or a page that still runs.",
        "End that one, or give another port, 0 for any free one: --set view.address=127.0.0.1:0.",
    )


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
